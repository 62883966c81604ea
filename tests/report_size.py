#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Renders a report of 100,000 records and limits its time and memory.

usage: report_size.py ULPGATE RESULTS.jsonl    exit 0 within 10 s of processor time and 500 MB

The records are those of the file, again and again with other seeds, so that no two cases are the same.
"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

RECORDS, SECONDS, BYTES, PAGE = 100_000, 10, 500_000_000, 1_000_000


def write(source, target):
    """Kernels of a case stay together, as in a run."""
    lines = source.read_text(encoding="utf-8").splitlines()
    header, records = lines[0], [line for line in lines if '"type":"result"' in line[:20]]
    with open(target, "w", encoding="utf-8") as out:
        out.write(header + "\n")
        written = turn = 0
        while written < RECORDS:
            turn += 1
            for line in records[:RECORDS - written]:
                out.write(line.replace('{"type":"result","case":"layernorm ',
                                       f'{{"type":"result","case":"layernorm seed={turn} ', 1) + "\n")
                written += 1
        out.write(json.dumps({"type": "end", "results": RECORDS, "seconds": 1}) + "\n")


def main():
    with tempfile.TemporaryDirectory() as work:
        results, page = pathlib.Path(work, "results.jsonl"), pathlib.Path(work, "page.html")
        write(pathlib.Path(sys.argv[2]), results)
        size = results.stat().st_size
        done = subprocess.run([sys.argv[1], "report", "--format", "html", "-o", page, results], check=False)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds, peak = used.ru_utime + used.ru_stime, used.ru_maxrss * 1024
        weight = os.path.getsize(page) if page.exists() else 0
    print(f"{RECORDS} records, {size / 1e6:.0f} MB: {seconds:.1f} s, peak {peak / 1e6:.0f} MB, page {weight} bytes")
    good = done.returncode == 0 and seconds <= SECONDS and peak <= BYTES and 0 < weight <= PAGE
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

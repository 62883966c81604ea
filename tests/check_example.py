#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does the page of an example say what its gates said?

usage: check_example.py README.md RESULTS.jsonl...

Rows `| kernel | suite | verdict | reasons |` of the page against the records: FAIL with the tags of all reasons where
any case failed, PASS where some passed, DECLINED otherwise. Exit 0 when both say the same, 1 with the difference.
"""
import json
import pathlib
import re
import sys


def page_rows(path):
    rows = set()
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        m = re.fullmatch(r"\| (\S+/\S+) \| (\w+) \| (PASS|FAIL|DECLINED) \| ?(.*?) ?\|", line)
        if m:
            rows.add((m[1], m[2], m[3], m[4]))
    return rows


def result_rows(paths):
    cases = {}
    for path in paths:
        suite = pathlib.Path(path).name.split(".")[-2]
        for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            if record["type"] == "result":
                kernel = record["kernel"].partition(":")[2]
                cases.setdefault((kernel, suite), []).append(record)
    for (kernel, suite), records in cases.items():
        verdicts = {r["verdict"] for r in records}
        failed = [r for r in records if r["verdict"] not in ("PASS", "DECLINED")]
        tags = {reason.split()[0] for r in failed for reason in r["reasons"]} - {"note"}
        verdict = "FAIL" if failed else "PASS" if "PASS" in verdicts else "DECLINED"
        yield kernel, suite, verdict, ", ".join(sorted(tags))


def main():
    said, came = page_rows(sys.argv[1]), set(result_rows(sys.argv[2:]))
    for row in sorted(said - came):
        print("the page says, and it did not come:", *row)
    for row in sorted(came - said):
        print("it came, and the page does not say:", *row)
    print(f"{len(came)} verdicts")
    return 0 if came and said == came else 1


if __name__ == "__main__":
    sys.exit(main())

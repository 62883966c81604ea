#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands that a page shows, and looks for the output that it shows.

usage: check_docs.py ULPGATE SOURCE_FOLDER PAGE [--update]

All blocks marked sh run in one shell, in an empty folder, except those that build the program itself. A command exits
with 0, or with N where its line ends in `# exits N`. Each line of a block marked text has to be, blanks aside, the
beginning of a line that the sh block before it printed; in a block marked `text whole`, all of that line. With --update
a line that is not there is replaced by the printed line that begins with the same word, as far as the old one went;
figures in sentences are left to people.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```(\w*)( whole)?\n(.*?)^```$", re.M | re.S)


def squeeze(line):
    return " ".join(line.split())


def commands(block):
    """Lines of a block, those that end in a backslash joined, and the exit code that each should have."""
    for line in block.replace("\\\n", " ").splitlines():
        if line.strip():
            found = re.search(r"# exits (\d+)\s*$", line)
            yield line, int(found.group(1)) if found else 0


def run_block(block, folder, environment):
    """What the commands print, and what went wrong."""
    text = ""
    for line, want in commands(block):
        done = subprocess.run(["bash", "-c", line], cwd=folder, env=environment, capture_output=True, text=True,
                              check=False)
        text += done.stdout + done.stderr
        if done.returncode != want:
            yield f"exit {done.returncode}, expected {want}: {line}\n{done.stdout[-2000:]}{done.stderr[-2000:]}", text
    yield "", text


def successor(line, text, whole):
    """What stands now where `line` stood: the first printed line with its first word, or as many words of it."""
    words = line.split()
    for printed in text.splitlines():
        found = re.match(r"\s*((?:\S+\s+){%d}\S+)" % (len(words) - 1), printed)
        if found and printed.split()[0] == words[0]:
            return printed.rstrip() if whole else found[1]
    return None


def main():
    program, source, page = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ULPGATE_") or k == "ULPGATE_DATA"}
    environment.update(PATH=f"{program.parent}:{environment['PATH']}", LC_ALL="C", TERM="dumb")
    environment.pop("COLUMNS", None)
    bad, ran, shown, text, now = [], 0, 0, "", page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("include", "docs"):
            (pathlib.Path(folder) / name).symlink_to(source / name)
        for kind, whole, block in FENCE.findall(now):
            if kind == "sh" and "./bootstrap" not in block:
                for fault, text in run_block(block, folder, environment):
                    bad += [fault] if fault else []
                ran += len(list(commands(block)))
            elif kind == "text":
                printed = [squeeze(line) for line in text.splitlines()]
                for line in filter(str.strip, block.splitlines()):
                    shown += 1
                    if any(p == squeeze(line) if whole else p.startswith(squeeze(line)) for p in printed):
                        continue
                    new = successor(line, text, whole) if "--update" in sys.argv else None
                    if new:
                        now = now.replace(line, new)
                    else:
                        bad.append(f"not printed: {line}\n" + "\n".join(printed[:40]))
    if "--update" in sys.argv:
        page.write_text(now, encoding="utf-8")
    for fault in bad:
        print(f"FAILED: {fault}")
    print(f"{page.name}: {ran} commands, {shown} lines of output, {len(bad)} faults")
    return 1 if bad or not ran else 0


if __name__ == "__main__":
    sys.exit(main())

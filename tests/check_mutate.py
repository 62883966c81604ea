#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mutant files that cannot be applied are refused with a message that names file and cause.

usage: check_mutate.py MUTATE.py    exit 0 when all are, 1 with what was found instead
"""
import pathlib
import subprocess
import sys
import tempfile

SOURCE = "float a = 1;\nfloat b = a +\n    1;\nfloat c = a + 1;\n"
HEAD = "parent fused/sum2\nclass EPS\nwhat something\ncase layernorm n=4\n"
RIGHT = HEAD + "in cuda/x.cu\n- float c = a   + 1;\n+ float c = a + 2;\n"
# (text of the mutant file, what the message must say; None: it is applied)
FILES = [
    (RIGHT, None),
    (RIGHT.replace("c = a", "d = a"), "occurs 0 times in cuda/x.cu, expected once"),
    (RIGHT.replace("float c = a   + 1;", "a + 1;"), "occurs 2 times in cuda/x.cu, expected once"),
    (RIGHT.replace("+ float c = a + 2;", "+ float c = a + 1;"), "changes nothing"),
    (RIGHT.replace("x.cu", "y.cu"), "there is no source file cuda/y.cu"),
    (RIGHT.replace("class EPS\n", ""), "class is missing"),
    (RIGHT.replace("class EPS", "class ESP"), "class is 'ESP', expected one of"),
    (RIGHT.replace("class EPS", "clas EPS"), "found 'clas EPS', expected one of"),
    (RIGHT.replace("fused/sum2", "fused"), "parent is 'fused', expected STRUCTURE/VARIANCE"),
    (RIGHT.replace("something", "x" * 200), "what has 200 characters"),
    (RIGHT + "class EPS\n", "(once)"),
    (HEAD, "a hunk is missing"),
    (HEAD + "- float\n+ double\n", "a hunk before any line 'in FILE'"),
    (HEAD + "in cuda/x.cu\n+ double\n", "a replacement without a search text"),
]


def main():
    bad = 0
    for number, (text, words) in enumerate(FILES):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "cuda").mkdir()
            (root / "cuda/x.cu").write_text(SOURCE)
            (root / "planted.mutant").write_text(text)
            run = subprocess.run([sys.executable, sys.argv[1], folder, str(root / "out"), str(root / "planted.mutant")],
                                 capture_output=True, text=True, check=False)
            planted = root / "out/planted/cuda/x.cu"
            if words is None:
                found = planted.is_file() and planted.read_text() == SOURCE.replace("c = a + 1", "c = a + 2")
                found = found and run.returncode == 0 and (root / "out/mutants.json").is_file()
            else:
                found = run.returncode == 1 and words in run.stderr and "planted.mutant" in run.stderr
            if not found:
                print(f"file {number}: exit {run.returncode}, expected '{words}':\n{run.stderr}")
                bad += 1
    print(f"{len(FILES)} files, {bad} findings")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

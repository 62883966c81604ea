#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants one fault a mutant file into copies of the kernel sources.

usage: mutate.py ROOT OUTPUT FILE.mutant...

Writes OUTPUT/NAME/ (the changed sources and unit.cpp, which compiles the parent kernel from them in a namespace of its
own), OUTPUT/mutants.h (the list for the plugin) and OUTPUT/mutants.json (the list for people and programs). Files that
would not change are left alone, so that only mutants that changed are compiled again.

A mutant file has lines "key value" (parent, class, what, case; # starts a comment) and then hunks:

    in cuda/layernorm.cuh
    - text to search, over as many lines as wanted
    + text that takes its place

A search text must occur exactly once in its file; runs of white space match any white space.
"""
import json
import pathlib
import re
import sys

KEYS = ("parent", "class", "what", "case")
CLASSES = ("CANC LOWP RANGE LONG EPS FORM IDX LAUNCH TAIL ALIGN STRIDE AFFINE ALIAS RACE BATCH NANINF EMPTY ROUND "
           "STATS WRITE").split()
WIDEST = 110  # of `what`: a kernel's summary has 128 bytes
UNIT = """/* Made from {file}: {what}. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/gpu.cuh"
#include "cuda/registry.h"

int ug_mutant_limits(const ug_profile *wanted, ug_profile *limits, char *err, size_t cap);

namespace ug_mutant_{word}
{{
#include "cuda/plan.h"

int ug_backend_limits(const ug_profile *wanted, ug_profile *limits, char *err, size_t cap)
{{
    return ug_mutant_limits(wanted, limits, err, cap);
}}

#include "cuda/plan.cpp"
#include "cuda/structures/{structure}.cu"

extern const ug_part_list &ug_list;
const ug_part_list &ug_list = ug_structure_{structure};
}} // namespace ug_mutant_{word}
"""

VARIANCES = """#include "cuda/variances/{variance}.cuh"
#define UG_VARIANCES(X, ...) X({variance}, __VA_ARGS__)
"""


class Fault(Exception):
    """A mutant file that cannot be applied."""


def read_mutant(path):
    """The keys and the hunks (file, search, replacement) of a mutant file."""
    mutant, hunks, target = {"name": path.stem, "file": path.name}, [], None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line[:2] in ("- ", "+ ") or line in ("-", "+"):
            if target is None:
                raise Fault(f"{path}:{number}: a hunk before any line 'in FILE'")
            if line[0] == "-" and (not hunks or hunks[-1][0] != target or hunks[-1][2] is not None):
                hunks.append([target, [], None])
            if line[0] == "+" and (not hunks or hunks[-1][0] != target):
                raise Fault(f"{path}:{number}: a replacement without a search text")
            if line[0] == "+" and hunks[-1][2] is None:
                hunks[-1][2] = []
            hunks[-1][1 if line[0] == "-" else 2].append(line[2:])
            continue
        key, _, value = line.partition(" ")
        if key == "in":
            target = value.strip()
        elif key in KEYS and key not in mutant and value.strip():
            mutant[key] = value.strip()
        else:
            raise Fault(f"{path}:{number}: found '{line}', expected one of {', '.join(KEYS)} (once), 'in FILE', "
                        "or a hunk of lines '- ' and '+ '")
    check_keys(path, mutant, hunks)
    return mutant, hunks


def check_keys(path, mutant, hunks):
    missing = [key for key in KEYS if key not in mutant]
    if missing or not hunks:
        raise Fault(f"{path}: {', '.join(missing) or 'a hunk'} is missing")
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", mutant["name"]):
        raise Fault(f"{path}: the name has to be of words of a-z and 0-9 joined by '-'")
    if mutant["class"] not in CLASSES:
        raise Fault(f"{path}: class is '{mutant['class']}', expected one of {' '.join(CLASSES)}")
    if not re.fullmatch(r"[a-z0-9]+/[a-z0-9]+", mutant["parent"]):
        raise Fault(f"{path}: parent is '{mutant['parent']}', expected STRUCTURE/VARIANCE")
    if len(mutant["what"]) > WIDEST:
        raise Fault(f"{path}: what has {len(mutant['what'])} characters, expected at most {WIDEST}")


def plant(root, path, hunks):
    """The changed sources: file name -> text."""
    changed = {}
    for target, search, replacement in hunks:
        source = root / target
        if target not in changed:
            if not source.is_file():
                raise Fault(f"{path}: there is no source file {target}")
            changed[target] = source.read_text(encoding="utf-8")
        words = [word for word in re.split(r"\s+", "\n".join(search)) if word]
        pattern = re.compile(r"\s+".join(re.escape(word) for word in words))
        found = pattern.findall(changed[target])
        if not words or len(found) != 1:
            raise Fault(f"{path}: the search text occurs {len(found)} times in {target}, expected once:\n  "
                        + "\n  ".join(search))
        text = "\n".join(replacement or [])
        changed[target] = pattern.sub(lambda _: text, changed[target], count=1)
        if words == text.split():
            raise Fault(f"{path}: a hunk for {target} changes nothing")
    return changed


def write(path, text):
    """Writes the file unless it holds that text already."""
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def make(root, output, path):
    mutant, hunks = read_mutant(path)
    structure, variance = mutant["parent"].split("/")
    folder = output / mutant["name"]
    word = mutant["name"].replace("-", "_")
    texts = plant(root, path, hunks)
    texts["ug_variances.cuh"] = VARIANCES.format(variance=variance)
    texts["unit.cpp"] = UNIT.format(file=path.name, what=mutant["what"], word=word, structure=structure)
    for stale in folder.rglob("*"):
        if stale.is_file() and str(stale.relative_to(folder)) not in texts:
            stale.unlink()
    for target, text in texts.items():
        write(folder / target, text)
    mutant["kernel"] = f"{mutant['name']}/{variance}"
    return mutant


def main():
    root, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    mutants, faults = [], 0
    for path in sorted(pathlib.Path(name) for name in sys.argv[3:]):
        try:
            mutants.append(make(root, output, path))
        except Fault as fault:
            print(f"mutate.py: {fault}", file=sys.stderr)
            faults += 1
    if faults:
        return 1
    rows = "".join('    X({}, "{}", "{}") \\\n'.format(
        m["name"].replace("-", "_"), m["kernel"], m["what"].replace("\\", "\\\\").replace('"', '\\"')) for m in mutants)
    write(output / "mutants.h",
          "/* Made from the mutant files by mutate.py. */\n#define UG_MUTANTS(X) \\\n" + rows + "\n")
    write(output / "mutants.json", json.dumps(mutants, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

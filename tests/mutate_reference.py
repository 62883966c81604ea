#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants faults in the certified reference, one at a time; `ctest -L reference` must see each.

    mutate_reference.py SOURCE BUILD_FOLDER [NAME...]

The sources are copied into BUILD_FOLDER and configured once. Each fault replaces a text that must
occur exactly once, so a fault whose place has changed is an error, not a pass. A run stops at its
first failing test. Exit code 0: the plain copy passes and every fault was caught.
"""
import os
import pathlib
import shutil
import subprocess
import sys

KERNELS, ELEMENTS = "reference/vector_kernels.h", "reference/certified.c"
CONSTANTS, DECIDE = "reference/certified_constants.c", "reference/certified_decide.c"
FAULTS = [
    ("stage 1 bound zero", KERNELS, "magnitude(z) * (8 * u) + magnitude(v) * (3 * u)",
     "magnitude(z) * 0 + magnitude(v) * 0"),
    ("stage 1 bound without its share of z", KERNELS, "magnitude(z) * (8 * u) +",
     "magnitude(z) * 0 +"),
    ("stage 1 without the low part of S1", KERNELS, "vd a = d - c->s1m;", "vd a = d;"),
    ("bf16 midpoints taken as safe", KERNELS, "*unsure |= (bits & 0xffff) == 0x8000;", ""),
    ("f16 subnormals taken as safe", KERNELS, "| ((a < 0x38800000) & (a != 0))", ""),
    ("stage 2 bound zero", KERNELS,
     "return 66 * 0x1p-106 * fabs(zh) + 2 * 0x1p-106 * fabs(*high);", "return 0 * fabs(zh);"),
    ("stage 2 without the low part of A", KERNELS, "ah = two_sum(h, l, &al);",
     "ah = two_sum(h, 0, &al);"),
    ("stage 2 without the rest of S1", KERNELS, "h = two_sum(dh, -c->sc, &l);",
     "h = two_sum(dh, 0, &l);"),
    ("stage 2 without the low part of 1/sqrt(Q)", KERNELS, "ql += ah * c->rl + al * c->rh;",
     "ql += al * c->rh;"),
    ("stage 2 without the low part of the product", KERNELS, "kl += tl * gamma;", ""),
    ("squares lose their lower part", KERNELS, "q2 += q - upper;", "q2 += (q - upper) * 0;"),
    ("chunks too wide for one sum", "reference/vector_ops.h", "UG_NARROW = 20", "UG_NARROW = 30"),
    ("chunks too wide for three sums", "reference/vector_ops.h", "UG_MEDIUM = 43",
     "UG_MEDIUM = 60"),
    ("no rounding to odd", ELEMENTS, "if (rest == 0) return sum;", "return sum;\n(void)rest;"),
    ("last stage skipped", ELEMENTS, "if (least != most) {", "if (least > most + 2) {"),
    ("exact zero keeps a rounding error", ELEMENTS, "if (zero) {", "if (zero > 1) {"),
    ("deep cancellation keeps the double-double", ELEMENTS,
     "!(error <= s->c.ulp_share * fabs(*high) || error <= s->c.ulp_least)) {", "0) {"),
    ("values near 0 without a sign", ELEMENTS, "!(error < fabs(*high)) ||", "0 ||"),
    ("ties away from zero", DECIDE, "(c == 0 && (low & 1))", "(c == 0)"),
    ("zero loses its sign", DECIDE, "return c < 0 ? f->sign : 0;", "return 0;"),
    ("head too coarse", CONSTANTS, "share[out] * (1 - 0x1p-20)", "share[out] * 0x1p20"),
    ("1/sqrt(Q) without its correction", "reference/double_double.c",
     "r * (0.5 * e + 0.375 * e * e)", "r * (0.5 * e) * (1 + 0x1p-30)"),
    ("S2 off by one unit", "reference/fast_sum.c",
     "to_integer(sums->s2, w.q, SQUARE_DIGITS);",
     "to_integer(sums->s2, w.q, SQUARE_DIGITS);\n    mpz_add_ui(sums->s2, sums->s2, 1);"),
    ("Q off by one unit", "reference/row.c", "mpz_set(row->q, row->spread);",
     "mpz_add_ui(row->q, row->spread, 1);"),
]
TARGETS = ["test_reference_truth", "test_reference_bound", "test_reference_nist",
           "test_reference_agree", "test_reference_hard", "reference_driver"]


def run(command, log):
    return subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, check=False).returncode


def build_and_test(build, log):
    """0: all tests pass; 1: a test fails; 2: it does not build."""
    jobs = str(os.cpu_count() or 1)
    if run(["cmake", "--build", build, "-j", jobs, "--target"] + TARGETS, log):
        return 2
    return 1 if run(["ctest", "--test-dir", build, "-L", "^reference$", "-E", "mutants",
                     "--stop-on-failure", "-j", jobs], log) else 0


def configure(source, folder, log):
    if folder.exists():
        shutil.rmtree(folder)
    skip = shutil.ignore_patterns("build", "build-*", ".git")
    shutil.copytree(source, folder / "source", ignore=skip)
    environment = dict(os.environ, CUDACXX="none")
    subprocess.run(["cmake", "-S", folder / "source", "-B", folder / "build"], stdout=log,
                   stderr=log, check=True, env=environment)


def plant(path, old, new):
    text = path.read_text()
    if text.count(old) != 1:
        sys.exit(f"{path.name}: the text to replace occurs {text.count(old)} times: {old}")
    path.write_text(text.replace(old, new))
    return text


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    source, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    chosen = [f for f in FAULTS if len(sys.argv) == 3 or f[0] in sys.argv[3:]]
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.parent / (folder.name + ".log"), "w", encoding="utf-8") as log:
        configure(source, folder, log)
        build = str(folder / "build")
        if build_and_test(build, log):
            sys.exit(f"the plain copy fails; see {log.name}")
        survivors = 0
        for name, file, old, new in chosen:
            path = folder / "source" / file
            text = plant(path, old, new)
            outcome = build_and_test(build, log)
            path.write_text(text)
            survivors += outcome != 1
            print(["SURVIVED", "caught", "DOES NOT BUILD"][outcome], name, sep="  ", flush=True)
    print(f"{len(chosen)} faults, {survivors} not caught")
    sys.exit(survivors != 0)


if __name__ == "__main__":
    main()

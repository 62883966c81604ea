#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes cases/normal_table.inc: nodes of the normal inverse distribution function as integers."""
from statistics import NormalDist

OCTAVES, STEPS, SCALE = 32, 16, 1 << 27


def main():
    normal = NormalDist()
    nodes = []
    for octave in range(OCTAVES - 1, -1, -1):
        for step in range(STEPS):
            nodes.append(2.0 ** -(octave + 2) * (1 + step / STEPS))
    nodes.append(0.5)
    values = [round(-normal.inv_cdf(p) * SCALE) for p in nodes]
    print("/* SPDX-License-Identifier: Apache-2.0 */")
    print("/* Written by tools/make-normal-table.py: z(p) = -Phi^-1(p) in units of 2^-27 at")
    print(" * p = 2^-33 (1 + j/16), j = 0..15, then the next octave, up to p = 1/2. */")
    for i in range(0, len(values), 8):
        print("    " + " ".join(f"{v}," for v in values[i:i + 8]))


main()

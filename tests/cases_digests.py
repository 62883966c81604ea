#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recomputes the digests of tests/cases_digests.inc from the description of the generators alone:
Philox in Python's integers, the normal map from statistics.NormalDist, rounding by struct."""
import re
import struct
import sys
from functools import lru_cache
from statistics import NormalDist

MASK32, MASK64 = 2 ** 32 - 1, 2 ** 64 - 1


def philox(counter, key):
    a, b, c, d = counter
    k, m = key
    for _ in range(10):
        p, q = 0xD2511F53 * a, 0xCD9E8D57 * c
        a, b, c, d = (q >> 32) ^ b ^ k, q & MASK32, (p >> 32) ^ d ^ m, p & MASK32
        k, m = (k + 0x9E3779B9) & MASK32, (m + 0xBB67AE85) & MASK32
    return a, b, c, d


def words(seed, stream, row, index):
    counter = (index & MASK32, index >> 32 | stream << 16, row & MASK32, row >> 32)
    return philox(counter, (seed & MASK32, seed >> 32))


def unit(w):
    return ((w[0] << 32 | w[1]) >> 11) * 2.0 ** -53


@lru_cache(None)
def node(octave, step):
    return round(-NormalDist().inv_cdf(2.0 ** -(octave + 2) * (1 + step / 16)) * 2 ** 27)


def normal(w):
    bits = w[0] << 32 | w[1]
    m = bits >> 1
    octave = 63 - m.bit_length()
    if octave > 31:
        z = node(31, 0)
    else:
        m <<= octave + 1
        step, share = m >> 59 & 15, m >> 35 & 0xFFFFFF
        z = node(octave, step)
        z -= (z - node(octave, step + 1)) * share >> 24
    return (z if bits & 1 else -z) * 2.0 ** -27


def uniform(seed, row, i, n, lo=0.0, hi=1.0):
    return lo + (hi - lo) * unit(words(seed, 0, row, i))


def gaussian(seed, row, i, n, mean=0.0, std=1.0, vary=0.0):
    scale, offset = 1.0, 0.0
    if vary:
        w = words(seed, 8, row, 0)
        scale, offset = 2.0 ** (w[0] % 13 - 6), (w[1] >> 8) * 2.0 ** -21 - 4
    return (mean + std * normal(words(seed, 0, row, i))) * scale + offset


def heavy(seed, row, i, n, mean=0.0, scale=1.0, cap=12.0):
    w, g = words(seed, 0, row, i), 0
    while g < cap and not w[2] >> g & 1:
        g += 1
    return mean + scale * (normal(w) * 2.0 ** g)


def spiky(seed, row, i, n, share=0.0, height=100.0, std=1.0, mean=0.0):
    r, w = words(seed, 8, row, 0), words(seed, 0, row, i)
    if i == (r[0] << 32 | r[1]) % n or w[2] * 2.0 ** -32 < share:
        return mean + (height if w[3] & 1 else -height)
    return mean + std * normal(w)


def integers(seed, row, i, n, lo=-8.0, hi=8.0):
    w = words(seed, 0, row, i)
    return lo + (w[0] << 32 | w[1]) % (int(hi - lo) + 1)


DATA = {"normal": gaussian, "uniform": uniform, "heavy": heavy, "spiky": spiky,
        "integers": integers}
PARAM = {("gamma", "random"): lambda w: 0.5 + unit(w), ("beta", "random"): lambda w: -1 + 2 * unit(w),
         ("gamma", "negative"): lambda w: -0.5 - unit(w)}


def float_bits(value, dtype):
    """Bits of the value rounded once to f32 or f16, as a float."""
    if dtype == "f16":
        value = struct.unpack("<e", struct.pack("<e", value))[0]
    return struct.unpack("<I", struct.pack("<f", value))[0]


def digest(line):
    """The digest, or None where this script does not know a generator."""
    keys = dict(word.split("=", 1) for word in line.split()[1:])
    name, _, inside = keys.get("data", "normal").partition("(")
    params = [(key, keys.get(key, "random")) for key in ("gamma", "beta")]
    dtype = keys.get("dtype", "f32")
    if name not in DATA or dtype == "bf16" or any(p not in PARAM for p in params):
        return None
    arguments = {k: float(v) for k, v in re.findall(r"(\w+)=([^,)]+)", inside)}
    seed, n, value = int(keys.get("seed", 0)), int(keys["n"]), 0xCBF29CE484222325
    for row in range(int(keys["rows"])):
        for i in range(n):
            bits = float_bits(DATA[name](seed, row, i, n, **arguments), dtype)
            value = (value ^ bits) * 0x100000001B3 & MASK64
    for stream, param in enumerate(params, 1):
        for i in range(n):
            bits = float_bits(PARAM[param](words(seed, stream, 0, i)), keys.get("wdtype", "f32"))
            value = (value ^ bits) * 0x100000001B3 & MASK64
    return value


def main():
    checked = wrong = 0
    for line, want in re.findall(r'\{"([^"]+)", (0x[0-9a-f]+)\}', open(sys.argv[1]).read()):
        got = digest(line)
        if got is None:
            continue
        checked += 1
        if got != int(want, 16):
            wrong += 1
            print(f"{line}: {got:#018x} here, {want} in the list")
    print(f"{checked} digests recomputed, {wrong} differ")
    return 0 if checked >= 6 and not wrong else 1


sys.exit(main())

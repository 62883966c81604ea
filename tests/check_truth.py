#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the exact answer with rational arithmetic: no floating point, no root, no MPFR.

    check_truth.py DRIVER [ROWS [SEED [IMPLEMENTATION...]]]

y = P / sqrt(Q) + beta with rational P and Q is compared with any rational number by comparing
squares, so a rounding is checked against the midpoints to its neighbours. Head + tail, and every
statistic, are checked in the same way: by comparing a number a little below and a little above with
the exact value.
"""
import random
import struct
import subprocess
import sys
from fractions import Fraction as F

FORMATS = [(24, -149, 0x7F800000, 0x7FC00000), (11, -24, 0x7C00, 0x7E00), (8, -133, 0x7F80, 0x7FC0)]
CLASSES = ["regular", "nonfinite", "degenerate", "range"]
LIMIT_HIGH, LIMIT_LOW = F(2) ** 126, F(2) ** -122


def f32(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def bits32(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def near32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def f64(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def value_of(fmt, bits):
    """The number behind a non-negative pattern; the infinity counts as the next power of two."""
    precision, quantum = fmt[0], fmt[1]
    field, k = bits >> (precision - 1), bits & ((1 << (precision - 1)) - 1)
    if field == 0:
        return F(k) * F(2) ** quantum
    return F(k + (1 << (precision - 1))) * F(2) ** (quantum + field - 1)


def compare(p, q, b):
    """Sign of p / sqrt(q) - b."""
    if (p > 0) - (p < 0) != (b > 0) - (b < 0):
        return 1 if p > b else -1
    s = p * p - b * b * q
    s = (s > 0) - (s < 0)
    return s if p >= 0 else -s


def is_rounding(fmt, p, q, beta, bits):
    """Whether bits are the correct rounding of p / sqrt(q) + beta, and the spacing there (or None).

    That is so when the value lies between the midpoints to both neighbours; on a midpoint the even
    pattern wins. An exact zero is +0, a value that underflows keeps its sign.
    """
    sign_bit = 0x80000000 if fmt[0] == 24 else 0x8000
    if bits & sign_bit:
        negative = compare(p, q, -beta) < 0
        ok, ulp = is_rounding(fmt, -p, q, -beta, bits & ~sign_bit)
        return negative and ok, ulp
    ok, value = compare(p, q, -beta) >= 0, value_of(fmt, bits)
    even, ulp = bits % 2 == 0, None
    if bits < fmt[2]:
        above = value_of(fmt, bits + 1)
        ulp = above - value
        side = compare(p, q, (value + above) / 2 - beta)
        ok = ok and (side < 0 or (side == 0 and even))
    if bits > 0:
        side = compare(p, q, (value + value_of(fmt, bits - 1)) / 2 - beta)
        ok = ok and (side > 0 or (side == 0 and even))
    return ok and bits <= fmt[2], ulp


def power(rng, low, high):
    return near32(rng.choice([-1, 1]) * (1 + rng.random()) * 2.0 ** rng.randint(low, high))


def make_row(rng, family):
    """x, gamma, beta, eps of one row."""
    n = rng.randint(2, 24)
    gamma = [near32(1 + 0.25 * rng.gauss(0, 1)) for _ in range(n)]
    beta = [near32(0.5 * rng.gauss(0, 1)) for _ in range(n)]
    eps = rng.choice([0.0, near32(1e-5), near32(1e-12)])
    if family == "offset":
        mean = 10 ** rng.uniform(2, 8)
        x = [near32(mean + rng.gauss(0, 1)) for _ in range(n)]
    elif family == "wide":
        x, gamma, beta = ([power(rng, -140, 126) for _ in range(n)] for _ in range(3))
    elif family == "two-valued":
        a, b = power(rng, -20, 20), power(rng, -20, 20)
        n = rng.choice([2, 5, 10, 13, 17, 25, 41])
        ones = {2: 1, 5: 1, 10: 1, 13: 4, 17: 1, 25: 9, 41: 16}[n]
        x = [a] * ones + [b] * (n - ones)
        gamma = [float(rng.randint(1, 1 << 24)) for _ in range(n)]
        beta = [float(rng.randint(-(1 << 24), 1 << 24)) for _ in range(n)]
        eps = 0.0
    elif family == "constant":
        x, eps = [power(rng, -120, 120)] * n, near32(1e-5)
    elif family == "subnormal":
        x = [f32(rng.getrandbits(23) | rng.getrandbits(1) << 31) for _ in range(n)]
    elif family == "small output":
        x = [near32(rng.gauss(0, 1)) for _ in range(n)]
        low = rng.choice([-26, -135, -150])
        gamma = [power(rng, max(low, -148), low + 9) for _ in range(n)]
        beta = [0.0] * n
    elif family == "large output":
        x = [near32(rng.gauss(0, 1)) for _ in range(n)]
        top = rng.choice([15, 127])
        gamma, beta = ([power(rng, top - 2, top) for _ in range(n)] for _ in range(2))
    elif family == "near the mean":
        c = power(rng, 20, 60)
        n += 4
        x = [c] * n
        x[0], x[1] = 2 * c, power(rng, -100, -20)
        gamma = [power(rng, -3, 3) for _ in range(n)]
        beta = [rng.choice([0.0, power(rng, -149, -30)]) for _ in range(n)]
    elif family == "non-finite":
        x = [near32(rng.gauss(0, 1)) for _ in range(n)]
        x[rng.randrange(n)] = rng.choice([float("nan"), float("inf"), float("-inf")])
    else:
        x = [near32(10 * rng.gauss(0, 1)) for _ in range(n)]
    return x, gamma, beta, eps


FAMILIES = ["gaussian", "offset", "wide", "two-valued", "constant", "subnormal", "small output",
         "large output", "near the mean", "cancelling", "non-finite"]


class Driver:
    def __init__(self, path):
        pipe = subprocess.PIPE
        self.child = subprocess.Popen([path], stdin=pipe, stdout=pipe, text=True)

    def ask(self, name, dtype, x, gamma, beta, eps, kind):
        words = [f"{bits32(v):x}" for v in x + gamma + beta]
        self.child.stdin.write(f"{name} {dtype} {kind[0]} {kind[1]} {len(x)} {bits32(eps):x} ")
        self.child.stdin.write(" ".join(words) + "\n")
        self.child.stdin.flush()
        words = self.child.stdout.readline().split()
        if not words:
            sys.exit("the driver ended early")
        stats = [f64(int(w, 16)) for w in words[1:9]]
        want = [int(w, 16) for w in words[9::3]]
        head = [f64(int(w, 16)) for w in words[10::3]]
        tail = [f64(int(w, 16)) for w in words[11::3]]
        return CLASSES[int(words[0])], stats, want, head, tail


def check_root(value, square):
    """value is sqrt(square) within 2^-52 of it."""
    low, high = F(value) * (1 - F(2) ** -52), F(value) * (1 + F(2) ** -52)
    return low * low <= square <= high * high


def check_stats(stats, n, repeats, x, s1, s2, q):
    mean, var, rstd, kappa, abs_mean, mean_sq, x_max, dev_max = stats
    v = s2 / n - (s1 / n) ** 2
    ok = mean == float(s1 / n) and var == float(v) and mean_sq == float(s2 / n)
    ok = ok and abs_mean == float(sum(map(abs, x)) * repeats / n) and x_max == float(max(map(abs, x)))
    dev = max(abs(t - s1 / n) for t in x)
    ok = ok and dev <= F(dev_max) <= dev * (1 + F(2) ** -52)
    ok = ok and check_root(rstd, n * n / q)
    if v:
        return ok and check_root(kappa, s2 / n / v)
    return ok and kappa == (float("inf") if s1 else 1.0)


def check_row(answer, dtype, x, gamma, beta, eps, kind):
    """A list of complaints about one answer."""
    cls, stats, want, head, tail = answer
    fmt = FORMATS[dtype]
    n = len(x) * kind[1]
    if any(t != t or abs(t) == float("inf") for t in x):
        ok = cls == "nonfinite" and all(w == fmt[3] for w in want) and all(h != h for h in head)
        return [] if ok else [f"class {cls} of a non-finite row, or a number in it"]
    exact = [F(t) for t in x]
    s1, s2 = (0 if kind[0] else sum(exact) * kind[1]), sum(t * t for t in exact) * kind[1]
    q = n * s2 - s1 * s1 + F(eps) * n * n
    if q == 0:
        return [] if cls == "degenerate" else [f"class {cls} of a degenerate row"]
    regular = s2 < LIMIT_HIGH and q >= LIMIT_LOW * n * n
    bad = [] if cls == ("regular" if regular else "range") else [f"class {cls}"]
    if not check_stats(stats, n, kind[1], exact, s1, s2, q):
        bad.append(f"statistics {stats}")
    for i in range(len(x)):
        p, b = F(gamma[i]) * (n * exact[i] - s1), F(beta[i])
        ok, ulp = is_rounding(fmt, p, q, b, want[i])
        if not ok:
            bad.append(f"element {i}: {want[i]:x} is not the rounding")
        y = F(head[i]) + F(tail[i])
        if ulp is None:  # beyond the largest number the spacing goes on growing with the value
            ulp = abs(y) * F(2) ** -fmt[0]
        slack = ulp * F(2) ** -20
        if compare(p, q, y - slack - b) < 0 or compare(p, q, y + slack - b) > 0:
            bad.append(f"element {i}: head {head[i].hex()} tail {tail[i].hex()}")
    return bad


def main():
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 1650
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    names = sys.argv[4:] or ["mpfr", "certified"]
    rng, driver = random.Random(seed), Driver(sys.argv[1])
    elements = failures = 0
    for r in range(rows):
        family, dtype = FAMILIES[r % len(FAMILIES)], r // len(FAMILIES) % 3
        x, gamma, beta, eps = make_row(rng, family)
        # the mean is subtracted or not (RMSNorm), the elements stand for a row of up to 2^32 or not
        long_row = rng.choice([2**28, 2**29 - 1, 2**29, 2**31, 2**32 - 1]) // len(x)
        kind = (int(rng.random() < 0.25), long_row if rng.random() < 0.1 else 1)
        if family == "cancelling":
            want = driver.ask("mpfr", 0, x, gamma, [0.0] * len(x), eps, kind)[2]
            beta = [-f32(w) for w in want]
            if any(b != b for b in beta):
                beta = [0.0] * len(x)
        for name in names:
            answer = driver.ask(name, dtype, x, gamma, beta, eps, kind)
            bad = check_row(answer, dtype, x, gamma, beta, eps, kind)
            elements += len(x)
            failures += len(bad)
            for text in bad[:3]:
                print(f"{name} row {r} ({family}, {kind}, dtype {dtype}, seed {seed}): {text}")
    print(f"{rows} rows, {elements} elements, {failures} failures")
    sys.exit(failures != 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The program that a profiler watches: launches kernels once each, every launch after a copy that empties the cache.

usage: launch.py --plugin libulpgate_cuda.so --plan PLAN.json

PLAN.json: [{"kernel": "cuda:vec4/sum2", "block": 0, "dtype": "f32", "rows": 4096, "n": 1024}, ...]. The copy is the
plugin's ug_copy16 over 512 MB: it also parts the launches in the profiler's list. Exit 77: no device.
"""
import argparse
import array
import json
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "peers"))
import abi  # noqa: E402

FLUSH, PIECE = 512 << 20, 1 << 16


def bits(dtype):
    """PIECE elements of N(3, 7) as bytes of the dtype, repeated to fill x: the time does not depend on them."""
    values = array.array("f", (random.gauss(3, 7) for _ in range(PIECE)))
    if dtype == "f32":
        return values.tobytes()
    if dtype == "bf16":
        words = array.array("I", values.tobytes())
        return array.array("H", (word >> 16 for word in words)).tobytes()
    import struct
    return struct.pack(f"<{PIECE}e", *values)


class Case:
    """x, y, gamma and beta of one shape; kept for all kernels of that shape."""

    def __init__(self, plugin, item):
        self.dtype, self.rows, self.n = item["dtype"], item["rows"], item["n"]
        size = self.rows * self.n * abi.SIZES[self.dtype]
        self.x, self.y = plugin.alloc(size), plugin.alloc(size)
        piece = bits(self.dtype)
        data = (piece * (size // len(piece) + 1))[:size]
        plugin.upload(self.x, data)
        row = data[:self.n * abi.SIZES[self.dtype]]
        self.gamma, self.beta = plugin.alloc(len(row)), plugin.alloc(len(row))
        plugin.upload(self.gamma, row)
        plugin.upload(self.beta, row)

    def args(self, block):
        x, y = (abi.view(data, self.rows, self.n, self.dtype) for data in (self.x, self.y))
        return abi.args(x, y, self.gamma, self.beta, self.dtype, block=block)


def main(argv):
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--plan", required=True)
    options = parser.parse_args(argv)
    plugin = abi.Plugin(options.plugin)
    if plugin.devices() < 1:
        print("launch.py: no device", file=sys.stderr)
        return 77
    random.seed(1)
    there, cases, room, room_bytes = (plugin.alloc(FLUSH), plugin.alloc(FLUSH)), {}, None, 0
    for item in json.loads(pathlib.Path(options.plan).read_text(encoding="utf-8")):
        key = item["dtype"], item["rows"], item["n"]
        if key not in cases:
            cases[key] = Case(plugin, item)
        a, kernel = cases[key].args(item.get("block", 0)), plugin.kernels[item["kernel"]]
        size = abi.workspace_size(kernel, a)
        if size > room_bytes:
            room, room_bytes = plugin.alloc(size), size
        a.workspace, a.workspace_bytes = (room, size) if size else (None, 0)
        plugin.copy(1, there[1], there[0], FLUSH, None)
        try:
            abi.launch(kernel, a)
        except abi.Failed as error:  # the profiler's list then has nothing after this copy
            print(f"launch.py: {item['kernel']}: {error}", file=sys.stderr)
        plugin.synchronize()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

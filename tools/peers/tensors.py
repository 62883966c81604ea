# SPDX-License-Identifier: Apache-2.0
"""Reads and writes .safetensors files as bytes; uses the standard library alone."""
import json
import os
import struct

NAMES = {"F32": "f32", "F16": "f16", "BF16": "bf16"}
FORMAT = {ours: theirs for theirs, ours in NAMES.items()}


def read(path):
    """({name: (dtype, shape, bytes)}, metadata)"""
    with open(path, "rb") as file:
        length, = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = file.read()
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        first, last = entry["data_offsets"]
        tensors[name] = (NAMES[entry["dtype"]], entry["shape"], data[first:last])
    return tensors, metadata


def write(path, tensors, metadata):
    """tensors: {name: (dtype, shape, bytes)}. The file is there whole or not at all."""
    header, at = {"__metadata__": metadata}, 0
    for name, (dtype, shape, data) in tensors.items():
        header[name] = {"dtype": FORMAT[dtype], "shape": list(shape), "data_offsets": [at, at + len(data)]}
        at += len(data)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    partial = f"{path}.{os.getpid()}"
    with open(partial, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, _, data in tensors.values():
            file.write(data)
    os.replace(partial, path)

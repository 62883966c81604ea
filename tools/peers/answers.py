#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lets the peers answer recorded inputs, so that ulpgate can judge their answers.

usage: answers.py FOLDER [--peers NAME,NAME] [--device cuda|cpu]

FOLDER/inputs/*.safetensors were written by the kernel `peers:record` of libulpgate_replay.so; answers go to
FOLDER/outputs/PEER/, from where the same plugin gives them back to the judge. What a peer does not take has no answer
and is declined there; each reason is printed once. Exit 0: at least one answer; 2: usage; 77: no input or no peer.
"""
import argparse
import pathlib
import struct
import sys

import frameworks
import tensors


def tensor(torch, entry, device):
    dtype, shape, data = entry
    kind = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}[dtype]
    return torch.frombuffer(bytearray(data), dtype=torch.uint8).view(kind).reshape(shape).to(device)


def to_bytes(torch, y):
    return y.detach().contiguous().cpu().view(torch.uint8).numpy().tobytes()


def answer(torch, make, inputs, metadata, device, bare):
    x = tensor(torch, inputs["x"], device)
    gamma, beta = (tensor(torch, inputs[k], device) if k in inputs else None for k in ("gamma", "beta"))
    eps, = struct.unpack("<f", struct.pack("<I", int(metadata["eps"], 16)))
    if bare and beta is not None:
        raise ValueError("takes no beta")
    with torch.no_grad():
        y = make(x, gamma, beta, eps)(x)
    if y.shape != x.shape or y.dtype != x.dtype:
        raise ValueError(f"answers {tuple(y.shape)} of {y.dtype}, expected {tuple(x.shape)} of {x.dtype}")
    return inputs["x"][0], inputs["x"][1], to_bytes(torch, y)


def main(argv):
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--peers", default=",".join(frameworks.PEERS))
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args(argv)
    files = sorted((options.folder / "inputs").glob("*.safetensors"))
    try:
        import torch
    except ModuleNotFoundError:
        print("answers.py: PyTorch is not installed", file=sys.stderr)
        return 77
    peers, missing = frameworks.importable(options.peers.split(","))
    for name, why in missing.items():
        print(f"answers.py: {name} is missing: {why}")
    told, count = set(), 0
    for name, make in peers.items():
        folder = options.folder / "outputs" / name
        folder.mkdir(parents=True, exist_ok=True)
        answered = 0
        for file in files:
            inputs, metadata = tensors.read(file)
            try:
                y = answer(torch, make, inputs, metadata, options.device, name in frameworks.WITHOUT_BETA)
            except Exception as error:  # named once a peer and reason
                reason = f"{type(error).__name__}: {error}".splitlines()[0][:160]
                if (name, reason) not in told:
                    print(f"answers.py: {name} does not take {file.name}: {reason}")
                told.add((name, reason))
                continue
            tensors.write(folder / file.name, {"y": y}, {})
            answered += 1
        print(f"answers.py: {name} answered {answered} of {len(files)} inputs")
        count += answered
    return 0 if count else 77


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

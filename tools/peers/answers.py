#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lets the peers answer exported cases, so that ulpgate can judge their answers.

usage: answers.py FOLDER [--peers NAME,NAME] [--device cuda|cpu]

FOLDER comes from `ulpgate export`; answers go to FOLDER/outputs/PEER, where `ulpgate check FOLDER` judges them. What a
peer does not take is declined there; each reason is printed once. Exit 0: at least one answer; 2: usage; 77: no peer,
or no answer.
"""
import argparse
import collections
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python"))
import frameworks  # noqa: E402
import ulpgate_torch  # noqa: E402


def callable_of(make, bare):
    """A peer as a callable of ulpgate_torch. What it does not take, a framework says by exceptions of any kind."""
    def fn(x, shape, weight, bias, eps):
        if bare and bias is not None:
            raise ulpgate_torch.Declined("takes no beta")
        try:
            return make(x, weight, bias, eps)(x)
        except Exception as error:
            raise ulpgate_torch.Declined(f"{type(error).__name__}: {error}".splitlines()[0][:160]) from error
    return fn


def reasons(folder, name):
    """What the peer said of cases that it did not take: {text: how often}"""
    files = sorted((folder / "outputs" / name).glob("*.json"))
    said = (json.loads(file.read_text(encoding="utf-8")) for file in files)
    return collections.Counter(s["message"] for s in said if s.get("status") in ("declined", "failed"))


def main(argv):
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--peers", default=",".join(frameworks.PEERS))
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args(argv)
    if not (options.folder / "manifest.json").is_file():
        parser.error(f"{options.folder} holds no manifest.json; `ulpgate export SUITE -o {options.folder}` writes it")
    try:
        import torch  # noqa: F401
    except ModuleNotFoundError:
        print("answers.py: PyTorch is not installed", file=sys.stderr)
        return ulpgate_torch.NOTHING
    peers, missing = frameworks.importable(options.peers.split(","))
    for name, why in missing.items():
        print(f"answers.py: {name} is missing: {why}")
    answered = 0
    for name, make in peers.items():
        fn = callable_of(make, name in frameworks.WITHOUT_BETA)
        counts = ulpgate_torch.answer(options.folder, fn, name, options.device)
        for text, often in reasons(options.folder, name).items():
            print(f"answers.py: {name} does not take {often} cases: {text}")
        print(f"answers.py: {name} answered {counts['ok']} of {sum(counts.values())} cases")
        answered += counts["ok"]
    return 0 if answered else ulpgate_torch.NOTHING


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

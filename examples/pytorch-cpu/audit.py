#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""torch.nn.functional.layer_norm on the CPU, weight and bias in float beside narrow x too."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import torch_example  # noqa: E402


def make():
    """F.layer_norm as it is: its signature is the one that audit() calls."""
    from torch.nn.functional import layer_norm
    return layer_norm


if __name__ == "__main__":
    sys.exit(torch_example.main(make, "torch-cpu"))

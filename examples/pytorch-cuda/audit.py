#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""torch.nn.functional.layer_norm on a GPU, which takes weight and bias in the type of x alone."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import torch_example  # noqa: E402


def make():
    """F.layer_norm as it is; every case gets weight and bias in the type of x."""
    from torch.nn.functional import layer_norm
    return layer_norm


if __name__ == "__main__":
    sys.exit(torch_example.main(make, "torch-cuda", device="cuda", wide_params=False))

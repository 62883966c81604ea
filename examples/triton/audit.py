#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The kernel of layer_norm.py beside this file, which needs both weight and bias and says so."""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
import torch_example  # noqa: E402


def make():
    """Declares the two-pass variance, in float and rounded once."""
    from layer_norm import layer_norm

    def fn(x, normalized_shape, weight, bias, eps):
        if weight is None or bias is None:
            raise torch_example.ulpgate_torch.Declined("needs weight and bias")
        return layer_norm(x, weight, bias, eps)
    return fn


if __name__ == "__main__":
    sys.exit(torch_example.main(make, "triton-tutorial", ("triton",), device="cuda",
                                declares={"variance": "twopass"}))

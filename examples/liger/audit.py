#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""LigerLayerNorm's forward pass, a Triton kernel out of a library of kernels for training."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import torch_example  # noqa: E402


def make():
    """Takes rows of up to 65536 elements, weight and bias."""
    from liger_kernel.ops.layer_norm import layer_norm_forward

    def fn(x, normalized_shape, weight, bias, eps):
        if weight is None or bias is None:
            raise torch_example.ulpgate_torch.Declined("needs weight and bias")
        if x.shape[-1] > 65536:
            raise torch_example.ulpgate_torch.Declined("needs n of at most 65536")
        return layer_norm_forward(x, weight, bias, eps)[0]
    return fn


if __name__ == "__main__":
    sys.exit(torch_example.main(make, "liger", ("liger_kernel",), device="cuda"))

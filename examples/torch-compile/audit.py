#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""F.layer_norm under torch.compile: the code that Inductor writes for each shape."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import torch_example  # noqa: E402


def make():
    """Compiles anew for each shape and type, as a model of fixed shape would be."""
    import torch
    compiled = {}

    def fn(x, normalized_shape, weight, bias, eps):
        key = (x.shape, x.dtype, weight is None, bias is None)
        if key not in compiled:
            # Past a limit of recompilations dynamo runs a function uncompiled and says nothing: none may be left over.
            torch._dynamo.reset()
            compiled.clear()
            compiled[key] = torch.compile(torch.nn.functional.layer_norm, dynamic=False, fullgraph=True)
        return compiled[key](x, normalized_shape, weight, bias, eps)
    return fn


if __name__ == "__main__":
    sys.exit(torch_example.main(make, "torch-compile", device="cuda", suite="checklist", wide_params=False))

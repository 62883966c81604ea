# SPDX-License-Identifier: Apache-2.0
"""The peers: each makes, for given parameters, a function from x to y, or says why it cannot.

A peer is asked with make(x, gamma, beta, eps): x is an example, gamma and beta are tensors or None. It raises on what
it does not support; its name is then reported with the reason.
"""
import importlib


def torch_layer_norm(x, gamma, beta, eps):
    import torch.nn.functional as functional
    n = x.shape[-1:]
    return lambda x: functional.layer_norm(x, n, gamma, beta, eps)


def torch_compile(x, gamma, beta, eps):
    import torch
    import torch.nn.functional as functional
    n = x.shape[-1:]
    torch._dynamo.reset()  # or the ninth shape of the same function would run uncompiled
    return torch.compile(lambda x: functional.layer_norm(x, n, gamma, beta, eps), dynamic=False)


def triton_rows(x, gamma, beta, eps):
    import triton_layer_norm
    return lambda x: triton_layer_norm.forward(x, gamma, beta, eps)


def liger(x, gamma, beta, eps):
    from liger_kernel.ops.layer_norm import layer_norm_forward
    if gamma is None or beta is None:
        raise ValueError("needs gamma and beta")
    return lambda x: layer_norm_forward(x, gamma, beta, eps)[0]


def quack(x, gamma, beta, eps):
    """QuACK's LayerNorm has float weights and no beta: it is asked without beta, and its name says so."""
    if gamma is None:
        raise ValueError("needs gamma")
    weight = gamma.float()
    try:
        forward = importlib.import_module("quack.layernorm").layernorm
    except ModuleNotFoundError:
        forward = importlib.import_module("quack.rmsnorm").layernorm_fwd
    return lambda x: forward(x, weight, eps=eps)


def flashinfer(x, gamma, beta, eps):
    from flashinfer.norm import layernorm
    if gamma is None or beta is None:
        raise ValueError("needs gamma and beta")
    wide = gamma.float(), beta.float()
    return lambda x: layernorm(x, wide[0], wide[1], eps)


def apex_fused(x, gamma, beta, eps):
    module = importlib.import_module("fused_layer_norm_cuda")
    return lambda x: module.forward_affine(x, x.shape[-1:], gamma, beta, eps)[0]


def apex_fast(x, gamma, beta, eps):
    module = importlib.import_module("fast_layer_norm")
    return lambda x: module.ln_fwd(x, gamma, beta, eps)[0]


def transformer_engine(x, gamma, beta, eps):
    import torch
    from transformer_engine.pytorch import LayerNorm
    if gamma is None or beta is None:
        raise ValueError("needs gamma and beta")
    module = LayerNorm(x.shape[-1], eps=eps, params_dtype=gamma.dtype, device=x.device)
    with torch.no_grad():
        module.weight.copy_(gamma)
        module.bias.copy_(beta)
    return lambda x: module(x)


PEERS = {"torch": torch_layer_norm, "compile": torch_compile, "triton": triton_rows, "liger": liger,
         "quack-nobeta": quack, "flashinfer": flashinfer, "apex-fused": apex_fused, "apex-fast": apex_fast,
         "te": transformer_engine}
# What has to be importable; for the others it is torch alone.
MODULES = {"triton": "triton", "compile": "triton", "liger": "liger_kernel", "quack-nobeta": "quack",
           "flashinfer": "flashinfer", "apex-fused": "fused_layer_norm_cuda", "apex-fast": "fast_layer_norm",
           "te": "transformer_engine"}
WITHOUT_BETA = {"quack-nobeta"}


def importable(names):
    """({name: make}, {name: why not})"""
    there, missing = {}, {}
    for name in names:
        try:
            importlib.import_module(MODULES.get(name, "torch"))
            there[name] = PEERS[name]
        except Exception as error:  # a broken package must not hide the others
            missing[name] = f"{type(error).__name__}: {error}".splitlines()[0]
    return there, missing

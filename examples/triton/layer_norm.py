# SPDX-License-Identifier: Apache-2.0
"""A LayerNorm in Triton as a tutorial has it: one program a row, which is read in blocks three times."""
import torch
import triton
import triton.language as tl


@triton.jit
def layer_norm_rows(x_ptr, y_ptr, w_ptr, b_ptr, mean_ptr, rstd_ptr, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_ptr += row.to(tl.int64) * n  # rows times n may pass 2^31
    y_ptr += row.to(tl.int64) * n
    lanes = tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + lanes
        acc += tl.load(x_ptr + cols, mask=cols < n, other=0.0).to(tl.float32)
    mean = tl.sum(acc, axis=0) / n
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + lanes
        x = tl.load(x_ptr + cols, mask=cols < n, other=0.0).to(tl.float32)
        centred = tl.where(cols < n, x - mean, 0.0)  # the masked lanes hold -mean otherwise
        acc += centred * centred
    rstd = 1.0 / tl.sqrt(tl.sum(acc, axis=0) / n + eps)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)
    for start in range(0, n, BLOCK):
        cols = start + lanes
        x = tl.load(x_ptr + cols, mask=cols < n, other=0.0).to(tl.float32)
        w = tl.load(w_ptr + cols, mask=cols < n, other=0.0).to(tl.float32)
        b = tl.load(b_ptr + cols, mask=cols < n, other=0.0).to(tl.float32)
        tl.store(y_ptr + cols, ((x - mean) * rstd * w + b).to(y_ptr.dtype.element_ty), mask=cols < n)


def layer_norm(x, weight, bias, eps):
    """(y, mean, rstd) of the rows of a contiguous matrix."""
    rows, n = x.shape
    y = torch.empty_like(x)
    mean, rstd = (torch.empty(rows, dtype=torch.float32, device=x.device) for _ in range(2))
    if rows:
        block = min(triton.next_power_of_2(n), 4096)
        layer_norm_rows[(rows,)](x, y, weight, bias, mean, rstd, n, eps, BLOCK=block, num_warps=8)
    return y, mean, rstd

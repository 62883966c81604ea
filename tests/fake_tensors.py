# SPDX-License-Identifier: Apache-2.0
"""As much of PyTorch as tools/python/ulpgate_torch.py uses, on bytes: for the test of its flow without PyTorch."""
import contextlib
import ctypes
import math
import struct

float32, float16, bfloat16 = "torch.float32", "torch.float16", "torch.bfloat16"
__version__ = "fake"
no_grad = contextlib.nullcontext


class Tensor:
    def __init__(self, shape, dtype):
        self.shape, self.dtype = tuple(shape), dtype
        self.memory = ctypes.create_string_buffer(self.numel() * self.element_size() + 1)

    def numel(self):
        return math.prod(self.shape)

    def element_size(self):
        return 4 if self.dtype == float32 else 2

    def data_ptr(self):
        return ctypes.addressof(self.memory)

    def to(self, where):
        if where not in (float32, float16, bfloat16) or where == self.dtype:
            return self
        return tensor(self.tolist(), self.shape, where)

    def detach(self):
        return self

    contiguous = cpu = detach

    def tolist(self):
        raw = self.memory.raw[:-1]
        if self.dtype == bfloat16:
            raw = b"".join(b"\0\0" + raw[i:i + 2] for i in range(0, len(raw), 2))
        return list(struct.unpack(f"<{self.numel()}{'e' if self.dtype == float16 else 'f'}", raw))

    def rows(self):
        values, n = self.tolist(), self.shape[-1]
        return [values[r * n:(r + 1) * n] for r in range(self.shape[0])]

    def fill(self, values):
        """Rounded to nearest even by struct; bf16 by hand."""
        if self.dtype == bfloat16:
            bits = [struct.unpack("<I", struct.pack("<f", v))[0] for v in values]
            raw = b"".join(struct.pack("<H", b + 0x7fff + (b >> 16 & 1) >> 16 & 0xffff) for b in bits)
        else:
            raw = struct.pack(f"<{len(values)}{'e' if self.dtype == float16 else 'f'}", *values)
        ctypes.memmove(self.memory, raw, len(raw))


def tensor(values, shape, dtype):
    t = Tensor(shape, dtype)
    t.fill(list(values))
    return t


def empty(shape, dtype=float32):
    return Tensor(shape, dtype)

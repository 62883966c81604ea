# SPDX-License-Identifier: Apache-2.0
"""As much of PyTorch as tools/peers/peers.py uses, on host memory and with a clock that is known: the test of its flow
where there is no GPU. A replay takes 10 us for each call that its graph holds."""
import contextlib
import ctypes
import math
import random
import types

float32, float16, bfloat16, uint8 = "f32", "f16", "bf16", "u8"
__version__ = "fake"
CALL_US = 10.0


class Tensor:
    """A matrix or vector of floats in aligned memory."""

    def __init__(self, values, shape):
        self.shape = tuple(shape)
        self.memory = ctypes.create_string_buffer(4 * len(values) + 256)
        self.address = (ctypes.addressof(self.memory) + 255) // 256 * 256
        self.data = (ctypes.c_float * len(values)).from_address(self.address)
        self.data[:] = values

    def rows(self):
        return [list(self.data[i:i + self.shape[-1]]) for i in range(0, len(self.data), self.shape[-1])]

    def _with(self, other, operation):
        if not isinstance(other, Tensor):
            return Tensor([operation(v, other) for v in self.data], self.shape)
        wide = [other.data[i if len(other.data) == len(self.data) else
                           i // self.shape[-1] if other.shape[-1] == 1 else i % self.shape[-1]]
                for i in range(len(self.data))]
        return Tensor([operation(a, b) for a, b in zip(self.data, wide)], self.shape)

    def __add__(self, other):
        return self._with(other, lambda a, b: a + b)

    def __sub__(self, other):
        return self._with(other, lambda a, b: a - b)

    def __mul__(self, other):
        return self._with(other, lambda a, b: a * b)

    def __truediv__(self, other):
        return self._with(other, lambda a, b: a / b)

    def __getitem__(self, rows):
        kept = self.rows()[rows]
        return Tensor([v for row in kept for v in row], (len(kept), self.shape[-1]))

    def mean(self, dim, keepdim):
        return Tensor([math.fsum(row) / len(row) for row in self.rows()], (self.shape[0], 1))

    def max(self):
        return Tensor([max(self.data)], (1,))

    def abs(self):
        return Tensor([abs(v) for v in self.data], self.shape)

    def all(self):
        return all(self.data)

    def item(self):
        return self.data[0]

    def double(self):
        return self

    def clone(self):
        return Tensor(list(self.data), self.shape)

    def to(self, kind):
        assert kind == float32
        return self

    def copy_(self, other):
        self.data[:] = list(other.data)

    def data_ptr(self):
        return self.address

    def numel(self):
        return len(self.data)

    def element_size(self):
        return 4


def randn(rows, n, device):
    return Tensor([random.gauss(0, 1) for _ in range(rows * n)], (rows, n))


def rand(n, device):
    return Tensor([random.random() for _ in range(n)], (n,))


def empty(count, dtype=None, device=None):
    return Tensor([0.0] * (count // 4 + 1), (count // 4 + 1,))


def empty_like(other):
    return Tensor([math.nan] * len(other.data), other.shape)


def sqrt(t):
    return Tensor([math.sqrt(v) for v in t.data], t.shape)


def isfinite(t):
    return Tensor([math.isfinite(v) for v in t.data], t.shape)


def manual_seed(seed):
    random.seed(seed)


no_grad = contextlib.nullcontext


class Graph:
    def __init__(self):
        self.calls = 0

    def replay(self):
        clock[0] += (self.calls * CALL_US or 1.0) / 1e3  # what is no call to here takes 1 us in all


clock = [0.0]  # milliseconds
recording = [None]


def called():
    """A framework's function was called: a recording graph counts it."""
    if recording[0]:
        recording[0].calls += 1


@contextlib.contextmanager
def _graph(graph, capture_error_mode):
    recording[0] = graph
    yield
    recording[0] = None


class _Event:
    def __init__(self, enable_timing):
        self.at = None

    def record(self):
        self.at = clock[0]

    def elapsed_time(self, later):
        return later.at - self.at


cuda = types.SimpleNamespace(
    is_available=lambda: True, Stream=lambda: None, stream=lambda stream: contextlib.nullcontext(),
    current_stream=lambda: types.SimpleNamespace(cuda_stream=0), synchronize=lambda: None, empty_cache=lambda: None,
    CUDAGraph=Graph, graph=_graph, Event=_Event, _sleep=lambda cycles: None)

# SPDX-License-Identifier: Apache-2.0
"""include/ulpgate/kernel.h for ctypes: loads a plugin and launches its kernels. Uses the standard library alone.

The structs repeat the header field by field; a plugin says how large its own are, and a plugin of another size is
refused rather than misread.
"""
import ctypes as c

ABI = 1
OK, DECLINED, FAILED = range(3)
DTYPES = {"f32": 0, "f16": 1, "bf16": 2}
SIZES = {"f32": 4, "f16": 2, "bf16": 2}
NO_TIMES = 2


class View(c.Structure):
    _fields_ = [("data", c.c_void_p), ("rows", c.c_int64), ("cols", c.c_int64), ("row_stride", c.c_int64),
                ("col_stride", c.c_int64), ("dtype", c.c_int)]


class Geometry(c.Structure):
    _fields_ = [("threads", c.c_int64), ("chain", c.c_int64), ("levels", c.c_int64)]


class Args(c.Structure):
    _fields_ = [("size", c.c_uint32), ("op", c.c_int), ("x", View), ("y", View), ("gamma", c.c_void_p),
                ("beta", c.c_void_p), ("param_dtype", c.c_int), ("eps", c.c_float), ("mean", c.c_void_p),
                ("rstd", c.c_void_p), ("workspace", c.c_void_p), ("workspace_bytes", c.c_size_t),
                ("stream", c.c_void_p), ("profile", c.c_void_p), ("variation", c.c_uint32), ("threads", c.c_uint32),
                ("path", c.c_char_p), ("message", c.c_char * 256), ("block", c.c_int64)]


LAUNCH = c.CFUNCTYPE(c.c_int, c.POINTER(Args))
WORKSPACE = c.CFUNCTYPE(c.c_size_t, c.POINTER(Args))
GEOMETRY = c.CFUNCTYPE(None, c.POINTER(Args), c.POINTER(Geometry))


class Kernel(c.Structure):
    _fields_ = [("size", c.c_uint32), ("name", c.c_char_p), ("summary", c.c_char_p), ("variance", c.c_int),
                ("rounding", c.c_int), ("depends", c.c_int), ("promise", c.c_int), ("repeatable", c.c_int),
                ("ops", c.c_uint32), ("dtypes", c.c_uint32), ("supports", c.c_uint32), ("rsqrt_error", c.c_double),
                ("paths", c.c_void_p), ("workspace_size", WORKSPACE), ("geometry", GEOMETRY), ("launch", LAUNCH)]


COPY_NAME = c.CFUNCTYPE(c.c_char_p, c.c_int)
COPY = c.CFUNCTYPE(c.c_int, c.c_int, c.c_void_p, c.c_void_p, c.c_size_t, c.c_void_p, c.c_char_p, c.c_size_t)


class Timing(c.Structure):
    _fields_ = [("size", c.c_uint32), ("cache_bytes", c.CFUNCTYPE(c.c_size_t)), ("stream_make", c.c_void_p),
                ("stream_free", c.c_void_p), ("capture", c.c_void_p), ("captured", c.c_void_p),
                ("graph_free", c.c_void_p), ("replay", c.c_void_p), ("copy_name", COPY_NAME), ("copy", COPY)]


ALLOC = c.CFUNCTYPE(c.c_void_p, c.c_size_t, c.c_char_p, c.c_size_t)
MOVE = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_void_p, c.c_size_t, c.c_char_p, c.c_size_t)
WAIT = c.CFUNCTYPE(c.c_int, c.c_char_p, c.c_size_t)


class Space(c.Structure):
    _fields_ = [("size", c.c_uint32), ("name", c.c_char_p), ("device_count", c.CFUNCTYPE(c.c_int)), ("alloc", ALLOC),
                ("free", c.CFUNCTYPE(None, c.c_void_p)), ("to_device", MOVE), ("to_host", MOVE), ("synchronize", WAIT),
                ("timing", c.POINTER(Timing))]


DESCRIBE = c.CFUNCTYPE(c.c_int, c.c_int, c.POINTER(c.c_char_p), c.POINTER(c.c_char_p))


class PluginTable(c.Structure):
    _fields_ = [("abi", c.c_uint32), ("size", c.c_uint32), ("backend", c.c_char_p), ("flags", c.c_uint32),
                ("describe", DESCRIBE), ("space", c.POINTER(Space)), ("count", c.c_size_t),
                ("kernels", c.POINTER(Kernel))]


class Failed(Exception):
    """A launch that did not happen: declined, or failed; the message says which and why."""


class Plugin:
    """A loaded plugin; kernels by their full name, BACKEND:STRUCTURE/VARIANCE."""

    def __init__(self, path):
        self.library = c.CDLL(str(path))
        self.library.ulpgate_plugin.restype = c.POINTER(PluginTable)
        self.table = self.library.ulpgate_plugin().contents
        if self.table.abi != ABI or self.table.size != c.sizeof(PluginTable):
            raise Failed(f"{path}: ABI {self.table.abi} and a table of {self.table.size} bytes, expected {ABI} and "
                         f"{c.sizeof(PluginTable)}")
        if self.table.count and self.table.kernels[0].size != c.sizeof(Kernel):
            raise Failed(f"{path}: kernels of {self.table.kernels[0].size} bytes, expected {c.sizeof(Kernel)}")
        self.backend = self.table.backend.decode()
        self.kernels = {f"{self.backend}:{k.name.decode()}": k
                        for k in (self.table.kernels[i] for i in range(self.table.count))}
        self.space = self.table.space.contents if self.table.space else None
        whole = self.space is not None and self.space.size >= c.sizeof(Space) and self.space.timing
        self.timing = self.space.timing.contents if whole else None

    def facts(self):
        """What the plugin says about its environment."""
        key, value, found = c.c_char_p(), c.c_char_p(), {}
        while self.table.describe(len(found), c.byref(key), c.byref(value)):
            found[key.value.decode()] = value.value.decode()
        return found

    def devices(self):
        return self.space.device_count() if self.space else 0

    def alloc(self, size):
        """Device memory; nobody frees it before the process ends."""
        message = c.create_string_buffer(256)
        address = self.space.alloc(size, message, len(message))
        if not address:
            raise Failed(message.value.decode())
        return address

    def _call(self, function, *arguments):
        message = c.create_string_buffer(256)
        if function(*arguments, message, len(message)):
            raise Failed(message.value.decode())

    def upload(self, address, data):
        self._call(self.space.to_device, address, data, len(data))

    def synchronize(self):
        self._call(self.space.synchronize)

    def copy(self, way, dst, src, size, stream):
        self._call(self.timing.copy, way, dst, src, size, stream)


def view(data, rows, cols, dtype, stride=None):
    return View(data, rows, cols, cols if stride is None else stride, 1, DTYPES[dtype])


def args(x, y, gamma=None, beta=None, param_dtype="f32", eps=1e-5, stream=None, block=0):
    """The arguments of a launch; x and y are views, everything else addresses or None."""
    return Args(size=c.sizeof(Args), x=x, y=y, gamma=gamma, beta=beta, param_dtype=DTYPES[param_dtype], eps=eps,
                stream=stream, block=block)


def workspace_size(kernel, a):
    return kernel.workspace_size(c.byref(a)) if kernel.workspace_size else 0


def geometry(kernel, a):
    g = Geometry()
    if kernel.geometry:
        kernel.geometry(c.byref(a), c.byref(g))
    return g


def launch(kernel, a):
    """Launches, or raises Failed. Returns the path taken."""
    status = kernel.launch(c.byref(a))
    if status != OK:
        raise Failed(f"{'declined' if status == DECLINED else 'failed'}: {a.message.decode(errors='replace')}")
    return a.path.decode() if a.path else ""

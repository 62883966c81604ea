# SPDX-License-Identifier: Apache-2.0
"""Audits any callable that takes torch tensors, on CPU or CUDA: which cases does it get wrong, and by how much?

    from ulpgate_torch import audit
    records = audit(torch.nn.functional.layer_norm, suite="condition", gate="sound")

The callable is fn(x, normalized_shape, weight, bias, eps) and returns y, or (y, mean, rstd). The cases come from
`ulpgate export` and the verdicts from `ulpgate check`, so that exact answers, metrics, gates and records are those of
any other kernel; docs/exchange.md has the files, docs/python.md the rest. Uses the standard library, and torch from the
moment on that a callable is called.
"""
import contextlib
import ctypes
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

__all__ = ["audit", "answer", "exit_code", "Declined", "UlpgateError", "read_tensors", "write_tensors"]

FROM_FORMAT = {"F32": "f32", "F16": "f16", "BF16": "bf16"}
TO_FORMAT = {ours: theirs for theirs, ours in FROM_FORMAT.items()}
TORCH = {"f32": "float32", "f16": "float16", "bf16": "bfloat16"}
FAILED, NOTHING, ENVIRONMENT = 1, 77, 2


class Declined(Exception):
    """To be raised by a callable for a case that it does not take; the text says which property it lacks."""


class UlpgateError(Exception):
    """ulpgate could not be run, or refused what it was given; the text is its message."""


def read_tensors(path):
    """({name: (dtype, shape, bytes)}, metadata) of a .safetensors file."""
    with open(path, "rb") as file:
        length, = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = file.read()
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        first, last = entry["data_offsets"]
        tensors[name] = (FROM_FORMAT[entry["dtype"]], tuple(entry["shape"]), data[first:last])
    return tensors, metadata


def write_tensors(path, tensors, metadata=None):
    """tensors: {name: (dtype, shape, bytes)}. The file is there whole or not at all."""
    header, at = {"__metadata__": metadata} if metadata else {}, 0
    for name, (dtype, shape, data) in tensors.items():
        header[name] = {"dtype": TO_FORMAT[dtype], "shape": list(shape), "data_offsets": [at, at + len(data)]}
        at += len(data)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    _write(path, b"".join([struct.pack("<Q", len(text)), text, *(data for _, _, data in tensors.values())]))


def _write(path, data):
    partial = pathlib.Path(path).with_name(f".{pathlib.Path(path).name}.{os.getpid()}")
    partial.write_bytes(data)
    os.replace(partial, path)


def _write_json(path, value):
    _write(path, json.dumps(value).encode())


def _to_torch(torch, entry, device):
    dtype, shape, data = entry
    tensor = torch.empty(shape, dtype=getattr(torch, TORCH[dtype]))
    if data:
        ctypes.memmove(tensor.data_ptr(), data, len(data))
    return tensor.to(device)


def _to_bytes(tensor):
    tensor = tensor.detach().contiguous().cpu()
    size = tensor.numel() * tensor.element_size()
    return ctypes.string_at(tensor.data_ptr(), size) if size else b""


def _shown(tensor):
    shape, dtype = getattr(tensor, "shape", None), getattr(tensor, "dtype", None)
    return type(tensor).__name__ if shape is None else f"{tuple(shape)} of {dtype}"


def _one_line(error):
    text = str(error).strip().split("\n")[0]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


class _Call:
    """One case given to the callable: fresh tensors, the outputs as bytes, and what became of the inputs."""

    def __init__(self, torch, fn, inputs, eps, device):
        x, *params = (_to_torch(torch, inputs[k], device) if k in inputs else None for k in ("x", "gamma", "beta"))
        with torch.no_grad():
            found = fn(x, tuple(x.shape[-1:]), *params, eps)
        if str(device).startswith("cuda"):
            torch.cuda.synchronize()  # or an error of this case would show in the next
        y, *stats = found if isinstance(found, (tuple, list)) else (found,)
        if getattr(y, "shape", None) != x.shape or y.dtype != x.dtype:
            raise TypeError(f"answers {_shown(y)}, expected {_shown(x)}")
        dtype, shape, data = inputs["x"]
        self.outputs = {"y": (dtype, shape, _to_bytes(y))}
        rows = [shape[0]]
        if len(stats) == 2 and all(s is not None and s.numel() == rows[0] for s in stats):
            for name, tensor in zip(("mean", "rstd"), stats):
                self.outputs[name] = ("f32", rows, _to_bytes(tensor.to(torch.float32)))
        now = zip(("x", "gamma", "beta"), (x, *params))
        self.changed = [name for name, tensor in now if tensor is not None and _to_bytes(tensor) != inputs[name][2]]


def _differences(first, second):
    """Elements of y with other bits in a second call."""
    dtype, _, a = first["y"]
    size, b = 4 if dtype == "f32" else 2, second["y"][2]
    return sum(a[i:i + size] != b[i:i + size] for i in range(0, len(a), size)) if a != b else 0


def _answer_case(torch, fn, inputs, eps, device, repeat):
    """What ID.json says, and the outputs or None."""
    try:
        call = _Call(torch, fn, inputs, eps, device)
        again = _Call(torch, fn, inputs, eps, device) if repeat else call
    except Declined as why:
        return {"status": "declined", "message": str(why) or "without a reason"}, None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever a kernel does is a record, SystemExit included
        return {"status": "failed", "message": _one_line(error)}, None
    reasons = [f"input {name} was changed by the call" for name in call.changed]
    differ = _differences(call.outputs, again.outputs)
    if differ:
        reasons.append(f"repeat {differ} elements have other bits in a second call")
    return {"status": "ok", "reasons": reasons, "seen": ["inputs", "repeat"] if repeat else ["inputs"]}, call.outputs


def _facts(torch, device):
    facts = {"torch": str(torch.__version__), "device": str(device)}
    with contextlib.suppress(Exception):  # facts are for people: none is worth an audit
        if str(device).startswith("cuda"):
            facts["device"] = f"{device}, {torch.cuda.get_device_name(device)}"
            facts["cuda"] = str(torch.version.cuda)
        else:
            facts["threads"] = str(torch.get_num_threads())
    return facts


def _name_of(fn):
    """A name that ulpgate takes, from what Python calls the callable."""
    parts = [getattr(fn, "__module__", None), getattr(fn, "__qualname__", None) or type(fn).__name__]
    text = ".".join(p for p in parts if p and p != "__main__")
    return "".join(c if c.isascii() and (c.isalnum() or c in "._-+") else "_" for c in text)[-60:].lstrip(".") or "fn"


def answer(folder, fn, name=None, device="cpu", repeat=True, declares=None):
    """Answers an exported folder with fn: writes FOLDER/outputs/NAME. Returns {status: how many cases}."""
    import torch
    folder, name = pathlib.Path(folder), name or _name_of(fn)
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    if manifest["format"] != "safetensors":
        raise UlpgateError(f"{folder}: format {manifest['format']}, expected safetensors")
    out = folder / "outputs" / name
    out.mkdir(parents=True, exist_ok=True)
    _write_json(out / "kernel.json", {"summary": f"{name} through torch", "facts": _facts(torch, device),
                                      **(declares or {})})
    counts = {"ok": 0, "declined": 0, "failed": 0}
    for case in manifest["cases"]:
        inputs, _ = read_tensors(folder / case["inputs"]["x"]["file"])
        said, outputs = _answer_case(torch, fn, inputs, case["eps"], device, repeat)
        if outputs:
            kept = {k: v for k, v in outputs.items() if k in case["outputs"]}
            write_tensors(out / f"{case['id']}.safetensors", kept, {"inputs": case["digest"]})
        _write_json(out / f"{case['id']}.json", said)
        counts[said["status"]] += 1
    return counts


def _find_ulpgate(path):
    here = pathlib.Path(__file__).resolve().parents  # of the repository, or of what was installed
    beside = [here[2] / "build" / "bin" / "ulpgate", here[3] / "bin" / "ulpgate"] if len(here) > 3 else []
    for candidate in (path, os.environ.get("ULPGATE"), shutil.which("ulpgate"), *beside):
        if candidate and os.access(candidate, os.X_OK):
            return str(candidate)
    raise UlpgateError("there is no ulpgate on the PATH, in $ULPGATE or in build/bin; pass ulpgate=PATH")


def _run(program, *words):
    """The finished process; what ulpgate cannot do is an UlpgateError."""
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, encoding="utf-8")
    if done.returncode not in (0, FAILED, NOTHING):
        raise UlpgateError(done.stderr.strip() or f"{words[0]} ended with {done.returncode}")
    return done


def _list(value):
    return [value] if isinstance(value, str) else list(value or ())


def _export(program, folder, suite, cases, tier, dtypes, wide_params):
    words = _list(suite) if suite else []
    for line in _list(cases):
        words += ["--case", line]
    words += ["--tier", tier] if tier else []
    words += ["--dtype", ",".join(_list(dtypes))] if dtypes else []
    words += [] if wide_params else ["--no-wide-params"]
    done = _run(program, "export", *words, "-o", folder)
    if done.returncode:
        raise UlpgateError(done.stderr.strip())
    return done.stderr


def audit(fn, suite="condition", gate="sound", device="cpu", dtypes=None, *, cases=None, tier=None, name=None,
          repeat=True, wide_params=True, declares=None, keep=None, out=None, ulpgate=None, quiet=False, format="table"):
    """Gives fn every case of a suite, has ulpgate judge what it answers, prints the report, returns the records.

    fn      fn(x, normalized_shape, weight, bias, eps): y, or (y, mean, rstd); weight and bias may be None. May raise
            Declined; any other exception makes an ERROR of that case.
    suite   a name, a file, or several; None: only `cases`, which are lines such as "layernorm n=1023 rows=4"
    gate    as `ulpgate list gates` has them; None: what the declaration asks for
    dtypes  "f32", "f16", "bf16" or several; None: all that the suite has
    repeat  call twice and compare the bits; wide_params=False: weight and bias in the type of x, never wider
    declares  what kernel.json may hold beside facts: {"variance": "welford"} ...
    keep    folder that stays, new or empty, for inputs, outputs and manifest; out: likewise the results file

    A record is a dict, as docs/results.md describes. Raises UlpgateError where ulpgate cannot do its part.
    """
    program = _find_ulpgate(ulpgate)
    with contextlib.ExitStack() as stack:
        top = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ulpgate-")))
        folder, results = pathlib.Path(keep or top / "exchange"), pathlib.Path(out or top / "results.jsonl")
        said = _export(program, folder, suite, cases, tier, dtypes, wide_params)
        name = name or _name_of(fn)
        answer(folder, fn, name, device, repeat, declares)
        words = ["--gate", gate] if gate else []
        done = _run(program, "check", folder, "--kernel", f"files:{name}", "-o", results, "--format", format, *words)
        if not quiet:
            print(done.stdout, end="")
            print(said + done.stderr, end="", file=sys.stderr)
        with open(results, encoding="utf-8") as file:
            return [record for record in map(json.loads, file) if record["type"] == "result"]


def exit_code(records):
    """As ulpgate has it: 0 all passed, 1 something failed, 77 nothing was tested."""
    verdicts = {record["verdict"] for record in records}
    return FAILED if verdicts - {"PASS", "DECLINED"} else 0 if "PASS" in verdicts else NOTHING

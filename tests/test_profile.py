#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The profiler's CSV as a table. The two files in data/ were written by hand in the documented form of Nsight Compute's
CSV output (a line a metric; a line a kernel), with round figures: they were not taken from a run."""
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
TOOL = HERE.parent / "tools" / "profile" / "profile_kernels.py"
sys.path.insert(0, str(TOOL.parent))
import profile_kernels as tool  # noqa: E402

LONG = (HERE / "data" / "ncu-metrics.csv").read_text(encoding="utf-8")
RAW = (HERE / "data" / "ncu-raw.csv").read_text(encoding="utf-8")
PLAN = [{"kernel": "cuda:split/sum2", "block": 0, "dtype": "f32", "rows": 4096, "n": 1024},
        {"kernel": "cuda:vec4/sum2", "block": 128, "dtype": "bf16", "rows": 2, "n": 8}]


class Profile(unittest.TestCase):
    def test_a_line_a_metric(self):
        found = tool.launches(tool.parse(LONG))
        self.assertEqual([len(k) for k in found], [2, 0])
        self.assertEqual([k["name"].split("<")[0] for k in found[0]], ["void ug_split_stats", "void ug_split_apply"])
        row = tool.summed(found[0])
        self.assertEqual(row["read"], 16777216 + 4.5e6)
        self.assertEqual(row["write"], 32768 + 16e6)
        self.assertEqual(row["time"], 8 + 12)
        self.assertEqual(row["sm"], (30 * 8 + 40 * 12) / 20)
        self.assertEqual(row["l1"], 50 * 12 / 20)
        self.assertEqual(row["registers"], 25)

    def test_a_line_a_kernel(self):
        found = tool.launches(tool.parse(RAW))
        self.assertEqual(len(found), 1)
        self.assertTrue(math.isnan(tool.summed(found[0])["l1"]))  # not asked for in this file
        self.assertEqual(tool.summed(found[0]) | {"dram": 0, "l1": 0, "l2": 0, "warps": 0},
                         {"kernels": 1, "time": 10.5, "registers": 56, "read": 16785408, "write": 16777216, "sm": 33.25,
                          "dram": 0, "l1": 0, "l2": 0, "warps": 0})

    def test_the_table(self):
        rows = tool.table(PLAN, tool.launches(tool.parse(LONG)))
        # 32 MiB of x and y, 8 KiB of gamma and beta, in 20 us
        self.assertEqual(rows[0][:9], ["f32 4096 x 1024", "cuda:split/sum2", "2", "21.28", "16.03", "33.56", "1.112",
                                       "20.00", "1678"])
        self.assertEqual(rows[1][:4], ["bf16 2 x 8", "cuda:vec4@128/sum2", "0", "-"])
        self.assertIn("| cuda:split/sum2 | 2 | 21.28 |", tool.markdown(rows))

    def test_what_does_not_fit(self):
        for text in ("", "==ERROR== no permission\n"):
            with self.assertRaises(ValueError):
                tool.parse(text)
        with self.assertRaises(ValueError):
            tool.table(PLAN[:1], tool.launches(tool.parse(LONG)))
        with self.assertRaises(ValueError):
            tool.parse(LONG.replace("Mbyte", "furlong"))
        with self.assertRaises(ValueError):
            tool.launches(tool.parse(LONG)[1:])
        with self.assertRaises(ValueError):
            tool.table(PLAN, tool.launches(tool.parse(LONG.replace("16,777,216", "n/a"))))

    def test_from_a_kept_log(self):
        with tempfile.TemporaryDirectory() as folder:
            plan, out = pathlib.Path(folder, "plan.json"), pathlib.Path(folder, "t.csv")
            plan.write_text(json.dumps(PLAN), encoding="utf-8")
            done = subprocess.run([sys.executable, str(TOOL), "--read", str(HERE / "data" / "ncu-metrics.csv"),
                                   "--plan", str(plan), "--csv", str(out)], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len(out.read_text(encoding="utf-8").splitlines()), 3)
            self.assertIn("cuda:vec4@128/sum2", done.stdout)
        done = subprocess.run([sys.executable, str(TOOL)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main()

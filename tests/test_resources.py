#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of registers and spills, from a report as nvcc 13.0 writes it (data/ptxas.txt, shortened)."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
TOOL = HERE.parent / "tools" / "resources.py"
sys.path.insert(0, str(TOOL.parent))
import resources  # noqa: E402

REPORT = (HERE / "data" / "ptxas.txt").read_text(encoding="utf-8")


def run(*arguments):
    return subprocess.run([sys.executable, str(TOOL), *map(str, arguments)], capture_output=True, text=True)


class Resources(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.object = pathlib.Path(self.folder.name, "vec4.cu.o")
        pathlib.Path(str(self.object) + ".resources").write_text(REPORT, encoding="utf-8")

    def tearDown(self):
        self.folder.cleanup()

    def test_every_field(self):
        kernels = resources.parse(REPORT, "vec4")
        self.assertEqual([list(k.values()) for k in kernels], [
            ["_Z10ug_vec4rowPf", "vec4", "sm_90", 10, 0, 0, 0, 256, 1],
            ["_Z12ug_best_rowsIfLi64EEvPT_", "vec4", "sm_90", 32, 728, 1116, 656, 0, 1],
            ["_Z7ug_slowPf", "vec4", "sm_90", 18, 4, 8, 32, 0, 0],
            ["_Z7ug_slowPf", "vec4", "sm_80", 20, 0, 0, 0, 0, 0]])

    def test_spills_of_best_fail(self):
        done = run("table", "--no-spill", "best", self.object)
        self.assertEqual(done.returncode, 1)
        self.assertIn("spills 728 bytes out and 1116 back", done.stderr)
        self.assertEqual(done.stderr.count("spills"), 1)

    def test_spills_of_others_pass(self):
        self.assertEqual(run("table", "--no-spill", "vec4row", self.object).returncode, 0)
        self.assertEqual(run("table", self.object).returncode, 0)

    def test_the_source_counts_as_well(self):
        self.assertEqual(run("table", "--no-spill", "vec4$", self.object).returncode, 1)

    def test_architecture_and_csv(self):
        done = run("table", "--arch", "sm_80", "--csv", self.object)
        self.assertEqual(done.stdout.splitlines()[0].split(",")[:4], ["kernel", "source", "arch", "registers"])
        self.assertEqual(len(done.stdout.splitlines()), 2)
        self.assertIn(",sm_80,20,0,0,0,0,0", done.stdout)

    def test_no_report_is_no_pass(self):
        self.assertEqual(run("table", self.folder.name + "/other.cu.o").returncode, 2)
        self.assertEqual(run("table", "--arch", "sm_70", self.object).returncode, 2)

    def test_the_launcher_passes_everything_on(self):
        fake = pathlib.Path(self.folder.name, "fake.py")
        fake.write_text("import sys\nprint('ptxas info    : 0 bytes gmem', file=sys.stderr)\n"
                        "print('x.cu(1): warning: mind', file=sys.stderr)\n"
                        "print(sys.argv[-2:])\nsys.exit(int(sys.argv[1]))\n", encoding="utf-8")
        out = pathlib.Path(self.folder.name, "x.cu.o")
        for code in (0, 3):
            done = run("compile", "--", sys.executable, fake, code, "-c", "x.cu", "-o", out)
            self.assertEqual(done.returncode, code)
            self.assertEqual(done.stderr, "x.cu(1): warning: mind\n")
            self.assertIn("['-Xptxas', '-v']", done.stdout)
        self.assertIn("0 bytes gmem", pathlib.Path(str(out) + ".resources").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`ulpgate merge` gives back what the unsharded run records, and refuses everything else.

usage: check_merge.py ULPGATE PLUGIN OTHER_PLUGIN

The plugins export the same kernels and say that they are for different devices.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

CASES = """layernorm n=33 rows=5
layernorm n=8 rows=3 dtype={f16,bf16}
layernorm n=64 rows=4 data=normal(mean={0,100},std=1)
layernorm n=16 rows=2 special=nan@3
layernorm n=40 rows=2 xstride=48
"""
COUNT = 7
bad = []


def expect(condition, what, text=""):
    if not condition:
        bad.append(f"{what}\n{text}")


class Work:
    def __init__(self, folder, program, plugin):
        self.folder, self.program, self.plugin = pathlib.Path(folder), program, plugin
        self.suite = self.folder / "few.cases"
        self.suite.write_text(CASES)

    def call(self, *arguments):
        done = subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True, check=False,
                              cwd=self.folder)
        return done.returncode, done.stdout, done.stderr

    def run(self, out, *more, plugin=None):
        return self.call("run", "--suite", self.suite, "--kernel", "host:split/*,port:*,openblas:*", "--plugin",
                         plugin or self.plugin, "-q", "--out", out, *more)

    def lines(self, name):
        return (self.folder / name).read_text().splitlines()

    def write(self, name, lines):
        (self.folder / name).write_text("".join(line + "\n" for line in lines))
        return name

    def refuses(self, words, *files):
        """Says why, and leaves no file."""
        code, _, text = self.call("merge", *files, "-o", "refused.jsonl")
        expect(code == 2 and words in text, f"merge {files} exits {code}, expected 2 and '{words}'", text)
        expect(not (self.folder / "refused.jsonl").exists(), f"merge {files} left a file")


def timeless(line):
    record = json.loads(line)
    record.pop("time_us", None)
    return record


def check_same(work, parts):
    """Whatever the order of the files: the records of the unsharded run, and a header and a footer that agree."""
    code, _, text = work.call("merge", *parts, "-o", "merged.jsonl")
    expect(code == 0, f"merge exits {code}", text)
    whole, merged = work.lines("whole.jsonl"), work.lines("merged.jsonl")
    expect([timeless(a) for a in whole[1:-1]] == [timeless(a) for a in merged[1:-1]], "the records differ")
    head, joined = json.loads(whole[0]), json.loads(merged[0])
    for key in ("started", "command", "jobs"):
        head.pop(key), joined.pop(key)
    origins = joined.pop("shards")
    expect(head == joined, "the headers differ", f"{head}\n{joined}")
    expect([o["shard"] for o in origins] == list(range(1, len(parts) + 1)), "shards", origins)
    expect(all(o["host"] == head["host"] and o["seconds"] > 0 for o in origins), "origins", origins)
    foot, end = json.loads(whole[-1]), json.loads(merged[-1])
    expect((foot["results"], foot["verdicts"]) == (end["results"], end["verdicts"]), "the footers differ", end)
    code, text, _ = work.call("merge", *parts)
    expect(code == 0 and text.splitlines()[1:-1] == merged[1:-1], "standard output differs from the file")
    for form in ("text", "csv"):
        expect(work.call("report", "--format", form, "merged.jsonl")[0] == 0, f"no {form} report")


def check_files(work, parts):
    one, rest = parts[0], parts[1:]
    work.refuses("shard 1 of 3 is missing", *rest)
    work.refuses("are both shard 1 of 3", one, one, *rest)
    work.refuses("whole.jsonl is no shard", "whole.jsonl", *parts)
    work.refuses("cannot open nosuch.jsonl", "nosuch.jsonl")
    work.refuses("is no results file", work.suite, *rest)
    before = work.lines(one)
    code, _, text = work.call("merge", *parts, "-o", one)
    expect(code == 2 and "is one of the files" in text and work.lines(one) == before, "an input was written over", text)
    (work.folder / "notes").write_text("mine\n")
    code, _, text = work.call("merge", *parts, "-o", "notes")
    expect(code == 2 and (work.folder / "notes").read_text() == "mine\n", "notes were written over", text)


def check_lines(work, parts):
    """Gaps, doubles and strangers among the records, wherever they are."""
    one, rest, lines = parts[0], parts[1:], work.lines(parts[0])
    kernels = len(json.loads(lines[0])["kernels"])
    for at in range(1, len(lines)):
        work.refuses("interrupted after" if at > 1 else "after 0 of", work.write("cut.jsonl", lines[:at]), *rest)
    for at in range(1, len(lines) - 1):
        work.refuses("expected", work.write("gap.jsonl", lines[:at] + lines[at + 1:]), *rest)
        work.refuses("expected", work.write("double.jsonl", lines[:at + 1] + lines[at:]), *rest)
    group = lines[1:1 + kernels]
    work.refuses("expected", work.write("gap.jsonl", lines[:1] + lines[1 + kernels:]), *rest)
    work.refuses("expected the footer", work.write("double.jsonl", lines[:1] + group + lines[1:]), *rest)
    swapped = lines[:1] + lines[1 + kernels:1 + 2 * kernels] + group + lines[1 + 2 * kernels:]
    work.refuses("not those of the plan", work.write("swapped.jsonl", swapped), *rest)
    work.refuses("line 3 is no JSON object", work.write("odd.jsonl", lines[:2] + ["what"] + lines[3:]), *rest)
    work.refuses("no verdict", work.write("odd.jsonl", [x.replace('"PASS"', '"FINE"') for x in lines]), *rest)
    (work.folder / "cut.jsonl").write_text("\n".join(lines)[:-5])
    work.refuses("interrupted after", "cut.jsonl", *rest)
    expect(one not in ("cut.jsonl", "gap.jsonl"), "the shard itself was touched")


def check_mixtures(work, parts, other_plugin):
    """Anything in a header that makes two runs."""
    one, rest, lines = parts[0], parts[1:], work.lines(parts[0])
    head = json.loads(lines[0])
    for key, value in {"version": "9.9", "git": "abc", "compiler": "cc", "flags": "-O9", "gate": "sound",
                       "profile": "tiny", "reference": "mpfr", "plan": "0" * 16, "kernels": head["kernels"][1:],
                       "backends": head["backends"][1:]}.items():
        work.refuses("are not of one run", work.write("other.jsonl", [json.dumps({**head, key: value})] + lines[1:]),
                     *rest)
    work.refuses("schema 2", work.write("other.jsonl", [json.dumps({**head, "schema": 2})] + lines[1:]), *rest)
    facts = json.loads(lines[0])
    for backend in facts["backends"]:
        backend["facts"].update({"cores": "99", "devices": "8"})
    code, _, text = work.call("merge", work.write("more.jsonl", [json.dumps(facts)] + lines[1:]), *rest)
    expect(code == 0, "the number of cores and devices is no difference", text)
    code, _, text = work.run("device.jsonl", "--shard", "1/3", plugin=other_plugin)
    expect(code == 0, f"the run of the other device exits {code}", text)
    work.refuses("port", "device.jsonl", *rest)
    code, _, text = work.run("gate.jsonl", "--shard", "1/3", "--gate", "ulp=1e9")
    work.refuses("gate", "gate.jsonl", *rest)
    code, _, text = work.run("four.jsonl", "--shard", "1/4")
    work.refuses("shard is", "four.jsonl", *rest)


def check_resume(work, parts):
    lines = work.lines(parts[1])
    work.write("resumed.jsonl", lines[:4])
    code, _, text = work.run("resumed.jsonl", "--shard", "3/3", "--resume")
    expect(code == 2 and "shard is" in text, f"another shard was resumed: {code}", text)
    code, _, text = work.run("resumed.jsonl", "--resume")
    expect(code == 2 and work.lines("resumed.jsonl") == lines[:4], f"the whole run was resumed: {code}", text)
    code, _, text = work.run("resumed.jsonl", "--shard", "2/3", "--resume")
    expect(code == 0, f"resuming a shard exits {code}", text)
    expect([timeless(a) for a in lines[1:-1]] == [timeless(a) for a in work.lines("resumed.jsonl")[1:-1]],
           "the resumed shard differs")


def main():
    with tempfile.TemporaryDirectory() as folder:
        work = Work(folder, sys.argv[1], sys.argv[2])
        code, _, text = work.run("whole.jsonl")
        expect(code == 0, f"the run exits {code}", text)
        for shards in (1, 3, COUNT + 2):
            parts = []
            for k in range(1, shards + 1):
                code, _, text = work.run(f"part{k}.jsonl", "--shard", f"{k}/{shards}")
                expect(code == (0 if k <= COUNT else 77), f"shard {k}/{shards} exits {code}", text)
                if k <= COUNT:
                    parts.append(f"part{k}.jsonl")
            check_same(work, parts[::-1])
        parts = []
        for k in (1, 2, 3):
            work.run(f"of{k}.jsonl", "--shard", f"{k}/3")
            parts.append(f"of{k}.jsonl")
        check_files(work, parts)
        check_lines(work, parts)
        check_mixtures(work, parts, sys.argv[3])
        check_resume(work, parts)
    for what in bad:
        print(f"FAILED: {what}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

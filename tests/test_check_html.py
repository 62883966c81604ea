#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Damages a page in one way at a time; check_html.py must find each.

usage: test_check_html.py PAGE
"""
import contextlib
import io
import pathlib
import re
import sys
import tempfile

import check_html

DAMAGE = {
    "a script from elsewhere": lambda t: t.replace("<script>", '<script src="https://example.org/x.js">', 1),
    "an image": lambda t: t.replace("<main>", '<main><img src="x.png">', 1),
    "a link to elsewhere": lambda t: re.sub(r'href="#r\d+"', 'href="https://example.org"', t, count=1),
    "a link to nowhere": lambda t: re.sub(r'href="#r\d+"', 'href="#nowhere"', t, count=1),
    "a heading too deep": lambda t: t.replace("<h2>Kernels</h2>", "<h4>Kernels</h4>", 1),
    "a second h1": lambda t: t.replace("<h2>Kernels</h2>", "<h1>Kernels</h1>", 1),
    "no scope": lambda t: t.replace('<th scope="col"', "<th", 1),
    "no caption": lambda t: re.sub(r"<caption>.*?</caption>", "", t, count=1),
    "no language": lambda t: t.replace('<html lang="en">', "<html>", 1),
    "a nameless drawing": lambda t: re.sub(r'role="group" aria-label="[^"]*"', 'role="group"', t, count=1),
    "a nameless link": lambda t: re.sub(r'(<a href="#r\d+">)[A-Z]+</a>', r"\1</a>", t, count=1),
    "an id twice": lambda t: t.replace("<h2>Kernels", '<h2 id="m0">Kernels', 1),
    "a colour past the themes": lambda t: t.replace("<h2>Kernels", '<h2 style="color:gray">Kernels', 1),
    "a colour outside :root": lambda t: t.replace(".good{color:var(--good)}", ".good{color:#00ff00}", 1),
    "faint text in the light": lambda t: t.replace("--dim:#545d68", "--dim:#a0a0a0", 1),
    "faint text in the dark": lambda t: t.replace("--dim:#a1abb6", "--dim:#404040", 1),
    "faint marks": lambda t: t.replace("--s1:#b4500b", "--s1:#f0d0b0", 1),
    "an open tag": lambda t: t.replace("</figure>", "", 1),
    "too many marks": lambda t: t.replace("</a>\n</svg>", "</a>" + '<a href="#m0">x</a>' * 301 + "</svg>", 1),
    "too heavy": lambda t: t.replace("</main>", "x" * 1_000_000 + "</main>", 1),
}


def findings(text, folder):
    page = pathlib.Path(folder, "page.html")
    page.write_text(text, encoding="utf-8")
    with contextlib.redirect_stdout(io.StringIO()):
        return not check_html.check(page)


def main():
    text = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        if findings(text, folder):
            print("the page is damaged already")
            return 1
        for name, damage in DAMAGE.items():
            damaged = damage(text)
            if damaged == text or not findings(damaged, folder):
                print(f"{name}: {'could not be made' if damaged == text else 'was not found'}")
                bad += 1
    print(f"{len(DAMAGE)} kinds of damage, {bad} missed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

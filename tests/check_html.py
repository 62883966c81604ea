#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Accessibility and self-containment of an HTML report, without a browser.

usage: check_html.py PAGE... [--plots]    exit 0 when clean, 1 with one line a finding

With --plots every kind of plot must be there, with marks.

Checked: nothing is loaded; tags nest; ids are unique and every link within the page arrives; headings
descend by one; tables have captions, header cells a scope; links and drawings have names; at most 300
marks a drawing; at most 1 MB; colours stand in the two :root blocks only, and every pair of them that
meets has the contrast of WCAG 2.1 (4.5 for text, 3 for marks) in both themes.
"""
import html.parser
import pathlib
import re
import sys

VOID = {"meta", "br", "input", "link", "img", "hr"}
OPTIONAL = {"td", "th", "tr"}
LIMIT, MARKS = 1_000_000, 300
TEXT = [(t, b) for t in ("ink", "dim", "link", "good", "bad") for b in ("paper", "raised", "mark")]
TEXT += [("hi", f"h{i}") for i in range(6)]
GRAPHIC = [(f"s{i}", "paper") for i in range(8)]


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.bad, self.stack, self.ids, self.links, self.headings = [], [], set(), [], []
        self.marks, self.names, self.style, self.table, self.tables = 0, [], "", None, 0

    def say(self, text):
        self.bad.append(f"line {self.getpos()[0]}: {text}")

    def close_optional(self, until):
        while self.stack and self.stack[-1] in OPTIONAL and self.stack[-1] not in until:
            self.stack.pop()

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag in ("td", "th") and self.stack and self.stack[-1] in ("td", "th"):
            self.stack.pop()
        if tag == "tr":
            self.close_optional(())
        for key, value in attrs.items():
            if key in ("src", "srcset", "data", "action", "background") or (value and "javascript:" in value):
                self.say(f"<{tag} {key}=...> loads or runs something")
            if key == "style" or key in ("fill", "stroke", "color", "bgcolor"):
                self.say(f"<{tag} {key}> sets a colour past the themes")
        if "id" in attrs:
            if attrs["id"] in self.ids:
                self.say(f"id {attrs['id']} twice")
            self.ids.add(attrs["id"])
        self.see(tag, attrs)
        if tag not in VOID:
            self.stack.append(tag)

    def see(self, tag, attrs):
        if tag in ("a", "use"):
            href = attrs.get("href", "")
            if not href.startswith("#"):
                self.say(f"<{tag}> leads to '{href}', outside the page")
            self.links.append((href[1:], self.getpos()[0]))
        if re.fullmatch("h[1-6]", tag):
            level = int(tag[1])
            if level > (self.headings[-1] if self.headings else 0) + 1:
                self.say(f"<{tag}> skips a level")
            self.headings.append(level)
        if tag == "table":
            self.tables += 1
            self.table = {"caption": False, "head": False}
        if tag == "caption":
            self.table["caption"] = True
        if tag == "thead":
            self.table["head"] = True
        if tag == "th" and attrs.get("scope") not in ("col", "row"):
            self.say("<th> without a scope")
        if tag == "td" and "thead" in self.stack:
            self.say("<td> in the head of a table")
        if tag == "svg":
            self.marks = 0
            if not attrs.get("aria-label") and attrs.get("aria-hidden") != "true":
                self.say("<svg> without a name")
        if tag == "html" and not attrs.get("lang"):
            self.say("no language")
        if tag == "a":
            self.names.append("")
            self.marks += "svg" in self.stack
        if "tabindex" in attrs and not attrs.get("aria-label"):
            self.say(f"<{tag}> can be focused and has no name")

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if self.stack and self.stack[-1] == tag:
            self.stack.pop()

    def handle_endtag(self, tag):
        self.close_optional((tag,))
        if not self.stack or self.stack[-1] != tag:
            self.say(f"</{tag}> where {self.stack[-1:] or 'nothing'} is open")
            return
        self.stack.pop()
        if tag == "a" and not self.names.pop().strip():
            self.say("a link without a name")
        if tag == "svg" and self.marks > MARKS:
            self.say(f"{self.marks} marks in one drawing, expected at most {MARKS}")
        if tag == "table" and not (self.table["caption"] and self.table["head"]):
            self.say("a table without caption or head")

    def handle_data(self, data):
        if self.names:
            self.names[-1] += data
        if self.stack and self.stack[-1] == "style":
            self.style += data


def luminance(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(a, b):
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def colours(style):
    roots = re.findall(r":root\{([^}]*)\}", style)
    if len(roots) != 2 or "prefers-color-scheme:dark" not in style:
        return None
    light, dark = (dict(re.findall(r"--(\w+):(#[0-9a-f]{6})", root)) for root in roots)
    return {"light": light, "dark": {**light, **dark}}, re.sub(r":root\{[^}]*\}", "", style)


def check_style(style):
    found = colours(style)
    if not found:
        yield "there are no two :root blocks, one a theme"
        return
    themes, rest = found
    if re.search(r"#[0-9a-fA-F]{3,8}\b|rgb|hsl|url\(|@import", rest):
        yield "a colour or an address outside the :root blocks"
    used = set(re.findall(r"var\(--(\w+)\)", rest))
    for name in sorted(used - set(themes["light"])):
        yield f"--{name} is used and not defined"
    for theme, value in themes.items():
        for pairs, least in ((TEXT, 4.5), (GRAPHIC, 3)):
            for a, b in pairs:
                ratio = contrast(value[a], value[b])
                if not ratio >= least:
                    yield f"{theme}: --{a} on --{b} has contrast {ratio:.2f}, expected at least {least}"


def missing_plots(text):
    for head in ("Error against kappa", "Error against N", "Elements by error, f32", "Elements by error, f16",
                 "Elements by error, bf16", "Error against share of copy", "Kernels by families of known faults"):
        found = re.search(rf"<h3>{head}</h3>(.*?)</figure>", text, re.S)
        if not found or '<a href="#' not in found.group(1).split("<figure", 1)[1]:
            yield f"no plot '{head}', or one without marks"


def check(path, plots=False):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    page = Page()
    page.feed(text)
    page.close()
    bad = page.bad + list(check_style(page.style))
    bad += [f"line {line}: #{name} leads nowhere" for name, line in page.links if name not in page.ids]
    if page.stack:
        bad.append(f"never closed: {page.stack}")
    if page.headings[:1] != [1] or page.headings.count(1) != 1:
        bad.append("expected one <h1>, before any other heading")
    if not page.tables:
        bad.append("no table at all")
    if len(text.encode()) > LIMIT:
        bad.append(f"{len(text.encode())} bytes, expected at most {LIMIT}")
    bad += list(missing_plots(text)) if plots else []
    for line in bad:
        print(f"{path}: {line}")
    print(f"{path}: {len(text)} characters, {page.tables} tables, {len(page.links)} links, {len(bad)} findings")
    return not bad


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    pages = [path for path in sys.argv[1:] if path != "--plots"]
    sys.exit(0 if all([check(path, "--plots" in sys.argv) for path in pages]) else 1)

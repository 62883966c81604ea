#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the html and junit reports of a results file with the file itself.

usage: check_report.py RESULTS.jsonl PAGE.html JUNIT.xml    exit 0 when they agree

Everything expected is computed from the results file: counts by verdict, the worst case of every kernel,
the largest error of every plot, the elements of every histogram.
"""
import html
import json
import math
import re
import sys
import xml.etree.ElementTree as ElementTree

BAD = []


def expect(condition, what):
    if not condition:
        BAD.append(what)


def number(value):
    return float(value) if value is not None else math.nan


def read(path):
    with open(path, encoding="utf-8") as lines:
        return [record for record in map(json.loads, lines) if record["type"] == "result"]


def series_of(record):
    return record["kernel"] if record.get("yardstick") else record["variance"]


def kappa_value(record):
    """Error at the element nearest to its bound, in units of 2^-24 of the result, at least of 1."""
    place, metrics = record.get("worst", {}).get("bound"), record.get("metrics", {})
    if not place or "max_bound" not in metrics or "bound_abs" not in record:
        return None
    chain = math.ceil(int(record["params"]["n"]) / record.get("geometry", {}).get("threads", 32))
    if not chain * number(place["kappa"]) <= 2 ** 26:
        return None
    return number(metrics["max_bound"]) * number(record["bound_abs"]) * 2 ** 24 / max(1, abs(number(place["want"])))


def length_value(record):
    metrics = record.get("metrics", {})
    judged = "sound" in record.get("passes", {}) and number(metrics.get("kappa_max")) <= 2
    return number(metrics["max_cond"]) if judged else None


def short(value):
    """Three digits as reports print them."""
    if value == 0 or 0.001 <= abs(value) < 9999.5:
        return f"{value:.4g}" if abs(value) >= 999.5 else f"{value:.3g}"
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def section(page, head):
    found = re.search(rf"<h3>{re.escape(head)}</h3>(.*?)</figure>", page, re.S)
    expect(found, f"there is no plot '{head}'")
    return found.group(1) if found else ""


def check_plot(records, page, head, value):
    text = section(page, head)
    titles = [html.unescape(title) for title in re.findall(r"<title>(.*?)</title>", text)]
    expect(0 < len(titles) <= 300, f"{head}: {len(titles)} marks")
    worst = {}
    for record in records:
        v = value(record)
        if v is not None and (series_of(record) not in worst or v > worst[series_of(record)][0]):
            worst[series_of(record)] = (v, record)
    for series, (v, record) in worst.items():
        expect(any(re.search(rf", {re.escape(short(v))} at ", title) for title in titles),
               f"{head}: no mark of {series} has {short(v)}, the largest error, of {record['case']}")
    expect("class=\"line s0\"" in text, f"{head}: there is no line of bounds")


def check_histograms(records, page):
    for dtype in sorted({record["params"]["dtype"] for record in records if any(record.get("ulp_hist", []))}):
        text = section(page, f"Elements by error, {dtype}")
        bins = {(series_of(record), b) for record in records if record["params"]["dtype"] == dtype
                for b, count in enumerate(record.get("ulp_hist", [])) if count}
        marks = len(re.findall("<use ", text.split("</ul>")[1]))
        expect(marks == len(bins), f"{dtype}: {marks} marks, {len(bins)} bins are not empty")


def share_of_sound(record):
    chain = math.ceil(int(record["params"]["n"]) / record.get("geometry", {}).get("threads", 32))
    return number(record["metrics"]["max_cond"]) / (8 + chain / 4)


def check_heat_map(records, page):
    """A row for every kernel whose worst shares differ from those of all kernels before it."""
    worst, rows = {}, []
    for record in records:
        if record.get("family") and "sound" in record.get("passes", {}):
            cells = worst.setdefault(record["kernel"], {})
            if share_of_sound(record) > cells.get(record["family"], (-1, ""))[0]:
                cells[record["family"]] = (share_of_sound(record), record["case"])
    for cells in worst.values():
        if cells not in rows:
            rows.append(cells)
    text = section(page, "Kernels by families of known faults")
    found = [html.unescape(cell) for cell in re.findall(r'class="cell"[^>]*>([^<]*)<', text)]
    expected = [short(cells[family][0]) for cells in rows for family in sorted(cells)]
    expect(sorted(found) == sorted(expected), f"heat map: {len(found)} cells, expected {len(expected)}")


def check_page(records, page):
    counted = [record for record in records if not record.get("yardstick")]
    head = re.search("<h1>(.*?)</h1>", page).group(1)
    for verdict in {record["verdict"] for record in counted}:
        count = sum(record["verdict"] == verdict for record in counted)
        expect(re.search(rf"\b{count} {verdict}\b", head), f"'{head}' does not say {count} {verdict}")
    tables = page.split("<h2>Plots</h2>")[0]
    for kernel in {record["kernel"] for record in records}:
        row = re.search(rf'<tr><th scope="row">{re.escape(kernel)}( \*)?</th>.*?</tr>', tables, re.S)
        expect(row, f"{kernel} has no row")
        expect(row and re.search(r'href="#r\d+".*?<code>ulpgate run --case ', row.group(0), re.S),
               f"the row of {kernel} has no worst case with its command")
    check_heat_map(records, page)
    check_plot(records, page, "Error against kappa", kappa_value)
    check_plot(records, page, "Error against N", length_value)
    check_histograms(records, page)


def check_junit(records, path):
    root = ElementTree.parse(path).getroot()
    cases = root.findall("testsuite/testcase")
    expect(len(cases) == len(records), f"{len(cases)} testcases, {len(records)} results")
    by_name = {(record["kernel"], record["case"]): record for record in records}
    for case in cases:
        record = by_name.get((case.get("classname"), case.get("name")))
        if not record:
            expect(False, f"testcase {case.get('name')} is no result")
            continue
        values = {p.get("name"): p.get("value") for p in case.findall("properties/property")}
        for metric, value in record.get("metrics", {}).items():
            expect(float(values.get(metric, "nan")) == float(value) or math.isnan(float(value)),
                   f"{record['case']}: {metric} is {values.get(metric)}, expected {value}")
        failure = case.find("failure")
        failed = record["verdict"] == "FAIL" and not record.get("yardstick")
        expect((failure is not None) == failed, f"{record['case']} {record['kernel']}: failure or not")
        if failure is not None:
            expect(record["case"] in failure.get("message") and failure.get("message").startswith("ulpgate run"),
                   f"the message '{failure.get('message')}' does not repeat {record['case']}")
    failures = sum(r["verdict"] == "FAIL" and not r.get("yardstick") for r in records)
    expect(int(root.get("failures")) == failures, f"{root.get('failures')} failures, expected {failures}")
    for suite in root.findall("testsuite"):
        expect(int(suite.get("tests")) == len(suite.findall("testcase")), f"tests of {suite.get('name')}")


def main():
    records = read(sys.argv[1])
    expect(records, "the results file is empty")
    with open(sys.argv[2], encoding="utf-8") as page:
        check_page(records, page.read())
    check_junit(records, sys.argv[3])
    for line in BAD[:20]:
        print(line)
    print(f"{len(records)} results, {len(BAD)} findings")
    return 1 if BAD else 0


if __name__ == "__main__":
    sys.exit(main())

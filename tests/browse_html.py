#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens an HTML report in headless Chromium: both themes, desk and phone width, scripts on and off.

usage: browse_html.py PAGE [FOLDER]    exit 0 clean, 1 with findings, 77 when there is no Chromium

The page is put into frames of one wrapper, which measures what the browser made of it: width against
window, contrast of every visible text from computed styles, size of every drawing, errors; and it sorts
and filters a table. With FOLDER, a screenshot of each frame is kept there.
"""
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# width, scripts: the frames of one wrapper
FRAMES = [(1280, True), (390, True), (1280, False), (390, False)]
WRAPPER = r"""<!DOCTYPE html><html style="color-scheme:light dark"><meta charset="utf-8"><body><pre id="probe"></pre>
<script>
const page=PAGE,frames=FRAMES,seen=[];
const lum=c=>{const v=c.match(/[\d.]+/g).slice(0,3).map(x=>{x/=255;return x<=.04045?x/12.92:((x+.055)/1.055)**2.4});
  return .2126*v[0]+.7152*v[1]+.0722*v[2]};
function measure(w,scripts,problems){
  const d=w.document,style=e=>w.getComputedStyle(e);
  const ground=e=>{for(;e;e=e.parentElement){const b=style(e).backgroundColor;
    if(!/, 0\)$/.test(b)&&b!=="transparent")return b}return "rgb(0,0,0)"};
  const out={window:w.innerWidth,page:d.documentElement.scrollWidth,problems,scripts,contrast:99,of:"",texts:0,
    dark:w.matchMedia("(prefers-color-scheme: dark)").matches,buttons:d.querySelectorAll("th button").length,
    drawings:[...d.querySelectorAll("figure svg[role]")].map(s=>s.getBoundingClientRect().width)};
  for(const e of d.querySelectorAll("body *")){
    if(![...e.childNodes].some(n=>n.nodeType===3&&n.data.trim()))continue;
    if(/^(script|style|title)$/i.test(e.tagName))continue;
    const s=style(e),svg="viewportElement" in e,before=e.previousElementSibling;
    const under=svg&&before&&before.tagName==="rect"?style(before).fill:ground(e);
    const a=lum(svg?s.fill:s.color),b=lum(under),r=(Math.max(a,b)+.05)/(Math.min(a,b)+.05);
    out.texts++;
    if(!(r>=out.contrast)){out.contrast=r;out.of=e.tagName+" "+e.textContent.slice(0,40)}
  }
  const table=d.querySelector("table"),button=table.querySelector("th button");
  if(button){const first=()=>table.tBodies[0].rows[0].cells[0].textContent;
    button.click();const down=first();button.click();out.sorted=[down,first()];
    const input=d.querySelector("input[type=search]");
    if(input){input.value="sum2";input.dispatchEvent(new w.Event("input"));
      const below=input.parentNode.nextElementSibling.querySelector("table");
      out.shown=[...below.tBodies[0].rows].filter(r=>!r.hidden).map(r=>r.cells[0].textContent)}}
  return out}
for(const [width,scripts] of frames){
  const f=document.createElement("iframe"),problems=[];
  if(!scripts)f.sandbox="allow-same-origin";f.width=width;f.height=900;
  f.onload=()=>{f.contentWindow.addEventListener("error",e=>problems.push(String(e.message)));
    seen.push(measure(f.contentWindow,scripts,problems));
    document.getElementById("probe").textContent=JSON.stringify(seen)};
  f.srcdoc=page;document.body.append(f)}
</script></body></html>
"""


def chromium():
    for name in ("chromium", "chromium-browser", "google-chrome", "chrome"):
        if shutil.which(name):
            return shutil.which(name)
    return None


def browse(program, page, dark, *options):
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(
            [program, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", "--hide-scrollbars",
             "--enable-logging=stderr", f"--blink-settings=preferredColorScheme={0 if dark else 1}", *options,
             page.as_uri()], capture_output=True, text=True, timeout=300, check=False)
    # What a frame without scripts says about the script that it holds back is no fault.
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line and "is sandboxed" not in line]


def judge(seen, dark):
    name = f"{'dark' if dark else 'light'} {seen['window']} scripts {'on' if seen['scripts'] else 'off'}"
    print(f"{name}: page {seen['page']}, contrast {seen['contrast']:.2f} ({seen['of']}), {seen['texts']} texts, "
          f"{len(seen['drawings'])} drawings, sorted {seen.get('sorted')}")
    for problem in seen["problems"]:
        yield f"{name}: {problem}"
    if seen["page"] > seen["window"]:
        yield f"{name}: the page is {seen['page']} wide, the window {seen['window']}"
    if not seen["contrast"] >= 4.5 or seen["texts"] < 50:
        yield f"{name}: contrast {seen['contrast']:.2f} of {seen['of']}, {seen['texts']} texts"
    if seen["dark"] != dark:
        yield f"{name}: the theme was not set"
    if not seen["drawings"] or min(seen["drawings"]) < 100:
        yield f"{name}: drawings are {seen['drawings']} wide"
    if not seen["scripts"]:
        if seen["buttons"]:
            yield f"{name}: a script ran"
        return
    if not seen["buttons"] or not seen["sorted"][0] > seen["sorted"][1]:
        yield f"{name}: the table does not sort: {seen.get('sorted')}"
    if "shown" in seen and (not seen["shown"] or any("sum2" not in kernel for kernel in seen["shown"])):
        yield f"{name}: the filter leaves {seen['shown']}"


def findings(program, page, work, dark):
    wrapper = pathlib.Path(work, "wrapper.html")
    text = json.dumps(page.read_text(encoding="utf-8")).replace("<", "\\u003c")
    wrapper.write_text(WRAPPER.replace("PAGE", text, 1).replace("FRAMES", json.dumps(FRAMES), 1))
    dom, errors = browse(program, wrapper, dark, "--virtual-time-budget=60000", "--dump-dom")
    found = re.search(r'<pre id="probe">(.*?)</pre>', dom, re.S)
    seen = json.loads(html.unescape(found.group(1))) if found and found.group(1) else []
    yield from errors
    if len(seen) != len(FRAMES):
        yield f"{len(seen)} of {len(FRAMES)} frames were measured"
    for frame in seen:
        yield from judge(frame, dark)


def keep_shots(program, page, folder, work, dark):
    for width, height in ((1280, 900), (390, 844), (1280, 5000)):
        frame = pathlib.Path(work, "frame.html")
        frame.write_text(f'<html style="color-scheme:light dark"><body style="margin:0"><iframe src="{page.as_uri()}" '
                         f'style="border:0" width="{width}" height="{height}"></iframe>')
        shot = folder / f"{'dark' if dark else 'light'}-{width}x{height}.png"
        browse(program, frame, dark, f"--window-size={width},{height}", f"--screenshot={shot}")


def main():
    program, page = chromium(), pathlib.Path(sys.argv[1]).resolve()
    if not program:
        print("there is no Chromium here")
        return 77
    bad = []
    with tempfile.TemporaryDirectory() as work:
        for dark in (False, True):
            bad += findings(program, page, work, dark)
            if len(sys.argv) > 2:
                keep_shots(program, page, pathlib.Path(sys.argv[2]).resolve(), work, dark)
    for line in bad:
        print(line)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

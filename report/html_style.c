/* SPDX-License-Identifier: Apache-2.0 */
/* Style and script of the HTML page. Every colour is named in the two :root blocks and nowhere
 * else, so that contrast can be computed for both themes (tests/check_html.py). */
#include "report/html.h"
#include "report/words.h"

static const char *const light =
    ":root{color-scheme:light dark;--paper:#ffffff;--raised:#f3f5f7;--ink:#1b1f24;--dim:#545d68;"
    "--line:#cfd6dd;--link:#0b57c2;--good:#12662f;--bad:#b3201a;--mark:#fff3c4;"
    "--s0:#0b62c4;--s1:#b4500b;--s2:#0d7f5f;--s3:#9a2fa0;--s4:#c0262d;--s5:#6b6f00;--s6:#00788a;"
    "--s7:#6b7280;--hi:#1b1f24;--h0:#e6f2ea;--h1:#c4e3cf;--h2:#f6ecc0;--h3:#f8cda2;--h4:#f2a892;"
    "--h5:#e98a80}\n";

static const char *const dark =
    "@media (prefers-color-scheme:dark){:root{--paper:#14181d;--raised:#1e242b;--ink:#e6edf3;"
    "--dim:#a1abb6;--line:#39424d;--link:#79b8ff;--good:#6fd08c;--bad:#ff8f87;--mark:#423a12;"
    "--s0:#6db3ff;--s1:#ffa05c;--s2:#4fd1a5;--s3:#e08be6;--s4:#ff8a80;--s5:#d3d34f;--s6:#4fd3e6;"
    "--s7:#a3aab5;--hi:#e6edf3;--h0:#16291d;--h1:#1c4029;--h2:#453f13;--h3:#5e3a12;--h4:#74301c;"
    "--h5:#8b2620}}\n";

static const char *const rules =
    "*{box-sizing:border-box}"
    "html{scroll-padding-top:1rem}"
    "body{margin:0 auto;max-width:100rem;padding:0 1rem 4rem;"
    "font:1rem/1.45 system-ui,-apple-system,\"Segoe UI\",Roboto,sans-serif;"
    "background:var(--paper);color:var(--ink)}"
    "h1{font-size:1.5rem;margin:1rem 0 .5rem}h2{font-size:1.2rem;margin:2rem 0 .5rem}"
    "h3{font-size:1rem;margin:1.5rem 0 .25rem}p{margin:.4rem 0;max-width:60rem}"
    ".where{max-width:none}"
    "a{color:var(--link)}code{font:.85em ui-monospace,Consolas,Menlo,monospace}"
    ".good{color:var(--good)}.bad{color:var(--bad);font-weight:600}.dim{color:var(--dim)}"
    ".bold{font-weight:600}.note{border-left:.25rem solid var(--bad);padding-left:.6rem}"
    ".wide{overflow-x:auto;max-width:100%}"
    "table{border-collapse:collapse;font-size:.875rem}"
    "caption{text-align:left;color:var(--dim);padding:.2rem 0}"
    "th,td{padding:.15rem .55rem;border-bottom:1px solid var(--line);text-align:right;"
    "white-space:nowrap;vertical-align:top}"
    "thead th{background:var(--raised);vertical-align:bottom}"
    "th[scope=row],.l{text-align:left}"
    "td code{display:inline-block;max-width:26rem;overflow:hidden;text-overflow:ellipsis;"
    "vertical-align:bottom;user-select:all}"
    "tr[id] code{max-width:none}"
    "tr:target>*{background:var(--mark)}"
    "thead button{font:inherit;font-weight:600;color:inherit;background:none;border:0;padding:0;"
    "cursor:pointer}"
    "input{font:inherit;color:inherit;background:var(--raised);border:1px solid var(--dim);"
    "padding:.1rem .4rem;margin:.2rem 0 .4rem .4rem}"
    ".skip{position:absolute;left:-100rem}.skip:focus{position:static}"
    ":focus-visible{outline:2px solid var(--link);outline-offset:1px}"
    "figure{margin:0 0 1rem}figcaption{max-width:60rem;color:var(--dim)}"
    ".legend{list-style:none;margin:.3rem 0;padding:0;display:flex;flex-wrap:wrap;gap:.2rem 1rem}"
    ".legend svg{vertical-align:-.15em;margin-right:.3rem}"
    ".plots{display:grid;gap:0 2rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,38rem),"
    "1fr))}.plots>*{min-width:0}figure svg[viewBox]{max-width:100%;min-width:34rem;height:auto}"
    ".heat svg[viewBox]{max-width:none}"
    "svg{display:block}.legend svg,.defs{display:inline}.defs{position:absolute}"
    ".grid path{stroke:var(--line)}"
    "svg text{fill:var(--ink);font-size:12px}.grid text,.axis{text-anchor:middle}"
    ".grid.y text,.name{text-anchor:end}svg .cell{fill:var(--hi);text-anchor:middle}"
    ".line{fill:none;stroke-width:1.5;stroke-dasharray:6 4}"
    "svg a:hover use,svg a:focus use{stroke:var(--ink);stroke-width:2}"
    "svg a:hover rect,svg a:focus rect{stroke:var(--ink);stroke-width:2}"
    "@media print{.wide{overflow:visible}}\n";

static void print_classes(FILE *out)
{
    int i;
    for (i = 0; i < 8; i++) {
        fprintf(out, ".s%d{fill:var(--s%d)}.line.s%d{fill:none;stroke:var(--s%d)}", i, i, i, i);
    }
    for (i = 0; i < 6; i++) fprintf(out, ".h%d{fill:var(--h%d)}", i, i);
    fputc('\n', out);
}

void ug_html_head(const char *title, FILE *out)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>",
          out);
    ug_print_markup(out, title);
    fputs("</title>\n<style>\n", out);
    fputs(light, out);
    fputs(dark, out);
    fputs(rules, out);
    print_classes(out);
    fputs("</style>\n</head>\n", out);
}

/* Sorting and filtering are extras: the page is complete without them. A mark whose row is filtered
 * away brings it back. */
static const char *const script =
    "<script>\n"
    "\"use strict\";\n"
    "const value=c=>{const t=c?c.textContent.trim():\"\",n=t===\"inf\"?Infinity:parseFloat(t);"
    "return isNaN(n)?t:n};\n"
    "const order=(a,b)=>typeof a===\"number\"&&typeof b===\"number\"?a-b:"
    "typeof a===\"number\"?-1:typeof b===\"number\"?1:a<b?-1:a>b?1:0;\n"
    "for(const table of document.querySelectorAll(\"table\")){\n"
    "const body=table.tBodies[0];if(!body||body.rows.length<3)continue;\n"
    "[...table.tHead.rows[0].cells].forEach((head,i)=>{\n"
    "const button=document.createElement(\"button\");button.type=\"button\";"
    "button.textContent=head.textContent;head.textContent=\"\";head.append(button);\n"
    "button.onclick=()=>{const up=head.getAttribute(\"aria-sort\")===\"descending\";\n"
    "for(const c of table.tHead.rows[0].cells)c.removeAttribute(\"aria-sort\");\n"
    "head.setAttribute(\"aria-sort\",up?\"ascending\":\"descending\");\n"
    "const rows=[...body.rows].map(r=>[value(r.cells[i]),r]);\n"
    "rows.sort((a,b)=>up?order(a[0],b[0]):order(b[0],a[0]));"
    "body.append(...rows.map(r=>r[1]))};});\n"
    "if(body.rows.length<10)continue;\n"
    "const label=document.createElement(\"label\"),input=document.createElement(\"input\");\n"
    "label.textContent=\"Filter rows\";input.type=\"search\";label.append(input);"
    "table.parentNode.before(label);\n"
    "table.filter=()=>{const words=input.value.toLowerCase().split(/\\s+/);\n"
    "for(const r of body.rows){const t=r.textContent.toLowerCase();"
    "r.hidden=!words.every(w=>t.includes(w))}};\n"
    "input.oninput=table.filter;table.clear=()=>{input.value=\"\";table.filter()};}\n"
    "addEventListener(\"hashchange\",()=>{"
    "const row=document.getElementById(location.hash.slice(1));"
    "\nif(row&&row.hidden){row.closest(\"table\").clear();row.scrollIntoView()}});\n"
    "</script>\n";

void ug_html_script(FILE *out) { fputs(script, out); }

/* SPDX-License-Identifier: Apache-2.0 */
/* One self-contained HTML file: no network, no script needed, light and dark. */
#include <stdlib.h>

#include "report/html.h"
#include "report/screen.h"
#include "report/words.h"

enum { FAILURES = 100, TEXT = 1600 };

static void print_title(ug_html *page)
{
    char counts[256], title[320], text[TEXT];
    size_t i;
    ug_count_text(page->summary->verdict, counts, sizeof counts);
    snprintf(title, sizeof title, "ulpgate: %s",
             page->results->count + page->results->benches ? counts : "nothing was tested");
    ug_html_head(title, page->out);
    fputs("<body>\n<main>\n<h1>", page->out);
    ug_print_markup(page->out, title);
    fputs("</h1>\n", page->out);
    for (i = 0; ug_results_notice(page->results, i, text, sizeof text); i++) {
        fputs("<p class=\"note\">", page->out);
        ug_print_markup(page->out, text);
        fputs("</p>\n", page->out);
    }
}

static int print_body(ug_html *page, const ug_report_options *options)
{
    if (page->results->count && ug_html_kernels(page)) return -1;
    if (ug_html_failures(page, options->failures > 0 ? (size_t)options->failures : FAILURES)) {
        return -1;
    }
    if (ug_html_variances(page) || ug_html_plots(page) || ug_html_heat(page)) return -1;
    if (ug_html_speed(page)) return -1;
    return page->results->count ? ug_html_cases(page) : 0;
}

static int render(const ug_results *results, const ug_report_options *options, FILE *out, char *err,
                  size_t cap)
{
    ug_summary summary;
    ug_html page = {out, results, &summary, calloc(results->count + results->benches + 1, 1)};
    int rc = page.cited ? ug_summarize(results, &summary) : -1;
    if (!rc) {
        print_title(&page);
        ug_html_where(&page);
        if (results->count + results->benches) rc = print_body(&page, options);
        ug_html_environment(&page);
        fputs("</main>\n", out);
        ug_html_script(out);
        fputs("</body>\n</html>\n", out);
        ug_summary_free(&summary);
    }
    free(page.cited);
    if (rc) snprintf(err, cap, "out of memory");
    return rc;
}

const ug_format ug_format_html = {"html", "one self-contained page with plots", render};

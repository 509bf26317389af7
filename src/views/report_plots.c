/* SPDX-License-Identifier: GPL-2.0-or-later
 * Flows packet by packet in a report: the pictures of `fabscope plot`, each as
 * an image of its own, so that its style stays in it and no text of a capture
 * becomes part of the page. */
#include <stdio.h>
#include <stdlib.h>

#include "views/plot.h"
#include "views/plot_matrix.h"
#include "views/report_page.h"
#include "views/selector.h"

int report_plots_draw(struct page *p, struct store *names,
		      const struct report_options *o, struct err *err)
{
	for (size_t i = 0; i < o->n_plots && i < REPORT_PLOTS; i++) {
		const struct plot_options plot = { .flow = &o->plots[i],
						   .names = names };
		struct report_plot *to = &p->plots[i];
		FILE *out = open_memstream(&to->svg, &to->length);
		int rc;

		if (!out)
			return err_set(err, ERR_MEMORY, "out of memory");
		rc = plot_draw(o->packets, &plot, out, err);
		if (fclose(out) && !rc)
			rc = err_set(err, ERR_MEMORY, "out of memory");
		to->flow = o->plots[i].id;
		p->n_plots++;
		if (rc)
			return -1;
	}
	return 0;
}

/* RFC 4648 */
static void base64(FILE *out, const char *bytes, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < n; i += 3) {
		uint32_t v = 0;

		for (size_t k = 0; k < 3; k++)
			v = v << 8 |
			    (i + k < n ? (unsigned char)bytes[i + k] : 0);
		for (size_t k = 0; k < 4; k++)
			putc(k > n - i ? '=' : digits[v >> (18 - 6 * k) & 63],
			     out);
	}
}

/* |svg| as an image; |alt| is ours. */
static void image(struct page *p, const char *alt, const char *svg, size_t n)
{
	html_raw(p,
		 "<figure class=\"plot\"><img alt=\"%s\" "
		 "src=\"data:image/svg+xml;base64,",
		 alt);
	base64(p->out, svg, n);
	html_raw(p, "\"></figure>\n");
}

void report_matrix(struct page *p, const struct rows *r, const char *by)
{
	char *svg = NULL, alt[64];
	size_t n = 0;
	struct page drawing = { .out = open_memstream(&svg, &n) };

	if (!drawing.out) {
		p->failed = true;
		return;
	}
	plot_matrix_svg(&drawing, r, by);
	snprintf(alt, sizeof alt, "Bytes from each %s to each", by);
	if (fclose(drawing.out) || drawing.failed)
		p->failed = true;
	else
		image(p, alt, svg, n);
	free(svg);
}

void report_plots(struct page *p)
{
	if (!p->n_plots)
		return;
	html_raw(p, "<h2 id=\"plots\">Packets</h2>\n<p>Flows packet by "
		    "packet, as <code>fabscope plot</code> draws them: "
		    "time-sequence graph, bytes in flight, delay to the ACK, "
		    "throughput.</p>\n");
	for (size_t i = 0; i < p->n_plots; i++) {
		char alt[64];

		snprintf(alt, sizeof alt, "Flow %lld packet by packet",
			 (long long)p->plots[i].flow);
		image(p, alt, p->plots[i].svg, p->plots[i].length);
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * HTML of which no text can become markup.
 *
 * Two ways lead to the page: html_raw() for what is written in this program,
 * html_text() for everything else.  The latter goes through text_printable(),
 * so that control characters and marks of direction are shown, not obeyed. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "store/format.h"
#include "views/report_page.h"

static const char *entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

void html_text(struct page *p, const char *text)
{
	char *clean = text_printable(text);

	p->failed |= !clean;
	for (const char *s = clean; s && *s; s++) {
		const char *e = entity(*s);

		if (e)
			fputs(e, p->out);
		else
			putc(*s, p->out);
	}
	free(clean);
}

void html_raw(struct page *p, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vfprintf(p->out, format, ap);
	va_end(ap);
}

static void value(struct page *p, const struct query_value *v,
		  enum query_unit unit, bool uet)
{
	const struct format_options how = { .human = true,
					    .uet = uet,
					    .origin_ns = p->origin_ns };
	char buf[FORMAT_CELL];

	html_text(p, format_value(v, unit, &how, buf));
}

void html_value(struct page *p, const struct query_value *v,
		enum query_unit unit)
{
	value(p, v, unit, false);
}

void html_more(struct page *p, uint64_t n)
{
	char count[UNITS_TEXT];

	if (n)
		html_raw(p, "<p class=\"more\">and %s more</p>\n",
			 units_count(n, count));
}

/* ---- tables --------------------------------------------------------- */

/* What |list| says of the column |name|. */
enum listed { LISTED_NOT, LISTED, LISTED_IF_KNOWN };

static enum listed find_in_list(const char *list, const char *name)
{
	size_t n = strlen(name);
	const char *at = list;

	while ((at = strstr(at, name))) {
		bool begins = at == list || at[-1] == ' ';

		at += n;
		if (begins && (!*at || *at == ' '))
			return LISTED;
		if (begins && *at == '?')
			return LISTED_IF_KNOWN;
	}
	return LISTED_NOT;
}

/* Does any row know column |i|? */
static bool is_known(const struct rows *r, size_t i)
{
	for (size_t row = 0; row < r->n_rows; row++)
		if (r->cells[row * r->n_columns + i].type != VALUE_NULL)
			return true;
	return false;
}

/* Is column |i| one of the words of |list|, and not of those that go away where
 * nothing is known of them?  NULL holds all. */
static bool in_list(const struct rows *r, size_t i, const char *list)
{
	enum listed how =
		list ? find_in_list(list, r->columns[i].name) : LISTED;

	return how == LISTED || (how == LISTED_IF_KNOWN && is_known(r, i));
}

size_t html_columns(const struct rows *r, const char *shown)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_columns; i++)
		n += in_list(r, i, shown);
	return n;
}

static bool is_number(enum query_unit unit)
{
	return !query_unit_is_text(unit);
}

static void heading(struct page *p, const char *name)
{
	char text[FORMAT_CELL];

	html_text(p, format_head(name, text));
}

static const char *help_of(const struct rows *r, const char *name)
{
	for (size_t i = 0; i < r->query->n_columns; i++)
		if (!strcmp(r->query->columns[i].name, name))
			return r->query->columns[i].help;
	return "";
}

static void head_row(struct page *p, const struct rows *r, const char *shown)
{
	html_raw(p, "<thead><tr>");
	for (size_t i = 0; i < r->n_columns; i++) {
		const struct query_column *c = &r->columns[i];

		if (!in_list(r, i, shown))
			continue;
		html_raw(p, "<th scope=\"col\"%s title=\"",
			 is_number(c->unit) ? " class=\"n\"" : "");
		html_text(p, help_of(r, c->name));
		html_raw(p, "\" data-column=\"%zu\">", i);
		heading(p, c->name);
		html_raw(p, "</th>");
	}
	html_raw(p, "</tr></thead>\n");
}

static void body_row(struct page *p, const struct rows *r, const char *shown,
		     size_t row)
{
	const struct query_value *cells = &r->cells[row * r->n_columns];
	bool uet = format_is_uet(r->columns, cells, r->n_columns);

	html_raw(p, "<tr>");
	for (size_t i = 0; i < r->n_columns; i++) {
		const struct query_column *c = &r->columns[i];

		if (!in_list(r, i, shown))
			continue;
		html_raw(p, is_number(c->unit) ? "<td class=\"n\">" : "<td>");
		value(p, &cells[i], c->unit, uet);
		html_raw(p, "</td>");
	}
	html_raw(p, "</tr>\n");
}

void html_table(struct page *p, const char *id, const char *caption,
		const struct rows *r, const char *shown, size_t most)
{
	html_raw(p, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
		    "aria-label=\"");
	html_text(p, caption);
	html_raw(p, "\"><table data-section=\"%s\"><caption>", id);
	html_text(p, caption);
	html_raw(p, "</caption>\n");
	head_row(p, r, shown);
	html_raw(p, "<tbody>\n");
	for (size_t i = 0; i < r->n_rows && i < most; i++)
		body_row(p, r, shown, i);
	html_raw(p, "</tbody></table></div>\n");
}

/* ---- where a number comes from -------------------------------------- */

/* Limits that only say "all" are not shown. */
void html_source(struct page *p, const char *query, const char *const *params)
{
	html_raw(p,
		 "<p class=\"source\"><a href=\"#query-%s\">Query</a> "
		 "<code>fabscope query ",
		 query);
	html_text(p, p->database);
	html_raw(p, " %s", query);
	for (; params && *params; params++)
		if (strncmp(*params, "limit=", 6) != 0) {
			html_raw(p, " --param ");
			html_text(p, *params);
		}
	html_raw(p, "</code></p>\n");
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * A report from its first byte to its last. */
#include "views/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/outfile.h"
#include "base/progress.h"
#include "base/regular.h"
#include "base/text.h"
#include "store/store.h"
#include "views/report_page.h"

/* What a file must begin with to be replaced. */
static const char first_bytes[] = "<!DOCTYPE html>\n"
				  "<!-- a report of fabscope -->\n";

enum {
	TABLE_ROWS = 25, /* more only with the script */
	WIDE = 16,       /* columns that fit on paper */
};

bool report_is_ours(const char *path)
{
	char head[sizeof first_bytes - 1];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t n = fd < 0 ? -1 : pread(fd, head, sizeof head, 0);

	if (fd >= 0)
		close(fd);
	return n == (ssize_t)sizeof head &&
	       !memcmp(head, first_bytes, sizeof head);
}

const struct report_asset *report_asset(const char *name)
{
	const struct report_asset *a = report_assets;

	while (a->name && strcmp(a->name, name))
		a++;
	return a;
}

/* ---- head ----------------------------------------------------------- */

static const char *const styles[] = { "dygraph.min.css", "report.css" };
static const char *const scripts[] = { "dygraph.min.js", "report.js",
				       "report_draw.js" };

/* Nothing may be loaded; of style and script, only what is in the page. */
static void policy(struct page *p)
{
	html_raw(p, "<meta http-equiv=\"Content-Security-Policy\" "
		    "content=\"default-src 'none'; base-uri 'none'; "
		    "form-action 'none'; img-src data:; style-src");
	for (size_t i = 0; i < sizeof styles / sizeof styles[0]; i++)
		html_raw(p, " '%s'", report_asset(styles[i])->hash);
	html_raw(p, "; script-src");
	for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++)
		html_raw(p, " '%s'", report_asset(scripts[i])->hash);
	html_raw(p, "\">\n");
}

static void page_title(struct page *p)
{
	const struct rows *c = &p->answers.of[ANSWER_CAPTURES];

	if (p->title) {
		html_text(p, p->title);
		return;
	}
	html_text(p, c->n_rows ? rows_text(c, 0, "path") : "no capture");
	if (c->n_rows > 1)
		html_raw(p, " and %zu more", c->n_rows - 1);
	html_raw(p, " - fabscope report");
}

static void head(struct page *p)
{
	html_raw(p,
		 "%s<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		 "<meta name=\"viewport\" "
		 "content=\"width=device-width, initial-scale=1\">\n"
		 "<meta name=\"color-scheme\" content=\"light dark\">\n"
		 "<meta name=\"referrer\" content=\"no-referrer\">\n",
		 first_bytes);
	policy(p);
	html_raw(p, "<title>");
	page_title(p);
	html_raw(p, "</title>\n");
	for (size_t i = 0; i < sizeof styles / sizeof styles[0]; i++)
		html_raw(p, "<style>%s</style>\n",
			 report_asset(styles[i])->text);
	html_raw(p, "</head>\n<body>\n");
}

/* ---- sections ------------------------------------------------------- */

static bool is_shown(const struct page *p, size_t i)
{
	return p->rows[i].n_rows || report_sections[i].empty;
}

/* The title of the chapter that section |i| opens, when all that it holds is
 * not left out. */
static const char *chapter_at(const struct page *p, size_t i)
{
	const char *title = NULL;
	size_t first = i;

	if (!is_shown(p, i))
		return NULL;
	while (!report_sections[first].chapter)
		first--;
	title = report_sections[first].chapter;
	for (; first < i; first++)
		if (is_shown(p, first))
			return NULL;
	return title;
}

static void show(struct page *p, size_t i)
{
	const struct report_section *s = &report_sections[i];
	const struct rows *r = &p->rows[i];

	html_raw(p, "<section id=\"%s\"%s>\n<h3>%s</h3>\n", s->id,
		 html_columns(r, s->columns) > WIDE ? " class=\"wide\"" : "",
		 s->title);
	if (s->about && r->n_rows)
		html_raw(p, "<p>%s</p>\n", s->about);
	if (!r->n_rows)
		html_raw(p, "<p class=\"empty\">%s</p>\n", s->empty);
	if (s->draw && r->n_rows)
		html_raw(p,
			 "<div class=\"drawing\" data-draw=\"%s\" "
			 "data-of=\"%s\"><noscript><p>This diagram needs "
			 "JavaScript; the figures are in the answer of the "
			 "query.</p></noscript></div>\n",
			 s->draw, s->id);
	if (s->matrix && r->n_rows)
		report_matrix(p, r, s->matrix);
	if (r->n_rows && (!s->columns || *s->columns)) {
		html_table(p, s->id, s->title, r, s->columns, TABLE_ROWS);
		if (r->n_rows > TABLE_ROWS) {
			html_raw(p, "<noscript>");
			html_more(p, r->n_rows - TABLE_ROWS);
			html_raw(p, "</noscript>\n");
		}
	}
	html_more(p, r->left_out);
	html_source(p, s->query, s->params);
	html_raw(p, "</section>\n");
}

static void sections(struct page *p)
{
	for (size_t i = 0; i < report_n_sections; i++) {
		const char *chapter = chapter_at(p, i);

		if (chapter)
			html_raw(p, "<h2 id=\"chapter-%s\">%s</h2>\n",
				 report_sections[i].id, chapter);
		if (is_shown(p, i))
			show(p, i);
	}
}

static void contents(struct page *p)
{
	html_raw(p, "<nav aria-label=\"Contents\"><ul>\n"
		    "<li><a href=\"#verdict\">Verdict</a></li>\n");
	if (p->answers.of[ANSWER_FINDINGS].n_rows)
		html_raw(p, "<li><a href=\"#findings\">Findings</a></li>\n");
	for (size_t i = 0; i < report_n_sections; i++) {
		const char *chapter = chapter_at(p, i);

		if (chapter)
			html_raw(p, "<li><a href=\"#chapter-%s\">%s</a></li>\n",
				 report_sections[i].id, chapter);
	}
	if (p->n_plots)
		html_raw(p, "<li><a href=\"#plots\">Packets</a></li>\n");
	html_raw(p, "<li><a href=\"#unseen\">Not observable</a></li>\n"
		    "<li><a href=\"#queries\">Queries</a></li>\n"
		    "</ul></nav>\n");
}

/* ---- end ------------------------------------------------------------ */

static void one_query(struct page *p, const char *name)
{
	const struct query *q = catalogue_find(p->answers.catalogue, name);

	if (!q)
		return;
	html_raw(p, "<details id=\"query-%s\"><summary><code>%s</code> ", name,
		 name);
	html_text(p, q->question);
	html_raw(p, "</summary><pre>");
	for (const char *at = q->sql, *end; *at; at = *end ? end + 1 : end) {
		char *line;

		end = strchrnul(at, '\n');
		line = strndup(at, (size_t)(end - at));
		p->failed |= !line;
		html_text(p, line ? line : "");
		html_raw(p, "\n");
		free(line);
	}
	html_raw(p, "</pre></details>\n");
}

static bool in_words(const char *const *words, size_t n, const char *word)
{
	while (n--)
		if (!strcmp(words[n], word))
			return true;
	return false;
}

static void queries(struct page *p)
{
	static const char *const first[] = { "answer",
					     "verdict/totals",
					     "verdict/taps",
					     "verdict/findings",
					     "verdict/not-observable",
					     "verdict/row-limits",
					     "corrupted-ranges" };
	const size_t n_first = sizeof first / sizeof first[0];

	html_raw(p, "<h2 id=\"queries\">Queries of this page</h2>\n"
		    "<p>Every figure of this page is the answer of one of "
		    "these, to be asked again with <code>fabscope "
		    "query</code>, and all but a few words of them with any "
		    "SQLite.</p>\n"
		    "<div class=\"queries\">\n");
	for (size_t i = 0; i < n_first; i++)
		one_query(p, first[i]);
	for (size_t i = 0; i < report_n_sections; i++)
		if (is_shown(p, i) &&
		    !in_words(first, n_first, report_sections[i].query))
			one_query(p, report_sections[i].query);
	html_raw(p, "</div>\n");
}

static void made_by(struct page *p)
{
	const struct rows *m = &p->answers.of[ANSWER_META];

	html_raw(p, "<footer>\n<p>Times are UTC: packets are stamped with UTC, "
		    "whatever zone the capturing machine was in. A time with a "
		    "sign is counted from the first packet. Sizes go by "
		    "thousands.</p>\n<p>Analyzed by fabscope");
	for (size_t i = 0; i < m->n_rows; i++)
		if (!strcmp(rows_text(m, i, "key"), "version")) {
			html_raw(p, " ");
			html_text(p, rows_text(m, i, "value"));
		}
	html_raw(p, ". Style and script of this page are part of fabscope "
		    "(GPL-2.0-or-later). Diagrams over time are drawn by "
		    "dygraphs.</p>\n<details><summary>License of "
		    "dygraphs</summary><pre>");
	html_raw(p, "%s", report_asset("copyright")->text);
	html_raw(p, "</pre></details>\n</footer>\n");
}

static int write_page(struct page *p)
{
	head(p);
	contents(p);
	html_raw(p, "<main id=\"verdict\">\n");
	report_verdict(p);
	report_findings(p);
	sections(p);
	report_plots(p);
	report_unseen(p);
	queries(p);
	html_raw(p, "</main>\n");
	made_by(p);
	if (report_data(p) < 0)
		p->failed = true;
	for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++)
		html_raw(p, "<script>%s</script>\n",
			 report_asset(scripts[i])->text);
	html_raw(p, "</body>\n</html>\n");
	return p->failed ? -1 : 0;
}

/* ---- answers -------------------------------------------------------- */

static int ask(struct page *p, struct err *err)
{
	p->rows = calloc(report_n_sections, sizeof *p->rows);
	if (!p->rows)
		return err_set(err, ERR_MEMORY, "out of memory");
	progress_phase("querying", 0, report_n_sections);
	for (size_t i = 0; i < report_n_sections; i++) {
		const struct report_section *s = &report_sections[i];

		if (rows_ask_most(&p->rows[i], p->store, p->answers.catalogue,
				  s->query, s->params, s->keep, err) < 0)
			return -1;
		progress_step();
	}
	return 0;
}

/* The folder of the database is nobody's business. */
static char *database_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return text_shell(slash ? slash + 1 : path);
}

static void page_fini(struct page *p)
{
	for (size_t i = 0; p->rows && i < report_n_sections; i++)
		rows_fini(&p->rows[i]);
	free(p->rows);
	for (size_t i = 0; i < p->n_plots; i++)
		free(p->plots[i].svg);
	answers_fini(&p->answers);
	free(p->database);
}

static int make(struct store *s, const struct report_options *o, FILE *out,
		struct err *err)
{
	struct page p = { .out = out,
			  .store = s,
			  .origin_ns = store_origin_ns(s),
			  .title = o->title,
			  .database = database_name(store_path(s)) };
	int rc = store_snapshot(s, err);

	if (!rc)
		rc = answers_load(&p.answers, s, err);
	if (!rc)
		rc = ask(&p, err);
	if (!rc)
		rc = report_plots_draw(&p, s, o, err);
	if (!rc && (!p.database || write_page(&p) < 0))
		rc = err_set(err, ERR_MEMORY, "out of memory");
	page_fini(&p);
	return rc;
}

/* ---- the file ------------------------------------------------------- */

static int make_file(struct store *s, const struct report_options *o,
		     const char *path, struct err *err)
{
	FILE *out = regular_create(path);
	int rc;

	if (!out)
		return err_errno(err, "%s: cannot write", o->path);
	rc = make(s, o, out, err);
	if (ferror(out) && !rc)
		rc = err_errno(err, "%s: cannot write", o->path);
	if (fclose(out) && !rc)
		rc = err_errno(err, "%s: cannot write", o->path);
	return rc;
}

int report_write(struct store *s, const struct report_options *o,
		 struct err *err)
{
	struct outfile *file;
	int rc;

	if (!strcmp(o->path, "-"))
		return make(s, o, stdout, err);
	file = outfile_begin(o->path, report_is_ours, "report of fabscope",
			     err);
	if (!file)
		return -1;
	rc = make_file(s, o, outfile_temp(file), err);
	if (!rc)
		rc = outfile_commit(file, err);
	outfile_free(file);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The opening comment of a query file.
 *
 *	-- The question, one line?
 *	-- Notes, any number of lines.
 *	--
 *	-- param NAME UNIT DEFAULT  what it does
 *	-- column NAME UNIT  what it means
 *	-- uses NAME
 *	-- example fabscope query DB NAME --param K=V
 *	-- last
 *	-- into TABLE
 *	-- needs TABLE
 *	SELECT ...
 *
 * DEFAULT is a value without blanks, NULL, or "required".  "uses" makes another
 * query a table of this one, named as it is with _ for -; parameters are those
 * of the same name.  "last" marks a finding that judges the findings of the
 * others.  Rows of a step of derive.c or compare.c go into a table.  "needs":
 * while that has no rows, nor has the query; derive.c does not ask it then. */
#define _GNU_SOURCE
#include "store/query.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const query_unit_names[UNIT_KINDS] = {
	[UNIT_TEXT] = "text",     [UNIT_WORD] = "word",
	[UNIT_REASON] = "reason", [UNIT_ID] = "id",
	[UNIT_COUNT] = "count",   [UNIT_REAL] = "real",
	[UNIT_SHARE] = "share",   [UNIT_FLAG] = "flag",
	[UNIT_TIME] = "time",     [UNIT_DURATION] = "duration",
	[UNIT_BYTES] = "bytes",   [UNIT_RATE] = "rate",
	[UNIT_HEX] = "hex",       [UNIT_HEX16] = "hex16",
	[UNIT_JSON] = "json",     [UNIT_SPARK] = "spark",
};

/* Without memory |failed| is set and the query is thrown away. */
struct reader {
	struct query *q;
	int line;
	bool failed;
};

static char *keep(struct reader *r, const char *text, size_t n)
{
	char *s = strndup(text, n);

	if (!s)
		r->failed = true;
	return s;
}

static void complain(struct reader *r, const char *what)
{
	if (r->q->broken)
		return;
	if (asprintf(&r->q->broken, "%s:%d: %s",
		     r->q->origin ? r->q->origin : r->q->name, r->line,
		     what) < 0) {
		r->q->broken = NULL;
		r->failed = true;
	}
}

/* The next word of |*at|, which moves behind it.  Empty at the end. */
static size_t word(const char **at, const char *end, const char **start)
{
	while (*at < end && isblank((unsigned char)**at))
		++*at;
	*start = *at;
	while (*at < end && !isspace((unsigned char)**at))
		++*at;
	return (size_t)(*at - *start);
}

static char *rest(struct reader *r, const char *at, const char *end)
{
	while (at < end && isspace((unsigned char)*at))
		at++;
	while (end > at && isspace((unsigned char)end[-1]))
		end--;
	return keep(r, at, (size_t)(end - at));
}

static enum query_unit read_unit(struct reader *r, const char **at,
				 const char *end)
{
	const char *start;
	size_t n = word(at, end, &start);

	for (int i = 0; i < UNIT_KINDS; i++)
		if (n == strlen(query_unit_names[i]) &&
		    !memcmp(start, query_unit_names[i], n))
			return (enum query_unit)i;
	complain(r, "unknown unit");
	return UNIT_TEXT;
}

static char *read_name(struct reader *r, const char **at, const char *end)
{
	const char *start;
	size_t n = word(at, end, &start);

	if (!n)
		complain(r, "a name is missing");
	return keep(r, start, n);
}

static void read_default(struct reader *r, struct query_param *p,
			 const char **at, const char *end)
{
	const char *start;
	size_t n = word(at, end, &start);

	if (!n)
		complain(r, "a parameter needs a default");
	else if (n == 8 && !memcmp(start, "required", n))
		p->required = true;
	else if (n != 4 || memcmp(start, "NULL", n))
		p->value = keep(r, start, n);
}

/* Room for one more of |n| things of |size|; NULL without memory. */
static void *grow(struct reader *r, void *things, size_t n, size_t size)
{
	char *more = reallocarray(things, n + 1, size);

	if (!more) {
		r->failed = true;
		return things;
	}
	memset(more + n * size, 0, size);
	return more;
}

static void read_param(struct reader *r, const char *at, const char *end)
{
	struct query *q = r->q;
	struct query_param *p;

	q->params = grow(r, q->params, q->n_params, sizeof *q->params);
	if (r->failed)
		return;
	p = &q->params[q->n_params++];
	p->name = read_name(r, &at, end);
	p->unit = read_unit(r, &at, end);
	read_default(r, p, &at, end);
	p->help = rest(r, at, end);
}

static void read_column(struct reader *r, const char *at, const char *end)
{
	struct query *q = r->q;
	struct query_column *c;

	q->columns = grow(r, q->columns, q->n_columns, sizeof *q->columns);
	if (r->failed)
		return;
	c = &q->columns[q->n_columns++];
	c->name = read_name(r, &at, end);
	c->unit = read_unit(r, &at, end);
	c->help = rest(r, at, end);
}

static void read_example(struct reader *r, const char *at, const char *end)
{
	if (r->q->example)
		complain(r, "a second example");
	else
		r->q->example = rest(r, at, end);
}

static void read_uses(struct reader *r, const char *at, const char *end)
{
	struct query *q = r->q;
	char *name = read_name(r, &at, end), *all = NULL;

	if (name && asprintf(&all, "%s%s ", q->uses ? q->uses : "", name) < 0)
		r->failed = true;
	free(name);
	if (!all)
		return;
	free(q->uses);
	q->uses = all;
}

static void read_last(struct reader *r, const char *at, const char *end)
{
	(void)at;
	(void)end;
	r->q->last = true;
}

static void read_into(struct reader *r, const char *at, const char *end)
{
	free(r->q->into);
	r->q->into = read_name(r, &at, end);
}

static void read_needs(struct reader *r, const char *at, const char *end)
{
	free(r->q->needs);
	r->q->needs = read_name(r, &at, end);
}

static void read_note(struct reader *r, const char *at, const char *end)
{
	struct query *q = r->q;
	char *line = rest(r, at, end), *all;

	if (!line)
		return;
	if (!q->question) {
		q->question = line;
		return;
	}
	if (*line && asprintf(&all, "%s%s%s", q->notes ? q->notes : "",
			      q->notes ? "\n" : "", line) >= 0) {
		free(q->notes);
		q->notes = all;
	}
	free(line);
}

static const struct {
	const char *word;
	void (*read)(struct reader *r, const char *at, const char *end);
} entries[] = {
	{ "param", read_param }, { "column", read_column },
	{ "uses", read_uses },   { "example", read_example },
	{ "last", read_last },   { "into", read_into },
	{ "needs", read_needs },
};

/* One line of the comment, behind its "--". */
static void read_line(struct reader *r, const char *at, const char *end)
{
	const char *body = at, *start;
	size_t n = word(&at, end, &start);

	for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
		if (n == strlen(entries[i].word) &&
		    !memcmp(start, entries[i].word, n)) {
			entries[i].read(r, at, end);
			return;
		}
	}
	read_note(r, body, end);
}

static void read_header(struct reader *r, const char *text)
{
	while (!strncmp(text, "--", 2) && !r->failed) {
		const char *end = strchrnul(text, '\n');

		r->line++;
		read_line(r, text + 2, end);
		text = *end ? end + 1 : end;
	}
	if (!r->q->question || !*r->q->question)
		complain(r, "no question: the file must begin with \"-- \"");
	if (!r->q->notes && !r->failed)
		r->q->notes = keep(r, "", 0);
}

struct query *query_new(const char *name, const char *origin, const char *text)
{
	struct query *q = calloc(1, sizeof *q);
	struct reader r = { .q = q };

	if (!q)
		return NULL;
	q->name = keep(&r, name, strlen(name));
	q->sql = keep(&r, text, strlen(text));
	if (origin)
		q->origin = keep(&r, origin, strlen(origin));
	if (!r.failed)
		read_header(&r, text);
	if (!r.failed)
		return q;
	query_free(q);
	return NULL;
}

/* ---- queries made of others ---- */

static size_t header_length(const char *text)
{
	const char *at = text, *end;

	while (!strncmp(at, "--", 2)) {
		end = strchrnul(at, '\n');
		at = *end ? end + 1 : end;
	}
	return (size_t)(at - text);
}

int query_use(struct query *q, const struct query *part)
{
	static const char *const ways[] = { "WITH RECURSIVE ", "WITH ", "" };
	size_t head = header_length(q->sql), i = 0;
	const char *body = q->sql + head;
	char *table = strdup(part->name), *sql = NULL;

	for (char *c = table; c && *c; c++)
		*c = *c == '-' || *c == '/' ? '_' : *c;
	while (strncmp(body, ways[i], strlen(ways[i])) != 0)
		i++;
	if (!table ||
	    asprintf(&sql, "%.*s%s%s AS (\n%s)%s%s", (int)head, q->sql,
		     i == 2 ? "WITH " : ways[i], table,
		     part->sql + header_length(part->sql),
		     i == 2 ? "\n" : ",\n", body + strlen(ways[i])) < 0)
		sql = NULL;
	free(table);
	if (!sql)
		return -1;
	free(q->sql);
	q->sql = sql;
	return 0;
}

void query_free(struct query *q)
{
	if (!q)
		return;
	for (size_t i = 0; i < q->n_params; i++) {
		free(q->params[i].name);
		free(q->params[i].value);
		free(q->params[i].help);
	}
	for (size_t i = 0; i < q->n_columns; i++) {
		free(q->columns[i].name);
		free(q->columns[i].help);
	}
	free(q->params);
	free(q->columns);
	free(q->name);
	free(q->origin);
	free(q->question);
	free(q->notes);
	free(q->example);
	free(q->sql);
	free(q->uses);
	free(q->broken);
	free(q->into);
	free(q->needs);
	free(q);
}

bool query_in(const struct query *q, const char *folder)
{
	size_t n = strlen(folder);

	if (!n)
		return !strchr(q->name, '/');
	return !strncmp(q->name, folder, n) && q->name[n] == '/';
}

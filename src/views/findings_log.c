/* SPDX-License-Identifier: GPL-2.0-or-later
 * The findings of a live analysis as JSON lines. */
#include "views/findings_log.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/regular.h"
#include "store/query.h"
#include "views/rows.h"
#include "views/rows_json.h"

/* A change of meaning needs a new version; new members do not. */
enum { RECORD_VERSION = 1 };

/* What was said of a finding last. */
struct logged {
	int64_t id;
	int64_t times;
	bool ended;
	char severity[12];
};

struct findings_log {
	char *path;
	FILE *out;
	struct catalogue *catalogue;
	struct logged *logged; /* by id, as the rows come */
	size_t n, room;
};

static struct logged state_of(const struct rows *r, size_t row)
{
	struct logged t = {
		.id = rows_int(r, row, "id", 0),
		.times = rows_int(r, row, "times", 1),
		.ended = rows_at(r, row, "ended_ns")->type != VALUE_NULL,
	};

	snprintf(t.severity, sizeof t.severity, "%s",
		 rows_text(r, row, "severity"));
	return t;
}

/* What there is to say; NULL: nothing. */
static const char *news(const struct logged *before, const struct logged *now)
{
	if (!before || now->times > before->times)
		return "appeared";
	if (now->ended && !before->ended)
		return "ended";
	if (!now->ended && strcmp(now->severity, before->severity) != 0)
		return "changed";
	return NULL;
}

/* ---- lines ---- */

static int write_line(struct findings_log *l, const struct rows *r, size_t row,
		      const char *what, struct err *err)
{
	json_t *o = json_object(), *columns = rows_json_object(r, row);
	char *line;
	bool ok;

	json_object_set_new(o, "format", json_string("fabscope-finding"));
	json_object_set_new(o, "version", json_integer(RECORD_VERSION));
	json_object_set_new(o, "what", json_string(what));
	json_object_update(o, columns);
	line = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(9));
	json_decref(columns);
	json_decref(o);
	if (!line)
		return err_set(err, ERR_MEMORY, "out of memory");
	ok = fprintf(l->out, "%s\n", line) > 0 && !fflush(l->out);
	free(line);
	if (ok)
		return 0;
	err_errno(err, "%s: cannot write", l->path);
	clearerr(l->out);
	return -1;
}

/* ---- state ---- */

/* Rows are in order of id, and so are those that were reported. */
static struct logged *find(struct findings_log *l, int64_t id)
{
	size_t low = 0, high = l->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (l->logged[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < l->n && l->logged[low].id == id ? &l->logged[low] : NULL;
}

/* |now| has an id above all others. */
static bool add(struct findings_log *l, const struct logged *now)
{
	if (l->n == l->room) {
		size_t room = l->room ? 2 * l->room : 64;
		struct logged *more = realloc(l->logged, room * sizeof *more);

		if (!more)
			return false;
		l->logged = more;
		l->room = room;
	}
	l->logged[l->n++] = *now;
	return true;
}

/* What is not in the database any more need not be remembered. */
static void forget(struct findings_log *l, int64_t first_id)
{
	size_t ended = 0;

	while (ended < l->n && l->logged[ended].id < first_id)
		ended++;
	if (!ended)
		return;
	memmove(l->logged, l->logged + ended,
		(l->n - ended) * sizeof *l->logged);
	l->n -= ended;
}

/* A finding that came back and is over again within one refresh is
 * reported as both. */
static int log_row(struct findings_log *l, const struct rows *r, size_t row,
		   bool quiet, struct err *err)
{
	struct logged now = state_of(r, row), *before = find(l, now.id);
	const char *what = quiet ? NULL : news(before, &now);

	if (what && write_line(l, r, row, what, err))
		return -1;
	if (what && !strcmp(what, "appeared") && now.ended &&
	    write_line(l, r, row, "ended", err))
		return -1;
	if (before)
		*before = now;
	else if (!add(l, &now))
		return err_set(err, ERR_MEMORY, "out of memory");
	return 0;
}

static int update(struct findings_log *l, struct store *s, bool quiet,
		  struct err *err)
{
	struct rows rows;
	int rc = rows_ask(&rows, s, l->catalogue, "log/findings", NULL, err);

	if (!rc && rows.n_rows)
		forget(l, rows_int(&rows, 0, "id", 0));
	for (size_t i = 0; i < rows.n_rows && !rc; i++)
		rc = log_row(l, &rows, i, quiet, err);
	rows_fini(&rows);
	return rc;
}

int findings_log_update(struct findings_log *l, struct store *s,
			struct err *err)
{
	return update(l, s, false, err);
}

/* ---- the file ---- */

/* Nothing of somebody else's is added to: what there is begins with a line of
 * ours, or is empty, or is no file that keeps what is written. */
static bool may_add(const char *path)
{
	static const char begin[] = "{\"format\":\"fabscope-finding\",";
	char head[sizeof begin - 1];
	struct err ignored;
	FILE *f = regular_open(path, &ignored);
	size_t n;

	if (!f)
		return true;
	n = fread(head, 1, sizeof head, f);
	fclose(f);
	return !n || (n == sizeof head && !memcmp(head, begin, n));
}

static int open_file(struct findings_log *l, struct err *err)
{
	if (!may_add(l->path))
		return err_set(err, ERR_IO,
			       "%s exists and is not a findings log", l->path);
	l->out = strcmp(l->path, "-") != 0 ? fopen(l->path, "abe") : stdout;
	return l->out ? 0 : err_errno(err, "%s", l->path);
}

static void close_file(struct findings_log *l)
{
	if (l->out && l->out != stdout)
		fclose(l->out);
	l->out = NULL;
}

int findings_log_reopen(struct findings_log *l, struct err *err)
{
	FILE *old = l->out;

	if (open_file(l, err)) {
		l->out = old; /* better than nothing */
		return -1;
	}
	if (old != stdout)
		fclose(old);
	return 0;
}

struct findings_log *findings_log_open(const char *path, struct store *s,
				       struct err *err)
{
	struct findings_log *l = calloc(1, sizeof *l);

	if (!l || !(l->path = strdup(path)) ||
	    !(l->catalogue = catalogue_builtin()))
		err_set(err, ERR_MEMORY, "out of memory");
	else if (!open_file(l, err) && (!s || !update(l, s, true, err)))
		return l;
	findings_log_free(l);
	return NULL;
}

void findings_log_free(struct findings_log *l)
{
	if (!l)
		return;
	close_file(l);
	catalogue_free(l->catalogue);
	free(l->logged);
	free(l->path);
	free(l);
}

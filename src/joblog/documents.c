/* SPDX-License-Identifier: GPL-2.0-or-later
 * Objects out of a file, one by one.
 *
 * Where an object ends is found by counting braces outside of strings, so that
 * a file of any length needs the memory of one object.  Between objects may be
 * what arrays and lines have there: blanks, commas, brackets.  Anything else is
 * skipped up to the next line. */
#include <stdlib.h>
#include <string.h>

#include "joblog/joblog_int.h"

struct text {
	char *at;
	size_t n, room;
	size_t tokens;
	bool failed;
};

static void put(struct text *t, int c)
{
	if (t->n == t->room) {
		size_t room = t->room ? 2 * t->room : 4096;
		char *more = room <= DOCUMENT_MAX ? realloc(t->at, room) : NULL;

		if (!more) {
			t->failed = true;
			return;
		}
		t->at = more;
		t->room = room;
	}
	t->at[t->n++] = (char)c;
}

/* Skips to the next '{'; false at the end.  Lines of something else count. */
static bool find_object(FILE *f, struct joblog_file *file)
{
	bool counted = false;
	int c;

	while ((c = getc_unlocked(f)) != EOF) {
		if (c == '{')
			return true;
		if (c == '\n')
			counted = false;
		else if (!counted && !strchr(" \t\r,[]", c)) {
			file->skipped++;
			counted = true;
		}
	}
	return false;
}

/* The rest of the object, whose '{' was read.  False: the file ends in it. */
static bool read_object(FILE *f, struct text *t)
{
	bool quoted = false, escaped = false;
	int depth = 1, c;

	put(t, '{');
	while (depth && (c = getc_unlocked(f)) != EOF) {
		if (!t->failed)
			put(t, c);
		if (escaped)
			escaped = false;
		else if (c == '\\')
			escaped = quoted;
		else if (c == '"')
			quoted = !quoted;
		else if (quoted)
			continue;
		else if (c == '{' || c == '[' || c == ',')
			t->tokens++;
		depth += quoted ? 0 : (c == '{') - (c == '}');
	}
	return !depth;
}

json_t *documents_next(FILE *f, struct joblog_file *file)
{
	json_t *o = NULL;

	while (!o && find_object(f, file)) {
		struct text t = { 0 };
		bool whole = read_object(f, &t);

		if (whole && !t.failed && t.tokens <= TOKENS_MAX)
			o = json_loadb(t.at, t.n, 0, NULL);
		free(t.at);
		if (!o)
			file->skipped++;
	}
	return o;
}

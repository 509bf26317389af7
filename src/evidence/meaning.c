/* SPDX-License-Identifier: GPL-2.0-or-later
 * What printed names mean.
 *
 * A name is looked for as it is, and then with '#' in the place of its last
 * number, which is the priority. */
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/evidence_int.h"

enum meaning_id {
#define MEANING(id, name, unit, text) MEANING_##id,
#define GAUGE                         MEANING
#include "evidence/meanings.def"
#undef GAUGE
#undef MEANING
	MEANINGS
};

static const struct evidence_meaning meanings[] = {
#define MEANING(id, name, unit, text) { name, unit, text, false },
#define GAUGE(id, name, unit, text)   { name, unit, text, true },
#include "evidence/meanings.def"
#undef GAUGE
#undef MEANING
};

static const struct counter {
	const char *name;
	struct evidence_name is;
} counters[] = {
#define COUNTER(name, meaning, factor) { name, { MEANING_##meaning, factor } },
#include "evidence/counters.def"
#undef COUNTER
};

/* In order of name, made once. */
static const struct counter *ordered[sizeof counters / sizeof *counters];

static int by_name(const void *a, const void *b)
{
	const struct counter *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

static void order(void)
{
	size_t n = sizeof counters / sizeof *counters;

	for (size_t i = 0; i < n; i++)
		ordered[i] = &counters[i];
	qsort(ordered, n, sizeof *ordered, by_name);
}

const struct evidence_meaning *evidence_meaning(int number)
{
	return number >= 0 && number < MEANINGS ? &meanings[number] : NULL;
}

bool evidence_of_device(int number)
{
	return number >= MEANING_CPU_IDLE;
}

static const struct evidence_name *find(struct evidence *e, const char *name)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const struct counter key = { .name = name }, *wanted = &key, **found;
	size_t added = names_find(&e->added, name);

	if (added != NAMES_NONE)
		return &e->add[added];
	pthread_once(&once, order);
	found = bsearch(&wanted, ordered, sizeof counters / sizeof *counters,
			sizeof *ordered, by_name);
	return found ? &(*found)->is : NULL;
}

/* |to| is |name| with '#' for its last number, which is returned; -1: none. */
static int numbered(const char *name, char to[static EVIDENCE_TEXT])
{
	size_t n = strlen(name), end, begin;
	long number;

	for (end = n; end && !isdigit((unsigned char)name[end - 1]);)
		end--;
	for (begin = end; begin && isdigit((unsigned char)name[begin - 1]);)
		begin--;
	if (begin == end || end - begin > 4 || n >= EVIDENCE_TEXT)
		return -1;
	number = strtol(name + begin, NULL, 10);
	snprintf(to, EVIDENCE_TEXT, "%.*s#%s", (int)begin, name, name + end);
	return (int)number;
}

int meaning_of(struct evidence *e, const char *name, int64_t *scale,
	       int *priority)
{
	const struct evidence_name *is = find(e, name);
	char general[EVIDENCE_TEXT];
	int number;

	if (!is && (number = numbered(name, general)) >= 0) {
		is = find(e, general);
		if (is)
			*priority = number;
	}
	*scale = is ? is->scale : 1;
	return is ? is->meaning : -1;
}

/* ---- names of the user ---- */

static int meaning_called(const char *name)
{
	for (int i = 0; i < MEANINGS; i++)
		if (!strcmp(meanings[i].name, name))
			return i;
	return -1;
}

static int add_name(struct evidence *e, const char *name,
		    struct evidence_name is, struct err *err)
{
	if (e->n_add == EVIDENCE_NAMES_MAX)
		return err_set(err, ERR_FORMAT, "more than %d names",
			       EVIDENCE_NAMES_MAX);
	if (!evidence_grow((void **)&e->add, e->n_add, &e->room_add,
			   sizeof *e->add))
		return err_set(err, ERR_MEMORY, "out of memory");
	e->add[e->n_add] = is;
	if (!names_add(&e->added, name, e->n_add))
		return err_set(err, ERR_MEMORY, "out of memory");
	e->n_add++;
	return 0;
}

static int name_line(struct evidence *e, char *line, const char *path,
		     unsigned number, struct err *err)
{
	char name[EVIDENCE_TEXT], meaning[EVIDENCE_TEXT];
	struct evidence_name is = { .scale = 1 };
	long long factor = 1;
	int n;

	if (line[strspn(line, " \t")] == '#')
		return 0;
	n = sscanf(line, "%63s %63s %lld", name, meaning, &factor);
	if (n < 1)
		return 0;
	if (n < 2 || factor < 1 || factor > 1000000000)
		return err_set(err, ERR_FORMAT,
			       "%s: line %u is not NAME MEANING [FACTOR]", path,
			       number);
	is.meaning = meaning_called(meaning);
	is.scale = factor;
	if (is.meaning < 0)
		return err_set(err, ERR_FORMAT,
			       "%s: line %u: no meaning is called \"%s\"", path,
			       number, meaning);
	return add_name(e, name, is, err);
}

int evidence_names(struct evidence *e, const char *path, struct err *err)
{
	FILE *f = fopen(path, "re");
	char line[256];
	unsigned number = 0;
	int rc = 0;

	if (!f)
		return err_errno(err, "%s", path);
	while (!rc && fgets(line, sizeof line, f))
		rc = name_line(e, line, path, ++number, err);
	if (!rc && ferror(f))
		rc = err_errno(err, "%s", path);
	fclose(f);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Facts of devices by name and key. */
#include "base/sheet.h"

#include <stdlib.h>
#include <string.h>

enum { FACTS_MAX = 4096, VALUE_MAX = 4096 };

static const struct sheet_fact known[] = {
#define FACT(id, part, key, title) { NULL, key, title, part, NULL },
#include "base/sheet.def"
#undef FACT
};

static const char no_memory[] = "out of memory";

static const char *go_on(struct sheet_fact *f, const char *value)
{
	size_t n = strlen(f->value), more = strlen(value);
	char *longer;

	if (n + more > VALUE_MAX)
		return "too long";
	longer = malloc(n + more + 2);
	if (!longer)
		return no_memory;
	memcpy(longer, f->value, n);
	longer[n] = ' ';
	memcpy(longer + n + 1, value, more + 1);
	free(f->value);
	f->value = longer;
	return NULL;
}

static const char *one_more(struct sheet *s, struct sheet_fact f)
{
	struct sheet_fact *more;

	if (s->n == FACTS_MAX)
		return "too many of them";
	more = reallocarray(s->facts, s->n + 1, sizeof *more);
	if (more)
		s->facts = more;
	if (!more || !f.name || !f.value) {
		free(f.name);
		free(f.value);
		return no_memory;
	}
	s->facts[s->n++] = f;
	return NULL;
}

const char *sheet_add(struct sheet *s, const char *name, const char *key,
		      const char *value)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->facts[i].key, key) &&
		    !strcmp(s->facts[i].name, name))
			return go_on(&s->facts[i], value);
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		struct sheet_fact f = known[i];

		if (strcmp(f.key, key) != 0)
			continue;
		f.name = strdup(name);
		f.value = strdup(value);
		return one_more(s, f);
	}
	return "unknown key";
}

void sheet_fini(struct sheet *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->facts[i].name);
		free(s->facts[i].value);
	}
	free(s->facts);
}

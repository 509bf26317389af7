/* SPDX-License-Identifier: GPL-2.0-or-later
 * SONiC: show queue watermark unicast|multicast|all, show priority-group
 * watermark shared|headroom, and the persistent ones (sonic-utilities,
 * scripts/watermarkstat, doc/Command-Reference.md), a table below each title:
 *	Egress shared pool occupancy per unicast queue:
 *	       Port    UC0    UC1 ...
 *	-----------  -----  -----
 *	  Ethernet0      0   2048 ... */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/evidence_int.h"

enum { COLUMNS_MAX = 64, NONE = -1 };

static const struct title {
	const char *text, *name; /* of the counter */
} titles[] = {
	{ "Egress shared pool occupancy per ", "queue watermark" },
	{ "Ingress shared pool occupancy per PG", "PG shared watermark" },
	{ "Ingress headroom per PG", "PG headroom watermark" },
};

static const struct title *title_of(const char *line)
{
	for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
		if (!strncmp(line, titles[i].text, strlen(titles[i].text)))
			return &titles[i];
	return NULL;
}

/* The table that is read. */
struct table {
	const struct title *title;
	int columns[COLUMNS_MAX]; /* numbers of queues or groups, or NONE */
	size_t n;
};

/* "Port UC0 UC1"; some releases say Interface. */
static bool read_heading(struct table *t, char *line)
{
	char *rest = NULL, *word = strtok_r(line, " \t", &rest);

	if (!word || (strcmp(word, "Port") != 0 && strcmp(word, "Interface")))
		return false;
	for (t->n = 0; t->n < COLUMNS_MAX; t->n++) {
		word = strtok_r(NULL, " \t", &rest);
		if (!word)
			break;
		word += strcspn(word, "0123456789");
		t->columns[t->n] = *word ? value_small(word) & 0xff : NONE;
	}
	return true;
}

static void read_row(struct evidence_part *part, const struct table *t,
		     char *line)
{
	char *rest = NULL, *port = strtok_r(line, " \t", &rest);
	struct evidence_of of;

	if (!port || *port == '-')
		return;
	of = OF_PORT(port);
	for (size_t i = 0; i < t->n; i++) {
		const char *value = strtok_r(NULL, " \t", &rest);

		if (!value)
			return;
		of.priority = t->columns[i];
		put_text(part, &of, t->title->name, value);
	}
}

bool read_watermark(struct evidence_part *part, char *text)
{
	struct table t = { 0 };
	bool known = false;
	char *line;

	for (size_t i = 0; !known && i < sizeof titles / sizeof *titles; i++)
		known = strstr(text, titles[i].text);
	if (!known)
		return false;
	while ((line = text_line(&text))) {
		const struct title *title = title_of(line);

		if (title)
			t = (struct table) { .title = title };
		else if (t.title && !t.n)
			read_heading(&t, line);
		else if (t.n && *line)
			read_row(part, &t, line);
	}
	return true;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Scenario files: a table of the words that may begin a line. */
#include "simulate/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "simulate/build.h"
#include "simulate/line.h"
#include "simulate/shipped.h"
#include "simulate/world.h"

static void read_line(struct sim *s, struct line *l);

/* The rest of the line is for runs with, or without, a problem. */
static void read_if(struct sim *s, struct line *l, bool with)
{
	const char *name = line_word(l, "a problem");
	size_t i = 0;

	while (i < s->n_problems && strcmp(s->problems[i].name, name) != 0)
		i++;
	if (i == s->n_problems)
		line_fail(l, "there is no problem '%s'", name);
	else if ((s->twin.off >> i & 1) != with)
		read_line(s, l);
	else
		l->used = UINT64_MAX;
}

static void read_with(struct sim *s, struct line *l)
{
	read_if(s, l, true);
}

static void read_without(struct sim *s, struct line *l)
{
	read_if(s, l, false);
}

struct directive {
	const char *word;
	void (*read)(struct sim *s, struct line *l);
};

static void no_meaning(struct sim *s, struct line *l)
{
	(void)s;
	while (line_more(l))
		;
	l->used = UINT64_MAX; /* free text */
}

static const struct directive directives[] = {
	{ "title", no_meaning },
	{ "about", no_meaning },
	{ "run", build_run },
	{ "switches", build_switches },
	{ "nics", build_nics },
	{ "dcqcn", build_dcqcn },
	{ "host", build_host },
	{ "switch", build_switch },
	{ "change", build_change },
	{ "link", build_link },
	{ "leafspine", build_leafspine },
	{ "torus", build_torus },
	{ "dragonfly", build_dragonfly },
	{ "route", build_route },
	{ "nic", build_nic },
	{ "qp", build_qp },
	{ "flow", build_flow },
	{ "collective", build_collective },
	{ "close", build_close },
	{ "replay", build_replay },
	{ "send", build_send },
	{ "fault", build_fault },
	{ "down", build_down },
	{ "port", build_port },
	{ "tap", build_tap },
	{ "problem", build_problem },
	{ "with", read_with },
	{ "without", read_without },
};

static void read_line(struct sim *s, struct line *l)
{
	const char *word = line_word(l, "a word");

	for (size_t i = 0; i < sizeof directives / sizeof *directives; i++)
		if (!strcmp(word, directives[i].word)) {
			directives[i].read(s, l);
			return;
		}
	line_fail(l, "'%s' is no word of a scenario", word);
}

/* The next line, without its end; false after the last. */
static bool next_line(struct line *l, FILE *f, char text[static LINE_MOST])
{
	size_t n = 0;
	int c = getc(f);

	if (c == EOF)
		return false;
	l->number++;
	l->failed = false;
	for (; c != EOF && c != '\n' && n < LINE_MOST - 1; c = getc(f)) {
		if (!c)
			line_fail(l, "byte 0: this is no text");
		text[n++] = (char)c;
	}
	if (c != EOF && c != '\n')
		line_fail(l, "line too long");
	text[n] = 0;
	return true;
}

static int read_all(struct sim *s, FILE *f, const char *path, struct err *err)
{
	struct line l = { .file = path, .err = err };
	char text[LINE_MOST];

	while (next_line(&l, f, text)) {
		if (!l.failed)
			line_split(&l, text);
		if (l.failed)
			return -1;
		if (!l.n)
			continue;
		read_line(s, &l);
		if (line_done(&l))
			return -1;
	}
	if (ferror(f))
		return err_errno(err, "%s", path);
	return 0;
}

int scenario_read_from(struct sim *s, FILE *f, const char *name,
		       struct err *err)
{
	if (read_all(s, f, name, err) || build_check_problems(s, name, err))
		return -1;
	return s->n_hosts ? 0 : err_set(err, ERR_FORMAT, "%s: no hosts", name);
}

int scenario_read(struct sim *s, const char *path, struct err *err)
{
	FILE *f = scenario_open(path);
	int rc;

	if (!f)
		return err_errno(err, "%s", path);
	rc = scenario_read_from(s, f, path, err);
	fclose(f);
	if (!rc && !s->n_taps && !s->twin.is_twin)
		return err_set(err, ERR_FORMAT, "%s: no taps", path);
	return rc;
}

bool scenario_title(const char *path, char out[static 160])
{
	FILE *f = scenario_open(path);
	char text[160];
	bool found = false;

	if (!f)
		return false;
	while (!found && fgets(text, sizeof text, f))
		found = !strncmp(text, "title ", 6);
	fclose(f);
	if (found) {
		text[strcspn(text, "\n")] = 0;
		strcpy(out, text + 6);
	}
	return found;
}

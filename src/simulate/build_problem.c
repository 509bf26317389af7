/* SPDX-License-Identifier: GPL-2.0-or-later
 * Words of a scenario: what it does to a job and would not have to. */
#include "simulate/build.h"

#include <stdio.h>
#include <string.h>

#include "simulate/line.h"
#include "simulate/twin.h"
#include "simulate/work.h"
#include "simulate/world.h"

static const char *const classes[] = {
#define X(id, name, side) name,
	ANSWER_CLASSES(X)
#undef X
		NULL
};

static const enum side sides[] = {
#define X(id, name, side) SIDE_##side,
	ANSWER_CLASSES(X)
#undef X
};

static void read_places(struct line *l, struct problem *t)
{
	char text[LINE_MOST];
	char *save = NULL, *w;

	snprintf(text, sizeof text, "%s", line_text(l, "at", ""));
	for (w = strtok_r(text, ",", &save); w;
	     w = strtok_r(NULL, ",", &save)) {
		if (t->n_at == PROBLEM_PLACES || strlen(w) >= PROBLEM_TEXT) {
			line_fail(l, "at= names up to %d places",
				  PROBLEM_PLACES);
			return;
		}
		strcpy(t->at[t->n_at++], w);
	}
	if (!t->n_at)
		line_fail(l, "at= says where it begins");
}

void build_problem(struct sim *s, struct line *l)
{
	static const char *const who[] = { "network", "host", NULL };
	struct problem t = { 0 };
	const char *name = line_word(l, "a name");

	if (s->n_problems == PROBLEMS || strlen(name) >= sizeof t.name) {
		line_fail(l, "up to %d problems, with short names", PROBLEMS);
		return;
	}
	strcpy(t.name, name);
	t.class = line_choice(l, "class", classes, CLASS_COMPUTE);
	t.side = sides[t.class];
	t.side = line_choice(l, "side", who, t.side - SIDE_NETWORK) +
		 SIDE_NETWORK;
	if (sides[t.class] == SIDE_NEEDED)
		line_fail(l, "class=: that time is needed by the job");
	read_places(l, &t);
	if (!l->failed)
		s->problems[s->n_problems++] = t;
}

static bool is_place(const struct sim *s, const char *at)
{
	bool is_one;

	for (size_t i = 0; i < s->n_works; i++)
		if (!strcmp(s->works[i]->name, at))
			return true;
	return world_node(s, at) || build_direction(s, at, &is_one);
}

int build_check_problems(const struct sim *s, const char *path, struct err *err)
{
	for (size_t i = 0; i < s->n_problems; i++)
		for (unsigned k = 0; k < s->problems[i].n_at; k++)
			if (!s->twin.off && !is_place(s, s->problems[i].at[k]))
				return err_set(
					err, ERR_FORMAT,
					"%s: '%s' is not a host, link or work",
					path, s->problems[i].at[k]);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The span of time. */
#include "tui/model.h"

#include <string.h>

#include "base/clamp.h"

static int64_t length(const struct span *s)
{
	return clamp_sub(s->to, s->from);
}

static void remember(struct model *m)
{
	if (m->n_back == MODEL_BACK)
		memmove(&m->back[0], &m->back[1],
			--m->n_back * sizeof m->back[0]);
	m->back[m->n_back].span = m->span;
	m->back[m->n_back++].zoomed = m->zoomed;
}

/* Moves |s| into the whole; shortens it only when it is longer. */
static void clamp(const struct model *m, struct span *s)
{
	int64_t n = length(s);

	if (s->from < m->whole.from) {
		s->from = m->whole.from;
		s->to = clamp_add(s->from, n);
	}
	if (s->to > m->whole.to) {
		s->to = m->whole.to;
		s->from = clamp_add(s->to, -n);
	}
	if (s->from < m->whole.from)
		s->from = m->whole.from;
}

static void look(struct model *m, struct span s)
{
	if (length(&s) < MODEL_SHORTEST)
		s.to = clamp_add(s.from, MODEL_SHORTEST);
	clamp(m, &s);
	m->span = s;
	m->zoomed = s.from != m->whole.from || s.to != m->whole.to;
}

void model_whole(struct model *m, int64_t first, int64_t last)
{
	int64_t n = length(&m->span);

	m->whole = (struct span) { first, last < first ? first : last };
	if (!m->zoomed)
		m->span = m->whole;
	else if (m->follow)
		m->span = (struct span) { clamp_add(m->whole.to, -n),
					  m->whole.to };
	if (m->span.from < first)
		m->span.from = first;
	if (m->span.to < m->span.from)
		m->span.to = m->span.from;
}

void model_look(struct model *m, int64_t from, int64_t to)
{
	remember(m);
	m->follow = false;
	look(m, (struct span) { from, to < from ? from : to });
}

void model_scale(struct model *m, double factor)
{
	double n = (double)length(&m->span) * factor;
	int64_t most = length(&m->whole), want;
	int64_t middle = clamp_add(m->span.from, length(&m->span) / 2);
	struct span s;

	remember(m);
	want = n >= (double)most            ? most
	       : n < (double)MODEL_SHORTEST ? MODEL_SHORTEST
					    : (int64_t)n;
	s.from = m->follow ? clamp_add(m->span.to, -want)
			   : clamp_add(middle, -want / 2);
	s.to = clamp_add(s.from, want);
	look(m, s);
}

void model_move(struct model *m, double part)
{
	const double most = (double)(INT64_MAX / 2);
	double by_ns = (double)length(&m->span) * part;
	int64_t by = (int64_t)(by_ns > most    ? most
			       : by_ns < -most ? -most
					       : by_ns);

	remember(m);
	m->follow = false;
	look(m, (struct span) { clamp_add(m->span.from, by),
				clamp_add(m->span.to, by) });
}

bool model_undo(struct model *m)
{
	if (!m->n_back)
		return false;
	m->n_back--;
	m->zoomed = m->back[m->n_back].zoomed;
	m->span = m->zoomed ? m->back[m->n_back].span : m->whole;
	m->follow = false;
	return true;
}

void model_all(struct model *m)
{
	remember(m);
	m->zoomed = false;
	m->span = m->whole;
}

void model_hold(struct model *m)
{
	m->follow = false;
	m->zoomed = true;
}

void model_follow(struct model *m)
{
	int64_t n = length(&m->span);

	m->follow = true;
	if (m->zoomed)
		look(m,
		     (struct span) { clamp_add(m->whole.to, -n), m->whole.to });
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Flows of messages, and what all kinds of work share. */
#include "simulate/work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/mem.h"
#include "simulate/qp.h"
#include "simulate/world.h"

void work_delivered(struct sim *s, struct message *m)
{
	if (m->work && m->work->kind->delivered)
		m->work->kind->delivered(s, m->work, m);
}

void work_completed(struct sim *s, struct message *m)
{
	if (m->work && m->work->kind->completed)
		m->work->kind->completed(s, m->work, m);
}

void work_free(struct work *w)
{
	w->kind->free(w);
}

static void begin(struct sim *s, void *object, uint64_t argument)
{
	struct work *w = object;

	(void)argument;
	w->kind->start(s, w);
}

void work_start(struct sim *s)
{
	for (size_t i = 0; i < s->n_works; i++) {
		struct work *w = s->works[i];

		if (s->twin.alone && strcmp(s->twin.alone, w->name) != 0)
			continue;
		s->open += w->kind->rank || w->kind->ends;
		events_add(&s->events, w->start, begin, w, 0);
	}
}

void work_is_done(struct sim *s)
{
	static const int64_t last_acks = 100 * PS_PER_US;

	if (!--s->open && s->ends_done && s->now + last_acks < s->until)
		s->until = s->now + last_acks;
}

/* --- flows ---------------------------------------------------------------- */

static void post(struct sim *s, struct flow_work *f)
{
	uint64_t size = f->size;

	if ((f->count && f->posted == f->count) ||
	    (f->stop && s->now >= f->stop) || f->qp->closed || f->qp->dead)
		return;
	if (f->size_max > f->size)
		size += rng_below(f->rng, f->size_max - f->size + 1);
	requester_post(s, f->qp, f->op[f->posted++ % f->n_ops], size, &f->work);
}

static void post_later(struct sim *s, void *object, uint64_t argument)
{
	(void)argument;
	post(s, object);
}

static void post_regularly(struct sim *s, void *object, uint64_t argument)
{
	struct flow_work *f = object;

	(void)argument;
	post(s, f);
	sim_after(s, f->every, post_regularly, f, 0);
}

static void flow_start(struct sim *s, struct work *w)
{
	struct flow_work *f = (struct flow_work *)w;

	qp_open(s, f->qp);
	if (f->every) {
		post_regularly(s, f, 0);
		return;
	}
	for (uint32_t i = 0; i < f->depth; i++)
		post(s, f);
}

static void flow_completed(struct sim *s, struct work *w, struct message *m)
{
	struct flow_work *f = (struct flow_work *)w;

	int64_t gap = f->gap;

	(void)m;
	if (f->gap_to > f->gap)
		gap += (int64_t)rng_below(f->rng, (uint64_t)(f->gap_to - gap));
	if (!f->every)
		sim_after(s, gap, post_later, f, 0);
}

static void flow_free(struct work *w)
{
	free(((struct flow_work *)w)->rng);
	free(w);
}

static const struct work_kind flow_kind = {
	.name = "flow",
	.start = flow_start,
	.completed = flow_completed,
	.free = flow_free,
};

struct work *flow_new(struct sim *s, const char *name,
		      const struct flow_work *like)
{
	struct flow_work *f = mem_new(sizeof *f);

	*f = *like;
	f->work.kind = &flow_kind;
	snprintf(f->work.name, sizeof f->work.name, "%s", name);
	f->rng = mem_new(sizeof *f->rng);
	*f->rng = rng_fork(s->seed, name, 0xf10);
	s->works =
		mem_room(s->works, s->n_works, &s->cap_works, sizeof *s->works);
	s->works[s->n_works++] = &f->work;
	return &f->work;
}

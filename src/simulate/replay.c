/* SPDX-License-Identifier: GPL-2.0-or-later
 * Messages that were seen once are replayed, each when what let it begin has
 * come about again, and those of a queue pair in their order. */
#include "simulate/replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/mem.h"
#include "simulate/qp.h"
#include "simulate/world.h"

enum { NONE = UINT32_MAX };

/* Message |who| waits for another one. */
struct wait {
	uint32_t who;
	uint32_t next; /* wait for the same message, or NONE */
	bool acked;
};

struct item {
	struct replay_send c;
	uint32_t waits; /* for so many others still */
	/* The first and the last wait for it, or NONE: what two wait for lets
	 * them begin in their own order. */
	uint32_t waiting, waiting_last;
	uint32_t behind; /* the one after it of its queue pair, or NONE */
	bool first;      /* none is before it, or all are posted */
	bool due, delivered, completed;
	int64_t last; /* ps: it was there; -1 not yet */
	struct message *message;
};

struct replay {
	struct work work;
	struct item *items;
	size_t n, cap, open;
	struct wait *waits;
	size_t n_waits, cap_waits;
};

static struct replay *replay_of(struct work *w)
{
	return (struct replay *)w;
}

static void post(struct sim *s, struct replay *r, uint32_t k)
{
	struct item *i = &r->items[k];

	if (i->c.qp->closed || i->c.qp->dead)
		return;
	i->message = requester_post(s, i->c.qp, i->c.op, i->c.bytes, &r->work);
	i->message->step = k;
}

/* It has waited long enough; so may those behind it. */
static void due(struct sim *s, void *object, uint64_t argument)
{
	struct replay *r = object;
	uint32_t k = (uint32_t)argument;

	r->items[k].due = true;
	for (; k != NONE && r->items[k].due && r->items[k].first;
	     k = r->items[k].behind) {
		post(s, r, k);
		if (r->items[k].behind != NONE)
			r->items[r->items[k].behind].first = true;
	}
}

/* Those that wait for |of| to be there; with |acked|, for its ACK. */
static void release(struct sim *s, struct replay *r, uint32_t of, bool acked)
{
	for (uint32_t k = r->items[of].waiting; k != NONE;
	     k = r->waits[k].next) {
		struct item *i = &r->items[r->waits[k].who];

		if (r->waits[k].acked == acked && !--i->waits)
			sim_after(s, i->c.wait, due, r, r->waits[k].who);
	}
}

static void delivered(struct sim *s, struct work *w, struct message *m)
{
	struct replay *r = replay_of(w);
	struct item *i = &r->items[m->step];

	if (i->delivered)
		return;
	i->delivered = true;
	i->last = s->now;
	release(s, r, m->step, false);
}

static void completed(struct sim *s, struct work *w, struct message *m)
{
	struct replay *r = replay_of(w);
	struct item *i = &r->items[m->step];

	if (i->completed)
		return;
	i->completed = true;
	if (!i->delivered)
		delivered(s, w, m);
	release(s, r, m->step, true);
	if (!--r->open)
		work_is_done(s);
}

struct turn {
	const struct qp *qp;
	uint32_t item;
};

static int by_qp(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	if (x->qp != y->qp)
		return (uintptr_t)x->qp < (uintptr_t)y->qp ? -1 : 1;
	return (x->item > y->item) - (x->item < y->item);
}

static void put_in_order(struct replay *r)
{
	struct turn *t = mem_new((r->n + 1) * sizeof *t);

	for (uint32_t k = 0; k < r->n; k++)
		t[k] = (struct turn) { r->items[k].c.qp, k };
	qsort(t, r->n, sizeof *t, by_qp);
	for (size_t k = 0; k < r->n; k++) {
		struct item *i = &r->items[t[k].item];

		i->first = !k || t[k - 1].qp != t[k].qp;
		i->behind = k + 1 < r->n && t[k + 1].qp == t[k].qp
				    ? t[k + 1].item
				    : NONE;
	}
	free(t);
}

static void start(struct sim *s, struct work *w)
{
	struct replay *r = replay_of(w);

	put_in_order(r);
	for (size_t k = 0; k < r->n; k++)
		qp_open(s, r->items[k].c.qp);
	for (size_t k = 0; k < r->n; k++)
		if (!r->items[k].waits)
			sim_after(s, r->items[k].c.wait, due, r, k);
}

static void replay_free(struct work *w)
{
	free(replay_of(w)->items);
	free(replay_of(w)->waits);
	free(w);
}

static const struct work_kind replay_kind = {
	.name = "replay",
	.start = start,
	.delivered = delivered,
	.completed = completed,
	.free = replay_free,
	.ends = true,
};

struct work *replay_new(struct sim *s, const char *name)
{
	struct replay *r = mem_new(sizeof *r);

	r->work.kind = &replay_kind;
	snprintf(r->work.name, sizeof r->work.name, "%s", name);
	s->works =
		mem_room(s->works, s->n_works, &s->cap_works, sizeof *s->works);
	s->works[s->n_works++] = &r->work;
	return &r->work;
}

struct work *replay_named(const struct sim *s, const char *name)
{
	for (size_t i = 0; i < s->n_works; i++)
		if (s->works[i]->kind == &replay_kind &&
		    !strcmp(s->works[i]->name, name))
			return s->works[i];
	return NULL;
}

size_t replay_count(const struct work *w)
{
	return ((const struct replay *)w)->n;
}

void replay_add(struct work *w, const struct replay_send *c)
{
	struct replay *r = replay_of(w);

	r->items = mem_room(r->items, r->n, &r->cap, sizeof *r->items);
	r->items[r->n++] = (struct item) {
		.c = *c, .waiting = NONE, .waiting_last = NONE, .last = -1
	};
	r->open++;
}

void replay_after(struct work *w, size_t of, bool acked)
{
	struct replay *r = replay_of(w);
	struct item *i = &r->items[of];

	r->waits =
		mem_room(r->waits, r->n_waits, &r->cap_waits, sizeof *r->waits);
	r->waits[r->n_waits] =
		(struct wait) { (uint32_t)(r->n - 1), NONE, acked };
	if (i->waiting == NONE)
		i->waiting = (uint32_t)r->n_waits;
	else
		r->waits[i->waiting_last].next = (uint32_t)r->n_waits;
	i->waiting_last = (uint32_t)r->n_waits++;
	r->items[r->n - 1].waits++;
}

bool replay_took(const struct work *w, size_t k, int64_t *first, int64_t *last)
{
	const struct item *i = &((const struct replay *)w)->items[k];

	*first = i->message ? i->message->first : -1;
	*last = i->last;
	return i->completed;
}

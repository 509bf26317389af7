/* SPDX-License-Identifier: GPL-2.0-or-later
 * When it is decided about recoveries: at the end of the capture, also about
 * those of connections that were over before. */
#include "flow/core/tracker.h"

#include <stdlib.h>

#include "base/mem.h"
#include "flow/recovery/recovery.h"

/* A flow that is over while the capture goes on, and its row. */
struct ended {
	struct flow f;
	struct fact_flow row;
};

/* More are decided about at once. */
enum { ENDED_MAX = 1 << 12, ENDED_FIRST = 16 };

static bool ended_room(struct engine *e)
{
	return e->n_ended < ENDED_MAX &&
	       mem_grow(&e->ended, e->n_ended, &e->room_ended, ENDED_FIRST,
			sizeof *e->ended);
}

/* What UET rests on beside its flow goes with it. */
static void flow_end(struct engine *e, struct flow *f)
{
	f->later = f->later && !flow_is_uet(f) && f->pending &&
		   (f->pending->n || f->pending->n_refills) && ended_room(e);
	if (!f->later)
		recovery_judge(e, f);
}

static void keep_row(struct engine *e, struct flow *f,
		     const struct fact_flow *row)
{
	e->ended[e->n_ended++] = (struct ended) { .f = *f, .row = *row };
	f->pending = NULL;
	f->events = NULL;
}

static void finish(struct engine *e)
{
	for (uint32_t i = 0; i < e->n_ended; i++) {
		struct ended *x = &e->ended[i];

		recovery_judge(e, &x->f);
		emit_row(e, &x->f, &x->row);
	}
}

static void forget(struct engine *e)
{
	for (uint32_t i = 0; i < e->n_ended; i++) {
		recovery_forget(e, &e->ended[i].f);
		free(e->ended[i].f.events);
	}
	e->n_ended = 0;
}

/* Once an hour of a live capture: nothing more is to be learnt of them. */
static void reset_caps(struct engine *e)
{
	finish(e);
	forget(e);
}

static void fini(struct engine *e)
{
	forget(e);
	free(e->ended);
}

const struct tracker recovery_tracker = {
	.fini = fini,
	.flow_end = flow_end,
	.keep_row = keep_row,
	.flow_free = recovery_forget,
	.finish = finish,
	.reset_caps = reset_caps,
};

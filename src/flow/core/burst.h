/* SPDX-License-Identifier: GPL-2.0-or-later
 * When a flow sent and when it was silent. */
#ifndef FABSCOPE_FLOW_CORE_BURST_H
#define FABSCOPE_FLOW_CORE_BURST_H

#include "flow/core/tap.h"

bool burst_init(struct engine *e);
void burst_fini(struct engine *e);

/* Data of |f| passed at |last|, and again only at |ns|, with |payload| bytes,
 * which are counted already. */
void burst_silence(struct engine *e, struct flow *f, int64_t last, int64_t ns,
		   uint32_t payload);

/* All messages of |f| that began are over: steps of a collective may be one
 * short silence apart. */
static inline bool burst_between(const struct engine *e, const struct flow *f)
{
	return flow_is_uet(f) ? !transport(e, f)->in_message(f)
			      : !f->in_message && !f->rsp_open;
}

/* The last data of |f|: requests, and answers of a flow that answers READs. */
static inline int64_t burst_last(const struct flow *f)
{
	return f->response_ns > f->last_req_ns ? f->response_ns
					       : f->last_req_ns;
}

/* Data of |f| passes; data of its kind passed at |last|. */
static inline void burst_data(struct engine *e, struct flow *f, int64_t last,
			      const struct packet *p)
{
	if (p->tap < e->n_taps)
		tap_pace(&e->taps[p->tap], p->ns);
	/* What follows is far away in memory. */
	if (p->ns - last <= e->burst_step)
		return;
	last = burst_last(f);
	if (p->ns - last > e->burst_step &&
	    (p->ns - last > e->burst_gap || burst_between(e, f)))
		burst_silence(e, f, last, p->ns, p->payload);
}

/* |n| PSNs of |f| went by with a request that carries no data: where that is
 * not in the same stretch at all places, they must not count. */
static inline void burst_bare(struct flow *f, uint32_t n)
{
	f->burst_psns += n;
}

/* |f| says no more. */
void burst_finish(struct engine *e, struct flow *f);
/* Those that ended before |before| are not reported any more. */
void burst_forget(struct engine *e, int64_t before);
void bursts_emit(struct engine *e);

#endif

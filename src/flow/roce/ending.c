/* SPDX-License-Identifier: GPL-2.0-or-later
 * How the requests of a queue pair ended: see ending.h.
 *
 * A requester whose timer expires retransmits from its first request that is
 * not acknowledged, retry_cnt times, and is then in the error state: it sends
 * nothing more.  So it is enough to count how often it went back to the same
 * PSN, and what the receiver said of that PSN last. */
#include "flow/roce/ending.h"

#include <stdlib.h>

#include "base/mem.h"
#include "flow/core/serial.h"

struct ending {
	struct fact_ending fact; /* ids are filled in when it is handed out */
	uint32_t nxt;            /* when the sender last went back */
	bool tried, refused;     /* the PSN of |fact| is of one of these */
};

static struct ending *ending_at(struct flow *f, uint32_t psn)
{
	struct ending *x = f->ending;

	if (!x)
		x = f->ending = mem_calloc(1, sizeof *x);
	if (!x || ((x->tried || x->refused) && x->fact.psn == psn))
		return x;
	*x = (struct ending) { .fact = { .psn = psn,
					 .rnr_wait_ns = FACT_UNKNOWN,
					 .shortest_ns = FACT_UNKNOWN,
					 .longest_ns = FACT_UNKNOWN } };
	return x;
}

static void note_wait(struct fact_ending *x, int64_t ns)
{
	if (ns <= 0)
		return;
	if (x->shortest_ns == FACT_UNKNOWN || ns < x->shortest_ns)
		x->shortest_ns = ns;
	if (ns > x->longest_ns)
		x->longest_ns = ns;
}

void ending_tried(struct flow *f, const struct packet *p,
		  enum recovery_trigger trigger)
{
	struct ending *x;

	/* The receiver asked for it: it is there. */
	if (trigger == TRIGGER_RNR || trigger == TRIGGER_NAK)
		return;
	x = ending_at(f, p->psn);
	if (!x)
		return;
	note_wait(&x->fact,
		  p->ns - (x->tried ? x->fact.last_ns : f->last_req_ns));
	if (!x->tried) {
		x->fact.first_ns = p->ns;
		x->fact.frame_first = p->frame;
	}
	x->tried = true;
	x->fact.tries++;
	x->fact.last_ns = p->ns;
	x->fact.frame_last = p->frame;
	x->fact.tap = p->tap;
	x->fact.payload = p->payload;
	x->fact.opcode = p->opcode;
	x->fact.wanted =
		p->flags & PACKET_HAS_RETH ? (int64_t)p->dma_len : FACT_UNKNOWN;
	x->nxt = f->nxt;
}

void ending_refused(struct flow *f, const struct packet *p, int64_t wait_ns)
{
	struct ending *x = ending_at(f, p->psn);

	if (!x)
		return;
	x->refused = true;
	x->fact.refusals++;
	x->fact.syndrome = p->syndrome;
	x->fact.rnr_wait_ns = wait_ns;
	x->fact.refused_ns = p->ns;
	x->fact.frame_refused = p->frame;
	if (!x->tried)
		x->fact.tap = p->tap;
}

/* Requests so long after a try, or a refusal, that another one was due before:
 * it was acknowledged, though the capture need not have the ACK. */
static bool went_on(const struct flow *f, const struct fact_ending *x)
{
	int64_t since =
		f->last_req_ns -
		(x->last_ns > x->refused_ns ? x->last_ns : x->refused_ns);

	return since >
	       (x->last_ns > x->refused_ns ? x->longest_ns : x->rnr_wait_ns);
}

/* Does nothing that was sent or answered later say that it went on? */
static bool is_last(const struct flow *f, const struct ending *x)
{
	if (f->died)
		return x->refused && x->fact.syndrome > 0x60;
	if (went_on(f, &x->fact))
		return false;
	if (psn_diff(f->una, x->fact.psn) <= 0)
		return psn_diff(f->nxt, x->fact.psn) > 0;
	/* Acknowledged as seen here, and yet the sender went on trying. */
	return x->fact.tries > 1 && x->nxt == f->nxt;
}

void ending_emit(struct engine *e, struct flow *f)
{
	struct ending *x = f->ending;
	struct fact_ending out;

	if (!x || !is_last(f, x))
		return;
	if (!limit_take(e, LIMIT_ENDING, 1, true))
		return;
	out = x->fact;
	out.flow = f->id;
	out.first = f->initial;
	out.mid_stream = f->mid_stream;
	out.next = f->nxt;
	out.acked = psn_diff(f->una, out.psn) > 0;
	out.last_response_ns =
		f->last_rsp_seen_ns ? f->last_rsp_seen_ns : FACT_UNKNOWN;
	out.end_ns = e->now;
	HAND_OUT(e, ending, &out);
}

void ending_free(struct flow *f)
{
	free(f->ending);
	f->ending = NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * How data of a collective goes from rank to rank.
 *
 * Plainly: a WRITE with immediate data on each QP of the pair.  With nccl=yes
 * as NCCL does it: the receiver first writes a descriptor of its buffer (CTS)
 * into a small ring at the sender, on a QP of the same pair, and the sender
 * waits for it; where routing is adaptive, long data goes by a plain WRITE and
 * an empty WRITE with immediate data behind it says that it is all there. */
#include "simulate/collective.h"

#include <string.h>

#include "simulate/mem.h"
#include "simulate/qp.h"
#include "simulate/world.h"

enum {
	CTS_BYTES = 64,   /* a descriptor */
	CTS_RING = 256,   /* descriptors */
	CTS_AHEAD = 8,    /* transfers a receiver has buffers for */
	PLAIN_MOST = 8192 /* adaptive routing: longer data is not last */
};

static struct message *post(struct sim *s, struct collective *c, struct qp *q,
			    enum msg_op op, uint64_t bytes)
{
	return requester_post(s, q, op, bytes, &c->work);
}

static void post_part(struct sim *s, struct collective *c, struct qp *q,
		      const struct transfer *t, uint64_t bytes)
{
	struct message *m;

	if (c->c.adaptive && bytes > PLAIN_MOST) {
		m = post(s, c, q, MSG_WRITE, bytes);
		m->iteration = t->iteration;
		m->role = ROLE_BULK;
		bytes = 0;
	}
	m = post(s, c, q, MSG_WRITE_IMM, bytes);
	m->iteration = t->iteration;
	m->rank = t->to;
	m->from = t->from;
	m->step = t->step;
}

/* |t|, in slices, spread over the QPs of its pair of ranks. */
static void put(struct sim *s, struct collective *c, const struct transfer *t)
{
	struct partner *to = &c->ranks[t->from].with[t->to];
	uint32_t parts = parts_of(c);
	uint64_t part = t->bytes / parts, rest = t->bytes % parts;

	for (uint32_t i = 0; i < parts; i++)
		post_part(s, c, to->qp[i % c->c.qps], t, part + (i < rest));
}

void exchange_send(struct sim *s, struct collective *c, uint32_t r,
		   uint32_t peer, uint64_t bytes, uint32_t step)
{
	struct rank *rank = &c->ranks[r];
	struct partner *to = &rank->with[peer];
	struct transfer t = { bytes, rank->iteration, step, r, peer };

	to->sends++;
	if (!c->c.nccl) {
		put(s, c, &t);
	} else if (to->granted) {
		to->granted--;
		put(s, c, &t);
	} else {
		to->held = mem_room(to->held, to->n_held, &to->cap_held,
				    sizeof *to->held);
		to->held[to->n_held++] = t;
	}
}

/* --- clear to send -------------------------------------------------------- */

/* |r| tells |peer| of a buffer for its next transfer. */
static void clear_to_send(struct sim *s, struct collective *c, uint32_t r,
			  uint32_t peer)
{
	struct partner *to = &c->ranks[r].with[peer];
	struct qp *q = to->qp[to->cts_slot % c->c.qps];
	uint64_t va = q->next_va;
	struct message *m;

	q->next_va = UINT64_C(0x7e0000000000) + (uint64_t)q->qpn * 0x10000 +
		     to->cts_slot++ % CTS_RING * CTS_BYTES;
	to->asked++;
	m = post(s, c, q, MSG_WRITE, CTS_BYTES);
	q->next_va = va;
	m->iteration = c->ranks[r].iteration;
	m->role = ROLE_CTS;
	m->rank = peer;
	m->step = r;
}

/* As many as there are buffers, and data still to come. */
static void ask(struct sim *s, struct collective *c, uint32_t r, uint32_t peer)
{
	struct rank *rank = &c->ranks[r];
	struct partner *from = &rank->with[peer];
	uint32_t all = pattern_of(c)->expects(c, r, peer);
	uint32_t came = from->came[rank->iteration % AHEAD] / parts_of(c);

	while (rank->ready && from->asked < all &&
	       from->asked < came + CTS_AHEAD)
		clear_to_send(s, c, r, peer);
}

static void receives_posted(struct sim *s, void *object, uint64_t argument)
{
	struct collective *c = object;
	uint32_t r = (uint32_t)argument;

	c->ranks[r].ready = true;
	for (uint32_t peer = 0; peer < c->c.n; peer++)
		if (c->ranks[r].with[peer].qp)
			ask(s, c, r, peer);
}

void exchange_begin(struct sim *s, struct collective *c, uint32_t r)
{
	struct rank *rank = &c->ranks[r];
	bool slow = c->c.recv_late && r == c->c.recv_rank &&
		    rank->iteration >= c->c.recv_from;

	for (uint32_t i = 0; i < c->c.n; i++)
		rank->with[i].sends = rank->with[i].asked = 0;
	if (!c->c.nccl)
		return;
	if (slow)
		sim_after(s, c->c.recv_late, receives_posted, c, r);
	else
		receives_posted(s, c, r);
}

static void cleared(struct sim *s, struct collective *c, uint32_t r,
		    uint32_t peer)
{
	struct partner *to = &c->ranks[r].with[peer];
	struct transfer t;

	if (!to->n_held) {
		to->granted++;
		return;
	}
	t = to->held[0];
	memmove(to->held, to->held + 1, --to->n_held * sizeof *to->held);
	put(s, c, &t);
}

/* --- what came ------------------------------------------------------------ */

void exchange_came(struct sim *s, struct collective *c, struct message *m)
{
	struct rank *rank = &c->ranks[m->rank];
	uint32_t from = m->from;

	if (m->role == ROLE_BULK)
		return;
	if (m->role == ROLE_CTS) {
		cleared(s, c, m->rank, m->step);
		return;
	}
	rank->got[m->iteration % AHEAD][m->step]++;
	rank->with[from].came[m->iteration % AHEAD]++;
	if (!rank->talking || rank->iteration != m->iteration)
		return;
	rank->last_from = from;
	if (c->c.nccl)
		ask(s, c, m->rank, from);
	pattern_of(c)->go(s, c, m->rank);
}

void exchange_completed(struct sim *s, struct collective *c, struct message *m)
{
	struct rank *rank = &c->ranks[m->from];

	if (m->role != ROLE_DATA || rank->iteration != m->iteration ||
	    !rank->talking)
		return;
	rank->completed++;
	if (c->c.serial)
		pattern_of(c)->go(s, c, m->from);
}

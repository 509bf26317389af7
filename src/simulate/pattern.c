/* SPDX-License-Identifier: GPL-2.0-or-later
 * Shapes of collectives.
 *
 *   ring            all-reduce in 2(n-1) steps; step k goes to the next rank
 *                   once step k-1 has come from the one before
 *   doublering      two of these, half of the data each way round
 *   allgather,      half of it: n-1 steps
 *   reducescatter
 *   tree            up: a rank sends to its parent when it has both children's
 *                   data; down: it passes on what comes from the parent
 *   all-to-all      one message to every other rank
 *   pipeline        micro-batches go down the chain of ranks and their
 *                   gradients back up, each worked on before it goes on
 *   rail            ranks are NICs, |server| to a machine; a ring for each
 *                   rail, and a machine goes on when all its NICs are done
 *   parallel        a step of training: batches go down a chain of stages and
 *                   back up, in each stage by way of its experts; then a ring
 *                   of the replicas of each rank
 */
#include "simulate/collective.h"

#include "simulate/world.h"

/* --- ring, all-gather, reduce-scatter ------------------------------------- */

static uint32_t next_of(const struct collective *c, uint32_t r)
{
	return (r + 1) % c->c.n;
}

static bool ring_joined(const struct collective *c, uint32_t a, uint32_t b)
{
	return b == next_of(c, a);
}

static uint32_t ring_steps(const struct collective *c)
{
	return 2 * (c->c.n - 1);
}

static uint32_t half_ring_steps(const struct collective *c)
{
	return c->c.n - 1;
}

static uint32_t ring_expects(const struct collective *c, uint32_t r,
			     uint32_t from)
{
	return next_of(c, from) == r ? c->steps : 0;
}

static bool ring_awaits(const struct collective *c, uint32_t r, uint32_t from)
{
	return next_of(c, from) == r;
}

static bool has(const struct collective *c, const struct rank *r, uint32_t step,
		uint32_t senders)
{
	return r->got[r->iteration % AHEAD][step] >= senders * parts_of(c);
}

/* A way round: its steps are |first| to |end| of the pattern's. */
struct way {
	uint32_t next, first, end;
	uint64_t chunk;
};

/* Sends what may be sent, from |*step| on; true when all has come. */
static bool go_round(struct sim *s, struct collective *c, uint32_t r,
		     const struct way *w, uint32_t *step)
{
	struct rank *rank = &c->ranks[r];
	uint32_t steps = w->end - w->first;

	while (*step < steps &&
	       (!*step || has(c, rank, w->first + *step - 1, 1))) {
		uint32_t now = w->first + (*step)++;

		exchange_send(s, c, r, w->next, w->chunk, now);
	}
	return *step == steps && has(c, rank, w->end - 1, 1);
}

static void ring_go(struct sim *s, struct collective *c, uint32_t r)
{
	struct rank *rank = &c->ranks[r];
	struct way w = { next_of(c, r), 0, c->steps,
			 c->sizes[rank->iteration] / c->c.n };

	if (go_round(s, c, r, &w, &rank->step))
		collective_finish(s, c, r);
}

/* --- double ring ---------------------------------------------------------- */

static uint32_t prior_of(const struct collective *c, uint32_t r)
{
	return (r + c->c.n - 1) % c->c.n;
}

static uint32_t double_steps(const struct collective *c)
{
	return 2 * ring_steps(c);
}

static bool double_joined(const struct collective *c, uint32_t a, uint32_t b)
{
	return b == next_of(c, a) || a == next_of(c, b);
}

static uint32_t double_expects(const struct collective *c, uint32_t r,
			       uint32_t from)
{
	return ring_steps(c) *
	       ((r == next_of(c, from)) + (from == next_of(c, r)));
}

static bool double_awaits(const struct collective *c, uint32_t r, uint32_t from)
{
	const struct rank *rank = &c->ranks[r];
	uint32_t half = ring_steps(c);

	return (next_of(c, from) == r && !has(c, rank, half - 1, 1)) ||
	       (next_of(c, r) == from && !has(c, rank, 2 * half - 1, 1));
}

static void double_go(struct sim *s, struct collective *c, uint32_t r)
{
	struct rank *rank = &c->ranks[r];
	uint64_t chunk = c->sizes[rank->iteration] / c->c.n / 2;
	uint32_t half = ring_steps(c);
	struct way there = { next_of(c, r), 0, half, chunk };
	struct way back = { prior_of(c, r), half, 2 * half, chunk };
	bool came = go_round(s, c, r, &there, &rank->step);

	if (go_round(s, c, r, &back, &rank->back) && came)
		collective_finish(s, c, r);
}

static double bus_ring(const struct collective *c)
{
	return 2.0 * (c->c.n - 1) / c->c.n;
}

static double bus_share(const struct collective *c)
{
	return (double)(c->c.n - 1) / c->c.n;
}

/* --- rail ----------------------------------------------------------------- */

static uint32_t rail_next(const struct collective *c, uint32_t r)
{
	return (r + c->c.server) % c->c.n;
}

static bool rail_joined(const struct collective *c, uint32_t a, uint32_t b)
{
	return b == rail_next(c, a);
}

static uint32_t rail_steps(const struct collective *c)
{
	return 2 * (c->c.n / c->c.server - 1);
}

static uint32_t rail_expects(const struct collective *c, uint32_t r,
			     uint32_t from)
{
	return rail_next(c, from) == r ? c->steps : 0;
}

static bool rail_awaits(const struct collective *c, uint32_t r, uint32_t from)
{
	return rail_next(c, from) == r &&
	       !has(c, &c->ranks[r], c->steps - 1, 1);
}

/* Inside of a machine nothing is on the wire. */
static void rail_go(struct sim *s, struct collective *c, uint32_t r)
{
	uint32_t m = c->c.server, first = r / m * m, i;
	struct way w = { rail_next(c, r), 0, c->steps,
			 c->sizes[c->ranks[r].iteration] / c->c.n };

	if (!go_round(s, c, r, &w, &c->ranks[r].step))
		return;
	for (i = first; i < first + m; i++)
		if (!c->ranks[i].talking || c->ranks[i].step < c->steps ||
		    !has(c, &c->ranks[i], c->steps - 1, 1))
			return;
	for (i = first; i < first + m; i++)
		collective_finish(s, c, i);
}

/* --- tree ----------------------------------------------------------------- */

enum tree_step { STEP_UP, STEP_DOWN };

static uint32_t two_steps(const struct collective *c)
{
	(void)c;
	return 2;
}

/* Both ways on the QPs of the parent. */
static bool tree_joined(const struct collective *c, uint32_t a, uint32_t b)
{
	(void)c;
	return b && (b - 1) / 2 == a;
}

static bool is_parent(uint32_t a, uint32_t b)
{
	return b && (b - 1) / 2 == a;
}

static uint32_t tree_expects(const struct collective *c, uint32_t r,
			     uint32_t from)
{
	(void)c;
	return is_parent(from, r) || is_parent(r, from);
}

static bool tree_awaits(const struct collective *c, uint32_t r, uint32_t from)
{
	const struct rank *rank = &c->ranks[r];

	return rank->step ? is_parent(from, r)
			  : is_parent(r, from) &&
				    rank->with[from].came[rank->iteration %
							  AHEAD] < parts_of(c);
}

static uint32_t children(const struct collective *c, uint32_t r)
{
	return (2 * r + 1 < c->c.n) + (2 * r + 2 < c->c.n);
}

static void send_down(struct sim *s, struct collective *c, uint32_t r,
		      uint64_t size)
{
	for (uint32_t k = 1; k <= 2; k++)
		if (2 * r + k < c->c.n)
			exchange_send(s, c, r, 2 * r + k, size, STEP_DOWN);
}

static void tree_go(struct sim *s, struct collective *c, uint32_t r)
{
	struct rank *rank = &c->ranks[r];
	uint64_t size = c->sizes[rank->iteration];

	if (rank->step == 0 && has(c, rank, STEP_UP, children(c, r))) {
		rank->step = 1;
		delay_step(c, r, rank->last_from);
		if (r)
			exchange_send(s, c, r, (r - 1) / 2, size, STEP_UP);
	}
	if (rank->step == 1 && (!r || has(c, rank, STEP_DOWN, 1))) {
		rank->step = 2;
		send_down(s, c, r, size);
		collective_finish(s, c, r);
	}
}

/* --- all-to-all ----------------------------------------------------------- */

static uint32_t one_step(const struct collective *c)
{
	(void)c;
	return 1;
}

static bool all_joined(const struct collective *c, uint32_t a, uint32_t b)
{
	(void)c;
	return a < b;
}

static uint32_t all_expects(const struct collective *c, uint32_t r,
			    uint32_t from)
{
	(void)c;
	return r != from;
}

static bool all_awaits(const struct collective *c, uint32_t r, uint32_t from)
{
	const struct rank *rank = &c->ranks[r];

	return r != from &&
	       rank->with[from].came[rank->iteration % AHEAD] < parts_of(c);
}

/* The |i|-th that |r| sends to. */
static uint32_t all_peer(const struct collective *c, uint32_t r, uint32_t i)
{
	return c->c.same_order ? i + (i >= r) : (r + 1 + i) % c->c.n;
}

static void all_go(struct sim *s, struct collective *c, uint32_t r)
{
	struct rank *rank = &c->ranks[r];
	uint64_t part = c->sizes[rank->iteration] / c->c.n;
	uint32_t peers = c->c.n - 1;

	while (rank->step < peers &&
	       (!c->c.serial || rank->completed >= rank->step * parts_of(c)))
		exchange_send(s, c, r, all_peer(c, r, rank->step++), part, 0);
	if (rank->step < peers || !has(c, rank, 0, peers))
		return;
	delay_step(c, r, rank->last_from);
	collective_finish(s, c, r);
}

/* --- pipeline ------------------------------------------------------------- */

static uint32_t pipe_steps(const struct collective *c)
{
	return 2 * c->c.micro; /* forward ones, then backward ones */
}

static bool pipe_joined(const struct collective *c, uint32_t a, uint32_t b)
{
	(void)c;
	return b == a + 1;
}

static uint32_t pipe_expects(const struct collective *c, uint32_t r,
			     uint32_t from)
{
	return from + 1 == r || r + 1 == from ? c->c.micro : 0;
}

/* Has the input of |step| come?  The ends of the chain have what they need. */
static bool pipe_input(const struct collective *c, uint32_t r, uint32_t step)
{
	bool source = step < c->c.micro ? r == 0 : r + 1 == c->c.n;

	return source || has(c, &c->ranks[r], step, 1);
}

static bool pipe_awaits(const struct collective *c, uint32_t r, uint32_t from)
{
	const struct rank *rank = &c->ranks[r];
	uint32_t step = rank->step;

	return step < c->steps && !pipe_input(c, r, step) &&
	       from == (step < c->c.micro ? r - 1 : r + 1);
}

static void pipe_go(struct sim *s, struct collective *c, uint32_t r);

/* A micro-batch has been worked on. */
static void pipe_worked(struct sim *s, void *object, uint64_t argument)
{
	struct collective *c = object;
	uint32_t r = (uint32_t)argument;
	struct rank *rank = &c->ranks[r];
	uint64_t size = c->sizes[rank->iteration];
	uint32_t step = rank->step++;
	bool forward = step < c->c.micro;

	rank->stage_until = -1;
	if (forward && r + 1 < c->c.n)
		exchange_send(s, c, r, r + 1, size, step);
	else if (!forward && r)
		exchange_send(s, c, r, r - 1, size, step);
	pipe_go(s, c, r);
}

static void pipe_go(struct sim *s, struct collective *c, uint32_t r)
{
	struct rank *rank = &c->ranks[r];

	if (rank->stage_until >= 0)
		return;
	if (rank->step == c->steps) {
		collective_finish(s, c, r);
	} else if (pipe_input(c, r, rank->step)) {
		rank->stage_until = s->now + c->c.stage;
		sim_after(s, c->c.stage, pipe_worked, c, r);
	}
}

/* --- parallel ------------------------------------------------------------- */

/* Rank ((replica * pp) + stage) * ep + expert. */
static uint32_t stage_of(const struct collective *c, uint32_t r)
{
	return r / c->c.ep % c->c.pp;
}

/* The same expert of the next stage; of the next replica, in a ring. */
static uint32_t next_stage(const struct collective *c, uint32_t r)
{
	return r + c->c.ep;
}

static uint32_t next_replica(const struct collective *c, uint32_t r)
{
	return (r + c->c.pp * c->c.ep) % c->c.n;
}

static bool are_experts(const struct collective *c, uint32_t a, uint32_t b)
{
	return a != b && a / c->c.ep == b / c->c.ep;
}

static bool are_stages(const struct collective *c, uint32_t a, uint32_t b)
{
	return b == next_stage(c, a) && stage_of(c, a) + 1 < c->c.pp;
}

/* Steps, in this order: what comes from the stage before (backward: behind),
 * what comes from the other experts, and the ring of the replicas. */
static uint32_t batches(const struct collective *c)
{
	return 2 * c->c.micro; /* forward ones, then backward ones */
}

static uint32_t replica_steps(const struct collective *c)
{
	return 2 * (c->c.dp - 1);
}

static uint32_t parallel_steps(const struct collective *c)
{
	return 2 * batches(c) + replica_steps(c);
}

static bool parallel_joined(const struct collective *c, uint32_t a, uint32_t b)
{
	return are_stages(c, a, b) || (a < b && are_experts(c, a, b)) ||
	       b == next_replica(c, a);
}

static uint32_t parallel_expects(const struct collective *c, uint32_t r,
				 uint32_t from)
{
	if (are_experts(c, r, from))
		return batches(c);
	if (are_stages(c, r, from) || are_stages(c, from, r))
		return c->c.micro;
	return r == next_replica(c, from) ? replica_steps(c) : 0;
}

/* Has what |batch| starts with come?  The ends of the chain have it. */
static bool batch_input(const struct collective *c, uint32_t r, uint32_t batch)
{
	uint32_t stage = stage_of(c, r);
	bool source = batch < c->c.micro ? stage == 0 : stage + 1 == c->c.pp;

	return source || has(c, &c->ranks[r], batch, 1);
}

static bool parallel_awaits(const struct collective *c, uint32_t r,
			    uint32_t from)
{
	const struct rank *rank = &c->ranks[r];
	uint32_t batch = rank->step / 2;

	if (rank->stage_until >= 0)
		return false;
	if (batch >= batches(c))
		return r == next_replica(c, from);
	if (rank->step % 2)
		return are_experts(c, r, from);
	if (batch_input(c, r, batch))
		return false;
	return batch < c->c.micro ? are_stages(c, from, r)
				  : are_stages(c, r, from);
}

static void parallel_go(struct sim *s, struct collective *c, uint32_t r);

/* A batch has been worked on: it goes to the next stage, or back. */
static void batch_worked(struct sim *s, void *object, uint64_t argument)
{
	struct collective *c = object;
	uint32_t r = (uint32_t)argument;
	struct rank *rank = &c->ranks[r];
	uint32_t batch = rank->step++ / 2, stage = stage_of(c, r);
	bool forward = batch < c->c.micro;

	rank->stage_until = -1;
	if (forward && stage + 1 < c->c.pp)
		exchange_send(s, c, r, next_stage(c, r), c->c.activations,
			      batch);
	else if (!forward && stage)
		exchange_send(s, c, r, r - c->c.ep, c->c.activations, batch);
	parallel_go(s, c, r);
}

static void to_experts(struct sim *s, struct collective *c, uint32_t r,
		       uint32_t batch)
{
	uint32_t first = r / c->c.ep * c->c.ep;

	for (uint32_t i = first; i < first + c->c.ep; i++)
		if (i != r)
			exchange_send(s, c, r, i, c->c.experts / c->c.ep,
				      batches(c) + batch);
}

/* A batch comes, goes to the experts and back, and is worked on. */
static bool go_batches(struct sim *s, struct collective *c, uint32_t r)
{
	struct rank *rank = &c->ranks[r];

	while (rank->step < 2 * batches(c)) {
		uint32_t batch = rank->step / 2;

		if (rank->stage_until >= 0)
			return false;
		if (rank->step % 2 == 0) {
			if (!batch_input(c, r, batch))
				return false;
			to_experts(s, c, r, batch);
			rank->step++;
		} else if (has(c, rank, batches(c) + batch, c->c.ep - 1)) {
			rank->stage_until = s->now + c->c.stage;
			sim_after(s, c->c.stage, batch_worked, c, r);
			return false;
		} else {
			return false;
		}
	}
	return true;
}

static void parallel_go(struct sim *s, struct collective *c, uint32_t r)
{
	struct rank *rank = &c->ranks[r];
	struct way w = { next_replica(c, r), 2 * batches(c), c->steps,
			 c->sizes[rank->iteration] / c->c.dp };

	if (go_batches(s, c, r) &&
	    (c->c.dp == 1 || go_round(s, c, r, &w, &rank->back)))
		collective_finish(s, c, r);
}

static const struct pattern_rule rules[] = {
	[PATTERN_RING] = { "allreduce", ring_steps, ring_joined, ring_expects,
			   ring_awaits, ring_go, bus_ring },
	[PATTERN_DOUBLERING] = { "allreduce", double_steps, double_joined,
				 double_expects, double_awaits, double_go,
				 bus_ring },
	[PATTERN_TREE] = { "allreduce", two_steps, tree_joined, tree_expects,
			   tree_awaits, tree_go, bus_ring },
	[PATTERN_ALLTOALL] = { "alltoall", one_step, all_joined, all_expects,
			       all_awaits, all_go, bus_share },
	[PATTERN_ALLGATHER] = { "allgather", half_ring_steps, ring_joined,
				ring_expects, ring_awaits, ring_go, bus_share },
	[PATTERN_REDUCESCATTER] = { "reducescatter", half_ring_steps,
				    ring_joined, ring_expects, ring_awaits,
				    ring_go, bus_share },
	[PATTERN_PIPELINE] = { "sendrecv", pipe_steps, pipe_joined,
			       pipe_expects, pipe_awaits, pipe_go, NULL },
	[PATTERN_RAIL] = { "allreduce", rail_steps, rail_joined, rail_expects,
			   rail_awaits, rail_go, bus_ring },
	[PATTERN_PARALLEL] = { "step", parallel_steps, parallel_joined,
			       parallel_expects, parallel_awaits, parallel_go,
			       NULL },
};

const struct pattern_rule *pattern_of(const struct collective *c)
{
	return &rules[c->c.pattern];
}

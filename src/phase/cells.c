/* SPDX-License-Identifier: GPL-2.0-or-later
 * The cells of a phase: what the walk found, and what is set right of it when
 * all of the phase is known. */
#include <math.h>
#include <string.h>

#include "base/search.h"
#include "phase/path_int.h"

void cells_give(struct path *p, uint32_t flow, uint32_t rank, bool gap,
		enum phase_share s, int64_t ns)
{
	struct cell *c = p->cells;

	if (ns <= 0)
		return;
	for (; c < p->cells + p->n_cells; c++)
		if (c->flow == flow && c->share == s && c->rank == rank &&
		    c->gap == gap)
			break;
	if (c == p->cells + PATH_CELLS) {
		/* So many in one phase: of a class and side one is enough. */
		for (c = p->cells; c < p->cells + PATH_CELLS - SHARE_COUNT; c++)
			if (c->share == s && c->gap == gap)
				break;
	} else if (c == p->cells + p->n_cells) {
		*c = (struct cell) { flow, rank, s, gap, 0 };
		p->n_cells++;
	}
	c->ns += ns;
}

void cells_give_time(struct path *p, uint32_t flow, uint32_t rank,
		     const struct path_time *t)
{
	for (unsigned s = 0; s < SHARE_COUNT; s++)
		cells_give(p, flow, rank, false, s, t->ns[s]);
}

/* ---- the links of hosts ---- */

/* Up to |over| of what was waited for behind data of the same job at the link
 * of rank |who| becomes |share| of it.  Returns how much did. */
static int64_t turn_shared(struct path *p, uint32_t who, enum phase_share share,
			   int64_t over)
{
	const struct job *j = p->j;
	int64_t sum = 0;

	for (size_t i = 0, n = p->n_cells; i < n && sum < over; i++) {
		struct cell *c = &p->cells[i];
		int64_t ns = c->ns < over - sum ? c->ns : over - sum;
		const struct phase_flow *f;

		if (c->share != SHARE_SHARED || c->flow == NO_RANK)
			continue;
		f = &j->in->flows[c->flow];
		if (j->rank_of[f->src] != who && j->rank_of[f->dst] != who)
			continue;
		c->ns -= ns;
		sum += ns;
		cells_give(p, c->flow, who, false, share, ns);
	}
	return sum;
}

/* How late the rank was that began this phase latest, beyond what counts
 * as such already; |*who|: NO_RANK none. */
static int64_t late_besides(const struct path *p, uint32_t *who)
{
	int64_t most = 0;

	*who = NO_RANK;
	for (uint32_t r = 0; r < p->j->n_ranks; r++)
		if (path_late_by(p, r) > most) {
			most = path_late_by(p, r);
			*who = r;
		}
	for (size_t i = 0; i < p->n_cells; i++)
		if (p->cells[i].share == SHARE_LATE ||
		    p->cells[i].share == SHARE_RECEIVER)
			most -= p->cells[i].ns;
	return most;
}

void cells_part(struct path *p, int64_t from)
{
	const struct job *j = p->j;
	double most = 0;

	for (uint32_t r = 0; r < j->n_ranks; r++) {
		double link = phase_link(j, j->ranks[r].host);
		double per = link > 0 ? 8e9 / link : 0;

		for (int in = 0; in < 2; in++)
			most = fmax(most,
				    per * loads_between(p->facts.own,
							j->ranks[r].host, in,
							from, p->part_to));
	}
	p->busiest += (int64_t)most;
	p->part_to = from;
}

/* The rank that is known to have sent more slowly than its link longest, |*ns|,
 * in this phase; NO_RANK: none. */
static uint32_t slow_sender(const struct path *p, int64_t *ns)
{
	uint32_t who = NO_RANK;

	*ns = 0;
	for (size_t i = 0; i < p->n_cells; i++)
		if (p->cells[i].share == SHARE_NIC && p->cells[i].ns > *ns) {
			*ns = p->cells[i].ns;
			who = p->cells[i].rank;
		}
	return who;
}

/* How long data of flow |f| was queued on its way in this phase. */
static int64_t queued_now(const struct path *p, uint32_t f)
{
	const struct phase_flow *g = &p->j->in->flows[f];
	int64_t sum = p->facts.full[f] ? p->facts.standing[f] : 0;

	for (size_t k = search_below(struct phase_activity, g->a, g->n, sent,
				     p->from);
	     k < g->n && g->a[k].from < p->to; k++)
		sum += piece_queued(&p->facts, f, &g->a[k]);
	return sum;
}

/* |over| of what was waited for behind data of the same job: some link was idle
 * meanwhile.  The network had it as far as it was queued there; what its sender
 * sent later than that, beside other data, may have waited for anything. */
static void crowd(struct path *p, int64_t over)
{
	for (size_t i = 0, n = p->n_cells; i < n && over > 0; i++) {
		struct cell *c = &p->cells[i];
		int64_t ns = c->ns < over ? c->ns : over, queued;
		uint32_t f = c->flow;

		if (c->share != SHARE_SHARED || f == NO_RANK)
			continue;
		queued = queued_now(p, f);
		queued = queued < ns ? queued : ns;
		c->ns -= ns;
		over -= ns;
		cells_give(p, f, c->rank, false,
			   path_held(&p->facts, p->j->in->flows[f].dst,
				     SHARE_CROWDED),
			   queued);
		cells_give(p, f, c->rank, false, SHARE_UNKNOWN, ns - queued);
	}
}

/* Waiting behind data of the same job is needed as far as the busiest link has
 * to carry all that; beyond, another link was idle meanwhile: that of a rank
 * which began late, until it did, and then all came at once, or that of one
 * which sent slowly, one flow beside the other. */
void cells_limit_shared(struct path *p)
{
	int64_t wire = 0, late, slow;
	uint32_t who;

	for (size_t i = 0; i < p->n_cells; i++)
		if (p->cells[i].share == SHARE_SHARED ||
		    p->cells[i].share == SHARE_WIRE)
			wire += p->cells[i].ns;
	cells_part(p, p->from);
	wire -= p->busiest;
	late = late_besides(p, &who);
	late = late < wire ? late : wire;
	if (late > 0)
		wire -= turn_shared(p, who, SHARE_LATE, late);
	who = slow_sender(p, &slow);
	slow = slow < wire ? slow : wire;
	if (who != NO_RANK && slow > 0)
		wire -= turn_shared(p, who, SHARE_NIC, slow);
	if (wire > 0)
		crowd(p, wire);
}

/* ---- computing and sending ---- */

static bool is_computing(enum phase_share s)
{
	return s == SHARE_COMPUTE || s == SHARE_IDLE;
}

/* Turns |ns| of what the phase needed, of computing or of the rest, into
 * |share|: of each cell its part, and |of| is what they have. */
static void turn_into(struct path *p, bool computing, enum phase_share share,
		      int64_t ns, int64_t of)
{
	for (size_t i = 0, n = p->n_cells; i < n && ns > 0; i++) {
		struct cell *c = &p->cells[i];
		int64_t part;

		if (c->gap || is_computing(c->share) != computing ||
		    strcmp(phase_share_sides[c->share], "needed"))
			continue;
		part = (int64_t)((double)c->ns * (double)ns / (double)of);
		c->ns -= part;
		cells_give(p, c->flow, c->rank, false, share, part);
	}
}

/* As much of what the phase needed is computing as the chain of work takes. */
void cells_balance_work(struct path *p)
{
	int64_t work = p->work ? p->work[p->phase] : 0, has[2] = { 0 };

	if (!work)
		return;
	for (size_t i = 0; i < p->n_cells; i++)
		if (!p->cells[i].gap &&
		    !strcmp(phase_share_sides[p->cells[i].share], "needed"))
			has[is_computing(p->cells[i].share)] += p->cells[i].ns;
	if (work > has[0] + has[1])
		work = has[0] + has[1];
	if (work > has[true])
		turn_into(p, false, SHARE_COMPUTE, work - has[true],
			  has[false]);
	else if (work < has[true])
		turn_into(p, true, SHARE_TURN, has[true] - work, has[true]);
}

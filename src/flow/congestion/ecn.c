/* SPDX-License-Identifier: GPL-2.0-or-later
 * ECN CE marks: whose packets carry them, and which of them a CNP may
 * answer.
 *
 * Data packets of a flow keep their order on the way to the receiver, so a CNP
 * answers a mark that passed after the one that the CNP before answered.  Which
 * one exactly, only the first of a burst tells; else there are two bounds. */
#include <stdlib.h>

#include "base/mem.h"
#include "flow/congestion/congestion.h"

/* A CNP this long after the last mark answers something else. */
enum { STALE_NS = 10 * 1000 * 1000 };

struct congestion *congestion_get(struct engine *e, struct flow *f)
{
	struct congestion *c = f->congestion;

	if (c)
		return c;
	if (e->n_congested < CONGESTED_MAX)
		c = mem_calloc(1, sizeof *c);
	if (!c)
		return NULL;
	e->n_congested++;
	c->fact.flow = f->id;
	c->fact.first_mark_ns = c->fact.last_mark_ns = FACT_UNKNOWN;
	c->fact.first_cnp_ns = c->fact.last_cnp_ns = FACT_UNKNOWN;
	c->fact.rate_start_bps = c->fact.rate_low_bps = FACT_UNKNOWN;
	c->fact.rate_end_bps = FACT_UNKNOWN;
	c->np = np_get(e, f->dst, f->place, f->tap);
	f->congestion = c;
	f->watched = true;
	return c;
}

void congestion_free(struct flow *f)
{
	free(f->congestion);
	free(f->cnps_held);
	f->congestion = NULL;
	f->cnps_held = NULL;
	f->watched = false;
}

/* ---- marks ---- */

static void mark(struct engine *e, const struct flow *f, struct congestion *c,
		 int64_t ns)
{
	struct marks *m = &c->marks;

	m->recent[m->n++ % MARKS_KEPT] = ns;
	if (!m->set++)
		m->first = ns;
	if (c->fact.first_mark_ns == FACT_UNKNOWN)
		c->fact.first_mark_ns = ns;
	c->fact.last_mark_ns = ns;
	c->fact.marks++;
	if (c->np)
		np_mark(e, c->np, c, f->route ^ 1, ns);
}

struct congestion *congestion_mark(struct engine *e, struct flow *f,
				   bool response, uint32_t psn, int64_t ns)
{
	struct congestion *c = f->congestion;

	if (!c) {
		c = congestion_get(e, f);
		if (!c) {
			e->limit[LIMIT_CONGESTION].left_out += flow_ce(f) == 1;
			return NULL;
		}
		reaction_look_back(e, f, c, response, psn);
	}
	mark(e, f, c, ns);
	return c;
}

void congestion_packet(struct engine *e, struct flow *f, const struct packet *p)
{
	struct congestion *c = f->congestion;

	if (!congestion_is_data(e, p->kind, p->opcode))
		return;
	if ((p->tos & 3) == ECN_CE)
		c = congestion_mark(e, f, e->op[p->opcode] & IS_RESPONSE,
				    p->psn, p->ns);
	if (c)
		reaction_packet(e, f, c, p);
}

/* What may lie between a mark and its CNP, at the most.  There is no least:
 * ACKs may be held back where CNPs are not, and a clean CNP may have met queues
 * that the next one does not meet. */
static int64_t latest(const struct flow *f, const struct congestion *c)
{
	int64_t twice = 2 * f->rtt_r;
	int64_t known = c->np ? np_slowest(c->np) : 0;

	return known > twice ? known : twice;
}

bool marks_answered(const struct flow *f, const struct congestion *c,
		    int64_t ns, int64_t *first, int64_t *last)
{
	const struct marks *m = &c->marks;
	int64_t newest = m->n ? m->recent[(m->n - 1) % MARKS_KEPT] : 0;
	/* Paced so widely that what was under way cannot be meant. */
	bool apart = c->cnp_ns && c->cnp_gap > latest(f, c);

	*first = m->carried && (!apart || !m->set) ? m->carried : m->first;
	if ((!m->set && !m->carried) || ns - newest > STALE_NS)
		return false;
	*last = newest < *first ? *first : newest;
	return true;
}

void marks_flush(const struct flow *f, struct congestion *c, int64_t ns)
{
	struct marks *m = &c->marks;
	int64_t since = ns - latest(f, c);
	uint32_t kept = m->n < MARKS_KEPT ? m->n : MARKS_KEPT;

	m->carried = 0;
	for (uint32_t i = 1; i <= kept; i++) {
		int64_t at = m->recent[(m->n - i) % MARKS_KEPT];

		if (at <= since)
			break;
		m->carried = at;
	}
	/* More than are kept were under way: any of them may be next. */
	if (m->carried && kept == MARKS_KEPT && m->n > MARKS_KEPT &&
	    m->carried == m->recent[m->n % MARKS_KEPT])
		m->carried = since;
	m->first = 0;
	m->set = 0;
}

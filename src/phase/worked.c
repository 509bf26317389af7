/* SPDX-License-Identifier: GPL-2.0-or-later
 * How long a stage works at what it sends: since it has the input of that, and
 * has sent what was before.
 *
 * What came last need not be the input: where a stage is slower than the one
 * before it, more comes while it works.  From stage to stage goes as much as
 * comes, so the input is what brings as many bytes as have been sent, and are
 * sent now; who gets from one stage only, and that before it sends, returns
 * what that sent.  What comes from the same stage of another pipeline is no
 * input. */
#include <math.h>
#include <stdlib.h>

#include "phase/path_int.h"

enum { PEERS_MAX = 8 }; /* of a stage: who has more is none */

/* Bytes that differ by less are as many. */
static const double UNLIKE = 0.1, ALL = 0.99;

/* Another rank, as one sees it in one phase. */
struct peer {
	uint32_t rank;
	double in, out;           /* bytes of the phase */
	double came;              /* bytes that have come, |next| not ... */
	size_t next;              /* ... event of path.in */
	const struct event *last; /* of them */
};

/* What a rank does in one phase. */
struct stage {
	struct path *p;
	const uint32_t *role;
	uint32_t rank;
	size_t kind; /* of the phase */
	struct peer peers[PEERS_MAX];
	size_t n_peers;
	size_t in, in_end, out, out_end; /* events of the phase */
	bool gets_first;
};

static struct peer *peer_of(struct stage *s, uint32_t rank)
{
	for (size_t i = 0; i < s->n_peers; i++)
		if (s->peers[i].rank == rank)
			return &s->peers[i];
	if (s->n_peers == PEERS_MAX)
		return NULL;
	s->peers[s->n_peers] = (struct peer) { .rank = rank, .next = s->in };
	return &s->peers[s->n_peers++];
}

static uint32_t sender_of(const struct stage *s, size_t i)
{
	const struct job *j = s->p->j;

	return j->rank_of[j->in->flows[s->p->in[s->rank].e[i].flow].src];
}

static uint32_t receiver_of(const struct stage *s, size_t i)
{
	const struct job *j = s->p->j;

	return j->rank_of[j->in->flows[s->p->out[s->rank].e[i].flow].dst];
}

static double bytes_of(const struct stage *s, const struct event *e)
{
	return (double)path_activity(s->p, e)->bytes;
}

/* Adds up what comes and goes in phase |b|; false: with too many. */
static bool sum_up(struct stage *s, const struct burst *b)
{
	const struct events *in = &s->p->in[s->rank];
	const struct events *out = &s->p->out[s->rank];
	struct peer *k;

	s->n_peers = 0;
	s->in = path_up_to(in, b->from - 1);
	s->in_end = path_up_to(in, b->to);
	s->out = path_up_to(out, b->from - 1);
	s->out_end = path_up_to(out, b->to);
	for (size_t i = s->in; i < s->in_end; i++) {
		if (!(k = peer_of(s, sender_of(s, i))))
			return false;
		k->in += bytes_of(s, &in->e[i]);
	}
	for (size_t i = s->out; i < s->out_end; i++) {
		if (!(k = peer_of(s, receiver_of(s, i))))
			return false;
		k->out += bytes_of(s, &out->e[i]);
	}
	s->gets_first = s->in < s->in_end && s->out < s->out_end &&
			in->e[s->in].ns < out->e[s->out].ns;
	return true;
}

/* With what |k| had brought |bytes|; NULL: not in this phase. */
static const struct event *brought(struct stage *s, struct peer *k,
				   double bytes)
{
	const struct events *in = &s->p->in[s->rank];

	for (; k->came < ALL * bytes && k->next < s->in_end; k->next++) {
		if (sender_of(s, k->next) != k->rank)
			continue;
		k->came += bytes_of(s, &in->e[k->next]);
		k->last = &in->e[k->next];
	}
	return k->came < ALL * bytes ? NULL : k->last;
}

/* Does it exchange data with one other stage only? */
static bool is_last(const struct stage *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_peers; i++)
		n += s->role[s->peers[i].rank] != s->role[s->rank];
	return n == 1;
}

static bool is_input(const struct stage *s, const struct peer *k,
		     const struct peer *to)
{
	return (k != to || (s->gets_first && is_last(s))) &&
	       s->role[k->rank] != s->role[s->rank] &&
	       fabs(k->in - to->out) <= UNLIKE * to->out;
}

/* The last of the input of what reaches |bytes| to |to|.  NULL: it is not
 * known, or, |*any|, there is none. */
static const struct event *input_of(struct stage *s, const struct peer *to,
				    double bytes, bool *any)
{
	const struct event *last = NULL;

	*any = false;
	for (size_t i = 0; i < s->n_peers; i++) {
		const struct event *e;

		if (!is_input(s, &s->peers[i], to))
			continue;
		*any = true;
		e = brought(s, &s->peers[i], bytes);
		if (!e)
			return NULL;
		last = !last || e->ns > last->ns ? e : last;
	}
	return last;
}

/* The work before event |e|, with which what goes to |to| begins, up to |bytes|
 * of the phase; the rank had begun to send |before|, if anything. */
static struct worked work_before(struct stage *s, const struct peer *to,
				 const struct event *e, double bytes,
				 const struct event *before)
{
	struct worked w = { .ns = PHASE_UNKNOWN,
			    .most = PHASE_UNKNOWN,
			    .since.ns = PHASE_UNKNOWN,
			    .kind = s->kind };
	bool any;
	const struct event *came = input_of(s, to, bytes, &any);

	if (any ? !came || came->ns > e->ns : !before)
		return w;
	/* Whatever came may have been what it works at. */
	if (!any)
		came = path_latest(&s->p->in[s->rank], e->ns - s->p->soonest);
	w.most = before ? e->ns - before->ns : PHASE_FAR;
	w.since = came && (!before || came->ns > before->ns) ? *came : *before;
	w.ns = e->ns - w.since.ns;
	return w;
}

/* One message after the other, without a break between them, to one rank. */
struct row {
	size_t end; /* behind its last event */
	int64_t over;
	double bytes;
};

/* How long the link of its sender takes for a packet of |a|. */
static int64_t packet_ns(const struct stage *s, const struct phase_activity *a)
{
	const struct job *j = s->p->j;
	double link = phase_link(j, j->ranks[s->rank].host);

	return link > 0 && a->psns ? (int64_t)((double)a->bytes * 8e9 / link /
					       (double)a->psns)
				   : 0;
}

static struct row row_from(const struct stage *s, const struct peer *to,
			   size_t i)
{
	const struct events *out = &s->p->out[s->rank];
	struct row row = { i, out->e[i].ns, 0 };
	int64_t packet = 0;

	for (; row.end < s->out_end; row.end++) {
		const struct phase_activity *a =
			path_activity(s->p, &out->e[row.end]);

		if (receiver_of(s, row.end) != to->rank ||
		    a->from > row.over + s->p->computes + packet)
			break;
		packet = 2 * packet_ns(s, a);
		row.over = a->sent > row.over ? a->sent : row.over;
		row.bytes += (double)a->bytes;
	}
	return row;
}

static void of_peer(struct stage *s, const struct peer *to)
{
	const struct path *p = s->p;
	const struct events *out = &p->out[s->rank];
	const struct event *before = NULL;
	double sent = 0;

	for (size_t i = 0; i < s->n_peers; i++) {
		s->peers[i].next = s->in;
		s->peers[i].came = 0;
	}
	for (size_t i = s->out; i < s->out_end;) {
		const struct event *e = &out->e[i++];
		struct worked w;
		struct row row;

		if (receiver_of(s, i - 1) == to->rank) {
			row = row_from(s, to, i - 1);
			sent += row.bytes;
			w = work_before(s, to, e, sent, before);
			for (i--; i < row.end; i++)
				p->worked[p->first_lag[out->e[i].flow] +
					  out->e[i].k] = w;
		}
		before = e;
	}
}

bool path_worked(struct path *p, const uint32_t *role)
{
	const struct job *j = p->j;
	size_t all = 0;

	for (uint32_t f = 0; f < j->in->n_flows; f++)
		all += j->in->flows[f].n;
	p->worked = calloc(all + 1, sizeof *p->worked);
	if (!p->worked)
		return false;
	for (size_t i = 0; i < all; i++)
		p->worked[i].ns = p->worked[i].most = PHASE_UNKNOWN;
	for (uint32_t r = 0; r < j->n_ranks; r++)
		for (size_t i = 0; i < j->n_bursts; i++) {
			struct stage s = { .p = p, .role = role, .rank = r };

			s.kind = i % path_kinds(j);
			if (!sum_up(&s, &j->bursts[i]))
				break;
			for (size_t k = 0; k < s.n_peers; k++)
				if (s.peers[k].out > 0)
					of_peer(&s, &s.peers[k]);
		}
	return true;
}

bool path_step_to_work(struct path *p, struct event *e, uint32_t r)
{
	size_t at = p->later ? p->first_lag[e->flow] + e->k : 0;
	int64_t from = path_activity(p, e)->from, later, since;
	struct path_time t = { { 0 } };

	if (!p->later || !p->later[at] || p->worked[at].since.ns <= p->from)
		return false;
	since = p->worked[at].since.ns;
	later = p->later[at] < from - since ? p->later[at] : from - since;
	piece_rest(&p->facts, e->flow, since, from - later, SHARE_COMPUTE, &t);
	piece_rest(&p->facts, e->flow, from - later, from, SHARE_LATER, &t);
	cells_give_time(p, e->flow, r, &t);
	*e = p->worked[at].since;
	return true;
}

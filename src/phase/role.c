/* SPDX-License-Identifier: GPL-2.0-or-later
 * Ranks of the same role: the same stage of pipelines side by side, say.
 *
 * What a rank takes in every iteration is usual for it, be it slow or not; but
 * where others send and get as much, to and from ranks that are alike as well,
 * they do the same work.  What it works longer than all of these is lateness.
 * What is usual for a rank only becomes less by that: others may have been
 * delayed alike. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "phase/path_int.h"

enum {
	RANKS_MAX = 1024, /* whose roles are looked at */
	TURNS_MAX = 1 << 20,
	SEVERAL = 8, /* turns that have something usual */
	FEW = 4,     /* one of so many ranks may be late */
};

/* Bytes, or times, that differ by less are the same. */
static const double UNLIKE = 0.1;
/* In so many phases is in all of them. */
static const double ALWAYS = 0.75;

/* Bytes that a rank sends to ranks of one role, or gets from them. */
struct traffic {
	uint32_t role;
	bool in;
	double bytes;
};

/* What a rank worked at, once, for a rank of another role. */
struct turn {
	uint32_t src, dst; /* roles */
	size_t kind;       /* of phase */
	uint32_t rank;
	size_t at; /* as path.lags */
	struct worked worked;
	int64_t asked; /* its receiver asked so long before it was sent */
};

static int by_role(const void *a, const void *b)
{
	const struct traffic *x = a, *y = b;

	if (x->in != y->in)
		return x->in - y->in;
	return (x->role > y->role) - (x->role < y->role);
}

/* What rank |r| exchanges with each role, into |v|, in order. */
static size_t traffic_of(const struct job *j, uint32_t r, const uint32_t *role,
			 struct traffic *v)
{
	const struct rank *k = &j->ranks[r];
	size_t n = 0, m = 0;

	for (uint32_t i = 0; i < k->n_out + k->n_in; i++) {
		bool in = i >= k->n_out;
		const struct phase_flow *g =
			&j->in->flows[in ? k->in[i - k->n_out] : k->out[i]];

		v[n++] = (struct traffic) {
			role[j->rank_of[in ? g->src : g->dst]], in,
			(double)phase_bytes(g)
		};
	}
	qsort(v, n, sizeof *v, by_role);
	for (size_t i = 0; i < n; i++)
		if (m && !by_role(&v[m - 1], &v[i]))
			v[m - 1].bytes += v[i].bytes;
		else
			v[m++] = v[i];
	return m;
}

static bool alike(const struct traffic *a, size_t n, const struct traffic *b,
		  size_t m)
{
	if (n != m)
		return false;
	for (size_t i = 0; i < n; i++)
		if (by_role(&a[i], &b[i]) ||
		    fabs(a[i].bytes - b[i].bytes) >
			    UNLIKE * fmax(a[i].bytes, b[i].bytes))
			return false;
	return true;
}

/* Tells ranks of one role apart by what they exchange with each role: the role
 * of a rank is the first rank that is like it.  |next| gets the roles, |v| has
 * room for all flows of two ranks.  Returns how many roles there are. */
static size_t refine(const struct job *j, const uint32_t *role, uint32_t *next,
		     struct traffic *v, struct traffic *w)
{
	size_t roles = 0;

	for (uint32_t r = 0; r < j->n_ranks; r++) {
		size_t n = traffic_of(j, r, role, v);
		uint32_t o = 0;

		for (; o < r; o++)
			if (next[o] == o && role[o] == role[r] &&
			    alike(v, n, w, traffic_of(j, o, role, w)))
				break;
		next[r] = o;
		roles += o == r;
	}
	return roles;
}

/* Does rank |r| send before anything comes to it, in most phases, 1, or does
 * something come first, 2?  0: now this, now that. */
static uint32_t begins(const struct path *p, uint32_t r)
{
	const struct job *j = p->j;
	size_t sends = 0, gets = 0;

	for (size_t i = 0; i < j->n_bursts; i++) {
		const struct event *in =
			path_earliest(&p->in[r], j->bursts[i].from);
		const struct event *out =
			path_earliest(&p->out[r], j->bursts[i].from);

		sends += out && (!in || out->ns < in->ns);
		gets += in && (!out || in->ns < out->ns);
	}
	return sends > ALWAYS * (double)j->n_bursts  ? 1
	       : gets > ALWAYS * (double)j->n_bursts ? 2
						     : 0;
}

/* |role| of each rank; false: no memory. */
static bool find_roles(const struct path *p, uint32_t *role)
{
	const struct job *j = p->j;
	uint32_t *next = calloc(j->n_ranks + 1, sizeof *next);
	struct traffic *v = calloc(4 * j->in->n_flows + 1, sizeof *v);
	size_t roles = 1, more = 0;
	bool ok = next && v;

	for (uint32_t r = 0; ok && r < j->n_ranks; r++)
		role[r] = begins(p, r);
	while (ok && more != roles) {
		roles = more ? more : roles;
		more = refine(j, role, next, v, v + 2 * j->in->n_flows);
		memcpy(role, next, j->n_ranks * sizeof *role);
	}
	free(next);
	free(v);
	return ok;
}

/* Does every rank send to one of its role, too, as pipelines side by side do to
 * sum up what they computed?  Else ranks that are alike may be above each other
 * (a tree). */
static bool side_by_side(const struct job *j, const uint32_t *role)
{
	for (uint32_t r = 0; r < j->n_ranks; r++) {
		const struct rank *k = &j->ranks[r];
		bool any = false;

		for (uint32_t i = 0; !any && i < k->n_out; i++) {
			uint32_t dst = j->rank_of[j->in->flows[k->out[i]].dst];

			any = dst != r && role[dst] == role[r];
		}
		if (!any)
			return false;
	}
	return true;
}

static int by_work(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	if (x->src != y->src)
		return (x->src > y->src) - (x->src < y->src);
	if (x->dst != y->dst)
		return (x->dst > y->dst) - (x->dst < y->dst);
	if (x->kind != y->kind)
		return (x->kind > y->kind) - (x->kind < y->kind);
	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* From stage to stage, in order; the rest passes on what came.  |v| has room
 * for all activities. */
static size_t list_turns(const struct path *p, const uint32_t *role,
			 struct turn *v)
{
	const struct job *j = p->j;
	size_t n = 0;

	for (uint32_t f = 0; f < j->in->n_flows; f++) {
		const struct phase_flow *g = &j->in->flows[f];
		uint32_t src = j->rank_of[g->src], dst = j->rank_of[g->dst];

		if (!g->src_seen || role[src] == role[dst])
			continue;
		for (size_t k = 0; k < g->n; k++) {
			size_t at = p->first_lag[f] + k;
			int64_t asked = phase_asked(g, k);

			if (p->worked[at].ns == PHASE_UNKNOWN)
				continue;
			v[n++] = (struct turn) {
				.src = role[src],
				.dst = role[dst],
				.kind = p->worked[at].kind,
				.rank = src,
				.at = at,
				.worked = p->worked[at],
				.asked = asked == PHASE_UNKNOWN
						 ? PHASE_FAR
						 : g->a[k].from - asked
			};
		}
	}
	qsort(v, n, sizeof *v, by_work);
	return n;
}

/* How many of |n| turns, in order, are for the same work; |alone|: of the same
 * rank. */
static size_t alike_turns(const struct turn *v, size_t n, bool alone)
{
	size_t m = 1;

	while (m < n && v[m].src == v[0].src && v[m].dst == v[0].dst &&
	       v[m].kind == v[0].kind && (!alone || v[m].rank == v[0].rank))
		m++;
	return m;
}

/* What a rank works at least in most of its |n| turns; |room|: for as many. */
static int64_t works(const struct turn *v, size_t n, int64_t *room)
{
	for (size_t i = 0; i < n; i++)
		room[i] = v[i].worked.ns;
	phase_median(room, n);
	return room[(n - 1) / 4];
}

/* ... and at most, in the middle: with what it waits for. */
static int64_t works_at_most(const struct turn *v, size_t n, int64_t *room)
{
	for (size_t i = 0; i < n; i++)
		room[i] = v[i].worked.most;
	return phase_median(room, n);
}

/* The most that another rank than |rank| works at what |n| turns are for, which
 * are in order of ranks; PHASE_UNKNOWN: there is none. */
static int64_t others_work(const struct turn *v, size_t n, uint32_t rank,
			   int64_t *room)
{
	int64_t most = PHASE_UNKNOWN;

	for (size_t i = 0, m; i < n; i += m) {
		int64_t ns;

		m = alike_turns(v + i, n - i, true);
		if (v[i].rank == rank || m < SEVERAL)
			continue;
		ns = works_at_most(v + i, m, room);
		most = ns > most ? ns : most;
	}
	return most;
}

/* How much longer a turn took than the |others|: who has to be asked could not
 * send before. */
static int64_t longer(const struct path *p, const struct turn *v,
		      int64_t others)
{
	int64_t ns = v->worked.ns - others;

	ns = v->asked < ns ? v->asked : ns;
	return ns > p->computes ? ns : 0;
}

/* Marks the |late| ranks, which work longer than all others of their role;
 * |later|: sets p->later of those. */
static void compare(struct path *p, const struct turn *v, size_t n, bool *late,
		    bool later, int64_t *room)
{
	for (size_t i = 0, m; i < n; i += m) {
		m = alike_turns(v + i, n - i, false);
		for (size_t k = i, of; k < i + m; k += of) {
			int64_t others = others_work(v + i, m, v[k].rank, room);

			of = alike_turns(v + k, i + m - k, true);
			if (others == PHASE_UNKNOWN || of < SEVERAL ||
			    (double)works(v + k, of, room) <=
				    (1 + UNLIKE) * (double)others + p->computes)
				continue;
			late[v[k].rank] = true;
			for (size_t o = k; later && o < k + of; o++)
				p->later[v[o].at] = longer(p, &v[o], others);
		}
	}
}

/* Where many ranks take longer than others, roles say nothing. */
static bool few(const struct job *j, const bool *late)
{
	size_t n = 0;

	for (uint32_t r = 0; r < j->n_ranks; r++)
		n += late[r];
	return n * FEW <= j->n_ranks;
}

bool path_roles(struct path *p)
{
	const struct job *j = p->j;
	struct turn *v = NULL;
	uint32_t *role = NULL;
	int64_t *room = NULL;
	bool *late = NULL, ok;
	size_t all = 0, n;

	for (uint32_t f = 0; f < j->in->n_flows; f++)
		all += j->in->flows[f].n;
	if (!path_has_stages(p) || j->n_ranks > RANKS_MAX || all > TURNS_MAX)
		return true;
	role = calloc(j->n_ranks + 1, sizeof *role);
	late = calloc(j->n_ranks + 1, sizeof *late);
	v = calloc(all + 1, sizeof *v);
	room = calloc(all + 1, sizeof *room);
	p->later = calloc(all + 1, sizeof *p->later);
	ok = role && late && v && room && p->later && find_roles(p, role) &&
	     path_worked(p, role);
	if (ok && side_by_side(j, role)) {
		n = list_turns(p, role, v);
		compare(p, v, n, late, false, room);
		if (few(j, late))
			compare(p, v, n, late, true, room);
	}
	free(role);
	free(late);
	free(v);
	free(room);
	return ok;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which ranks ask for data later than others do, each time.
 *
 * What recurs in each iteration has no good iteration to compare with; but the
 * other ranks of the job ask as well (CTS).  A receiver may ask for the next
 * message when it has one; how soon it does so at best is compared with how
 * soon the others do.  Some of its buffers may be free before: how long it does
 * nothing else before it asks is compared as well, of its latest asks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/sort.h"
#include "phase/path_int.h"

enum {
	OTHERS = 3,        /* ranks to compare with, at least */
	SAMPLES = 8,       /* asks of a rank */
	ARRIVALS = 8,      /* that are looked at */
	BACK_MAX = 256,    /* flows that may have asked for data */
	AT_ONCE_NS = 8000, /* a host that polls has asked by then; a
			    * judgement */
};

/* Who asks late each time does so at the soonest as well, of its asks the
 * first eighth; who does so often, in the last quarter; as late as some of the
 * last eighth of others is usual. */
static const double EACH = 1.0 / 8, OFTEN = 3.0 / 4, LATEST = 7.0 / 8;
/* How much later a rank asks, in usual distances of the others from each
 * other. */
static const double APART = 6;
/* Ranks that send, and get, as much but for this part have the same to do, and
 * take as long for it but for this part. */
static const double UNLIKE = 0.1;

/* Rank |rank| asked so long after what it may have waited for, after what it
 * did last, and after it could have asked; PHASE_UNKNOWN. */
enum measure { TOOK, IDLE, OWN, MEASURES };

struct ask {
	uint32_t rank;
	int64_t place; /* 0 unknown */
	int64_t ns[MEASURES];
};

/* One of these, of one ask. */
struct lasted {
	uint32_t rank;
	int64_t ns;
};

/* Rank |r| asks |from| at |ns|, in the phase at hand: for how long has it had
 * what that sent before?  PHASE_UNKNOWN: nothing. */
static int64_t since_arrival(const struct path *p, uint32_t r, uint32_t from,
			     int64_t ns)
{
	const struct job *j = p->j;
	const struct events *in = &p->in[r];
	size_t k = path_up_to(in, ns);

	for (size_t m = 0; m < ARRIVALS && k > 0; m++)
		if (j->rank_of[j->in->flows[in->e[--k].flow].src] == from)
			return in->e[k].ns < p->from ? PHASE_UNKNOWN
						     : ns - in->e[k].ns;
	return PHASE_UNKNOWN;
}

/* Sets |p->phase| and |p->from| for what is asked at |ns|; without iterations
 * it is all one.  False: it is in no phase. */
static bool find_phase(struct path *p, int64_t ns)
{
	const struct job *j = p->j;

	if (j->row.iterations == PHASE_UNKNOWN) {
		p->from = j->row.first_ns;
		return true;
	}
	p->phase = search_below(struct burst, j->bursts, j->n_bursts, to, ns);
	if (p->phase == j->n_bursts)
		return false;
	p->from = j->bursts[p->phase].from;
	return true;
}

/* Rank |r| asks |from| at |ns|, so long after what it may have waited for: what
 * came to it last, data of its own that it began to send, as some hosts ask for
 * more when both have happened, and |room|.  PHASE_UNKNOWN: that rank has not
 * sent it anything before. */
static int64_t took_to_ask(const struct path *p, uint32_t r, uint32_t from,
			   int64_t ns, int64_t room)
{
	const struct event *got = path_latest(&p->in[r], ns);
	const struct event *own = path_latest(&p->out[r], ns);
	int64_t took = since_arrival(p, r, from, ns);

	if (took == PHASE_UNKNOWN)
		return PHASE_UNKNOWN;
	took = ns - got->ns < took ? ns - got->ns : took;
	if (room != PHASE_UNKNOWN && ns - room < took)
		took = ns - room;
	return own && ns - own->ns < took ? ns - own->ns : took;
}

static const struct ask_cause *cause_of(const struct path *p, uint32_t f,
					size_t k)
{
	return p->asked && k < p->j->in->flows[f].n &&
			       p->asked[p->first_lag[f] + k].late !=
				       PHASE_UNKNOWN
		       ? &p->asked[p->first_lag[f] + k]
		       : NULL;
}

/* Rank |r| asks |from| at |ns| for what has its |place| in the phase, |late| by
 * its own measure, and had |room| for it.  What it got may have had to be
 * repaired first. */
static void note(struct path *p, uint32_t r, uint32_t from, int64_t ns,
		 int64_t place, int64_t late, int64_t room, struct ask *v,
		 size_t *n)
{
	struct event idle;
	int64_t took;

	if (!find_phase(p, ns) || path_repaired(p, r))
		return;
	took = took_to_ask(p, r, from, ns, room);
	if (took == PHASE_UNKNOWN ||
	    (p->j->row.iterations == PHASE_UNKNOWN &&
	     path_repaired_between(p, r, ns - took, ns)))
		return;
	if (!path_idle_before(p, r, ns, &idle) || idle.ns < ns - took)
		idle.ns = ns - took;
	v[(*n)++] = (struct ask) { r, place, { took, ns - idle.ns, late } };
}

/* Where a queue pair carries data both ways, the small messages on it ask; else
 * those of another flow do. */
static size_t list_asks(struct path *p, struct ask *v)
{
	const struct phase_input *in = p->j->in;
	const uint32_t *rank_of = p->j->rank_of;
	size_t n = 0;

	for (uint32_t f = 0; f < in->n_flows; f++) {
		const struct phase_flow *g = &in->flows[f];
		int64_t way = path_way_back(&p->facts, f);

		for (size_t k = 0; g->driven && k <= g->n; k++) {
			const struct ask_cause *own = cause_of(p, f, k);

			if (phase_asked(g, k) != PHASE_UNKNOWN)
				note(p, rank_of[g->dst], rank_of[g->src],
				     phase_asked(g, k) - way,
				     path_ask_place(p, f, k),
				     own ? own->late : PHASE_UNKNOWN,
				     path_ask_room(p, f, k), v, &n);
		}
		for (size_t k = 0; !g->driven && k < g->n; k++)
			if (g->a[k].bytes && g->a[k].bytes <= p->facts.small[f])
				note(p, rank_of[g->src], rank_of[g->dst],
				     g->a[k].from, 0, PHASE_UNKNOWN,
				     PHASE_UNKNOWN, v, &n);
	}
	return n;
}

static bool as_much(uint64_t a, uint64_t b)
{
	return fabs((double)a - (double)b) <= UNLIKE * (double)a;
}

static int by_rank(const void *a, const void *b)
{
	const struct lasted *x = a, *y = b;

	if (x->rank != y->rank)
		return (x->rank > y->rank) - (x->rank < y->rank);
	return (x->ns > y->ns) - (x->ns < y->ns);
}

/* Of the asks of each rank, |n| of all, in order of what is measured: the one
 * with |part| of them before it.  |room|: for all. */
static void ranks_take(const struct job *j, const struct ask *v, size_t n,
		       enum measure by, double part, struct lasted *room,
		       int64_t *took)
{
	size_t known = 0;

	for (size_t i = 0; i < n; i++)
		if (v[i].ns[by] != PHASE_UNKNOWN)
			room[known++] =
				(struct lasted) { v[i].rank, v[i].ns[by] };
	qsort(room, known, sizeof *room, by_rank);
	for (uint32_t r = 0; r < j->n_ranks; r++)
		took[r] = PHASE_UNKNOWN;
	for (size_t i = 0, m; i < known; i += m) {
		for (m = 1; i + m < known && room[i + m].rank == room[i].rank;)
			m++;
		if (m >= SAMPLES)
			took[room[i].rank] =
				room[i + (size_t)(part * (double)m)].ns;
	}
}

/* In the order of what they send and get, so that those that have the same to
 * do are near each other. */
static int by_bytes(const void *a, const void *b)
{
	const struct rank *x = *(const struct rank *const *)a;
	const struct rank *y = *(const struct rank *const *)b;

	if (x->bytes_out != y->bytes_out)
		return x->bytes_out > y->bytes_out ? 1 : -1;
	if (x->bytes_in != y->bytes_in)
		return x->bytes_in > y->bytes_in ? 1 : -1;
	return (x > y) - (x < y);
}

/* How long all ranks that do the same as number |at| in |order| took, which is
 * one of them: sorted. */
static size_t alike(const struct job *j, const struct rank *const *order,
		    size_t at, const int64_t *took, int64_t *room)
{
	const struct rank *own = order[at];
	size_t from = at, n = 0;

	while (from && as_much(own->bytes_out, order[from - 1]->bytes_out))
		from--;
	for (size_t i = from;
	     i < j->n_ranks && as_much(own->bytes_out, order[i]->bytes_out);
	     i++)
		if (took[order[i] - j->ranks] != PHASE_UNKNOWN &&
		    as_much(own->bytes_in, order[i]->bytes_in))
			room[n++] = took[order[i] - j->ranks];
	sort_int64(room, n);
	return n;
}

/* Those of |all|, |n| of them, but one that took |own|. */
static size_t but_one(const int64_t *all, size_t n, int64_t own, int64_t *room)
{
	size_t k = 0;

	while (k < n && all[k] != own)
		k++;
	memcpy(room, all, k * sizeof *room);
	if (k < n)
		memcpy(room + k, all + k + 1, (n - k - 1) * sizeof *room);
	return k < n ? n - 1 : n;
}

/* Where all others than rank |r| ask at once, and one of them does the same,
 * that is how soon one may ask, whatever the rest does (the ends of a
 * pipeline).  None: they do not. */
static size_t at_once(const struct path *p, uint32_t r, const int64_t *took,
		      int64_t *room)
{
	size_t n = 0;

	for (uint32_t o = 0; o < p->j->n_ranks; o++) {
		if (o == r || took[o] == PHASE_UNKNOWN)
			continue;
		if (took[o] > p->quick && took[o] > AT_ONCE_NS)
			return 0;
		room[n++] = took[o];
	}
	sort_int64(room, n);
	return n;
}

static bool apart_by_part(int64_t took, int64_t others)
{
	return (double)took > (1 + UNLIKE) * (double)others;
}

/* Another stage of a pipeline that takes as long may have the same to do. */
static bool one_is_like_it(const struct path *p, int64_t took, int64_t longest)
{
	return path_has_stages(p) && !apart_by_part(took, longest);
}

/* By the |k| others, sorted. */
static struct asks_late late_of(const struct path *p, int64_t took,
				const int64_t *others, size_t k)
{
	struct asks_late late = { .others = phase_middle(others, k),
				  .took = took };
	int64_t by = took - late.others;
	int64_t apart = phase_spread(others, k, late.others);

	if (k >= OTHERS && took > p->quick && by > p->computes &&
	    (double)by > APART * (double)apart &&
	    apart_by_part(took, late.others) &&
	    !one_is_like_it(p, took, others[k - 1]))
		late.by = by;
	return late;
}

/* Sets by how much each rank asks later than those that do the same.  |room|:
 * for three times the ranks. */
static void compare(const struct path *p, const struct rank *const *order,
		    const int64_t *took, int64_t *room, struct asks_late *late)
{
	const struct job *j = p->j;
	int64_t *others = room + j->n_ranks, *any = others + j->n_ranks;
	const struct rank *last = NULL;
	size_t n = 0;

	for (size_t i = 0; i < j->n_ranks; i++) {
		uint32_t r = (uint32_t)(order[i] - j->ranks);
		size_t k, all;

		if (took[r] == PHASE_UNKNOWN)
			continue;
		if (!last || last->bytes_out != order[i]->bytes_out ||
		    last->bytes_in != order[i]->bytes_in)
			n = alike(j, order, i, took, room);
		last = order[i];
		k = but_one(room, n, took[r], others);
		all = k && k < OTHERS ? at_once(p, r, took, any) : 0;
		if (k)
			late[r] = all ? late_of(p, took[r], any, all)
				      : late_of(p, took[r], others, k);
	}
}

/* Of the asks whose place is known; false: no memory. */
static bool find_late_places(struct path *p, const struct ask *v, size_t n)
{
	struct placed_ask *at = calloc(n + 1, sizeof *at);
	size_t m = 0;
	bool found;

	for (size_t i = 0; at && i < n; i++)
		if (v[i].place)
			at[m++] = (struct placed_ask) { .place = v[i].place,
							.rank = v[i].rank,
							.took = v[i].ns[TOOK] };
	found = at && path_late_places(p, at, m);
	free(at);
	return found;
}

bool path_asks(struct path *p)
{
	const struct job *j = p->j;
	bool placed = false;
	size_t n = 0;
	int64_t *took = calloc(4 * (size_t)j->n_ranks + 1, sizeof *took);
	const struct rank **order = calloc(j->n_ranks + 1, sizeof *order);
	struct lasted *room;
	struct ask *v;

	/* Before each activity, and behind the last. */
	for (uint32_t f = 0; f < j->in->n_flows; f++)
		n += j->in->flows[f].n + 1;
	v = calloc(n + 1, sizeof *v);
	room = calloc(n + 1, sizeof *room);
	p->asks = calloc(4 * (size_t)j->n_ranks + 1, sizeof *p->asks);
	p->asks_often = p->asks ? p->asks + j->n_ranks : NULL;
	p->asks_latest = p->asks ? p->asks_often + j->n_ranks : NULL;
	p->asks_own = p->asks ? p->asks_latest + j->n_ranks : NULL;
	if (took && order && v && room && p->asks) {
		const struct {
			enum measure by;
			double part;
			struct asks_late *late;
		} all[] = { { TOOK, EACH, p->asks },
			    { IDLE, OFTEN, p->asks_often },
			    { IDLE, LATEST, p->asks_latest },
			    { OWN, LATEST, p->asks_own } };

		for (uint32_t r = 0; r < j->n_ranks; r++)
			order[r] = &j->ranks[r];
		qsort(order, j->n_ranks, sizeof *order, by_bytes);
		n = list_asks(p, v);
		placed = find_late_places(p, v, n);
		for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
			ranks_take(j, v, n, all[i].by, all[i].part, room, took);
			compare(p, order, took, took + j->n_ranks, all[i].late);
		}
	}
	free(took);
	free(order);
	free(v);
	free(room);
	return placed;
}

bool path_may_ask_late(const struct path *p, uint32_t r)
{
	return p->asks &&
	       (p->asks[r].by || p->asks_often[r].by || p->asks_own[r].by);
}

/* What rank |r| computes at a time, as a stage of a pipeline; 0: it is none, or
 * asks before it can have done that. */
static int64_t stage_of(const struct path *p, uint32_t r)
{
	int64_t stage =
		p->pattern == PATTERN_PIPELINE && p->stages ? p->stages[r] : 0;
	const struct asks_late *often = p->asks ? &p->asks_often[r] : NULL;

	return often && often->by && apart_by_part(stage, often->took) ? 0
								       : stage;
}

/* By how much |ns| is later than others ask, and than a |stage| that computes
 * first; no more than its rank is, mostly. */
static int64_t later(const struct asks_late *a, int64_t ns, int64_t stage)
{
	int64_t others = a->others > stage ? a->others : stage;
	int64_t most = a->by - (others - a->others);

	return ns - others < most ? ns - others : most;
}

int64_t path_asks_later(const struct path *p, const struct event *e)
{
	const struct ask_cause *is = cause_of(p, e->flow, e->k);
	const struct asks_late *own =
		&p->asks_own[p->j->rank_of[p->j->in->flows[e->flow].dst]];

	return is && own->by && is->late > own->others + p->computes
		       ? is->late - own->others
		       : 0;
}

const struct event *path_asked_after(const struct path *p,
				     const struct event *e)
{
	const struct ask_cause *is = cause_of(p, e->flow, e->k);
	uint32_t r = p->j->rank_of[p->j->in->flows[e->flow].dst];

	return is && is->late <= p->asks_own[r].others + p->computes &&
			       path_in_time(p, p->turn, is->took) &&
			       !path_may_ask_late(p, r) &&
			       !path_late_place(p, e)
		       ? &is->after
		       : NULL;
}

/* What is usual where rank |r| asks, at a place at which it is later than all
 * others.  Where these compute before they ask at other places, and not at this
 * one, no stage does. */
static int64_t usual_at(const struct path *p, const struct placed_ask *late)
{
	int64_t stage = stage_of(p, late->rank);

	return (late->others > p->computes || !p->compute_and_ask) &&
			       stage > late->others
		       ? stage
		       : late->others;
}

int64_t path_asks_late(const struct path *p, const struct event *e, int64_t at,
		       int64_t idle)
{
	const struct phase_flow *g = &p->j->in->flows[e->flow];
	uint32_t r = p->j->rank_of[g->dst];
	const struct placed_ask *late = path_late_place(p, e);
	int64_t took = took_to_ask(p, r, p->j->rank_of[g->src], at,
				   path_ask_room(p, e->flow, e->k));
	const struct asks_late *each, *often;
	int64_t by_each, by_often, by_own;

	took = took == PHASE_UNKNOWN ? 0 : took;
	if (late && took > usual_at(p, late))
		return took - usual_at(p, late);
	if (!path_may_ask_late(p, r))
		return 0;
	by_own = path_asks_later(p, e);
	if (by_own)
		return by_own;
	each = &p->asks[r];
	often = &p->asks_often[r];
	/* Its latest asks are no later than those of others. */
	if (often->took && !apart_by_part(often->took, often->others) &&
	    (double)idle >= (1 - UNLIKE) * (double)often->took)
		return 0;
	by_each = later(each, took, stage_of(p, r));
	by_often = later(often, idle, stage_of(p, r));
	return by_often > by_each ? by_often : by_each > 0 ? by_each : 0;
}

/* Nobody has to be asked each time anew, unless the others compute before they
 * ask, as a stage of a pipeline does; what asks has its way, too. */
int64_t path_asks_usual(const struct path *p, const struct event *e, uint32_t r,
			int64_t reacts)
{
	const struct placed_ask *late = path_late_place(p, e);
	int64_t others = p->asks ? p->asks_latest[r].others : 0;
	int64_t stage = stage_of(p, r);
	int64_t way = p->facts.least[e->flow];
	int64_t usual = path_usual_place(p, e);

	usual = usual > others ? usual : others;
	usual = usual > p->turn ? usual : p->turn;
	usual = late ? usual_at(p, late) : usual > stage ? usual : stage;
	return usual + (way == PHASE_UNKNOWN ? 0 : way) + reacts;
}

bool path_is_asked_for(const struct path *p, uint32_t f, size_t k)
{
	const struct job *j = p->j;
	const struct phase_flow *g = &j->in->flows[f];
	const struct rank *r = &j->ranks[j->rank_of[g->src]];
	int64_t asked = phase_asked(g, k);

	if (asked == PHASE_UNKNOWN ||
	    asked < g->a[k].from -
			    (g->driven
				     ? p->answers + piece_busy_to(&p->facts, f,
								  asked,
								  g->a[k].from)
				     : 4 * p->computes))
		return false;
	for (uint32_t i = 0; !g->driven && i < r->n_in && i < BACK_MAX; i++) {
		const struct phase_flow *o = &j->in->flows[r->in[i]];
		size_t n = search_below(struct phase_activity, o->a, o->n, came,
					asked + 1);

		if (o->src == g->dst && n && o->a[n - 1].there >= asked &&
		    path_is_small(&p->facts, r->in[i], &o->a[n - 1]))
			return true;
	}
	return g->driven;
}

bool path_announced(const struct path *p, const struct event *e,
		    struct event *said)
{
	const struct job *j = p->j;
	const struct phase_flow *g = &j->in->flows[e->flow];
	const struct rank *r = &j->ranks[j->rank_of[g->dst]];
	int64_t at = phase_asked(g, e->k) - path_way_back(&p->facts, e->flow);
	bool any = false;

	for (uint32_t i = 0; i < r->n_in && i < BACK_MAX; i++) {
		const struct phase_flow *o = &j->in->flows[r->in[i]];
		size_t k = search_below(struct phase_activity, o->a, o->n, from,
					at);

		for (size_t n = 0; n < ARRIVALS && k > 0; n++) {
			const struct phase_activity *a = &o->a[--k];

			if (!path_is_small(&p->facts, r->in[i], a) ||
			    a->there > at)
				continue;
			if ((o->src == g->src || a->there >= at - p->quick) &&
			    (!any || a->there > said->ns)) {
				*said = (struct event) { a->there, r->in[i],
							 k };
				any = true;
			}
			break;
		}
	}
	return any;
}

int64_t path_charge_ask(struct path *p, const struct event *e, int64_t over,
			bool first)
{
	const struct phase_flow *g = &p->j->in->flows[e->flow];
	uint32_t dst = p->j->rank_of[g->dst];
	int64_t to = g->a[e->k].from, in = to - p->from, held;
	enum phase_share late = piece_receiver(&p->facts, e->flow);
	struct path_time t = { { 0 } };

	if (over > to - p->before)
		over = to - p->before;
	in = over < in ? over : in;
	/* What asks may have waited on its way. */
	piece_asked(&p->facts, e->flow, to - in, phase_asked(g, e->k), to, late,
		    &t);
	held = g->held_up > in ? g->held_up - in : 0;
	held = held < over - in ? held : over - in;
	if (first) {
		/* Nor is it computing what it began the phase late by. */
		int64_t by = path_late_by(p, dst), left = to - in - p->from;

		by = by < left ? by : left;
		piece_rest(&p->facts, e->flow, p->from, to - in - by,
			   SHARE_COMPUTE, &t);
		piece_rest(&p->facts, e->flow, to - in - by, to - in,
			   SHARE_LATE, &t);
	}
	cells_give_time(p, e->flow, dst, &t);
	cells_give(p, e->flow, dst, true, SHARE_UNKNOWN, held);
	cells_give(p, e->flow, dst, true, late, over - in - held);
	return to - in;
}

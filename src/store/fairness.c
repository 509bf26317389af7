/* SPDX-License-Identifier: GPL-2.0-or-later
 * Table fairness: how evenly congested flows to one receiver shared it, over
 * time; and table convergence: how long until they did, after others joined.
 *
 * Windows hold 100 packets of a flow on average, so that all
 * rates are good to a few percent; a flow under way that is silent in one
 * counts with 0.  Steps of a flow are of equal length but for the first, which
 * may be long, and is at no multiple of its length: it tells nothing.
 *
 * There are as many steps as rows of table bin, and each of the questions asked
 * of them would sort them once more in SQL. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/sort.h"
#include "store/kept.h"
#include "store/store_int.h"

enum { PACKETS = 100 };

/* Flows that begin less than this apart join together; and for so long they
 * must keep to their share, and for so many windows. */
enum { TOGETHER_NS = 1000 * 1000, HOLD_NS = 1000 * 1000, HOLD_WINDOWS = 10 };

/* A receiver at a capture point. */
struct group {
	int64_t tap;
	char *receiver;
	int64_t width, packets, steps; /* width: the widest */
	int64_t window;                /* ns; 0: no step */
	size_t sums, n_sums;           /* in |sums|, behind those of others */
	int64_t newest_ns, joined_ns;  /* the last flow; the last to join */
	int64_t joined;                /* flows from then on; 0: nobody did */
};

struct member {
	int64_t id, first_ns, last_ns;
	int64_t began_ns; /* the first step that tells anything */
	int64_t group;
};

/* What a flow had in a step, then in a window. */
struct share {
	int64_t window; /* begin; then its number */
	int64_t bytes;
	int64_t member; /* then its group */
};

/* From that window on so many more flows of the group are under way. */
struct change {
	int64_t window, more, group;
};

/* A row of table fairness. */
struct interval {
	int64_t start_ns, flows, even;
	double jfi; /* negative: not known */
};

struct fairness {
	struct store *s;
	struct err *err;
	struct group *groups;
	struct member *members;
	struct share *steps;
	struct interval *intervals; /* of one group */
	struct change *changes;     /* two of each member at most */
	size_t n_changes, change;   /* of them the next */
	size_t n_groups, n_members, n_steps, n_intervals;
	size_t room_groups, room_members, room_steps, room_intervals;
	sqlite3_stmt *to, *converged;
};

static int no_memory(struct fairness *x)
{
	return err_set(x->err, ERR_MEMORY, "out of memory");
}

/* Room for one more of |*list|. */
static bool room(void **list, size_t n, size_t *have, size_t size)
{
	size_t more = *have ? 2 * *have : 64;
	void *v;

	if (n < *have)
		return true;
	v = reallocarray(*list, more, size);
	if (!v)
		return false;
	*list = v;
	*have = more;
	return true;
}
#define ROOM(x, what)                                               \
	room((void **)&(x)->what, (x)->n_##what, &(x)->room_##what, \
	     sizeof *(x)->what)

/* Hands every row of |sql| to |row|. */
static int each(struct fairness *x, const char *sql,
		int (*row)(struct fairness *x, sqlite3_stmt *q))
{
	sqlite3_stmt *q = db_prepare(x->s, sql, "fairness", x->err);
	int rc = 0, step = SQLITE_DONE;

	if (!q)
		return -1;
	while (!rc && (step = sqlite3_step(q)) == SQLITE_ROW)
		rc = row(x, q);
	sqlite3_finalize(q);
	if (rc || step == SQLITE_DONE)
		return rc;
	return db_error(x->s, x->err, "fairness");
}

/* ---- members, in order of their receivers ---- */

static bool same_group(const struct group *g, int64_t tap, const char *receiver)
{
	return g->tap == tap && !strcmp(g->receiver, receiver);
}

static int take_member(struct fairness *x, sqlite3_stmt *q)
{
	int64_t tap = sqlite3_column_int64(q, 1);
	const char *dst = (const char *)sqlite3_column_text(q, 2);

	if (!dst)
		return db_error(x->s, x->err, "fairness");
	if (!x->n_groups ||
	    !same_group(&x->groups[x->n_groups - 1], tap, dst)) {
		char *receiver = ROOM(x, groups) ? strdup(dst) : NULL;

		if (!receiver)
			return no_memory(x);
		x->groups[x->n_groups++] =
			(struct group) { .tap = tap, .receiver = receiver };
	}
	if (!ROOM(x, members))
		return no_memory(x);
	x->members[x->n_members++] = (struct member) {
		.id = sqlite3_column_int64(q, 0),
		.first_ns = sqlite3_column_int64(q, 3),
		.last_ns = sqlite3_column_int64(q, 4),
		.began_ns = sqlite3_column_int64(q, 3),
		.group = (int64_t)x->n_groups - 1,
	};
	return 0;
}

/* ---- their steps ---- */

static struct member *member_of(struct fairness *x, int64_t id)
{
	size_t at =
		search_below(struct member, x->members, x->n_members, id, id);

	return at < x->n_members && x->members[at].id == id ? &x->members[at]
							    : NULL;
}

static void read_step(sqlite3_stmt *q, void *fact)
{
	*(struct fact_bin *)fact = (struct fact_bin) {
		.scope_id = (uint32_t)sqlite3_column_int64(q, 0),
		.start_ns = sqlite3_column_int64(q, 1),
		.width_ns = sqlite3_column_int64(q, 2),
		.packets = (uint64_t)sqlite3_column_int64(q, 3),
		.bytes = (uint64_t)sqlite3_column_int64(q, 4),
	};
}

static bool take_step(void *fairness, const void *fact)
{
	struct fairness *x = fairness;
	const struct fact_bin *b = fact;
	struct member *m = member_of(x, b->scope_id);
	int64_t start = b->start_ns, width = b->width_ns;
	struct group *g;

	if (!m || width <= 0)
		return true;
	if (start % width) {
		/* A step that reaches beyond all time: no window of it. */
		if (start == m->first_ns &&
		    __builtin_add_overflow(start, width, &m->began_ns))
			m->began_ns = INT64_MAX;
		return true;
	}
	if (!ROOM(x, steps))
		return false;
	g = &x->groups[m->group];
	g->width = width > g->width ? width : g->width;
	g->packets += (int64_t)b->packets;
	g->steps++;
	x->steps[x->n_steps++] =
		(struct share) { start, (int64_t)b->bytes, m - x->members };
	return true;
}

/* ---- windows ---- */

static void choose_windows(struct fairness *x)
{
	for (size_t i = 0; i < x->n_groups; i++) {
		struct group *g = &x->groups[i];
		int64_t packets = g->packets > 1 ? g->packets : 1;
		double steps =
			(double)PACKETS * (double)g->steps / (double)packets;
		int64_t n = (int64_t)(steps + 0.999);

		if (__builtin_mul_overflow(g->width, n > 1 ? n : 1, &g->window))
			g->window = INT64_MAX;
	}
}

/* Steps become shares of windows, in order of group, window and member. */
static bool add_up(struct fairness *x)
{
	struct share *v = x->steps;
	size_t n = 0;

	for (size_t i = 0; i < x->n_steps; i++)
		v[i].window /= x->groups[x->members[v[i].member].group].window;
	if (!sort_by(struct share, v, x->n_steps, window) ||
	    !sort_by(struct share, v, x->n_steps, member))
		return false;
	for (size_t i = 0; i < x->n_steps; i++) {
		if (n && v[n - 1].member == v[i].member &&
		    v[n - 1].window == v[i].window)
			v[n - 1].bytes += v[i].bytes;
		else
			v[n++] = v[i];
	}
	x->n_steps = n;
	for (size_t i = 0; i < n; i++)
		v[i].member = x->members[v[i].member].group;
	if (!sort_by(struct share, v, n, window) ||
	    !sort_by(struct share, v, n, member))
		return false;
	for (size_t i = 0; i < n; i++) {
		struct group *g = &x->groups[v[i].member];

		if (!g->n_sums++)
			g->sums = i;
	}
	return true;
}

/* When flows begin and end, in order of group and window. */
static bool find_changes(struct fairness *x)
{
	struct change *v = malloc(2 * x->n_members * sizeof *v);
	size_t n = 0;

	x->changes = v;
	for (size_t i = 0; v && i < x->n_members; i++) {
		const struct member *m = &x->members[i];
		int64_t w = x->groups[m->group].window, first, over;

		if (!w)
			continue;
		first = m->began_ns / w;
		over = m->last_ns / w + 1;
		v[n++] = (struct change) { first, 1, m->group };
		v[n++] = (struct change) { over > first ? over : first, -1,
					   m->group };
	}
	x->n_changes = n;
	return v && sort_by(struct change, v, n, window) &&
	       sort_by(struct change, v, n, group);
}

/* How many flows of group |k| are under way in |window|, the next that is
 * asked for. */
static int64_t under_way(struct fairness *x, int64_t k, int64_t window,
			 int64_t before)
{
	const struct change *c;

	for (; x->change < x->n_changes; x->change++) {
		c = &x->changes[x->change];
		if (c->group > k || (c->group == k && c->window > window))
			break;
		if (c->group == k)
			before += c->more;
	}
	return before;
}

/* ---- who joined ---- */

/* Members in order of time. */
static void note_joins(struct fairness *x)
{
	for (size_t i = 0; i < x->n_members; i++) {
		int64_t ns = x->members[i].first_ns;
		struct group *g = &x->groups[x->members[i].group];

		if (ns - g->newest_ns > TOGETHER_NS) {
			g->joined_ns = ns;
			g->joined = 0;
		}
		g->joined += g->joined_ns > 0;
		g->newest_ns = ns;
	}
}

static int64_t add_up_to_most(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* How long after the last to join the first window begins from which on all
 * keep to it as long as they must; NULL: none.  Windows |v|, of which those
 * with less than |least| of their flows within 10 % of the mean do not. */
static void bind_converged(struct fairness *x, const struct group *g,
			   int column, const struct interval *v, size_t n,
			   double least)
{
	int64_t bad = add_up_to_most(v[n - 1].start_ns, g->window), hold;
	int64_t first = INT64_MAX;

	if (__builtin_mul_overflow(g->window, HOLD_WINDOWS, &hold))
		hold = INT64_MAX;
	hold = hold > HOLD_NS ? hold : HOLD_NS;
	while (n--) {
		if ((double)v[n].even < least * (double)v[n].flows)
			bad = v[n].start_ns;
		if (bad - v[n].start_ns >= hold)
			first = v[n].start_ns;
	}
	sqlite3_bind_null(x->converged, column);
	if (first != INT64_MAX)
		sqlite3_bind_int64(x->converged, column, first - g->joined_ns);
}

static void bind_jfi(struct fairness *x, int column, double jfi)
{
	sqlite3_bind_null(x->converged, column);
	if (jfi >= 0)
		sqlite3_bind_double(x->converged, column, jfi);
}

/* From the first packet of the last flows to join until every flow is within
 * 10 % of the mean and stays there (BMWG 7.3). */
static int put_convergence(struct fairness *x, const struct group *g)
{
	const struct interval *v = x->intervals;
	size_t n = x->n_intervals;
	int64_t flows = 0;

	for (; n && v->start_ns < g->joined_ns; n--)
		v++;
	if (!n || !g->joined)
		return 0;
	for (size_t i = 0; i < n; i++)
		flows = v[i].flows > flows ? v[i].flows : flows;
	sqlite3_bind_int64(x->converged, 1, g->tap);
	sqlite3_bind_text(x->converged, 2, g->receiver, -1, SQLITE_STATIC);
	sqlite3_bind_int64(x->converged, 3, g->joined_ns);
	sqlite3_bind_int64(x->converged, 4, flows);
	sqlite3_bind_int64(x->converged, 5, g->joined);
	sqlite3_bind_int64(x->converged, 6, g->window);
	bind_converged(x, g, 7, v, n, 1);
	bind_converged(x, g, 8, v, n, 0.95);
	sqlite3_bind_int64(x->converged, 9,
			   add_up_to_most(v[n - 1].start_ns, g->window) -
				   g->joined_ns);
	bind_jfi(x, 10, v->jfi);
	bind_jfi(x, 11, v[n - 1].jfi);
	if (sqlite3_step(x->converged) != SQLITE_DONE)
		return db_error(x->s, x->err, "convergence");
	sqlite3_reset(x->converged);
	return 0;
}

/* ---- rows ---- */

/* The |n| shares of a window that |flows| flows are under way in. */
static int put_row(struct fairness *x, const struct group *g,
		   const struct share *v, size_t n, int64_t flows)
{
	int64_t sum = 0, least = v->bytes, most = v->bytes, even = 0;
	double squares = 0, jfi = -1;

	for (size_t i = 0; i < n; i++) {
		int64_t b = v[i].bytes;

		sum += b;
		squares += (double)b * (double)b;
		least = b < least ? b : least;
		most = b > most ? b : most;
	}
	for (size_t i = 0; i < n; i++)
		even += fabs((double)v[i].bytes * (double)flows -
			     (double)sum) <= 0.1 * (double)sum;
	sqlite3_bind_int64(x->to, 1, g->tap);
	sqlite3_bind_text(x->to, 2, g->receiver, -1, SQLITE_STATIC);
	sqlite3_bind_int64(x->to, 3, v->window * g->window);
	sqlite3_bind_int64(x->to, 4, g->window);
	sqlite3_bind_int64(x->to, 5, flows);
	sqlite3_bind_int64(x->to, 6, sum);
	sqlite3_bind_int64(x->to, 7, least);
	sqlite3_bind_int64(x->to, 8, most);
	sqlite3_bind_null(x->to, 9);
	if (squares > 0) {
		jfi = (double)sum * (double)sum / ((double)flows * squares);
		sqlite3_bind_double(x->to, 9, jfi);
	}
	sqlite3_bind_int64(x->to, 10, even);
	if (!ROOM(x, intervals))
		return no_memory(x);
	x->intervals[x->n_intervals++] =
		(struct interval) { v->window * g->window, flows, even, jfi };
	if (sqlite3_step(x->to) != SQLITE_DONE)
		return db_error(x->s, x->err, "fairness");
	sqlite3_reset(x->to);
	return 0;
}

static int put_group(struct fairness *x, size_t k)
{
	const struct group *g = &x->groups[k];
	const struct share *v = x->steps + g->sums;
	int64_t flows = 0;
	int rc = 0;

	x->n_intervals = 0;
	for (size_t i = 0, n; !rc && i < g->n_sums; i += n) {
		for (n = 1;
		     i + n < g->n_sums && v[i + n].window == v[i].window;)
			n++;
		flows = under_way(x, (int64_t)k, v[i].window, flows);
		if (flows > 1)
			rc = put_row(x, g, v + i, n, flows);
	}
	return rc ? -1 : put_convergence(x, g);
}

static int put_rows(struct fairness *x)
{
	static const char *const columns[] = {
		"tap_id", "receiver",  "start_ns",  "window_ns", "flows",
		"bytes",  "bytes_min", "bytes_max", "jfi",       "even",
	};
	static const char *const converged[] = {
		"tap_id",      "receiver",  "joined_ns",    "flows",
		"joined",      "window_ns", "converged_ns", "nearly_ns",
		"observed_ns", "jfi_first", "jfi_last",
	};
	int rc = 0;

	x->to = db_insert(x->s, "fairness", columns,
			  sizeof columns / sizeof *columns, "fairness", x->err);
	x->converged = db_insert(x->s, "convergence", converged,
				 sizeof converged / sizeof *converged,
				 "convergence", x->err);
	if (!x->to || !x->converged)
		rc = -1;
	for (size_t k = 0; !rc && k < x->n_groups; k++)
		rc = put_group(x, k);
	sqlite3_finalize(x->to);
	sqlite3_finalize(x->converged);
	return rc;
}

int store_fairness(struct store *s, struct err *err)
{
	static const char members[] =
		"SELECT f.id, f.tap_id, f.dst, f.first_ns, f.last_ns"
		"  FROM congestion c /*scan*/ JOIN flow f ON f.id = c.flow_id"
		" ORDER BY f.tap_id, f.dst, f.id";
	static const char steps[] =
		"SELECT scope_id, start_ns, width_ns, packets, bytes"
		"  FROM bin /*scan*/ WHERE scope = 'flow'";
	struct fairness x = { .s = s, .err = err };
	const struct kept_use use = { steps, read_step, take_step, &x };
	int rc = each(&x, members, take_member);

	if (!rc && !sort_by(struct member, x.members, x.n_members, first_ns))
		rc = no_memory(&x);
	note_joins(&x);
	if (!rc && !sort_by(struct member, x.members, x.n_members, id))
		rc = no_memory(&x);
	if (!rc && x.n_members)
		rc = kept_use(s, KEPT_BIN, &use, err);
	if (!rc && x.n_steps) {
		choose_windows(&x);
		rc = add_up(&x) && find_changes(&x) ? put_rows(&x)
						    : no_memory(&x);
	}
	for (size_t i = 0; i < x.n_groups; i++)
		free(x.groups[i].receiver);
	free(x.groups);
	free(x.members);
	free(x.steps);
	free(x.intervals);
	free(x.changes);
	return rc;
}

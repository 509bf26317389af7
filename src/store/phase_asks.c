/* SPDX-License-Identifier: GPL-2.0-or-later
 * Whose data was asked for on another queue pair.
 *
 * Where messages are striped over several queue pairs of two hosts, their
 * receiver may ask for all parts of a message on one of them (CTS).  The other
 * flows have as many messages, and nobody asks on theirs. */
#include <stdlib.h>

#include "base/search.h"
#include "base/sort.h"
#include "store/phase.h"

enum {
	LOOK = 64,  /* flows of the same hosts that are compared */
	ALIKE = 16, /* numbers of messages differ by one of so many at most */
};

static bool asker_row(struct phase_facts *askers, sqlite3_stmt *q)
{
	struct phase_askers *x = (struct phase_askers *)askers;
	struct phase_flow *g =
		phase_flow_of(x->facts, sqlite3_column_int64(q, 1));
	struct phase_asker *a = g ? ANOTHER(x, list) : NULL;

	if (a)
		*a = (struct phase_asker) { sqlite3_column_int64(q, 0),
					    (size_t)(g - x->facts->flows) };
	return a || !g;
}

int phase_askers_load(struct store *s, struct phase_facts *f,
		      struct phase_askers *to, struct err *err)
{
	/* Both at one tap: where there is but one, no flow is looked up. */
	static const char sql[] =
		"SELECT k.flow_id, k.near"
		"  FROM (SELECT count(*) AS taps FROM tap HAVING taps = 1)"
		" CROSS JOIN phase_flow_asks k"
		" UNION ALL "
		"SELECT k.flow_id, k.near"
		"  FROM (SELECT count(*) AS taps FROM tap HAVING taps > 1)"
		" CROSS JOIN phase_flow_asks k"
		" CROSS JOIN flow_brief f ON f.id = k.flow_id"
		"  JOIN flow_brief n ON n.id = k.near AND n.tap_id = f.tap_id";

	*to = (struct phase_askers) { .facts = f };
	if (phase_each(s, sql, (struct phase_facts *)to, asker_row, err))
		return -1;
	return sort_by(struct phase_asker, to->list, to->n_list, flow)
		       ? 0
		       : err_set(err, ERR_MEMORY, "out of memory");
}

static bool keep_ask(struct phase_facts *f, size_t of, int64_t ns)
{
	struct phase_ask *a = ANOTHER(f, asks);

	if (a)
		*a = (struct phase_ask) { ns, (int64_t)of };
	return a;
}

bool phase_asks_by(struct phase_facts *f, const struct phase_askers *x,
		   int64_t id, int64_t first, int64_t last)
{
	size_t i =
		search_below(struct phase_asker, x->list, x->n_list, flow, id);

	for (; i < x->n_list && x->list[i].flow == id; i++)
		if (!keep_ask(f, x->list[i].of, first) ||
		    !keep_ask(f, x->list[i].of, last))
			return false;
	return true;
}

struct pair {
	int64_t hosts; /* sender and receiver */
	uint32_t flow;
};

static bool is_asked(const struct phase_flow *g)
{
	for (size_t k = 0; k < g->n; k++)
		if (g->a[k].asked != PHASE_UNKNOWN)
			return true;
	return false;
}

/* In turn, some have one more than others. */
static bool as_many(uint64_t a, uint64_t b)
{
	uint64_t more = a > b ? a - b : b - a;

	return a && b && (more == 1 || ALIKE * more <= a + b);
}

/* What |other| was asked for is asked of |g| as well, and what held that back
 * held back both.  An activity waited for the last that came before it. */
static void ask_alike(const struct phase_facts *f, struct phase_flow *g,
		      const struct phase_flow *other)
{
	int64_t number = other - f->flows;
	size_t i = search_below(struct phase_ask, f->asks, f->n_asks, flow,
				number);

	g->driven = true;
	g->held = other->held;
	g->n_held = other->n_held;
	g->held_up = other->held_up;
	for (size_t k = 0; k <= g->n; k++) {
		int64_t next = k < g->n ? g->a[k].from : INT64_MAX;
		int64_t asked = PHASE_UNKNOWN;

		for (; i < f->n_asks && f->asks[i].flow == number &&
		       f->asks[i].ns <= next;
		     i++)
			asked = f->asks[i].ns;
		if (k)
			g->a[k - 1].asked = asked;
		else
			g->asked = asked;
	}
}

/* By flow, and of each in order of time. */
static bool sort_asks(struct phase_facts *f)
{
	return sort_by(struct phase_ask, f->asks, f->n_asks, ns) &&
	       sort_by(struct phase_ask, f->asks, f->n_asks, flow);
}

/* The first of |n| flows of two hosts, |v|, that asks for as many messages as
 * |g| has; NULL: none does. */
static const struct phase_flow *asked_instead(const struct phase_facts *f,
					      const struct pair *v, size_t n,
					      const struct phase_flow *g)
{
	for (size_t i = 0; i < n && i < LOOK; i++) {
		const struct phase_flow *o = &f->flows[v[i].flow];

		if (o->driven && as_many(o->messages, g->messages) &&
		    is_asked(o))
			return o;
	}
	return NULL;
}

bool phase_share_asks(struct phase_facts *f)
{
	struct pair *v = calloc(f->n_flows + 1, sizeof *v);
	size_t n;

	if (!v || !sort_asks(f)) {
		free(v);
		return false;
	}
	for (uint32_t i = 0; i < f->n_flows; i++)
		v[i] = (struct pair) {
			(int64_t)((uint64_t)f->flows[i].src << 32 |
				  f->flows[i].dst),
			i,
		};
	if (!sort_by(struct pair, v, f->n_flows, hosts)) {
		free(v);
		return false;
	}
	for (size_t i = 0; i < f->n_flows; i += n) {
		for (n = 1; i + n < f->n_flows && v[i + n].hosts == v[i].hosts;)
			n++;
		for (size_t k = i; n > 1 && k < i + n; k++) {
			struct phase_flow *g = &f->flows[v[k].flow];
			const struct phase_flow *o;

			if (g->driven || is_asked(g))
				continue;
			o = asked_instead(f, v + i, n, g);
			if (o)
				ask_alike(f, g, o);
		}
	}
	free(v);
	return true;
}

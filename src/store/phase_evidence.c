/* SPDX-License-Identifier: GPL-2.0-or-later
 * What stalled flows, as far as others say so: pauses, and what is in table
 * attribution.  After a capture with losses that has two rows for each of them,
 * which are read once and sorted here. */
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/sort.h"
#include "store/phase.h"

static enum phase_class class_of(const char *name, const char *part)
{
	unsigned c = 0;

	while (c < CLASS_UNKNOWN && (strcmp(name, phase_class_names[c]) ||
				     strcmp(part, phase_class_parts[c])))
		c++;
	return c;
}

/* ---- pauses ---- */

static bool pause_row(struct phase_facts *f, sqlite3_stmt *q)
{
	const char *role = (const char *)sqlite3_column_text(q, 2);
	bool host = !strcmp(role, "host");
	struct phase_span *p;

	p = host ? ANOTHER(f, host_pauses)
	    : f->every_link || !strcmp(role, "network")
		    ? ANOTHER(f, net_pauses)
		    : ANOTHER(f, open_pauses);
	if (!p)
		return false;
	*p = (struct phase_span) { sqlite3_column_int64(q, 0),
				   sqlite3_column_int64(q, 1),
				   host ? CLASS_PAUSED_HOST : CLASS_PAUSED,
				   false };
	return true;
}

/* A switch may pass on what a host asks for meanwhile; where the links of all
 * hosts are seen and none asks, the pause begins in the network. */
static enum phase_class pause_of_switch(const struct phase_facts *f,
					int64_t from, int64_t to)
{
	size_t low = search_below(struct phase_span, f->host_pauses,
				  f->n_host_pauses, to, from);

	if (low < f->n_host_pauses && f->host_pauses[low].from <= to)
		return CLASS_PAUSED_HOST;
	return f->every_link ? CLASS_PAUSED_NET : CLASS_PAUSED;
}

static int load_pauses(struct store *s, struct phase_facts *f, struct err *err)
{
	/* When at least one host sent a pause, when switches in a deadlock did,
	 * and when somebody else did: in order, apart. */
	static const char pauses[] =
		"WITH s AS (SELECT CASE WHEN r.deadlock THEN 'network'"
		"   WHEN r.role = 'host' AND NOT r.ignored THEN 'host'"
		"   ELSE '' END AS who,"
		"  p.first_ns, p.last_ns, p.id"
		"  FROM pause p /*scan*/"
		"  JOIN pause_sender r ON r.tap_id = p.tap_id"
		"   AND r.source_mac = p.source_mac AND r.priority IS "
		"p.priority"
		" WHERE p.last_ns IS NOT NULL),"
		" h AS (SELECT who, first_ns, last_ns, max(last_ns) OVER"
		"   (PARTITION BY who ORDER BY first_ns, id"
		"     ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)"
		"     AS before FROM s),"
		" g AS (SELECT who, first_ns, last_ns,"
		"  sum(before IS NULL OR before < first_ns) OVER"
		"   (PARTITION BY who"
		"     ORDER BY first_ns ROWS UNBOUNDED PRECEDING) AS part"
		" FROM h)"
		"SELECT min(first_ns), max(last_ns), who FROM g"
		" GROUP BY who, part ORDER BY 1";
	static const char every[] =
		"SELECT NOT EXISTS (SELECT 1 FROM phase_flow_in i WHERE"
		"  NOT EXISTS (SELECT 1 FROM phase_link l"
		"    WHERE l.address = i.src)"
		"  OR NOT EXISTS (SELECT 1 FROM phase_link l"
		"    WHERE l.address = i.dst))"
		/* one tap may be at the link of either of two hosts */
		" AND (SELECT count(DISTINCT place) FROM tap) >="
		"  (SELECT count(DISTINCT address) FROM phase_link)";

	f->every_link = db_integer(s, every, 0);
	if (phase_each(s, pauses, f, pause_row, err) ||
	    phase_own_pauses(s, f, err))
		return -1;
	f->n_net_pauses = phase_join_spans(f->net_pauses, f->n_net_pauses);
	return 0;
}

/* ---- what is attributed ---- */

/* A row of the table, and whose it is: flow.id, later the number of a flow of
 * phases. */
struct charge {
	int64_t flow;
	struct phase_span span;
};

struct charges {
	struct phase_facts *facts;
	struct charge *rows; /* as they stand, later by flow.id */
	size_t n_rows, room_rows;
	struct charge *held; /* as they hold back who waits to be asked */
	size_t n_held, room_held;
};

static bool charge_row(struct phase_facts *charges, sqlite3_stmt *q)
{
	struct charges *x = (struct charges *)charges;
	const char *class = (const char *)sqlite3_column_text(q, 3);
	const char *part = (const char *)sqlite3_column_text(q, 4);
	struct charge *c = class && part ? ANOTHER(x, rows) : NULL;

	if (!c)
		return false;
	c->flow = sqlite3_column_int64(q, 0);
	c->span.from = sqlite3_column_int64(q, 1);
	c->span.to = sqlite3_column_int64(q, 2);
	c->span.class =
		strcmp(part, "switch") != 0
			? class_of(class, part)
			: pause_of_switch(x->facts, c->span.from, c->span.to);
	c->span.replays = sqlite3_column_int(q, 5);
	return true;
}

/* What happens to flow |of|, by which data of another is asked for, holds that
 * back. */
static bool held_row(struct phase_facts *charges, sqlite3_stmt *q)
{
	struct charges *x = (struct charges *)charges;
	int64_t of = sqlite3_column_int64(q, 0);
	const struct phase_flow *g =
		phase_flow_of(x->facts, sqlite3_column_int64(q, 1));
	size_t i = search_below(struct charge, x->rows, x->n_rows, flow, of);

	for (; g && i < x->n_rows && x->rows[i].flow == of; i++) {
		struct charge *c = ANOTHER(x, held);

		if (!c)
			return false;
		*c = (struct charge) { g - x->facts->flows, x->rows[i].span };
	}
	return true;
}

/* By flow, and of each in order of time. */
static bool sort_charges(struct charge *c, size_t n)
{
	return sort_by(struct charge, c, n, span.from) &&
	       sort_by(struct charge, c, n, flow);
}

static bool same_begin(const struct charge *a, const struct charge *b)
{
	return a->flow == b->flow && a->span.from == b->span.from;
}

static bool equal(const struct charge *a, const struct charge *b)
{
	return same_begin(a, b) && a->span.to == b->span.to &&
	       a->span.class == b->span.class &&
	       a->span.replays == b->span.replays;
}

/* What several flows tell that ask for the same counts once. */
static size_t without_equals(struct charge *c, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		size_t k = kept;

		while (k && same_begin(&c[k - 1], &c[i]) &&
		       !equal(&c[k - 1], &c[i]))
			k--;
		if (!k || !equal(&c[k - 1], &c[i]))
			c[kept++] = c[i];
	}
	return kept;
}

/* Those of |n| |c|, which are in order of flow.  NULL: no memory. */
static struct phase_span *spans_of(const struct charge *c, size_t n)
{
	struct phase_span *all = malloc((n + 1) * sizeof *all);

	for (size_t i = 0; all && i < n; i++)
		all[i] = c[i].span;
	return all;
}

/* To the flows that they are about. */
static bool hand_out_evidence(struct charges *x, const struct store *s)
{
	struct phase_facts *f = x->facts;
	struct charge *own = malloc((x->n_rows + 1) * sizeof *own);
	size_t n = 0;

	for (size_t i = 0; own && i < x->n_rows; i++) {
		struct phase_flow *g =
			phase_flow_of(f, phase_flow_near(s, x->rows[i].flow));

		if (!g)
			continue;
		own[n++] = (struct charge) { g - f->flows, x->rows[i].span };
		g->n_evidence++;
	}
	f->n_evidence = n;
	f->evidence = own && sort_charges(own, n) ? spans_of(own, n) : NULL;
	free(own);
	return f->evidence;
}

/* To those that these ask for. */
static int hand_out_held(struct charges *x, struct store *s, struct err *err)
{
	static const char asks[] = "SELECT flow_id, near"
				   "  FROM phase_flow_asks /*scan*/";
	struct phase_facts *f = x->facts;

	if (!x->n_rows)
		return 0;
	if (!sort_by(struct charge, x->rows, x->n_rows, flow))
		return err_set(err, ERR_MEMORY, "out of memory");
	if (phase_each(s, asks, (struct phase_facts *)x, held_row, err))
		return -1;
	if (!sort_charges(x->held, x->n_held))
		return err_set(err, ERR_MEMORY, "out of memory");
	f->n_held = without_equals(x->held, x->n_held);
	for (size_t i = 0; i < f->n_held; i++)
		f->flows[x->held[i].flow].n_held++;
	f->held = spans_of(x->held, f->n_held);
	return f->held ? 0 : err_set(err, ERR_MEMORY, "out of memory");
}

/* Each flow has its own in a row. */
static void point_out(struct phase_facts *f)
{
	size_t at = 0, held = 0;

	for (size_t i = 0; i < f->n_flows; i++) {
		f->flows[i].evidence = f->evidence + at;
		f->flows[i].held = f->held ? f->held + held : NULL;
		at += f->flows[i].n_evidence;
		held += f->flows[i].n_held;
	}
}

static int load_charges(struct store *s, struct phase_facts *f, struct err *err)
{
	static const char rows[] =
		"SELECT flow_id, first_ns, last_ns, class, part, replays"
		"  FROM attribution /*scan*/"
		" WHERE last_ns > first_ns AND flow_id IS NOT NULL";
	struct charges x = { .facts = f };
	int rc = phase_each(s, rows, (struct phase_facts *)&x, charge_row, err);

	if (!rc && !hand_out_evidence(&x, s))
		rc = err_set(err, ERR_MEMORY, "out of memory");
	if (!rc)
		rc = hand_out_held(&x, s, err);
	if (!rc)
		point_out(f);
	free(x.rows);
	free(x.held);
	return rc;
}

/* What asks for data may be late on its way. */
static bool held_up_row(struct phase_facts *f, sqlite3_stmt *q)
{
	struct phase_flow *g = phase_flow_of(f, sqlite3_column_int64(q, 0));

	if (g)
		g->held_up = sqlite3_column_int64(q, 1);
	return true;
}

int phase_evidence(struct store *s, struct phase_facts *f, struct err *err)
{
	static const char held_up[] =
		"SELECT k.near, max(s.delay_max_ns - s.delay_min_ns)"
		"  FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM segment_flow))"
		" CROSS JOIN phase_flow_asks k"
		" CROSS JOIN segment_flow s ON s.flow_id = k.flow_id"
		" WHERE s.delay_max_ns > s.delay_min_ns"
		" GROUP BY k.near";

	return load_pauses(s, f, err) || load_charges(s, f, err) ||
			       phase_each(s, held_up, f, held_up_row, err)
		       ? -1
		       : 0;
}

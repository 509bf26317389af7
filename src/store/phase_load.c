/* SPDX-License-Identifier: GPL-2.0-or-later
 * What src/phase needs to know, out of tables.  The rules are in
 * queries/derive/40-phase.sql and 41-attribution; here rows become arrays. */
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/sort.h"
#include "store/kept.h"
#include "store/phase.h"

_Static_assert(PHASE_UNKNOWN == FACT_UNKNOWN, "db_number() serves both");

/* ---- rows ---- */

void *phase_another(void **list, size_t *n, size_t *room, size_t size)
{
	if (*n == *room) {
		size_t more = *room ? 2 * *room : 64;
		void *v = reallocarray(*list, more, size);

		if (!v)
			return NULL;
		*list = v;
		*room = more;
	}
	return memset((char *)*list + (*n)++ * size, 0, size);
}

int phase_each(struct store *s, const char *sql, struct phase_facts *f,
	       bool (*row)(struct phase_facts *f, sqlite3_stmt *q),
	       struct err *err)
{
	sqlite3_stmt *q = db_prepare(s, sql, "phases", err);
	bool memory = true;
	int rc = SQLITE_DONE;

	if (!q)
		return -1;
	while (memory && (rc = sqlite3_step(q)) == SQLITE_ROW)
		memory = row(f, q);
	sqlite3_finalize(q);
	if (!memory)
		return err_set(err, ERR_MEMORY, "out of memory");
	return rc == SQLITE_DONE ? 0 : db_error(s, err, "phases");
}

struct phase_flow *phase_flow_of(const struct phase_facts *f, int64_t near)
{
	size_t low =
		search_below(struct phase_flow, f->flows, f->n_flows, id, near);

	return low < f->n_flows && f->flows[low].id == near ? &f->flows[low]
							    : NULL;
}

/* ---- hosts and flows ---- */

/* A CNP, and the number of its flow. */
struct throttling {
	int64_t ns;
	uint64_t flow;
};

struct throttlings {
	const struct store *store;
	struct phase_facts *facts;
	int64_t *cut; /* by flow: the first that slowed it down; 0: none */
	struct throttling *list;
	size_t n_list, room_list;
};

static void read_cnp(sqlite3_stmt *q, void *fact)
{
	*(struct kept_cnp *)fact = (struct kept_cnp) {
		.flow = sqlite3_column_int64(q, 0),
		.ns = sqlite3_column_int64(q, 1),
		.rate_bps = db_number(q, 2),
	};
}

static bool take_cnp(void *throttlings, const void *fact)
{
	struct throttlings *x = throttlings;
	const struct kept_cnp *c = fact;
	struct phase_flow *g =
		phase_flow_of(x->facts, phase_flow_near(x->store, c->flow));
	struct throttling *t = g ? ANOTHER(x, list) : NULL;

	if (!t)
		return !g;
	*t = (struct throttling) { c->ns, (uint64_t)(g - x->facts->flows) };
	g->n_cnps++;
	if (c->rate_bps == FACT_UNKNOWN)
		return true;
	/* How fast it was before it slowed down for the first time. */
	if (!x->cut[t->flow] || t->ns < x->cut[t->flow]) {
		x->cut[t->flow] = t->ns;
		g->cut_rate = (double)c->rate_bps / g->wire;
	}
	return true;
}

/* To each flow its own, in order of time. */
static bool hand_out(struct throttlings *x)
{
	struct phase_facts *f = x->facts;
	int64_t *next;

	if (!x->n_list)
		return true;
	next = f->cnps = malloc(x->n_list * sizeof *f->cnps);
	if (!next || !sort_by(struct throttling, x->list, x->n_list, ns))
		return false;
	for (size_t i = 0; i < f->n_flows; i++) {
		f->flows[i].cnps = next;
		next += f->flows[i].n_cnps;
		f->flows[i].n_cnps = 0;
	}
	for (size_t i = 0; i < x->n_list; i++) {
		struct phase_flow *g = &f->flows[x->list[i].flow];

		f->cnps[g->cnps + g->n_cnps++ - f->cnps] = x->list[i].ns;
	}
	return true;
}

static int load_cnps(struct store *s, struct phase_facts *f, struct err *err)
{
	static const char cnps[] =
		"SELECT flow_id, ns,"
		"       iif(reaction = 'reacted', rate_before_bps, NULL)"
		"  FROM cnp /*scan*/ WHERE flow_id IS NOT NULL ORDER BY rowid";
	struct throttlings all = { .store = s, .facts = f };
	const struct kept_use use = { cnps, read_cnp, take_cnp, &all };
	int rc = -1;

	all.cut = calloc(f->n_flows + 1, sizeof *all.cut);
	if (all.cut)
		rc = kept_use(s, KEPT_CNP, &use, err);
	if (!all.cut || (!rc && !hand_out(&all)))
		rc = err_set(err, ERR_MEMORY, "out of memory");
	free(all.cut);
	free(all.list);
	return rc;
}

/* ---- stretches of data ---- */

/* Those of all flows as they were reported, which is in order of time for each
 * flow: putting them apart is cheaper than sorting. */
struct strewn {
	struct phase_facts *facts;
	uint32_t *flow; /* of each */
	size_t n_flow, room_flow;
	struct phase_askers askers;
};

static void read_burst(sqlite3_stmt *q, void *fact)
{
	*(struct fact_burst *)fact = (struct fact_burst) {
		.flow = (uint32_t)sqlite3_column_int64(q, 0),
		.first_ns = sqlite3_column_int64(q, 1),
		.last_ns = sqlite3_column_int64(q, 2),
		.bytes = (uint64_t)sqlite3_column_int64(q, 3),
		.psns = (uint64_t)sqlite3_column_int64(q, 4),
		.inside = sqlite3_column_int(q, 5),
		.acked_ns = db_number(q, 6),
		.asked_ns = db_number(q, 7),
		.unacked = db_number(q, 8),
		.granted_ns = db_number(q, 9),
		.wanted_ns = db_number(q, 10),
	};
}

static bool take_burst(void *strewn, const void *fact)
{
	struct strewn *x = strewn;
	const struct fact_burst *b = fact;
	struct phase_facts *f = x->facts;
	struct phase_flow *g = phase_flow_of(f, b->flow);
	struct phase_activity *a;
	uint32_t *of;

	if (b->bytes > 0 &&
	    !phase_asks_by(f, &x->askers, b->flow, b->first_ns, b->last_ns))
		return false;
	if (!g)
		return true;
	a = ANOTHER(f, activities);
	of = ANOTHER(x, flow);
	if (!a || !of)
		return false;
	*a = (struct phase_activity) {
		.from = b->first_ns,
		.sent = b->last_ns,
		.arrived = b->last_ns,
		.came = b->first_ns,
		.bytes = b->bytes,
		.psns = b->psns,
		.inside = b->inside,
		.acked = b->acked_ns,
		.asked = b->asked_ns,
		.unacked = b->unacked,
		.granted = b->granted_ns,
		.wanted = b->wanted_ns,
		.returned = PHASE_UNKNOWN,
	};
	*of = (uint32_t)(g - f->flows);
	g->n++;
	return true;
}

static int by_begin(const void *a, const void *b)
{
	const struct phase_activity *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

/* Each where it belongs: what stands there moves on to its own place, so that
 * there is no second list. */
static void put_in_place(struct phase_activity *a, uint32_t *place, size_t n)
{
	for (size_t i = 0; i < n; i++)
		while (place[i] != i) {
			uint32_t to = place[i];
			struct phase_activity moved = a[to];

			a[to] = a[i];
			a[i] = moved;
			place[i] = place[to];
			place[to] = to;
		}
}

static bool in_time(const struct phase_flow *g)
{
	for (size_t k = 1; k < g->n; k++)
		if (g->a[k - 1].from > g->a[k].from)
			return false;
	return true;
}

/* Flow by flow.  Live, newer rows may stand where older ones were. */
static void gather(struct strewn *x)
{
	struct phase_facts *f = x->facts;
	struct phase_activity *next = f->activities;

	for (size_t i = 0; i < f->n_flows; i++) {
		f->flows[i].a = next;
		if (f->flows[i].n)
			next += f->flows[i].n;
	}
	/* From the number of its flow to its place. */
	for (size_t i = 0; i < x->n_flow; i++)
		x->flow[i] =
			(uint32_t)(f->flows[x->flow[i]].a++ - f->activities);
	put_in_place(f->activities, x->flow, x->n_flow);
	for (size_t i = 0; i < f->n_flows; i++) {
		struct phase_flow *g = &f->flows[i];

		if (g->n)
			g->a -= g->n;
		if (!in_time(g))
			qsort(g->a, g->n, sizeof *g->a, by_begin);
		phase_join_batches(g);
	}
}

static int load_bursts(struct store *s, struct phase_facts *f, struct err *err)
{
	static const char bursts[] =
		"SELECT flow_id, first_ns, last_ns, bytes, psns, inside,"
		"       acked_ns, asked_ns, unacked, granted_ns, wanted_ns"
		"  FROM burst /*scan*/ ORDER BY rowid";
	struct strewn all = { .facts = f };
	const struct kept_use use = { bursts, read_burst, take_burst, &all };
	int rc = phase_askers_load(s, f, &all.askers, err) ||
				 kept_use(s, KEPT_BURST, &use, err)
			 ? -1
			 : 0;

	if (!rc)
		gather(&all);
	free(all.flow);
	free(all.askers.list);
	return rc;
}

/* |g| was asked for at |ns|; true: before its first data. */
static bool asked_first(struct phase_flow *g, int64_t ns)
{
	if (g->n && g->a[0].from <= ns)
		return false;
	g->asked = ns > g->asked ? ns : g->asked;
	return true;
}

/* A receiver asked for flow |near|, on a PDC or queue pair of its own: rows in
 * order of time. */
static bool asked_row(struct phase_facts *f, sqlite3_stmt *q)
{
	struct phase_flow *g = phase_flow_of(f, sqlite3_column_int64(q, 0));

	for (int i = 1; g && i <= 2; i++) {
		int64_t ns = sqlite3_column_int64(q, i);

		if (!asked_first(g, ns))
			g->a[search_below(struct phase_activity, g->a, g->n,
					  from, ns + 1) -
			     1]
				.asked = ns;
	}
	return true;
}

/* Of those who ask on any, the flow has only what was first. */
static int load_asked(struct store *s, struct phase_facts *f, struct err *err)
{
	static const char asked[] =
		"SELECT i.near, b.first_ns, b.last_ns"
		"  FROM phase_flow_cts c"
		"  JOIN phase_flow_in i ON i.near = c.of"
		"  JOIN burst b ON b.flow_id = c.flow_id"
		" WHERE b.bytes > 0 ORDER BY i.near, b.first_ns";

	for (size_t i = 0; i < f->n_asks; i++)
		asked_first(&f->flows[f->asks[i].flow], f->asks[i].ns);
	return phase_each(s, asked, f, asked_row, err);
}

/* They come one after the other, whatever the views say. */
static void in_order(struct phase_facts *f)
{
	for (size_t i = 0; i < f->n_flows; i++) {
		struct phase_flow *g = &f->flows[i];

		for (size_t k = 0; k < g->n; k++) {
			struct phase_activity *a = &g->a[k];
			int64_t next = k + 1 < g->n ? a[1].from : INT64_MAX;

			a->sent = a->sent < next ? a->sent : next;
			a->over = a->arrived < next ? a->arrived : next;
		}
	}
}

/* ---- messages ---- */

static bool message_row(struct phase_facts *f, sqlite3_stmt *q)
{
	struct phase_flow *g = phase_flow_of(f, sqlite3_column_int64(q, 1));
	struct phase_message *m = g ? ANOTHER(f, messages) : NULL;

	if (!m)
		return !g;
	*m = (struct phase_message) { sqlite3_column_int64(q, 0),
				      (size_t)(g - f->flows),
				      sqlite3_column_int64(q, 2),
				      sqlite3_column_int64(q, 3) };
	return true;
}

static bool window_row(struct phase_facts *f, sqlite3_stmt *q)
{
	const struct phase_host *h =
		phase_host_sorted(f, (const char *)sqlite3_column_text(q, 1));
	struct phase_window *w = h ? ANOTHER(f, windows) : NULL;

	if (!w)
		return !h;
	*w = (struct phase_window) { .id = sqlite3_column_int64(q, 0),
				     .host = (uint32_t)(h - f->hosts),
				     .from = sqlite3_column_int64(q, 2),
				     .to = sqlite3_column_int64(q, 3),
				     .length = sqlite3_column_int64(q, 4) };
	return true;
}

/* Hosts, flows, and when they sent. */
static int load_flows(struct store *s, struct phase_facts *f, struct err *err)
{
	if (phase_flows_load(s, f, err) || phase_hosts_load(s, f, err) ||
	    load_cnps(s, f, err) || load_bursts(s, f, err) ||
	    load_asked(s, f, err))
		return -1;
	return 0;
}

int phase_load(struct store *s, struct phase_facts *f, struct err *err)
{
	static const char messages[] =
		"SELECT m.id, m.flow_id, m.first_ns, m.completed_ns"
		"  FROM message m /*scan*/"
		" CROSS JOIN phase_flow_in i ON i.near = m.flow_id"
		" WHERE m.completed_ns - m.first_ns > i.slow"
		"   AND m.status = 'complete'"
		" ORDER BY m.completed_ns - m.first_ns DESC,"
		"          i.near, m.first_ns, m.id LIMIT 2000";
	/* The longest ones, and those that are known to a quarter of their
	 * length. */
	static const char windows[] =
		"WITH o AS (SELECT c.id, l.address, c.first_ns, c.last_ns,"
		"  min(ifnull(c.exec_ns, c.last_ns - c.first_ns),"
		"      c.last_ns - c.first_ns) AS ns, l.error_ns"
		"  FROM collective c JOIN job_log l ON l.id = c.job_log_id"
		" WHERE c.last_ns > c.first_ns AND c.sent_first_ns IS NOT NULL)"
		"SELECT id, address, first_ns, last_ns, ns FROM"
		" (SELECT * FROM o WHERE 4 * error_ns <= ns"
		"  ORDER BY ns DESC, id LIMIT 20000)"
		" ORDER BY first_ns, id";

	/* In captures without speeds no flow is asked where it was seen. */
	static const char slowest[] =
		"SELECT min(t.speed_bps) FROM (SELECT 1 WHERE EXISTS"
		"  (SELECT 1 FROM tap WHERE speed_bps IS NOT NULL))"
		" CROSS JOIN tap t"
		" WHERE t.id IN (SELECT tap_id FROM phase_flow_in)"
		" HAVING count(*) = count(t.speed_bps)";

	f->first_ns = db_integer(s, "SELECT min(first_ns) FROM tap", 0);
	f->last_ns = db_integer(s, "SELECT max(last_ns) FROM tap", 0);
	/* live lets go of the oldest */
	if (s->live)
		f->first_ns = db_integer(s, "SELECT min(first_ns) FROM burst",
					 f->first_ns);
	f->link_bps = (uint64_t)db_integer(s, slowest, 0);
	f->whole = !db_integer(
		s, "SELECT count(*) FROM row_limit WHERE table_name = 'burst'",
		0);
	if (load_flows(s, f, err))
		return -1;
	if (!phase_hosts_sort(f))
		return err_set(err, ERR_MEMORY, "out of memory");
	phase_drop_psns(f);
	phase_by_answers(f);
	if (phase_arrivals(s, f, err))
		return -1;
	if (phase_evidence(s, f, err))
		return -1;
	if (!phase_share_asks(f))
		return err_set(err, ERR_MEMORY, "out of memory");
	phase_recoveries(f);
	in_order(f);
	if (!phase_paused_queues(f) ||
	    !phase_halts(f->flows, f->n_flows, f->passages, f->n_passages,
			 f->hosts, f->n_hosts, &f->halts))
		return err_set(err, ERR_MEMORY, "out of memory");
	return phase_each(s, messages, f, message_row, err) ||
			       phase_each(s, windows, f, window_row, err)
		       ? -1
		       : 0;
}

void phase_unload(struct phase_facts *f)
{
	phase_hosts_free(f);
	free(f->flows);
	free(f->uet_jobs);
	free(f->activities);
	free(f->cnps);
	free(f->evidence);
	free(f->host_pauses);
	free(f->own_pauses);
	free(f->net_pauses);
	free(f->open_pauses);
	free(f->held);
	free(f->passages);
	free(f->halts);
	free(f->asks);
	free(f->messages);
	free(f->windows);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The flows that jobs and phases are made of: see phase.h.
 *
 * There may be a hundred thousand, and each is looked at with its other
 * direction: SQL takes as long for that as their packets took to be tracked.
 * What is one flow at several places, SQL says all the same. */
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "store/brief.h"
#include "store/phase.h"

/* A flow as phases have it, and table phase_flow_in: one that two places saw is
 * two rows of table flow, and one here.  |near| is where it was seen first,
 * |far| where last. */
struct phase_in {
	int64_t near; /* flow.id */
	int64_t far;  /* flow.id */
	const char *src, *dst;
	int64_t job_id;
	bool driven; /* its receiver asks for each message */
	bool asks;   /* it only asks for data */
	int64_t rtt; /* round trip tap, sender, tap, ns; 0 unknown */
	double wire; /* bytes on the wire for one of payload */
	int64_t messages;
	uint32_t tap, far_tap;
	int64_t far_rtt;  /* round trip last tap, receiver, tap; ns */
	int64_t near_rtt; /* first tap, receiver, tap */
	int64_t slow;  /* of |near|: a message that took longer is slow, ns */
	int64_t peer;  /* of |near|: flow.peer_flow_id */
	int64_t asked; /* of |near|: what is read was requested first */
};

struct same {
	int64_t flow, near;
};

struct phase_seen {
	struct phase_in *in;
	size_t n_in, room_in;
	struct same *same; /* of several places */
	size_t n_same, room_same;
	struct array rows; /* phase_flow_row, of several places */
	struct array flows, sames;
};

/* ---- tables ---- */

#define IN(m) COL(#m, struct phase_in, m, PLAIN)

static const struct column view_columns[] = {
	COL("id", struct phase_in, near, PLAIN),
	IN(driven),
	IN(asks),
	IN(messages),
	IN(slow),
	IN(asked),
};

static const struct column in_columns[] = {
	IN(near),
	IN(far),
	IN(src),
	IN(dst),
	IN(driven),
	IN(wire),
	IN(slow),
	IN(asked),
	COL("tap_id", struct phase_in, tap, FROM_ONE),
	COL("peer", struct phase_in, peer, ZERO_IS_NULL),
};

static const struct column same_columns[] = {
	COL("flow_id", struct same, flow, PLAIN),
	COL("near", struct same, near, PLAIN),
};

/* At one place, each flow is one. */
static const struct column own_columns[] = {
	COL("flow_id", struct phase_in, near, PLAIN),
	COL("near", struct phase_in, near, PLAIN),
};

/* ---- rows of table flow ---- */

/* Numbers in order, of which those of flows in order are looked up. */
struct walk {
	sqlite3_stmt *q;
	int64_t at; /* INT64_MAX: no more */
};

static bool walk_begin(struct walk *w, struct store *s, const char *sql,
		       struct err *err)
{
	w->q = db_prepare(s, sql, "phases", err);
	w->at = INT64_MIN;
	return w->q;
}

static bool has(struct walk *w, int64_t id)
{
	while (w->at < id)
		w->at = sqlite3_step(w->q) == SQLITE_ROW
				? sqlite3_column_int64(w->q, 0)
				: INT64_MAX;
	return w->at == id;
}

struct lists {
	struct walk twice, asked, asks;
};

static bool lists_begin(struct lists *l, struct store *s, struct err *err)
{
	return walk_begin(&l->twice, s,
			  "SELECT flow_id FROM phase_flow_twice"
			  " ORDER BY flow_id",
			  err) &&
	       walk_begin(&l->asked, s,
			  "SELECT of FROM phase_flow_cts ORDER BY of", err) &&
	       walk_begin(&l->asks, s,
			  "SELECT flow_id FROM phase_flow_cts"
			  " ORDER BY flow_id",
			  err);
}

static void lists_end(struct lists *l)
{
	sqlite3_finalize(l->twice.q);
	sqlite3_finalize(l->asked.q);
	sqlite3_finalize(l->asks.q);
}

/* What goes to QP 1 sets connections up, and is no data of a job. */
static bool is_data(const struct brief *f)
{
	return f->goodput_bytes > 0 && f->src != f->dst && f->dst_qp != 1;
}

/* Small messages come back, for each of its own: they ask for it. */
static bool is_driven(const struct brief *f, const struct brief *p)
{
	return (p && p->messages > 0 && p->payload_bytes <= 512 * p->messages &&
		8 * (p->messages + 1) >= f->messages) ||
	       f->no_request;
}

static bool only_asks(const struct brief *f, const struct brief *p)
{
	return p && p->goodput_bytes > 20 * f->goodput_bytes &&
	       f->goodput_bytes <= 512 * f->messages;
}

static struct phase_in flow_of(const struct brief *f, const struct brief *p,
			       struct lists *l)
{
	return (struct phase_in) {
		.near = f->id,
		.far = f->id,
		.job_id = f->job_id < 0 ? FACT_UNKNOWN : f->job_id,
		.driven = has(&l->asked, f->id) || is_driven(f, p),
		.asks = has(&l->asks, f->id) || only_asks(f, p),
		.rtt = f->rtt_sender_ns == FACT_UNKNOWN ? 0 : f->rtt_sender_ns,
		.wire = (double)f->wire_bytes / (double)f->payload_bytes,
		.messages =
			has(&l->twice, f->id) ? f->messages / 2 : f->messages,
		.slow = f->slow_ns,
		.peer = f->peer,
		.asked = !f->requests && p && p->all_requests ? p->first_ns
							      : FACT_UNKNOWN,
	};
}

/* Of the first place and the last. */
static void complete(struct phase_in *i, const struct briefs *b)
{
	const struct brief *near = brief_of(b, i->near);
	const struct brief *far = brief_of(b, i->far);

	i->src = near->src;
	i->dst = near->dst;
	i->tap = near->tap;
	i->far_tap = far->tap;
	i->near_rtt = near->rtt_receiver_ns;
	i->far_rtt = far->rtt_receiver_ns;
}

static bool take_flows(struct phase_seen *x, struct store *s, struct err *err)
{
	struct lists l = { 0 };
	bool ok = lists_begin(&l, s, err);

	for (size_t i = 0; ok && i < s->briefs->n_rows; i++) {
		const struct brief *f = &s->briefs->rows[i];
		const struct brief *p = brief_of(s->briefs, f->peer);
		struct phase_in *to;

		if (!is_data(f))
			continue;
		to = ANOTHER(x, in);
		ok = to;
		if (!ok)
			err_set(err, ERR_MEMORY, "out of memory");
		else
			*to = flow_of(f, p, &l);
	}
	lists_end(&l);
	return ok;
}

/* ---- at several places ---- */

static bool in_row(struct phase_facts *facts, sqlite3_stmt *q)
{
	struct phase_seen *x = (struct phase_seen *)facts;
	struct phase_in *i = ANOTHER(x, in);

	if (i)
		*i = (struct phase_in) {
			.near = sqlite3_column_int64(q, 0),
			.far = sqlite3_column_int64(q, 1),
			.job_id = db_number(q, 2),
			.driven = sqlite3_column_int(q, 3),
			.rtt = sqlite3_column_int64(q, 4),
			.wire = sqlite3_column_double(q, 5),
			.messages = sqlite3_column_int64(q, 6),
			.slow = db_number(q, 7),
			.peer = sqlite3_column_int64(q, 8),
			.asked = db_number(q, 9),
		};
	return i;
}

static bool same_row(struct phase_facts *facts, sqlite3_stmt *q)
{
	struct phase_seen *x = (struct phase_seen *)facts;
	struct same *m = ANOTHER(x, same);

	if (m)
		*m = (struct same) { sqlite3_column_int64(q, 0),
				     sqlite3_column_int64(q, 1) };
	return m;
}

/* |x| has all rows; they become one for each flow. */
static int join_places(struct phase_seen *x, struct store *s, struct err *err)
{
	struct phase_seen joined = { 0 };
	int rc;

	x->rows = (struct array) { "phase_flow_row", COLUMN_LIST(view_columns),
				   sizeof *x->in,    x->in,
				   x->n_in,          0 };
	rc = array_show(s, &x->rows, err) ||
			     phase_each(s,
					"SELECT * FROM phase_flow_places"
					" ORDER BY near",
					(struct phase_facts *)&joined, in_row,
					err)
		     ? -1
		     : 0;
	array_hide(s, &x->rows);
	free(x->in);
	x->in = joined.in;
	x->n_in = joined.n_in;
	return rc;
}

/* Without those that only ask. */
static void drop_asks(struct phase_seen *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->n_in; i++)
		if (!x->in[i].asks)
			x->in[n++] = x->in[i];
	x->n_in = n;
}

static int show(struct phase_seen *x, struct store *s, bool several,
		struct err *err)
{
	x->flows = (struct array) { "phase_flow_in", COLUMN_LIST(in_columns),
				    sizeof *x->in,   x->in,
				    x->n_in,         0 };
	if (array_show(s, &x->flows, err))
		return -1;
	x->sames = (struct array) { "phase_flow_same", COLUMN_LIST(own_columns),
				    sizeof *x->in,     x->in,
				    x->n_in,           0 };
	if (several) {
		if (phase_each(s,
			       "SELECT * FROM phase_flow_seen ORDER BY flow_id",
			       (struct phase_facts *)x, same_row, err))
			return -1;
		x->sames = (struct array) {
			"phase_flow_same", COLUMN_LIST(same_columns),
			sizeof *x->same,   x->same,
			x->n_same,         0
		};
	}
	return array_show(s, &x->sames, err);
}

int phase_flows(struct store *s, struct err *err)
{
	bool several =
		db_integer(s, "SELECT count(DISTINCT place) > 1 FROM tap", 0);
	struct phase_seen *x = s->seen = calloc(1, sizeof *x);

	if (!x)
		return err_set(err, ERR_MEMORY, "out of memory");
	if (!take_flows(x, s, err) || (several && join_places(x, s, err)))
		return -1;
	if (!several)
		drop_asks(x);
	for (size_t i = 0; i < x->n_in; i++)
		complete(&x->in[i], s->briefs);
	return show(x, s, several, err);
}

int64_t phase_flow_near(const struct store *s, int64_t flow)
{
	const struct phase_seen *x = s->seen;
	size_t i = search_below(struct same, x->same, x->n_same, flow, flow);

	if (x->sames.rows != x->same)
		return flow;
	return i < x->n_same && x->same[i].flow == flow ? x->same[i].near : 0;
}

void phase_flows_free(struct store *s)
{
	struct phase_seen *x = s->seen;

	if (!x)
		return;
	if (x->flows.name)
		array_hide(s, &x->flows);
	if (x->sames.name)
		array_hide(s, &x->sames);
	free(x->in);
	free(x->same);
	free(x);
	s->seen = NULL;
}

/* ---- for phases ---- */

static int64_t known(int64_t v)
{
	return v == PHASE_UNKNOWN ? 0 : v;
}

/* Addresses of hosts at whose links taps sit, and steps of time stamps: by tap,
 * of which each has two addresses at most. */
struct at_tap {
	int64_t tap;  /* tap.id */
	int64_t step; /* ns */
	char *address;
};

struct at_taps {
	struct at_tap *links, *taps;
	size_t n_links, room_links, n_taps, room_taps;
};

static bool link_row(struct phase_facts *at, sqlite3_stmt *q)
{
	struct at_taps *x = (struct at_taps *)at;
	struct at_tap *l = ANOTHER(x, links);

	if (!l)
		return false;
	l->tap = sqlite3_column_int64(q, 0);
	l->address = strdup((const char *)sqlite3_column_text(q, 1));
	return l->address;
}

static bool tap_row(struct phase_facts *at, sqlite3_stmt *q)
{
	struct at_taps *x = (struct at_taps *)at;
	struct at_tap *t = ANOTHER(x, taps);

	if (t)
		*t = (struct at_tap) { .tap = sqlite3_column_int64(q, 0),
				       .step = sqlite3_column_int64(q, 1) };
	return t;
}

static void at_taps_free(struct at_taps *x)
{
	for (size_t i = 0; i < x->n_links; i++)
		free(x->links[i].address);
	free(x->links);
	free(x->taps);
}

static bool at_link(const struct at_taps *x, int64_t tap, const char *host)
{
	size_t i = search_below(struct at_tap, x->links, x->n_links, tap, tap);

	for (; i < x->n_links && x->links[i].tap == tap; i++)
		if (!strcmp(x->links[i].address, host))
			return true;
	return false;
}

static int64_t step_of(const struct at_taps *x, int64_t tap)
{
	size_t i = search_below(struct at_tap, x->taps, x->n_taps, tap, tap);

	return i < x->n_taps && x->taps[i].tap == tap ? x->taps[i].step : 0;
}

static bool take_flow(struct phase_facts *f, const struct phase_in *i,
		      const struct at_taps *at, const struct briefs *b)
{
	const struct brief *first = brief_of(b, i->near);
	const struct brief *last = brief_of(b, i->far);
	struct phase_flow *g = ANOTHER(f, flows);
	int64_t *job = ANOTHER(f, uet_jobs);
	int64_t near = (int64_t)i->tap + 1, far = (int64_t)i->far_tap + 1;

	if (!g || !job)
		return false;
	*job = i->job_id;
	*g = (struct phase_flow) {
		.id = i->near,
		.driven = i->driven,
		.rtt_s = i->rtt,
		.wire = i->wire < 1 ? 1 : i->wire,
		.messages = (uint64_t)i->messages,
		.far = i->near != i->far,
		.src_seen = at_link(at, near, i->src),
		.dst_seen = at_link(at, far, i->dst),
		.rtt_r = known(i->far_rtt),
		.rtt_f = known(i->near_rtt),
		.asked = i->asked,
		.near_step = step_of(at, near),
		.far_step = step_of(at, far),
		.whole = !first->capture_missing,
		.routers = last->ttl >= 0 && first->ttl >= last->ttl
				   ? first->ttl - last->ttl
				   : -1,
	};
	/* One tap between two hosts may be at the link of either. */
	if (!g->far && g->src_seen && g->dst_seen)
		g->src_seen = g->dst_seen = false;
	return phase_host_number(f, i->src, &g->src) &&
	       phase_host_number(f, i->dst, &g->dst);
}

int phase_flows_load(struct store *s, struct phase_facts *f, struct err *err)
{
	struct at_taps at = { 0 };
	const struct phase_seen *x = s->seen;
	int rc =
		phase_each(s,
			   "SELECT tap_id, address FROM phase_link"
			   " ORDER BY tap_id",
			   (struct phase_facts *)&at, link_row, err) ||
				phase_each(
					s,
					"SELECT id,"
					"       max(ifnull(stamp_step_ns, 0),"
					"           ifnull(disorder_ns, 0))"
					"  FROM tap"
					" ORDER BY id",
					(struct phase_facts *)&at, tap_row, err)
			? -1
			: 0;

	for (size_t i = 0; !rc && i < x->n_in; i++)
		if (!take_flow(f, &x->in[i], &at, s->briefs))
			rc = err_set(err, ERR_MEMORY, "out of memory");
	at_taps_free(&at);
	return rc;
}

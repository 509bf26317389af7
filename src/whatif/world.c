/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a database has of fabric and messages, and whether that is enough. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/sort.h"
#include "store/query.h"
#include "store/store.h"
#include "views/rows.h"
#include "whatif/whatif_int.h"

enum {
	SENDS_MOST = 200000,
	FLOWS_MOST = 8192,
	NODES_MOST = 4096,
	HOPS_MOST = 64, /* farther is no fabric; a file may have any chain */
	NONE = -1
};

/* Of a run, each of 48; and a month.  No capture that can be replayed has more,
 * and a database may say anything. */
static const double packets_most = 2e7;

/* Of what the link of a host carries, at most, where it is not full. */
static const double room_left = 0.9;
static const int64_t ns_most = INT64_C(30) * 86400 * 1000000000;

/* A capture that misses more than one packet in so many is no base. */
enum { MISSING_ONE_IN = 50 };

__attribute__((format(printf, 3, 0))) static void
put(char (*list)[WHATIF_REASON], size_t *n, const char *fmt, va_list ap)
{
	if (*n < WHATIF_REASONS)
		vsnprintf(list[(*n)++], WHATIF_REASON, fmt, ap);
}

void wi_refuse(struct whatif_answer *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put(a->refused, &a->n_refused, fmt, ap);
	va_end(ap);
}

void wi_assume(struct whatif_answer *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put(a->assumed, &a->n_assumed, fmt, ap);
	va_end(ap);
}

uint32_t wi_receiver(const struct wi_world *w, const struct wi_send *s)
{
	const struct wi_flow *f = &w->flows[s->flow];

	return strcmp(s->op, "read") ? f->dst : f->src;
}

uint32_t wi_sender(const struct wi_world *w, const struct wi_send *s)
{
	return w->flows[s->flow].src;
}

void wi_world_fini(struct wi_world *w)
{
	for (size_t i = 0; i < w->n_sends; i++) {
		free(w->sends[i].after);
		free(w->sends[i].acked);
	}
	free(w->nodes);
	free(w->links);
	free(w->flows);
	free(w->sends);
	free(w->jobs);
}

struct loading {
	struct store *s;
	struct catalogue *c;
	struct wi_world *w;
	struct whatif_answer *a;
	struct err *err;
	struct names nodes;
};

/* Asks whatif/|name|. */
static int ask(struct loading *l, const char *name, struct rows *r)
{
	char full[48];

	snprintf(full, sizeof full, "whatif/%s", name);
	return rows_ask(r, l->s, l->c, full, NULL, l->err);
}

/* Room for all rows of |r|; NULL and |l->err|. */
static void *room(struct loading *l, const struct rows *r, size_t size)
{
	void *v = calloc(r->n_rows + 1, size);

	if (!v)
		err_set(l->err, ERR_MEMORY, "out of memory");
	return v;
}

static int64_t node(struct loading *l, const char *name)
{
	size_t at = name ? names_find(&l->nodes, name) : NAMES_NONE;

	return at == NAMES_NONE ? NONE : (int64_t)at;
}

static void check_nodes(struct loading *l)
{
	size_t hosts = 0, tapped = 0;

	for (size_t i = 0; i < l->w->n_nodes; i++) {
		hosts += !l->w->nodes[i].is_switch;
		tapped += !l->w->nodes[i].is_switch && l->w->nodes[i].taps;
	}
	if (!l->w->n_nodes)
		wi_refuse(l->a, "the database has no topology: analyze with "
				"--topology, which names hosts, switches and "
				"the speed of their links");
	else if (hosts > tapped)
		wi_assume(l->a,
			  "what only hosts without a capture point exchange is "
			  "not part of it (%zu of %zu hosts)",
			  hosts - tapped, hosts);
}

static int load_nodes(struct loading *l, struct rows *r)
{
	if (ask(l, "hosts", r) ||
	    !(l->w->nodes = room(l, r, sizeof *l->w->nodes)))
		return -1;
	for (size_t i = 0; i < r->n_rows && i < NODES_MOST; i++) {
		struct wi_node *n = &l->w->nodes[l->w->n_nodes];

		snprintf(n->name, sizeof n->name, "%s",
			 rows_text(r, i, "name"));
		n->is_switch = rows_int(r, i, "is_switch", 0);
		n->taps = (unsigned)rows_int(r, i, "taps", 0);
		if (!names_add(&l->nodes, n->name, l->w->n_nodes++))
			return err_set(l->err, ERR_MEMORY, "out of memory");
	}
	check_nodes(l);
	return 0;
}

static void add_link(struct wi_world *w, uint32_t a, uint32_t b, uint64_t bps)
{
	struct wi_node *x = &w->nodes[a], *y = &w->nodes[b];

	w->links[w->n_links++] = (struct wi_link) { a, b, bps };
	x->bps = bps > x->bps ? bps : x->bps;
	y->bps = bps > y->bps ? bps : y->bps;
	if (x->is_switch && y->is_switch && bps > w->fabric_bps)
		w->fabric_bps = bps;
}

static int load_links(struct loading *l, struct rows *r)
{
	size_t slow = 0;

	if (ask(l, "links", r) ||
	    !(l->w->links = room(l, r, sizeof *l->w->links)))
		return -1;
	for (size_t i = 0; i < r->n_rows; i++) {
		int64_t a = node(l, rows_text(r, i, "a"));
		int64_t b = node(l, rows_text(r, i, "b"));
		int64_t bps = rows_int(r, i, "speed_bps", 0);

		slow += bps <= 0;
		if (a != NONE && b != NONE && bps > 0)
			add_link(l->w, (uint32_t)a, (uint32_t)b, (uint64_t)bps);
	}
	if (slow)
		wi_refuse(l->a, "the topology gives no speed for %zu links",
			  slow);
	if (l->w->n_nodes && !l->w->n_links)
		wi_refuse(l->a, "the topology has no links");
	return 0;
}

static const char *service(const char *transport)
{
	static const char *const names[][2] = {
		{ "RC", "rc" },
		{ "UC", "uc" },
		{ "UET-ROD", "rod" },
		{ "UET-RUD", "rud" },
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(names[i][0], transport))
			return names[i][1];
	return NULL;
}

static uint64_t least(uint64_t a, int64_t b)
{
	return b < 0 ? 0 : a < (uint64_t)b ? a : (uint64_t)b;
}

/* Hosts that send or receive, and hang on nothing. */
static void check_ends(struct loading *l)
{
	for (size_t i = 0; i < l->w->n_flows; i++) {
		const struct wi_flow *f = &l->w->flows[i];
		uint32_t end = l->w->nodes[f->src].bps ? f->dst : f->src;

		if (l->w->nodes[end].bps)
			continue;
		wi_refuse(l->a, "the topology gives no link of %s",
			  l->w->nodes[end].name);
		return;
	}
}

static int load_flows(struct loading *l, struct rows *r)
{
	uint64_t all = 0, known = 0, elsewhere = 0, other = 0;

	if (ask(l, "flows", r) ||
	    !(l->w->flows = room(l, r, sizeof *l->w->flows)))
		return -1;
	for (size_t i = 0; i < r->n_rows; i++) {
		struct wi_flow *f = &l->w->flows[l->w->n_flows];
		int64_t a = node(l, rows_text(r, i, "src"));
		int64_t b = node(l, rows_text(r, i, "dst"));
		int64_t ce = rows_int(r, i, "ce", 0);

		f->id = rows_int(r, i, "id", 0);
		f->goodput = (uint64_t)rows_int(r, i, "goodput", 0);
		f->service = service(rows_text(r, i, "transport"));
		f->pmtu = (uint32_t)rows_int(r, i, "pmtu", 4096);
		f->bps = (uint64_t)rows_int(r, i, "rate_bps", 0);
		f->ecn = rows_int(r, i, "ect", 0) > 0;
		f->reacts = f->ecn && (!ce || rows_int(r, i, "cnps", 0) > 0);
		f->slowed = f->ecn && rows_int(r, i, "cnps", 0) > 0;
		all += f->goodput;
		known += least(f->goodput, rows_int(r, i, "known", 0));
		elsewhere += a == NONE || b == NONE;
		other += !f->service;
		if (a == NONE || b == NONE || !f->service ||
		    l->w->n_flows == FLOWS_MOST)
			continue;
		f->src = (uint32_t)a;
		f->dst = (uint32_t)b;
		l->w->n_flows++;
	}
	if (l->w->n_links)
		check_ends(l);
	if (!r->n_rows)
		wi_refuse(l->a, "no flow carries messages");
	if (r->n_rows > FLOWS_MOST)
		wi_refuse(l->a, "more than %d flows", FLOWS_MOST);
	if (elsewhere && l->w->n_nodes)
		wi_refuse(l->a,
			  "flows with an end that the topology does not name: "
			  "%llu",
			  (unsigned long long)elsewhere);
	if (other)
		wi_refuse(l->a,
			  "flows of services that are not modeled (RC, UC, ROD "
			  "and RUD are): %llu",
			  (unsigned long long)other);
	if (known < all - all / 20)
		wi_refuse(l->a,
			  "the messages of %.0f %% of the payload are not "
			  "stored: analyze with --all-messages",
			  100.0 - 100.0 * (double)known / (double)all);
	return 0;
}

/* Whose fastest messages together leave room on the link of their host are
 * limited by the NIC; else by each other, or by what came back to the host. */
static bool is_limited(const struct wi_world *w, const struct wi_flow *limited)
{
	double sum = 0, link = 0;

	for (size_t i = 0; i < w->n_links; i++)
		if (w->links[i].a == limited->src ||
		    w->links[i].b == limited->src)
			link += (double)w->links[i].bps;
	for (size_t i = 0; i < w->n_flows; i++)
		if (w->flows[i].src == limited->src)
			sum += w->flows[i].bps ? (double)w->flows[i].bps : link;
	return !w->marked && !w->pauses && sum < room_left * link &&
	       limited->service[1] == 'c';
}

static void limit_flows(struct wi_world *w)
{
	bool *limited = calloc(w->n_flows + 1, sizeof *limited);

	for (size_t i = 0; limited && i < w->n_flows; i++)
		limited[i] = is_limited(w, &w->flows[i]);
	for (size_t i = 0; i < w->n_flows; i++)
		if (!limited || !limited[i])
			w->flows[i].bps = 0;
	free(limited);
}

static int64_t flow(const struct wi_world *w, int64_t id)
{
	size_t from = 0, to = w->n_flows;

	while (from < to) {
		size_t mid = (from + to) / 2;

		if (w->flows[mid].id < id)
			from = mid + 1;
		else
			to = mid;
	}
	return from < w->n_flows && w->flows[from].id == id ? (int64_t)from
							    : NONE;
}

/* Its receiver's ACK passed the capture point next to it at |at|. */
static void answer(struct wi_world *w, const struct wi_send *s, int64_t at)
{
	struct wi_node *n = &w->nodes[w->flows[s->flow].dst];
	int64_t took = at - s->last;

	if (took > 0 && strcmp(s->op, "read") != 0 &&
	    (!n->answer_ns || took < n->answer_ns))
		n->answer_ns = took;
}

/* |at| from the begin of the capture; -1 it is not known, or cannot be. */
static int64_t since(int64_t at, int64_t begin)
{
	return at >= begin && (uint64_t)at - (uint64_t)begin < (uint64_t)ns_most
		       ? at - begin
		       : -1;
}

static bool take_send(struct wi_world *w, const struct rows *r, size_t i,
		      int64_t begin)
{
	struct wi_send *s = &w->sends[w->n_sends];
	int64_t f = flow(w, rows_int(r, i, "flow_id", 0));
	int64_t bytes = rows_int(r, i, "bytes", 0);

	s->first = since(rows_int(r, i, "first_ns", -1), begin);
	s->last = since(rows_int(r, i, "last_ns", -1), begin);
	s->completed = since(rows_int(r, i, "completed_ns", -1), begin);
	if (f == NONE || bytes <= 0 || s->first < 0 || s->last < s->first)
		return false;
	s->flow = (uint32_t)f;
	snprintf(s->op, sizeof s->op, "%s", rows_text(r, i, "op"));
	s->bytes = (uint64_t)bytes;
	s->job = rows_int(r, i, "job", 0);
	w->flows[f].used = true;
	w->n_sends++;
	answer(w, s, since(rows_int(r, i, "acked_ns", -1), begin));
	return true;
}

static int load_sends(struct loading *l, struct rows *r, int64_t begin)
{
	struct wi_world *w = l->w;
	double packets = 0;

	if (ask(l, "sends", r) || !(w->sends = room(l, r, sizeof *w->sends)))
		return -1;
	for (size_t i = 0; i < r->n_rows && i < SENDS_MOST; i++)
		if (take_send(w, r, i, begin)) {
			const struct wi_send *s = &w->sends[w->n_sends - 1];
			uint32_t pmtu = w->flows[s->flow].pmtu;

			packets += 1 + (double)s->bytes / (pmtu ? pmtu : 1);
		}
	if (r->n_rows > SENDS_MOST || packets > packets_most)
		wi_refuse(l->a, "more than %d messages or %.0f packets",
			  SENDS_MOST, packets_most);
	return 0;
}

static int load_jobs(struct loading *l, struct rows *r)
{
	if (ask(l, "jobs", r) || !(l->w->jobs = room(l, r, sizeof *l->w->jobs)))
		return -1;
	for (size_t i = 0; i < r->n_rows; i++) {
		int64_t id = rows_int(r, i, "id", 0);
		int64_t ranks = rows_int(r, i, "ranks", 0);
		int64_t tapped = rows_int(r, i, "tapped", 0);

		l->w->jobs[l->w->n_jobs++] = id;
		if (tapped < ranks)
			wi_refuse(l->a,
				  "job %lld: what %lld of its %lld ranks "
				  "exchange is not all in the capture",
				  (long long)id, (long long)(ranks - tapped),
				  (long long)ranks);
	}
	return 0;
}

/* Links between |from| and each node, into |far|. */
static void distances(const struct wi_world *w, size_t from, uint32_t *far)
{
	bool more = true;

	for (size_t i = 0; i < w->n_nodes; i++)
		far[i] = i == from ? 0 : NODES_MOST;
	for (int hops = 0; more && hops < HOPS_MOST; hops++) {
		more = false;
		for (size_t i = 0; i < w->n_links; i++) {
			uint32_t *a = &far[w->links[i].a];
			uint32_t *b = &far[w->links[i].b];

			if (*a > *b + 1 || *b > *a + 1) {
				*a = *a > *b + 1 ? *b + 1 : *a;
				*b = *b > *a + 1 ? *a + 1 : *b;
				more = true;
			}
		}
	}
}

int64_t wi_onto_link(double bytes, uint64_t bps)
{
	return bps ? (int64_t)(bytes * 8e9 / (double)bps) : 0;
}

/* An ACK onto |links| between switches, and onto that of host |to|. */
static int64_t onto_links(const struct wi_world *w, int64_t links, size_t to)
{
	return links * wi_onto_link(ACK_BYTES, w->fabric_bps) +
	       wi_onto_link(ACK_BYTES, w->nodes[to].bps);
}

/* What is left of the shortest way of two hosts' packets is links between
 * switches.  Between busy hosts even that one waits in queues: a quartile of
 * all pairs counts. */
static int load_delays(struct loading *l, struct rows *r)
{
	struct wi_world *w = l->w;
	size_t n = 0, of = SIZE_MAX;
	uint32_t *far;
	int64_t *v;

	if (ask(l, "delays", r))
		return -1;
	far = calloc(w->n_nodes + 1, sizeof *far);
	v = room(l, r, sizeof *v);
	for (size_t i = 0; i < r->n_rows && far && v; i++) {
		int64_t a = node(l, rows_text(r, i, "src"));
		int64_t b = node(l, rows_text(r, i, "dst"));
		int64_t took = since(rows_int(r, i, "delay_ns", -1), 0);
		int64_t links;

		if (a == NONE || b == NONE || took < 0)
			continue;
		if (of != (size_t)a)
			distances(w, of = (size_t)a, far);
		links = (int64_t)far[b] - 2;
		if (links > 0 && links < NODES_MOST - 2)
			v[n++] = (took - (links + 1) * SWITCH_NS -
				  onto_links(w, links, (size_t)b)) /
				 links;
	}
	if (n) {
		sort_int64(v, n);
		w->delay_ns = v[n / 4] > 1 ? v[n / 4] : 1;
	}
	if (!far)
		err_set(l->err, ERR_MEMORY, "out of memory");
	n = far && v;
	free(v);
	free(far);
	return n ? 0 : -1;
}

static int load_totals(struct loading *l, struct rows *r, int64_t *begin)
{
	struct wi_world *w = l->w;

	if (ask(l, "totals", r))
		return -1;
	w->data = (uint64_t)rows_int(r, 0, "data", 0);
	w->marked = (uint64_t)rows_int(r, 0, "marked", 0);
	w->lost = (uint64_t)rows_int(r, 0, "lost", 0);
	w->missing = (uint64_t)rows_int(r, 0, "missing", 0);
	w->pauses = (uint64_t)rows_int(r, 0, "pauses", 0);
	*begin = rows_int(r, 0, "first_ns", 0);
	if (w->missing > w->data / MISSING_ONE_IN)
		wi_refuse(l->a, "the capture misses %llu packets",
			  (unsigned long long)w->missing);
	return 0;
}

/* Which of equal-cost paths a flow takes, where capture points between switches
 * show it. */
static int load_paths(struct loading *l, struct rows *r)
{
	if (ask(l, "paths", r))
		return -1;
	for (size_t i = 0; i < r->n_rows; i++) {
		int64_t of = flow(l->w, rows_int(r, i, "flow", -1));
		int64_t at = node(l, rows_text(r, i, "node"));
		struct wi_flow *f = of == NONE ? NULL : &l->w->flows[of];

		if (f && at != NONE && f->n_via < PATH_NODES)
			f->via[f->n_via++] = (uint32_t)at;
	}
	return 0;
}

/* What --evidence says of switches, where --now says nothing. */
static int load_settings(struct loading *l, struct rows *r)
{
	static const char *const names[][2] = {
		{ "ecn_min", "wred.kmin" },     { "ecn_max", "wred.kmax" },
		{ "xoff", "pfc.xoff" },         { "xon", "pfc.xon" },
		{ "headroom", "pfc.headroom" },
	};
	char text[64];

	if (ask(l, "settings", r))
		return -1;
	for (size_t i = 0; i < r->n_rows; i++)
		for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
			int64_t v = rows_int(r, i, "least", 0);

			if (strcmp(rows_text(r, i, "name"), names[k][0]) ||
			    whatif_get(&l->a->now, names[k][1]))
				continue;
			snprintf(text, sizeof text, "%s=%lld", names[k][1],
				 (long long)v);
			if (whatif_set(&l->a->now, text, l->err))
				return -1;
			if (v != rows_int(r, i, "most", v))
				wi_assume(l->a,
					  "%s is %lld everywhere, the "
					  "smallest that was configured",
					  names[k][1], (long long)v);
		}
	return 0;
}

int wi_load(struct store *s, struct wi_world *w, struct whatif_answer *a,
	    struct err *err)
{
	struct loading l = {
		.s = s, .c = catalogue_builtin(), .w = w, .a = a, .err = err
	};
	struct rows r[9] = { 0 };
	int64_t begin = 0;
	int rc = -1;

	if (!l.c)
		err_set(err, ERR_MEMORY, "out of memory");
	else if (!load_nodes(&l, &r[0]) && !load_links(&l, &r[1]) &&
		 !load_flows(&l, &r[2]) && !load_totals(&l, &r[3], &begin) &&
		 !load_sends(&l, &r[4], begin) && !load_jobs(&l, &r[5]) &&
		 !load_settings(&l, &r[6]) && !load_delays(&l, &r[7]) &&
		 !load_paths(&l, &r[8]))
		rc = 0;
	if (!rc)
		limit_flows(w);
	for (size_t i = 0; i < sizeof r / sizeof *r; i++)
		rows_fini(&r[i]);
	names_fini(&l.nodes);
	catalogue_free(l.c);
	return rc;
}

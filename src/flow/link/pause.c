/* SPDX-License-Identifier: GPL-2.0-or-later
 * Pauses from pause frames.
 *
 * A lane is one priority of one port.  An XOFF opens it or replaces its
 * deadline, an XON closes it, and a deadline that passed before the next frame
 * closed it then.  What a lane costs does not depend on how many frames there
 * are. */
#include "flow/link/pause.h"

#include <stdlib.h>
#include <string.h>

#include "base/clamp.h"
#include "base/mem.h"
#include "decode/packet.h"
#include "flow/core/bins.h"
#include "flow/core/flow.h"

enum {
	QUANTUM_BITS = 512,
	NS_PER_S = 1000000000,
	PORTS_PER_TAP = 64,
	PORTS_MAX = 1024,
	TAPS_MAX = 1 << 16,
	ROWS_PER_LANE = 1000,
	ROWS_FOR_ANY = 50000, /* of all: a lane that has these may have more */
	ENDS_MAX = 3, /* of a link: more than two is more than one link */
	DSCPS = 64,
	NO_PRIORITY = 0xff,
	/* 65535 quanta at 1 Gbit/s, slower than any fabric */
	LONGEST_NS = 33553920,
	/* 394 quanta at 100 Gbit/s (IEEE 802.3 31B.3.7), and 500 m of fiber,
	 * both ways */
	REACTION_NS = 7000,
	MTU_BITS = 9216 * 8,
	STOPPED_LEAST = 8, /* frames that would have come */
	STOPPED_PART = 4   /* one of so many of them came */
};

/* IEEE 802.3dj: the fastest link that there may be; and the slowest that
 * fabrics have. */
static const uint64_t FASTEST_BPS = UINT64_C(1600000000000);
static const uint64_t SLOWEST_BPS = UINT64_C(10000000000);

struct pause_tap {
	struct pauser *port;
	uint32_t n, room;
	uint64_t ends[ENDS_MAX];
	uint8_t n_ends;
	uint8_t roce_priority, dscp_priority[DSCPS];
	bool mapped;
	struct bins *bins[PRIORITIES];
};

struct pause_table {
	struct pause_tap **tap; /* by tap_link(), NULL nothing seen there */
	uint32_t n;
	uint32_t ports;
	uint64_t rows;
};

bool pause_init(struct engine *e)
{
	e->stall_after = STALL_NEVER;
	e->pauses = mem_calloc(1, sizeof *e->pauses);
	return e->pauses;
}

static void free_tap(struct pause_tap *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; i < t->n; i++)
		for (int k = 0; k < LANES; k++)
			free(t->port[i].lane[k]);
	for (int i = 0; i < PRIORITIES; i++)
		bins_delete(t->bins[i]);
	free(t->port);
	free(t);
}

void pause_fini(struct engine *e)
{
	for (uint32_t i = 0; e->pauses && i < e->pauses->n; i++)
		free_tap(e->pauses->tap[i]);
	if (e->pauses)
		free(e->pauses->tap);
	free(e->pauses);
}

/* The two directions of a link stand together, under its first tap. */
static struct pause_tap *find_tap(const struct engine *e, uint32_t tap)
{
	tap = tap_link(e, tap);
	return tap < e->pauses->n ? e->pauses->tap[tap] : NULL;
}

static bool make_room(struct pause_table *s, uint32_t tap)
{
	uint32_t n = s->n ? s->n : 8;
	struct pause_tap **all;

	while (n <= tap)
		n *= 2;
	all = mem_reallocarray(s->tap, n, sizeof *all);
	if (!all)
		return false;
	for (uint32_t i = s->n; i < n; i++)
		all[i] = NULL;
	s->tap = all;
	s->n = n;
	return true;
}

static struct pause_tap *get_tap(struct engine *e, uint32_t tap)
{
	struct pause_table *s = e->pauses;
	struct pause_tap *t;

	tap = tap_link(e, tap);
	if (tap >= TAPS_MAX || (tap >= s->n && !make_room(s, tap)))
		return NULL;
	if (s->tap[tap])
		return s->tap[tap];
	t = mem_calloc(1, sizeof *t);
	if (t) {
		t->roce_priority = NO_PRIORITY;
		memset(t->dscp_priority, NO_PRIORITY, DSCPS);
	}
	return s->tap[tap] = t;
}

void pause_link_end(struct engine *e, uint32_t tap, uint64_t mac)
{
	struct pause_tap *t = get_tap(e, tap);

	for (unsigned i = 0; t && i < t->n_ends; i++)
		if (t->ends[i] == mac)
			return;
	if (t && t->n_ends < ENDS_MAX)
		t->ends[t->n_ends++] = mac;
}

static struct pauser *find_port(const struct pause_tap *t, uint64_t mac)
{
	for (uint32_t i = 0; t && i < t->n; i++)
		if (t->port[i].mac == mac)
			return &t->port[i];
	return NULL;
}

struct pauser *pause_port(const struct engine *e, uint32_t tap, uint64_t mac)
{
	return find_port(find_tap(e, tap), mac);
}

static struct pauser *get_port(struct engine *e, uint32_t tap, uint64_t mac)
{
	struct pause_tap *t = get_tap(e, tap);
	struct pauser *p = find_port(t, mac);

	if (p || !t)
		return p;
	if (t->n >= PORTS_PER_TAP || e->pauses->ports >= PORTS_MAX) {
		e->limit[LIMIT_PAUSER].left_out++;
		return NULL;
	}
	if (!mem_grow(&t->port, t->n, &t->room, 2, sizeof *p))
		return NULL;
	p = &t->port[t->n++];
	*p = (struct pauser) { .mac = mac, .tap = tap };
	e->pauses->ports++;
	pause_link_end(e, tap, mac);
	return p;
}

static struct lane *get_lane(const struct engine *e, struct pauser *p, int i)
{
	struct lane *l = p->lane[i];

	if (l)
		return l;
	l = p->lane[i] = mem_calloc(1, sizeof *l);
	if (!l)
		return NULL;
	l->total = (struct fact_pauser) {
		.tap = p->tap,
		.mac = p->mac,
		.priority = i == LANE_GLOBAL ? FACT_UNKNOWN : i,
		.link_bps = tap_speed(e, p->tap),
		.first_ns = FACT_UNKNOWN,
		.paused_ns = FACT_UNKNOWN,
		.longest_ns = FACT_UNKNOWN,
	};
	return l;
}

/* ---- a pause and its end ---- */

/* Tells the series of the priority, or of all eight, that it was paused. */
static void bins_paused(struct engine *e, const struct pauser *p, int i,
			int64_t from, int64_t to)
{
	struct pause_tap *t = find_tap(e, p->tap);
	int first = i == LANE_GLOBAL ? 0 : i;
	int last = i == LANE_GLOBAL ? PRIORITIES - 1 : i;

	for (int k = first; k <= last; k++) {
		if (!t->bins[k])
			t->bins[k] = bins_new(e->o.tap_bins);
		if (t->bins[k])
			bins_paused_span(t->bins[k], from, to);
	}
}

static void tell_bins(struct engine *e, const struct pauser *p, int i,
		      int64_t to)
{
	struct lane *l = p->lane[i];

	if (l->deadline == FACT_UNKNOWN || to <= l->reported_ns)
		return;
	bins_paused(e, p, i, l->reported_ns, to);
	l->reported_ns = to;
}

static void emit_pause(struct engine *e, const struct pauser *p, int i,
		       const struct fact_pause *f)
{
	struct lane *l = p->lane[i];

	if (!limit_take(e, LIMIT_PAUSE, 1,
			l->rows < ROWS_PER_LANE ||
				e->limit[LIMIT_PAUSE].rows < ROWS_FOR_ANY))
		return;
	l->rows++;
	HAND_OUT(e, pause, f);
}

/* The sum is known if each pause is. */
static void add_time(struct lane *l, int64_t ns)
{
	struct fact_pauser *t = &l->total;

	if (ns == FACT_UNKNOWN || l->unmeasured) {
		l->unmeasured = true;
		t->paused_ns = t->longest_ns = FACT_UNKNOWN;
		return;
	}
	if (t->paused_ns == FACT_UNKNOWN)
		t->paused_ns = t->longest_ns = 0;
	t->paused_ns = clamp_add(t->paused_ns, ns);
	if (ns > t->longest_ns)
		t->longest_ns = ns;
}

/* |at| is not before its begin, even when clocks step back. */
static void close_lane(struct engine *e, const struct pauser *p, int i,
		       int64_t at, enum pause_end how)
{
	struct lane *l = p->lane[i];
	bool known = l->deadline != FACT_UNKNOWN;
	struct fact_pause f = {
		.tap = p->tap,
		.mac = p->mac,
		.priority = l->total.priority,
		.first_ns = l->from,
		.last_ns = known ? at : FACT_UNKNOWN,
		.paused_ns = known ? at - l->from : FACT_UNKNOWN,
		.xoff = l->xoff,
		.xon = how == PAUSE_XON,
		.refreshes = l->refreshes,
		.ended_by = how,
		.quanta = l->quanta,
		.frame = l->frame,
	};

	l->open = false;
	l->total.pauses++;
	l->total.by_xon += how == PAUSE_XON;
	l->total.by_expiry += how == PAUSE_EXPIRY;
	if (known) {
		tell_bins(e, p, i, at);
		l->spans[l->n_spans++ % SPANS_KEPT] =
			(struct span) { l->from, at };
		storm_add(e, p, i, l->from, at);
	}
	add_time(l, f.paused_ns);
	emit_pause(e, p, i, &f);
}

/* Closes what ended by itself before |ns|. */
static void expire(struct engine *e, const struct pauser *p, int i, int64_t ns)
{
	struct lane *l = p->lane[i];

	if (!l || !l->open)
		return;
	/* On the fastest of links it is over, on this one perhaps not. */
	if (!l->total.link_bps && l->deadline < ns)
		l->deadline = FACT_UNKNOWN;
	if (l->deadline == FACT_UNKNOWN) {
		if (ns - l->frame_ns > LONGEST_NS)
			close_lane(e, p, i, l->frame_ns, PAUSE_EXPIRY);
	} else if (l->deadline < ns) {
		close_lane(e, p, i, l->deadline, PAUSE_EXPIRY);
	}
}

/* ---- frames ---- */

/* Of a link whose speed is not known: how long it is paused at least. */
static int64_t quanta_ns(uint64_t bps, uint16_t quanta)
{
	if (!bps)
		bps = FASTEST_BPS;
	return (int64_t)((uint64_t)quanta * QUANTUM_BITS * NS_PER_S / bps);
}

static void open_lane(struct lane *l, const struct packet *p, uint64_t bps)
{
	l->open = true;
	l->from = l->reported_ns = p->ns;
	l->frame = p->frame;
	l->xoff = l->refreshes = 0;
	l->quanta = 0;
	l->xoff_at_open = l->total.xoff;
	l->seen_at_open = l->seen;
	l->vague_at_open = l->vague;
	l->heard_ns = FACT_UNKNOWN;
	l->quiet_from = p->ns + REACTION_NS;
	if (bps)
		l->quiet_from +=
			(int64_t)(UINT64_C(1) * MTU_BITS * NS_PER_S / bps);
}

static void xoff(struct engine *e, struct pauser *port, int i,
		 const struct packet *p, uint16_t quanta)
{
	struct lane *l = port->lane[i];
	uint64_t bps = l->total.link_bps;

	expire(e, port, i, p->ns);
	if (l->open) {
		l->refreshes++;
		l->total.refreshes++;
	} else {
		open_lane(l, p, bps);
	}
	if (!l->xoff || l->deadline != FACT_UNKNOWN)
		l->deadline = p->ns + quanta_ns(bps, quanta);
	if (bps)
		tell_bins(e, port, i, p->ns);
	l->xoff++;
	l->quanta += quanta;
	l->total.xoff++;
	l->total.quanta += quanta;
	if (quanta > l->total.quanta_max)
		l->total.quanta_max = quanta;
	if (!l->total.frame)
		l->total.frame = p->frame;
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Did the open pause last until |ns|, although on a fast link it would have
 * been over before?  What came before, or was under way, ended within its
 * first half, and on a slow link it would not be over.  A capture that lacks
 * what passed looks the same. */
static bool lasted(const struct lane *l, int64_t ns)
{
	uint16_t quanta = (uint16_t)(l->quanta / l->xoff);
	bool heard = l->heard_ns != FACT_UNKNOWN;

	return (l->seen_at_open || heard) && lane_is_silent(l) &&
	       (!heard || l->heard_ns - l->from <= (ns - l->from) / 2) &&
	       ns - l->frame_ns <= quanta_ns(SLOWEST_BPS, quanta);
}

static void xon(struct engine *e, struct pauser *port, int i,
		const struct packet *p)
{
	struct lane *l = port->lane[i];

	l->total.xon++;
	expire(e, port, i, p->ns);
	if (l->open && l->deadline == FACT_UNKNOWN && lasted(l, p->ns))
		l->deadline = p->ns;
	if (l->open)
		close_lane(e, port, i, later(p->ns, port->lane[i]->from),
			   PAUSE_XON);
}

static void lane_frame(struct engine *e, struct pauser *port, int i,
		       const struct packet *p, uint16_t quanta)
{
	/* A port that resumes what it never stopped is no pauser. */
	struct lane *l = quanta || port->lane[i] ? get_lane(e, port, i) : NULL;

	if (!l)
		return;
	if (l->total.first_ns == FACT_UNKNOWN)
		l->total.first_ns = p->ns;
	l->total.last_ns = p->ns;
	if (quanta)
		xoff(e, port, i, p, quanta);
	else
		xon(e, port, i, p);
	l->frame_ns = p->ns;
}

void pause_frame(struct engine *e, const struct packet *p)
{
	struct pauser *port;
	const uint8_t *times;
	unsigned enable;

	if (p->status != PACKET_FOREIGN || !p->control)
		return;
	port = get_port(e, p->tap, p->src_mac);
	if (!port)
		return;
	e->stall_after = STALL_NS;
	if (p->kind == PACKET_PAUSE) {
		lane_frame(e, port, LANE_GLOBAL, p,
			   (uint16_t)WIRE_GET(pause, quanta, p->control));
		return;
	}
	enable = (unsigned)WIRE_GET(pfc, enable, p->control);
	times = WIRE_PTR(pfc, time0, p->control);
	for (int i = 0; i < PRIORITIES; i++, times += 2)
		if (enable >> i & 1)
			lane_frame(e, port, i, p,
				   (uint16_t)(times[0] << 8 | times[1]));
}

/* ---- data frames ---- */

struct priority priority_of(const struct engine *e, uint32_t tap, uint8_t pcp,
			    uint8_t tos)
{
	const struct pause_tap *t = find_tap(e, tap);
	uint8_t dscp = tos >> 2;

	if (pcp < PRIORITIES)
		return (struct priority) { pcp, PRIORITY_PCP };
	if (t && t->mapped && t->dscp_priority[dscp] != NO_PRIORITY)
		return (struct priority) { t->dscp_priority[dscp],
					   PRIORITY_LLDP };
	if (t && t->mapped && t->roce_priority != NO_PRIORITY)
		return (struct priority) { t->roce_priority, PRIORITY_LLDP };
	return (struct priority) { dscp >> 3, PRIORITY_ASSUMED };
}

/* Do frames of the assumed priority |i| stop while |l| is paused?  If they did
 * not, as many would come as in as much time without pauses. */
static bool stops(const struct engine *e, const struct lane *l, unsigned i)
{
	const struct fact_pauser *t = &l->total;
	double paused = t->paused_ns == FACT_UNKNOWN ? 0 : (double)t->paused_ns;
	double all = (double)(e->now - t->first_ns);
	double expected = all > 0 ? (double)l->of[i] * paused / all : 0;

	return expected >= STOPPED_LEAST &&
	       (double)l->passed_of[i] <= expected / STOPPED_PART;
}

struct priority priority_at(const struct engine *e, const struct pauser *port,
			    uint8_t pcp, uint8_t tos)
{
	struct priority p = priority_of(e, port->tap, pcp, tos);
	unsigned n = 0, by = 0;

	if (p.from != PRIORITY_ASSUMED || port->lane[p.number])
		return p;
	for (unsigned i = 0; i < PRIORITIES; i++) {
		const struct lane *l = port->lane[i];

		if (!l || l->of[i] || !stops(e, l, p.number))
			continue;
		by = i;
		n++;
	}
	return n == 1 ? (struct priority) { (uint8_t)by, PRIORITY_PAUSED } : p;
}

void priority_learn(struct engine *e, uint32_t tap, int dscp, uint8_t priority)
{
	struct pause_tap *t = get_tap(e, tap);

	if (!t || priority >= PRIORITIES || dscp >= DSCPS)
		return;
	t->mapped = true;
	if (dscp < 0)
		t->roce_priority = priority;
	else
		t->dscp_priority[dscp] = priority;
}

enum way { WAY_AWAY, WAY_TOWARDS, WAY_VAGUE };

/* Addresses of a link's ends say which way a frame goes; with two ends known,
 * either of them does. */
static enum way way_of(const struct pause_tap *t, uint64_t port, uint64_t src,
		       uint64_t dst)
{
	uint64_t other;

	if (dst == port)
		return WAY_TOWARDS;
	if (src == port)
		return WAY_AWAY;
	if (t->n_ends != 2)
		return WAY_VAGUE;
	other = t->ends[t->ends[0] == port];
	return src == other ? WAY_TOWARDS : dst == other ? WAY_AWAY : WAY_VAGUE;
}

struct pauser *pause_governor(const struct engine *e, uint32_t tap,
			      uint64_t src_mac, uint64_t dst_mac)
{
	const struct pause_tap *t = find_tap(e, tap);

	for (uint32_t i = 0; t && i < t->n; i++)
		if (way_of(t, t->port[i].mac, src_mac, dst_mac) == WAY_TOWARDS)
			return &t->port[i];
	return NULL;
}

static void count_frame(struct engine *e, const struct pauser *p, int i,
			enum way way, int64_t ns)
{
	struct lane *l = p->lane[i];

	if (!l)
		return;
	expire(e, p, i, ns);
	if (l->open && way == WAY_TOWARDS)
		l->heard_ns = ns;
	/* What was under way when the pause came is no sign of anything. */
	if (l->open && ns <= l->quiet_from)
		return;
	if (way == WAY_TOWARDS) {
		l->seen++;
		l->passed += l->open;
	} else {
		l->vague++;
	}
}

/* A frame to the port that is assumed to have priority |i|. */
static void count_assumed(struct engine *e, const struct pauser *p, unsigned i,
			  int64_t ns)
{
	for (int k = 0; k < PRIORITIES; k++) {
		struct lane *l = p->lane[k];

		if (!l)
			continue;
		expire(e, p, k, ns);
		if (l->open && ns <= l->quiet_from)
			continue;
		l->of[i]++;
		l->passed_of[i] += l->open;
	}
}

void pause_watch(struct engine *e, const struct packet *p)
{
	struct pause_tap *t = find_tap(e, p->tap);
	struct priority prio;
	struct bin_count *c;

	if (!t || !t->n)
		return;
	prio = priority_of(e, p->tap, p->pcp, p->tos);
	if (t->bins[prio.number]) {
		c = bins_at(t->bins[prio.number], p->ns);
		c->packets++;
		c->bytes += p->wire_len;
	}
	for (uint32_t i = 0; i < t->n; i++) {
		struct pauser *port = &t->port[i];
		enum way way = way_of(t, port->mac, p->src_mac, p->dst_mac);

		if (way == WAY_AWAY)
			continue;
		count_frame(e, port, prio.number, way, p->ns);
		count_frame(e, port, LANE_GLOBAL, way, p->ns);
		if (way == WAY_TOWARDS && prio.from == PRIORITY_ASSUMED)
			count_assumed(e, port, prio.number, p->ns);
	}
}

int64_t lane_paused(const struct lane *l, int64_t from, int64_t to)
{
	uint32_t n = l->n_spans < SPANS_KEPT ? l->n_spans : SPANS_KEPT;
	int64_t sum = 0;

	for (uint32_t i = 0; i <= n; i++) {
		struct span s = { l->from, l->deadline };

		if (i < n)
			s = l->spans[(l->n_spans - 1 - i) % SPANS_KEPT];
		else if (!l->open || l->deadline == FACT_UNKNOWN)
			break;
		if (s.from < from)
			s.from = from;
		if (s.to > to)
			s.to = to;
		if (s.to > s.from)
			sum += s.to - s.from;
	}
	return sum;
}

void pause_reset_caps(struct engine *e)
{
	for (uint32_t i = 0; i < e->pauses->n; i++) {
		const struct pause_tap *t = e->pauses->tap[i];

		for (uint32_t k = 0; t && k < t->n * LANES; k++)
			if (t->port[k / LANES].lane[k % LANES])
				t->port[k / LANES].lane[k % LANES]->rows = 0;
	}
}

void pause_forget_load(struct engine *e, int64_t before)
{
	for (uint32_t i = 0; i < e->pauses->n; i++) {
		const struct pause_tap *t = e->pauses->tap[i];

		for (int k = 0; t && k < PRIORITIES; k++)
			if (t->bins[k])
				bins_forget(t->bins[k], before);
	}
}

bool pause_table_full(const struct engine *e)
{
	return e->pauses->ports >= PORTS_MAX;
}

/* ---- the end ---- */

static void emit_pauser(struct engine *e, const struct pauser *p, int i)
{
	struct fact_pauser f = p->lane[i]->total;

	f.seen = p->lane[i]->seen;
	f.passed = p->lane[i]->passed;
	f.vague = p->lane[i]->vague;
	f.peer_mac = p->peer_mac == PEER_MANY ? 0 : p->peer_mac;
	f.role = p->is_host && !p->is_router ? PORT_HOST
		 : p->is_router              ? PORT_SWITCH
					     : PORT_UNKNOWN;
	f.has_host = f.role == PORT_HOST;
	f.host = p->host;
	HAND_OUT(e, pauser, &f);
}

static void finish_lane(struct engine *e, const struct pauser *p, int i)
{
	struct lane *l = p->lane[i];

	if (!l)
		return;
	expire(e, p, i, e->now);
	if (l->open)
		close_lane(e, p, i, later(e->now, l->from), PAUSE_CAPTURE);
	storm_finish(e, p, i);
	emit_pauser(e, p, i);
}

void pause_finish(struct engine *e)
{
	for (uint32_t i = 0; i < e->pauses->n; i++) {
		struct pause_tap *t = e->pauses->tap[i];

		for (uint32_t k = 0; t && k < t->n; k++)
			for (int lane = 0; lane < LANES; lane++)
				finish_lane(e, &t->port[k], lane);
		for (int k = 0; t && k < PRIORITIES; k++)
			bins_emit_priority(e, t->bins[k], i, (uint32_t)k);
	}
}

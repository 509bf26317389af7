/* SPDX-License-Identifier: GPL-2.0-or-later
 * How long packets are on their way where nothing is in it.  Flows between the
 * same hosts have the same shortest way. */
#include <math.h>
#include <stdlib.h>

#include "base/sort.h"
#include "phase/path_int.h"

static const double NOISE = 0.25, FULL = 0.9, HALF = 0.5;
enum {
	ASKS = 64,
	ASKS_MAX = 1024, /* bytes: smaller is no data */
	STORED = 6,      /* times that a packet is stored on its way, at most */
	HEADERS = 100,   /* bytes of a packet, about */
	MTU_MAX = 4096,  /* bytes of a packet with a PSN of RoCE */
};

struct pair {
	uint32_t src, dst, flow;
};

static int by_pair(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->src != y->src)
		return (x->src > y->src) - (x->src < y->src);
	return (x->dst > y->dst) - (x->dst < y->dst);
}

/* What goes the other way. */
static const struct pair *reverse(const struct pair *v, size_t n,
				  const struct pair *one)
{
	const struct pair key = { one->dst, one->src, 0 };

	return bsearch(&key, v, n, sizeof *v, by_pair);
}

static uint64_t most_bytes(const struct phase_flow *g)
{
	uint64_t most = 0;

	for (size_t k = 0; k < g->n; k++)
		most = g->a[k].bytes > most ? g->a[k].bytes : most;
	return most;
}

/* Bytes of responses to READs, less all others. */
static double read_bytes(const struct phase_flow *g)
{
	double sum = 0;

	for (size_t k = 0; k < g->n; k++)
		sum += g->a[k].psns ? -(double)g->a[k].bytes
				    : (double)g->a[k].bytes;
	return sum;
}

/* How many of the |n| pairs, in order, are between the same hosts as the
 * first. */
static size_t alike(const struct pair *v, size_t n)
{
	size_t k = 1;

	while (k < n && !by_pair(v, &v[k]))
		k++;
	return k;
}

/* What is far less than the most that its queue pair carries at once is no
 * data; nor is, on any queue pair, what is sent beside data that is read. */
static void small_messages(struct path_facts *p, const struct pair *v)
{
	const struct phase_flow *flows = p->j->in->flows;

	for (size_t i = 0, n; i < p->j->in->n_flows; i += n) {
		double read = 0;

		n = alike(&v[i], p->j->in->n_flows - i);
		for (size_t m = 0; m < n; m++)
			read += read_bytes(&flows[v[i + m].flow]);
		for (size_t m = 0; m < n; m++) {
			uint32_t f = v[i + m].flow;
			uint64_t part = most_bytes(&flows[f]) / ASKS;

			p->small[f] =
				read > 0 || part > ASKS_MAX ? ASKS_MAX : part;
		}
	}
}

/* The lesser of two times of which either may be unknown. */
static int64_t sooner(int64_t a, int64_t b)
{
	return a == PHASE_UNKNOWN || (b != PHASE_UNKNOWN && b < a) ? b : a;
}

/* Bytes of a packet of |a|, on average: its first has no fewer.  Responses to
 * READs have no PSNs of their own; one that is alone is known all the same.  0:
 * not known. */
static double packet_size(const struct phase_activity *a)
{
	return a->psns             ? (double)a->bytes / (double)a->psns
	       : a->from < a->sent ? 0
				   : (double)a->bytes;
}

/* Responses to READs and requests in one stretch: no packet carries that much.
 */
static bool is_mixed(const struct phase_activity *a)
{
	return a->psns && a->bytes > MTU_MAX * a->psns;
}

static bool any_mixed(const struct phase_flow *g)
{
	for (size_t k = 0; k < g->n; k++)
		if (is_mixed(&g->a[k]))
			return true;
	return false;
}

static double largest_packet(const struct phase_flow *g)
{
	double most = 0;

	for (size_t k = 0; k < g->n; k++)
		most = fmax(most, is_mixed(&g->a[k]) ? MTU_MAX
						     : packet_size(&g->a[k]));
	return most;
}

/* Does |a| begin with a packet as large as |most|?  Of several the last may be
 * small, and their average half of that. */
static bool begins_full(const struct phase_activity *a, double most)
{
	double size = packet_size(a);

	return size <= 0 || size >= (a->psns > 1 ? HALF : FULL) * most;
}

/* A small packet passes each switch sooner than a large one: the shortest way
 * is that of packets as large as |most|.  |mixed|: requests go with responses
 * to READs, and a stretch that has both may begin with one that is small. */
static int64_t shortest(const struct phase_flow *g, uint64_t small, double most,
			bool mixed)
{
	int64_t least = PHASE_UNKNOWN, guess = PHASE_UNKNOWN;

	for (size_t k = 0; k < g->n; k++) {
		const struct phase_activity *a = &g->a[k];
		int64_t d = g->far ? a->came - a->from : a->there - a->sent;

		if (a->bytes <= small || !begins_full(a, most) ||
		    (mixed && a->psns) ||
		    (!g->far && a->acked == PHASE_UNKNOWN))
			continue;
		if (d >= 0 && a->guessed)
			guess = sooner(guess, d);
		else if (d >= 0)
			least = sooner(least, d);
	}
	return least == PHASE_UNKNOWN ? guess : least;
}

/* Where all stretches have both, the longer one of first and last packet, which
 * is that of a large one mostly.  PHASE_UNKNOWN also without memory. */
static int64_t shortest_mixed(const struct phase_flow *g, uint64_t small)
{
	int64_t *v = calloc(g->n + 1, sizeof *v), least;
	size_t n = 0;

	for (size_t k = 0; v && k < g->n; k++) {
		const struct phase_activity *a = &g->a[k];
		int64_t first = a->came - a->from, last = a->there - a->sent;

		if (g->far && a->bytes > small && first >= 0 && last >= 0)
			v[n++] = first > last ? first : last;
	}
	if (n)
		sort_int64(v, n);
	least = n ? v[(n - 1) / 4] : PHASE_UNKNOWN;
	free(v);
	return least;
}

/* Likewise of messages that are too small for data. */
static int64_t shortest_small(const struct path_facts *p, uint32_t f)
{
	const struct phase_flow *g = &p->j->in->flows[f];
	int64_t least = PHASE_UNKNOWN;

	for (size_t k = 0; g->far && k < g->n; k++) {
		const struct phase_activity *a = &g->a[k];
		int64_t d = a->there - a->sent;

		if (a->bytes && path_is_small(p, f, a) && d >= 0)
			least = sooner(least, d);
	}
	return least;
}

/* From the last packet of a stretch to its acknowledgement, or the credit. */
static int64_t shortest_round(const struct phase_flow *g, bool credit)
{
	int64_t least = PHASE_UNKNOWN;

	for (size_t k = 0; k < g->n; k++) {
		int64_t at = credit ? g->a[k].granted : g->a[k].acked;

		if (at != PHASE_UNKNOWN && at > g->a[k].sent)
			least = sooner(least, at - g->a[k].sent);
	}
	return least;
}

/* The shortest way of an acknowledgement. */
static int64_t shortest_back(const struct phase_flow *g)
{
	int64_t least = PHASE_UNKNOWN;

	for (size_t k = 0; k < g->n; k++)
		if (g->a[k].returned != PHASE_UNKNOWN &&
		    g->a[k].acked != PHASE_UNKNOWN)
			least = sooner(least, g->a[k].acked - g->a[k].returned);
	return least;
}

/* The shortest way from the first tap to the last and back, by one clock. */
static int64_t there_and_back(const struct phase_flow *g)
{
	return g->far && g->dst_seen && g->rtt_r > 0 && g->rtt_f > g->rtt_r
		       ? g->rtt_f - g->rtt_r
		       : PHASE_UNKNOWN;
}

/* A queue that was there whenever data came looks like a long way.  But a way
 * is no longer than that there and back, and both together, which no error of
 * clocks makes longer, not longer than twice that.  |both|: by flow. */
static void without_queues(struct path_facts *p, const struct pair *v,
			   const int64_t *both)
{
	size_t n = p->j->in->n_flows;

	for (size_t i = 0; i < n; i++) {
		const struct pair *r = reverse(v, n, &v[i]);
		uint32_t f = v[i].flow;
		int64_t back = r ? p->least[r->flow] : PHASE_UNKNOWN, over;

		if (back == PHASE_UNKNOWN || back > p->least[f] ||
		    both[r->flow] == PHASE_UNKNOWN)
			continue;
		over = p->least[f] + back - 2 * sooner(both[f], both[r->flow]);
		if (over > (int64_t)(NOISE * (double)p->least[f]) &&
		    over > path_delay_error(p, f))
			p->least[f] -= over < p->least[f] ? over : p->least[f];
	}
}

/* How much longer the way of flow |f| took, whenever data came, than that of
 * its acknowledgements, beyond what switches take to store a packet as large as
 * |most|; 0: no longer. */
static int64_t longer_than_back(const struct path_facts *p, uint32_t f,
				double most)
{
	double link = phase_link_of(p->j, &p->j->in->flows[f]), store, over;
	int64_t least = p->least[f], back = p->back[f];

	if (least == PHASE_UNKNOWN || back == PHASE_UNKNOWN || back <= 0 ||
	    link <= 0)
		return 0;
	store = STORED * (most + HEADERS) * 8e9 / link;
	over = (double)least - (double)back - store;
	return over > NOISE * (double)least &&
			       over > (double)path_delay_error(p, f)
		       ? (int64_t)over
		       : 0;
}

/* Was most of what the |n| flows at |v| brought on its way for longer than the
 * shortest, by a good part of |way|? */
static bool mostly_queued(const struct path_facts *p, const struct pair *v,
			  size_t n, int64_t way)
{
	size_t all = 0, longer = 0;

	for (size_t m = 0; m < n; m++) {
		const struct phase_flow *g = &p->j->in->flows[v[m].flow];

		for (size_t k = 0; k < g->n; k++) {
			const struct phase_activity *a = &g->a[k];
			int64_t more = a->came - a->from - p->least[v[m].flow];

			if (path_is_small(p, v[m].flow, a) || a->guessed)
				continue;
			all++;
			longer += (double)more > NOISE * (double)way &&
				  more > path_delay_error(p, v[m].flow);
		}
	}
	return 2 * longer > all;
}

/* A queue that never was empty shows in that acknowledgements come back much
 * sooner than data goes, as an error of clocks does.  Where most data waits
 * longer still there is a queue; else nobody knows. */
static void standing_queues(struct path_facts *p, const struct pair *v)
{
	const struct phase_input *in = p->j->in;

	for (size_t i = 0, n; i < in->n_flows; i += n) {
		double most = 0;
		int64_t over;
		bool queued;

		n = alike(&v[i], in->n_flows - i);
		for (size_t m = 0; m < n; m++)
			most = fmax(most,
				    largest_packet(&in->flows[v[i + m].flow]));
		over = longer_than_back(p, v[i].flow, most);
		if (!over)
			continue;
		queued = mostly_queued(p, &v[i], n, p->least[v[i].flow] - over);
		for (size_t m = 0; m < n; m++) {
			uint32_t f = v[i + m].flow;

			p->standing[f] = over;
			p->full[f] = queued;
			p->least[f] -= queued ? over : 0;
		}
	}
}

bool path_is_small(const struct path_facts *p, uint32_t f,
		   const struct phase_activity *a)
{
	const struct phase_flow *g = &p->j->in->flows[f];

	return a->bytes <= p->small[f] && (a->psns || !a->bytes) &&
	       !a->inside && (a == g->a || !a[-1].inside);
}

/* What asks is small, and passes sooner than data, if only that was seen. */
int64_t path_way_back(const struct path_facts *p, uint32_t f)
{
	int64_t way = sooner(p->back[f], p->asking[f]);

	if (way != PHASE_UNKNOWN)
		return sooner(way, p->least[f]);
	way = p->least[f];
	return way != PHASE_UNKNOWN ? (int64_t)((1 - NOISE) * (double)way) : 0;
}

/* Of each flow the shortest way of the small messages that its receiver sends
 * to its sender. */
static void ways_of_asking(struct path_facts *p, const struct pair *v,
			   const int64_t *small)
{
	size_t n = p->j->in->n_flows;

	for (size_t i = 0; i < n; i++) {
		const struct pair *r = reverse(v, n, &v[i]);

		p->asking[v[i].flow] = r ? small[r->flow] : PHASE_UNKNOWN;
	}
}

bool path_ways(struct path_facts *p)
{
	const struct phase_input *in = p->j->in;
	struct pair *v = calloc(in->n_flows + 1, sizeof *v);
	int64_t *both = calloc(2 * in->n_flows + 1, sizeof *both);
	int64_t *tiny = both ? both + in->n_flows : NULL;

	if (!v || !both) {
		free(v);
		free(both);
		return false;
	}
	for (uint32_t f = 0; f < in->n_flows; f++)
		v[f] = (struct pair) { in->flows[f].src, in->flows[f].dst, f };
	qsort(v, in->n_flows, sizeof *v, by_pair);
	small_messages(p, v);
	for (size_t i = 0, n; i < in->n_flows; i += n) {
		int64_t least = PHASE_UNKNOWN, round = least, credit = least;
		int64_t way = least, back = least, small = least;
		int64_t both_kinds = least;
		double most = 0;
		bool mixed = false;

		n = alike(&v[i], in->n_flows - i);
		for (size_t m = 0; m < n; m++) {
			const struct phase_flow *g = &in->flows[v[i + m].flow];

			most = fmax(most, largest_packet(g));
			mixed |= any_mixed(g);
		}
		for (size_t m = 0; m < n; m++) {
			uint32_t f = v[i + m].flow;
			const struct phase_flow *g = &in->flows[f];

			least = sooner(least,
				       shortest(g, p->small[f], most, mixed));
			if (mixed)
				both_kinds =
					sooner(both_kinds,
					       shortest_mixed(g, p->small[f]));
			round = sooner(round, shortest_round(g, false));
			credit = sooner(credit, shortest_round(g, true));
			way = sooner(way, there_and_back(g));
			back = sooner(back, shortest_back(g));
			small = sooner(small, shortest_small(p, f));
		}
		least = least == PHASE_UNKNOWN ? both_kinds : least;
		if (round == PHASE_UNKNOWN && least != PHASE_UNKNOWN)
			round = 2 * least;
		for (size_t m = 0; m < n; m++) {
			uint32_t f = v[i + m].flow;

			p->pair[f] = v[i].flow;
			p->least[f] = least;
			p->back[f] = back;
			both[f] = way;
			tiny[f] = small;
			p->round[f] = round == PHASE_UNKNOWN ? 0 : round;
			p->credit[f] = credit == PHASE_UNKNOWN ? 0 : credit;
		}
	}
	without_queues(p, v, both);
	standing_queues(p, v);
	ways_of_asking(p, v, tiny);
	free(both);
	free(v);
	return true;
}

double path_under_way(const struct path_facts *p, size_t f)
{
	return p->least[f] == PHASE_UNKNOWN ? 0
					    : p->best[f] * (double)p->least[f];
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * How the clocks of several taps go: the sample, and which clock is compared
 * with which.  What two clocks make of each other is in clock_pair.c. */
#include "flow/multitap/clocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "decode/packet.h"
#include "flow/multitap/clock_pair.h"
#include "flow/multitap/identity.h"

enum {
	SAMPLE = 1 << 18,
	THINNEST = 40,
	CLOCKS_SPLIT = 32, /* taps of one file with clocks of their own */
	PAIRS_ASKED = 128, /* of taps of one file */
};

const char *const clock_method_names[CLOCK_METHODS] = {
	[CLOCK_REFERENCE] = "reference", [CLOCK_SAME_FILE] = "file",
	[CLOCK_TWO_WAY] = "two-way",     [CLOCK_ONE_WAY] = "one-way",
	[CLOCK_NONE] = "none",
};

/* A clock: all taps of a file, or one of them. */
struct node {
	uint32_t tap; /* the first */
	bool known;
	uint32_t reference, against; /* taps */
	enum clock_method method;
	double error; /* against the reference */
	struct clock_stretches s;
	const char *why;
};

struct clocks {
	struct clock_sample *sample;
	size_t n;
	unsigned thin; /* one identity in 2^thin is kept */
	uint32_t n_taps;
	uint32_t file[CLOCKS_TAPS];
	uint16_t node_of[CLOCKS_TAPS];
	struct node *nodes;
	uint32_t n_nodes;
	struct clock_pair *pair; /* work space */
	struct clock_part *parts;
	uint32_t n_parts, room;
};

struct clocks *clocks_new(void)
{
	struct clocks *c = mem_calloc(1, sizeof *c);

	if (!c)
		return NULL;
	c->sample = mem_malloc(SAMPLE * sizeof *c->sample);
	if (c->sample)
		return c;
	free(c);
	return NULL;
}

void clocks_free(struct clocks *c)
{
	if (!c)
		return;
	clock_pair_free(c->pair);
	free(c->sample);
	free(c->nodes);
	free(c->parts);
	free(c);
}

void clocks_tap(struct clocks *c, uint32_t tap, uint32_t file)
{
	if (tap >= CLOCKS_TAPS || file >= CLOCKS_FILES)
		return;
	c->file[tap] = file;
	if (tap >= c->n_taps)
		c->n_taps = tap + 1;
}

/* ---- the sample ---- */

static bool kept(const struct clocks *c, uint64_t key)
{
	return !(key >> (64 - THINNEST) & ((UINT64_C(1) << c->thin) - 1));
}

static void thin_out(struct clocks *c)
{
	size_t left = 0;

	c->thin++;
	for (size_t i = 0; i < c->n; i++)
		if (kept(c, c->sample[i].key))
			c->sample[left++] = c->sample[i];
	c->n = left;
}

bool clocks_wants(const struct clocks *c, const struct packet *p)
{
	uint64_t key;

	if (p->tap >= c->n_taps)
		return false;
	key = packet_identity(p);
	return key && kept(c, key);
}

void clocks_look(struct clocks *c, const struct packet *p)
{
	uint64_t key;

	if (p->tap >= c->n_taps)
		return;
	key = packet_identity(p);
	while (c->n == SAMPLE && c->thin < THINNEST)
		thin_out(c);
	if (!key || !kept(c, key) || c->n == SAMPLE)
		return;
	c->sample[c->n++] = (struct clock_sample) {
		.key = key,
		.ns = p->ns,
		.frame = p->frame,
		.forth = packet_direction(p, false),
		.back = packet_direction(p, true),
		.icrc = p->icrc,
		.tap = (uint16_t)p->tap,
		.ttl = p->ttl,
	};
}

static int by_key(const void *a, const void *b)
{
	const struct clock_sample *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->tap != y->tap)
		return x->tap < y->tap ? -1 : 1;
	return (x->frame > y->frame) - (x->frame < y->frame);
}

/* ---- which taps have one clock ---- */

/* Only taps that packets contradict are apart. */
static bool agree(struct clocks *c, uint32_t a, uint32_t b)
{
	const uint16_t of[2] = { c->node_of[a], c->node_of[b] };
	bool contradict;

	c->node_of[a] = CLOCK_SIDE_FIRST;
	c->node_of[b] = CLOCK_SIDE_SECOND;
	clock_pair_gather(c->pair, c->sample, c->n, c->node_of, NULL);
	contradict = clock_pair_contradicts(c->pair);
	c->node_of[a] = of[0];
	c->node_of[b] = of[1];
	return !contradict;
}

static bool file_agrees(struct clocks *c, uint32_t file)
{
	unsigned asked = 0;

	/* A clock for each tap of it would be too many. */
	if (c->n_nodes + CLOCKS_SPLIT > CLOCKS_FILES)
		return true;
	for (uint32_t t = 0; t < c->n_taps; t++)
		c->node_of[t] = CLOCK_SIDE_NONE;
	for (uint32_t a = 0; a < c->n_taps; a++)
		for (uint32_t b = a + 1; b < c->n_taps; b++)
			if (c->file[a] == file && c->file[b] == file &&
			    asked++ < PAIRS_ASKED && !agree(c, a, b))
				return false;
	return true;
}

static bool make_nodes(struct clocks *c)
{
	uint16_t of_file[CLOCKS_FILES], of_tap[CLOCKS_TAPS];

	c->nodes = mem_calloc(c->n_taps, sizeof *c->nodes);
	if (!c->nodes)
		return false;
	memset(of_file, 0xff, sizeof of_file);
	for (uint32_t t = 0; t < c->n_taps; t++) {
		uint32_t f = c->file[t];
		bool one = of_file[f] == UINT16_MAX ? file_agrees(c, f) : true;

		if (of_file[f] == UINT16_MAX - 1)
			one = false;
		if (of_file[f] < c->n_nodes && one) {
			of_tap[t] = of_file[f];
			continue;
		}
		of_tap[t] = (uint16_t)c->n_nodes;
		of_file[f] = one ? of_tap[t] : UINT16_MAX - 1;
		c->nodes[c->n_nodes++] = (struct node) { .tap = t };
	}
	memcpy(c->node_of, of_tap, sizeof of_tap);
	return true;
}

/* ---- which clock is compared with which ---- */

/* Times of the parent, corrected. */
static int64_t corrected(const void *ctx, const struct clock_sample *s)
{
	const struct node *n = ctx;

	return clock_stretches_correct(&n->s, s->frame, s->ns);
}

/* How |child| goes against |parent|, whose own way is known. */
static bool relate_clocks(struct clocks *c, uint32_t parent, uint32_t child,
			  struct clock_stretches *s)
{
	const struct clock_view view = { corrected, &c->nodes[parent] };
	uint16_t side[CLOCKS_TAPS];

	for (uint32_t t = 0; t < c->n_taps; t++)
		side[t] = c->node_of[t] == parent  ? CLOCK_SIDE_FIRST
			  : c->node_of[t] == child ? CLOCK_SIDE_SECOND
						   : CLOCK_SIDE_NONE;
	clock_pair_gather(c->pair, c->sample, c->n, side, &view);
	return clock_pair_solve(c->pair, s);
}

/* The best that is known of a clock without a reference yet. */
struct offer {
	struct clock_stretches s;
	double error;
	uint32_t from;
	bool valid;
};

static bool better(const struct offer *a, const struct offer *b)
{
	if (!a->valid || !b->valid)
		return a->valid;
	if (a->s.two_way != b->s.two_way)
		return a->s.two_way;
	if (a->s.two_way)
		return a->error < b->error;
	/* Nothing may arrive before it was sent, from wherever. */
	if (a->s.sign == b->s.sign &&
	    llabs(a->s.s[0].offset_ns - b->s.s[0].offset_ns) < 1000000000)
		return (a->s.s[0].offset_ns - b->s.s[0].offset_ns) * a->s.sign <
		       0;
	return a->s.packets > b->s.packets;
}

/* What |v|, which has its reference now, offers to those without. */
static void offer(struct clocks *c, const bool *shares, uint32_t v,
		  struct offer *offers)
{
	for (uint32_t u = 0; u < c->n_nodes; u++) {
		struct offer o = { .from = v };

		if (c->nodes[u].known || !shares[v * c->n_nodes + u])
			continue;
		o.valid = relate_clocks(c, v, u, &o.s);
		o.error = c->nodes[v].error + o.s.error;
		if (better(&o, &offers[u]))
			offers[u] = o;
	}
}

static uint32_t best_offer(const struct clocks *c, const struct offer *offers)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t u = 0; u < c->n_nodes; u++)
		if (!c->nodes[u].known && offers[u].valid &&
		    (best == UINT32_MAX || better(&offers[u], &offers[best])))
			best = u;
	return best;
}

static void accept(struct clocks *c, uint32_t u, const struct offer *o)
{
	struct node *n = &c->nodes[u];

	n->s = o->s;
	n->error = o->error;
	n->known = true;
	n->against = c->nodes[o->from].tap;
	n->reference = c->nodes[o->from].reference;
	n->method = o->s.two_way ? CLOCK_TWO_WAY : CLOCK_ONE_WAY;
	n->why = o->s.why;
}

static void mark_shared(const struct clocks *c, bool *shares)
{
	for (size_t i = 0, end; i < c->n; i = end) {
		for (end = i + 1;
		     end < c->n && c->sample[end].key == c->sample[i].key;)
			end++;
		/* What is everywhere says as much by its first 64. */
		for (size_t a = i; a < end && a < i + 64; a++)
			for (size_t b = i; b < end && b < i + 64; b++)
				shares[c->node_of[c->sample[a].tap] *
					       c->n_nodes +
				       c->node_of[c->sample[b].tap]] = true;
	}
}

/* As a tree of least cost grows. */
static void tell_all(struct clocks *c, const bool *shares, struct offer *offers)
{
	for (uint32_t i = 0; i < c->n_nodes; i++) {
		uint32_t u = i;

		if (c->nodes[i].known)
			continue;
		c->nodes[i].known = true;
		c->nodes[i].reference = c->nodes[i].against = c->nodes[i].tap;
		do {
			offer(c, shares, u, offers);
			u = best_offer(c, offers);
			if (u != UINT32_MAX)
				accept(c, u, &offers[u]);
		} while (u != UINT32_MAX);
	}
}

/* ---- the parts ---- */

static void add_part(struct clocks *c, const struct clock_part *part)
{
	if (mem_grow(&c->parts, c->n_parts, &c->room, 64, sizeof *part))
		c->parts[c->n_parts++] = *part;
}

static bool is_reference(const struct clocks *c, const struct node *n)
{
	for (uint32_t i = 0; i < c->n_nodes; i++)
		if (&c->nodes[i] != n && c->nodes[i].reference == n->tap)
			return true;
	return false;
}

static void unmoved(struct clocks *c, uint32_t tap, const struct node *n)
{
	bool others = is_reference(c, n);
	struct clock_part part = {
		.tap = tap,
		.reference = n->reference,
		.against = tap != n->tap ? n->tap : n->against,
		.method = tap != n->tap ? CLOCK_SAME_FILE
			  : others      ? CLOCK_REFERENCE
					: CLOCK_NONE,
		.why = tap != n->tap ? "in one file with its reference"
		       : others ? "the first; the others are compared with it"
				: "no other tap saw packets of it whose "
				  "delays make sense",
	};

	add_part(c, &part);
}

static void add_parts(struct clocks *c, uint32_t tap)
{
	const struct node *n = &c->nodes[c->node_of[tap]];

	if (!n->s.n) {
		unmoved(c, tap, n);
		return;
	}
	for (unsigned i = 0; i < n->s.n; i++) {
		const struct clock_stretch *s = &n->s.s[i];

		add_part(c, &(struct clock_part) {
				    .tap = tap,
				    .reference = n->reference,
				    .against = n->against,
				    .against_error_ns = n->s.error,
				    .method = n->method,
				    .from_frame = i ? s->from_frame : 0,
				    .from_ns = i ? s->from_ns : 0,
				    .at_ns = s->at_ns,
				    .offset_ns = s->offset_ns,
				    .drift = s->drift,
				    .drift_low = s->drift_low,
				    .drift_high = s->drift_high,
				    .error_ns = n->error,
				    .packets = s->packets,
				    .applied = n->s.applied,
				    .why = n->why });
	}
}

static void compare_all(struct clocks *c)
{
	struct offer *offers;
	bool *shares;

	qsort(c->sample, c->n, sizeof *c->sample, by_key);
	c->pair = clock_pair_new();
	if (!c->pair || !make_nodes(c))
		return;
	shares = mem_calloc((size_t)c->n_nodes * c->n_nodes, sizeof *shares);
	offers = mem_calloc(c->n_nodes, sizeof *offers);
	if (shares && offers) {
		mark_shared(c, shares);
		tell_all(c, shares, offers);
		for (uint32_t t = 0; t < c->n_taps; t++)
			add_parts(c, t);
	}
	free(offers);
	free(shares);
}

const struct clock_part *clocks_solve(struct clocks *c, size_t *n)
{
	if (c->sample && c->n_taps > 1)
		compare_all(c);
	clock_pair_free(c->pair);
	free(c->sample);
	c->pair = NULL;
	c->sample = NULL;
	c->n = 0;
	*n = c->n_parts;
	return c->parts;
}

int64_t clock_correct(const struct clock_part *part, int64_t ns)
{
	if (!part->applied)
		return ns;
	return ns - part->offset_ns -
	       (int64_t)llround(part->drift *
				((double)(ns - part->at_ns) / 1e9));
}

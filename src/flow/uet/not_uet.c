/* SPDX-License-Identifier: GPL-2.0-or-later
 * Other traffic on Ultra Ethernet's port: see uet/not_uet.h. */
#include "flow/uet/not_uet.h"

#include <stdlib.h>

#include "base/mem.h"
#include "flow/core/find.h"
#include "flow/core/tap.h"
#include "flow/uet/tss.h"

/* Pairs of hosts that are distinguished; what others send is counted by its tap
 * alone. */
enum { SLOTS = 1 << 12, MOST = SLOTS / 2 };

struct hosts {
	struct addr lo, hi;
	uint32_t place; /* + 1; 0: free */
	uint64_t packets;
};

struct uet_not_uet {
	struct hosts slot[SLOTS];
	uint32_t n;
};

static struct hosts hosts_of(struct addr a, struct addr b, uint32_t place)
{
	bool up = addr_compare(a, b) <= 0;

	return (struct hosts) {
		.lo = up ? a : b,
		.hi = up ? b : a,
		.place = place + 1,
	};
}

/* Where the pair is, or the free slot where it belongs. */
static struct hosts *slot_of(struct uet_not_uet *s, const struct hosts *w)
{
	uint64_t k = hash6(w->lo.w[0], w->lo.w[1], w->hi.w[0], w->hi.w[1],
			   w->place, 0);
	struct hosts *h = &s->slot[k % SLOTS];

	while (h->place && !(h->place == w->place && addr_equal(h->lo, w->lo) &&
			     addr_equal(h->hi, w->hi)))
		h = &s->slot[++k % SLOTS];
	return h;
}

void uet_is_not_uet(struct engine *e, const struct packet *p)
{
	struct hosts *h, who = hosts_of(p->src, p->dst, tap_place(e, p->tap));

	if (!e->not_uet)
		e->not_uet = mem_calloc(1, sizeof *e->not_uet);
	if (!e->not_uet)
		return;
	h = slot_of(e->not_uet, &who);
	if (!h->place && e->not_uet->n == MOST)
		return;
	if (!h->place) {
		*h = who;
		e->not_uet->n++;
	}
	h->packets++;
}

static bool verified(const struct flow *f)
{
	return f && f->icrc_good;
}

static const struct flow *other(const struct engine *e, const struct flow *f)
{
	return f->paired ? flow_peer(e, f) : NULL;
}

bool uet_hardly(const struct engine *e, const struct flow *f)
{
	const struct hosts who = hosts_of(f->src, f->dst, f->place);
	const struct flow *g;

	if (!flow_is_uet(f))
		return false;
	if (f->transport == FLOW_UET_TSS)
		return uet_tss_hardly(e, f);
	g = other(e, f);
	if (!e->not_uet || verified(f) || verified(g))
		return false;
	return slot_of(e->not_uet, &who)->packets >=
	       f->packets + (g ? g->packets : 0);
}

bool uet_mere(const struct engine *e, const struct flow *f)
{
	if (!flow_is_uet(f) || f->transport == FLOW_UET_TSS || verified(f))
		return false;
	return (f->packets < 2 && !other(e, f)) || uet_hardly(e, f);
}

void uet_disown(struct engine *e, uint32_t tap, uint64_t n)
{
	struct tap_state *t = &e->taps[tap];
	uint64_t *from = &t->came[PACKET_OK][PACKET_UET];

	n = n < *from ? n : *from;
	*from -= n;
	t->came[PACKET_FOREIGN][PACKET_NOT_UET] += n;
}

void uet_not_uet_fini(struct engine *e)
{
	free(e->not_uet);
	e->not_uet = NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Security associations: see uet_tss.h.
 *
 * A run is a stretch of one key (AN) and epoch whose counter goes up without a
 * jump.  Two are open, so that what comes late around a change of key is put
 * where it belongs. */
#include "flow/uet_tss.h"

#include <stdlib.h>

#include "base/mem.h"
#include "flow/find.h"

enum {
	SLOTS_MIN = 1 << 6,
	SLOTS_MAX = 1 << 13,
	WINDOW = 1024, /* numbers behind the highest that are told apart */
	WORDS = WINDOW / 64,
	JUMP = 1 << 20,
};

struct run {
	uint64_t bits[WORDS]; /* seen, of those up to |high|: number % WINDOW */
	uint64_t low, high;   /* counters */
	uint64_t seen;        /* different ones */
	uint16_t epoch;
	uint8_t an;
	bool open;
};

struct association {
	uint32_t place; /* + 1; 0: free */
	struct run run[2];
	uint8_t now; /* the newer run */
	struct fact_tss fact;
};

struct uet_tss {
	struct association *slot;
	uint32_t n, room; /* room: a power of two */
	uint64_t dropped; /* packets that found no room */
};

/* ---- a run ---- */

static bool run_has(const struct run *r, uint64_t n)
{
	return r->bits[n % WINDOW / 64] >> n % 64 & 1;
}

static void run_set(struct run *r, uint64_t n, bool on)
{
	uint64_t bit = UINT64_C(1) << n % 64;

	if (on)
		r->bits[n % WINDOW / 64] |= bit;
	else
		r->bits[n % WINDOW / 64] &= ~bit;
}

static void run_start(struct run *r, const struct packet *p, uint64_t counter)
{
	*r = (struct run) {
		.low = counter,
		.high = counter,
		.seen = 1,
		.epoch = (uint16_t)(p->uet.tsc >> 48),
		.an = p->uet.tss.an,
		.open = true,
	};
	run_set(r, counter, true);
}

static void run_end(struct fact_tss *o, struct run *r)
{
	uint64_t span = r->open ? r->high - r->low + 1 : 0;

	o->expected += span;
	o->missing += span - r->seen;
	r->open = false;
	r->seen = 0;
}

/* Beyond the highest. */
static void run_advance(struct run *r, uint64_t counter)
{
	if (counter - r->high >= WINDOW)
		for (unsigned i = 0; i < WORDS; i++)
			r->bits[i] = 0;
	else
		while (++r->high != counter)
			run_set(r, r->high, false);
	r->high = counter;
	run_set(r, counter, true);
	r->seen++;
}

/* At the highest or behind it. */
static void run_behind(struct fact_tss *o, struct run *r, uint64_t counter)
{
	uint64_t late = r->high - counter;

	if (late >= WINDOW) {
		o->too_late++;
		return;
	}
	if (run_has(r, counter)) {
		o->repeated++;
		return;
	}
	run_set(r, counter, true);
	r->seen++;
	if (counter < r->low)
		r->low = counter;
	o->late++;
	if (late > o->late_max)
		o->late_max = late;
}

/* The open one of that key and epoch; NULL. */
static struct run *run_of(struct association *a, const struct packet *p)
{
	for (unsigned i = 0; i < 2; i++) {
		struct run *r = &a->run[(a->now + i) % 2];

		if (r->open && r->an == p->uet.tss.an &&
		    r->epoch == p->uet.tsc >> 48)
			return r;
	}
	return NULL;
}

static void run_next(struct association *a, const struct packet *p,
		     uint64_t counter)
{
	struct fact_tss *o = &a->fact;
	const struct run *was = &a->run[a->now];

	if (was->open) {
		o->key_changes += was->an != p->uet.tss.an;
		o->epoch_changes += was->epoch != p->uet.tsc >> 48;
	}
	a->now ^= was->open;
	run_end(o, &a->run[a->now]);
	run_start(&a->run[a->now], p, counter);
	o->an = p->uet.tss.an;
	o->epoch_last = p->uet.tsc >> 48;
	o->counter_last = counter;
}

static void number(struct association *a, const struct packet *p)
{
	const uint64_t counter = p->uet.tsc & 0xffffffffffff;
	struct run *r = run_of(a, p);

	if (!r) {
		run_next(a, p, counter);
		return;
	}
	if (counter > r->high + JUMP ||
	    (counter < r->low && r->low - counter > JUMP)) {
		a->fact.jumps++;
		run_next(a, p, counter);
		return;
	}
	if (counter > r->high)
		run_advance(r, counter);
	else
		run_behind(&a->fact, r, counter);
	if (r == &a->run[a->now])
		a->fact.counter_last = r->high;
}

/* ---- the table ---- */

static bool same(const struct association *a, const struct packet *p,
		 uint32_t place)
{
	return a->place == place + 1 && addr_equal(a->fact.src, p->src) &&
	       a->fact.sdi == p->uet.tss.sdi &&
	       a->fact.ssi == (p->uet.tss.sp ? p->uet.tss.ssi : FACT_UNKNOWN);
}

static uint64_t hash(struct addr src, uint32_t sdi, int64_t ssi, uint32_t place)
{
	return find_mix(src.w[1] * 0x9e3779b97f4a7c15u ^
			src.w[0] * 0x165667b19e3779f9u ^
			(uint64_t)ssi * 0xc2b2ae3d27d4eb4fu ^
			((uint64_t)sdi << 32 | place));
}

static bool grow(struct uet_tss *s)
{
	struct uet_tss big = *s;

	big.room = s->room ? 2 * s->room : SLOTS_MIN;
	big.slot = mem_calloc(big.room, sizeof *big.slot);
	if (!big.slot)
		return false;
	for (uint32_t i = 0; i < s->room; i++) {
		const struct fact_tss *o = &s->slot[i].fact;
		uint32_t k = (uint32_t)hash(o->src, o->sdi, o->ssi,
					    s->slot[i].place - 1);

		if (!s->slot[i].place)
			continue;
		while (big.slot[k & (big.room - 1)].place)
			k++;
		big.slot[k & (big.room - 1)] = s->slot[i];
	}
	free(s->slot);
	*s = big;
	return true;
}

static void begin(struct association *a, const struct packet *p, uint32_t place)
{
	*a = (struct association) {
		.place = place + 1,
		.fact = { .tap = p->tap,
			  .src = p->src,
			  .sdi = p->uet.tss.sdi,
			  .ssi = p->uet.tss.sp ? p->uet.tss.ssi : FACT_UNKNOWN,
			  .first_ns = p->ns,
			  .epoch_first = p->uet.tsc >> 48,
			  .counter_first = p->uet.tsc & 0xffffffffffff },
	};
}

/* Made when it is not there; NULL: there is no room. */
static struct association *of(struct uet_tss *s, const struct packet *p,
			      uint32_t place)
{
	int64_t ssi = p->uet.tss.sp ? p->uet.tss.ssi : FACT_UNKNOWN;
	uint32_t k = (uint32_t)hash(p->src, p->uet.tss.sdi, ssi, place);
	struct association *a;

	if (s->n >= s->room / 2 && s->room < SLOTS_MAX && !grow(s) && !s->room)
		return NULL;
	for (;; k++) {
		a = &s->slot[k & (s->room - 1)];
		if (!a->place)
			break;
		if (same(a, p, place))
			return a;
	}
	if (s->n >= s->room / 2)
		return NULL;
	s->n++;
	begin(a, p, place);
	return a;
}

void uet_tss_packet(struct engine *e, const struct packet *p)
{
	struct association *a = NULL;

	if (!e->tss)
		e->tss = mem_calloc(1, sizeof *e->tss);
	if (!e->tss)
		return;
	a = of(e->tss, p, tap_place(e, p->tap));
	if (!a) {
		e->tss->dropped++;
		return;
	}
	a->fact.packets++;
	a->fact.bytes += p->wire_len;
	a->fact.trimmed += !!(p->uet.flags & UET_TRIMMED);
	a->fact.last_ns = p->ns;
	number(a, p);
}

void uet_tss_emit(struct engine *e)
{
	struct uet_tss *s = e->tss;

	for (uint32_t i = 0; s && i < s->room; i++) {
		struct association *a = &s->slot[i];

		if (!a->place)
			continue;
		run_end(&a->fact, &a->run[0]);
		run_end(&a->fact, &a->run[1]);
		if (e->sink.tss)
			e->sink.tss(e->sink.ctx, &a->fact);
	}
	if (s && s->dropped && e->sink.capped)
		e->sink.capped(e->sink.ctx, "tss", s->dropped);
}

void uet_tss_fini(struct engine *e)
{
	if (e->tss)
		free(e->tss->slot);
	free(e->tss);
	e->tss = NULL;
}

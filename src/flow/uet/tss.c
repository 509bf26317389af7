/* SPDX-License-Identifier: GPL-2.0-or-later
 * Security associations: see uet/tss.h.
 *
 * A run is a stretch of one key (AN) and epoch whose counter goes up without a
 * jump.  Two are open, so that what comes late around a change of key is put
 * where it belongs. */
#include "flow/uet/tss.h"

#include <stdlib.h>

#include "base/mem.h"
#include "flow/core/find.h"
#include "flow/uet/not_uet.h"

enum {
	SLOTS_MIN = 1 << 6,
	SLOTS_MAX = 1 << 13,
	WINDOW = 1024, /* numbers behind the highest that are distinguished */
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
	uint8_t now;    /* the newer run */
	uint64_t rises; /* packets with a number above all before */
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
	if (counter > r->high) {
		a->rises++;
		run_advance(r, counter);
	} else {
		run_behind(&a->fact, r, counter);
	}
	if (r == &a->run[a->now])
		a->fact.counter_last = r->high;
}

/* Does it count up?  Three numbers in order are the least; a mirror may double
 * all, and paths may disorder much.  Not so what stays as it is, and what is
 * anything. */
static bool counts_up(const struct association *a)
{
	const struct fact_tss *o = &a->fact;
	uint64_t odd =
		o->too_late + o->jumps + o->key_changes + o->epoch_changes;

	return a->rises >= 2 && 4 * a->rises >= o->late &&
	       2 * odd + o->repeated / 2 <= a->rises + o->late;
}

/* ---- the table ---- */

/* What an association is known by. */
struct name {
	struct addr src;
	int64_t ssi;
	uint32_t sdi, place;
};

static bool same(const struct association *a, const struct name *n)
{
	return a->place == n->place + 1 && addr_equal(a->fact.src, n->src) &&
	       a->fact.sdi == n->sdi && a->fact.ssi == n->ssi;
}

static uint32_t hash(const struct name *n)
{
	return (uint32_t)hash6(n->src.w[0], n->src.w[1], (uint64_t)n->ssi,
			       n->sdi, n->place, 0);
}

/* Where it is, or the free slot where it belongs. */
static struct association *slot_of(const struct uet_tss *s,
				   const struct name *n)
{
	uint32_t k = hash(n);

	while (s->slot[k & (s->room - 1)].place &&
	       !same(&s->slot[k & (s->room - 1)], n))
		k++;
	return &s->slot[k & (s->room - 1)];
}

/* Into a table of |room|; when that is no more than there was, without those
 * that were seen once: by chance there may be any number of them. */
static bool move(struct engine *e, struct uet_tss *s, uint32_t room)
{
	struct uet_tss to = { .room = room, .dropped = s->dropped };

	to.slot = mem_calloc(room, sizeof *to.slot);
	if (!to.slot)
		return false;
	for (uint32_t i = 0; i < s->room; i++) {
		const struct association *a = &s->slot[i];
		struct name n = { a->fact.src, a->fact.ssi, a->fact.sdi,
				  a->place - 1 };

		if (!a->place)
			continue;
		if (room == s->room && !a->rises) {
			uet_disown(e, a->fact.tap, a->fact.packets);
			continue;
		}
		*slot_of(&to, &n) = *a;
		to.n++;
	}
	free(s->slot);
	*s = to;
	return true;
}

static bool make_room(struct engine *e, struct uet_tss *s)
{
	if (s->n < s->room / 2)
		return true;
	return move(e, s,
		    !s->room              ? SLOTS_MIN
		    : s->room < SLOTS_MAX ? 2 * s->room
					  : s->room) &&
	       s->n < s->room / 2;
}

/* Made when it is not there; NULL: there is no room. */
static struct association *of(struct engine *e, struct uet_tss *s,
			      const struct packet *p)
{
	const struct name n = {
		.src = p->src,
		.ssi = p->uet.tss.sp ? p->uet.tss.ssi : FACT_UNKNOWN,
		.sdi = p->uet.tss.sdi,
		.place = tap_place(e, p->tap),
	};
	struct association *a = s->room ? slot_of(s, &n) : NULL;

	if (a && a->place)
		return a;
	if (!make_room(e, s))
		return NULL;
	s->n++;
	a = slot_of(s, &n);
	*a = (struct association) {
		.place = n.place + 1,
		.fact = { .tap = p->tap,
			  .src = n.src,
			  .sdi = n.sdi,
			  .ssi = n.ssi,
			  .first_ns = p->ns,
			  .epoch_first = p->uet.tsc >> 48,
			  .counter_first = p->uet.tsc & 0xffffffffffff },
	};
	return a;
}

bool uet_tss_hardly(const struct engine *e, const struct flow *f)
{
	const struct name n = {
		.src = f->src,
		.ssi = f->aux & UET_AUX_SSI ? f->dst_qp : FACT_UNKNOWN,
		.sdi = (f->aux & ~(uint32_t)UET_AUX_SSI) - UET_AUX_TSS,
		.place = f->place,
	};
	const struct association *a;

	if (f->aux < UET_AUX_TSS || !e->tss)
		return false;
	a = slot_of(e->tss, &n);
	return !a->place || !counts_up(a);
}

void uet_tss_disown(struct engine *e)
{
	for (uint32_t i = 0; e->tss && i < e->tss->room; i++)
		if (e->tss->slot[i].place && !counts_up(&e->tss->slot[i]))
			uet_disown(e, e->tss->slot[i].fact.tap,
				   e->tss->slot[i].fact.packets);
}

void uet_tss_packet(struct engine *e, const struct packet *p)
{
	struct association *a = NULL;

	if (!e->tss)
		e->tss = mem_calloc(1, sizeof *e->tss);
	if (!e->tss)
		return;
	a = of(e, e->tss, p);
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

static int by_name(const void *x, const void *y)
{
	const struct association *a = *(struct association *const *)x;
	const struct association *b = *(struct association *const *)y;
	int by_src = addr_compare(a->fact.src, b->fact.src);

	if (a->fact.first_ns != b->fact.first_ns)
		return a->fact.first_ns < b->fact.first_ns ? -1 : 1;
	if (by_src)
		return by_src;
	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	if (a->fact.sdi != b->fact.sdi)
		return a->fact.sdi < b->fact.sdi ? -1 : 1;
	return (a->fact.ssi > b->fact.ssi) - (a->fact.ssi < b->fact.ssi);
}

/* In order of time: slots have another order in every run.  NULL: no
 * memory. */
static struct association **in_order(const struct uet_tss *s, uint32_t *n)
{
	struct association **a = mem_calloc(s->n + 1, sizeof(*a));

	*n = 0;
	for (uint32_t i = 0; a && i < s->room; i++)
		if (s->slot[i].place && counts_up(&s->slot[i]))
			a[(*n)++] = &s->slot[i];
	if (a)
		qsort(a, *n, sizeof(*a), by_name);
	return a;
}

void uet_tss_emit(struct engine *e)
{
	const struct uet_tss *s = e->tss;
	uint32_t n = 0;
	struct association **a = s ? in_order(s, &n) : NULL;

	for (uint32_t i = 0; i < n; i++) {
		run_end(&a[i]->fact, &a[i]->run[0]);
		run_end(&a[i]->fact, &a[i]->run[1]);
		HAND_OUT(e, tss, &a[i]->fact);
	}
	free(a);
	if (s)
		emit_left_out(e, "tss", s->dropped);
}

void uet_tss_fini(struct engine *e)
{
	if (e->tss)
		free(e->tss->slot);
	free(e->tss);
	e->tss = NULL;
}

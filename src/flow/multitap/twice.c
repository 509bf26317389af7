/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which mirrors copy every packet twice, the second time much later? */
#include "flow/multitap/twice.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "decode/packet.h"
#include "flow/core/copy.h"
#include "flow/core/serial.h"
#include "flow/core/tuning.h"
#include "flow/multitap/tap_set.h"

enum {
	SLOTS = 1 << 14, /* packets whose second copy may come */
	LOOKS = 8,
	LOOKED_AT = 1 << 12, /* of a tap, the first ones */
	STREAMS = 1 << 10,   /* of one queue pair, requests or responses */
	LAGS = 1 << 10,      /* of a tap, the first ones */
	SECOND_MIN = 32,     /* of these: fewer may be one window, once more */
	BETWEEN_MIN = 4,     /* second copies between what is new */
	BETWEEN_ONE_IN = 32, /* a burst, which fills a window, has one */
	DOUBLED_TENTHS = 9   /* nearly every packet: R20 */
};

struct copied {
	uint64_t key;
	int64_t ns;
	uint32_t tap;
	bool open; /* it came once */
};

struct stream {
	uint64_t key;
	uint32_t newest; /* PSN */
	bool second;     /* a second copy of an older packet came last */
};

struct doubled_tap {
	int64_t *lag; /* LAGS; NULL: nothing came twice */
	int64_t last_ns;
	uint32_t looked, n, second, between, once;
};

struct twice {
	struct doubled_tap tap[TAPS_COMPARED];
	struct copied copied[SLOTS];
	struct stream stream[STREAMS];
};

struct twice *twice_new(void)
{
	return mem_calloc(1, sizeof(struct twice));
}

void twice_free(struct twice *s)
{
	for (size_t i = 0; s && i < TAPS_COMPARED; i++)
		free(s->tap[i].lag);
	free(s);
}

/* ---- looking ---- */

/* Not that of base/hash.h: here later entries replace earlier ones. */
static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

/* Responses count in the space of the other direction. */
static uint64_t stream_key(const struct packet *p)
{
	uint64_t h = mix(mix(p->tap + 1, p->src.w[0]), p->src.w[1]);

	h = mix(mix(h, p->dst.w[0]), p->dst.w[1]);
	return mix(h, (uint64_t)p->dst_qp << 1 | ((p->opcode & 0x1f) >= 0x0d &&
						  (p->opcode & 0x1f) <= 0x12));
}

static uint64_t packet_key(uint64_t stream, const struct packet *p)
{
	uint64_t h = mix(stream, (uint64_t)p->psn << 32 | p->icrc);

	h = mix(h, (uint64_t)p->msn << 32 | (uint64_t)p->syndrome << 16 |
			   p->ip_id);
	return mix(h, (uint64_t)p->wire_len << 32 | (uint64_t)p->sport << 8 |
			      p->opcode);
}

static void note_second(struct doubled_tap *t, int64_t lag)
{
	t->second++;
	if (!t->lag && !(t->lag = mem_calloc(LAGS, sizeof *t->lag)))
		return;
	if (t->n < LAGS)
		t->lag[t->n++] = lag;
}

/* Nothing came again: is it too old for that? */
static bool is_over(const struct copied *a, int64_t now)
{
	return !a->open || now - a->ns > QUEUE_NS;
}

/* Has it come before, and not twice? */
static bool is_second(struct twice *s, const struct packet *p, uint64_t key)
{
	struct copied *room = NULL;

	for (unsigned i = 0; i < LOOKS; i++) {
		struct copied *a = &s->copied[(key + i) % SLOTS];

		if (a->open && a->key == key && p->ns - a->ns <= QUEUE_NS) {
			a->open = false;
			note_second(&s->tap[p->tap], p->ns - a->ns);
			return true;
		}
		if (!room && is_over(a, p->ns))
			room = a;
	}
	if (!room)
		room = &s->copied[key % SLOTS];
	s->tap[room->tap].once += room->open;
	*room = (struct copied) { key, p->ns, p->tap, true };
	return false;
}

static void look(struct twice *s, const struct packet *p)
{
	struct doubled_tap *t = &s->tap[p->tap];
	uint64_t key = stream_key(p);
	struct stream *q = &s->stream[key % STREAMS];
	int32_t ahead;

	if (q->key != key)
		*q = (struct stream) { .key = key, .newest = p->psn };
	ahead = psn_diff(p->psn, q->newest);
	if (is_second(s, p, packet_key(key, p))) {
		q->second = ahead < 0;
	} else if (ahead > 0) {
		t->between += q->second;
		q->second = false;
		q->newest = p->psn;
	}
	t->last_ns = p->ns;
}

void twice_look(struct twice *s, const struct packet *p, size_t n)
{
	for (; n; p++, n--)
		if (p->status == PACKET_OK && p->kind == PACKET_ROCE &&
		    p->tap < TAPS_COMPARED &&
		    s->tap[p->tap].looked++ < LOOKED_AT)
			look(s, p);
}

/* ---- deciding ---- */

/* Packets of |tap| whose second copy should have come. */
static uint32_t singles(const struct twice *s, size_t tap, int64_t lag)
{
	uint32_t n = s->tap[tap].once;

	for (size_t i = 0; i < SLOTS; i++)
		n += s->copied[i].open && s->copied[i].tap == tap &&
		     s->tap[tap].last_ns - s->copied[i].ns > lag;
	return n;
}

static int64_t lag_of(const struct twice *s, size_t tap)
{
	const struct doubled_tap *t = &s->tap[tap];
	int64_t *v, usual = 0;
	uint32_t alike = 0;

	if (t->n < SECOND_MIN || t->between < BETWEEN_MIN ||
	    BETWEEN_ONE_IN * t->between < t->second ||
	    !(v = mem_calloc(t->n, sizeof *v)))
		return 0;
	memcpy(v, t->lag, t->n * sizeof *v);
	sort_int64(v, t->n);
	usual = v[t->n / 2];
	for (uint32_t i = 0; i < t->n; i++)
		alike += lag_fits(usual, v[i]);
	free(v);
	return usual > RESIDENCE_NS && 10 * alike >= DOUBLED_TENTHS * t->n &&
			       20 * (uint64_t)t->second >=
				       DOUBLED_TENTHS *
					       (2 * (uint64_t)t->second +
						singles(s, tap, usual))
		       ? usual
		       : 0;
}

void twice_decide(const struct twice *s, int64_t *lag, size_t n)
{
	for (size_t k = 0; k < n; k++)
		lag[k] = k < TAPS_COMPARED ? lag_of(s, k) : 0;
}

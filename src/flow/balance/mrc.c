/* SPDX-License-Identifier: GPL-2.0-or-later
 * MRC: SACKs, NACKs by reason, and the path feedback in them are counted.  Each
 * packet may take another path, so arrivals out of order say nothing; whether
 * the sender was right to retransmit is not judged. */
#include "flow/balance/mrc.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/mem.h"
#include "decode/packet.h"
#include "flow/core/flow.h"
#include "wire/wire.h"

enum { ENTROPIES_MOST = 4096 };

/* What is counted, and the entropy values that there were. */
struct counts {
	struct fact_mrc fact;
	uint64_t *seen; /* hash table of |room|; 0 free */
	uint32_t room;
};

/* By flow.index; few captures have any. */
struct mrc_table {
	struct counts **of;
	uint32_t room;
};

static bool make_room(struct mrc_table *t, uint32_t index)
{
	uint32_t room = t->room ? t->room : 64;
	struct counts **more;

	while (room <= index)
		room *= 2;
	if (room == t->room)
		return true;
	more = mem_reallocarray(t->of, room, sizeof(*t->of));
	if (!more)
		return false;
	for (uint32_t i = t->room; i < room; i++)
		more[i] = NULL;
	t->of = more;
	t->room = room;
	return true;
}

/* NULL: no memory. */
static struct counts *counts_of(struct engine *e, const struct flow *f)
{
	struct mrc_table *t;

	if (!e->mrc)
		e->mrc = mem_calloc(1, sizeof *e->mrc);
	t = e->mrc;
	if (!t || !make_room(t, f->index))
		return NULL;
	if (!t->of[f->index])
		t->of[f->index] = mem_calloc(1, sizeof(struct counts));
	return t->of[f->index];
}

/* What is counted for an opcode or a reason. */
struct counted {
	uint8_t value;
	size_t at; /* in struct fact_mrc */
};
#define COUNT(value, member)                               \
	{                                                  \
		(value), offsetof(struct fact_mrc, member) \
	}

static const struct counted opcodes[] = {
	COUNT(MRC_ACK, acks),
	COUNT(MRC_SACK, sacks),
	COUNT(MRC_NACK, nacks),
	COUNT(MRC_PROBE, probes),
	COUNT(MRC_REQUEST, endpoint_requests),
	COUNT(MRC_RESPONSE, endpoint_responses),
};

static const struct counted reasons[] = {
	COUNT(MRC_TRIMMED, trimmed),
	COUNT(MRC_TRIMMED_LASTHOP, trimmed_lasthop),
	COUNT(MRC_NO_BITMAP, no_bitmap),
	COUNT(MRC_NO_PKT_BUFFER, no_buffer),
	COUNT(MRC_NO_RESOURCE, no_resource),
	COUNT(MRC_PSN_OOR_WINDOW, out_of_window),
	COUNT(MRC_UNEXP_EVENT, unexpected),
};
#define N(list) (sizeof(list) / sizeof *(list))

/* One more of |value|; of what the list does not have, at |other|. */
static void count(struct fact_mrc *m, const struct counted *list, size_t n,
		  unsigned value, size_t other)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].value == value)
			other = list[i].at;
	++*(uint64_t *)(void *)((char *)m + other);
}

/* Where |value| is or would be. */
static uint64_t *slot_of(uint64_t *seen, uint32_t room, uint64_t value)
{
	uint32_t i = (uint32_t)(value * 0x9e3779b97f4a7c15u >> 32) % room;

	while (seen[i] && seen[i] != value)
		i = (i + 1) % room;
	return &seen[i];
}

/* Twice as large; false: no memory. */
static bool grow(struct counts *c)
{
	uint32_t room = c->room ? 2 * c->room : 64;
	uint64_t *seen = mem_calloc(room, sizeof *seen);

	if (!seen)
		return false;
	for (uint32_t i = 0; i < c->room; i++)
		if (c->seen[i])
			*slot_of(seen, room, c->seen[i]) = c->seen[i];
	free(c->seen);
	c->seen = seen;
	c->room = room;
	return true;
}

static void count_entropy(struct counts *c, const struct packet *p)
{
	uint64_t value = UINT64_C(1) << 63 | p->label << 16 | p->sport;
	uint64_t *slot;

	if (c->fact.entropies == ENTROPIES_MOST ||
	    (2 * c->fact.entropies >= c->room && !grow(c)))
		return;
	slot = slot_of(c->seen, c->room, value);
	c->fact.entropies += !*slot;
	*slot = value;
}

void mrc_packet(struct engine *e, const struct flow *f, const struct packet *p)
{
	struct counts *c = counts_of(e, f);
	struct fact_mrc *m = c ? &c->fact : NULL;

	if (!m)
		return;
	count_entropy(c, p);
	count(m, opcodes, N(opcodes), p->opcode,
	      offsetof(struct fact_mrc, data));
	if (p->opcode <= MRC_WRITE_ONLY_IMM)
		m->retransmitted += !!(p->mrc.flags & MRC_RETRANSMITTED);
	if (p->opcode == MRC_SACK) {
		m->skip_once += p->mrc.code == MRC_M_SKIP_ONCE;
		m->always_skip += p->mrc.code == MRC_M_ALWAYS_SKIP;
		m->probe_replies += !!(p->mrc.flags & MRC_OF_PROBE);
		if (p->mrc.penalty > m->most_penalty)
			m->most_penalty = p->mrc.penalty;
	}
	if (p->opcode == MRC_NACK)
		count(m, reasons, N(reasons), p->mrc.code,
		      offsetof(struct fact_mrc, other_reasons));
}

void mrc_emit(struct engine *e, const struct flow *f)
{
	struct counts *c =
		e->mrc && f->index < e->mrc->room ? e->mrc->of[f->index] : NULL;

	if (!c)
		return;
	c->fact.flow = f->id;
	HAND_OUT(e, mrc, &c->fact);
}

static void counts_free(struct counts *c)
{
	if (c)
		free(c->seen);
	free(c);
}

void mrc_free(struct engine *e, const struct flow *f)
{
	if (!e->mrc || f->index >= e->mrc->room)
		return;
	counts_free(e->mrc->of[f->index]);
	e->mrc->of[f->index] = NULL;
}

void mrc_fini(struct engine *e)
{
	for (uint32_t i = 0; e->mrc && i < e->mrc->room; i++)
		counts_free(e->mrc->of[i]);
	if (e->mrc)
		free(e->mrc->of);
	free(e->mrc);
}

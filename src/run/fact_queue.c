/* SPDX-License-Identifier: GPL-2.0-or-later
 * Facts put by, to be written later. */
#include "run/fact_queue.h"

#include <stdlib.h>
#include <string.h>

#include "flow/core/fact.h"
#include "flow/recovery/judge.h"

enum kind {
#define FACT(name, table) KIND_##name,
#include "flow/core/facts.def"
};

enum { ALIGN = 16, FIRST = 1 << 16 };

struct head {
	uint32_t size; /* with this head */
	uint32_t kind;
};

static size_t aligned(size_t n)
{
	return (n + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

void fact_queue_init(struct fact_queue *t, size_t most)
{
	*t = (struct fact_queue) { .most = most };
}

void fact_queue_fini(struct fact_queue *t)
{
	free(t->data);
	*t = (struct fact_queue) { 0 };
}

static uint8_t *add(struct fact_queue *t, enum kind kind, size_t n)
{
	size_t size = ALIGN + aligned(n), room = t->room ? t->room : FIRST;
	uint8_t *data;

	while (room < t->n + size)
		room *= 2;
	if (t->n + size > t->most) {
		t->lost++;
		return NULL;
	}
	if (room > t->room) {
		data = realloc(t->data, room);
		if (!data) {
			t->lost++;
			return NULL;
		}
		t->data = data;
		t->room = room;
	}
	data = t->data + t->n;
	*(struct head *)(void *)data = (struct head) { (uint32_t)size, kind };
	t->n += size;
	return data + ALIGN;
}

#define FACT(name, table)                                                     \
	static void put_##name(void *ctx, const struct fact_##name *f)        \
	{                                                                     \
		uint8_t *at = add(ctx, KIND_##name, sizeof *f);               \
                                                                              \
		if (at)                                                       \
			memcpy(at, f, sizeof *f);                             \
	}                                                                     \
                                                                              \
	static void play_##name(const uint8_t *at, const struct flow_sink *s) \
	{                                                                     \
		if (s->name)                                                  \
			s->name(s->ctx, (const void *)at);                    \
	}
#include "flow/core/facts.def"

/* ---- LLDP: its texts follow the fact ---- */

#define TEXTS(f)                                                       \
	{                                                              \
		&(f)->chassis, &(f)->port, &(f)->system, &(f)->ets_tc, \
			&(f)->ets_bandwidth, &(f)->ets_selection,      \
			&(f)->applications, &(f)->uec                  \
	}
enum { LLDP_TEXTS = 8 };

static void put_with_texts(void *ctx, const struct fact_lldp *f)
{
	const char *const *text[LLDP_TEXTS] = TEXTS(f);
	size_t n = sizeof *f;
	uint8_t *at;

	for (int i = 0; i < LLDP_TEXTS; i++)
		n += *text[i] ? strlen(*text[i]) + 1 : 0;
	at = add(ctx, KIND_lldp, n);
	if (!at)
		return;
	memcpy(at, f, sizeof *f);
	at += sizeof *f;
	for (int i = 0; i < LLDP_TEXTS; i++)
		if (*text[i])
			at = (uint8_t *)stpcpy((char *)at, *text[i]) + 1;
}

static void play_with_texts(const uint8_t *at, const struct flow_sink *sink)
{
	struct fact_lldp f;
	const char **text[LLDP_TEXTS] = TEXTS(&f);
	const char *next = (const char *)at + sizeof f;

	memcpy(&f, at, sizeof f);
	for (int i = 0; i < LLDP_TEXTS; i++)
		if (*text[i]) {
			*text[i] = next;
			next += strlen(next) + 1;
		}
	play_lldp((const uint8_t *)&f, sink);
}

/* ---- the whole ---- */

static void put_capped(void *ctx, const char *table, uint64_t dropped)
{
	const struct fact_queue *t = ctx;

	if (t->capped)
		t->capped(t->ctx, table, dropped);
}

struct flow_sink fact_queue_sink(struct fact_queue *t)
{
	struct flow_sink s = {
		.ctx = t,
		.capped = put_capped,
#define FACT(name, table) .name = put_##name,
#include "flow/core/facts.def"
	};

	s.lldp = put_with_texts;
	return s;
}

static void play(uint32_t kind, const uint8_t *at, const struct flow_sink *s)
{
	static void (*const players[])(const uint8_t *,
				       const struct flow_sink *) = {
#define FACT(name, table) play_##name,
#include "flow/core/facts.def"
	};

	if (kind == KIND_lldp)
		play_with_texts(at, s);
	else
		players[kind](at, s);
}

void fact_queue_play(const struct fact_queue *t, size_t from,
		     const struct flow_sink *sink)
{
	for (size_t i = from; i < t->n;) {
		const struct head *h = (const void *)(t->data + i);

		play(h->kind, t->data + i + ALIGN, sink);
		i += h->size;
	}
}

void fact_queue_cut(struct fact_queue *t, size_t n)
{
	t->n -= n;
	if (n && t->n)
		memmove(t->data, t->data + n, t->n);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Facts put by, to be written later. */
#include "run/fact_queue.h"

#include <stdlib.h>
#include <string.h>

#include "flow/core/fact_uet.h"
#include "flow/recovery/judge.h"

/* Every function of a sink that takes one fact: name and type.  Only those of
 * |lldp| have texts that are not there for ever. */
#define FACTS(X)                                          \
	X(event, struct fact_event)                       \
	X(message, struct fact_message)                   \
	X(latency, struct fact_latency)                   \
	X(recovery, struct fact_recovery)                 \
	X(flow, struct fact_flow)                         \
	X(judge_flow, struct fact_judge_flow)             \
	X(judge_recovery, struct fact_judge_recovery)     \
	X(judge_fill, struct fact_judge_fill)             \
	X(bin, struct fact_bin)                           \
	X(cnp, struct fact_cnp)                           \
	X(congestion, struct fact_congestion)             \
	X(pacing, struct fact_pacing)                     \
	X(tap, struct fact_tap)                           \
	X(cm, struct fact_cm)                             \
	X(ending, struct fact_ending)                     \
	X(hop, struct fact_hop)                           \
	X(path, struct fact_path)                         \
	X(csig, struct fact_csig)                         \
	X(telemetry_packet, struct fact_telemetry_packet) \
	X(telemetry_bin, struct fact_telemetry_bin)       \
	X(pause, struct fact_pause)                       \
	X(pauser, struct fact_pauser)                     \
	X(storm, struct fact_storm)                       \
	X(stall, struct fact_stall)                       \
	X(paused_flow, struct fact_paused_flow)           \
	X(uec_credit, struct fact_uec_credit)             \
	X(uec_credit_bin, struct fact_uec_credit_bin)     \
	X(nvme_tcp, struct fact_nvme_tcp)                 \
	X(flow_tap, struct fact_flow_tap)                 \
	X(srv6_path, struct fact_srv6_path)               \
	X(mrc, struct fact_mrc)                           \
	X(spread_over, struct fact_spread_over)           \
	X(pdc, struct fact_pdc)                           \
	X(cc_bin, struct fact_cc_bin)                     \
	X(nack, struct fact_nack)                         \
	X(entropy, struct fact_entropy)                   \
	X(tss, struct fact_tss)                           \
	X(burst, struct fact_burst)                       \
	X(tap_path, struct fact_tap_path)                 \
	X(segment, struct fact_segment)                   \
	X(segment_flow, struct fact_segment_flow)         \
	X(segment_bin, struct fact_segment_bin)           \
	X(unmatched, struct fact_unmatched)

enum kind {
#define X(name, type) KIND_##name,
	FACTS(X)
#undef X
		KIND_lldp
};

/* A new kind of fact must be put here too: besides them a sink has ctx, lldp,
 * note and capped. */
enum { KINDS = KIND_lldp, OTHERS = 4 };
_Static_assert(sizeof(struct flow_sink) == (KINDS + OTHERS) * sizeof(void *),
	       "FACTS is not what struct flow_sink has");

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

#define X(name, type)                                           \
	static void put_##name(void *ctx, const type *f)        \
	{                                                       \
		uint8_t *at = add(ctx, KIND_##name, sizeof *f); \
                                                                \
		if (at)                                         \
			memcpy(at, f, sizeof *f);               \
	}
FACTS(X)
#undef X

/* ---- LLDP: its texts follow the fact ---- */

#define TEXTS(f)                                                       \
	{                                                              \
		&(f)->chassis, &(f)->port, &(f)->system, &(f)->ets_tc, \
			&(f)->ets_bandwidth, &(f)->ets_selection,      \
			&(f)->applications, &(f)->uec                  \
	}
enum { LLDP_TEXTS = 8 };

static void put_lldp(void *ctx, const struct fact_lldp *f)
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

static void play_lldp(const uint8_t *at, const struct flow_sink *sink)
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
	if (sink->lldp)
		sink->lldp(sink->ctx, &f);
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
	return (struct flow_sink) {
		.ctx = t,
#define X(name, type) .name = put_##name,
		FACTS(X)
#undef X
			.lldp = put_lldp,
		.capped = put_capped,
	};
}

static void play(uint32_t kind, const uint8_t *at, const struct flow_sink *s)
{
	switch ((enum kind)kind) {
#define X(name, type)                                                    \
	case KIND_##name:                                                \
		if (s->name)                                             \
			s->name(s->ctx, (const type *)(const void *)at); \
		break;
		FACTS(X)
#undef X
	case KIND_lldp:
		play_lldp(at, s);
		break;
	}
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

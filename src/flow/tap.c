/* SPDX-License-Identifier: GPL-2.0-or-later
 * What each place of capture shows and how good it is: reference 0.3, 3.5. */
#include <stdlib.h>
#include <string.h>

#include "flow/bins.h"
#include "flow/flow.h"

enum { SESSIONS = 8, TAPS_MAX = 1 << 16, SNIFFER_LOOKS = 1 << 12 };

/* A mirror session numbers its copies: gaps are copies that never came. */
struct session {
	uint16_t id;
	uint32_t next;
	struct addr src;
	bool used;
};

struct tap_state {
	struct fact_tap fact;
	struct session sessions[SESSIONS];
	uint64_t last_mac;
	uint64_t mac_up, mac_total, port_4791;
	uint64_t icrc[3]; /* by enum icrc_status */
	uint64_t repeats;
	uint32_t flows, sprayed; /* that carry requests */
	uint64_t speed_bps;      /* 0 unknown */
	bool told;               /* it exists, packets or not */
	uint64_t bytes;
	struct bins *bins;
};

static struct tap_state *new_state(struct engine *e, uint32_t tap)
{
	uint32_t n = e->n_taps ? e->n_taps : 1;
	struct tap_state *t;

	if (tap >= TAPS_MAX)
		tap = TAPS_MAX - 1;
	if (tap < e->n_taps)
		return &e->taps[tap];
	while (n <= tap)
		n *= 2;
	t = realloc(e->taps, n * sizeof *t);
	if (!t)
		return e->n_taps ? &e->taps[0] : NULL;
	memset(t + e->n_taps, 0, (n - e->n_taps) * sizeof *t);
	for (uint32_t i = e->n_taps; i < n; i++) {
		t[i].fact.tap = i;
		t[i].fact.place = (int)i;
	}
	e->taps = t;
	e->n_taps = n;
	return &e->taps[tap];
}

static inline struct tap_state *state(struct engine *e, uint32_t tap)
{
	return tap < e->n_taps ? &e->taps[tap] : new_state(e, tap);
}

void engine_set_speed(struct engine *e, uint32_t tap, uint64_t bps)
{
	struct tap_state *t = state(e, tap);

	if (!t)
		return;
	t->speed_bps = bps;
	t->told = true;
}

uint64_t tap_bytes(const struct engine *e, uint32_t tap)
{
	return tap < e->n_taps ? e->taps[tap].bytes : 0;
}

uint64_t tap_speed(const struct engine *e, uint32_t tap)
{
	return tap < e->n_taps ? e->taps[tap].speed_bps : 0;
}

void tap_fini(struct engine *e)
{
	for (uint32_t i = 0; i < e->n_taps; i++)
		bins_delete(e->taps[i].bins);
	free(e->taps);
}

static void mirror_sequence(struct tap_state *t, const struct packet *p)
{
	struct session *s = &t->sessions[p->mirror_session % SESSIONS];
	int32_t d = (int32_t)(p->mirror_seq - s->next);

	t->fact.mirror_seq_seen = true;
	if (!s->used || s->id != p->mirror_session) {
		*s = (struct session) { .id = p->mirror_session, .used = true };
		d = 0;
	}
	/* Behind: the mirror path reordered; far ahead: it was restarted. */
	if (d > 0 && d < 1 << 20)
		t->fact.mirror_seq_lost += (uint32_t)d;
	if (d >= 0)
		s->next = p->mirror_seq + 1;
	else if (t->fact.mirror_seq_lost)
		t->fact.mirror_seq_lost--;
}

/* Some NIC sniffers write a time stamp into the source MAC and 4791 into the
 * source port (captures/README.md); the first packets tell. */
static void sniffer_signs(struct tap_state *t, const struct packet *p)
{
	t->mac_total++;
	t->mac_up += p->src_mac > t->last_mac;
	t->port_4791 += p->sport == 4791;
	t->last_mac = p->src_mac;
}

static void load(struct tap_state *t, const struct packet *p)
{
	struct bin_count *c;

	t->bytes += p->wire_len;
	if (!t->bins)
		t->bins = bins_new(BIN_TAP_MAX);
	if (!t->bins)
		return;
	c = bins_at(t->bins, p->ns);
	c->packets++;
	c->bytes += p->wire_len;
	if (p->tos & 3) {
		c->ce += (p->tos & 3) == 3;
		c->ect += (p->tos & 3) != 3;
	}
	c->cnp += p->kind == PACKET_CNP;
}

static void count_fabric(struct engine *e, struct tap_state *t,
			 const struct packet *p)
{
	t->icrc[p->icrc_status]++;
	if (p->tos & 3) {
		/* ECN-capable and not marked; CE is counted apart. */
		t->fact.ce += (p->tos & 3) == 3;
		t->fact.ect += (p->tos & 3) != 3;
	}
	t->fact.reserved_set += !!(p->flags & PACKET_RESERVED_SET);
	t->fact.unknown_opcodes += !(e->op[p->opcode] & IS_KNOWN);
	if (t->mac_total < SNIFFER_LOOKS)
		sniffer_signs(t, p);
}

void tap_packet(struct engine *e, const struct packet *p)
{
	struct tap_state *t = state(e, p->tap);

	if (!t)
		return;
	t->fact.packets++;
	t->fact.by_status[p->status & 7]++;
	t->fact.by_kind[p->kind & 15]++;
	if (p->flags & PACKET_MIRROR_SEQ)
		mirror_sequence(t, p);
	if (p->status == PACKET_OK && p->kind == PACKET_ROCE)
		count_fabric(e, t, p);
	load(t, p);
}

void tap_mirror_duplicate(struct engine *e, const struct packet *p)
{
	struct tap_state *t = state(e, p->tap);

	if (t)
		t->fact.mirror_duplicates++;
}

void tap_note_repeat(struct engine *e, uint32_t tap)
{
	struct tap_state *t = state(e, tap);

	if (t)
		t->repeats++;
}

bool tap_verifies(const struct engine *e, uint32_t tap)
{
	return tap < e->n_taps && e->taps[tap].icrc[ICRC_GOOD];
}

bool tap_has_repeats(const struct engine *e, uint32_t tap)
{
	return tap < e->n_taps && e->taps[tap].repeats;
}

bool tap_is_doubled(const struct engine *e, uint32_t tap)
{
	const struct tap_state *t = tap < e->n_taps ? &e->taps[tap] : NULL;
	uint64_t roce = t ? t->fact.by_kind[PACKET_ROCE] : 0;

	/* Nine in ten packets come twice: reference 3.4, R20. */
	return t && roce >= 2 && 20 * t->repeats >= 9 * (roce - roce % 2);
}

void tap_note_flow(struct engine *e, uint32_t tap, bool sprayed)
{
	struct tap_state *t = state(e, tap);

	if (!t)
		return;
	t->flows++;
	t->sprayed += sprayed;
}

static bool is_sniffer(const struct tap_state *t)
{
	return t->mac_total >= 16 && t->mac_up * 10 >= t->mac_total * 9 &&
	       t->port_4791 == t->mac_total;
}

void tap_finish(struct engine *e)
{
	for (uint32_t i = 0; i < e->n_taps; i++) {
		struct tap_state *t = &e->taps[i];

		if (!t->fact.packets && !t->told)
			continue;
		t->fact.icrc_good = t->icrc[ICRC_GOOD];
		t->fact.icrc_bad = t->icrc[ICRC_BAD];
		t->fact.icrc_unchecked = t->icrc[ICRC_UNCHECKABLE];
		t->fact.nic_sniffer = is_sniffer(t);
		t->fact.spray_suspect = t->sprayed * 2 > t->flows;
		t->fact.place = (int)tap_place(e, i);
		bins_emit_all(e, t->bins, BIN_TAP, i);
		if (e->sink.tap)
			e->sink.tap(e->sink.ctx, &t->fact);
	}
}

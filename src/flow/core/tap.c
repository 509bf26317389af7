/* SPDX-License-Identifier: GPL-2.0-or-later
 * What each capture point shows and how good it is. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "flow/core/serial.h"
#include "flow/core/tap.h"

enum {
	TAPS_MAX = 1 << 16,
	/* ---- one of several links ---- */
	/* PSNs: fewer may be missing for any reason. */
	ABSENT_MIN = 20,
	/* Of the PSNs of a flow: four links of five are captured. */
	ABSENT_ONE_IN = 4,
	/* Of what is missing: who retransmits more has lost packets. */
	RESENT_ONE_IN = 4,
	/* PSNs missing, by what is missing from others: with so many expected
	 * there is one in all but one flow of a thousand. */
	FEW_ABSENT = 7,
	/* ---- or one link, and a mirror that drops bursts ---- */
	/* From packet to packet: fewer say nothing. */
	STEPS_MIN = 20,
	/* For each hole while packets kept coming, where nothing came; and how
	 * many times more often there is one then. */
	IDLE_HOLES = 2,
	IDLE_HOLES_TIMES = 3,
	/* Of these: flowlets begin with a message. */
	INSIDE_ONE_IN = 2,
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
	t = mem_realloc(e->taps, n * sizeof *t);
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
	t->reported = true;
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
	for (uint32_t i = 0; i < e->n_taps; i++) {
		bins_delete(e->taps[i].bins);
		free(e->taps[i].sessions);
	}
	free(e->taps);
}

/* Where |p| is counted: among a few places, or in the first of them instead of
 * another one, which then is counted anew. */
static struct tap_session *session_of(struct tap_state *t,
				      const struct packet *p)
{
	uint32_t h = (p->mirror_switch ^ (uint32_t)p->mirror_session << 16) *
		     0x9e3779b1u;
	struct tap_session *s, *first;

	if (!t->sessions)
		t->sessions = mem_calloc(TAP_SESSIONS, sizeof *s);
	if (!t->sessions)
		return NULL;
	h >>= 16;
	first = &t->sessions[h % TAP_SESSIONS];
	for (uint32_t i = 0; i < TAP_SESSION_LOOKS; i++) {
		s = &t->sessions[(h + i) % TAP_SESSIONS];
		if (!s->used ||
		    (s->by == p->mirror_switch && s->id == p->mirror_session))
			break;
		s = first;
	}
	if (!s->used || s->by != p->mirror_switch || s->id != p->mirror_session)
		*s = (struct tap_session) { .by = p->mirror_switch,
					    .id = p->mirror_session,
					    .next = p->mirror_seq,
					    .used = true };
	return s;
}

static void mirror_sequence(struct tap_state *t, const struct packet *p)
{
	struct tap_session *s = session_of(t, p);
	int32_t d;

	if (!s)
		return;
	d = (int32_t)(p->mirror_seq - s->next);
	t->fact.mirror_seq_seen = true;
	/* Behind: the mirror path reordered; far ahead: it was restarted. */
	if (d > 0 && d < 1 << 20)
		t->fact.mirror_seq_lost += (uint32_t)d;
	if (d >= 0)
		s->next = p->mirror_seq + 1;
	else if (t->fact.mirror_seq_lost)
		t->fact.mirror_seq_lost--;
}

/* What few packets have, or only the first. */
static __attribute__((noinline)) void
count_rare(const struct engine *e, struct tap_state *t, const struct packet *p)
{
	t->fact.reserved_set += !!(p->flags & PACKET_RESERVED_SET);
	t->fact.unknown_opcodes +=
		!(e->op[p->opcode] & IS_KNOWN) && !(p->flags & PACKET_MRC);
	if (t->mac_total < TAP_SNIFFER_LOOKS) {
		/* Some NIC sniffers write a time stamp into the source MAC and
		 * 4791 into the source port (captures/README.md); the first
		 * packets tell. */
		t->mac_total++;
		t->mac_up += p->src_mac > t->last_mac;
		t->port_4791 += p->sport == 4791;
		t->last_mac = p->src_mac;
	}
}

static inline void count_roce(const struct engine *e, struct tap_state *t,
			      const struct packet *p)
{
	tap_count_roce(t, p, 1);
	if ((p->flags & PACKET_RESERVED_SET) ||
	    !(e->op[p->opcode] & IS_KNOWN) || t->mac_total < TAP_SNIFFER_LOOKS)
		count_rare(e, t, p);
}

void tap_packet(struct engine *e, const struct packet *p)
{
	struct tap_state *t = state(e, p->tap);

	if (!t)
		return;
	tap_count(t, p, 1);
	if (p->status == PACKET_OK && p->kind == PACKET_ROCE)
		count_roce(e, t, p);
	else if (p->status == PACKET_OK && p->kind == PACKET_UET)
		t->ecn[p->tos & 3]++;
	if (p->flags & PACKET_MIRROR_SEQ)
		mirror_sequence(t, p);
	if (t->bins || (t->bins = bins_new(e->o.tap_bins)))
		tap_load(bins_at(t->bins, p->ns), p, 1);
}

void tap_missed(struct engine *e, uint32_t tap, uint32_t n)
{
	struct tap_state *t = state(e, tap);

	if (t)
		t->missing += n;
}

void tap_asked_for(struct engine *e, uint32_t tap)
{
	struct tap_state *t = state(e, tap);

	if (t)
		t->asked_for++;
}

void tap_judge(struct engine *e, uint32_t tap, uint64_t asked_for,
	       uint64_t missing)
{
	struct tap_state *t = state(e, tap);

	if (!t)
		return;
	t->asked_for = asked_for;
	t->missing = missing;
}

double tap_hole_is_loss(const struct engine *e, uint32_t tap)
{
	const struct tap_state *t = tap < e->n_taps ? &e->taps[tap] : NULL;

	return t ? (t->asked_for + 1.0) / (t->asked_for + 1.0 + t->missing) : 1;
}

void tap_mirror_duplicate(struct engine *e, const struct packet *p)
{
	struct tap_state *t = state(e, p->tap);

	if (t)
		t->fact.mirror_duplicates++;
}

void tap_note_repeat(struct engine *e, uint32_t tap, bool moved)
{
	struct tap_state *t = state(e, tap);

	if (!t)
		return;
	t->repeats++;
	t->moved += moved;
}

static uint64_t came_of_kind(const struct tap_state *t, enum packet_kind kind)
{
	uint64_t n = 0;

	for (unsigned status = 0; status < PACKET_STATUSES; status++)
		n += t->came[status][kind];
	return n;
}

void tap_note_alike(struct engine *e, uint32_t tap, bool replay)
{
	struct tap_state *t = state(e, tap);

	if (t && replay)
		t->replayed++;
	else if (t)
		t->alike++;
}

bool tap_verifies(const struct engine *e, uint32_t tap)
{
	return tap < e->n_taps && e->taps[tap].icrc[ICRC_GOOD];
}

bool tap_has_repeats(const struct engine *e, uint32_t tap)
{
	return tap < e->n_taps && (e->taps[tap].repeats || tap_lag(e, tap));
}

bool tap_repeats_move(const struct engine *e, uint32_t tap)
{
	return tap < e->n_taps && 2 * e->taps[tap].moved > e->taps[tap].repeats;
}

uint64_t engine_unreadable(const struct engine *e)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < e->n_taps; i++)
		n += came_of_kind(&e->taps[i], PACKET_UNREADABLE);
	return n;
}

/* Do |percent| of the packets come twice?  Of those that a sender may have sent
 * twice nothing is to be learnt; where these are most of all, a few that only
 * seem to come twice say nothing either. */
static bool comes_twice(const struct engine *e, uint32_t tap, unsigned percent)
{
	const struct tap_state *t = tap < e->n_taps ? &e->taps[tap] : NULL;
	uint64_t n =
		t ? came_of_kind(t, PACKET_ROCE) + came_of_kind(t, PACKET_UET)
		  : 0;

	n -= t && 4 * t->replayed < n ? 2 * t->replayed : n / 2;
	return n >= 2 && 200 * t->alike >= percent * (n - n % 2);
}

bool tap_is_doubled(const struct engine *e, uint32_t tap)
{
	/* Nine in ten: R20. */
	return tap_lag(e, tap) || comes_twice(e, tap, 90);
}

bool tap_doubles_some(const struct engine *e, uint32_t tap)
{
	return tap_lag(e, tap) || comes_twice(e, tap, 10);
}

void tap_step(struct engine *e, const struct flow *f, const struct packet *p)
{
	struct tap_state *t = state(e, p->tap);
	int32_t d = psn_diff(p->psn, f->nxt);

	bool idle;

	if (!t || d < 0 || f->span_unknown)
		return;
	idle = f->last_req_ns < t->silence_ns;
	t->steps[idle][d > 0]++;
	t->holes_inside += idle && d > 0 && !(e->op[p->opcode] & IS_START);
}

/* Of its requests: what is sprayed lacks these as well as READ responses. */
static uint64_t absent(const struct flow *f)
{
	uint64_t all = (uint64_t)f->missing + f->unresolved;
	uint64_t most = f->requests < f->covered ? f->covered - f->requests : 0;

	return all < most ? all : most;
}

static bool is_gappy(const struct flow *f)
{
	return f->covered && ABSENT_ONE_IN * absent(f) >= f->covered;
}

void tap_note_absent(struct engine *e, const struct flow *f)
{
	struct tap_state *t = state(e, f->tap);

	if (!t || !f->requests || !psn_followed(f))
		return;
	t->psns += f->covered;
	if (!is_gappy(f))
		return;
	t->gappy += f->covered;
	t->absent += absent(f);
	t->resent += f->retransmitted;
}

/* Nothing is missing while packets keep coming, but where nothing came from any
 * flow for a while, in the middle of messages: of several links each takes some
 * at any time, or all of what is sent without a pause. */
static bool in_bursts(const struct tap_state *t)
{
	const uint64_t *busy = t->steps[0], *idle = t->steps[1];

	return busy[0] + busy[1] >= STEPS_MIN &&
	       IDLE_HOLES * busy[1] <= idle[1] &&
	       INSIDE_ONE_IN * t->holes_inside >= idle[1] &&
	       IDLE_HOLES_TIMES * busy[1] * (idle[0] + idle[1]) <=
		       idle[1] * (busy[0] + busy[1]);
}

/* Many PSNs of some flows are missing, and hardly any is sent once more.  So
 * few are expected to be missing from a short flow that none need be. */
bool tap_sprays(const struct engine *e, const struct flow *f)
{
	const struct tap_state *t =
		f->tap < e->n_taps ? &e->taps[f->tap] : NULL;

	if (!t || !f->covered || !psn_followed(f) || t->absent < ABSENT_MIN ||
	    RESENT_ONE_IN * t->resent > t->absent || in_bursts(t))
		return false;

	return is_gappy(f) || (2 * t->gappy > t->psns &&
			       f->covered * t->absent < FEW_ABSENT * t->gappy);
}

void tap_note_flow(struct engine *e, uint32_t tap, bool sprayed)
{
	struct tap_state *t = state(e, tap);

	if (!t)
		return;
	t->flows++;
	t->sprayed += sprayed;
}

/* The fact's counters from those that are quick to keep. */
static void sum_up(struct tap_state *t)
{
	struct fact_tap *f = &t->fact;

	f->packets = 0;
	for (unsigned i = 0; i < PACKET_STATUSES; i++)
		for (unsigned k = 0; k < PACKET_KINDS; k++) {
			f->packets += t->came[i][k];
			f->by_status[i] += t->came[i][k];
			f->by_kind[k] += t->came[i][k];
		}
	f->ect = t->ecn[1] + t->ecn[2];
	f->ce = t->ecn[3];
	f->icrc_good = t->icrc[ICRC_GOOD];
	f->icrc_bad = t->icrc[ICRC_BAD];
	f->icrc_unchecked = t->icrc[ICRC_UNCHECKABLE];
}

void tap_forget_load(struct engine *e, int64_t before)
{
	for (uint32_t i = 0; i < e->n_taps; i++)
		if (e->taps[i].bins)
			bins_forget(e->taps[i].bins, before);
}

void tap_finish(struct engine *e)
{
	for (uint32_t i = 0; i < e->n_taps; i++) {
		struct tap_state *t = &e->taps[i];

		sum_up(t);
		if (!t->fact.packets && !t->reported)
			continue;
		t->fact.unseen_nacked = t->asked_for;
		t->fact.unseen_acked = t->missing;
		t->fact.nic_sniffer = t->mac_total >= 16 &&
				      t->mac_up * 10 >= t->mac_total * 9 &&
				      t->port_4791 == t->mac_total;
		t->fact.spray_suspect = t->sprayed * 2 > t->flows;
		t->fact.place = (int)tap_place(e, i);
		for (unsigned k = 0; e->tracker[k]; k++)
			if (e->tracker[k]->tap_row)
				e->tracker[k]->tap_row(e, &t->fact);
		bins_emit_all(e, t->bins, BIN_TAP, i);
		HAND_OUT(e, tap, &t->fact);
	}
}

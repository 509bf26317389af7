/* SPDX-License-Identifier: GPL-2.0-or-later
 * What is counted at a capture point.  Internal to flow. */
#ifndef FABSCOPE_FLOW_CORE_TAP_H
#define FABSCOPE_FLOW_CORE_TAP_H

#include "flow/core/bins.h"
#include "flow/core/flow.h"

enum {
	TAP_SESSIONS = 256, /* of all switches that mirror to a tap */
	TAP_SESSION_LOOKS = 8,
	TAP_SNIFFER_LOOKS = 1 << 12, /* the first packets tell */
	/* Times the usual time between packets. */
	SILENCE_TIMES = 4,
	/* Of which one more packet is so much; where packets come later and
	 * later, it grows by so much each time. */
	PACE_PART = 16,
	PACE_UP_PART = 8
};

/* A session of a mirroring switch numbers its copies: gaps are copies that
 * never came. */
struct tap_session {
	uint32_t by; /* packet.mirror_switch */
	uint32_t next;
	uint16_t id;
	bool used;
};

struct tap_state {
	uint64_t bytes;
	struct bins *bins;
	uint64_t mac_total; /* looked at for signs of a sniffer */
	uint64_t ecn[4];    /* RoCE packets, by ECN field */
	uint64_t icrc[3];   /* ... by enum icrc_status */
	/* what came, by enum packet_status and enum packet_kind */
	uint64_t came[PACKET_STATUSES][PACKET_KINDS];
	struct fact_tap fact;
	struct tap_session *sessions; /* TAP_SESSIONS, NULL: none yet */
	uint64_t last_mac, mac_up, port_4791;
	uint64_t repeats, moved; /* copies; of them, from elsewhere */
	uint64_t alike;          /* equal packets, whatever they are ... */
	uint64_t replayed; /* ... and those that a sender may have sent twice */
	uint32_t flows, sprayed; /* that carry requests */
	/* Of flows that are over, the PSNs: all, ... */
	uint64_t psns;
	/* ... and of flows of which many are missing: all, missing ones, and
	 * retransmissions. */
	uint64_t gappy, absent, resent;
	/* When data came last, how far apart it comes, and the end of the last
	 * time that was idle by comparison. */
	int64_t data_ns, pace_ns, silence_ns;
	/* From a new packet of a flow to the next: was the tap idle between, is
	 * a PSN missing?  Not of flows from which nothing is missing. */
	uint64_t steps[2][2];
	uint64_t holes_inside; /* those of idle times that end in a message */
	uint64_t speed_bps;    /* 0 unknown */
	bool reported;         /* it exists, packets or not */
	/* PSNs that the mirror did not copy, and those that a receiver missed
	 * by name and that had not been seen here. */
	uint64_t missing, asked_for;
};

/* Data comes at |ns|. */
static inline void tap_pace(struct tap_state *t, int64_t ns)
{
	int64_t apart = ns - t->data_ns;

	if (apart < 0)
		return;
	t->data_ns = ns;
	if (apart > SILENCE_TIMES * t->pace_ns) {
		t->silence_ns = ns;
		t->pace_ns += t->pace_ns / PACE_UP_PART + 1;
	} else {
		t->pace_ns += (apart - t->pace_ns) / PACE_PART;
	}
}

/* |n| packets like |p|. */
static inline void tap_load(struct bin_count *c, const struct packet *p,
			    uint32_t n)
{
	c->packets += n;
	c->bytes += (uint64_t)n * p->wire_len;
	if (p->tos & 3)
		*((p->tos & 3) == ECN_CE ? &c->ce : &c->ect) += n;
	if (p->kind == PACKET_CNP)
		c->cnp += n;
}

static inline void tap_count(struct tap_state *t, const struct packet *p,
			     uint32_t n)
{
	t->bytes += (uint64_t)n * p->wire_len;
	t->came[p->status][p->kind] += n;
}

static inline void tap_count_roce(struct tap_state *t, const struct packet *p,
				  uint32_t n)
{
	t->icrc[p->icrc_status] += n;
	t->ecn[p->tos & 3] += n;
}

#endif

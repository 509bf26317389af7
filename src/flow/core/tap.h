/* SPDX-License-Identifier: GPL-2.0-or-later
 * What is counted at a capture point.  Internal to flow. */
#ifndef FABSCOPE_FLOW_CORE_TAP_H
#define FABSCOPE_FLOW_CORE_TAP_H

#include "flow/core/bins.h"
#include "flow/core/flow.h"

enum {
	TAP_SESSIONS = 256, /* of all switches that mirror to a tap */
	TAP_SESSION_LOOKS = 8,
	TAP_SNIFFER_LOOKS = 1 << 12 /* the first packets tell */
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
	uint64_t speed_bps;      /* 0 unknown */
	bool reported;           /* it exists, packets or not */
	/* PSNs that the mirror did not copy, and those that a receiver missed
	 * by name and that had not been seen here. */
	uint64_t missing, asked_for;
};

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

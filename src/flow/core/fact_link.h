/* SPDX-License-Identifier: GPL-2.0-or-later
 * Facts of the link layer: pauses, storms, what they did to flows, what ports
 * advertise, and the credits of UEC.  Part of fact.h. */
#ifndef FABSCOPE_FLOW_CORE_FACT_LINK_H
#define FABSCOPE_FLOW_CORE_FACT_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/addr.h"

enum pause_end {
	PAUSE_XON,     /* allowed to go on */
	PAUSE_EXPIRY,  /* the time asked for was over */
	PAUSE_CAPTURE, /* still paused when the capture ended */
	PAUSE_ENDS
};

/* One pause: the first XOFF to its end. */
struct fact_pause {
	uint32_t tap;
	uint64_t mac;      /* who asked for it */
	int64_t priority;  /* 0..7; FACT_UNKNOWN: the whole link (802.3x) */
	int64_t first_ns;  /* first XOFF */
	int64_t last_ns;   /* end; FACT_UNKNOWN without the link's speed */
	int64_t paused_ns; /* likewise */
	uint32_t xoff, xon, refreshes;
	enum pause_end ended_by;
	uint64_t quanta;
	uint64_t frame; /* the first XOFF */
};

enum port_role {
	PORT_UNKNOWN,
	PORT_HOST,   /* sends packets with a time to live nobody lowered */
	PORT_SWITCH, /* sends packets that have passed a router */
	PORT_ROLES
};

/* All pauses of one port and priority. */
struct fact_pauser {
	uint32_t tap;
	uint64_t mac;
	int64_t priority; /* as above */
	uint64_t link_bps;
	int64_t first_ns, last_ns; /* frames */
	uint64_t pauses, xoff, xon, refreshes, by_xon, by_expiry;
	uint64_t quanta, quanta_max;
	int64_t paused_ns, longest_ns; /* FACT_UNKNOWN */
	/* data frames to the port, and of these while they should not have
	 * come; vague: of the priority, but in an unknown direction */
	uint64_t seen, passed, vague;
	uint64_t frame;    /* the first XOFF */
	uint64_t peer_mac; /* whom it pauses, 0 unknown */
	enum port_role role;
	bool has_host;
	struct addr host; /* of a host */
};

/* Order is that of gravity; STORM_DEADLOCK* are derived. */
enum storm_level {
	STORM_HEAVY,
	STORM_SUSPECT,
	STORM_STORM,
	STORM_DEADLOCK_SUSPECT,
	STORM_DEADLOCK,
	STORM_LEVELS
};

/* Reference 5.3. */
struct fact_storm {
	uint32_t tap;
	uint64_t mac;
	int64_t priority;
	enum storm_level level;
	int64_t first_ns, last_ns, paused_ns, longest_ns;
	uint64_t xoff;
	uint64_t seen, vague; /* as in fact_pauser */
	uint64_t frame;
	bool frozen;   /* nothing went through in its longest pause */
	bool standing; /* when the capture ended */
};

enum stall_cause {
	STALL_PAUSE,  /* the priority was paused */
	STALL_CREDIT, /* UEC CBFC: no credits were used meanwhile */
	STALL_CAUSES
};

/* A silence of a flow that lies in a pause of its priority. */
struct fact_stall {
	uint32_t flow, tap;
	enum stall_cause cause;
	uint64_t mac;     /* who sent PFC pause; who had no credits */
	int64_t priority; /* or the channel */
	int64_t first_ns; /* the last packet before */
	int64_t last_ns; /* the first packet after, or the end of the capture */
	int64_t paused_ns; /* of this, paused */
	uint64_t frame;    /* the first packet after, 0 none came */
};

enum priority_source {
	PRIORITY_PCP,    /* VLAN tag */
	PRIORITY_LLDP,   /* the mapping that the port advertises */
	PRIORITY_ASSUMED /* DSCP / 8 */
};

/* A flow that travels towards a port that sends PFC pause. */
struct fact_paused_flow {
	uint32_t flow, tap;
	uint64_t mac;
	int64_t priority; /* of the flow */
	enum priority_source priority_from;
	uint8_t ttl;
	bool governed; /* that priority was paused at least once */
	uint32_t stalls;
	int64_t stalled_ns, longest_ns;
	bool standing; /* the last stall had not ended */
};

/* What a port advertises; a row for each configuration.  NULL and FACT_UNKNOWN:
 * it does not say. */
struct fact_lldp {
	uint32_t tap;
	uint64_t mac;
	int64_t first_ns, last_ns;
	uint64_t frames, frame;
	const char *chassis, *port, *system;
	int64_t ttl_s;
	const char *dcbx;    /* "ieee", "cee" */
	int64_t pfc_willing; /* takes over what the peer says */
	int64_t pfc_cap;     /* classes that can have PFC */
	int64_t pfc_enabled; /* bit n: priority n */
	int64_t ets_willing, ets_classes;
	/* JSON arrays of eight numbers: by priority, by class, by class */
	const char *ets_tc, *ets_bandwidth, *ets_selection;
	const char *applications; /* JSON array of objects */
	const char *uec;          /* TLVs of the UEC, hexadecimal */
};

/* Credits that a sender used up in a virtual channel (UEC CBFC). */
struct fact_uec_credit {
	uint32_t tap;
	uint64_t mac; /* the sender of the data */
	uint32_t channel;
	int64_t first_ns, last_ns; /* updates */
	uint64_t updates, credits, resets;
	uint64_t standstills; /* 1 ms or more without any used, then more */
	int64_t standstill_ns, longest_ns;
	uint64_t frame; /* the first update */
};

struct fact_uec_credit_bin {
	uint32_t tap;
	uint64_t mac;
	uint32_t channel;
	int64_t start_ns, width_ns;
	uint64_t updates, credits;
};

/* One direction of a TCP connection from or to a port of NVMe over TCP. */
struct fact_nvme_tcp {
	uint32_t tap;
	struct addr src, dst;
	uint32_t src_port, dst_port;
	uint64_t packets;
	uint64_t bytes; /* payload of TCP, retransmissions included */
	int64_t first_ns, last_ns;
};

/* names.c */
extern const char *const pause_end_names[PAUSE_ENDS];
extern const char *const port_role_names[PORT_ROLES];
extern const char *const storm_level_names[STORM_LEVELS];
extern const char *const stall_cause_names[STALL_CAUSES];
extern const char *const priority_source_names[PRIORITY_ASSUMED + 1];

#endif

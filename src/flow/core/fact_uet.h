/* SPDX-License-Identifier: GPL-2.0-or-later
 * What only Ultra Ethernet has, as plain rows: see fact.h. */
#ifndef FABSCOPE_FLOW_CORE_FACT_UET_H
#define FABSCOPE_FLOW_CORE_FACT_UET_H

#include "flow/core/fact.h"

/* UET: one direction of a packet delivery context in one epoch, beside its
 * fact_flow.  What is not ruled out is FACT_UNKNOWN at first. */
enum pdc_state {
	PDC_UNKNOWN,
	PDC_SYN_SENT,
	PDC_ESTABLISHED,
	PDC_QUIESCING,  /* the target asked for the close */
	PDC_CLOSE_WAIT, /* CLOSE was sent */
	PDC_CLOSED,
	PDC_ERROR,
	PDC_STATES
};

enum pdc_role { PDC_ROLE_UNKNOWN, PDC_INITIATOR, PDC_TARGET };

struct fact_pdc {
	uint32_t flow;
	enum pdc_role role;   /* of this direction's sender */
	enum pdc_state state; /* in the end */
	int64_t start_psn;
	int64_t opened_ns, closed_ns;
	int64_t handshake_ns; /* length: first SYN to first answer, here */
	uint64_t syn_packets, syn_bytes; /* sent before that answer */
	uint64_t jobs;                   /* changes of the job, plus one */
	int64_t entropy_values; /* at least; unknown: it only answered */
	/* what the receiver said, in the other direction */
	uint64_t acks, acks_cc;
	uint64_t marked; /* answers to packets with a CE mark */
	uint64_t nacks;
	uint64_t errors; /* responses with another return code than OK */
	uint64_t probes, ack_requests, clears, credit_requests; /* control */
	int64_t service_min_ns, service_max_ns; /* receiver's residence time */
	int64_t ooo_max;     /* its count of packets out of order */
	int64_t penalty_max; /* its window penalty, 0 to 127 */
	uint64_t restores;   /* times it let the window be restored */
	int64_t received;    /* length: what it says it got meanwhile, bytes */
	int64_t path_min_ns; /* length: round trip less the residence time */
	int64_t credit_granted, credit_wanted; /* meanwhile, raw units */
	int64_t credit_backlog_max; /* asked for and not granted, raw units */
	int64_t credit_waits;       /* times it must have waited for it */
	int64_t credit_wait_ns;     /* length: all of them */
	uint64_t trimmed_upstream, trimmed_downstream;
	uint64_t trimmed_lasthop;   /* of both, says the receiver */
	uint64_t late_behind;       /* came out of order behind the tap */
	int64_t late_behind_max_ns; /* length: seen here to acknowledged */
	int64_t retx_unset; /* copies whose flag does not say so; not RUDI,
			     * where it need not */
};

/* UET: what the receiver reported of congestion to one direction, in a bin of
 * time. Amounts of credit are raw units. */
struct fact_cc_bin {
	uint32_t flow;
	int64_t start_ns, width_ns;
	uint64_t acks;    /* responses that reported any of it */
	uint64_t marked;  /* ... to packets that arrived with a CE mark */
	uint64_t trimmed; /* refusals of packets that arrived trimmed */
	int64_t received; /* length: what it says it got, bytes */
	int64_t service_mean_ns, service_max_ns; /* length: residence time */
	int64_t ooo_max, penalty_max;
	int64_t granted, wanted;
	int64_t backlog_max; /* asked for and not granted */
	int64_t waited_ns;   /* length: it sent nothing for lack of credit */
};

/* UET: refusals of one direction's packets, by code. */
enum { NACK_CODES_KEPT = 32 };

struct fact_nack {
	uint32_t flow;
	uint8_t code;
	uint64_t count,
		retransmitted; /* retransmitted: packets retransmitted for it */
	int64_t first_ns;
	uint64_t frame; /* the first */
	int64_t react_min_ns, react_sum_ns, react_max_ns;
};

/* UET: what encryption (TSS) leaves of what a source sends in one secure
 * domain.  The counter of a key goes up by one with every packet, whoever it is
 * for. */
struct fact_tss {
	uint32_t tap;
	struct addr src;
	uint32_t sdi;
	int64_t ssi;
	int64_t first_ns, last_ns;
	uint64_t packets, bytes, trimmed;
	uint32_t an; /* the last one */
	uint64_t key_changes, epoch_changes, jumps;
	uint32_t epoch_first, epoch_last;
	uint64_t counter_first, counter_last;
	uint64_t expected; /* numbers from the first to the last of each run */
	uint64_t missing;  /* of them, not seen here */
	uint64_t repeated; /* packets with a number that was seen */
	uint64_t late;     /* packets that later ones had reordered ... */
	uint64_t late_max; /* ... by so many numbers at most */
	uint64_t too_late; /* so late that they may be repeated */
};

/* UET: what became of the packets of two hosts by entropy value, that is, by
 * path. */
struct fact_entropy {
	uint32_t tap;
	struct addr src, dst;
	uint32_t ev;
	uint64_t packets, bytes;
	uint64_t ce;      /* marked when they were seen here */
	uint64_t marked;  /* marked when they arrived, says the receiver */
	uint64_t trimmed; /* before or behind the tap */
	uint64_t retransmitted, lost;
};

#endif

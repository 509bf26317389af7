/* SPDX-License-Identifier: GPL-2.0-or-later
 * Table flow_brief: of all flows, what is asked of many of them.
 *
 * A row of table flow has 84 columns, and SQLite reads through all of them to
 * the one it wants.  These are kept while rows of flow are written, and are
 * there until all is derived. */
#ifndef FABSCOPE_STORE_BRIEF_H
#define FABSCOPE_STORE_BRIEF_H

#include "store/array.h"

enum { BRIEF_NO_DSCP = UINT8_MAX };

/* As in table flow; -1: unknown, of what is no int64_t. */
struct brief {
	int64_t id;
	const char *src, *dst;
	uint32_t tap, peer, epoch;
	int dst_qp, spdcid, dpdcid, job_id, ttl;
	uint8_t dscp_cnp; /* BRIEF_NO_DSCP: unknown */
	uint8_t transport;
	bool spray_suspect, spans_reads;
	bool all_requests, no_request; /* its packets; but responses */
	int64_t first_ns, wire_bytes, payload_bytes, goodput_bytes;
	int64_t requests, messages, expected;
	int64_t capture_missing, unresolved, nak_seq;
	int64_t slow_ns; /* what a message took that is slow */
	int64_t rtt_sender_ns, rtt_receiver_ns;
};

struct briefs {
	struct brief *rows; /* in order of their ids */
	size_t n_rows, room;
	struct brief_host *hosts;
	uint32_t n_hosts, n_slots;
	uint32_t *slots; /* by hash: hosts + 1, 0: free */
	struct array array;
	bool shown;
};

/* |src| and |dst|: the addresses of |f|, where they are none (anonymized);
 * otherwise NULL.  False: no memory. */
bool brief_add(struct briefs *b, const struct fact_flow *f, const char *src,
	       const char *dst);

int brief_show(struct briefs *b, struct store *s, struct err *err);
void brief_free(struct briefs *b, struct store *s);

/* NULL: there is none. */
const struct brief *brief_of(const struct briefs *b, int64_t id);

#endif

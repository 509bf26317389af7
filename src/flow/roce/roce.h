/* SPDX-License-Identifier: GPL-2.0-or-later
 * The machines of RoCE, file by file. */
#ifndef FABSCOPE_FLOW_ROCE_ROCE_H
#define FABSCOPE_FLOW_ROCE_ROCE_H

#include "flow/core/flow.h"

/* There is room for a few more messages of flows without a peer. */
enum { UNPAIRED_ALL = 1 << 16 };
#include "flow/recovery/recovery.h"

/* opclass.c */
void opclass_fill(uint32_t op[256]);
/* request.c: the request PSN space */
void request_packet(struct engine *e, struct flow *f, const struct packet *p);
/* The responder has everything before |una|. */
void request_acked(struct engine *e, struct flow *f, uint32_t una, int64_t ns);
/* The last READ reaches further than was known. */
void request_extend(struct flow *f, uint32_t nxt);
/* Old marks must follow, or the wrap would turn them into future ones. */
void request_drag_marks(struct flow *f);
void request_finish(struct engine *e, struct flow *f);

/* response.c: responses, and the response PSNs that carry data */
void response_packet(struct engine *e, struct flow *g, const struct packet *p);
void response_replay_held(struct engine *e, struct flow *g);
/* Of |p|, a READ request that is repeated; TRIGGER_UNKNOWN when the responses
 * are not visible. */
struct reread response_reread(struct engine *e, struct flow *f,
			      const struct packet *p, uint32_t span);
void response_finish(struct engine *e, struct flow *g);

/* message.c */
void message_packet(struct engine *e, struct flow *f, const struct packet *p,
		    uint32_t span);
/* The open message is whole. */
void message_end(struct engine *e, struct flow *f);
/* The READ before |psn| was of unknown length: it ended there. */
void message_span(struct flow *f, uint32_t psn);
/* Is |p|, a READ request, a part of the READ of unknown length before it, asked
 * for once more?  Then the path MTU is known. */
void message_reread(struct flow *f, const struct packet *p);
/* Is |psn| one behind the first of a message? */
bool message_within(const struct flow *f, uint32_t psn);
/* The path MTU is known now: so is how far READs reach. */
void message_pmtu(struct flow *f, uint16_t pmtu);
/* How many PSNs of the message around |psn| are left, that one included, as
 * far as is known; 1 if nothing is. */
uint32_t message_left(const struct flow *f, uint32_t psn);
/* A last packet that had been missing came: a READ, with |span| PSNs. */
void message_filled(struct engine *e, struct flow *f, const struct packet *p,
		    uint32_t span);
void message_acked(struct engine *e, struct flow *f, uint32_t una, int64_t ns);
/* |psn| was answered: READs and ATOMICs before it were skipped. */
void message_skipped(struct flow *f, const struct flow *g, uint32_t psn,
		     int64_t ns);
void message_read_done(struct engine *e, struct flow *f, uint32_t psn_last,
		       int64_t ns);
/* Narrows [*from, *to) to its first part that an outstanding READ or ATOMIC
 * will be answered in; false when there is none. */
bool message_read_range(const struct flow *f, uint32_t *from, uint32_t *to);
void message_finish(struct engine *e, struct flow *f, bool died);
void message_free(struct flow *f);

/* pair.c */
void pair_new_flow(struct engine *e, struct flow *f);
void pair_response(struct engine *e, struct flow *g, const struct packet *p);
/* A NAK in |g|: drops the pairs of its hosts that are in step. */
void pair_doubt(struct engine *e, const struct flow *g);
/* |f|, not paired, retransmits |p|. */
void pair_by_nak(struct engine *e, struct flow *f, const struct packet *p);
void pair_set(struct engine *e, struct flow *f, struct flow *g,
	      enum flow_pairing how, double confidence);
void pair_forget(struct engine *e, struct flow *f);
void pair_leave(struct engine *e, struct flow *f); /* it goes */
/* How sure by now. */
enum flow_pairing pair_settled(struct engine *e, const struct flow *f,
			       double *confidence);
/* Linux: the source port of a QP pair, symmetric (P2). */
uint16_t pair_source_port(uint32_t a, uint32_t b);

/* cm.c */
bool cm_init(struct engine *e);
void cm_fini(struct engine *e);
void cm_packet(struct engine *e, const struct packet *p);
void cm_new_flow(struct engine *e, struct flow *f);

#endif

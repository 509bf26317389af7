/* SPDX-License-Identifier: GPL-2.0-or-later
 * Jobs and phases: facts out of tables, through src/phase, into tables. */
#ifndef FABSCOPE_STORE_PHASE_H
#define FABSCOPE_STORE_PHASE_H

#include "phase/phase.h"
#include "store/store_int.h"

/* When a receiver asked for data of a flow, by its number. */
struct phase_ask {
	int64_t ns, flow;
};

/* All there is, by logical flow: one direction of a queue pair, whatever number
 * of taps saw it. */
struct phase_facts {
	struct phase_host *hosts;
	size_t n_hosts, room_hosts;
	struct phase_names *names; /* phase_hosts.c */
	struct phase_flow *flows;
	size_t n_flows, room_flows;
	int64_t *uet_jobs; /* by flow */
	size_t n_uet_jobs, room_uet_jobs;
	struct phase_activity *activities; /* of all flows */
	size_t n_activities, room_activities;
	int64_t *cnps;               /* likewise */
	struct phase_span *evidence; /* likewise */
	size_t n_evidence;
	struct phase_span *host_pauses; /* in order, apart */
	size_t n_host_pauses, room_host_pauses;
	struct phase_span *own_pauses; /* likewise, by host */
	size_t n_own_pauses, room_own_pauses;
	struct phase_span *net_pauses; /* likewise, of switches alone */
	size_t n_net_pauses, room_net_pauses;
	struct phase_span *open_pauses; /* likewise, of nobody knows whom */
	size_t n_open_pauses, room_open_pauses;
	struct phase_passage *passages; /* of all flows: their last taps */
	size_t n_passages, room_passages;
	struct phase_span *halts; /* of all hosts */
	bool every_link;          /* of all hosts is seen */
	struct phase_span *held;  /* likewise */
	size_t n_held;
	struct phase_ask *asks; /* of small messages */
	size_t n_asks, room_asks;
	struct phase_message *messages;
	size_t n_messages, room_messages;
	struct phase_window *windows; /* in order of |from| */
	size_t n_windows, room_windows;
	int64_t first_ns, last_ns;
	uint64_t link_bps;
	bool whole;
};

/* phase_flows.c.  Tables phase_flow_in and phase_flow_same, by what
 * 40-phase.sql says.  -1 and |err|. */
int phase_flows(struct store *s, struct err *err);
void phase_flows_free(struct store *s);
/* Behind phase_flows(): as phases have them. */
int phase_flows_load(struct store *s, struct phase_facts *f, struct err *err);

/* Which of these, as its |id|, row |flow| of table flow is; 0: none. */
int64_t phase_flow_near(const struct store *s, int64_t flow);

/* phase_evidence.c.  Pauses, and what else stalled flows.  -1 and |err|. */
int phase_evidence(struct store *s, struct phase_facts *f, struct err *err);

/* phase_hosts.c.  The number of |address|, in order of first use; false: no
 * memory, as when it is NULL. */
bool phase_host_number(struct phase_facts *f, const char *address, uint32_t *n);
/* NULL: it has none. */
struct phase_host *phase_host_known(const struct phase_facts *f,
				    const char *address);
/* The same behind phase_hosts_sort(). */
const struct phase_host *phase_host_sorted(const struct phase_facts *f,
					   const char *address);
/* Their rails, and which have a tap of their own, by the tables.  Hosts must be
 * known. */
int phase_hosts_load(struct store *s, struct phase_facts *f, struct err *err);
/* From here on in order of address, in flows too; nobody is known by address
 * any more.  False: no memory. */
bool phase_hosts_sort(struct phase_facts *f);
void phase_hosts_free(struct phase_facts *f);

/* phase_recoveries.c.  An arrival is seen at the last tap on the way, if that
 * is at the receiver; else it is when that says so (ACK).  One tap between two
 * hosts may be at either. */
void phase_by_answers(struct phase_facts *f);
/* When data arrived that was lost, refused or held back,
 * and when each replay was over, by the evidence of its flow. */
void phase_recoveries(struct phase_facts *f);

/* Flows whose data asks for that of others: by table flow, and which. */
struct phase_asker {
	int64_t flow; /* flow.id */
	size_t of;    /* of phase_facts.flows */
};

struct phase_askers {
	struct phase_facts *facts;
	struct phase_asker *list;
	size_t n_list, room_list;
};

/* phase_asks.c.  False: no memory, as below.  The caller frees the list. */
int phase_askers_load(struct store *s, struct phase_facts *f,
		      struct phase_askers *to, struct err *err);
/* Flow |id| sent data from |first| to |last|: it asked twice for whatever it
 * asks for. */
bool phase_asks_by(struct phase_facts *f, const struct phase_askers *x,
		   int64_t id, int64_t first, int64_t last);
bool phase_share_asks(struct phase_facts *f);

/* phase_batches.c.  Where packets come in batches with one time stamp each, a
 * silence inside of a message that is no longer than from one batch to the next
 * is none. */
void phase_join_batches(struct phase_flow *g);

/* phase_pauses.c.  Sets pause_sender.full_flow. */
int phase_pauses(struct store *s, const struct phase_facts *f, struct err *err);
/* Spans in order of their begin, those that overlap as one.  Returns how many
 * there are. */
size_t phase_join_spans(struct phase_span *v, size_t n);
/* Of each host; they are sorted. */
int phase_own_pauses(struct store *s, struct phase_facts *f, struct err *err);
/* What these left in the queue before its port.  False: no memory. */
bool phase_paused_queues(struct phase_facts *f);

/* phase_arrivals.c.  Where PSNs do not count what a flow sent, it has none. */
void phase_drop_psns(struct phase_facts *f);
/* When what flows sent came to their last taps, and how it passed these. */
int phase_arrivals(struct store *s, struct phase_facts *f, struct err *err);

/* phase_load.c.  One more in |*list|, all 0; NULL without memory. */
void *phase_another(void **list, size_t *n, size_t *room, size_t size);
#define ANOTHER(f, what)                                                      \
	phase_another((void **)&(f)->what, &(f)->n_##what, &(f)->room_##what, \
		      sizeof *(f)->what)
/* The flow whose first view is row |near|; they are in that order. */
struct phase_flow *phase_flow_of(const struct phase_facts *f, int64_t near);
/* Hands every row of |sql| to |row|, which returns false without
 * memory. */
int phase_each(struct store *s, const char *sql, struct phase_facts *f,
	       bool (*row)(struct phase_facts *f, sqlite3_stmt *q),
	       struct err *err);
/* queries/derive/40 and 41 must have run. */
int phase_load(struct store *s, struct phase_facts *f, struct err *err);
void phase_unload(struct phase_facts *f);

/* Fills job, job_rank, phase, phase_rank, phase_flow, phase_share and
 * message_time from what phase_load() finds. */
int phase_derive(struct store *s, struct err *err);

#endif

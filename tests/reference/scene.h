/* SPDX-License-Identifier: GPL-2.0-or-later
 * A story of packets written by hand, and what the engine made of it.
 *
 * A scene is what one tap saw, in time order.  A pair is one queue pair
 * connection seen from its requester |a|; the responder |b| answers with MSNs
 * that count the messages a really sent, whether or not the tap saw them
 * (unseen).  Every packet advances the clock by |step| and gets the next IP
 * identification of its sender, so a retransmission differs from its original
 * and only duplicate() makes equal frames.
 *
 *	struct scene *s = scene_new();
 *	struct pair p = pair(s, HOST_A, HOST_B, 0x11, 0x12);
 *
 *	DATA(&p, 1, 2, 4, 5);
 *	ack(&p, 5);
 *	struct record *r = scene_run(s, NULL);
 *	EXPECT(flow_of(r, &p), .missing = 1);
 *
 * scene_free() frees the records and what pairs need. */
#ifndef FABSCOPE_TESTS_REFERENCE_SCENE_H
#define FABSCOPE_TESTS_REFERENCE_SCENE_H

#include <stddef.h>
#include <stdint.h>

#include "decode/packet.h"
#include "flow/core/engine.h"
#include "flow/core/fact.h"

enum { HOST_A, HOST_B, HOST_C, HOSTS };
enum { REQUESTERS = 5000 }; /* pairs of one scene, reversed ones included */

enum {
	US = 1000,
	MS = 1000 * US,
	PMTU = 1024,
	STEP = 10 * US,   /* between two packets unless said otherwise */
	REACT = 40 * US,  /* tap - host - tap and host turnaround */
	TIMEOUT = 67 * MS /* 4.096 us * 2^14, as in -u 14 */
};

#define SECOND (1000LL * MS)

/* Operations, low five bits of the opcode: reference 1.3. */
enum operation {
	OP_SEND_FIRST = 0x00,
	OP_SEND_MIDDLE = 0x01,
	OP_SEND_LAST = 0x02,
	OP_SEND_ONLY = 0x04,
	OP_WRITE_FIRST = 0x06,
	OP_WRITE_MIDDLE = 0x07,
	OP_WRITE_LAST = 0x08,
	OP_WRITE_ONLY = 0x0a,
	OP_READ_REQUEST = 0x0c,
	OP_READ_FIRST = 0x0d,
	OP_READ_MIDDLE = 0x0e,
	OP_READ_LAST = 0x0f,
	OP_READ_ONLY = 0x10,
	OP_ACK = 0x11,
	OP_ATOMIC_ACK = 0x12,
	OP_FETCH_ADD = 0x14,
};

/* Upper three bits of the opcode. */
enum service { RC = 0x00, UC = 0x20, UD = 0x60, XRC = 0xa0 };

/* The PSNs that end the messages of one requester, ascending. */
struct ends {
	uint32_t *psn;
	size_t count, room;
};

struct record;

struct scene {
	struct packet *packets;
	size_t count, room;
	int64_t now, step;
	uint32_t tap;
	uint16_t next_id[HOSTS];
	bool constant_ip_id; /* a NIC that writes 0 always */
	struct ends ends[REQUESTERS];
	size_t n_ends;
	struct record *records;
};

struct pair {
	struct scene *scene;
	int a, b;
	uint32_t qa, qb;
	enum service service;
	uint16_t sport_a, sport_b; /* of packets from a, from b */
	uint8_t ttl;
	uint32_t srq;
	struct ends *ends;
};

struct scene *scene_new(void);
void scene_free(struct scene *s);

/* RC, with the UDP source ports that Linux gives to a hardware QP. */
struct pair pair(struct scene *s, int a, int b, uint32_t qa, uint32_t qb);
/* The pair of most stories: A's QP 0x11 to B's QP 0x12. */
struct pair usual(struct scene *s);
/* The same connection with b as the requester. */
struct pair pair_reversed(const struct pair *p);

struct addr host_addr(int host);

/* The clock: pass |ns| more before the next packet. */
void pause_ns(struct scene *s, int64_t ns);

/* One more packet, all zero. */
struct packet *scene_append(struct scene *s);
/* The last packet added, to change what no helper changes. */
struct packet *last_packet(struct scene *s);
/* The last packet once more, |ns| later, equal in every octet. */
void duplicate(struct scene *s, int64_t ns);
/* Sorts by time after a test has moved packets. */
void scene_sort(struct scene *s);

/* Requests: one packet of one PSN each. */
void request(struct pair *p, enum operation op, uint32_t psn);
/* One-packet WRITE messages, original or copy. */
void data_list(struct pair *p, const uint32_t *psn, size_t n);
#define DATA(p, ...)                                           \
	data_list(p, (const uint32_t[]) { __VA_ARGS__ },       \
		  sizeof((const uint32_t[]) { __VA_ARGS__ }) / \
			  sizeof(uint32_t))
/* PSNs first..last, one-packet WRITEs. */
void data_run(struct pair *p, uint32_t first, uint32_t last);
/* Sent by a in the same way, but never seen by the tap. */
void unseen(struct pair *p, uint32_t psn);
/* A message that ended at |psn| before this story began. */
void ends_before(struct pair *p, uint32_t psn);
/* A one-packet WRITE leaves a now (registers nothing at the tap) ... */
uint16_t reordered(struct pair *p);
/* ... and passes the tap here, with the identification it got then. */
void late(struct pair *p, uint32_t psn, uint16_t ip_id);
/* WRITE First, Middle ..., Last of n packets; n 1 is an Only.  Or the k-th of
 * them, from 0 on. */
void write_message(struct pair *p, uint32_t psn, uint32_t n);
void message_part(struct pair *p, uint32_t psn, uint32_t n, uint32_t k);

/* READ of n packets, and the k-th (0..n-1) of its responses. */
void read_request(struct pair *p, uint32_t psn, uint32_t n);
void read_response(struct pair *p, uint32_t psn, uint32_t n, uint32_t k);
void read_responses(struct pair *p, uint32_t psn, uint32_t n);
void atomic_ack(struct pair *p, uint32_t psn);

/* Answers of b. */
void ack(struct pair *p, uint32_t psn);
void nak(struct pair *p, uint32_t psn); /* PSN sequence error */
void nak_code(struct pair *p, uint32_t psn, uint8_t syndrome);
void rnr(struct pair *p, uint32_t psn, uint8_t code);

/* The last packet gets a congestion mark. */
void mark(struct scene *s);
/* b tells a to slow down. */
void cnp(struct pair *p);

/* Everything the engine handed to its sink. */
struct record {
	struct fact_event *events;
	size_t n_events;
	struct fact_message *messages;
	size_t n_messages;
	struct fact_latency *latencies;
	size_t n_latencies;
	struct fact_recovery *recoveries;
	size_t n_recoveries;
	struct fact_flow *flows;
	size_t n_flows;
	struct fact_tap *taps;
	size_t n_taps;
	struct fact_cm *cms;
	size_t n_cms;
	struct fact_bin *bins;
	size_t n_bins;
	struct fact_pdc *pdcs;
	size_t n_pdcs;
	struct fact_cc_bin *cc_bins;
	size_t n_cc_bins;
	struct fact_nack *nacks;
	size_t n_nacks;
	struct fact_entropy *entropies;
	size_t n_entropies;
	struct fact_cnp *cnps;
	size_t n_cnps;
	struct fact_congestion *congestions;
	size_t n_congestions;
	struct fact_pacing *pacings;
	size_t n_pacings;
	struct fact_hop *hops;
	size_t n_hops;
	struct fact_path *paths;
	size_t n_paths;
	struct fact_telemetry_packet *tolds;
	size_t n_telemetry_packets;
	struct fact_burst *bursts;
	size_t n_bursts;
	struct fact_telemetry_bin *telemetry_bins;
	size_t n_telemetry_bins;
	struct fact_stall *stalls;
	size_t n_stalls;
	uint64_t capped_events, capped_flows, capped_entropies, capped_others;
	uint64_t digest; /* of every field of every fact, in order */
	struct engine *engine;
	struct record *next;
};

/* jitter 1 us, one place per tap. */
extern const struct engine_options scene_options;

/* |options| NULL: scene_options. */
struct record *scene_run(struct scene *s, const struct engine_options *options);
/* Hands the packets over in batches of |batch|. */
struct record *scene_run_in(struct scene *s,
			    const struct engine_options *options, size_t batch);
/* For stories too long to be kept: begin, feed any number of times (which
 * empties the scene), end. */
struct record *record_begin(struct scene *s,
			    const struct engine_options *options);
void record_feed(struct record *r, struct scene *s);
void record_end(struct record *r);
/* Whoever wants notes of each packet takes no short way. */
void record_no_fast_paths(struct record *r);
/* Decoded and followed, and none for frames. */
void record_by_packet(struct record *r, const struct engine_frame *f);
void record_free(struct record *r); /* scene_free() does it */

/* a's requests to b in the only epoch there must be. */
const struct fact_flow *flow_of(const struct record *r, const struct pair *p);
/* What travels from b to a: answers, READ responses. */
const struct fact_flow *reverse_of(const struct record *r,
				   const struct pair *p);
/* NULL when there is none. */
const struct fact_flow *flow_epoch(const struct record *r, const struct pair *p,
				   uint32_t epoch);

size_t events_of(const struct record *r, enum event_kind kind);
const struct fact_event *first_event(const struct record *r,
				     enum event_kind kind);
const struct fact_recovery *only_recovery(const struct record *r);
/* Sum of a counter over all flows, unknown counting as 0. */
#define TOTAL(r, field) record_total(r, offsetof(struct fact_flow, field))
int64_t record_total(const struct record *r, size_t offset);

/* What the counting rules (reference 3.5) give for one flow.  A field left
 * out must be 0. */
struct verdict {
	int64_t up, down_min, down_max, missing, unresolved, corrupted;
	int64_t reordered, extent, retransmitted, spurious, timeouts;
};

enum { ANY = -1 };      /* the reference leaves it open */
enum { NOT_OR_0 = -2 }; /* unknown, or 0: both are honest */

#define EXPECT(flow, ...)                        \
	expect_verdict(__FILE__, __LINE__, flow, \
		       (struct verdict) { __VA_ARGS__ })
void expect_verdict(const char *file, int line, const struct fact_flow *f,
		    struct verdict v);
/* No loss, no retransmission, no disorder anywhere, every packet kept. */
#define EXPECT_CLEAN(r) expect_clean(__FILE__, __LINE__, r)
void expect_clean(const char *file, int line, const struct record *r);

/* |detail| or |rule| begins with this rule's name ("R3" is not "R31"). */
int names_rule(const char *text, const char *rule);

/* A test whose state is a scene. */
#define SCENE_TEST(f) \
	cmocka_unit_test_setup_teardown(f, scene_setup, scene_teardown)
int scene_setup(void **state);
int scene_teardown(void **state);

/* The UDP source port of reference 2.2 P2, written from its text. */
uint16_t linux_sport(uint32_t qa, uint32_t qb);

#endif

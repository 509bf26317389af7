/* SPDX-License-Identifier: GPL-2.0-or-later
 * Stories of Ultra Ethernet packets written by hand: see scene.h.
 *
 * A context is seen from its initiator |a|; the target |b| answers.  Every
 * packet advances the clock by the scene's step.  Times and PSNs are plain
 * numbers of the story; octets are 1024 a packet. */
#ifndef FABSCOPE_TESTS_REFERENCE_UET_SCENE_H
#define FABSCOPE_TESTS_REFERENCE_UET_SCENE_H

#include "scene.h"

struct context {
	struct scene *scene;
	int a, b;
	uint16_t id_a, id_b; /* PDC ids */
	uint32_t start;      /* START_PSN of a */
	uint32_t job;
	uint16_t ev;         /* of the next packet; its answer has the same */
	bool ordered, known; /* known: a has heard b's id */
	bool spray;          /* another entropy value for each packet */
};

/* RUD, ids 0x12 and 0x34, starting at PSN |start|. */
struct context context(struct scene *s, uint32_t start);

/* One that was opened with PSN START, and answered. */
enum { START = 1000 };
struct context open_context(struct scene *s);
/* A cumulative acknowledgement after a round trip, and peace behind it. */
void settle(struct context *c, uint32_t cumulative);

/* One-packet SENDs; with SYN until answered() says that a heard of b. */
void send_psn(struct context *c, uint32_t psn);
void resend_psn(struct context *c, uint32_t psn); /* RETX */
void answered(struct context *c);
#define SEND(c, ...)                                           \
	send_list(c, (const uint32_t[]) { __VA_ARGS__ },       \
		  sizeof((const uint32_t[]) { __VA_ARGS__ }) / \
			  sizeof(uint32_t))
void send_list(struct context *c, const uint32_t *psn, size_t n);
void send_run(struct context *c, uint32_t first, uint32_t last);
/* Part |k| of a WRITE of |n| packets with a message id. */
void write_part(struct context *c, uint32_t psn, uint16_t id, uint32_t n,
		uint32_t k);
/* Part |k| of a WRITE of |n| packets without a context, with a packet id; and
 * the answer to it. */
void rudi_part(struct context *c, uint32_t packet, uint16_t id, uint32_t n,
	       uint32_t k);
void rudi_answer(struct context *c, uint32_t packet, uint16_t id);
/* Cut by a switch before the tap. */
void send_trimmed(struct context *c, uint32_t psn);
/* A control packet: CP_CLOSE, ... */
void control_psn(struct context *c, uint8_t type, uint32_t psn);

/* Answers of b: cumulative, naming |psn|. */
void cack(struct context *c, uint32_t cumulative, uint32_t psn);
/* ... with a bitmap from |cumulative| on. */
void sack(struct context *c, uint32_t cumulative, uint32_t psn, uint64_t bits);
void refuse(struct context *c, uint32_t psn, uint8_t code);

const struct fact_flow *context_flow(const struct record *r,
				     const struct context *c);
const struct fact_flow *context_reverse(const struct record *r,
					const struct context *c);
const struct fact_pdc *context_pdc(const struct record *r,
				   const struct context *c);

/* The first one decided by |rule|; fails where there is none. */
const struct fact_recovery *recovery_of(const struct record *r,
					const char *rule);
/* Fails unless |r| has one recovery, decided so. */
void only_rule(const struct record *r, const char *rule,
	       enum recovery_trigger trigger, enum recovery_cause cause);

#endif

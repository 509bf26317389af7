/* SPDX-License-Identifier: GPL-2.0-or-later
 * Facts written by hand, and what the verdicts say of them. */
#ifndef FABSCOPE_TESTS_QUERIES_SAID_H
#define FABSCOPE_TESTS_QUERIES_SAID_H

#include "lab.h"

/* All findings, or those of |severity|: "severity title", one per line. */
void expect(struct lab *l, const char *severity, const char *want);

/* The titles of the findings of |rule|, one a line. */
void found(const struct lab *l, const char *rule, const char *want);

/* Column |column| of finding |id| is |want|, or has |part| in it. */
void expect_detail(struct lab *l, int id, const char *column, const char *want);
void expect_in(struct lab *l, int id, const char *column, const char *part);

struct fact_recovery recovery(uint32_t flow, enum recovery_cause cause,
			      enum recovery_trigger trigger);
void hand_recovery(struct lab *l, struct fact_recovery r);
void hand_event(struct lab *l, uint32_t flow, enum event_kind kind,
		int64_t value);

/* Ultra Ethernet: a flow from host |src| to host 9, its context, and what
 * |query| answers without its first line. */
struct fact_flow context_flow(uint32_t id, uint8_t src, int64_t job);
struct fact_pdc context(uint32_t flow);
void asks_all(struct lab *l, const char *query, const char *want);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The time-sequence graph of a flow, from its packets. */
#ifndef FABSCOPE_TUI_TIMESEQ_H
#define FABSCOPE_TUI_TIMESEQ_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "views/rows.h"

struct sequence;
struct store;

/* Reads the captures again.  |params|: "flow=7", and "from=NS", "to=NS" where
 * it is a part of the time.  Rows are as those of query `psn`: ns, end_ns,
 * number, end_number, kind; each kind has at most SEQUENCE_RUNS rows in each
 * of SEQUENCE_COLUMNS columns of time.  Kinds that are no PSNs, but the panels
 * of views/plot.h: "throughput" (bit/s), "in flight" (bytes), "ACK delay" (ns),
 * "credits" and "granted".  |stop| is asked at every packet. */
int timeseq_load(struct rows *rows, struct store *s, char *const *params,
		 bool (*stop)(void *ctx), void *ctx, struct err *err);

/* What was gathered between |from_ns| and |to_ns| as such rows; -1 without
 * memory. */
int timeseq_rows(struct rows *rows, const struct sequence *s, int64_t from_ns,
		 int64_t to_ns);

#endif

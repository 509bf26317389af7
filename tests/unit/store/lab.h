/* SPDX-License-Identifier: GPL-2.0-or-later
 * A folder of its own and a store to write facts into, for tests. */
#ifndef FABSCOPE_TESTS_STORE_LAB_H
#define FABSCOPE_TESTS_STORE_LAB_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture/capture.h"
#include "flow/core/fact.h"
#include "store/format.h"
#include "store/query.h"
#include "store/store.h"

/* 2026-11-21 00:00:00 UTC */
#define T0 INT64_C(1795219200000000000)
#define US INT64_C(1000)
#define MS INT64_C(1000000)

struct lab {
	char folder[64];
	char path[128];
	struct store *s;
	struct flow_sink sink;
	struct err err;
};

/* A new empty folder, and a database about to be written in it. */
void lab_begin(struct lab *l);
/* Commits, which must work, and opens the result for reading. */
void lab_reopen(struct lab *l);
/* In a store that is read there is what a query of derive/ finds made by those
 * before it. */
void lab_derived(struct lab *l);
void lab_reopen_derived(struct lab *l);
/* Removes everything. */
void lab_end(struct lab *l);

/* 10.0.0.|last| */
struct addr host(uint8_t last);

/* Facts in which all is well; tests change what they are about. */
struct capture_file good_file(void);
struct capture_tap good_tap(void);
struct fact_tap good_fact_tap(uint32_t tap);
/* RC, both directions visible, 1000 packets in 10 ms. */
struct fact_flow good_flow(uint32_t id, uint8_t src, uint8_t dst, uint32_t qp);

/* One file, one tap named "pa". */
void lab_one_tap(struct lab *l);

/* Flow |id| and its peer |id| + 1, which carries the answers. */
void lab_pair(struct lab *l, struct fact_flow *f);

/* The answer as CSV without the carriage returns, for free().  Fails the test
 * when the query fails. */
char *lab_ask(struct lab *l, const char *name, const char *const *params);

/* All rows of |sql| are |want|: columns by "|", rows by newlines, NULL as "-".
 */
void lab_rows(const struct lab *l, const char *sql, const char *want);

/* Files in the folder, hidden ones too. */
int lab_files(const struct lab *l);

#endif

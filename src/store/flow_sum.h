/* SPDX-License-Identifier: GPL-2.0-or-later
 * What flows add up to: derive.c. */
#ifndef FABSCOPE_STORE_FLOW_SUM_H
#define FABSCOPE_STORE_FLOW_SUM_H

#include "store/store_int.h"

/* One that is written.  -1 and |err|. */
int flow_sum_add(struct store *s, const struct fact_flow *f, struct err *err);

/* Fills the table, and makes table flow_brief (brief.h): flows of other runs
 * are read.  There may be several rows of a kind: who reads them adds up again.
 * -1 and |err|. */
int store_flow_begin(struct store *s, struct err *err);

/* Both again, if 10-withdraw.sql took something back; table temp.port_use. */
int store_flow_sum(struct store *s, struct err *err);

void flow_sum_free(struct flow_sum *x);

#endif

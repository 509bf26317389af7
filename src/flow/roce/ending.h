/* SPDX-License-Identifier: GPL-2.0-or-later
 * How the requests of a queue pair ended, when not all of them were completed:
 * what its sender tried again and how often, and what the receiver refused. */
#ifndef FABSCOPE_FLOW_ROCE_ENDING_H
#define FABSCOPE_FLOW_ROCE_ENDING_H

#include "flow/core/flow.h"

/* The sender of |f| went back to |p|: by its timer, or nobody knows why. */
void ending_tried(struct flow *f, const struct packet *p,
		  enum recovery_trigger trigger);
/* The receiver answered |p|, an RNR NAK or a NAK that ends the queue pair. */
void ending_refused(struct flow *f, const struct packet *p, int64_t wait_ns);
/* |f| is over: hands it out. */
void ending_emit(struct engine *e, struct flow *f);
void ending_free(struct flow *f);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Responses out of order: what a requester takes for a NAK (R16). */
#ifndef FABSCOPE_FLOW_CORE_SKIPPED_H
#define FABSCOPE_FLOW_CORE_SKIPPED_H

#include <stdbool.h>
#include <stdint.h>

#include "flow/core/flow.h"

/* The response to |f| that passed after |since|, and only then one with data of
 * a PSN from |first| to |psn|, in front of it; or NULL.  No further back than
 * some packets. */
const struct recent_packet *skipped_late(const struct engine *e,
					 const struct flow *f, uint32_t first,
					 uint32_t psn, int64_t since);

/* Likewise, and a response in front of it is still missing. */
bool skipped_open(const struct engine *e, const struct flow *f, uint32_t psn,
		  int64_t since);

#endif

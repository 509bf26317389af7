/* SPDX-License-Identifier: GPL-2.0-or-later
 * Losses before the tap that were told a moment ago, and may be taken back.
 *
 * What was asked for by a receiver and had not passed here is lost, unless it
 * is only later than its own copy: on ways of unequal length the NAK and the
 * copy may be faster.  So each such loss is held back for a while; when a
 * packet of that number comes by once more, and nothing asked for it, it was
 * the original.  Reference 3.3 (R1), for reordering longer than a NAK takes. */
#ifndef FABSCOPE_FLOW_CLAIM_H
#define FABSCOPE_FLOW_CLAIM_H

#include "flow/flow.h"

/* Tells a loss, and what was sent again for it, now or later. */
void claim_loss(struct engine *e, struct flow *f,
		const struct fact_event *loss);
void claim_recovery(struct engine *e, struct flow *f,
		    const struct fact_recovery *row);

/* Takes back that |psn| was lost, unless that is told already or too long ago
 * at |ns|.  False: nothing was taken back. */
bool claim_take_back(struct flow *f, uint32_t psn, int64_t ns);

/* Tells all that were held back; before anything is told that came later. */
void claim_flush(struct engine *e, struct flow *f);

#endif

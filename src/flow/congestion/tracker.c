/* SPDX-License-Identifier: GPL-2.0-or-later
 * Marks, CNPs and reactions. */
#include "flow/core/tracker.h"

#include "flow/congestion/congestion.h"
#include "flow/core/flow.h"

static void let_go(struct engine *e, struct flow *f)
{
	(void)e;
	congestion_free(f);
}

const struct tracker congestion_tracker = {
	.fini = nps_free,
	.flow_end = congestion_finish,
	.flow_free = let_go,
	.finish = nps_finish,
};

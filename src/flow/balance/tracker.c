/* SPDX-License-Identifier: GPL-2.0-or-later
 * Parallel links, and paths that senders choose. */
#include "flow/core/tracker.h"

#include "flow/balance/links.h"
#include "flow/balance/mrc.h"
#include "flow/balance/srv6.h"

static void end(struct engine *e, struct flow *f)
{
	links_emit(e, f);
	srv6_emit(e, f);
	mrc_emit(e, f);
}

static void let_go(struct engine *e, struct flow *f)
{
	links_free(f);
	srv6_free(f);
	mrc_free(e, f);
}

const struct tracker balance_tracker = { .flow_end = end,
					 .flow_free = let_go,
					 .fini = mrc_fini };

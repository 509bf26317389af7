/* SPDX-License-Identifier: GPL-2.0-or-later
 * Pauses, stalls, credits, what ports advertise, and storage over TCP. */
#include "flow/core/tracker.h"

#include "flow/core/flow.h"
#include "flow/link/control.h"
#include "flow/link/pause.h"

static void fini(struct engine *e)
{
	pause_fini(e);
	lldp_fini(e);
	credit_fini(e);
	nvme_tcp_fini(e);
}

static void end(struct engine *e, struct flow *f)
{
	if (f->packets || !flow_is_uet(f))
		stall_flow(e, f);
}

static void let_go(struct engine *e, struct flow *f)
{
	(void)e;
	stall_free(f);
}

static void finish(struct engine *e)
{
	pause_finish(e);
	lldp_finish(e);
	credit_finish(e);
	nvme_tcp_finish(e);
}

const struct tracker link_tracker = {
	.init = pause_init,
	.fini = fini,
	.flow_end = end,
	.flow_free = let_go,
	.finish = finish,
	.reset_caps = pause_reset_caps,
	.forget = pause_forget_load,
	.table_full = pause_table_full,
};

/* SPDX-License-Identifier: GPL-2.0-or-later
 * What switches wrote into packets. */
#include "flow/core/tracker.h"

#include "flow/core/flow.h"
#include "flow/telemetry/path.h"

static void event(struct engine *e, const struct flow *f,
		  const struct fact_event *ev)
{
	if (e->paths)
		path_event(e, f, ev);
}

const struct tracker telemetry_tracker = {
	.fini = path_fini,
	.event = event,
	.finish = path_finish,
	.forget = path_forget,
};

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The same packets at several places: from the second place on. */
#include "flow/core/tracker.h"

#include "flow/multitap/trail.h"

static bool init(struct engine *e)
{
	if (e->o.several)
		trails_start(e);
	return true;
}

static void flow_new(struct engine *e, struct flow *f)
{
	if (f->place != flow_at(e, 0)->place)
		trails_start(e);
}

const struct tracker multitap_tracker = {
	.init = init,
	.fini = trails_free,
	.flow_new = flow_new,
	.last = trails_finish,
	.forget = trails_forget,
	.worn = trails_worn,
};

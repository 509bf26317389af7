/* SPDX-License-Identifier: GPL-2.0-or-later
 * The same packets at several places: from the second place on. */
#include "flow/core/tracker.h"

#include "flow/multitap/multitap.h"

static bool init(struct engine *e)
{
	if (e->o.several)
		multitap_start(e);
	return true;
}

static void flow_new(struct engine *e, struct flow *f)
{
	if (f->place != flow_at(e, 0)->place)
		multitap_start(e);
}

const struct tracker multitap_tracker = {
	.init = init,
	.fini = multitap_free,
	.flow_new = flow_new,
	.flow_closed = multitap_once,
	.last = multitap_finish,
	.forget = multitap_forget,
	.table_full = multitap_full,
};

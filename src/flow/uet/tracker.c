/* SPDX-License-Identifier: GPL-2.0-or-later
 * Ultra Ethernet, as the core sees it. */
#include "flow/core/tracker.h"

#include "flow/uet/stranger.h"
#include "flow/uet/tss.h"
#include "flow/uet/uet.h"
#include "flow/uet/unnamed.h"

static bool init(struct engine *e)
{
	pool_init(&e->senders, sizeof(struct uet_sender));
	return true;
}

static void fini(struct engine *e)
{
	uet_evs_fini(e);
	pool_fini(&e->senders);
	uet_tss_fini(e);
	uet_strangers_fini(e);
	uet_unnamed_fini(e);
}

static void finish(struct engine *e)
{
	uet_tss_disown(e);
	uet_evs_emit(e);
	uet_tss_emit(e);
}

const struct tracker uet_tracker = {
	.init = init,
	.fini = fini,
	.tap_row = uet_unnamed_tell,
	.finish = finish,
};

static unsigned kind(const struct packet *p)
{
	return uet_kind(p);
}

static void start(struct engine *e, struct flow *f)
{
	(void)e;
	(void)f;
}

static bool numbers(const struct engine *e, const struct packet *p)
{
	(void)e;
	return uet_is_request(p);
}

static bool reorders(const struct flow *f)
{
	(void)f;
	return false;
}

static void disown(struct engine *e, const struct flow *f)
{
	if (f->transport != FLOW_UET_TSS)
		uet_disown(e, f->tap, f->packets);
}

const struct transport uet_transport = {
	.kind = kind,
	.start = start,
	.end = uet_finish,
	.free = uet_flow_free,
	.row = uet_emit,
	.decide = uet_decide,
	.numbers = numbers,
	.in_message = uet_in_message,
	.granted_ns = uet_cc_granted,
	.reorders = reorders,
	.stranger = uet_hardly,
	.disown = disown,
	.slight = uet_mere,
};

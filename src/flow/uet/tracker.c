/* SPDX-License-Identifier: GPL-2.0-or-later
 * Ultra Ethernet, as the core sees it. */
#include "flow/core/tracker.h"

#include "base/mem.h"
#include "flow/recovery/judge.h"
#include "flow/uet/not_uet.h"
#include "flow/uet/tss.h"
#include "flow/uet/uet.h"
#include "flow/uet/unknown_port.h"

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
	uet_not_uet_fini(e);
	uet_unknown_port_fini(e);
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
	.tap_row = uet_unknown_port_tell,
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

static const struct fact_nack *refusals(const struct flow *f)
{
	const struct uet_nacks *n = f->uet.sender->nacks;

	for (unsigned i = 0; n && i < n->n; i++)
		if (n->by[i].code == NACK_NO_PDC_AVAIL)
			return &n->by[i];
	return NULL;
}

static void statistics(const struct flow *f, struct fact_judge_flow *s)
{
	const struct fact_nack *k;

	if (!f->uet.sender)
		return;
	k = refusals(f);
	s->late_behind = f->uet.sender->fact.late_behind;
	s->behind_max_ns = f->uet.sender->behind_max;
	s->no_pdc_ns = k ? k->first_ns : 0;
	s->trim_nacks = uet_trim_nacks(f);
}

static bool restore(struct engine *e, struct flow *f,
		    const struct fact_judge_flow *s)
{
	struct uet_sender *x = uet_sender(e, f);

	if (!x)
		return false;
	x->fact.late_behind = (uint32_t)s->late_behind;
	x->behind_max = s->behind_max_ns;
	if (!s->no_pdc_ns && !s->trim_nacks)
		return true;
	x->nacks = mem_calloc(1, sizeof *x->nacks);
	if (!x->nacks)
		return false;
	x->nacks->n = 2;
	x->nacks->by[0].code = NACK_NO_PDC_AVAIL;
	x->nacks->by[0].first_ns = s->no_pdc_ns;
	x->nacks->by[1].code = NACK_TRIMMED;
	x->nacks->by[1].count = (uint32_t)s->trim_nacks;
	return true;
}

static void counts(const struct flow *f, struct fact_flow *row)
{
	if (f->transport == FLOW_UET_RUDI)
		uet_verdicts(f, row);
}

const struct transport uet_transport = {
	.kind = kind,
	.start = start,
	.end = uet_finish,
	.free = uet_flow_free,
	.row = uet_emit,
	.counts = counts,
	.statistics = statistics,
	.restore = restore,
	.decide = uet_decide,
	.numbers = numbers,
	.in_message = uet_in_message,
	.granted_ns = uet_cc_granted,
	.reorders = reorders,
	.not_its_own = uet_hardly,
	.disown = disown,
	.slight = uet_mere,
};

/* SPDX-License-Identifier: GPL-2.0-or-later
 * RoCE, as the core sees it. */
#include "flow/core/tracker.h"
#include "flow/core/flow.h"
#include "flow/recovery/recovery.h"
#include "flow/roce/ending.h"
#include "flow/roce/roce.h"

const struct tracker roce_tracker = { .init = cm_init, .fini = cm_fini };

static unsigned kind(const struct packet *p)
{
	return p->flags & PACKET_MRC ? FLOW_MRC : transport_of(p->opcode);
}

static void end(struct engine *e, struct flow *f)
{
	request_finish(e, f);
	recovery_prove(e, f);
	response_finish(e, f);
	message_finish(e, f, f->died);
	ending_emit(e, f);
}

static void let_go(struct engine *e, struct flow *f)
{
	(void)e;
	message_free(f);
	ending_free(f);
}

static void row(struct engine *e, struct flow *f, struct fact_flow *row)
{
	row->pairing = pair_settled(e, f, &row->pairing_confidence);
}

static bool numbers(const struct engine *e, const struct packet *p)
{
	return p->kind == PACKET_ROCE &&
	       (e->op[p->opcode] & (IS_REQUEST | IS_DATA));
}

static bool in_message(const struct flow *f)
{
	return f->in_message;
}

static int64_t never(const struct flow *f, int64_t *wanted)
{
	(void)f;
	*wanted = FACT_UNKNOWN;
	return FACT_UNKNOWN;
}

static bool no(const struct engine *e, const struct flow *f)
{
	(void)e;
	(void)f;
	return false;
}

const struct transport roce_transport = {
	.kind = kind,
	.start = pair_new_flow,
	.end = end,
	.free = let_go,
	.row = row,
	.decide = recovery_decide_replays,
	.numbers = numbers,
	.in_message = in_message,
	.granted_ns = never,
	.reorders = recovery_reorders,
	.not_its_own = no,
	.slight = no,
};

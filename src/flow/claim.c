/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flow/claim.h"

#include <stdlib.h>

#include "base/mem.h"
#include "flow/serial.h"

enum {
	CLAIMS = 4,
	HELD_NS = 1000 * 1000, /* no ways are of so different a length */
};

struct claims {
	unsigned n;
	struct claim {
		struct fact_event loss; /* count 0: taken back */
		struct fact_recovery row;
		bool has_row;
	} c[CLAIMS];
};

static void tell(struct engine *e, struct flow *f, const struct claim *c)
{
	if (c->loss.count)
		emit_event(e, f, &c->loss);
	if (c->has_row)
		emit_recovery(e, f, &c->row);
}

void claim_flush(struct engine *e, struct flow *f)
{
	struct claims *l = f->claims;

	if (!l)
		return;
	for (unsigned i = 0; i < l->n; i++)
		tell(e, f, &l->c[i]);
	free(l);
	f->claims = NULL;
}

void claim_loss(struct engine *e, struct flow *f, const struct fact_event *loss)
{
	struct claims *l = f->claims;

	/* What telemetry says of a packet is known for a moment only. */
	if (l && (l->n == CLAIMS || loss->ns - l->c[0].loss.ns > HELD_NS))
		claim_flush(e, f);
	if (!f->claims && !e->paths)
		f->claims = mem_calloc(1, sizeof *f->claims);
	l = f->claims;
	if (!l) {
		emit_event(e, f, loss);
		return;
	}
	l->c[l->n++] = (struct claim) { .loss = *loss };
}

void claim_recovery(struct engine *e, struct flow *f,
		    const struct fact_recovery *row)
{
	struct claims *l = f->claims;

	for (unsigned i = 0; l && i < l->n; i++) {
		struct claim *c = &l->c[i];

		if (c->has_row || c->loss.psn != row->psn || !c->loss.count)
			continue;
		c->row = *row;
		c->has_row = true;
		return;
	}
	claim_flush(e, f);
	emit_recovery(e, f, row);
}

/* One of several: the others are told in two pieces. */
static void take_from(struct claims *l, struct claim *c, uint32_t psn)
{
	uint32_t before = (uint32_t)psn_diff(psn, c->loss.psn);
	uint32_t behind = c->loss.count - before - 1;

	if (!before) {
		c->loss.psn = psn_add(psn, 1);
		c->loss.count = behind;
		return;
	}
	c->loss.count = before;
	if (!behind || l->n == CLAIMS)
		return;
	l->c[l->n] = (struct claim) { .loss = c->loss };
	l->c[l->n].loss.psn = psn_add(psn, 1);
	l->c[l->n++].loss.count = behind;
}

/* What was sent again for nothing. */
static void take_row(struct fact_recovery *row, uint32_t psn)
{
	row->lost_min -= row->lost_min > 0;
	row->lost_max -= row->lost_max > 0;
	if (row->psn != psn)
		return;
	row->cause = CAUSE_REORDER;
	row->rule = "R1: the original came behind its own copy";
	row->lost_min = row->lost_max = 0;
}

bool claim_take_back(struct flow *f, uint32_t psn, int64_t ns)
{
	struct claims *l = f->claims;

	for (unsigned i = 0; l && i < l->n; i++) {
		struct claim *c = &l->c[i];
		int32_t at = psn_diff(psn, c->loss.psn);

		if (at < 0 || at >= (int32_t)c->loss.count ||
		    ns - c->loss.ns > HELD_NS)
			continue;
		if (c->has_row)
			take_row(&c->row, psn);
		take_from(l, c, psn);
		return true;
	}
	return false;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * An engine that runs for weeks: flows that are over are handed out and their
 * place is used again, caps are by the hour, and load of long ago goes. */
#include <stdlib.h>

#include "flow/core/bins.h"
#include "flow/core/burst.h"
#include "flow/core/flow.h"
#include "flow/core/tracker.h"
#include "flow/recovery/recovery.h"
#include "flow/roce/roce.h"

/* Those who have a share in what is limited for all. */
static void give_back(struct engine *e, const struct flow *f)
{
	e->n_series -= f->bins != NULL;
	e->n_linked -= f->links != NULL;
	e->n_congested -= f->congestion != NULL;
}

static void forget(struct engine *e, struct flow *f)
{
	pair_leave(e, f);
	flow_drop(e, f);
}

/* Both are handed out while each still knows the other. */
static uint32_t retire(struct engine *e, struct flow *f, struct flow *g)
{
	give_back(e, f);
	flow_finish(e, f);
	if (g) {
		give_back(e, g);
		flow_finish(e, g);
		forget(e, g);
	}
	forget(e, f);
	return g ? 2 : 1;
}

/* Recent packets of flows that went are found no more. */
static void forget_recent(struct engine *e, struct recent *of)
{
	for (uint32_t i = 0; i < RECENT_SIZE; i++) {
		struct recent_packet *r = &of->ring[i];

		if (!flow_at(e, r->flow)->id)
			r->key = UINT32_MAX;
	}
}

uint32_t engine_retire(struct engine *e, int64_t before, uint32_t look)
{
	uint32_t retired = 0;

	if (look > e->n_flows)
		look = e->n_flows;
	for (; look; look--) {
		struct flow *f, *g;

		if (e->sweep >= e->n_flows)
			e->sweep = 0;
		f = flow_at(e, e->sweep++);
		if (f->id)
			recovery_decide_old(e, f);
		if (!f->id || f->last_ns >= before)
			continue;
		g = flow_peer(e, f);
		if (!g || g->last_ns < before)
			retired += retire(e, f, g);
	}
	if (retired) {
		forget_recent(e, &e->recent);
		forget_recent(e, &e->unpaired);
	}
	return retired;
}

static void reset_flow_caps(struct flow *f)
{
	free(f->events);
	f->events = NULL;
	f->slow_rows = f->msg_rows = f->recovery_rows = f->cnp_rows = 0;
}

void engine_reset_caps(struct engine *e)
{
	for (unsigned i = 0; i < LIMIT_COUNT; i++)
		e->limit[i].rows = 0;
	e->ordinary_messages = 0;
	e->unpaired_messages = e->orphan_events = 0;
	for (unsigned i = 0; e->tracker[i]; i++)
		if (e->tracker[i]->reset_caps)
			e->tracker[i]->reset_caps(e);
	for (uint32_t i = 0; i < e->n_flows; i++)
		reset_flow_caps(flow_at(e, i));
}

void engine_forget_load(struct engine *e, int64_t before)
{
	tap_forget_load(e, before);
	burst_forget(e, before);
	for (unsigned i = 0; e->tracker[i]; i++)
		if (e->tracker[i]->forget)
			e->tracker[i]->forget(e, before);
	for (uint32_t i = 0; i < e->n_flows; i++)
		if (flow_at(e, i)->id)
			bins_forget_flow(flow_at(e, i), before);
}

int64_t engine_bursts_from(const struct engine *e)
{
	return e->bursts_from;
}

uint32_t engine_flows(const struct engine *e)
{
	return e->n_flows - e->n_vacant;
}

uint32_t engine_last_id(const struct engine *e)
{
	return e->next_id;
}

/* Address pairs, ports that pause, ids of flows. */
static bool any_table_full(const struct engine *e)
{
	for (unsigned i = 0; e->tracker[i]; i++)
		if (e->tracker[i]->table_full && e->tracker[i]->table_full(e))
			return true;
	return false;
}

bool engine_table_full(const struct engine *e)
{
	return e->n_routes >= e->o.max_flows || any_table_full(e) ||
	       e->next_id > UINT32_MAX - 2 * e->o.max_flows ||
	       (e->evs && e->next_id - e->o.first_id >= e->o.max_flows);
}

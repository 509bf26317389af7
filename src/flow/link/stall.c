/* SPDX-License-Identifier: GPL-2.0-or-later
 * Idle times of flows that lie in pauses: stall correlation.
 *
 * When a flow speaks again after a while, the port it travels to may have asked
 * for that silence.  Only then is it a stall; why a flow is silent otherwise is
 * not asked here. */
#include <stdlib.h>

#include "base/mem.h"
#include "decode/packet.h"
#include "flow/core/flow.h"
#include "flow/link/control.h"
#include "flow/link/pause.h"
#include "flow/uet/uet.h"

enum {
	EXPLAINS = 800, /* per mille of the silence is paused */
	ROWS_PER_FLOW = 1000,
};

struct stalls {
	uint32_t n, rows;
	int64_t ns, longest;
	bool standing;
};

void stall_free(struct flow *f)
{
	free(f->stalls);
	f->stalls = NULL;
}

static int64_t paused_of(const struct pauser *port, unsigned priority,
			 int64_t from, int64_t to)
{
	const struct lane *one = port->lane[priority];
	const struct lane *all = port->lane[LANE_GLOBAL];
	int64_t a = one ? lane_paused(one, from, to) : 0;
	int64_t b = all ? lane_paused(all, from, to) : 0;

	return a > b ? a : b;
}

static void add(struct engine *e, struct flow *f, const struct fact_stall *s)
{
	struct stalls *all = f->stalls;

	if (!all)
		all = f->stalls = mem_calloc(1, sizeof *all);
	if (!all)
		return;
	all->n++;
	all->ns += s->last_ns - s->first_ns;
	if (s->last_ns - s->first_ns > all->longest)
		all->longest = s->last_ns - s->first_ns;
	all->standing = !s->frame;
	if (!limit_take(e, LIMIT_STALL, 1, all->rows < ROWS_PER_FLOW))
		return;
	all->rows++;
	HAND_OUT(e, stall, s);
}

static bool judge(struct engine *e, struct flow *f, const struct pauser *port,
		  unsigned priority, int64_t until, uint64_t frame)
{
	int64_t gap = until - f->last_ns;
	int64_t paused = paused_of(port, priority, f->last_ns, until);

	/* In this order it cannot overflow. */
	if (gap <= STALL_NS || paused / EXPLAINS < gap / 1000)
		return false;
	add(e, f,
	    &(struct fact_stall) {
		    .flow = f->id,
		    .tap = port->tap,
		    .cause = STALL_PAUSE,
		    .mac = port->mac,
		    .priority = priority,
		    .first_ns = f->last_ns,
		    .last_ns = until,
		    .paused_ns = paused,
		    .frame = frame,
	    });
	return true;
}

/* Something was under way: the silence at the end is no end. */
static bool unfinished(const struct engine *e, const struct flow *f)
{
	bool answers = flow_is_uet(f) ? f->uet.una_valid : f->req_valid;

	return transport(e, f)->in_message(f) || (answers && f->nxt != f->una);
}

/* In the middle of a message, when its sender used no credits. */
static void judge_credit(struct engine *e, struct flow *f,
			 const struct packet *p, struct priority prio)
{
	int64_t still = 0;
	int channel =
		transport(e, f)->in_message(f)
			? credit_standstill(e, p->tap, p->src_mac, prio.number,
					    f->last_ns, p->ns, &still)
			: -1;

	if (channel < 0)
		return;
	add(e, f,
	    &(struct fact_stall) {
		    .flow = f->id,
		    .tap = p->tap,
		    .cause = STALL_CREDIT,
		    .mac = p->src_mac,
		    .priority = channel,
		    .first_ns = f->last_ns,
		    .last_ns = p->ns,
		    .paused_ns = still,
		    .frame = p->frame,
	    });
}

void stall_seen(struct engine *e, struct flow *f, const struct packet *p)
{
	const struct pauser *port =
		pause_governor(e, p->tap, p->src_mac, p->dst_mac);
	struct priority prio = port ? priority_at(e, port, p->pcp, p->tos)
				    : priority_of(e, p->tap, p->pcp, p->tos);

	if (!port || !judge(e, f, port, prio.number, p->ns, p->frame))
		judge_credit(e, f, p, prio);
}

int64_t stall_paused(const struct engine *e, const struct packet *p,
		     int64_t since)
{
	const struct pauser *port =
		pause_governor(e, p->tap, p->src_mac, p->dst_mac);
	struct priority prio;

	if (!port)
		return 0;
	prio = priority_at(e, port, p->pcp, p->tos);
	return paused_of(port, prio.number, since, p->ns);
}

/* ---- what the flows say of the ports ---- */

static void meet_sender(struct pauser *port, const struct flow *f)
{
	if (!port)
		return;
	if (!(f->ttl == 64 || f->ttl == 128 || f->ttl == 255)) {
		port->is_router = true;
		return;
	}
	/* A switched link shows many hosts behind one end, but then their
	 * frames do not bear its address. */
	port->is_host = true;
	port->host = f->src;
}

static void emit_paused_flow(struct engine *e, const struct flow *f,
			     const struct pauser *port, struct priority prio)
{
	const struct stalls *s = f->stalls;
	struct fact_paused_flow out = {
		.flow = f->id,
		.tap = port->tap,
		.mac = port->mac,
		.priority = prio.number,
		.priority_from = (enum priority_source)prio.from,
		.ttl = f->ttl,
		.governed = port->lane[prio.number] || port->lane[LANE_GLOBAL],
		.stalls = s ? s->n : 0,
		.stalled_ns = s ? s->ns : 0,
		.longest_ns = s ? s->longest : 0,
		.standing = s && s->standing,
	};

	if (limit_take(e, LIMIT_PAUSED_FLOW, 1, true))
		HAND_OUT(e, paused_flow, &out);
}

void stall_flow(struct engine *e, struct flow *f)
{
	struct pauser *port;
	struct priority prio;

	if (e->stall_after == STALL_NEVER)
		return;
	meet_sender(pause_port(e, f->tap, f->src_mac), f);
	port = pause_governor(e, f->tap, f->src_mac, f->dst_mac);
	if (!port)
		return;
	if (port->peer_mac && port->peer_mac != f->src_mac)
		port->peer_mac = PEER_MANY;
	else
		port->peer_mac = f->src_mac;
	prio = priority_at(e, port, f->pcp, f->tos);
	if (unfinished(e, f))
		judge(e, f, port, prio.number, e->now, 0);
	emit_paused_flow(e, f, port, prio);
}

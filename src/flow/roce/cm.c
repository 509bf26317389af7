/* SPDX-License-Identifier: GPL-2.0-or-later
 * Connection management: who is connected to whom, with which terms (P1).
 *
 * Two bounded tables: requests that wait for their reply, and connections by
 * direction key.  An entry may be written over by a newer one; then pairing
 * falls back on the other methods. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "flow/core/find.h"
#include "flow/recovery/recovery.h"
#include "flow/roce/roce.h"
#include "wire/wire.h"

enum { REQUESTS = 1 << 10, CONNECTIONS = 1 << 13 };

struct request {
	struct addr src, dst;
	uint32_t comm_id, qpn;
	struct cm_terms terms;
	bool used;
};

struct connection {
	struct addr src, dst;
	uint32_t dst_qp, peer_qp, place;
	uint32_t comm_a, comm_b;
	struct cm_terms terms;
	bool used;
};

struct cm_table {
	struct request req[REQUESTS];
	struct connection con[CONNECTIONS];
};

bool cm_init(struct engine *e)
{
	e->cm = mem_calloc(1, sizeof *e->cm);
	return e->cm;
}

void cm_fini(struct engine *e)
{
	free(e->cm);
}

static struct connection *slot(struct engine *e, struct addr src,
			       struct addr dst, uint32_t dst_qp)
{
	uint64_t h = src.w[1] * 0x9e3779b97f4a7c15u ^
		     dst.w[1] * 0xc2b2ae3d27d4eb4fu ^ src.w[0] ^ dst.w[0] ^
		     dst_qp * 0x165667b19e3779f9u;

	/* An IPv4 address ends in the highest bits: it is mixed once more, or
	 * hosts of one subnet, and so both ends, would share a slot. */
	h = (h ^ h >> 32) * 0x9e3779b97f4a7c15u;
	return &e->cm->con[(h >> 40) % CONNECTIONS];
}

static struct connection *find(struct engine *e, const struct flow *f)
{
	struct connection *c = slot(e, f->src, f->dst, f->dst_qp);

	return c->used && c->dst_qp == f->dst_qp &&
			       addr_equal(c->src, f->src) &&
			       addr_equal(c->dst, f->dst)
		       ? c
		       : NULL;
}

static struct flow *flow_of(struct engine *e, struct addr src, struct addr dst,
			    uint32_t dst_qp, uint32_t place)
{
	struct packet p = { .src = src, .dst = dst, .dst_qp = dst_qp };

	return flow_find(e, &p, flow_hash(&p, p.dst_qp, place, 0), p.dst_qp,
			 place, 0);
}

void cm_new_flow(struct engine *e, struct flow *f)
{
	struct connection *c = find(e, f);
	struct flow *g;

	if (!c)
		return;
	f->cm = c->terms;
	if (!f->pmtu)
		f->pmtu = c->terms.pmtu >= 1 && c->terms.pmtu <= 5
				  ? (uint16_t)(128 << c->terms.pmtu)
				  : 0;
	g = flow_of(e, f->dst, f->src, c->peer_qp, f->place);
	if (g)
		pair_set(e, f, g, PAIRING_CM, 1.0);
}

/* One direction of a new connection; what went before on it has ended. */
static void connect(struct engine *e, struct addr src, struct addr dst,
		    uint32_t dst_qp, uint32_t peer_qp, uint32_t place,
		    const struct request *r, uint32_t comm_b)
{
	struct connection *c = slot(e, src, dst, dst_qp);
	struct flow *f = flow_of(e, src, dst, dst_qp, place);
	bool repeated = c->used && c->comm_a == r->comm_id &&
			c->comm_b == comm_b && c->dst_qp == dst_qp;

	if (f && !repeated)
		f->ended = true;
	*c = (struct connection) {
		.src = src,
		.dst = dst,
		.dst_qp = dst_qp,
		.peer_qp = peer_qp,
		.place = place,
		.comm_a = r->comm_id,
		.comm_b = comm_b,
		.terms = r->terms,
		.used = true,
	};
	if (f)
		cm_new_flow(e, f);
}

static void on_req(struct engine *e, const struct packet *p, const uint8_t *cm,
		   struct fact_cm *fact)
{
	struct request *r;

	fact->local_comm_id = (uint32_t)WIRE_GET(cm_req, local_id, cm);
	fact->qpn = (uint32_t)WIRE_GET(cm_req, qpn, cm);
	fact->psn = (uint32_t)WIRE_GET(cm_req, psn, cm);
	fact->service_id = WIRE_GET(cm_req, service_id, cm);
	r = &e->cm->req[fact->local_comm_id * 0x9e3779b1u >> 22];
	*r = (struct request) {
		.src = p->src,
		.dst = p->dst,
		.comm_id = fact->local_comm_id,
		.qpn = fact->qpn,
		.terms = { .ack_timeout =
				   (int16_t)WIRE_GET(cm_req, ack_timeout, cm),
			   .retry_count = (int16_t)WIRE_GET(cm_req, retry, cm),
			   .rnr_retry =
				   (int16_t)WIRE_GET(cm_req, rnr_retry, cm),
			   .pmtu = (int16_t)WIRE_GET(cm_req, mtu, cm) },
		.used = true,
	};
}

static void on_rep(struct engine *e, const struct packet *p, const uint8_t *cm,
		   struct fact_cm *fact)
{
	struct request *r;

	fact->local_comm_id = (uint32_t)WIRE_GET(cm_rep, local_id, cm);
	fact->remote_comm_id = (uint32_t)WIRE_GET(cm_rep, remote_id, cm);
	fact->qpn = (uint32_t)WIRE_GET(cm_rep, qpn, cm);
	fact->psn = (uint32_t)WIRE_GET(cm_rep, psn, cm);
	r = &e->cm->req[fact->remote_comm_id * 0x9e3779b1u >> 22];
	if (!r->used || r->comm_id != fact->remote_comm_id ||
	    !addr_equal(r->src, p->dst) || !addr_equal(r->dst, p->src))
		return;
	connect(e, r->src, r->dst, fact->qpn, r->qpn, tap_place(e, p->tap), r,
		fact->local_comm_id);
	connect(e, r->dst, r->src, r->qpn, fact->qpn, tap_place(e, p->tap), r,
		fact->local_comm_id);
}

static void on_dreq(struct engine *e, const struct packet *p, const uint8_t *cm,
		    struct fact_cm *fact)
{
	struct flow *f, *g;

	fact->local_comm_id = (uint32_t)WIRE_GET(cm_dreq, local_id, cm);
	fact->remote_comm_id = (uint32_t)WIRE_GET(cm_dreq, remote_id, cm);
	fact->qpn = (uint32_t)WIRE_GET(cm_dreq, qpn, cm);
	f = flow_of(e, p->src, p->dst, fact->qpn, tap_place(e, p->tap));
	if (!f)
		return;
	f->ended = true;
	g = flow_peer(e, f);
	if (g && f->paired)
		g->ended = true;
}

void cm_packet(struct engine *e, const struct packet *p)
{
	const uint8_t *cm = p->mad + WIRE_SIZE_mad;
	uint16_t attr = (uint16_t)WIRE_GET(mad, attr, p->mad);
	struct fact_cm fact = { .ns = p->ns,
				.frame = p->frame,
				.tap = p->tap,
				.src = p->src,
				.dst = p->dst,
				.attribute = attr,
				.reason = -1 };

	if (WIRE_GET(mad, mgmtclass, p->mad) != MAD_CLASS_CM)
		return;
	switch (attr) {
	case CM_ATTR_REQ:
		on_req(e, p, cm, &fact);
		break;
	case CM_ATTR_REP:
		on_rep(e, p, cm, &fact);
		break;
	case CM_ATTR_DREQ:
		on_dreq(e, p, cm, &fact);
		break;
	default:
		/* Every other message begins with the two communication IDs. */
		fact.local_comm_id = (uint32_t)WIRE_GET(cm_rtu, local_id, cm);
		if (attr != CM_ATTR_SIDR_REQ && attr != CM_ATTR_SIDR_REP)
			fact.remote_comm_id =
				(uint32_t)WIRE_GET(cm_rtu, remote_id, cm);
		if (attr == CM_ATTR_REJ)
			fact.reason = (int)WIRE_GET(cm_rej, reason, cm);
		break;
	}
	emit_cm(e, &fact);
}

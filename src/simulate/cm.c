/* SPDX-License-Identifier: GPL-2.0-or-later
 * Connection management over QP 1, as the RDMA connection manager does it. */
#include "simulate/cm.h"

#include <string.h>

#include "simulate/mem.h"
#include "simulate/port.h"
#include "simulate/qp.h"
#include "wire/wire.h"

enum {
	QKEY_GSI = 0x80010000,
	ACK_TIMEOUT_BASE_NS = 4096,
};

/* The code t with 4.096 us * 2^t <= the timeout. */
static unsigned timeout_code(const struct qp_config *c)
{
	unsigned t = 0;

	while (t < 31 && (int64_t)ACK_TIMEOUT_BASE_NS << (t + 1) <=
				 c->timeout / PS_PER_NS)
		t++;
	return t;
}

static unsigned mtu_code(uint32_t mtu)
{
	unsigned code = 1;

	while (mtu > 256) {
		mtu /= 2;
		code++;
	}
	return code;
}

static void gid(const struct sim *s, const struct host *h, uint8_t *p)
{
	if (s->host.ipv6) {
		memcpy(p, h->v6, 16);
		return;
	}
	memset(p, 0, 10);
	memset(p + 10, 0xff, 2);
	memcpy(p + 12, h->v4, 4);
}

static void private_data(const struct sim *s, const struct qp *q, uint8_t *d)
{
	uint8_t *dst = WIRE_PTR(rdma_cm, dst, d);

	WIRE_SET(rdma_cm, ipv, d, s->host.ipv6 ? 6 : 4);
	WIRE_SET(rdma_cm, sport, d, 40000 + (q->qpn & 0x3fff));
	gid(s, q->host, WIRE_PTR(rdma_cm, src, d));
	gid(s, q->peer->host, dst);
	if (!s->host.ipv6) { /* plain IPv4 in the last four bytes */
		memset(WIRE_PTR(rdma_cm, src, d) + 10, 0, 2);
		memset(dst + 10, 0, 2);
	}
}

static void write_req(struct sim *s, const struct qp *q, uint8_t *d)
{
	const struct qp_config *c = &q->config;

	WIRE_SET(cm_req, service_id, d,
		 UINT64_C(0x0000000001060000) | c->cm_port);
	WIRE_SET(cm_req, guid, d, 0x02fab50000000000 | q->host->number);
	WIRE_SET(cm_req, qpn, d, q->qpn);
	WIRE_SET(cm_req, resp_res, d, c->reads);
	WIRE_SET(cm_req, init_depth, d, c->reads);
	WIRE_SET(cm_req, remote_timeout, d, 20);
	WIRE_SET(cm_req, psn, d, q->first_psn & 0xffffff);
	WIRE_SET(cm_req, local_timeout, d, 20);
	WIRE_SET(cm_req, retry, d, c->retries);
	WIRE_SET(cm_req, pkey, d, 0xffff);
	WIRE_SET(cm_req, mtu, d, mtu_code(c->mtu));
	WIRE_SET(cm_req, rnr_retry, d, c->rnr_retries);
	WIRE_SET(cm_req, cm_retries, d, 15);
	gid(s, q->host, WIRE_PTR(cm_req, sgid, d));
	gid(s, q->peer->host, WIRE_PTR(cm_req, dgid, d));
	WIRE_SET(cm_req, hop, d, 64);
	WIRE_SET(cm_req, subnet_local, d, 1);
	WIRE_SET(cm_req, ack_timeout, d, timeout_code(c));
	private_data(s, q, WIRE_PTR(cm_req, private, d));
}

static void write_rep(const struct qp *q, uint8_t *d)
{
	WIRE_SET(cm_rep, qpn, d, q->qpn);
	WIRE_SET(cm_rep, psn, d, q->first_psn & 0xffffff);
	WIRE_SET(cm_rep, resp_res, d, q->config.reads);
	WIRE_SET(cm_rep, init_depth, d, q->config.reads);
	WIRE_SET(cm_rep, ack_delay, d, 15);
	WIRE_SET(cm_rep, rnr_retry, d, q->config.rnr_retries);
	WIRE_SET(cm_rep, guid, d, 0x02fab50000000000 | q->host->number);
}

/* Communication IDs: one an end, made of what tells the ends apart. */
static uint32_t comm_id(const struct qp *q)
{
	return 0x5a000000u ^ q->qpn << 4 ^ q->epoch << 28 ^ q->host->number;
}

static void send(struct sim *s, struct qp *q, unsigned attr)
{
	struct pkt *p = qp_packet(s, q, PKT_CM, UD_SEND_ONLY,
				  q->out->count[PKT_CM].sent);
	uint8_t *m = mem_new(PKT_MAD), *d = m + WIRE_SIZE_mad;

	p->mad = m;
	p->payload = PKT_MAD;
	p->dst_qp = p->src_qp = 1;
	p->qkey = QKEY_GSI;
	p->ecn = MARK_NOT;
	WIRE_SET(mad, version, m, 1);
	WIRE_SET(mad, mgmtclass, m, MAD_CLASS_CM);
	WIRE_SET(mad, classver, m, 2);
	WIRE_SET(mad, method, m, MAD_SEND);
	WIRE_SET(mad, tid, m, UINT64_C(0x100000000) | q->qpn);
	WIRE_SET(mad, attr, m, attr);
	WIRE_SET(cm_rtu, local_id, d, comm_id(q));
	if (attr != CM_ATTR_REQ)
		WIRE_SET(cm_rtu, remote_id, d, comm_id(q->peer));
	if (attr == CM_ATTR_REQ)
		write_req(s, q, d);
	else if (attr == CM_ATTR_REP)
		write_rep(q, d);
	else if (attr == CM_ATTR_DREQ)
		WIRE_SET(cm_dreq, qpn, d, q->peer->qpn);
	nic_dress(s, q->host, p);
	port_send(s, host_port(q), p);
}

void cm_connect(struct sim *s, struct qp *q)
{
	send(s, q, CM_ATTR_REQ);
}

void cm_disconnect(struct sim *s, struct qp *q)
{
	send(s, q, CM_ATTR_DREQ);
}

static void now_open(struct sim *s, struct qp *q)
{
	q->open = true;
	nic_ready(s, q, LINE_DATA);
}

void cm_take(struct sim *s, struct qp *q, const struct pkt *p)
{
	switch (WIRE_GET(mad, attr, p->mad)) {
	case CM_ATTR_REQ:
		send(s, q, CM_ATTR_REP);
		break;
	case CM_ATTR_REP:
		send(s, q, CM_ATTR_RTU);
		now_open(s, q);
		break;
	case CM_ATTR_RTU:
		now_open(s, q);
		break;
	case CM_ATTR_DREQ:
		send(s, q, CM_ATTR_DREP);
		break;
	default:
		break;
	}
}

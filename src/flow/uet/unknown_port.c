/* SPDX-License-Identifier: GPL-2.0-or-later
 * Ultra Ethernet on UDP ports that nobody named: see uet/unknown_port.h. */
#include "flow/uet/unknown_port.h"

#include <stdlib.h>

#include "base/mem.h"
#include "flow/core/find.h"
#include "flow/uet/serial.h"
#include "wire/wire.h"

enum {
	SETS = 256, /* of ports */
	WAYS = 8,
	PDCS = 1 << 12,
	PROOFS = 8,
	FEW_PERCENT = 10, /* at the port may be anything */
	NEAR = 1 << 12,   /* PSNs of one context in flight */
	PATIENCE = 32,    /* packets of others until a context gives way */
};

/* What goes to |number|, seen at |place|. */
struct port {
	uint32_t place, tap; /* first tap */
	uint16_t number;     /* 0: free */
	uint64_t like, unlike;
	uint64_t good, answered; /* proofs */
};

/* Requests of one context, one direction. */
struct pdc {
	uint64_t key;             /* 0: free */
	uint32_t low, high, sent; /* numbers, and how many packets */
	uint32_t acked_psn;       /* by the last answer */
	uint16_t peer;            /* who answers; 0: nobody yet */
	uint16_t patience;
};

struct uet_unknown_port {
	struct port ports[SETS * WAYS];
	struct pdc pdcs[PDCS];
};

/* ---- ports ---- */

/* Without a key: which entries replace which is the same in every run, and no
 * search goes beyond one set. */
static uint64_t mix(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	x ^= x >> 32;
	return x;
}

static struct port *set_of(struct uet_unknown_port *u, uint32_t place,
			   uint16_t number)
{
	uint64_t k = mix((uint64_t)place << 16 | number);

	return &u->ports[k % SETS * WAYS];
}

static struct port *find_port(struct uet_unknown_port *u, uint32_t place,
			      uint16_t number)
{
	struct port *set = set_of(u, place, number);

	for (unsigned i = 0; i < WAYS; i++)
		if (set[i].number == number && set[i].place == place)
			return &set[i];
	return NULL;
}

static uint64_t proofs(const struct port *t)
{
	return t->good + t->answered;
}

/* In the place of the one that is least likely any. */
static struct port *new_port(struct uet_unknown_port *u, uint32_t place,
			     const struct packet *p)
{
	struct port *set = set_of(u, place, (uint16_t)p->port), *least = set;

	for (unsigned i = 1; i < WAYS && least->number; i++)
		if (!set[i].number || proofs(&set[i]) < proofs(least) ||
		    (proofs(&set[i]) == proofs(least) &&
		     set[i].like < least->like))
			least = &set[i];
	*least = (struct port) {
		.place = place,
		.tap = p->tap,
		.number = (uint16_t)p->port,
	};
	return least;
}

/* ---- contexts ---- */

/* Of what |from| sends to |to|. */
static uint64_t key_of(struct addr from, struct addr to, uint32_t place,
		       uint32_t port, uint16_t pdcid)
{
	uint64_t h = from.w[0] * 3 ^ from.w[1] * 0x9e3779b97f4a7c15u ^
		     to.w[0] * 7 ^ to.w[1] * 0xc2b2ae3d27d4eb4fu;

	h = mix(h ^ (uint64_t)place << 32 ^ port << 16 ^ pdcid);
	return h ? h : 1;
}

static void begin(struct pdc *c, uint64_t key, uint32_t psn)
{
	*c = (struct pdc) {
		.key = key,
		.low = psn,
		.high = psn,
		.acked_psn = psn - 1,
		.patience = PATIENCE,
	};
}

static void request(struct uet_unknown_port *u, uint32_t place,
		    const struct packet *p)
{
	uint64_t key = key_of(p->src, p->dst, place, p->port, p->uet.spdcid);
	struct pdc *c = &u->pdcs[key % PDCS];
	int32_t ahead = psn32_diff(p->psn, c->high);

	if (c->key && c->key != key && --c->patience)
		return;
	if (c->key != key || ahead >= NEAR || ahead <= -NEAR ||
	    (c->peer && p->uet.dpdcid && p->uet.dpdcid != c->peer)) {
		begin(c, key, p->psn);
	} else if (ahead > 0) {
		c->high = p->psn;
	} else if (psn32_diff(p->psn, c->low) < 0) {
		c->low = p->psn;
	}
	c->patience = PATIENCE;
	c->sent++;
}

/* Does it name a packet that went the other way, of a context that was answered
 * before? */
static bool answers(struct uet_unknown_port *u, uint32_t place,
		    const struct packet *p)
{
	uint64_t key = key_of(p->dst, p->src, place, p->port, p->uet.dpdcid);
	struct pdc *c = &u->pdcs[key % PDCS];
	bool first = !c->peer;

	if (c->key != key || !p->uet.spdcid ||
	    (c->peer && c->peer != p->uet.spdcid) ||
	    psn32_diff(p->psn, c->low) < 0 || psn32_diff(c->high, p->psn) < 0 ||
	    psn32_diff(p->psn, c->acked_psn) <= 0 ||
	    c->high - c->low > 4 * (uint64_t)c->sent + PROOFS)
		return false;
	c->peer = p->uet.spdcid;
	c->acked_psn = p->psn;
	c->patience = PATIENCE;
	return !first;
}

/* ---- packets ---- */

static void count_at_port(struct uet_unknown_port *u, struct port *t,
			  const struct packet *p)
{
	switch (p->uet.type) {
	case PDS_RUD_REQ:
	case PDS_ROD_REQ:
	case PDS_RUD_CC_REQ:
	case PDS_ROD_CC_REQ:
		if (p->uet.spdcid && p->uet.flags & UET_REQUEST)
			request(u, t->place, p);
		break;
	case PDS_ACK:
	case PDS_ACK_CC:
	case PDS_ACK_CCX:
		if (!(p->uet.flags & UET_PROBE))
			t->answered += answers(u, t->place, p);
		break;
	default:
		break;
	}
}

void uet_unknown_port(struct engine *e, const struct packet *p)
{
	uint32_t place = tap_place(e, p->tap);
	bool like = p->flags & PACKET_LIKE_UET;
	struct port *t;

	if (like && !e->unknown_port)
		e->unknown_port = mem_calloc(1, sizeof *e->unknown_port);
	if (!e->unknown_port)
		return;
	t = find_port(e->unknown_port, place, (uint16_t)p->port);
	if (!like) {
		if (t)
			t->unlike++;
		return;
	}
	/* Encrypted or odd: it may be, and is no sign. */
	if (p->uet.flags & (UET_TSS | UET_ODD))
		return;
	if (!t)
		t = new_port(e->unknown_port, place, p);
	t->like++;
	t->good += p->icrc_status == ICRC_GOOD;
	count_at_port(e->unknown_port, t, p);
}

void uet_unknown_port_tell(const struct engine *e, struct fact_tap *f)
{
	const struct port *all =
		e->unknown_port ? e->unknown_port->ports : NULL;

	f->on_unknown_port = f->unknown_port = 0;
	for (unsigned i = 0; all && i < SETS * WAYS; i++) {
		const struct port *t = &all[i];

		if (t->number && t->tap == f->tap &&
		    ((t->good >= PROOFS || t->answered >= PROOFS) &&
		     t->unlike * 100 <= t->like * FEW_PERCENT) &&
		    t->like > f->on_unknown_port) {
			f->on_unknown_port = t->like;
			f->unknown_port = t->number;
		}
	}
}

void uet_unknown_port_fini(struct engine *e)
{
	free(e->unknown_port);
	e->unknown_port = NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * What ports advertise: names, and the configuration of PFC and ETS by DCBX,
 * reference telemetry 5.4.  One fact for each configuration of a port, however
 * often it is repeated. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "decode/control.h"
#include "decode/packet.h"
#include "flow/core/flow.h"
#include "flow/link/control.h"
#include "flow/link/mactable.h"
#include "flow/link/pause.h"

enum {
	NAME_TEXT = 64,
	LIST_TEXT = 64,
	APP_TEXT = 512,
	UEC_TEXT = 128,
	CHASSIS_IS_MAC = 4,
	PORT_IS_MAC = 3,
	ID_MAC_SIZE = 7,
};

/* Compared as memory: no padding matters, all begins as zero. */
struct config {
	char chassis[NAME_TEXT], port[NAME_TEXT], system[NAME_TEXT];
	char ets_tc[LIST_TEXT], ets_bw[LIST_TEXT], ets_tsa[LIST_TEXT];
	char app[APP_TEXT], uec[UEC_TEXT];
	int64_t ttl, willing, cap, enable, ets_willing, ets_tcs;
	int64_t cee; /* 0 no DCBX, 1 IEEE, 2 CEE */
};

struct lldp_port {
	struct config c;
	int64_t first_ns, last_ns;
	uint64_t frames, frame;
};

struct lldp_table {
	struct mac_table macs;
	struct lldp_port port[MACS_MAX];
};

/* The walk through one frame. */
struct reading {
	struct config c;
	uint64_t type, oui;
	bool cee_willing;
};

/* ---- text ---- */

static void hex(char *out, size_t size, const uint8_t *p, size_t n)
{
	size_t k = strlen(out);

	for (size_t i = 0; i < n && k + 3 <= size; i++, k += 2)
		snprintf(out + k, size - k, "%02x", p[i]);
}

/* Names are for people; what is no text is shown as bytes. */
static void name(char out[NAME_TEXT], const uint8_t *p, size_t n)
{
	size_t k = n < NAME_TEXT - 1 ? n : NAME_TEXT - 1;

	*out = 0;
	for (size_t i = 0; i < k; i++) {
		if (p[i] < ' ' || p[i] > '~') {
			*out = 0;
			hex(out, NAME_TEXT, p, n);
			return;
		}
		out[i] = (char)p[i];
		out[i + 1] = 0;
	}
}

static void identifier(char out[NAME_TEXT], const uint8_t *p, size_t n,
		       uint8_t is_mac)
{
	uint64_t mac = 0;

	if (n < 1)
		return;
	if (*p != is_mac || n != ID_MAC_SIZE) {
		name(out, p + 1, n - 1);
		return;
	}
	for (int i = 1; i < ID_MAC_SIZE; i++)
		mac = mac << 8 | p[i];
	mac_text(mac, out);
}

/* "[1,2,3]": eight numbers of |bits| each. */
static void list(char out[LIST_TEXT], const uint8_t *p, unsigned bits)
{
	size_t n = 0;

	for (unsigned i = 0; i < PRIORITIES; i++) {
		unsigned v =
			bits == 8 ? p[i] : p[i / 2] >> (i % 2 ? 0 : 4) & 0xf;

		n += (size_t)snprintf(out + n, LIST_TEXT - n, "%c%u",
				      i ? ',' : '[', v);
	}
	snprintf(out + n, LIST_TEXT - n, "]");
}

static const char *const selectors[] = {
	[APP_SEL_ETHERTYPE] = "ethertype",
	[APP_SEL_TCP] = "tcp",
	[APP_SEL_UDP] = "udp",
	[APP_SEL_PORT] = "port",
	[APP_SEL_DSCP] = "dscp",
};

/* Adds {"sel":"udp","proto":4791,"prio":3}; what has no room is left out. */
static void application(struct reading *r, uint64_t sel, uint64_t proto,
			uint64_t priority)
{
	char *app = r->c.app, one[96];
	size_t n = strlen(app), k;
	bool known =
		sel < sizeof selectors / sizeof *selectors && selectors[sel];

	k = (size_t)snprintf(one, sizeof one,
			     "%c{\"sel\":\"%s\",\"proto\":%" PRIu64
			     ",\"prio\":%" PRIu64 "}]",
			     n ? ',' : '[', known ? selectors[sel] : "other",
			     proto, priority);
	if (n)
		n--; /* the bracket that closed it */
	if (n + k < APP_TEXT)
		memcpy(app + n, one, k + 1);
}

/* ---- TLVs ---- */

static void plain_value(struct reading *r, const uint8_t *p, size_t n)
{
	switch (r->type) {
	case LLDP_CHASSIS_ID:
		identifier(r->c.chassis, p, n, CHASSIS_IS_MAC);
		break;
	case LLDP_PORT_ID:
		identifier(r->c.port, p, n, PORT_IS_MAC);
		break;
	case LLDP_TTL:
		if (n >= 2)
			r->c.ttl = p[0] << 8 | p[1];
		break;
	case LLDP_SYSTEM_NAME:
		name(r->c.system, p, n);
		break;
	case LLDP_ORG:
		if (r->oui == OUI_UEC)
			hex(r->c.uec, UEC_TEXT, p, n);
		break;
	default:
		break;
	}
}

static void pfc(struct reading *r, bool willing, uint64_t cap, uint64_t enable)
{
	r->c.willing = willing;
	r->c.cap = (int64_t)cap;
	r->c.enable = (int64_t)enable;
}

/* CEE names priorities by a bit each; the lowest is the one. */
static void cee_application(struct reading *r, const uint8_t *p)
{
	unsigned prios = (unsigned)WIRE_GET(cee_app, prios, p);

	application(r,
		    WIRE_GET(cee_app, sel, p) == CEE_SEL_ETHERTYPE
			    ? APP_SEL_ETHERTYPE
			    : APP_SEL_PORT,
		    WIRE_GET(cee_app, proto, p),
		    prios ? (uint64_t)__builtin_ctz(prios) : 0);
}

static void ets(struct reading *r, const uint8_t *p)
{
	r->c.ets_willing = (int64_t)WIRE_GET(ets_conf, willing, p);
	r->c.ets_tcs = (int64_t)WIRE_GET(ets_conf, maxtcs, p);
	if (!r->c.ets_tcs)
		r->c.ets_tcs = PRIORITIES;
	list(r->c.ets_tc, p + WIRE_OFF(ets_conf, tc0) / 8, 4);
	list(r->c.ets_bw, WIRE_PTR(ets_conf, bw0, p), 8);
	list(r->c.ets_tsa, WIRE_PTR(ets_conf, tsa0, p), 8);
}

static void part(void *ctx, const struct explain_part *part)
{
	struct reading *r = ctx;
	const uint8_t *p = part->data;

	switch (part->header) {
	case WIRE_lldp_tlv:
		r->type = WIRE_GET(lldp_tlv, type, p);
		r->oui = 0;
		break;
	case WIRE_lldp_org:
		r->oui = WIRE_GET(lldp_org, oui, p);
		if (r->oui == OUI_UEC)
			hex(r->c.uec, UEC_TEXT, p + 3, 1);
		break;
	case WIRE_pfc_conf:
		r->c.cee = 1;
		pfc(r, WIRE_GET(pfc_conf, willing, p),
		    WIRE_GET(pfc_conf, cap, p), WIRE_GET(pfc_conf, enable, p));
		break;
	case WIRE_ets_conf:
		r->c.cee = 1;
		ets(r, p);
		break;
	case WIRE_app_entry:
		r->c.cee = 1;
		application(r, WIRE_GET(app_entry, sel, p),
			    WIRE_GET(app_entry, proto, p),
			    WIRE_GET(app_entry, prio, p));
		break;
	case WIRE_cee_feature:
		r->c.cee = 2;
		r->cee_willing = WIRE_GET(cee_feature, willing, p);
		break;
	case WIRE_cee_pfc:
		pfc(r, r->cee_willing, WIRE_GET(cee_pfc, tcs, p),
		    WIRE_GET(cee_pfc, enable, p));
		break;
	case WIRE_cee_pg:
		r->c.ets_willing = r->cee_willing;
		r->c.ets_tcs = (int64_t)WIRE_GET(cee_pg, tcs, p);
		list(r->c.ets_tc, p, 4);
		list(r->c.ets_bw, WIRE_PTR(cee_pg, bw0, p), 8);
		break;
	case WIRE_cee_app:
		cee_application(r, p);
		break;
	default:
		if (part->header < 0)
			plain_value(r, p, part->captured);
		break;
	}
}

/* ---- facts ---- */

static const char *or_null(const char *s)
{
	return *s ? s : NULL;
}

static void emit(struct engine *e, const struct mac_key *k,
		 const struct lldp_port *q)
{
	static const char *const dcbx[] = { NULL, "ieee", "cee" };
	const struct config *c = &q->c;
	struct fact_lldp f = {
		.tap = k->tap,
		.mac = k->mac,
		.first_ns = q->first_ns,
		.last_ns = q->last_ns,
		.frames = q->frames,
		.frame = q->frame,
		.chassis = or_null(c->chassis),
		.port = or_null(c->port),
		.system = or_null(c->system),
		.ttl_s = c->ttl,
		.dcbx = dcbx[c->cee],
		.pfc_willing = c->willing,
		.pfc_cap = c->cap,
		.pfc_enabled = c->enable,
		.ets_willing = c->ets_willing,
		.ets_classes = c->ets_tcs,
		.ets_tc = or_null(c->ets_tc),
		.ets_bandwidth = or_null(c->ets_bw),
		.ets_selection = or_null(c->ets_tsa),
		.applications = or_null(c->app),
		.uec = or_null(c->uec),
	};

	if (limit_take(e, LIMIT_LLDP, 1, true))
		HAND_OUT(e, lldp, &f);
}

/* The mapping that it advertises is what its packets are counted by. */
static void learn(struct engine *e, uint32_t tap, const struct explain_part *p)
{
	uint64_t sel = WIRE_GET(app_entry, sel, p->data);
	uint64_t proto = WIRE_GET(app_entry, proto, p->data);
	uint8_t prio = (uint8_t)WIRE_GET(app_entry, prio, p->data);

	if (sel == APP_SEL_DSCP)
		priority_learn(e, tap, (int)proto, prio);
	else if ((sel == APP_SEL_UDP || sel == APP_SEL_PORT) &&
		 proto == UDP_PORT_ROCE)
		priority_learn(e, tap, -1, prio);
}

struct learning {
	struct reading r;
	struct engine *e;
	uint32_t tap;
};

static void part_and_learn(void *ctx, const struct explain_part *p)
{
	struct learning *l = ctx;

	part(&l->r, p);
	if (p->header == WIRE_app_entry)
		learn(l->e, l->tap, p);
}

void lldp_packet(struct engine *e, const struct packet *p)
{
	struct learning l = { .e = e, .tap = p->tap };
	struct lldp_port *q;
	uint32_t i;

	if (!p->control)
		return;
	if (!e->lldp)
		e->lldp = mem_calloc(1, sizeof *e->lldp);
	i = e->lldp ? mactable_add(&e->lldp->macs, p->tap, p->src_mac)
		    : MAC_NONE;
	if (i == MAC_NONE) {
		e->limit[LIMIT_LLDP].left_out++;
		return;
	}
	l.r.c.ttl = l.r.c.willing = l.r.c.cap = l.r.c.enable = FACT_UNKNOWN;
	l.r.c.ets_willing = l.r.c.ets_tcs = FACT_UNKNOWN;
	lldp_explain(p, part_and_learn, &l);
	pause_link_end(e, p->tap, p->src_mac);
	q = &e->lldp->port[i];
	if (q->frames && memcmp(&q->c, &l.r.c, sizeof q->c)) {
		emit(e, &e->lldp->macs.key[i], q);
		q->frames = 0;
	}
	if (!q->frames++) {
		q->c = l.r.c;
		q->first_ns = p->ns;
		q->frame = p->frame;
	}
	q->last_ns = p->ns;
}

void lldp_finish(struct engine *e)
{
	for (uint32_t i = 0; e->lldp && i < e->lldp->macs.n; i++)
		emit(e, &e->lldp->macs.key[i], &e->lldp->port[i]);
}

void lldp_fini(struct engine *e)
{
	if (e->lldp)
		mactable_fini(&e->lldp->macs);
	free(e->lldp);
}

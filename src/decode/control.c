/* SPDX-License-Identifier: GPL-2.0-or-later
 * Link control: pauses, credits, LLDP.  What it says is left to the flow
 * layer, which finds the bytes at packet.control. */
#include "decode/control.h"

#include "decode/walk.h"

enum { LONGEST = UINT16_MAX };

static enum layer done(struct walk *w)
{
	return walk_stop(w, PACKET_FOREIGN, "link control");
}

static void begin(struct walk *w, enum packet_kind kind)
{
	w->out->kind = (uint8_t)kind;
	if (w->cut)
		return;
	w->out->control = w->p;
	w->out->payload =
		w->have < LONGEST ? (uint32_t)w->have : (uint32_t)LONGEST;
}

/* Extensions of organisations: only that of the UEC is known. */
static enum layer extension(struct walk *w)
{
	const uint8_t *p = w->p;

	if (w->have >= WIRE_SIZE_uec_cc && WIRE_GET(uec_cc, cid, p) != OUI_UEC)
		return walk_stop(w, PACKET_FOREIGN,
				 "a MAC control frame of another organisation");
	begin(w, PACKET_UEC_CC);
	return TAKE(w, uec_cc) ? done(w) : LAYER_END;
}

enum layer walk_mac_control(struct walk *w)
{
	w->at = "pause";
	if (w->have < WIRE_BYTES(pause, opcode)) {
		TAKE(w, pause); /* says which way it is too short */
		return LAYER_END;
	}
	switch (WIRE_GET(pause, opcode, w->p)) {
	case MAC_CONTROL_PAUSE:
		begin(w, PACKET_PAUSE);
		return TAKE(w, pause) ? done(w) : LAYER_END;
	case MAC_CONTROL_PFC:
		begin(w, PACKET_PFC);
		return TAKE(w, pfc) ? done(w) : LAYER_END;
	case MAC_CONTROL_ORG:
		return extension(w);
	default:
		return walk_stop(w, PACKET_FOREIGN,
				 "another MAC control frame");
	}
}

/* ---- LLDP ---- */

/* What is inside of organisational TLVs. */
static const struct org_tlv {
	uint32_t oui;
	uint8_t subtype;
	int header;
	const char *name;
	uint8_t size;
	int entry; /* repeated behind it, -1 none */
	const char *entry_name;
	uint8_t entry_size;
} org_tlvs[] = {
#define H(h) WIRE_##h, #h, WIRE_SIZE_##h
#define NONE -1, NULL, 0
	{ OUI_IEEE_8021, LLDP_8021_ETS, H(ets_conf), NONE },
	{ OUI_IEEE_8021, LLDP_8021_ETS_REC, H(ets_rec), NONE },
	{ OUI_IEEE_8021, LLDP_8021_PFC, H(pfc_conf), NONE },
	{ OUI_IEEE_8021, LLDP_8021_APP, H(app_conf), H(app_entry) },
};

/* Features of CEE, nested in one TLV. */
static const struct org_tlv cee_tlvs[] = {
	{ 0, CEE_PG, H(cee_pg), NONE },
	{ 0, CEE_PFC, H(cee_pfc), NONE },
	{ 0, CEE_APP, NONE, H(cee_app) },
#undef NONE
#undef H
};

enum { CEE_SUBTYPE = 2, TLV_HEADER = WIRE_SIZE_lldp_tlv };

/* The |n| bytes of a value, as far as |t| describes them. */
static bool value(struct walk *w, const struct org_tlv *t, size_t n)
{
	if (t && t->header >= 0 && n >= t->size) {
		if (!walk_take(w, t->header, t->name, t->size))
			return false;
		n -= t->size;
	}
	for (; t && t->entry >= 0 && n >= t->entry_size; n -= t->entry_size)
		if (!walk_take(w, t->entry, t->entry_name, t->entry_size))
			return false;
	return !n || walk_take(w, -1, "lldp value", n);
}

static bool cee(struct walk *w, size_t n)
{
	while (n >= WIRE_SIZE_cee_feature) {
		const struct org_tlv *t = NULL;
		const uint8_t *p = TAKE(w, cee_feature);
		size_t len;

		if (!p)
			return false;
		n -= WIRE_SIZE_cee_feature;
		len = WIRE_GET(cee_feature, len, p) + TLV_HEADER;
		len = len < WIRE_SIZE_cee_feature ? 0
						  : len - WIRE_SIZE_cee_feature;
		if (len > n)
			len = n;
		for (unsigned i = 0; i < sizeof cee_tlvs / sizeof *cee_tlvs;
		     i++)
			if (cee_tlvs[i].subtype ==
			    WIRE_GET(cee_feature, type, p))
				t = &cee_tlvs[i];
		if (!value(w, t, len))
			return false;
		n -= len;
	}
	return value(w, NULL, n);
}

static bool organisational(struct walk *w, size_t n)
{
	const uint8_t *p;
	const struct org_tlv *t = NULL;
	uint64_t oui, subtype;

	if (n < WIRE_SIZE_lldp_org)
		return value(w, NULL, n);
	p = TAKE(w, lldp_org);
	if (!p)
		return false;
	n -= WIRE_SIZE_lldp_org;
	oui = WIRE_GET(lldp_org, oui, p);
	subtype = WIRE_GET(lldp_org, subtype, p);
	if (oui == OUI_CEE && subtype == CEE_SUBTYPE)
		return cee(w, n);
	for (unsigned i = 0; i < sizeof org_tlvs / sizeof *org_tlvs; i++)
		if (org_tlvs[i].oui == oui && org_tlvs[i].subtype == subtype)
			t = &org_tlvs[i];
	return value(w, t, n);
}

/* One TLV; false at the end, and where it stopped. */
static bool tlv(struct walk *w)
{
	const uint8_t *p = TAKE(w, lldp_tlv);
	size_t n;

	if (!p)
		return false;
	n = WIRE_GET(lldp_tlv, len, p);
	if (w->declared < n || w->have < n) {
		walk_lack(w, "lldp_tlv", n);
		return false;
	}
	if (WIRE_GET(lldp_tlv, type, p) == LLDP_END) {
		done(w);
		return false;
	}
	return WIRE_GET(lldp_tlv, type, p) == LLDP_ORG ? organisational(w, n)
						       : value(w, NULL, n);
}

enum layer walk_lldp(struct walk *w)
{
	w->at = "lldp";
	begin(w, PACKET_LLDP);
	while (w->declared)
		if (!tlv(w))
			return LAYER_END;
	return done(w);
}

void lldp_explain(const struct packet *p,
		  void (*part)(void *ctx, const struct explain_part *part),
		  void *ctx)
{
	struct packet copy = *p;
	struct walk w = { .frame = p->control,
			  .p = p->control,
			  .have = p->payload,
			  .declared = p->payload,
			  .out = &copy,
			  .see = part,
			  .ctx = ctx };

	walk_lldp(&w);
}

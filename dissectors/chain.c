/* SPDX-License-Identifier: GPL-2.0-or-later
 * Headers that Wireshark does not know.
 *
 * Which header follows which is not written here a second time:
 * packet_explain() of src/decode goes through the frame, and this shows the
 * parts it names.  So what people see is what the engine saw.  Where a part is
 * Wireshark's own again (IP, BTH), its dissector goes on. */
#include "dissectors/chain.h"

#include <string.h>

#include <epan/expert.h>

#include "decode/explain.h"
#include "dissectors/fields.h"
#include "dissectors/session.h"
#include "dissectors/settings.h"
#include "wire/wire.h"

enum { PARTS_MAX = 96, PREFIXES = 7 };

/* A protocol of ours: its headers are those whose names begin so. */
static struct protocol {
	const char *name, *label, *filter;
	const char *prefixes[PREFIXES];
	bool flat; /* uet_..._x is uet.x, not uet.....x */
	int id;
	bool absent; /* Wireshark has one of its own */
} protocols[] = {
	{ "Ultra Ethernet Transport",
	  "UET",
	  "uet",
	  { "uet", "pds", "ses", "cp", "tss", "entropy" },
	  true,
	  -1,
	  false },
	{ "Inband Flow Analyzer", "IFA", "ifa", { "ifa" }, false, -1, false },
	{ "In-band Network Telemetry",
	  "INT",
	  "int",
	  { "int" },
	  false,
	  -1,
	  false },
	{ "Congestion Signaling",
	  "CSIG",
	  "csig",
	  { "csig" },
	  false,
	  -1,
	  false },
	{ "UEC Credit-Based Flow Control",
	  "UEC CBFC",
	  "uec",
	  { "uec" },
	  false,
	  -1,
	  false },
};

static struct protocol *protocol_of[WIRE_HEADERS];
static int ett_chain = -1;
static int hf_bytes = -1, hf_udp_source = -1, hf_udp_target = -1;
static expert_field ei_stopped = EI_INIT;
static dissector_table_t ethertypes, udp_ports;
static dissector_handle_t mac_control, uet, shim, csig;

/* ---- the parts of a frame ---- */

struct parts {
	struct explain_part v[PARTS_MAX];
	unsigned n;
	uint32_t from; /* the first byte of interest */
	struct packet packet;
};

static void take(void *ctx, const struct explain_part *part)
{
	struct parts *p = ctx;

	if (part->offset >= p->from && p->n < PARTS_MAX)
		p->v[p->n++] = *part;
}

/* False when |tvb| is not a part of the frame itself. */
static bool explain(tvbuff_t *tvb, packet_info *pinfo, struct parts *p,
		    struct explain_end *end)
{
	tvbuff_t *frame = tvb_get_ds_tvb(tvb);
	struct decode_input in;

	if (!session_input(frame, pinfo, &in))
		return false;
	p->n = 0;
	p->from = (uint32_t)tvb_raw_offset(tvb);
	p->packet = (struct packet) { 0 };
	packet_explain(&in, &settings()->decode, &p->packet, take, p, end);
	return p->n > 0;
}

static struct protocol *owner(const struct explain_part *part)
{
	struct protocol *p =
		part->header < 0 ? NULL : protocol_of[part->header];

	return p && !p->absent ? p : NULL;
}

/* ---- showing ---- */

struct showing {
	tvbuff_t *tvb;
	packet_info *pinfo;
	proto_tree *top, *tree;
	struct protocol *now;
	proto_item *item;
	int begun; /* where the current protocol began */
	uint32_t base;
};

static void end_protocol(struct showing *s, int at)
{
	if (s->item)
		proto_item_set_len(s->item, at - s->begun);
}

static void begin_protocol(struct showing *s, struct protocol *p, int at)
{
	if (p == s->now)
		return;
	end_protocol(s, at);
	s->item = proto_tree_add_item(s->top, p->id, s->tvb, at, -1, ENC_NA);
	s->tree = proto_item_add_subtree(s->item, ett_chain);
	s->now = p;
	s->begun = at;
	col_set_str(s->pinfo->cinfo, COL_PROTOCOL, p->label);
}

/* What is Wireshark's own again. */
static bool hand_over(struct showing *s, int header, int at)
{
	dissector_table_t table = ethertypes;
	uint32_t number;

	switch (header) {
	case WIRE_ipv4:
		number = ETYPE_IPV4;
		break;
	case WIRE_ipv6:
		number = ETYPE_IPV6;
		break;
	case WIRE_vlan:
		number = ETYPE_VLAN;
		break;
	case WIRE_bth:
		table = udp_ports;
		number = settings()->decode.roce_ports[0];
		break;
	default:
		return false;
	}
	end_protocol(s, at);
	dissector_try_uint(table, number, tvb_new_subset_remaining(s->tvb, at),
			   s->pinfo, s->top);
	return true;
}

static void show_part(struct showing *s, const struct explain_part *part)
{
	int at = (int)(part->offset - s->base);
	struct protocol *p = owner(part);
	proto_item *item;

	if (p) {
		begin_protocol(s, p, at);
		col_append_sep_str(s->pinfo->cinfo, COL_INFO, ", ",
				   wire_layout(part->header)->about->title);
		fields_show(s->tree, s->tvb, at, part->header);
		return;
	}
	if (part->header == WIRE_udp) {
		proto_tree_add_item(s->tree, hf_udp_source, s->tvb, at, 2,
				    ENC_BIG_ENDIAN);
		proto_tree_add_item(s->tree, hf_udp_target, s->tvb, at + 2, 2,
				    ENC_BIG_ENDIAN);
		return;
	}
	item = proto_tree_add_item(s->tree, hf_bytes, s->tvb, at,
				   (int)part->captured, ENC_NA);
	proto_item_prepend_text(item, "%s: ", part->name);
}

static void show_end(struct showing *s, const struct explain_end *end)
{
	proto_item *item;
	int at = (int)end->offset - (int)s->base;

	if (!end->why || at < 0)
		return;
	item = proto_tree_add_expert_format(
		s->tree, s->pinfo, &ei_stopped, s->tvb,
		at < (int)tvb_captured_length(s->tvb) ? at : 0, 0, "%s%s%s",
		end->at ? end->at : "", end->at ? ": " : "", end->why);
	proto_item_set_generated(item);
}

static const char *name_of(enum wire_list list, uint64_t value)
{
	const char *name = wire_name(list, value);

	return name ? name : "unknown";
}

/* PDC ids as they are sent; the receiver's is not known before its answer. */
static void add_pdc(column_info *c, const struct uet *u)
{
	col_append_fstr(c, COL_INFO, " PDC=0x%04x", u->spdcid);
	if (!(u->flags & UET_SYN))
		col_append_fstr(c, COL_INFO, ">0x%04x", u->dpdcid);
}

static void add_ses(column_info *c, const struct uet *u)
{
	if (u->flags & UET_REQUEST)
		col_append_fstr(c, COL_INFO, " %s",
				name_of(WIRE_LIST_ses_op, u->opcode));
	if (u->flags & UET_RESPONSE)
		col_append_fstr(c, COL_INFO, " %s %s",
				name_of(WIRE_LIST_ses_rsp_op, u->opcode),
				name_of(WIRE_LIST_ses_rc, u->return_code));
	if (u->flags & UET_MESSAGE)
		col_append_fstr(c, COL_INFO, " msg=%u", u->message_id);
}

static bool is_rudi(const struct uet *u)
{
	return u->type == PDS_RUDI_REQ || u->type == PDS_RUDI_RESP;
}

/* What an Ultra Ethernet packet is, for the list of packets. */
static void uet_info(packet_info *pinfo, const struct packet *p)
{
	const struct uet *u = &p->uet;
	column_info *c = pinfo->cinfo;

	if (p->kind != PACKET_UET || !(u->flags & UET_PDS) || !u->type)
		return;
	col_add_str(c, COL_INFO, name_of(WIRE_LIST_pds_type, u->type));
	if (u->type == PDS_NACK || u->type == PDS_NACK_CCX)
		col_append_fstr(c, COL_INFO, " %s",
				name_of(WIRE_LIST_nack_code, u->nack.code));
	if (u->type == PDS_CP)
		col_append_fstr(c, COL_INFO, " %s %s",
				u->flags & UET_ISROD ? "ROD" : "RUD",
				name_of(WIRE_LIST_cp_type, u->next));
	if (!is_rudi(u))
		add_pdc(c, u);
	col_append_fstr(c, COL_INFO, " %s=%u", is_rudi(u) ? "packet" : "PSN",
			p->psn);
	add_ses(c, u);
	if (u->flags & UET_RETX)
		col_append_str(c, COL_INFO, " retransmitted");
	if (u->flags & UET_TRIMMED)
		col_append_str(c, COL_INFO, " trimmed");
}

int chain_show(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree)
{
	struct parts *p = wmem_new(pinfo->pool, struct parts);
	struct explain_end end = { 0 };
	struct showing s = { .tvb = tvb, .pinfo = pinfo, .top = tree };
	int used = (int)tvb_captured_length(tvb);

	if (!explain(tvb, pinfo, p, &end) || p->v[0].offset != p->from ||
	    !owner(&p->v[0]))
		return 0;
	s.base = p->from;
	col_clear(pinfo->cinfo, COL_INFO);
	for (unsigned i = 0; i < p->n; i++) {
		int at = (int)(p->v[i].offset - s.base);

		if (!owner(&p->v[i]) && hand_over(&s, p->v[i].header, at))
			return used;
		show_part(&s, &p->v[i]);
	}
	uet_info(pinfo, &p->packet);
	show_end(&s, &end);
	return used;
}

/* ---- where Wireshark asks ---- */

static int dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
		   void *data)
{
	(void)data;
	return chain_show(tvb, pinfo, tree);
}

/* INT has no port of its own. */
HEURISTIC dissect_int(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
		      void *data)
{
	(void)data;
	return session_has_shim(tvb, pinfo) && chain_show(tvb, pinfo, tree);
}

static int dissect_mac_control(tvbuff_t *tvb, packet_info *pinfo,
			       proto_tree *tree, void *data)
{
	int used = chain_show(tvb, pinfo, tree);

	if (used || !mac_control)
		return used;
	return call_dissector_only(mac_control, tvb, pinfo, tree, data);
}

void chain_handoff(void)
{
	dissector_handle_t control;

	ethertypes = find_dissector_table("ethertype");
	udp_ports = find_dissector_table("udp.port");
	if (!protocols[0].absent)
		uet = create_dissector_handle(dissect, protocols[0].id);
	shim = create_dissector_handle(dissect, protocols[1].id);
	csig = create_dissector_handle(dissect, protocols[3].id);
	chain_place(true);
	heur_dissector_add("udp", dissect_int, "Telemetry over UDP",
			   "fabscope_int", protocols[2].id, HEURISTIC_ENABLE);
	mac_control =
		dissector_get_default_uint_handle("ethertype", ETYPE_PAUSE);
	control = create_dissector_handle(dissect_mac_control, protocols[4].id);
	dissector_add_uint("ethertype", ETYPE_PAUSE, control);
}

/* Numbers of IP protocols: IFA, or UET without UDP; the bytes tell. */
static void place_shims(bool on, const uint8_t protocols_of[static 4])
{
	uint16_t list[4];

	for (int i = 0; i < 4; i++)
		list[i] = protocols_of[i];
	settings_place(on, "ip.proto", list, shim);
}

void chain_place(bool on)
{
	const struct decode_options *o = &settings()->decode;

	if (uet)
		settings_place(on, "udp.port", o->uet_ports, uet);
	place_shims(on, o->ifa_protocols);
	place_shims(on, o->uet_protocols);
	settings_place(on, "ethertype", o->csig_tpids, csig);
	settings_place(on, "ethertype", o->csig_wide_tpids, csig);
}

/* ---- registering ---- */

static bool begins_with(const char *name, const char *prefix)
{
	size_t n = strlen(prefix);

	/* "ifa", "ifa_md", "ifa1" */
	return !strncmp(name, prefix, n) && !g_ascii_isalpha(name[n]);
}

static bool is_of(const struct protocol *p, const char *header,
		  const char **prefix)
{
	for (unsigned i = 0; i < PREFIXES && p->prefixes[i]; i++) {
		*prefix = p->prefixes[i];
		if (begins_with(header, *prefix))
			return true;
	}
	return false;
}

static void register_protocol(struct protocol *p)
{
	const char *prefix, *filter;

	p->absent = proto_get_id_by_filter_name(p->filter) != -1;
	if (p->absent)
		return;
	p->id = proto_register_protocol(p->name, p->label, p->filter);
	for (int h = 0; h < WIRE_HEADERS; h++) {
		const char *name = wire_layout(h)->about->name;

		if (!is_of(p, name, &prefix))
			continue;
		protocol_of[h] = p;
		filter = p->filter;
		if (p->flat && strcmp(prefix, p->filter) != 0)
			filter = wmem_strdup_printf(wmem_epan_scope(), "%s.%s",
						    p->filter, prefix);
		fields_register(p->id, filter, h, p->flat);
	}
}

void chain_register(void)
{
	static hf_register_info hf[] = {
		{ &hf_bytes,
		  { "Bytes", "fabscope.bytes", FT_BYTES, BASE_NONE, NULL, 0x0,
		    NULL, HFILL } },
		{ &hf_udp_source,
		  { "Source port", "ifa.udp.srcport", FT_UINT16, BASE_DEC, NULL,
		    0x0, NULL, HFILL } },
		{ &hf_udp_target,
		  { "Destination port", "ifa.udp.dstport", FT_UINT16, BASE_DEC,
		    NULL, 0x0, NULL, HFILL } },
	};
	static ei_register_info ei[] = {
		{ &ei_stopped,
		  { "fabscope.stopped", PI_MALFORMED, PI_WARN,
		    "Not understood from here on", EXPFILL } },
	};
	static int *ett[] = { &ett_chain };

	for (unsigned i = 0; i < array_length(protocols); i++)
		register_protocol(&protocols[i]);
	proto_register_field_array(protocols[1].id, hf, array_length(hf));
	proto_register_subtree_array(ett, array_length(ett));
	expert_register_field_array(expert_register_protocol(protocols[1].id),
				    ei, array_length(ei));
}

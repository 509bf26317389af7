/* SPDX-License-Identifier: GPL-2.0-or-later
 * Conversations and endpoints: queue pairs, and the packet delivery contexts
 * (PDC) of Ultra Ethernet, with their addresses.
 *
 * No packet of RoCE but a datagram carries the queue pair it comes from, and
 * the first ones of a context do not know where they go.  It is what packets
 * of the other direction say, as soon as the engine has paired the two; until
 * then it is 0. */
#include <string.h>

#include <epan/address.h>
#include <epan/conversation.h>
#include <epan/conversation_table.h>
#include <epan/tap.h>

#include "base/addr.h"
#include "dissectors/compat.h"
#include "dissectors/plugin.h"
#include "dissectors/session.h"

static int tap_qp = -1, tap_pdc = -1;

/* ---- the numbers as fields, for filters ---- */

enum end_field { EITHER, FROM, TO, END_FIELDS };
enum kind { QP, PDC, KINDS };

static int hf[KINDS][END_FIELDS] = { { -1, -1, -1 }, { -1, -1, -1 } };
/* Says only that there are numbers, and how they are written.  What was made
 * for queue pairs leaves the number out of the filters of the menu. */
#define NUMBERED CONVERSATION_NCP

#define ENDS(kind, NAME, name, TYPE, BASE)                                     \
	{ &hf[kind][EITHER],                                                   \
	  { NAME " at either end", "fabscope." name, TYPE, BASE, NULL, 0x0,    \
	    NULL, HFILL } },                                                   \
		{ &hf[kind][FROM],                                             \
		  { "Source " NAME, "fabscope." name ".src", TYPE, BASE, NULL, \
		    0x0, "As soon as the other direction says so", HFILL } },  \
	{                                                                      \
		&hf[kind][TO],                                                 \
		{                                                              \
			"Destination " NAME, "fabscope." name ".dst", TYPE,    \
				BASE, NULL, 0x0, NULL, HFILL                   \
		}                                                              \
	}

static hf_register_info fields[] = {
	ENDS(QP, "QP", "qp", FT_UINT24, BASE_HEX),
	ENDS(PDC, "PDC", "pdc", FT_UINT32, BASE_DEC),
};

static enum kind kind_of(const struct tapped *t)
{
	return t->packet->kind == PACKET_UET ? PDC : QP;
}

/* Connectionless packets of Ultra Ethernet have none. */
static bool has_ends(const struct tapped *t)
{
	return kind_of(t) == QP ||
	       (t->packet->uet.flags & UET_PDS && t->packet->uet.spdcid);
}

static void add(proto_tree *tree, tvbuff_t *tvb, enum kind kind,
		enum end_field which, uint32_t number)
{
	proto_item *either;

	if (number == ENDS_UNKNOWN)
		return;
	proto_item_set_generated(
		proto_tree_add_uint(tree, hf[kind][which], tvb, 0, 0, number));
	either = proto_tree_add_uint(tree, hf[kind][EITHER], tvb, 0, 0, number);
	proto_item_set_generated(either);
	proto_item_set_hidden(either);
}

void tables_show(proto_tree *tree, tvbuff_t *tvb, const struct tapped *t)
{
	struct ends e;

	if (!tree || !has_ends(t))
		return;
	e = known_ends(t->judged, t->packet);
	add(tree, tvb, kind_of(t), FROM, e.from);
	add(tree, tvb, kind_of(t), TO, e.to);
}

/* ---- rows as filters ---- */

static const char *filter_of(const address *a, enum kind kind,
			     conv_filter_type_e filter)
{
	bool v6 = a->type == AT_IPv6;

	switch (filter) {
	case CONV_FT_SRC_ADDRESS:
		return v6 ? "ipv6.src" : "ip.src";
	case CONV_FT_DST_ADDRESS:
		return v6 ? "ipv6.dst" : "ip.dst";
	case CONV_FT_ANY_ADDRESS:
		return v6 ? "ipv6.addr" : "ip.addr";
	case CONV_FT_SRC_PORT:
		return kind == PDC ? "fabscope.pdc.src" : "fabscope.qp.src";
	case CONV_FT_DST_PORT:
		return kind == PDC ? "fabscope.pdc.dst" : "fabscope.qp.dst";
	case CONV_FT_ANY_PORT:
		return kind == PDC ? "fabscope.pdc" : "fabscope.qp";
	default:
		return CONV_FILTER_INVALID;
	}
}

static const char *qp_conversation(struct _conversation_item_t *item,
				   conv_filter_type_e filter)
{
	return filter_of(&item->src_address, QP, filter);
}

static const char *pdc_conversation(struct _conversation_item_t *item,
				    conv_filter_type_e filter)
{
	return filter_of(&item->src_address, PDC, filter);
}

static const char *qp_endpoint(struct _endpoint_item_t *item,
			       conv_filter_type_e filter)
{
	return filter_of(&item->myaddress, QP, filter);
}

static const char *pdc_endpoint(struct _endpoint_item_t *item,
				conv_filter_type_e filter)
{
	return filter_of(&item->myaddress, PDC, filter);
}

static ct_dissector_info_t conversation_info[KINDS] = { { qp_conversation },
							{ pdc_conversation } };
static et_dissector_info_t endpoint_info[KINDS] = { { qp_endpoint },
						    { pdc_endpoint } };

/* ---- rows ---- */

/* The address of the engine as one of Wireshark's, which borrows it. */
static void set(address *out, const struct addr *a)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	const uint8_t *bytes = (const uint8_t *)a;

	if (memcmp(bytes, mapped, sizeof mapped) != 0)
		set_address(out, AT_IPv6, 16, bytes);
	else
		set_address(out, AT_IPv4, 4, bytes + sizeof mapped);
}

static uint32_t or_zero(uint32_t number)
{
	return number == ENDS_UNKNOWN ? 0 : number;
}

static tap_packet_status conversation(void *hash, packet_info *pinfo,
				      epan_dissect_t *edt, const void *data,
				      tap_flags_t flags)
{
	const struct tapped *t = data;
	const struct ends e = known_ends(t->judged, t->packet);
	conv_hash_t *table = hash;
	address src, dst;

	(void)edt;
	table->flags = flags;
	set(&src, &t->packet->src);
	set(&dst, &t->packet->dst);
	add_conversation_table_data(table, &src, &dst, or_zero(e.from),
				    or_zero(e.to), 1, (int)pinfo->fd->pkt_len,
				    &pinfo->rel_ts, &pinfo->abs_ts,
				    &conversation_info[kind_of(t)], NUMBERED);
	return TAP_PACKET_REDRAW;
}

static tap_packet_status endpoint(void *hash, packet_info *pinfo,
				  epan_dissect_t *edt, const void *data,
				  tap_flags_t flags)
{
	const struct tapped *t = data;
	const struct ends e = known_ends(t->judged, t->packet);
	conv_hash_t *table = hash;
	address src, dst;

	(void)edt;
	table->flags = flags;
	set(&src, &t->packet->src);
	set(&dst, &t->packet->dst);
	add_endpoint_table_data(table, &src, or_zero(e.from), TRUE, 1,
				(int)pinfo->fd->pkt_len,
				&endpoint_info[kind_of(t)], NUMBERED);
	add_endpoint_table_data(table, &dst, or_zero(e.to), FALSE, 1,
				(int)pinfo->fd->pkt_len,
				&endpoint_info[kind_of(t)], NUMBERED);
	return TAP_PACKET_REDRAW;
}

void tables_tap(packet_info *pinfo, const struct tapped *t)
{
	if (has_ends(t))
		tap_queue_packet(kind_of(t) == QP ? tap_qp : tap_pdc, pinfo, t);
}

/* A table has the name and the tap of its protocol. */
static void add_table(const char *name, const char *label, const char *filter,
		      int *tap)
{
	int proto = proto_register_protocol(name, label, filter);

	*tap = register_tap(filter);
	register_conversation_table(proto, FALSE, conversation, endpoint);
}

void tables_register(void)
{
	proto_register_field_array(proto_fabscope, fields,
				   array_length(fields));
	add_table("Queue pairs (fabscope)", "RDMA QP", "fabscope_qp", &tap_qp);
	add_table("Packet delivery contexts (fabscope)", "UET PDC",
		  "fabscope_pdc", &tap_pdc);
}

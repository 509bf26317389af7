/* SPDX-License-Identifier: GPL-2.0-or-later
 * Conversations and endpoints: queue pairs with their addresses.
 *
 * No packet but a datagram carries the queue pair it comes from.  It is what
 * the packets of the other direction are sent to, as soon as the engine has
 * paired the two; until then it is 0. */
#include <string.h>

#include <epan/address.h>
#include <epan/conversation.h>
#include <epan/conversation_table.h>

#include "base/addr.h"
#include "dissectors/compat.h"
#include "dissectors/plugin.h"
#include "dissectors/session.h"

static const char *conversation_filter(struct _conversation_item_t *item,
				       conv_filter_type_e filter)
{
	switch (filter) {
	case CONV_FT_SRC_ADDRESS:
		return item->src_address.type == AT_IPv6 ? "ipv6.src"
							 : "ip.src";
	case CONV_FT_DST_ADDRESS:
		return item->dst_address.type == AT_IPv6 ? "ipv6.dst"
							 : "ip.dst";
	case CONV_FT_ANY_ADDRESS:
		return item->src_address.type == AT_IPv6 ? "ipv6.addr"
							 : "ip.addr";
	case CONV_FT_DST_PORT:
	case CONV_FT_ANY_PORT:
		return "infiniband.bth.destqp";
	default:
		return CONV_FILTER_INVALID;
	}
}

static const char *endpoint_filter(struct _endpoint_item_t *item,
				   conv_filter_type_e filter)
{
	bool v6 = item->myaddress.type == AT_IPv6;

	switch (filter) {
	case CONV_FT_SRC_ADDRESS:
		return v6 ? "ipv6.src" : "ip.src";
	case CONV_FT_DST_ADDRESS:
		return v6 ? "ipv6.dst" : "ip.dst";
	case CONV_FT_ANY_ADDRESS:
		return v6 ? "ipv6.addr" : "ip.addr";
	case CONV_FT_DST_PORT:
	case CONV_FT_ANY_PORT:
		return "infiniband.bth.destqp";
	default:
		return CONV_FILTER_INVALID;
	}
}

static ct_dissector_info_t conversation_info = { conversation_filter };
static et_dissector_info_t endpoint_info = { endpoint_filter };

/* The address of the engine as one of Wireshark's, which borrows it. */
static void set(address *out, const struct addr *a)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	const uint8_t *octets = (const uint8_t *)a;

	if (memcmp(octets, mapped, sizeof mapped) != 0)
		set_address(out, AT_IPv6, 16, octets);
	else
		set_address(out, AT_IPv4, 4, octets + sizeof mapped);
}

static uint32_t source_of(const struct tapped *t)
{
	uint32_t qp = session_source_qp(t->judged);

	if (t->packet->flags & PACKET_HAS_DETH)
		return t->packet->src_qp;
	return qp == UINT32_MAX ? 0 : qp;
}

static tap_packet_status conversation(void *hash, packet_info *pinfo,
				      epan_dissect_t *edt, const void *data,
				      tap_flags_t flags)
{
	const struct tapped *t = data;
	conv_hash_t *table = hash;
	address src, dst;

	(void)edt;
	table->flags = flags;
	set(&src, &t->packet->src);
	set(&dst, &t->packet->dst);
	add_conversation_table_data(
		table, &src, &dst, source_of(t), t->packet->dst_qp, 1,
		(int)pinfo->fd->pkt_len, &pinfo->rel_ts, &pinfo->abs_ts,
		&conversation_info, CONVERSATION_IBQP);
	return TAP_PACKET_REDRAW;
}

static tap_packet_status endpoint(void *hash, packet_info *pinfo,
				  epan_dissect_t *edt, const void *data,
				  tap_flags_t flags)
{
	const struct tapped *t = data;
	conv_hash_t *table = hash;
	address src, dst;

	(void)edt;
	table->flags = flags;
	set(&src, &t->packet->src);
	set(&dst, &t->packet->dst);
	add_endpoint_table_data(table, &src, source_of(t), TRUE, 1,
				(int)pinfo->fd->pkt_len, &endpoint_info,
				ENDPOINT_NONE);
	add_endpoint_table_data(table, &dst, t->packet->dst_qp, FALSE, 1,
				(int)pinfo->fd->pkt_len, &endpoint_info,
				ENDPOINT_NONE);
	return TAP_PACKET_REDRAW;
}

void tables_register(void)
{
	register_conversation_table(proto_fabscope, FALSE, conversation,
				    endpoint);
}

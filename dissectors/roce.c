/* SPDX-License-Identifier: GPL-2.0-or-later
 * RoCEv2: Wireshark's own dissector stays in charge.  What it gets wrong in
 * every version up to 4.6 is mended behind it:
 *
 *      CNP             "Unknown OpCode (129)", its body "vendor specific"
 *      byte 4 of BTH  FECN and BECN shown as reserved
 *      cut packets     "Invalid Packet Length from LRH! [Malformed Packet]" in
 *                      the Info column, though all headers are right
 *
 * The mended fields are children of Wireshark's own, so that a filter on
 * either works. */
#include <string.h>

#include <epan/expert.h>

#include "dissectors/chain.h"
#include "dissectors/compat.h"
#include "dissectors/fields.h"
#include "dissectors/plugin.h"
#include "dissectors/session.h"
#include "dissectors/settings.h"
#include "wire/wire.h"

static int proto_roce = -1;
static int ett_mended = -1;
static expert_field ei_cnp = EI_INIT;
static dissector_handle_t native, mended;

static const char WRONG[] = "Invalid Packet Length from LRH!";

/* ---- Wireshark's tree ---- */

struct wanted {
	const char *abbrev;
	proto_node *found;
};

static void look(proto_node *node, void *data)
{
	struct wanted *w = data;

	if (w->found)
		return;
	if (PNODE_FINFO(node) &&
	    !strcmp(PNODE_FINFO(node)->hfinfo->abbrev, w->abbrev))
		w->found = node;
	else
		proto_tree_children_foreach(node, look, data);
}

/* The first item of field |abbrev|, NULL when nobody builds a tree. */
static proto_node *find(proto_tree *tree, const char *abbrev)
{
	struct wanted w = { .abbrev = abbrev };

	if (tree)
		proto_tree_children_foreach(tree, look, &w);
	return w.found;
}

/* Below |item| if there is one.  There is none when nobody looks at the tree;
 * then a filter may still ask for the fields, wherever they are. */
static proto_tree *below(proto_item *item, proto_tree *tree)
{
	return item ? proto_item_add_subtree(item, ett_mended) : tree;
}

static void mend_byte_4(proto_tree *tree, tvbuff_t *tvb)
{
	proto_item *item = find(tree, "infiniband.reserved");
	uint8_t byte = tvb_get_uint8(tvb, WIRE_OFF(bth, fecn) / 8);
	proto_tree *sub = below(item, tree);

	if (item)
		proto_item_set_text(item,
				    "Congestion: FECN %u, BECN %u, reserved %u",
				    byte >> 7, byte >> 6 & 1, byte & 0x3f);
	fields_show_one(sub, tvb, 0, WIRE_bth, "fecn");
	fields_show_one(sub, tvb, 0, WIRE_bth, "becn");
	fields_show_one(sub, tvb, 0, WIRE_bth, "resv6");
}

static void mend_cnp(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo)
{
	proto_item *opcode = find(tree, "infiniband.bth.opcode");
	proto_item *body = find(tree, "infiniband.vendor");

	if (opcode)
		proto_item_set_text(opcode, "Opcode: %s (%d)",
				    wire_opcode(CNP)->name, CNP);
	expert_add_info(pinfo, opcode, &ei_cnp);
	if (body)
		proto_item_set_text(body, "Congestion notification, "
					  "invariant CRC");
	if (tvb_captured_length(tvb) >= WIRE_SIZE_bth + WIRE_SIZE_cnp)
		fields_show(below(body, tree), tvb, WIRE_SIZE_bth, WIRE_cnp);
}

/* ---- the Info column ---- */

/* What went before the sentence that is wrong stays. */
static void replace_info(packet_info *pinfo, const char *from, tvbuff_t *tvb)
{
	uint8_t code = tvb_get_uint8(tvb, 0);
	const char *name = wire_opcode(code)->name;
	const char *info = col_get_text(pinfo->cinfo, COL_INFO);
	const char *wrong = info ? strstr(info, from) : NULL;
	char *before;

	if (!wrong)
		return;
	before = wmem_strndup(pinfo->pool, info, (size_t)(wrong - info));
	col_clear_fence(pinfo->cinfo, COL_INFO);
	col_add_fstr(pinfo->cinfo, COL_INFO, "%s%s QP=0x%06x ", before,
		     name ? name : "opcode unknown",
		     tvb_get_ntoh24(tvb, WIRE_OFF(bth, destqp) / 8));
}

static int dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
		   void *data)
{
	int used;

	/* Telemetry between UDP and BTH comes back to here. */
	if (session_has_shim(tvb, pinfo) &&
	    (used = chain_show(tvb, pinfo, tree)) > 0)
		return used;
	used = call_dissector_with_data(native, tvb, pinfo, tree, data);
	if (tvb_captured_length(tvb) < WIRE_SIZE_bth)
		return used;
	mend_byte_4(tree, tvb);
	if (tvb_get_uint8(tvb, 0) == CNP) {
		mend_cnp(tree, tvb, pinfo);
		replace_info(pinfo, "Unknown OpCode", tvb);
	} else if (tvb_captured_length(tvb) < tvb_reported_length(tvb)) {
		replace_info(pinfo, WRONG, tvb);
	}
	return used;
}

/* ---- */

void roce_register(void)
{
	static int *ett[] = { &ett_mended };
	static ei_register_info ei[] = {
		{ &ei_cnp,
		  { "roce.cnp.expert", PI_SEQUENCE, PI_NOTE,
		    "Congestion notification: the sender is to slow down",
		    EXPFILL } },
	};

	proto_roce = proto_register_protocol("RoCE, what Wireshark leaves out",
					     "RoCE (fabscope)", "roce");
	fields_register(proto_roce, "roce", WIRE_bth, false);
	fields_register(proto_roce, "roce", WIRE_cnp, false);
	proto_register_subtree_array(ett, array_length(ett));
	expert_register_field_array(expert_register_protocol(proto_roce), ei,
				    array_length(ei));
}

void roce_handoff(void)
{
	native = dissector_get_default_uint_handle("udp.port", UDP_PORT_ROCE);
	if (!native)
		return;
	mended = create_dissector_handle(dissect, proto_roce);
	roce_place(true);
}

void roce_place(bool on)
{
	if (mended)
		settings_place(on, "udp.port", settings()->decode.roce_ports,
			       mended);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Wireshark's fields, out of the descriptions of src/wire. */
#include "dissectors/fields.h"

#include <stdio.h>
#include <string.h>

enum { WIDEST = 64 }; /* bits of what Wireshark takes for a number */

/* Of each header that was registered: the fields' ids, in wire order. */
static struct {
	int *hf;
	int ett;
} known[WIRE_HEADERS];

/* ---- what a field is for Wireshark ---- */

/* The bytes that a field lies in, in bits; over WIDEST: no number. */
static unsigned container(const struct wire_field *f)
{
	unsigned first = f->off / 8, end = (f->off + f->width + 7u) / 8;

	return 8 * (end - first);
}

static bool is_number(const struct wire_field *f)
{
	return f->base < WIRE_MAC && container(f) <= WIDEST;
}

static enum ftenum type_of(const struct wire_field *f)
{
	static const enum ftenum signs[] = {
		FT_INT8,  FT_INT16, FT_INT24, FT_INT32,
		FT_INT40, FT_INT48, FT_INT56, FT_INT64,
	};
	static const enum ftenum numbers[] = {
		FT_UINT8,  FT_UINT16, FT_UINT24, FT_UINT32,
		FT_UINT40, FT_UINT48, FT_UINT56, FT_UINT64,
	};

	switch (f->base) {
	case WIRE_MAC:
		return FT_ETHER;
	case WIRE_IP4:
		return FT_IPv4;
	case WIRE_IP6:
		return FT_IPv6;
	case WIRE_FLAG:
		return FT_BOOLEAN;
	default:
		break;
	}
	if (!is_number(f))
		return FT_BYTES;
	return (f->base == WIRE_SIGN ? signs : numbers)[container(f) / 8 - 1];
}

static uint64_t mask_of(const struct wire_field *f)
{
	unsigned bits = container(f);

	if (!is_number(f) || (f->width == bits && f->base != WIRE_FLAG))
		return 0;
	return wire_mask(f->width) << (bits - f->off % 8 - f->width);
}

/* Codes that stand for numbers become texts, "10000 ns". */
static const char *row_text(const struct wire_rows *rows, unsigned i)
{
	if (rows->rows[i].text)
		return rows->rows[i].text;
	return wmem_strdup_printf(wmem_epan_scope(), "%u %s",
				  rows->rows[i].number, rows->unit);
}

static const void *names32(const struct wire_rows *rows)
{
	value_string *v =
		wmem_alloc0_array(wmem_epan_scope(), value_string, rows->n + 1);

	for (unsigned i = 0; i < rows->n; i++) {
		v[i].value = rows->rows[i].value;
		v[i].strptr = row_text(rows, i);
	}
	return v;
}

static const void *names64(const struct wire_rows *rows)
{
	val64_string *v =
		wmem_alloc0_array(wmem_epan_scope(), val64_string, rows->n + 1);

	for (unsigned i = 0; i < rows->n; i++) {
		v[i].value = rows->rows[i].value;
		v[i].strptr = row_text(rows, i);
	}
	return v;
}

static void set_display(header_field_info *info, const struct wire_field *f)
{
	const struct wire_rows *rows = wire_rows(f->list);

	if (f->base == WIRE_FLAG) {
		info->display = (int)container(f);
		return;
	}
	if (!is_number(f)) {
		info->display = BASE_NONE;
		return;
	}
	info->display = f->base == WIRE_HEX ? BASE_HEX : BASE_DEC;
	if (!rows)
		return;
	if (container(f) > 32)
		info->display |= BASE_VAL64_STRING;
	info->strings = container(f) > 32 ? names64(rows) : names32(rows);
}

/* ---- registering ---- */

/* "ifa", "ifa_md", "version": "ifa.md.version"; |flat|: "ifa.version". */
static const char *abbreviation(const char *filter, const char *header,
				const char *field, bool flat)
{
	size_t n = strlen(filter);

	if (!strncmp(header, filter, n) &&
	    (header[n] == '_' || header[n] == '\0'))
		header += n + (header[n] == '_');
	if (flat || !*header)
		return wmem_strdup_printf(wmem_epan_scope(), "%s.%s", filter,
					  field);
	return wmem_strdup_printf(wmem_epan_scope(), "%s.%s.%s", filter, header,
				  field);
}

void fields_register(int proto, const char *filter, enum wire_header h,
		     bool flat)
{
	const struct wire_layout *l = wire_layout(h);
	hf_register_info *rows;
	int *ett[1];

	if (known[h].hf)
		return;
	rows = wmem_alloc0_array(wmem_epan_scope(), hf_register_info,
				 l->n_fields);
	known[h].hf = wmem_alloc_array(wmem_epan_scope(), int, l->n_fields);
	for (unsigned i = 0; i < l->n_fields; i++) {
		const struct wire_field *f = &l->fields[i];
		header_field_info *info = &rows[i].hfinfo;

		known[h].hf[i] = -1;
		rows[i].p_id = &known[h].hf[i];
		info->name = f->label;
		info->abbrev =
			abbreviation(filter, l->about->name, f->name, flat);
		info->type = type_of(f);
		info->bitmask = mask_of(f);
		set_display(info, f);
		info->id = -1;
		info->parent = 0;
		info->ref_type = HF_REF_TYPE_NONE;
		info->same_name_prev_id = -1;
		info->same_name_next = NULL;
	}
	proto_register_field_array(proto, rows, (int)l->n_fields);
	known[h].ett = -1;
	ett[0] = &known[h].ett;
	proto_register_subtree_array(ett, 1);
}

/* ---- showing ---- */

/* The form of |h| that the bytes say; |h| when they are not all there. */
static enum wire_header form_at(tvbuff_t *tvb, int offset, enum wire_header h)
{
	unsigned size = wire_layout(h)->size;
	int there = tvb_captured_length_remaining(tvb, offset);
	enum wire_header form;

	if (there <= 0)
		return h;
	if ((unsigned)there < size)
		size = (unsigned)there;
	form = wire_form(h, tvb_get_ptr(tvb, offset, (int)size), size);
	return known[form].hf ? form : h;
}

static proto_item *show_field(proto_tree *tree, tvbuff_t *tvb, int offset,
			      enum wire_header h, unsigned i)
{
	const struct wire_field *f = &wire_layout(h)->fields[i];

	return proto_tree_add_item(tree, known[h].hf[i], tvb,
				   offset + f->off / 8, (int)container(f) / 8,
				   f->base == WIRE_LE ? ENC_LITTLE_ENDIAN
						      : ENC_BIG_ENDIAN);
}

proto_tree *fields_show(proto_tree *tree, tvbuff_t *tvb, int offset,
			enum wire_header h)
{
	const struct wire_layout *l;
	proto_tree *sub;
	int there = tvb_captured_length_remaining(tvb, offset);

	h = form_at(tvb, offset, h);
	l = wire_layout(h);
	sub = proto_tree_add_subtree(
		tree, tvb, offset, there < (int)l->size ? there : (int)l->size,
		known[h].ett, NULL, l->about->title);
	for (unsigned i = 0; i < l->n_fields; i++)
		show_field(sub, tvb, offset, h, i);
	return sub;
}

proto_item *fields_show_one(proto_tree *tree, tvbuff_t *tvb, int offset,
			    enum wire_header h, const char *field)
{
	const struct wire_layout *l = wire_layout(h);

	for (unsigned i = 0; i < l->n_fields; i++)
		if (!strcmp(l->fields[i].name, field))
			return show_field(tree, tvb, offset, h, i);
	return NULL;
}

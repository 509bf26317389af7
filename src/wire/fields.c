/* SPDX-License-Identifier: GPL-2.0-or-later
 * The descriptions written out for people. */
#include "wire/fields.h"

#include <inttypes.h>
#include <stdbool.h>

#include "wire/table.h"

static const char *const base_names[] = {
	[WIRE_FLAG] = "flag", [WIRE_DEC] = "dec",   [WIRE_HEX] = "hex",
	[WIRE_LE] = "le",     [WIRE_SIGN] = "sign", [WIRE_MAC] = "mac",
	[WIRE_IP4] = "ipv4",  [WIRE_IP6] = "ipv6",  [WIRE_RAW] = "raw",
};

static const char *const status_names[] = {
	[WIRE_CONFIRMED] = "CONFIRMED",
	[WIRE_SINGLE] = "SINGLE",
	[WIRE_RECALLED] = "RECALLED",
	[WIRE_CONFLICT] = "CONFLICT",
};

static const char *const payload_names[] = {
	[PAYLOAD_NONE] = "none",      [PAYLOAD_ANY] = "0 to PMTU",
	[PAYLOAD_SOME] = "1 to PMTU", [PAYLOAD_FULL] = "PMTU",
	[PAYLOAD_EIGHT] = "8 bytes",
};

static const char legend[] =
	"An offset is byte.bit from the start of the header, bit 0 being the\n"
	"most significant.  Everything is big-endian unless its base is le, "
	"and\n"
	"unsigned unless its base is sign.\n"
	"How sure we are: CONFIRMED (two sources agree, or one and bytes that\n"
	"were recomputed), SINGLE (one source), RECALLED (the standard as\n"
	"remembered, not read again), CONFLICT (sources disagree), UNKNOWN\n"
	"(looked for, not found).\n";

/* --- headers --- */

/* The page a list stands on, so that pages can refer to each other. */
static const char *page_of_list(unsigned list)
{
	const char *page = "";

	for (unsigned i = 0; i < wire_n_items; i++) {
		if (wire_items[i].kind == WIRE_ITEM_GROUP)
			page = wire_items[i].name;
		if (wire_items[i].kind == WIRE_ITEM_LIST &&
		    wire_items[i].id == list)
			break;
	}
	return page;
}

/* |pages|: other groups stand on pages of their own. */
static void print_field(FILE *out, const struct wire_field *f, bool pages)
{
	const struct wire_rows *rows = wire_rows(f->list);

	fprintf(out, "| %s | %u.%u | %u | %s | ", f->name, f->off / 8U,
		f->off % 8U, f->width, base_names[f->base]);
	if (rows)
		fprintf(out, "[%s](%s%s#values-of-%s)", rows->about.name,
			pages ? page_of_list(f->list) : "", pages ? ".md" : "",
			rows->about.name);
	fprintf(out, " | %s |\n", f->label);
}

static void print_about(FILE *out, const struct wire_about *a)
{
	fprintf(out, "%s.  %s.\n", a->spec, status_names[a->status]);
	if (*a->note)
		fprintf(out, "\n%s\n", a->note);
}

static void print_rules(FILE *out, const struct wire_rule *rules, unsigned n,
			unsigned id, const char *what)
{
	const char *before = "\n";

	for (unsigned i = 0; i < n; i++) {
		if (rules[i].header != id)
			continue;
		fprintf(out, "%s- %s = %" PRIu32 ": %s %s\n", before,
			rules[i].field, rules[i].value, what,
			wire_layout(rules[i].other)->about->name);
		before = "";
	}
}

static void print_header(FILE *out, unsigned id, bool pages)
{
	const struct wire_layout *l = wire_layout(id);

	fprintf(out, "\n## %s\n\n%s, %u bytes.  ", l->about->name,
		l->about->title, l->size);
	print_about(out, l->about);
	fputs("\n| Field | Offset | Bits | Base | Values | Meaning |\n"
	      "|---|---|---|---|---|---|\n",
	      out);
	for (unsigned i = 0; i < l->n_fields; i++)
		print_field(out, &l->fields[i], pages);
	print_rules(out, wire_forms, wire_n_forms, id, "read as");
	print_rules(out, wire_nexts, wire_n_nexts, id, "followed by");
}

/* --- lists --- */

static void print_chain(FILE *out, unsigned chain)
{
	const char *before = "";

	for (unsigned i = 0; i < WIRE_EXTENSIONS; i++) {
		if (!(chain & 1u << i))
			continue;
		fprintf(out, "%s%s", before,
			wire_layout(WIRE_rdeth + i)->about->name);
		before = " ";
	}
}

static const char *message_part(unsigned does)
{
	static const char *const parts[] = { "", "starts", "ends", "whole" };

	return parts[does & (OP_STARTS | OP_ENDS)];
}

static void print_opcode(FILE *out, const struct wire_row *row)
{
	const struct wire_opcode *op = wire_opcode((uint8_t)row->value);

	fprintf(out, "| 0x%02x | %s | %s | ", row->value, row->id, op->name);
	print_chain(out, op->chain);
	fprintf(out, " | %u | %s | %s | %s | %s |\n", op->headers,
		message_part(op->does), op->does & OP_RQE ? "yes" : "",
		op->does & OP_REPLY ? "response" : "request",
		payload_names[op->payload]);
}

static void print_opcodes(FILE *out, const struct wire_rows *l)
{
	fputs("\n| Opcode | Constant | Name | After the BTH | Bytes with BTH "
	      "| Message | Takes RQE | Stream | Payload |\n"
	      "|---|---|---|---|---|---|---|---|---|\n",
	      out);
	for (unsigned i = 0; i < l->n; i++)
		print_opcode(out, &l->rows[i]);
}

static void print_names(FILE *out, const struct wire_rows *l)
{
	fputs("\n| Value | Constant | Name |\n|---|---|---|\n", out);
	for (unsigned i = 0; i < l->n; i++) {
		fprintf(out, "| %" PRIu32, l->rows[i].value);
		if (l->rows[i].value > 9)
			fprintf(out, " (0x%" PRIx32 ")", l->rows[i].value);
		fprintf(out, " | %s | %s |\n", l->rows[i].id, l->rows[i].text);
	}
}

static void print_numbers(FILE *out, const struct wire_rows *l)
{
	fprintf(out, "\n| Code | %s |\n|---|---|\n", l->unit);
	for (unsigned i = 0; i < l->n; i++)
		fprintf(out, "| %" PRIu32 " | %" PRIu32 " |\n",
			l->rows[i].value, l->rows[i].number);
}

static void print_list(FILE *out, unsigned id)
{
	const struct wire_rows *l = wire_rows(id);

	fprintf(out, "\n## Values of %s\n\n%s.  ", l->about.name,
		l->about.title);
	print_about(out, &l->about);
	if (id == WIRE_LIST_opcode)
		print_opcodes(out, l);
	else if (l->unit)
		print_numbers(out, l);
	else
		print_names(out, l);
}

/* --- pages --- */

static void print_group(FILE *out, const struct wire_item *group, bool pages)
{
	const struct wire_item *end = wire_items + wire_n_items;

	for (const struct wire_item *i = group + 1; i < end; i++) {
		if (i->kind == WIRE_ITEM_GROUP)
			break;
		if (i->kind == WIRE_ITEM_HEADER)
			print_header(out, i->id, pages);
		else
			print_list(out, i->id);
	}
}

void wire_page_print(FILE *out, const struct wire_item *group)
{
	fprintf(out,
		"# %s\n\nWritten by wire-docs from src/wire/%s.def: edit "
		"that.\n\n%s",
		group->title, group->name, legend);
	print_group(out, group, true);
}

void wire_index_print(FILE *out)
{
	fputs("# Wire formats\n\n"
	      "Every header that fabscope reads, written by wire-docs from "
	      "the\n"
	      "descriptions in src/wire/*.def.\n",
	      out);
	for (unsigned i = 0; i < wire_n_items; i++) {
		const struct wire_item *item = &wire_items[i];

		if (item->kind == WIRE_ITEM_GROUP)
			fprintf(out, "\n- [%s](%s.md):", item->title,
				item->name);
		else if (item->kind == WIRE_ITEM_HEADER)
			fprintf(out, " %s", wire_layout(item->id)->about->name);
	}
	fputs("\n", out);
}

static void print_line(FILE *out, const struct wire_layout *l,
		       const struct wire_field *f)
{
	char name[64];

	snprintf(name, sizeof name, "%s.%s", l->about->name, f->name);
	fprintf(out, "%-26s %4u %5u  %-5s %s\n", name, f->off, f->width,
		base_names[f->base], f->label);
}

static void print_lines(FILE *out)
{
	fprintf(out, "%-26s %4s %5s  %-5s %s\n", "# field", "bit", "width",
		"base", "meaning");
	for (unsigned i = 0; i < wire_n_items; i++) {
		const struct wire_layout *l;

		if (wire_items[i].kind != WIRE_ITEM_HEADER)
			continue;
		l = wire_layout(wire_items[i].id);
		for (unsigned k = 0; k < l->n_fields; k++)
			print_line(out, l, &l->fields[k]);
	}
}

void wire_fields_print(FILE *out, enum wire_fields_format format)
{
	if (format == WIRE_FIELDS_LIST) {
		print_lines(out);
		return;
	}
	fprintf(out, "# Wire formats\n\n%s", legend);
	for (unsigned i = 0; i < wire_n_items; i++)
		if (wire_items[i].kind == WIRE_ITEM_GROUP)
			print_group(out, &wire_items[i], false);
}

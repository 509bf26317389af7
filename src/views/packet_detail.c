/* SPDX-License-Identifier: GPL-2.0-or-later
 * One packet in full, for people. */
#include <inttypes.h>

#include "decode/explain.h"
#include "run/frame.h"
#include "views/packets.h"
#include "wire/show.h"

static void show_field(void *ctx, const struct wire_shown *shown)
{
	fprintf(ctx, "  %-22s %-28s %s\n", shown->field->name, shown->text,
		shown->field->label);
}

static void show_part(void *ctx, const struct explain_part *part)
{
	FILE *out = ctx;

	fprintf(out, "%s: %" PRIu32 " bytes at %" PRIu32, part->name,
		part->length, part->offset);
	if (part->captured < part->length)
		fprintf(out, ", %" PRIu32 " of them captured", part->captured);
	fputc('\n', out);
	if (part->header >= 0)
		wire_show((enum wire_header)part->header, part->data,
			  part->captured, show_field, out);
}

static bool is_ascii(uint8_t c)
{
	return c >= ' ' && c < 0x7f;
}

/* 0000  02 fa b5 00 00 0a 02 fa  b5 00 00 07 08 00 45 00  ..............E. */
static void show_bytes(FILE *out, const struct frame *f)
{
	enum { LINE = 16 };
	uint32_t at, i;

	for (at = 0; at < f->caplen; at += LINE) {
		fprintf(out, "%04" PRIx32 " ", at);
		for (i = at; i < at + LINE; i++) {
			fputs(i == at + LINE / 2 ? " " : "", out);
			if (i < f->caplen)
				fprintf(out, " %02x", f->data[i]);
			else
				fputs("   ", out);
		}
		fputs("  ", out);
		for (i = at; i < at + LINE && i < f->caplen; i++)
			fputc(is_ascii(f->data[i]) ? f->data[i] : '.', out);
		fputc('\n', out);
	}
}

void packets_detail(FILE *out, const struct frame *f,
		    const struct decode_options *decode)
{
	const struct decode_input in = frame_input(f);
	struct packet p = { 0 };
	struct explain_end end;

	fprintf(out,
		"frame %" PRIu64 ": %" PRIu32 " bytes, %" PRIu32
		" of them here\n",
		f->number, f->wirelen, f->caplen);
	packet_explain(&in, decode, &p, show_part, out, &end);
	if (end.why)
		fprintf(out, "stopped at byte %" PRIu32 "%s%s: %s\n",
			end.offset, end.at ? " in " : "", end.at ? end.at : "",
			end.why);
	fputc('\n', out);
	show_bytes(out, f);
}

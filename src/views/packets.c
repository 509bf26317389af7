/* SPDX-License-Identifier: GPL-2.0-or-later
 * One packet in a line of text. */
#include "views/packets.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clamp.h"
#include "base/text.h"
#include "base/units.h"
#include "decode/explain.h"
#include "flow/core/fact.h"
#include "run/frame.h"
#include "views/packet_names.h"
#include "views/packet_uet.h"
#include "wire/table.h"

/* The chain of headers as explained, "eth/ipv4/udp/bth". */
struct chain {
	FILE *out;
	unsigned n;
};

static void show_header(void *ctx, const struct explain_part *part)
{
	struct chain *c = ctx;

	if (part->header < 0)
		return;
	fprintf(c->out, "%s%s", c->n++ ? "/" : "", part->name);
}

static void show_acknowledge(FILE *out, const struct packet *p)
{
	/* AETH syndrome: two bits say what, five carry the detail */
	static const char *const kinds[] = { "ack", "rnr", "reserved", "nak" };
	enum { SYN_DETAIL = 0x1f };
	unsigned detail = p->syndrome & SYN_DETAIL;

	fprintf(out, " %s", kinds[p->syndrome >> 5 & 3]);
	switch (p->syndrome >> 5 & 3) {
	case 1:
		fprintf(out, "=%" PRIu32 "ns", wire_rnr_timer_ns(detail));
		break;
	case 3:
		fprintf(out, "=%u", detail);
		break;
	default:
		break;
	}
	fprintf(out, " msn=%" PRIu32, p->msn);
}

static void show_flags(FILE *out, const struct packet *p)
{
	static const struct {
		uint32_t flag;
		const char *name;
	} names[] = {
		{ PACKET_SE, "se" },
		{ PACKET_ACKREQ, "ackreq" },
		{ PACKET_FECN, "fecn" },
		{ PACKET_BECN, "becn" },
		{ PACKET_RESERVED_SET, "reserved-bit-set" },
	};
	size_t i;

	for (i = 0; i < sizeof names / sizeof names[0]; i++)
		if (p->flags & names[i].flag)
			fprintf(out, " %s", names[i].name);
	if (p->flags & PACKET_MRC && p->mrc.flags & MRC_RETRANSMITTED)
		fputs(" retransmission", out);
	if ((p->tos & 3) == 3)
		fputs(" ce", out);
	if (p->icrc_status == ICRC_BAD)
		fputs(" bad-icrc", out);
}

static void show_mrc(FILE *out, const struct packet *p)
{
	const char *said = NULL;

	if (p->opcode == MRC_SACK)
		said = wire_name(WIRE_LIST_mrc_m, p->mrc.code);
	else if (p->opcode == MRC_NACK)
		said = wire_name(WIRE_LIST_mrc_nack, p->mrc.code);
	else
		return;
	fprintf(out, p->opcode == MRC_SACK ? " path=%s" : " reason=%s",
		said ? said : "unknown");
}

static void show_roce(FILE *out, const struct packet *p)
{
	const char *name = p->flags & PACKET_MRC
				   ? wire_name(WIRE_LIST_mrc_op, p->opcode)
				   : wire_opcode(p->opcode)->name;
	char src[ADDR_TEXT], dst[ADDR_TEXT];

	fprintf(out, "  %s > %s  ", addr_text(p->src, src),
		addr_text(p->dst, dst));
	if (name)
		fputs(name, out);
	else
		fprintf(out, "opcode 0x%02x", p->opcode);
	fprintf(out, " qp=0x%06" PRIx32 " psn=%" PRIu32, p->dst_qp, p->psn);
	if (p->flags & PACKET_HAS_AETH)
		show_acknowledge(out, p);
	if (p->flags & PACKET_MRC)
		show_mrc(out, p);
	if (p->flags & PACKET_HAS_RETH)
		fprintf(out, " dma=%" PRIu32, p->dma_len);
	if (p->flags & PACKET_HAS_DETH)
		fprintf(out, " srcqp=0x%06" PRIx32, p->src_qp);
	fprintf(out, " len=%" PRIu32, p->payload);
	show_flags(out, p);
}

static void uet_text(void *ctx, const char *name, const char *text)
{
	fprintf(ctx, " %s=%s", name, text);
}

static void uet_number(void *ctx, const char *name, uint64_t n)
{
	fprintf(ctx, " %s=%" PRIu64, name, n);
}

static void uet_flag(void *ctx, const char *name)
{
	fprintf(ctx, " %s", name);
}

static void show_uet(FILE *out, const struct packet *p)
{
	const struct uet_listener line = { out, uet_text, uet_number,
					   uet_flag };
	char src[ADDR_TEXT], dst[ADDR_TEXT];

	fprintf(out, "  %s > %s ", addr_text(p->src, src),
		addr_text(p->dst, dst));
	packet_uet(p, &line);
	if ((p->tos & 3) == 3)
		fputs(" ce", out);
	if (p->icrc_status == ICRC_BAD)
		fputs(" crc-bad-or-absent", out);
}

static void show_note(FILE *out, const struct fact_note *n)
{
	fprintf(out, "  flow %" PRIu32 " %s", n->flow,
		note_kind_names[n->kind]);
	if (n->kind == NOTE_GAP)
		fprintf(out, "=%" PRIu32, n->missing);
	if (n->kind == NOTE_RETRANSMISSION ||
	    n->kind == NOTE_RETRANSMISSION_OF_MISSING)
		fprintf(out, "(%s)", recovery_trigger_names[n->trigger]);
	if (n->about)
		fprintf(out, " of=%" PRIu64, n->about);
	if (n->psn != FACT_UNKNOWN)
		fprintf(out, " rpsn=%" PRIi64, n->psn);
	if (n->message != FACT_UNKNOWN)
		fprintf(out, " msg=%" PRIi64, n->message);
	if (n->position != FACT_UNKNOWN)
		fprintf(out, "+%" PRIi64, n->position);
	if (n->pause_frame)
		fprintf(out, " paused-by=%" PRIu64, n->pause_frame);
}

void packets_line(FILE *out, const struct frame *f, const char *tap,
		  int64_t origin_ns, const struct decode_options *decode,
		  const struct fact_note *note)
{
	struct chain chain = { .out = out };
	const struct decode_input in = frame_input(f);
	char offset[UNITS_TEXT];
	struct explain_end end;
	struct packet p = { 0 };
	char *name = tap ? text_printable(tap) : NULL;

	fprintf(out, "%" PRIu64 "  %s", f->number,
		units_offset(clamp_sub(f->ns, origin_ns), offset));
	if (name)
		fprintf(out, "  %s", name);
	fputs("  ", out);
	packet_explain(&in, decode, &p, show_header, &chain, &end);
	if (p.status == PACKET_OK &&
	    (p.kind == PACKET_ROCE || p.kind == PACKET_CNP))
		show_roce(out, &p);
	else if (p.kind == PACKET_UET)
		show_uet(out, &p);
	else
		fprintf(out, "%s%s", chain.n ? "  " : "",
			packet_kind_names[p.kind]);
	if (p.status != PACKET_OK && p.status != PACKET_FOREIGN)
		fprintf(out, "  [%s%s%s%s%s]", packet_status_names[p.status],
			end.at ? " in " : "", end.at ? end.at : "",
			end.why ? ": " : "", end.why ? end.why : "");
	if (note)
		show_note(out, note);
	fputc('\n', out);
	free(name);
}

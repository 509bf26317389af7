/* SPDX-License-Identifier: GPL-2.0-or-later
 * From capture's frame to decode's packet: the two layers do not know each
 * other. */
#ifndef FABSCOPE_RUN_FRAME_H
#define FABSCOPE_RUN_FRAME_H

#include "capture/capture.h"
#include "capture/reduced.h"
#include "decode/packet.h"
#include "flow/core/engine.h"

static inline struct decode_input frame_input(const struct frame *f)
{
	return (struct decode_input) {
		.data = f->data,
		.caplen = f->caplen,
		.wirelen = f->wirelen,
		.linktype = f->linktype,
		.fcs_len = f->fcs_len,
	};
}

/* All but |order|.  Member by member: what is put together elsewhere from
 * narrow members and copied in wide words waits for each of the former. */
static inline void frame_fill(struct engine_frame *to, const struct frame *f)
{
	to->in.data = f->data;
	to->in.caplen = f->caplen;
	to->in.linktype = f->linktype;
	to->in.wirelen = f->wirelen;
	to->in.fcs_len = f->fcs_len;
	to->ns = engine_time(f->ns);
	to->number = f->number;
	to->tap = f->tap;
	to->looked = false;
}

static inline struct engine_frame frame_of(const struct frame *f)
{
	struct engine_frame to = { 0 };

	frame_fill(&to, f);
	return to;
}

/* What the bytes that are missing showed. */
static inline void frame_restore(struct reduced_crc c, struct packet *p)
{
	p->icrc = c.icrc;
	p->icrc_status = c.status;
	if (c.little_endian && p->kind == PACKET_UET)
		p->uet.flags |= UET_CRC_LE;
}

static inline void frame_decode(const struct frame *f,
				const struct decode_options *options,
				struct packet *p)
{
	const struct decode_input in = frame_input(f);

	p->ns = engine_time(f->ns);
	p->frame = f->number;
	p->tap = f->tap;
	packet_decode(&in, options, p);
	if (f->flags & FRAME_REDUCED && !options->skip_icrc)
		frame_restore(reduced_crc_of(f), p);
}

#endif

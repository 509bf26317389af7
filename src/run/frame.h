/* SPDX-License-Identifier: GPL-2.0-or-later
 * From capture's frame to decode's packet: the two layers do not know each
 * other. */
#ifndef FABSCOPE_RUN_FRAME_H
#define FABSCOPE_RUN_FRAME_H

#include "capture/capture.h"
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

static inline struct engine_frame frame_of(const struct frame *f)
{
	return (struct engine_frame) {
		.in = frame_input(f),
		.ns = engine_time(f->ns),
		.number = f->number,
		.tap = f->tap,
	};
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
}

#endif

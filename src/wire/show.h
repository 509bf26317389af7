/* SPDX-License-Identifier: GPL-2.0-or-later
 * One header, field by field, in words: for `fabscope decode` and for the
 * detail pane.  Knows no header; everything comes from the tables. */
#ifndef FABSCOPE_WIRE_SHOW_H
#define FABSCOPE_WIRE_SHOW_H

#include "wire/table.h"

enum { WIRE_TEXT = 160 };

/* One field as found in a packet. */
struct wire_shown {
	const struct wire_field *field;
	uint64_t number;  /* 0 for fields over 64 bits */
	const char *text; /* "0x11 (RC Acknowledge)"; valid during the call */
};

/* Gives |emit| each field of header |id| at |p| that lies wholly within the
 * |len| bytes there, in wire order; an AETH is shown as the NAK it is
 * (wire_form).  Returns how many fields were cut off. */
unsigned wire_show(enum wire_header id, const uint8_t *p, size_t len,
		   void (*emit)(void *ctx, const struct wire_shown *shown),
		   void *ctx);

/* The text of one field of the header at |p|, within |len|; returns |buf|. */
char *wire_text(const struct wire_field *f, const uint8_t *p, size_t len,
		char buf[static WIRE_TEXT]);

#endif

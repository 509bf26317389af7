/* SPDX-License-Identifier: GPL-2.0-or-later
 * Ultra Ethernet: what stands after UDP or after the entropy header.
 * Internal to decode.
 *
 * One reading, for the fast path and for the walk; the walk then shows the
 * same bytes by the tables. */
#ifndef FABSCOPE_DECODE_UET_H
#define FABSCOPE_DECODE_UET_H

#include <stddef.h>
#include <stdint.h>

#include "decode/packet.h"

/* Where a UET packet lies.  have <= declared, as in walk.h. */
struct uet_place {
	const uint8_t *p;       /* TSS or PDS */
	size_t have, declared;  /* from p on, trailer included */
	size_t promised;        /* the same by the UDP length, or in front of a
				 * trimming switch; 0: not known */
	const uint8_t *covered; /* the source IP address: the CRC's first;
				 * NULL: other bytes stand between */
	bool native;            /* behind an entropy header, no UDP */
	bool wrapped;           /* a tunnel ends first: cut or trimmed */
	bool suspect;           /* and that header is odd */
};

/* Can the prologue at |p|, of two bytes, be one of UET? */
bool uet_begins(const uint8_t *p);

/* What decoding found out and only people want to see. */
struct uet_shape {
	const char *why; /* NULL: status OK */
	const char *at;  /* the header that stopped it */
	size_t headers;  /* bytes of TSS, PDS and SES that were read */
	size_t cut;     /* bytes of the SES header that the capture cut, or 0 */
	size_t trailer; /* bytes at the end: CRC or ICV; 0 trimmed */
};

/* Fills |out| and out->uet from p on: status, kind, psn, payload, icrc. */
void uet_decode(const struct uet_place *at, const struct decode_options *o,
		struct packet *out, struct uet_shape *shape);

/* What the CRC in front of |end| should be, of all from |covered| on; and what
 * it is, and whether only its bytes in the other order are right. */
uint32_t uet_crc_right(const uint8_t *covered, const uint8_t *end);
enum icrc_status uet_crc(const uint8_t *covered, const uint8_t *end,
			 uint32_t *found, bool *little);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Checksums of a frame that changes: those that were right are made right
 * again.  Internal to the frame anonymizer.
 *
 * Any other is not kept: it would say something of what it was made from.  An
 * IP or UDP checksum becomes 0, an ICRC or FCS one that is wrong. */
#ifndef FABSCOPE_VIEWS_ANONYMIZER_SUMS_H
#define FABSCOPE_VIEWS_ANONYMIZER_SUMS_H

#include <stdbool.h>
#include <stdint.h>

struct decode_options;
struct explain_part;
struct frame;
struct packet;

enum { ANONYMIZE_SUMS = 32 }; /* more than layers can be nested */

struct anonymizer_sums {
	const struct frame *frame; /* as it was */
	uint32_t ip;               /* where the last IP header begins */
	bool ip_is_v6;
	unsigned n;
	/* right ones, in order of the frame */
	struct {
		uint32_t ip, udp; /* udp 0: the sum of an IPv4 header */
		bool ip_is_v6;
	} of[ANONYMIZE_SUMS];
	uint32_t icrc; /* where it is; 0: nowhere */
};

void anonymizer_sums_begin(struct anonymizer_sums *s, const struct frame *f);

/* To be called of each part of the frame as it was. */
void anonymizer_sums_note(struct anonymizer_sums *s,
			  const struct explain_part *part);

/* Writes all of them into |data|, the bytes of |f|, which is otherwise as it
 * is going to be; |before| is what the frame was. */
void anonymizer_sums_put(const struct anonymizer_sums *s,
			 const struct packet *before,
			 const struct decode_options *decode,
			 const struct frame *f, uint8_t *data);

#endif

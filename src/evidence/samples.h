/* SPDX-License-Identifier: GPL-2.0-or-later
 * Binary evidence: datagrams of sFlow and of drop reports. */
#ifndef FABSCOPE_EVIDENCE_SAMPLES_H
#define FABSCOPE_EVIDENCE_SAMPLES_H

#include "evidence/evidence_int.h"

/* What is left of some bytes. */
struct bytes {
	const uint8_t *at;
	size_t n;
	bool big; /* the first byte of a number is its highest */
};

/* All of them are false where too few are left. */
bool bytes_skip(struct bytes *o, size_t n);
bool bytes_take(struct bytes *o, size_t n, struct bytes *part);
bool bytes_number(struct bytes *o, unsigned bytes, uint64_t *value);

/* read_packets.c: the UDP datagrams of a pcap or pcapng file go to |put|; false
 * when it is neither. */
struct datagram {
	int64_t ns;
	uint16_t port; /* destination */
	char src[EVIDENCE_TEXT];
	struct bytes payload;
};
bool read_packets(struct evidence_part *part, struct bytes file,
		  void (*put)(struct evidence_part *part,
			      const struct datagram *d));
/* Whose packet it is of which |o| is the beginning, Ethernet or IP first; false
 * when it is neither RoCE nor UET.  |whole|: its length, 0 not known. */
enum sampled_as { SAMPLED_FRAME, SAMPLED_IP };
bool sampled_packet(struct bytes o, enum sampled_as as, size_t whole,
		    struct evidence_sample *s);

/* read_ipfix.c: messages whose templates are known.  False: it is none. */
struct ipfix *ipfix_new(void); /* NULL without memory */
void ipfix_free(struct ipfix *x);
/* From now on templates only, or what they describe. */
void ipfix_learn(struct ipfix *x, bool learning);
bool ipfix_message(struct evidence_part *part, const struct datagram *d);

/* read_samples.c */
void read_datagram(struct evidence_part *part, const struct datagram *d);

#endif

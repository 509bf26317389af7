/* SPDX-License-Identifier: GPL-2.0-or-later
 * Binary evidence: datagrams of sFlow and of drop reports. */
#ifndef FABSCOPE_EVIDENCE_SAMPLES_H
#define FABSCOPE_EVIDENCE_SAMPLES_H

#include "evidence/evidence_int.h"

/* What is left of some bytes. */
struct octets {
	const uint8_t *at;
	size_t n;
	bool big; /* the first byte of a number is its highest */
};

/* All of them are false where too few are left. */
bool octets_skip(struct octets *o, size_t n);
bool octets_take(struct octets *o, size_t n, struct octets *part);
bool octets_number(struct octets *o, unsigned bytes, uint64_t *value);

/* read_packets.c: the UDP datagrams of a pcap or pcapng file go to |put|; false
 * when it is neither. */
struct datagram {
	int64_t ns;
	uint16_t port; /* destination */
	char src[EVIDENCE_TEXT];
	struct octets payload;
};
bool read_packets(struct evidence_part *part, struct octets file,
		  void (*put)(struct evidence_part *part,
			      const struct datagram *d));
/* Whose packet |frame| is; false when it is not of RoCE. */
bool roce_frame(struct octets frame, struct evidence_sample *s);
bool roce_packet(struct octets ip, struct evidence_sample *s);

/* read_ipfix.c: messages whose templates are known.  False: it is none. */
struct ipfix *ipfix_new(void); /* NULL without memory */
void ipfix_free(struct ipfix *x);
/* From now on templates only, or what they describe. */
void ipfix_learn(struct ipfix *x, bool learning);
bool ipfix_message(struct evidence_part *part, const struct datagram *d);

/* read_samples.c */
void read_datagram(struct evidence_part *part, const struct datagram *d);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The pcap format: what its reader (pcap.c), the search for records in
 * corrupted files (pcap_search.c) and the recognition of variants (pcap_open.c)
 * share.
 *
 * specification: draft-ietf-opsawg-pcap; the modified record headers after the
 * observations of libpcap and Wireshark
 *
 *	file header	magic 4  version 2+2  zone 4  sigfigs 4  snaplen 4
 *			FCS length 4 bits, unused 1, FCS known 1, unused 10,
 *			link type 16
 *	record header	seconds 4  fraction 4  caplen 4  wirelen 4
 *			[modified: 4, 8 or 12 more] */
#ifndef FABSCOPE_CAPTURE_PCAP_H
#define FABSCOPE_CAPTURE_PCAP_H

#include "capture/bytes.h"
#include "capture/reader.h"

enum {
	PCAP_RECORD = 16,              /* the usual record header */
	PCAP_PLAIN_MAX = 256 * 1024,   /* bytes of an ordinary packet */
	PCAP_PACKET_MAX = 1024 * 1024, /* and of one still handed out */
	PCAP_OVERSIZE = 256 << 20,     /* a length beyond this is nonsense */
	PCAP_NEAR_SECONDS = 10 * 365 * 86400,
	PCAP_WIRE_EXTRA = 1 << 20, /* wirelen - caplen of an ordinary one */
};

/* Which of the two lengths of a record comes first. */
enum pcap_lengths {
	PCAP_CAPLEN_FIRST,
	PCAP_WIRELEN_FIRST, /* before version 2.3 */
	PCAP_LESSER_FIRST,  /* 2.3: either */
};

struct pcap_record {
	uint32_t sec, frac, caplen, wirelen;
};

struct pcap {
	struct reader base;
	uint32_t header;    /* bytes of a record header */
	uint32_t plain_max; /* longest caplen nobody wonders about */
	uint32_t unit;      /* fractions in a second */
	uint32_t scale;     /* nanoseconds in a fraction */
	uint32_t snaplen;
	uint32_t tap;
	/* Seconds that are of the time of the packets so far, give or take ten
	 * years; all there are, before the first packet. */
	uint32_t timely_from, timely_width;
	uint64_t scanned; /* bytes of odd records, for records within */
	uint16_t linktype;
	uint8_t fcs_len;
	uint8_t lengths; /* enum pcap_lengths */
	bool swapped;
};

static inline struct pcap_record pcap_load(const struct pcap *f,
					   const uint8_t *p)
{
	struct pcap_record r = {
		bytes_u32(p, f->swapped),
		bytes_u32(p + 4, f->swapped),
		bytes_u32(p + 8, f->swapped),
		bytes_u32(p + 12, f->swapped),
	};

	if (__builtin_expect(f->lengths != PCAP_CAPLEN_FIRST, 0) &&
	    (f->lengths == PCAP_WIRELEN_FIRST || r.caplen > r.wirelen)) {
		uint32_t first = r.caplen;

		r.caplen = r.wirelen;
		r.wirelen = first;
	}
	return r;
}

/* Nothing is odd about its lengths and fraction: not empty, not longer than the
 * snaplen or the packet, below one second.  (Differences wrap on purpose.)
 */
static inline bool pcap_plain(const struct pcap *f, const struct pcap_record *r)
{
	return r->caplen - 1 < f->plain_max &&
	       r->wirelen - r->caplen < PCAP_WIRE_EXTRA && r->frac < f->unit;
}

static inline bool pcap_timely(const struct pcap *f, uint32_t sec)
{
	return sec - f->timely_from <= f->timely_width;
}

/* What the bytes behind an odd record say of it. */
enum pcap_verdict { PCAP_BELIEVED, PCAP_DOUBTED, PCAP_UNDECIDED };

/* Is the odd record |r| at the window's start one?  PCAP_UNDECIDED sets
 * |want|. */
enum pcap_verdict pcap_confirm(struct pcap *f, const struct pcap_record *r);

extern const struct reader_ops pcap_reader_ops;

/* Moves the window to the next surely good record, if there is one in it. */
void pcap_search(struct pcap *f);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * UDP datagrams out of pcap and pcapng files, as far as collectors of samples
 * are captured in them: Ethernet, Linux cooked and raw IP, no fragments.  This
 * folder knows nothing of src/capture. */
#include <stdio.h>
#include <string.h>

#include "base/addr.h"
#include "decode/packet.h"
#include "evidence/samples.h"

enum {
	LINK_ETHERNET = 1,
	LINK_RAW = 101,
	LINK_SLL = 113,
	LINK_SLL2 = 276,
	INTERFACES = 256,
	JUMBO = 9216, /* of which a part is at hand */
};

bool bytes_skip(struct bytes *o, size_t n)
{
	if (n > o->n)
		return false;
	o->at += n;
	o->n -= n;
	return true;
}

bool bytes_take(struct bytes *o, size_t n, struct bytes *part)
{
	*part = (struct bytes) { o->at, n, o->big };
	return bytes_skip(o, n);
}

bool bytes_number(struct bytes *o, unsigned bytes, uint64_t *value)
{
	const uint8_t *at = o->at;

	if (!bytes_skip(o, bytes))
		return false;
	*value = 0;
	for (unsigned i = 0; i < bytes; i++)
		*value = *value << 8 | at[o->big ? i : bytes - 1 - i];
	return true;
}

/* ---- headers ---- */

static bool take_udp(struct bytes *ip, char src[static EVIDENCE_TEXT],
		     char dst[static EVIDENCE_TEXT], uint16_t *port)
{
	unsigned version = ip->n ? ip->at[0] >> 4 : 0;
	char text[ADDR_TEXT];
	size_t header;

	if (version == 4 && ip->n >= 20) {
		header = (size_t)(ip->at[0] & 15) * 4;
		/* a later fragment has no UDP header */
		if (header < 20 || ip->at[9] != 17 || (ip->at[6] & 0x1f) ||
		    ip->at[7])
			return false;
		text_keep(src, addr_text(addr_from_v4(ip->at + 12), text));
		text_keep(dst, addr_text(addr_from_v4(ip->at + 16), text));
	} else if (version == 6 && ip->n >= 40 && ip->at[6] == 17) {
		header = 40;
		text_keep(src, addr_text(addr_from_v6(ip->at + 8), text));
		text_keep(dst, addr_text(addr_from_v6(ip->at + 24), text));
	} else {
		return false;
	}
	if (!bytes_skip(ip, header) || ip->n < 8)
		return false;
	*port = (uint16_t)(ip->at[2] << 8 | ip->at[3]);
	return bytes_skip(ip, 8);
}

static bool skip_ethernet(struct bytes *o)
{
	uint64_t type = 0x8100;

	o->big = true;
	if (!bytes_skip(o, 12))
		return false;
	while (type == 0x8100 || type == 0x88a8) {
		if (!bytes_number(o, 2, &type))
			return false;
		if ((type == 0x8100 || type == 0x88a8) && !bytes_skip(o, 2))
			return false;
	}
	return type == 0x0800 || type == 0x86dd;
}

bool sampled_packet(struct bytes o, enum sampled_as as, size_t whole,
		    struct evidence_sample *s)
{
	struct decode_options options = decode_defaults;
	struct decode_input in = {
		.data = o.at,
		.caplen = (uint32_t)o.n,
		.wirelen = (uint32_t)(whole > o.n ? whole : o.n + JUMBO),
		.linktype = as == SAMPLED_FRAME ? LINK_ETHERNET : LINK_RAW,
	};
	char text[ADDR_TEXT];
	struct packet p;

	options.skip_icrc = true;
	packet_decode(&in, &options, &p);
	if (p.kind == PACKET_UET
		    ? !(p.uet.flags & (UET_PDS | UET_TSS))
		    : p.status != PACKET_OK ||
			      (p.kind != PACKET_ROCE && p.kind != PACKET_CNP))
		return false;
	text_keep(s->src, addr_text(p.src, text));
	text_keep(s->dst, addr_text(p.dst, text));
	s->dst_qp = p.kind == PACKET_UET ? -1 : (int64_t)p.dst_qp;
	s->psn = p.kind == PACKET_UET && !(p.uet.flags & UET_PDS)
			 ? -1
			 : (int64_t)p.psn;
	return true;
}

static void
put_frame(struct evidence_part *part, unsigned link, int64_t ns, struct bytes o,
	  void (*put)(struct evidence_part *, const struct datagram *))
{
	struct datagram d = { .ns = ns };
	char dst[EVIDENCE_TEXT];
	bool ip = link == LINK_ETHERNET ? skip_ethernet(&o)
		  : link == LINK_SLL    ? bytes_skip(&o, 16)
		  : link == LINK_SLL2   ? bytes_skip(&o, 20)
					: link == LINK_RAW;

	o.big = true;
	if (!ip || !take_udp(&o, d.src, dst, &d.port))
		return;
	d.payload = o;
	put(part, &d);
}

/* ---- containers ---- */

static bool read_pcap(struct evidence_part *part, struct bytes o,
		      void (*put)(struct evidence_part *,
				  const struct datagram *))
{
	uint64_t magic, link, s, fraction, kept;
	struct bytes frame;
	unsigned unit;

	if (!bytes_number(&o, 4, &magic))
		return false;
	o.big = magic == 0xa1b2c3d4 || magic == 0xa1b23c4d;
	unit = magic == 0xa1b23c4d || magic == 0x4d3cb2a1 ? 1 : 1000;
	if (!bytes_skip(&o, 16) || !bytes_number(&o, 4, &link))
		return true;
	while (bytes_number(&o, 4, &s) && bytes_number(&o, 4, &fraction) &&
	       bytes_number(&o, 4, &kept) && bytes_skip(&o, 4) &&
	       bytes_take(&o, kept, &frame))
		put_frame(part, link & 0xffff,
			  (int64_t)s * 1000000000 + (int64_t)fraction * unit,
			  frame, put);
	return true;
}

struct interfaces {
	unsigned n;
	uint16_t link[INTERFACES];
	uint8_t resolution[INTERFACES]; /* 10^-n of a second */
};

static void add_interface(struct interfaces *all, struct bytes o)
{
	uint64_t link, code, length;
	struct bytes value;

	if (all->n == INTERFACES || !bytes_number(&o, 2, &link) ||
	    !bytes_skip(&o, 6))
		return;
	all->link[all->n] = (uint16_t)link;
	all->resolution[all->n] = 6;
	while (bytes_number(&o, 2, &code) && code &&
	       bytes_number(&o, 2, &length) &&
	       bytes_take(&o, (length + 3) & ~UINT64_C(3), &value))
		if (code == 9 && length && value.at[0] <= 9)
			all->resolution[all->n] = value.at[0];
	all->n++;
}

static void put_enhanced(struct evidence_part *part,
			 const struct interfaces *all, struct bytes o,
			 void (*put)(struct evidence_part *,
				     const struct datagram *))
{
	uint64_t which, high, low, kept;
	struct bytes frame;
	int64_t ns;

	if (!bytes_number(&o, 4, &which) || !bytes_number(&o, 4, &high) ||
	    !bytes_number(&o, 4, &low) || !bytes_number(&o, 4, &kept) ||
	    !bytes_skip(&o, 4) || which >= all->n ||
	    !bytes_take(&o, kept, &frame))
		return;
	if ((high << 32 | low) > INT64_MAX)
		return;
	ns = (int64_t)(high << 32 | low);
	for (unsigned i = all->resolution[which]; i < 9; i++)
		if (__builtin_mul_overflow(ns, 10, &ns))
			return;
	put_frame(part, all->link[which], ns, frame, put);
}

static bool read_pcapng(struct evidence_part *part, struct bytes o,
			void (*put)(struct evidence_part *,
				    const struct datagram *))
{
	enum { SHB = 0x0a0d0d0a, IDB = 1, EPB = 6 };
	struct interfaces all = { 0 };
	uint64_t type, length, magic;

	for (;;) {
		struct bytes body, copy = o;

		if (!bytes_skip(&copy, 8))
			return true;
		if (!memcmp(o.at, "\x0a\x0d\x0d\x0a", 4)) {
			copy.big = true;
			all.n = 0;
			if (!bytes_number(&copy, 4, &magic))
				return true;
			o.big = magic == 0x1a2b3c4d;
		}
		if (!bytes_number(&o, 4, &type) ||
		    !bytes_number(&o, 4, &length) || length < 12 ||
		    !bytes_take(&o, length - 12, &body) || !bytes_skip(&o, 4))
			return true;
		if (type == IDB)
			add_interface(&all, body);
		else if (type == EPB)
			put_enhanced(part, &all, body, put);
	}
}

bool read_packets(struct evidence_part *part, struct bytes file,
		  void (*put)(struct evidence_part *part,
			      const struct datagram *d))
{
	static const char magics[][5] = { "\xa1\xb2\xc3\xd4",
					  "\xa1\xb2\x3c\x4d",
					  "\xd4\xc3\xb2\xa1",
					  "\x4d\x3c\xb2\xa1" };

	file.big = true;
	if (file.n < 4)
		return false;
	if (!memcmp(file.at, "\x0a\x0d\x0d\x0a", 4))
		return read_pcapng(part, file, put);
	for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
		if (!memcmp(file.at, magics[i], 4))
			return read_pcap(part, file, put);
	return false;
}

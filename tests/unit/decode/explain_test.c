/* SPDX-License-Identifier: GPL-2.0-or-later
 * What people are shown: every part in order, and where and why it ended. */
#include "frames.h"

#include <stdio.h>

#include "wire/wire.h"

struct story {
	char text[2048];
	size_t n;
	struct explain_end end;
	struct packet packet;
};

/* "name offset+length" of each part; "/captured" when it is cut. */
static void tell(void *ctx, const struct explain_part *part)
{
	struct story *s = ctx;

	s->n += (size_t)snprintf(s->text + s->n, sizeof s->text - s->n,
				 "%s%s %u+%u", s->n ? ", " : "", part->name,
				 part->offset, part->length);
	if (part->captured < part->length)
		s->n += (size_t)snprintf(s->text + s->n, sizeof s->text - s->n,
					 "/%u", part->captured);
}

static struct story story_of(const struct frame_bytes *f, size_t cap,
			     uint16_t linktype)
{
	struct story s = { .n = 0 };
	struct decode_input in = {
		.data = f->data,
		.caplen = (uint32_t)cap,
		.wirelen = (uint32_t)f->n,
		.linktype = linktype,
	};

	packet_explain(&in, &decode_defaults, &s.packet, tell, &s, &s.end);
	return s;
}

static void assert_story(const char *hex, uint16_t linktype, size_t cut,
			 const char *parts, const char *at, const char *why)
{
	struct frame_bytes f = { .n = 0 };
	struct story s;

	put(&f, hex);
	s = story_of(&f, f.n - cut, linktype);
	assert_string_equal(s.text, parts);
	if (at)
		assert_string_equal(s.end.at, at);
	else
		assert_null(s.end.at);
	if (why)
		assert_string_equal(s.end.why, why);
	else
		assert_null(s.end.why);
}

static void whole_packets(void **state)
{
	(void)state;
	assert_story(ETHER("8100") "6064 0800" WORKED_V4, 1, 0,
		     "eth 0+14, vlan 14+4, ipv4 18+20, udp 38+8, bth 46+12, "
		     "payload 58+6, pad 64+2, icrc 66+4",
		     NULL, NULL);
	assert_story(CNP_V4, 228, 0,
		     "ipv4 0+20, udp 20+8, bth 28+12, cnp 40+16, icrc 56+4",
		     NULL, NULL);
	/* WRITE Only with immediate; bytes behind the packet. */
	assert_story("45000044 0001400040110000 0a000001 0a000002"
		     "c00012b700300000 0b00ffff0000001100000064"
		     "0000000000001000 00000777 00000004 deadbeef 00000000"
		     "00000000 ffff",
		     101, 0,
		     "ipv4 0+20, udp 20+8, bth 28+12, reth 40+16, immdt 56+4, "
		     "payload 60+4, icrc 64+4",
		     NULL, NULL);
}

static void encapsulated(void **state)
{
	(void)state;
	assert_story("45000072 00010000ff2f0000 c0a80001 c0a80002"
		     "1000 22eb 00000008 | 201e 6064 00c0ffee 0000 805d"
		     "0c000011 00000001" ETHER_IPV4 ROCE_V4,
		     101, 0,
		     "ipv4 0+20, gre 20+4, gre_seq 24+4, erspan3 28+12, "
		     "erspan3_sub 40+8, eth 48+14, ipv4 62+20, udp 82+8, "
		     "bth 90+12, payload 102+4, icrc 106+4",
		     NULL, NULL);
	assert_story("45000060 00010000ff2f0000 c0a80001 c0a80002"
		     "0000 88be | 5e022000" ETHER_IPV4 ROCE_V4,
		     101, 0,
		     "ipv4 0+20, gre 20+4, vendor mirror header 24+4, "
		     "eth 28+14, ipv4 42+20, udp 62+8, bth 70+12, "
		     "payload 82+4, icrc 86+4",
		     NULL, NULL);
	assert_story("0002" ETHER("8847") "00065140", 1, 20, "", "eth",
		     "cut inside this header");
}

static void options(void **state)
{
	(void)state;
	assert_story("46000034b1cc4000401154740a01103e0a01103d 94040000"
		     "da1812b7001c0000 0400ffff0000003b80727d6e 00001000"
		     "00bff12d",
		     228, 0,
		     "ipv4 0+20, ipv4 options 20+4, udp 24+8, bth 32+12, "
		     "payload 44+4, icrc 48+4",
		     NULL, NULL);
	assert_story("60000000 002c 00 40 fd000000000000000000000000000001"
		     "fd000000000000000000000000000002 1101010400000000"
		     "0000000000000000"
		     "da1812b7001c0000 0400ffff0000003b80727d6e 00001000"
		     "00bff12d",
		     229, 0,
		     "ipv6 0+40, ipv6_ext 40+8, ipv6 options 48+8, udp 56+8, "
		     "bth 64+12, payload 76+4, icrc 80+4",
		     NULL, NULL);
}

/* Cut in the ICRC, the payload, between headers, inside one. */
static void cut(void **state)
{
	(void)state;
	assert_story(WORKED_V4, 228, 1,
		     "ipv4 0+20, udp 20+8, bth 28+12, payload 40+6, pad 46+2, "
		     "icrc 48+4/3",
		     NULL, NULL);
	assert_story(WORKED_V4, 228, 8,
		     "ipv4 0+20, udp 20+8, bth 28+12, payload 40+6/4", NULL,
		     NULL);
	assert_story(WORKED_V4, 228, 12, "ipv4 0+20, udp 20+8, bth 28+12", NULL,
		     NULL);
	assert_story(WORKED_V4, 228, 13, "ipv4 0+20, udp 20+8", "bth",
		     "cut inside this header");
	assert_story(CNP_V4, 228, 6,
		     "ipv4 0+20, udp 20+8, bth 28+12, cnp 40+16/14", NULL,
		     NULL);
}

static void stopped(void **state)
{
	(void)state;
	assert_story(ETHER("0806") "0001", 1, 0, "eth 0+14", "eth",
		     "no decoder for this EtherType");
	assert_story(ETHER("0026") "4242", 1, 0, "eth 0+14", "eth",
		     "an 802.3 length, no EtherType");
	assert_story("", 147, 0, "", "linktype", "unknown link type");
	assert_story("45000012b1cc4000401154740a01103e0a01103d", 228, 0,
		     "ipv4 0+20", "ipv4",
		     "the total length is below the header length");
	assert_story("45000014b1cc4000401154740a01103e0a01103d", 228, 0,
		     "ipv4 0+20", "udp", "no room for this header");
	assert_story("45000030b1cc4000401154740a01103e0a01103d"
		     "da1812b7001c0000 0c00ffff0000003b80727d6e 0000100000bff1"
		     "2d",
		     228, 0, "ipv4 0+20, udp 20+8, bth 28+12", "bth",
		     "the length does not fit the opcode and the pad");
	assert_story("0180c2000001 020000000001 8808 0001 ffff", 1, 0,
		     "eth 0+14, pause 14+4", "pause", "link control");
}

static void connection_manager(void **state)
{
	struct frame_bytes f = { .n = 0 };
	struct story s;
	size_t mad = 20 + 8 + 12 + 8;

	(void)state;
	put_ipv4(&f, "11", 8 + 12 + 8 + 256 + 4);
	put_udp(&f, "12b7", 12 + 8 + 256 + 4);
	put(&f, "6400ffff0000000100000000 80010000 00000001 01070203");
	put_zeros(&f, 252 + 4);
	f.data[mad + 17] = 0x13; /* REP */
	s = story_of(&f, f.n, 228);
	assert_string_equal(s.text,
			    "ipv4 0+20, udp 20+8, bth 28+12, deth 40+8, "
			    "mad_cm 48+24, cm_rep 72+232, icrc 304+4");
	/* A REQ for an IP service holds RDMA-CM's header as well. */
	f.data[mad + 17] = 0x10;
	f.data[mad + 24 + 8 + 4] = 0x01;
	s = story_of(&f, f.n, 228);
	assert_string_equal(s.text,
			    "ipv4 0+20, udp 20+8, bth 28+12, deth 40+8, "
			    "mad_cm 48+24, cm_req 72+232, rdma_cm 212+36, "
			    "icrc 304+4");
	/* An attribute that nobody described. */
	f.data[mad + 17] = 0x77;
	s = story_of(&f, f.n, 228);
	assert_string_equal(s.text,
			    "ipv4 0+20, udp 20+8, bth 28+12, deth 40+8, "
			    "mad_cm 48+24, cm message 72+232, icrc 304+4");
	/* A MAD that is cut is payload. */
	s = story_of(&f, mad + 255, 228);
	assert_string_equal(s.text, "ipv4 0+20, udp 20+8, bth 28+12, "
				    "deth 40+8, payload 48+256/255");
}

static void header_ids(void *ctx, const struct explain_part *part)
{
	int *n = ctx;
	static const int expected[] = { WIRE_eth, WIRE_ipv4, WIRE_udp,
					WIRE_bth, -1,        -1 };

	assert_true(*n < 6);
	assert_int_equal(part->header, expected[(*n)++]);
}

static void ids(void **state)
{
	struct frame_bytes f = { .n = 0 };
	struct decode_input in = { .data = f.data, .linktype = 1 };
	struct explain_end end;
	struct packet p;
	int n = 0;

	(void)state;
	put(&f, ETHER_IPV4 ROCE_V4);
	in.caplen = in.wirelen = (uint32_t)f.n;
	packet_explain(&in, &decode_defaults, &p, header_ids, &n, &end);
	assert_int_equal(n, 6);
	assert_int_equal(end.offset, f.n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_packets),
		cmocka_unit_test(encapsulated),
		cmocka_unit_test(options),
		cmocka_unit_test(cut),
		cmocka_unit_test(stopped),
		cmocka_unit_test(connection_manager),
		cmocka_unit_test(ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

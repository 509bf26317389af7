/* SPDX-License-Identifier: GPL-2.0-or-later
 * IPv4, IPv6, UDP; truncated, malformed and fragment told apart. */
#include "frames.h"

/* UDP, BTH, payload and ICRC of ROCE_V4. */
#define ROCE_UDP "da1812b7001c0000 0400ffff0000003b80727d6e 00001000 00bff12d"
enum { ROCE_UDP_SIZE = 28 };

static struct packet of(uint16_t linktype, const char *hex)
{
	struct frame_bytes f = { .n = 0 };

	put(&f, hex);
	return decode_frame(&f, linktype);
}

static void ipv6(void **state)
{
	struct packet p = of(1, ETHER_IPV6 WORKED_V6);

	(void)state;
	assert_int_equal(p.status, PACKET_OK);
	assert_address(p.src, "2001:db8::1");
	assert_address(p.dst, "2001:db8::2");
	assert_int_equal(p.tos, 0x6a);
	assert_int_equal(p.ttl, 64);
	assert_int_equal(p.ip_id, 0);
	assert_int_equal(p.sport, 0xc000);
	assert_int_equal(p.payload, 6);
	assert_true(p.flags & PACKET_IPV6);
}

/* RFC 791: a router alert option of four bytes. */
static void ipv4_options(void **state)
{
	struct packet p;

	(void)state;
	p = of(228,
	       "46000034b1cc4000401154740a01103e0a01103d 94040000" ROCE_UDP);
	assert_int_equal(p.status, PACKET_OK);
	assert_int_equal(p.payload, 4);
	assert_int_equal(p.psn, 0x727d6e);
	/* The header says 60 bytes, the packet has 52. */
	p = of(228,
	       "4f000034b1cc4000401154740a01103e0a01103d 94040000" ROCE_UDP);
	assert_int_equal(p.status, PACKET_MALFORMED);
}

/* RFC 8200 4.1: hop-by-hop, destination, routing, destination. */
static void ipv6_extensions(void **state)
{
	struct frame_bytes f = { .n = 0 };
	struct packet p;

	(void)state;
	put_ipv6(&f, "00", 8 + 8 + 24 + 8 + ROCE_UDP_SIZE);
	put(&f, "3c00 010400000000 | 2b00 010400000000");
	put(&f, "3c02 000100000000 fd000000000000000000000000000009");
	put(&f, "1100 010400000000" ROCE_UDP);
	p = decode_frame(&f, 229);
	assert_int_equal(p.status, PACKET_OK);
	assert_int_equal(p.payload, 4);
	assert_int_equal(p.psn, 0x727d6e);
	/* ESP, and the end of all headers, are not ours. */
	f.n = 0;
	put_ipv6(&f, "32", 8);
	put_zeros(&f, 8);
	assert_int_equal(decode_frame(&f, 229).status, PACKET_FOREIGN);
	f.n = 0;
	put_ipv6(&f, "3b", 0);
	assert_int_equal(decode_frame(&f, 229).status, PACKET_FOREIGN);
}

/* --- SRv6: RFC 9800 4.1 (NEXT-C-SID), 32 bits of block, 16 a node --- */

#define BLOCK      "fcbbbb00"
#define BLOCK_IANA "5f000001"
#define SENDER     BLOCK "0007 0000 0000 0000 0000 0001"
#define ELSEWHERE  "20010db8 000000000000000000000001"

/* |n| bytes behind IPv6 to |to|. */
static void put_way(struct frame_bytes *f, const char *next, size_t n,
		    const char *from, const char *to)
{
	put(f, "60000000");
	put16(f, n);
	put(f, next);
	put(f, "3d");
	put(f, from);
	put(f, to);
}

static struct packet sent(const char *from, const char *to)
{
	static struct frame_bytes f;

	f.n = 0;
	put_way(&f, "11", ROCE_UDP_SIZE, from, to);
	put(&f, ROCE_UDP);
	return decode_frame(&f, 229);
}

static void assert_way(struct packet p, const char *src, const char *dst,
		       const char *way)
{
	assert_int_equal(p.status, PACKET_OK);
	assert_int_equal(p.psn, 0x727d6e);
	assert_address(p.src, src);
	assert_address(p.dst, dst);
	assert_int_equal(!!(p.flags & PACKET_SRV6), !!way);
	if (way)
		assert_address(addr_from_v6(p.srv6), way);
}

/* The same packet on its way: leaf 0x100, spine 0x200, host 8. */
static void srv6_bare(void **state)
{
	(void)state;
	assert_way(sent(SENDER, BLOCK "0100 0200 0008 0000 0000 0000"),
		   "fcbb:bb00:7::", "fcbb:bb00:8::", "fcbb:bb00:100:200:8::");
	assert_way(sent(SENDER, BLOCK "0200 0008 0000 0000 0000 0000"),
		   "fcbb:bb00:7::", "fcbb:bb00:8::", "fcbb:bb00:200:8::");
	assert_way(sent(SENDER, BLOCK "0008 0000 0000 0000 0000 0000"),
		   "fcbb:bb00:7::", "fcbb:bb00:8::", "fcbb:bb00:8::");
	/* A link of the spine before the host, and one behind it. */
	assert_way(sent(ELSEWHERE, BLOCK "0200 e003 0008 0000 0000 0000"),
		   "2001:db8::1", "fcbb:bb00:8::", "fcbb:bb00:200:e003:8::");
	assert_way(sent(ELSEWHERE, BLOCK "0200 0008 e003 0000 0000 0000"),
		   "2001:db8::1",
		   "fcbb:bb00:8:e003::", "fcbb:bb00:200:8:e003::");
	assert_way(sent(ELSEWHERE, BLOCK_IANA "0001 0002 0003 0004 0005 0006"),
		   "2001:db8::1", "5f00:1:6::", "5f00:1:1:2:3:4:5:6");
}

static void srv6_is_not(void **state)
{
	(void)state;
	assert_way(sent(SENDER, BLOCK "0007 0000 0000 0000 0000 0002"),
		   "fcbb:bb00:7::1", "fcbb:bb00:7::2", NULL);
	assert_way(sent(SENDER, BLOCK "0000 0000 0000 0000 0000 0000"),
		   "fcbb:bb00:7::1", "fcbb:bb00::", NULL);
	/* Six words may be anybody's. */
	assert_way(sent(SENDER, BLOCK "0001 0002 0003 0004 0005 0006"),
		   "fcbb:bb00:7::1", "fcbb:bb00:1:2:3:4:5:6", NULL);
	assert_way(sent(SENDER, ELSEWHERE), "fcbb:bb00:7::1", "2001:db8::1",
		   NULL);
}

/* Around IPv6: hosts are those inside, marks and hops those outside, and the
 * frame is as long as it is. */
static void srv6_around(void **state)
{
	struct frame_bytes f = { .n = 0 };
	struct packet p;

	(void)state;
	put(&f, ETHER_IPV6 "60300000"); /* CE */
	put16(&f, WORKED_V6_SIZE);
	put(&f, "29 3d" SENDER BLOCK "0001 0002 0003 0004 0005 0006");
	put(&f, WORKED_V6);
	p = decode_frame(&f, 1);
	assert_int_equal(p.status, PACKET_OK);
	assert_address(p.src, "2001:db8::1");
	assert_address(p.dst, "2001:db8::2");
	assert_true(p.flags & PACKET_SRV6);
	assert_false(p.flags & PACKET_TUNNELLED);
	assert_address(addr_from_v6(p.srv6), "fcbb:bb00:1:2:3:4:5:6");
	assert_int_equal(p.icrc_status, ICRC_GOOD);
	assert_int_equal(p.tos, 0x6b);
	assert_int_equal(p.ttl, 0x3d);
	assert_int_equal(p.wire_len, f.n);
	/* A mark outside of a packet that can have none: RFC 6040 4.2. */
	f.data[ETHER_SIZE + 41] &= 0xcf;
	p = decode_frame(&f, 1);
	assert_int_equal(p.tos, 0x68);
}

/* RFC 8754 2: where it goes in the end is the first of the list. */
static void srv6_header(void **state)
{
	struct frame_bytes f = { .n = 0 };
	struct packet p;

	(void)state;
	put_way(&f, "2b", 40 + ROCE_UDP_SIZE, ELSEWHERE,
		"20010db8 0000 0000 0000 0000 0000 0111");
	put(&f, "11 04 04 01 01 00 0000");
	put(&f, "20010db8 0000 0000 0000 0000 0000 0999");
	put(&f, "20010db8 0000 0000 0000 0000 0000 0111");
	put(&f, ROCE_UDP);
	p = decode_frame(&f, 229);
	assert_way(p, "2001:db8::1", "2001:db8::999", "2001:db8::111");
	/* None is left; and a list that is too short for one. */
	f.data[40 + 3] = 0;
	p = decode_frame(&f, 229);
	assert_way(p, "2001:db8::1", "2001:db8::111", NULL);
	f.n = 0;
	put_way(&f, "2b", 16 + ROCE_UDP_SIZE, ELSEWHERE, SENDER);
	put(&f, "11 01 04 01 00 00 0000 | 20010db800000000" ROCE_UDP);
	p = decode_frame(&f, 229);
	assert_way(p, "2001:db8::1", "fcbb:bb00:7::1", NULL);
}

/* The way of a mirror's copy is not the way of what it shows. */
static void srv6_of_a_mirror(void **state)
{
	struct frame_bytes f = { .n = 0 };
	struct packet p;

	(void)state;
	put_way(&f, "2f", 4 + 14 + ROCE_V4_SIZE, ELSEWHERE,
		BLOCK "0100 0200 0008 0000 0000 0000");
	put(&f, "0000 6558" ETHER_IPV4 ROCE_V4);
	p = decode_frame(&f, 229);
	assert_int_equal(p.status, PACKET_OK);
	assert_false(p.flags & PACKET_SRV6);
	assert_true(p.flags & PACKET_TUNNELLED);
}

static void extension_beyond_the_packet(void **state)
{
	struct frame_bytes f = { .n = 0 };

	(void)state;
	put_ipv6(&f, "00", 8 + ROCE_UDP_SIZE);
	put(&f, "11ff 010400000000" ROCE_UDP);
	assert_int_equal(decode_frame(&f, 229).status, PACKET_MALFORMED);
	/* A jumbogram says 0: what is inside has no room. */
	f.n = 0;
	put_ipv6(&f, "00", 0);
	put(&f, "1100 c20400010000" ROCE_UDP);
	assert_int_equal(decode_frame(&f, 229).status, PACKET_MALFORMED);
}

static void ipv4_fragments(void **state)
{
	struct packet p;

	(void)state;
	/* The first: a RoCE packet, but not for any PSN machine. */
	p = of(228, "45000030b1cc2000401154740a01103e0a01103d" ROCE_UDP);
	assert_int_equal(p.status, PACKET_FRAGMENT);
	assert_int_equal(p.kind, PACKET_ROCE);
	assert_int_equal(p.psn, 0x727d6e);
	assert_int_equal(p.payload, 0);
	assert_int_equal(p.icrc_status, ICRC_UNCHECKABLE);
	p = of(1,
	       ETHER_IPV4 "45000030b1cc2000401154740a01103e0a01103d" ROCE_UDP);
	assert_int_equal(p.status, PACKET_FRAGMENT);
	/* The first, without a whole BTH. */
	p = of(228, "45000020b1cc2000401154740a01103e0a01103d"
		    "da1812b7001c0000 0400ffff");
	assert_int_equal(p.status, PACKET_FRAGMENT);
	/* A middle one, and the last. */
	p = of(228, "45000030b1cc2003401154740a01103e0a01103d" ROCE_UDP);
	assert_int_equal(p.status, PACKET_FRAGMENT);
	assert_int_equal(p.kind, PACKET_OTHER);
	p = of(228, "45000030b1cc0003401154740a01103e0a01103d" ROCE_UDP);
	assert_int_equal(p.status, PACKET_FRAGMENT);
	/* A fragment of TCP, or to another port, is not ours. */
	p = of(228, "45000030b1cc0003400654740a01103e0a01103d" ROCE_UDP);
	assert_int_equal(p.status, PACKET_FOREIGN);
	p = of(228, "45000030b1cc2000401154740a01103e0a01103d"
		    "12b70035001c0000");
	assert_int_equal(p.status, PACKET_FOREIGN);
}

static void ipv6_fragments(void **state)
{
	static const struct {
		const char *header; /* after the next header byte */
		int status;
	} cases[] = {
		{ "1100 0001 00000009", PACKET_FRAGMENT }, /* first */
		{ "1100 0011 00000009", PACKET_FRAGMENT },
		{ "1100 0010 00000009", PACKET_FRAGMENT }, /* last */
		{ "1100 0000 00000009", PACKET_OK },       /* "atomic" */
		{ "0600 0010 00000009", PACKET_FOREIGN },
	};

	(void)state;
	for (int i = 0; i < 5; i++) {
		struct frame_bytes f = { .n = 0 };
		struct packet p;

		put_ipv6(&f, "2c", 8 + ROCE_UDP_SIZE);
		put(&f, cases[i].header);
		put(&f, ROCE_UDP);
		p = decode_frame(&f, 229);
		assert_int_equal(p.status, cases[i].status);
		assert_int_equal(p.icrc_status, ICRC_UNCHECKABLE);
	}
}

/* A jumbo copy in two fragments of the mirror's own packet: the first holds
 * all headers of the copy, and the copy is no fragment. */
static void fragmented_mirror(void **state)
{
	struct frame_bytes f = { .n = 0 };
	struct packet p;

	(void)state;
	put(&f, "4500 0062 0001 2000 ff2f 0000 c0a80001 c0a80002");
	put(&f, "0000 88be" ETHER_IPV4);
	put(&f, "45001030b1cc4000401154740a01103e0a01103d da1812b7101c0000"
		"0400ffff0000003b80727d6e");
	put_zeros(&f, 20);
	p = decode_frame(&f, 228);
	assert_int_equal(p.status, PACKET_OK);
	assert_int_equal(p.payload, 0x1004);
	assert_int_equal(p.icrc_status, ICRC_UNCHECKABLE);
	/* Its headers cut by the fragment: neither malformed nor truncated. */
	f.n = 20 + 4 + 14 + 20 + 8 + 4;
	f.data[3] = (uint8_t)f.n;
	assert_int_equal(decode_frame(&f, 228).status, PACKET_FRAGMENT);
	/* The second fragment. */
	f.data[6] = 0x00;
	f.data[7] = 0x08;
	assert_int_equal(decode_frame(&f, 228).status, PACKET_FRAGMENT);
}

static void contradictions(void **state)
{
	static const char *const wrong[] = {
		/* version, header length, total length */
		"55000030b1cc4000401154740a01103e0a01103d" ROCE_UDP,
		"44000030b1cc4000401154740a01103e0a01103d" ROCE_UDP,
		"45000013b1cc4000401154740a01103e0a01103d" ROCE_UDP,
		"45000000b1cc4000401154740a01103e0a01103d" ROCE_UDP,
		"46000017b1cc4000401154740a01103e0a01103d 94040000" ROCE_UDP,
		/* no room for UDP, for BTH, for the ICRC */
		"4500001bb1cc4000401154740a01103e0a01103d" ROCE_UDP,
		"45000027b1cc4000401154740a01103e0a01103d" ROCE_UDP,
		"4500002bb1cc4000401154740a01103e0a01103d" ROCE_UDP,
	};

	(void)state;
	for (int i = 0; i < 8; i++)
		assert_int_equal(of(228, wrong[i]).status, PACKET_MALFORMED);
}

/* Every place where a snap length can cut a WRITE First. */
static void snap_lengths(void **state)
{
	struct frame_bytes f = { .n = 0 };

	(void)state;
	put(&f, ETHER_IPV4);
	put(&f, "4500 043c 0001 4000 4011 0000 0a000001 0a000002"
		"c000 12b7 0428 0000 | 0600ffff 00000011 00000064"
		"0000000000001000 00000777 00000400");
	put_zeros(&f, 1024 + 4);
	for (size_t cap = 0; cap <= f.n; cap++) {
		struct packet p = decode_cut(&f, cap, 0, 1);
		bool whole = cap >= 14 + 20 + 8 + 12 + 16;
		bool bth = cap >= 14 + 20 + 8 + 12;

		assert_int_equal(p.status, bth ? PACKET_OK : PACKET_TRUNCATED);
		assert_int_equal(p.payload, bth ? 1024 : 0);
		assert_int_equal(p.kind, cap >= 14 + 20 + 8 ? PACKET_ROCE
							    : PACKET_OTHER);
		assert_int_equal(p.psn, bth ? 0x64 : 0);
		assert_int_equal(!!(p.flags & PACKET_HAS_RETH), whole);
		assert_int_equal(p.icrc_status == ICRC_UNCHECKABLE, cap < f.n);
		assert_int_equal(p.wire_len, f.n);
	}
}

/* Mirrors and tools cut frames and write the short length into the capture:
 * the IP length is what counts. */
static void ip_length_beyond_the_frame(void **state)
{
	struct frame_bytes f = { .n = 0 };
	struct packet p;

	(void)state;
	put(&f, ETHER_IPV4);
	put(&f, "4500 0440 0001 4000 4011 0000 0a000001 0a000002"
		"c000 12b7 042c 0000 | 0700ffff 00000011 00000064 0000");
	p = decode_frame(&f, 1);
	assert_int_equal(p.status, PACKET_OK);
	assert_int_equal(p.payload, 0x440 - 20 - 8 - 12 - 4);
	assert_int_equal(p.icrc_status, ICRC_UNCHECKABLE);
	f.n = 14 + 20 + 8 + 11;
	assert_int_equal(decode_frame(&f, 1).status, PACKET_TRUNCATED);
}

static void only_the_destination_port_decides(void **state)
{
	struct packet p;

	(void)state;
	/* 4791 as a source port; then 69 (TFTP) as the source of RoCE. */
	p = of(228,
	       "45000030b1cc4000401154740a01103e0a01103d"
	       "12b7da18001c0000 0400ffff0000003b80727d6e 0000100000bff12d");
	assert_int_equal(p.status, PACKET_FOREIGN);
	assert_int_equal(p.kind, PACKET_OTHER);
	p = of(228,
	       "45000030b1cc4000401154740a01103e0a01103d"
	       "004512b7001c0000 0400ffff0000003b80727d6e 0000100000bff12d");
	assert_int_equal(p.status, PACKET_OK);
	assert_int_equal(p.sport, 69);
}

static void ports_are_convention(void **state)
{
	struct frame_bytes f = { .n = 0 };
	struct decode_options lumina = { .roce_ports = { 4791, 9741 } };
	struct decode_options none = { .roce_ports = { 0 } };
	struct decode_input in = { .data = f.data, .linktype = 1 };
	struct packet p;

	(void)state;
	put(&f, ETHER_IPV4
	    "45000030b1cc4000401154740a01103e0a01103d"
	    "da18260d001c0000 0400ffff0000003b80727d6e 0000100000bff12d");
	in.caplen = in.wirelen = (uint32_t)f.n;
	p = decode_input(&in, &decode_defaults);
	assert_int_equal(p.status, PACKET_FOREIGN);
	p = decode_input(&in, &lumina);
	assert_int_equal(p.status, PACKET_OK);
	assert_int_equal(p.psn, 0x727d6e);
	/* Port 0 ends a list, and is no port. */
	f.data[14 + 22] = f.data[14 + 23] = 0;
	p = decode_input(&in, &none);
	assert_int_equal(p.status, PACKET_FOREIGN);
}

static void not_uet(void **state)
{
	struct packet p;

	(void)state;
	p = of(228,
	       "45000030b1cc4000401154740a01103e0a01103d"
	       "da1812b9001c0000 0400ffff0000003b80727d6e 0000100000bff12d");
	assert_int_equal(p.kind, PACKET_NOT_UET); /* type 0 */
	assert_int_equal(p.status, PACKET_FOREIGN);
	assert_int_equal(p.sport, 0xda18);
	assert_int_equal(p.psn, 0);
}

/* IFA (protocol 253) and TCP. */
static void foreign_protocols(void **state)
{
	struct packet p;

	(void)state;
	p = of(228, "45000030b1cc400040fd54740a01103e0a01103d" ROCE_UDP);
	assert_int_equal(p.status, PACKET_FOREIGN);
	p = of(228, "45000030b1cc4000400654740a01103e0a01103d" ROCE_UDP);
	assert_int_equal(p.status, PACKET_FOREIGN);
	assert_address(p.src, "10.1.16.62");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ipv6),
		cmocka_unit_test(ipv4_options),
		cmocka_unit_test(ipv6_extensions),
		cmocka_unit_test(srv6_bare),
		cmocka_unit_test(srv6_is_not),
		cmocka_unit_test(srv6_around),
		cmocka_unit_test(srv6_header),
		cmocka_unit_test(srv6_of_a_mirror),
		cmocka_unit_test(extension_beyond_the_packet),
		cmocka_unit_test(ipv4_fragments),
		cmocka_unit_test(ipv6_fragments),
		cmocka_unit_test(fragmented_mirror),
		cmocka_unit_test(contradictions),
		cmocka_unit_test(snap_lengths),
		cmocka_unit_test(ip_length_beyond_the_frame),
		cmocka_unit_test(only_the_destination_port_decides),
		cmocka_unit_test(ports_are_convention),
		cmocka_unit_test(not_uet),
		cmocka_unit_test(foreign_protocols),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Mirrors and tunnels, each with a whole RoCE packet inside (reference
 * telemetry 6.1 to 6.3). */
#include "frames.h"

#define INNER ETHER_IPV4 ROCE_V4
enum { INNER_SIZE = ETHER_SIZE + ROCE_V4_SIZE };

/* IPv4 of |protocol| around |between|, |n| bytes of it, and |inner|. */
static struct packet in_ipv4(const char *protocol, const char *between,
			     size_t n, const char *inner, size_t inner_n)
{
	struct frame_bytes f = { .n = 0 };

	put(&f, ETHER_IPV4);
	put_ipv4(&f, protocol, n + inner_n);
	put(&f, between);
	assert_int_equal(f.n, ETHER_SIZE + 20 + n);
	put(&f, inner);
	return decode_frame(&f, 1);
}

static struct packet in_gre(const char *gre, size_t n)
{
	return in_ipv4("2f", gre, n, INNER, INNER_SIZE);
}

static struct packet in_udp(const char *dport, const char *header, size_t n,
			    const char *inner, size_t inner_n)
{
	struct frame_bytes f = { .n = 0 };

	put(&f, ETHER_IPV6);
	put_ipv6(&f, "11", 8 + n + inner_n);
	put_udp(&f, dport, n + inner_n);
	put(&f, header);
	assert_int_equal(f.n, ETHER_SIZE + 40 + 8 + n);
	put(&f, inner);
	return decode_frame(&f, 1);
}

static void assert_peeled(struct packet p)
{
	assert_roce_v4(p);
	assert_true(p.flags & PACKET_TUNNELLED);
	/* what the link of the host carried, also where it had a tag */
	assert_int_equal(p.wire_len, INNER_SIZE + (p.vlan == 100 ? 4 : 0));
}

static void erspan_1(void **state)
{
	struct packet p = in_gre("0000 88be", 4);

	(void)state;
	assert_peeled(p);
	assert_int_equal(p.flags & PACKET_MIRROR_SEQ, 0);
}

static void erspan_2(void **state)
{
	struct packet p;

	(void)state;
	/* The reference's: VLAN 30, COS 3, En 3 (tag kept), session 100. */
	p = in_gre("1000 88be 00000007 | 101e 7864 00000005", 16);
	assert_peeled(p);
	assert_true(p.flags & PACKET_MIRROR_SEQ);
	assert_int_equal(p.mirror_seq, 7);
	assert_int_equal(p.mirror_session, 100);
	assert_int_equal(p.vlan, 0xffff);
	/* En 2: there was a tag, and only the mirror header has it now. */
	p = in_gre("1000 88be 00000007 | 101e 7064 00000005", 16);
	assert_peeled(p);
	assert_int_equal(p.vlan, 30);
	assert_int_equal(p.pcp, 3);
	/* En 0: the VLAN is the port's own. */
	p = in_gre("1000 88be 00000007 | 101e 6064 00000005", 16);
	assert_int_equal(p.vlan, 0xffff);
	assert_int_equal(p.pcp, 0xff);
}

static void erspan_3(void **state)
{
	struct packet p;

	(void)state;
	/* The reference's: platform 3, port 17. */
	p = in_gre("1000 22eb 00000008 | 201e 6064 00c0ffee 0000 805d |"
		   "0c000011 00000001",
		   28);
	assert_peeled(p);
	assert_true(p.flags & PACKET_MIRROR_SEQ);
	assert_int_equal(p.mirror_seq, 8);
	assert_int_equal(p.mirror_session, 100);
	/* From a chip: session 0x3ff, platform 5, port 1. */
	p = in_gre("1000 22eb 0000000a | 201e 03ff 00000000 0000 83f7 |"
		   "14040001 00000000",
		   28);
	assert_peeled(p);
	assert_int_equal(p.mirror_session, 0x3ff);
	/* Platforms 1 and 7; a reserved one. */
	p = in_gre("1000 22eb 0000000a | 201e 03ff 00000000 0000 8001 |"
		   "04000123 00012345",
		   28);
	assert_peeled(p);
	p = in_gre("1000 22eb 0000000a | 201e 03ff 00000000 0000 8001 |"
		   "1c012345 00000000",
		   28);
	assert_peeled(p);
	p = in_gre("1000 22eb 0000000a | 201e 03ff 00000000 0000 8001 |"
		   "20012345 00000000",
		   28);
	assert_peeled(p);
	/* Without a subheader; the same without a sequence number. */
	p = in_gre("1000 22eb 0000000a | 201e 03ff 00000000 0000 0000", 20);
	assert_peeled(p);
	p = in_gre("0000 22eb | 201e 03ff 00000000 0000 0000", 16);
	assert_peeled(p);
	assert_int_equal(p.flags & PACKET_MIRROR_SEQ, 0);
}

static void erspan_3_inside(void **state)
{
	struct packet p;

	(void)state;
	/* Frame type 2 begins at IP; 7 is unknown, and so is version 3. */
	p = in_ipv4("2f", "1000 22eb 00000008 | 201e6064 00c0ffee 0000 0808",
		    20, ROCE_V4, ROCE_V4_SIZE);
	assert_peeled(p);
	p = in_gre("1000 22eb 00000008 | 201e 6064 00c0ffee 0000 1c08", 20);
	assert_int_equal(p.status, PACKET_FOREIGN);
	p = in_gre("1000 22eb 00000008 | 301e 6064 00c0ffee 0000 0008", 20);
	assert_int_equal(p.status, PACKET_FOREIGN);
}

/* Bytes that nobody explains, in front of the mirrored frame. */
static void retry_offsets(void **state)
{
	struct packet p;

	(void)state;
	assert_peeled(in_gre("0000 88be | 5e022000", 8));
	/* Type II without its sequence number. */
	assert_peeled(in_gre("0000 88be | 101e 7864 00000005", 12));
	assert_peeled(
		in_gre("1000 88be 00000007 | 5e022000 00000000 00000000", 20));
	assert_peeled(in_gre("0000 8949", 4));
	assert_peeled(in_gre("0000 8949 | 000102030405060708090a0b0c0d0e0f"
			     "101112131415",
			     26));
	/* A frame is known by more than IPv4. */
	p = in_ipv4("2f", "0000 88be | 5e022000", 8, ETHER_IPV6 WORKED_V6,
		    ETHER_SIZE + WORKED_V6_SIZE);
	assert_int_equal(p.status, PACKET_OK);
	p = in_ipv4("2f", "0000 88be | 5e022000", 8,
		    ETHER("8100") "6064 0800" ROCE_V4, INNER_SIZE + 4);
	assert_peeled(p);
	assert_int_equal(p.vlan, 100);
	p = in_ipv4("2f", "0000 88be | 5e022000", 8, ETHER("0806") "0001", 16);
	assert_int_equal(p.status, PACKET_FOREIGN);
	assert_int_equal(p.src_mac, 0x020000000001);
	/* 8 bytes are among the offsets, 6 are not. */
	assert_int_equal(in_gre("0000 8949 | 0001020304050607", 12).status,
			 PACKET_OK);
	assert_int_equal(in_gre("0000 8949 | 000102030405", 10).status,
			 PACKET_FOREIGN);
}

static void gre(void **state)
{
	struct packet p;

	(void)state;
	assert_peeled(in_gre("0000 6558", 4));
	assert_peeled(in_gre("8000 6558 12340000", 8));
	assert_peeled(in_gre("2000 6558 0000abcd", 8));
	assert_peeled(in_gre("b000 6558 12340000 0000abcd 00000001", 16));
	p = in_gre("1000 6558 00000001", 8);
	assert_peeled(p);
	/* A sequence, but of no mirror session. */
	assert_int_equal(p.flags & PACKET_MIRROR_SEQ, 0);
	assert_peeled(in_ipv4("2f", "0000 0800", 4, ROCE_V4, ROCE_V4_SIZE));
	p = in_ipv4("2f", "2000 86dd 00000001", 8, WORKED_V6, WORKED_V6_SIZE);
	assert_int_equal(p.status, PACKET_OK);
	assert_int_equal(p.icrc_status, ICRC_GOOD);
	assert_int_equal(p.src_mac, 0x020000000001);
	/* Source routes, version 1, a protocol nobody knows. */
	assert_int_equal(in_gre("4000 6558", 4).status, PACKET_FOREIGN);
	assert_int_equal(in_gre("0001 6558", 4).status, PACKET_FOREIGN);
	assert_int_equal(in_gre("0000 1234", 4).status, PACKET_FOREIGN);
}

static void vxlan(void **state)
{
	struct packet p;

	(void)state;
	assert_peeled(
		in_udp("12b5", "08000000 00004d00", 8, INNER, INNER_SIZE));
	p = in_udp("12b5", "00000000 00004d00", 8, INNER, INNER_SIZE);
	assert_int_equal(p.status, PACKET_FOREIGN);
	/* GPE: by next protocol, and Ethernet where it has none. */
	assert_peeled(
		in_udp("12b6", "0c000003 00004d00", 8, INNER, INNER_SIZE));
	assert_peeled(
		in_udp("12b6", "08000000 00004d00", 8, INNER, INNER_SIZE));
	assert_peeled(
		in_udp("12b6", "0c000001 00004d00", 8, ROCE_V4, ROCE_V4_SIZE));
	p = in_udp("12b6", "0c000002 00004d00", 8, WORKED_V6, WORKED_V6_SIZE);
	assert_int_equal(p.status, PACKET_OK);
	p = in_udp("12b6", "0c000004 00004d00", 8, INNER, INNER_SIZE);
	assert_int_equal(p.status, PACKET_FOREIGN);
}

static void geneve(void **state)
{
	struct packet p;

	(void)state;
	assert_peeled(
		in_udp("17c1", "0000 6558 00004d00", 8, INNER, INNER_SIZE));
	assert_peeled(in_udp("17c1", "0240 0800 00004d00 0102 80 01 deadbeef",
			     16, ROCE_V4, ROCE_V4_SIZE));
	p = in_udp("17c1", "4000 6558 00004d00", 8, INNER, INNER_SIZE);
	assert_int_equal(p.status, PACKET_FOREIGN);
	/* Options beyond the end. */
	p = in_udp("17c1", "3f00 6558 00004d00", 8, INNER, INNER_SIZE);
	assert_int_equal(p.status, PACKET_MALFORMED);
}

static void ip_in_ip(void **state)
{
	struct packet p;

	(void)state;
	assert_peeled(in_ipv4("04", "", 0, ROCE_V4, ROCE_V4_SIZE));
	assert_peeled(in_ipv4("89", "00065140", 4, ROCE_V4, ROCE_V4_SIZE));
	p = in_ipv4("29", "", 0, WORKED_V6, WORKED_V6_SIZE);
	assert_int_equal(p.status, PACKET_OK);
	assert_true(p.flags & PACKET_TUNNELLED);
	assert_true(p.flags & PACKET_IPV6);
	assert_int_equal(p.ip_id, 0);
}

/* The ICRC belongs to the inner header also when the outer one is UDP to the
 * very port that would make it RoCE. */
static void inner_header_decides(void **state)
{
	struct frame_bytes f = { .n = 0 };
	struct packet p;

	(void)state;
	put_ipv4(&f, "11", 8 + 8 + INNER_SIZE);
	put_udp(&f, "12b5", 8 + INNER_SIZE);
	put(&f, "08000000 00004d00" INNER);
	p = decode_frame(&f, 228);
	assert_peeled(p);
	assert_int_equal(p.src_mac, 0x020000000001);
}

/* Of two mirrors the outermost is the one that loses on the way to us. */
static void mirror_in_a_mirror(void **state)
{
	struct frame_bytes f = { .n = 0 };
	struct packet p;

	(void)state;
	put_ipv4(&f, "2f", 16 + 14 + 20 + 16 + INNER_SIZE);
	put(&f, "1000 88be 00000007 | 101e 7864 00000005" ETHER_IPV4);
	put_ipv4(&f, "2f", 16 + INNER_SIZE);
	put(&f, "1000 88be 00000063 | 101e 7865 00000006" INNER);
	p = decode_frame(&f, 228);
	assert_peeled(p);
	assert_int_equal(p.mirror_seq, 7);
	assert_int_equal(p.mirror_session, 100);
}

/* A mirror that truncates corrects its own lengths, not the copy's. */
static void truncating_mirror(void **state)
{
	struct frame_bytes f = { .n = 0 };
	struct packet p;

	(void)state;
	put_ipv4(&f, "2f", 16 + INNER_SIZE - 8);
	put(&f, "1000 88be 00000007 | 101e 7c64 00000005" INNER);
	f.n -= 8;
	p = decode_frame(&f, 228);
	assert_int_equal(p.status, PACKET_OK);
	assert_int_equal(p.payload, 4);
	assert_int_equal(p.icrc_status, ICRC_UNCHECKABLE);
}

static void vlan_inside_and_outside(void **state)
{
	struct frame_bytes f = { .n = 0 };
	struct packet p;

	(void)state;
	put(&f, ETHER("8100") "6064 0800");
	put_ipv4(&f, "2f", 4 + INNER_SIZE);
	put(&f, "0000 88be" INNER);
	p = decode_frame(&f, 1);
	assert_peeled(p);
	assert_int_equal(p.vlan, 0xffff);
}

/* |n| times IP in IP around a RoCE packet. */
static int nested_ip(int n)
{
	struct frame_bytes f = { .n = 0 };

	for (int i = n; i > 0; i--)
		put_ipv4(&f, "04", (size_t)(i - 1) * 20 + ROCE_V4_SIZE);
	put(&f, ROCE_V4);
	return decode_frame(&f, 228).status;
}

static int nested_ethernet(int n)
{
	size_t each = 20 + 4 + 14;
	struct frame_bytes f = { .n = 0 };

	for (int i = n; i > 0; i--) {
		put_ipv4(&f, "2f", (size_t)i * each - 20 + ROCE_V4_SIZE);
		put(&f, "0000 6558" ETHER_IPV4);
	}
	put(&f, ROCE_V4);
	return decode_frame(&f, 228).status;
}

/* Reference telemetry 0.3: 8 layers, Ethernet inside IP at most 3 times. */
static void depth(void **state)
{
	(void)state;
	assert_int_equal(nested_ip(7), PACKET_OK);
	assert_int_equal(nested_ip(8), PACKET_FOREIGN);
	assert_int_equal(nested_ethernet(2), PACKET_OK);
	assert_int_equal(nested_ethernet(3), PACKET_FOREIGN); /* 10 layers */
}

/* RoCEv1 of nothing but a BTH and an ICRC. */
#define ROCE_V1                                                \
	ETHER("8915")                                          \
	"60000000 0010 1b 40 00000000000000000000ffff0a000001" \
	"00000000000000000000ffff0a000002"                     \
	"0400ffff0000003b80727d6e 00000000"
enum { ROCE_V1_SIZE = ETHER_SIZE + 40 + 16 };

/* Neither GRE nor a last IP header, which count as layers: the limit is that
 * of Ethernet. */
static int ethernet_over_mpls(int n)
{
	size_t each = 20 + 4 + 14;
	struct frame_bytes f = { .n = 0 };

	for (int i = n; i > 0; i--) {
		put_ipv4(&f, "89", (size_t)i * each - 34 + ROCE_V1_SIZE);
		put(&f, i > 1 ? "00065140" ETHER_IPV4 : "00065140");
	}
	put(&f, ROCE_V1);
	return decode_frame(&f, 228).status;
}

static void ethernet_in_ip(void **state)
{
	(void)state;
	assert_int_equal(ethernet_over_mpls(3), PACKET_OK);
	assert_int_equal(ethernet_over_mpls(4), PACKET_FOREIGN);
}

/* Nothing of the outer IP header is left on a packet that has none. */
static void roce_v1_inside(void **state)
{
	struct packet p;

	(void)state;
	p = in_udp("12b5", "08000000 00004d00", 8, ROCE_V1, ROCE_V1_SIZE);
	assert_int_equal(p.status, PACKET_OK);
	assert_int_equal(p.flags, PACKET_V1 | PACKET_TUNNELLED | PACKET_ACKREQ);
	assert_address(p.src, "10.0.0.1");
	assert_int_equal(p.sport, 0);
	assert_int_equal(p.tos, 0);
	assert_int_equal(p.ttl, 64);
	p = in_ipv4("2f", "0000 6558", 4, ROCE_V1, ROCE_V1_SIZE);
	assert_int_equal(p.status, PACKET_OK);
	assert_int_equal(p.ip_id, 0);
}

/* However long, a stack of tags ends with the frame. */
static void endless_tags(void **state)
{
	struct frame_bytes f = { .n = 0 };

	(void)state;
	put(&f, ETHER("8100"));
	while (f.n + 4 <= sizeof f.data)
		put(&f, "0001 8100");
	assert_int_equal(decode_frame(&f, 1).status, PACKET_MALFORMED);
	assert_int_equal(decode_cut(&f, f.n, 1000, 1).status, PACKET_TRUNCATED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(erspan_1),
		cmocka_unit_test(erspan_2),
		cmocka_unit_test(erspan_3),
		cmocka_unit_test(erspan_3_inside),
		cmocka_unit_test(retry_offsets),
		cmocka_unit_test(gre),
		cmocka_unit_test(vxlan),
		cmocka_unit_test(geneve),
		cmocka_unit_test(ip_in_ip),
		cmocka_unit_test(inner_header_decides),
		cmocka_unit_test(mirror_in_a_mirror),
		cmocka_unit_test(truncating_mirror),
		cmocka_unit_test(vlan_inside_and_outside),
		cmocka_unit_test(depth),
		cmocka_unit_test(ethernet_in_ip),
		cmocka_unit_test(roce_v1_inside),
		cmocka_unit_test(endless_tags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

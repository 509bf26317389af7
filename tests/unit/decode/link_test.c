/* SPDX-License-Identifier: GPL-2.0-or-later
 * Link types, tags, MPLS, link control. */
#include "frames.h"

static struct packet of(uint16_t linktype, const char *hex)
{
	struct frame_bytes f = { .n = 0 };

	put(&f, hex);
	return decode_frame(&f, linktype);
}

static void ethernet(void **state)
{
	struct packet p = of(1, ETHER_IPV4 ROCE_V4);

	(void)state;
	assert_roce_v4(p);
	assert_int_equal(p.src_mac, 0x020000000001);
	assert_int_equal(p.vlan, 0xffff);
	assert_int_equal(p.pcp, 0xff);
	assert_int_equal(p.wire_len, 14 + 48);
	assert_int_equal(p.flags, PACKET_ACKREQ);
}

static void vlan_stacks(void **state)
{
	static const char *const outer[] = { "8100", "88a8", "9100", "9200" };
	struct packet p;

	(void)state;
	p = of(1, ETHER("8100") "6064 0800" ROCE_V4);
	assert_roce_v4(p);
	assert_int_equal(p.vlan, 100);
	assert_int_equal(p.pcp, 3);
	for (int i = 0; i < 4; i++) {
		struct frame_bytes f = { .n = 0 };

		put(&f, ETHER(""));
		put(&f, outer[i]);
		put(&f, "e001 8100 6fff 0800" ROCE_V4);
		p = decode_frame(&f, 1);
		assert_roce_v4(p);
		assert_int_equal(p.vlan, 0xfff);
		assert_int_equal(p.pcp, 3);
		assert_int_equal(p.flags & PACKET_TUNNELLED, 0);
	}
}

static void raw_ip(void **state)
{
	static const uint16_t by_nibble[] = { 12, 14, 101 };

	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_roce_v4(of(by_nibble[i], ROCE_V4));
		assert_int_equal(of(by_nibble[i], WORKED_V6).flags &
					 PACKET_IPV6,
				 PACKET_IPV6);
		assert_int_equal(of(by_nibble[i], "50").status, PACKET_FOREIGN);
		assert_int_equal(of(by_nibble[i], "").status, PACKET_MALFORMED);
	}
	assert_roce_v4(of(228, ROCE_V4));
	assert_int_equal(of(229, WORKED_V6).status, PACKET_OK);
	assert_int_equal(of(228, WORKED_V6).status, PACKET_MALFORMED);
	assert_int_equal(of(229, ROCE_V4).status, PACKET_MALFORMED);
}

static void loopback(void **state)
{
	static const char *const inet6[] = { "0a", "17", "18", "1c", "1e" };

	(void)state;
	assert_roce_v4(of(0, "02000000" ROCE_V4));
	assert_roce_v4(of(0, "00000002" ROCE_V4));
	assert_roce_v4(of(108, "00000002" ROCE_V4));
	assert_int_equal(of(108, "02000000" ROCE_V4).status, PACKET_FOREIGN);
	assert_int_equal(of(0, "00000007" ROCE_V4).status, PACKET_FOREIGN);
	for (int i = 0; i < 5; i++) {
		struct frame_bytes f = { .n = 0 };

		put(&f, "000000");
		put(&f, inet6[i]);
		put(&f, WORKED_V6);
		assert_int_equal(decode_frame(&f, 0).status, PACKET_OK);
	}
}

static void cooked(void **state)
{
	struct packet p;

	(void)state;
	p = of(113, "0000 0001 0006 0200000000050000 0800" ROCE_V4);
	assert_roce_v4(p);
	assert_int_equal(p.src_mac, 0x020000000005);
	/* An address of eight bytes is no MAC. */
	p = of(113, "0000 0020 0008 0200000000050607 0800" ROCE_V4);
	assert_int_equal(p.src_mac, 0);
	p = of(276, "86dd 0000 00000007 0001 04 06 0200000000050000" WORKED_V6);
	assert_int_equal(p.status, PACKET_OK);
	assert_int_equal(p.src_mac, 0x020000000005);
	/* On a GRE interface the protocol is a GRE type: ERSPAN I, III. */
	p = of(113, "0000 030a 0000 0000000000000000 88be" ETHER_IPV4 ROCE_V4);
	assert_roce_v4(p);
	p = of(276, "22eb 0000 00000007 030a 00 00 0000000000000000"
		    "201e 6064 00c0ffee 0000 805c" ETHER_IPV4 ROCE_V4);
	assert_roce_v4(p);
	/* Not so elsewhere. */
	p = of(113, "0000 0001 0000 0000000000000000 88be" ETHER_IPV4 ROCE_V4);
	assert_int_equal(p.status, PACKET_FOREIGN);
}

static void foreign_link_types(void **state)
{
	(void)state;
	assert_int_equal(of(147, ETHER_IPV4 ROCE_V4).status, PACKET_FOREIGN);
	assert_int_equal(of(247, ETHER_IPV4 ROCE_V4).status, PACKET_FOREIGN);
	assert_int_equal(of(0xffff, "").status, PACKET_FOREIGN);
}

static void mpls(void **state)
{
	(void)state;
	assert_roce_v4(of(1, ETHER("8847") "00064 0 40 00065 1 40" ROCE_V4));
	assert_roce_v4(of(1, ETHER("8848") "00065 1 40" ROCE_V4));
	assert_roce_v4(of(219, "00065 1 40" ROCE_V4));
	assert_int_equal(of(219, "00065140" WORKED_V6).status, PACKET_OK);
	assert_true(of(219, "00065140" ROCE_V4).flags & PACKET_TUNNELLED);
	/* Ethernet behind a control word, and without one. */
	assert_roce_v4(of(219, "00065140 00000000" ETHER_IPV4 ROCE_V4));
	assert_roce_v4(of(219, "00065140" ETHER_IPV4 ROCE_V4));
	assert_roce_v4(
		of(219, "00065140 a20000000002 020000000001 0800" ROCE_V4));
	assert_int_equal(of(219, "00065140 b2").status, PACKET_FOREIGN);
	assert_int_equal(of(219, "00065140").status, PACKET_MALFORMED);
	assert_int_equal(of(219, "00065040").status, PACKET_MALFORMED);
}

static void shims(void **state)
{
	struct packet p;

	(void)state;
	/* Reference telemetry 2.2 (FBOSS): signal 0x17, then IPv4. */
	p = of(1, ETHER("9900") "2b85 0800" ROCE_V4);
	assert_roce_v4(p);
	assert_true(p.flags & PACKET_SHIM);
	/* After a VLAN tag, which it leaves alone. */
	p = of(1, ETHER("8100") "6064 9900 2880 0800" ROCE_V4);
	assert_roce_v4(p);
	assert_int_equal(p.vlan, 100);
	/* 6.6: Arista's UTC stamp of 64 bits, then 48 bits, then green tap. */
	p = of(1, ETHER("d28b") "0001 0110 65a0bc00 3b9ac9ff 0800" ROCE_V4);
	assert_roce_v4(p);
	assert_true(p.flags & PACKET_SHIM);
	assert_roce_v4(of(
		1, ETHER("d28b") "0001 0011 65a0bc00 3b9ac9ff 0800" ROCE_V4));
	assert_roce_v4(
		of(1, ETHER("d28b") "0001 0120 bc00 3b9ac9ff 0800" ROCE_V4));
	assert_roce_v4(of(
		1, ETHER("d28b") "0003 0020 0001 bc00 3b9ac9ff 0800" ROCE_V4));
	p = of(1, ETHER("d28b") "0004 0001 0000 0000 0800" ROCE_V4);
	assert_int_equal(p.status, PACKET_FOREIGN);
	assert_int_equal(p.flags & PACKET_SHIM, 0);
}

static void foreign_ethernet(void **state)
{
	static const char *const types[] = {
		"0026" /* LLC */, "05ff", "0806", "22e7", "88b5", "ffff",
	};

	(void)state;
	for (int i = 0; i < 6; i++) {
		struct frame_bytes f = { .n = 0 };
		struct packet p;

		put(&f, ETHER(""));
		put(&f, types[i]);
		put(&f, ROCE_V4);
		p = decode_frame(&f, 1);
		assert_int_equal(p.status, PACKET_FOREIGN);
		assert_int_equal(p.kind, PACKET_OTHER);
		assert_int_equal(p.src_mac, 0x020000000001);
	}
}

/* Reference telemetry 5.1. */
static void link_control(void **state)
{
	struct frame_bytes f = { .n = 0 };
	struct packet p;

	(void)state;
	put(&f, "0180c2000001 020000000001 8808 0101 0018 0000 0000 0000 ffff"
		"0000 0000 0000 0000");
	put_zeros(&f, 26);
	p = decode_frame(&f, 1);
	assert_int_equal(p.kind, PACKET_PFC);
	assert_int_equal(p.status, PACKET_FOREIGN);
	assert_int_equal(p.src_mac, 0x020000000001);
	assert_int_equal(p.dst_mac, 0x0180c2000001);
	assert_int_equal(p.payload, 46);
	/* The last pause time is byte 33. */
	assert_int_equal(decode_cut(&f, 34, 0, 1).status, PACKET_FOREIGN);
	p = decode_cut(&f, 33, 0, 1);
	assert_int_equal(p.status, PACKET_TRUNCATED);
	assert_int_equal(p.kind, PACKET_PFC);
	assert_int_equal(decode_cut(&f, 15, 0, 1).status, PACKET_TRUNCATED);

	f.n = 0;
	put(&f, "0180c2000001 020000000001 8808 0001 ffff");
	put_zeros(&f, 42);
	p = decode_frame(&f, 1);
	assert_int_equal(p.kind, PACKET_PAUSE);
	assert_int_equal(p.status, PACKET_FOREIGN);
	p = of(1, "0180c2000001 020000000001 8808 0002 ffff");
	assert_int_equal(p.kind, PACKET_OTHER);
	assert_int_equal(p.status, PACKET_FOREIGN);
	p = of(1, "0180c2000001 020000000001 8808 00");
	assert_int_equal(p.status, PACKET_MALFORMED);
	p = of(1, "0180c200000e 020000000001 88cc 0207");
	assert_int_equal(p.kind, PACKET_LLDP);
	assert_int_equal(p.status, PACKET_MALFORMED);
}

static void short_frames(void **state)
{
	struct frame_bytes f = { .n = 0 };

	(void)state;
	put(&f, ETHER_IPV4 ROCE_V4);
	assert_int_equal(decode_cut(&f, 0, 0, 1).status, PACKET_TRUNCATED);
	assert_int_equal(decode_cut(&f, 13, 0, 1).status, PACKET_TRUNCATED);
	assert_int_equal(decode_cut(&f, 14, 0, 1).status, PACKET_TRUNCATED);
	f.n = 13;
	assert_int_equal(decode_frame(&f, 1).status, PACKET_MALFORMED);
	f.n = 0;
	assert_int_equal(decode_frame(&f, 1).status, PACKET_MALFORMED);
}

/* Padding to 60 bytes, trailers and the FCS are no part of the packet. */
static void what_follows_is_ignored(void **state)
{
	struct frame_bytes f = { .n = 0 };
	struct decode_input in = { .linktype = 1, .data = f.data };

	(void)state;
	put(&f, ETHER_IPV4 ROCE_V4 "00000000 deadbeef 5b0c9a4d");
	assert_roce_v4(decode_frame(&f, 1));
	in.caplen = in.wirelen = (uint32_t)f.n;
	in.fcs_len = 4;
	assert_roce_v4(decode_input(&in, &decode_defaults));
	/* The FCS eats into the packet when the frame is shorter than that. */
	in.caplen = in.wirelen = 14 + ROCE_V4_SIZE;
	assert_int_equal(decode_input(&in, &decode_defaults).icrc_status,
			 ICRC_UNCHECKABLE);
	in.fcs_len = 255;
	assert_int_equal(decode_input(&in, &decode_defaults).status,
			 PACKET_MALFORMED);
}

/* Endace's record header, then what it says. */
#define ERF(type, rlen, wlen) "0000000001000000" type "04" rlen "0000" wlen

static void erf_records(void **state)
{
	static const char *const ethernet[] = { "02", "0b", "10", "14" };
	struct packet p;

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct frame_bytes f = { .n = 0 };

		put(&f, "0000000001000000");
		put(&f, ethernet[i]);
		put(&f, "04 0050 0000 0042 0000" ETHER_IPV4 ROCE_V4);
		p = decode_frame(&f, 197);
		assert_roce_v4(p);
		assert_int_equal(p.src_mac, 0x020000000001);
		assert_int_equal(p.wire_len, 0x42); /* with the FCS */
	}
	assert_roce_v4(of(197, ERF("16", "0040", "0030") ROCE_V4));
	/* Extension headers: one, and two. */
	assert_roce_v4(
		of(197, ERF("96", "0048", "0030") "1000000000000000" ROCE_V4));
	assert_roce_v4(
		of(197, ERF("96", "0050", "0030") "9000000000000000"
						  "0c00000000000000" ROCE_V4));
	p = of(197, ERF("96", "0018", "0030") "9000000000000000");
	assert_int_equal(p.status, PACKET_MALFORMED);
	/* Flow control and provenance hold no packet, and are no secret. */
	p = of(197, ERF("19", "0018", "0008") "0000000000000000");
	assert_int_equal(p.kind, PACKET_OTHER);
	assert_int_equal(p.status, PACKET_FOREIGN);
	p = of(197, ERF("01", "0018", "0008") "0000000000000000");
	assert_int_equal(p.kind, PACKET_UNREADABLE);
	assert_int_equal(p.status, PACKET_FOREIGN);
	p = of(147, ETHER_IPV4 ROCE_V4);
	assert_int_equal(p.kind, PACKET_UNREADABLE);
	assert_int_equal(p.status, PACKET_FOREIGN);
}

/* The local packet of IBTA vol. 1, 7.8: an RC WRITE Only of 14 bytes, with
 * the ICRC that stands there. */
#define IBTA_BODY                                                        \
	"0a202487 0087b1b3 000dec2a 01710a1c 015d4002 38f27a05 0000000e" \
	"bb884d85 fd5cfba4 728bc069 0ed40000 9625b75a"

static void infiniband(void **state)
{
	struct packet p = of(247, "7012375c 000e17d2" IBTA_BODY "45fa");

	(void)state;
	assert_int_equal(p.status, PACKET_OK);
	assert_int_equal(p.kind, PACKET_ROCE);
	assert_int_equal(p.icrc_status, ICRC_GOOD);
	assert_address(p.src, "lid:6098");
	assert_address(p.dst, "lid:14172");
	assert_int_equal(p.opcode, 0x0a);
	assert_int_equal(p.dst_qp, 0x87b1b3);
	assert_int_equal(p.psn, 0x0dec2a);
	assert_int_equal(p.dma_len, 14);
	assert_int_equal(p.payload, 14);
	assert_int_equal(p.tos, 2);
	assert_int_equal(p.flags, PACKET_V1 | PACKET_HAS_RETH);
	/* ibdump: the same in a record, on another virtual lane */
	p = of(197, ERF("15", "0048", "003a") "f012375c 000e17d2" IBTA_BODY);
	assert_int_equal(p.icrc_status, ICRC_GOOD);
	assert_int_equal(p.payload, 14);
	/* a service level is inside the sum */
	p = of(247, "7022375c 000e17d2" IBTA_BODY);
	assert_int_equal(p.icrc_status, ICRC_BAD);
}

/* GRH, congestion marks, and lengths that contradict themselves. */
static void infiniband_routed(void **state)
{
	struct packet p;

	(void)state;
	p = of(247, "0003375c 001217d2 66a12345 0018 1b 40"
		    "00000000000000000000ffff0a000001"
		    "fe800000000000000000000000000002"
		    "0460ffff800000118000006448454c4c4f21000000000000");
	assert_int_equal(p.status, PACKET_OK);
	assert_address(p.src, "10.0.0.1");
	assert_address(p.dst, "fe80::2");
	assert_int_equal(p.tos, 0x6b); /* FECN */
	assert_true(p.flags & PACKET_FECN);
	/* a CNP: BECN, and an opcode that only this link has */
	p = of(247, "0002375c 000a17d2 8000ffff 4000001100000000"
		    "00000000000000000000000000000000 00000000");
	assert_int_equal(p.kind, PACKET_CNP);
	assert_int_equal(p.dst_qp, 0x11);
	assert_int_equal(p.status, PACKET_OK);
	p = of(228, "4500003c0001000040110000 0a0000010a000002"
		    "c00012b700280000 8000ffff 4000001100000000"
		    "00000000000000000000000000000000 00000000");
	assert_int_equal(p.kind, PACKET_ROCE);
	/* raw: IPv6, and an EtherType */
	assert_int_equal(of(247, "0001375c 001417d2" WORKED_V6).payload, 6);
	assert_int_equal(of(247, "0000375c 000417d2 0000000000000000").status,
			 PACKET_FOREIGN);
	assert_int_equal(of(247, "0002375c 000117d2 0000000000000000").status,
			 PACKET_MALFORMED);
	assert_int_equal(of(247, "0002375c 000217d2").status, PACKET_MALFORMED);
	assert_int_equal(of(247, "0002375c").status, PACKET_MALFORMED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ethernet),
		cmocka_unit_test(vlan_stacks),
		cmocka_unit_test(raw_ip),
		cmocka_unit_test(loopback),
		cmocka_unit_test(cooked),
		cmocka_unit_test(foreign_link_types),
		cmocka_unit_test(mpls),
		cmocka_unit_test(shims),
		cmocka_unit_test(foreign_ethernet),
		cmocka_unit_test(link_control),
		cmocka_unit_test(short_frames),
		cmocka_unit_test(what_follows_is_ignored),
		cmocka_unit_test(erf_records),
		cmocka_unit_test(infiniband),
		cmocka_unit_test(infiniband_routed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

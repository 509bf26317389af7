/* SPDX-License-Identifier: GPL-2.0-or-later
 * Telemetry in packets: the examples of the reference (telemetry 1 to 3), most
 * of them dumps of real chips. */
#include "decode/stack.h"
#include "frames.h"

/* What the reference's 7.3 is when nothing is put into it. */
static void assert_worked(struct packet p)
{
	assert_int_equal(p.status, PACKET_OK);
	assert_int_equal(p.kind, PACKET_ROCE);
	assert_int_equal(p.opcode, 0x04);
	assert_int_equal(p.dst_qp, 0x11);
	assert_int_equal(p.psn, 0x64);
	assert_int_equal(p.payload, 6);
	assert_int_equal(p.sport, 0xc000);
	assert_int_equal(p.icrc, 0x39ec190c);
	assert_int_equal(p.icrc_status, ICRC_GOOD);
	assert_true(p.flags & PACKET_SHIM);
}

static struct packet decode_with(const char *hex,
				 const struct decode_options *options)
{
	struct frame_bytes f = { .n = 0 };
	struct decode_input in = { .linktype = 1 };

	put(&f, hex);
	in.data = f.data;
	in.caplen = in.wirelen = (uint32_t)f.n;
	return decode_input(&in, options);
}

static struct packet decode_hex(const char *hex)
{
	return decode_with(hex, &decode_defaults);
}

/* Reference 1.12: ICRC 0x39EC190C is that of the restored packet. */
#define IFA_WORKED                                                      \
	ETHER_IPV4 "456a005c1234400040fd13050a0000010a000002 2f1100ff " \
		   "c00012b700200000 33003f08"                          \
		   "1ddddd3f 4430bc00 005f005b 075bcd15 000005dc "      \
		   "00000000 00000000 00000000"                         \
		   "0460ffff 00000011 80000064 48454c4c4f210000 0c19ec39"

static void ifa_roce(void **state)
{
	struct packet p = decode_hex(IFA_WORKED);
	struct stack_hop h;

	(void)state;
	assert_worked(p);
	assert_true(p.flags & PACKET_STACK);
	assert_int_equal(p.stack_form, STACK_XGS);
	assert_int_equal(p.stack_hops, 1);
	stack_hop(&p, 0, &h);
	assert_int_equal(h.device, 0xddddd);
	assert_int_equal(h.ttl, 63);
	assert_int_equal(h.congested, 1);
	assert_int_equal(h.queue, 3);
	assert_int_equal(h.egress, 95);
	assert_int_equal(h.ingress, 91);
	assert_int_equal(h.residence_ns, 1500);
	assert_false(h.normalised);
}

/* Another protocol number, when it is asked for. */
static void ifa_protocol(void **state)
{
	static const char hex[] = ETHER_IPV4
		"456a005c1234400040fe13040a0000010a000002 2f1100ff "
		"c00012b700200000 33003f08"
		"1ddddd3f 4430bc00 005f005b 075bcd15 000005dc "
		"00000000 00000000 00000000"
		"0460ffff 00000011 80000064 48454c4c4f210000 0c19ec39";
	struct decode_options o = decode_defaults;

	(void)state;
	assert_int_equal(decode_hex(hex).status, PACKET_FOREIGN);
	o.ifa_protocols[1] = 254;
	assert_worked(decode_with(hex, &o));
}

/* 1.6: Trident3, first behind the initiator and then behind one more switch.
 * UDP 7936 -> 8041 is nobody's, so the packet is foreign, but gone through. */
#define TD3_ETHER "000000002222 000000001111 8100 0015 0800"
#define TD3_REST                               \
	"1ddddd0a 00000000 005f005b 009795fc " \
	"3b9acc9c 000aaaaa 900ddeed 900dfeed"

static void ifa_trident(void **state)
{
	struct frame_bytes f = { .n = 0 };
	struct packet p;
	struct stack_hop h;

	(void)state;
	put(&f, TD3_ETHER "45000092000000000afd975b 0b0b0100 0a0a0200"
			  "2f1100ff 1f001f690056d8cd 33223f08" TD3_REST);
	put_zeros(&f, 78 + 4);
	p = decode_frame(&f, 1);
	assert_int_equal(p.status, PACKET_FOREIGN);
	assert_int_equal(p.stack_hops, 1);
	stack_hop(&p, 0, &h);
	assert_int_equal(h.device, 0xddddd);
	assert_int_equal(h.ttl, 10);
	assert_int_equal(h.residence_ns, 668); /* 1,000,000,668 is a borrow */
	assert_true(h.normalised);

	f.n = 0;
	put(&f, TD3_ETHER "450000b20000000009fd983b 0b0b0100 0a0a0200"
			  "2f1100ff 1f001f690056d8cd 33223e10"
			  "1ccccc0a 00000000 005f005b 00800ee6"
			  "3b9accba 000bbbbb 900d5eed 900dbead" TD3_REST);
	put_zeros(&f, 78 + 4);
	p = decode_frame(&f, 1);
	assert_int_equal(p.stack_hops, 2);
	stack_hop(&p, 0, &h); /* the newest is in front */
	assert_int_equal(h.device, 0xccccc);
	stack_hop(&p, 1, &h);
	assert_int_equal(h.device, 0xddddd);
}

/* 1.7 B: around VXLAN, whose UDP length has grown by 4. */
static void ifa_vxlan(void **state)
{
	struct decode_options o = decode_defaults;
	struct frame_bytes f = { .n = 0 };
	struct decode_input in = { .linktype = 1 };
	struct packet p;

	(void)state;
	put(&f, ETHER_IPV4);
	put_ipv4(&f, "fd", 4 + 8 + 4 + 32 + 8 + ETHER_SIZE + ROCE_V4_SIZE);
	put(&f, "2f110228 ffff2118");
	put16(&f, 8 + 4 + 8 + ETHER_SIZE + ROCE_V4_SIZE);
	put(&f, "0000 33229908"
		"1ddddd3f 00000000 005f005b 009795fc"
		"000005dc 00000000 00000000 00000000"
		"0000000001234500" ETHER_IPV4 ROCE_V4);
	f.data[f.n - ROCE_V4_SIZE - ETHER_SIZE - 8] = 0x08; /* VNI valid */
	in.data = f.data;
	in.caplen = in.wirelen = (uint32_t)f.n;
	/* Which port that is only the configuration knows. */
	assert_int_equal(decode_frame(&f, 1).status, PACKET_FOREIGN);
	o.vxlan_ports[1] = 0x2118;
	p = decode_input(&in, &o);
	assert_roce_v4(p);
	assert_int_equal(p.stack_hops, 1);
}

/* 1.7 C: Jericho2 around TCP; the length says 4 words where 8 stand. */
static void ifa_jericho(void **state)
{
	static const char hex[] = ETHER_IPV4
		"4500006400000000 80fd0000 0a000001 0a000002 2f0600ff"
		"1f401f41 00000000 00000000 50000000 00000000 ff00ff04"
		"2000ffff 40008000 67000009 010d0ef7 "
		"61001872 9c430000 00c900ca 00000000"
		"00000000 00000000";
	struct decode_options o = decode_defaults;
	struct packet p;
	struct stack_hop h;

	(void)state;
	o.ifa_dnx = 1 << 2;
	p = decode_with(hex, &o);
	assert_int_equal(p.status, PACKET_FOREIGN);
	assert_int_equal(p.stack_form, STACK_DNX);
	assert_int_equal(p.stack_hops, 1);
	stack_hop(&p, 0, &h);
	assert_int_equal(h.device, 0xffff);
	assert_int_equal(h.ttl, 0x80);
	assert_int_equal(h.ingress, 0xc9);
	assert_int_equal(h.egress, 0xca);
	/* 0x0ef76100 ns in, 0x18729c43 ns out */
	assert_int_equal(h.residence_ns, 0x18729c43 - 0x0ef76100);
}

/* 1.10: IFA 1.0 behind UDP, with the entry of the Jericho2 example. */
static void ifa_1(void **state)
{
	struct packet p = decode_hex(
		ETHER_IPV4
		"456a007012344000401113dd0a0000010a000002 c00012b700200000"
		"a1f1a1f1a1f2a1f2 10010200 003b0000 ff010000 1000003c ffff0000"
		"0000ffff 40008000 67800009 ff0a1753 "
		"3f001f4f 5ae70000 00ca00cb 00000000"
		"0460ffff 00000011 80000064 48454c4c4f210000 0c19ec39");
	struct stack_hop h;

	(void)state;
	assert_worked(p);
	assert_int_equal(p.stack_form, STACK_DNX);
	stack_hop(&p, 0, &h);
	assert_int_equal(h.ingress, 0xca);
	assert_int_equal(h.egress, 0xcb);
}

/* 1.9: other users of protocol 253. */
static void not_ifa(void **state)
{
	struct frame_bytes f = { .n = 0 };
	struct packet p;

	(void)state;
	/* a key frame: 62 bytes from nowhere to everybody */
	put(&f, ETHER_IPV4 "4500005200000000 40fd0000 00000000 ffffffff"
			   "2f1100ff");
	put_zeros(&f, 58);
	p = decode_frame(&f, 1);
	assert_int_equal(p.status, PACKET_FOREIGN);
	assert_int_equal(p.flags & PACKET_SHIM, 0);
	/* version 1; a reserved flag; a protocol that cannot be */
	p = decode_hex(ETHER_IPV4 "4500001800000000 40fd0000 0a000001 0a000002"
				  "1f1100ff");
	assert_int_equal(p.flags & PACKET_SHIM, 0);
	p = decode_hex(ETHER_IPV4 "4500001800000000 40fd0000 0a000001 0a000002"
				  "2f1120ff");
	assert_int_equal(p.flags & PACKET_SHIM, 0);
	p = decode_hex(ETHER_IPV4 "4500001800000000 40fd0000 0a000001 0a000002"
				  "2f9900ff");
	assert_int_equal(p.flags & PACKET_SHIM, 0);
}

/* Cut in the stack: truncated, wherever the cut is, and no stack to be read
 * beyond it. */
static void ifa_cut(void **state)
{
	const size_t end = ETHER_SIZE + 20 + 4 + 8 + 4 + 32;
	struct frame_bytes f = { .n = 0 };

	(void)state;
	put(&f, IFA_WORKED);
	for (size_t n = 1; n < f.n; n++) {
		struct packet p = decode_cut(&f, n, f.n - n, 1);

		assert_int_equal(p.flags & PACKET_STACK,
				 n < end ? 0 : PACKET_STACK);
		if (n < end + 12)
			assert_int_equal(p.status, PACKET_TRUNCATED);
		else
			assert_int_equal(p.status, PACKET_OK);
	}
}

/* 2.2 and 2.3. */
static void csig(void **state)
{
	struct decode_options o = decode_defaults;
	struct packet p = decode_hex(ETHER("9900 2b85 0800") ROCE_V4);

	(void)state;
	assert_roce_v4(p);
	assert_true(p.flags & PACKET_CSIG);
	assert_int_equal(p.csig_signal, 1);
	assert_int_equal(p.csig_value, 0x17);
	assert_int_equal(p.csig_locator, 5);
	p = decode_hex(ETHER("9900 2842 0800") ROCE_V4);
	assert_int_equal(p.csig_value, 0x10);
	assert_int_equal(p.csig_locator, 0x42);
	p = decode_hex(ETHER("9900 2880 86dd") WORKED_V6);
	assert_int_equal(p.status, PACKET_OK);
	assert_int_equal(p.csig_value, 17);
	assert_int_equal(p.csig_locator, 0);
	/* behind a VLAN tag */
	p = decode_hex(ETHER("8100 6064 9900 2b85 0800") ROCE_V4);
	assert_int_equal(p.vlan, 100);
	assert_int_equal(p.csig_value, 0x17);
	/* wide: only where its TPID is told */
	assert_int_equal(
		decode_hex(ETHER("9901 2468 2030 3900 0800") ROCE_V4).status,
		PACKET_FOREIGN);
	o.csig_wide_tpids[0] = 0x9901;
	p = decode_with(ETHER("9901 2468 2030 3900 0800") ROCE_V4, &o);
	assert_roce_v4(p);
	assert_int_equal(p.csig_locator, 0x1234);
	assert_int_equal(p.csig_signal, 2);
	assert_int_equal(p.csig_value, 12345);
	/* another TPID instead of the usual one */
	o.csig_tpids[0] = 0xccdd;
	p = decode_with(ETHER("ccdd 2b85 0800") ROCE_V4, &o);
	assert_int_equal(p.csig_value, 0x17);
	assert_int_equal(
		decode_with(ETHER("9900 2b85 0800") ROCE_V4, &o).status,
		PACKET_FOREIGN);
}

/* 3.2: INT 2.1 with 7.3 inside; UDP length 0x48 + 4 as 7.3 has pad. */
#define INT_STACK                                                \
	"20000306 e0000000 00000000 00000002 00110012 00000190 " \
	"00000001 00210022 000003e8"

static void int_2(void **state)
{
	static const char hex[] = ETHER_IPV4
		"456a005c1234400040110000 0a000001 0a000002"
		"c000 1388 0048 0000 140912b7" INT_STACK
		"0460ffff 00000011 80000064 48454c4c4f210000 0c19ec39";
	struct decode_options o = decode_defaults;
	struct packet p = decode_hex(hex); /* recognised */
	struct stack_hop h;

	(void)state;
	assert_worked(p);
	assert_int_equal(p.stack_form, STACK_INT2);
	assert_int_equal(p.stack_hops, 2);
	stack_hop(&p, 0, &h);
	assert_int_equal(h.device, 2);
	assert_int_equal(h.ingress, 17);
	assert_int_equal(h.egress, 18);
	assert_int_equal(h.residence_ns, 400);
	assert_int_equal(h.ttl, STACK_UNKNOWN);
	assert_int_equal(h.queue, STACK_UNKNOWN);
	stack_hop(&p, 1, &h);
	assert_int_equal(h.device, 1);
	assert_int_equal(h.ingress, 33);
	assert_int_equal(h.egress, 34);
	assert_int_equal(h.residence_ns, 1000);
	o.int_ports[0] = 0x1388;
	assert_worked(decode_with(hex, &o));
}

/* 3.1: an option of GENEVE, class 0x0103, behind another one. */
static void int_in_geneve(void **state)
{
	static const char head[] =
		ETHER_IPV4 "450000820000400040110000 0a000001 0a000002"
			   "c000 17c1 006e 0000";
	static const char rest[] = INT_STACK
		"4500001c0000400040010000 0a000001 0a000002 0800f7ff00000000";
	struct frame_bytes f = { .n = 0 };
	struct packet p;
	struct stack_hop h;

	(void)state;
	put(&f, head);
	put(&f, "0c00 0800 00004d00 0102 8001 deadbeef 0103 0109");
	put(&f, rest);
	p = decode_frame(&f, 1);
	assert_int_equal(p.status, PACKET_FOREIGN); /* ICMP */
	assert_true(p.flags & PACKET_STACK);
	assert_int_equal(p.stack_hops, 2);
	stack_hop(&p, 1, &h);
	assert_int_equal(h.device, 1);
	assert_int_equal(h.residence_ns, 1000);

	/* of another class it is passed, as is a length that cannot be */
	f.n = 0;
	put(&f, head);
	put(&f, "0c00 0800 00004d00 0102 8001 deadbeef 0104 0109");
	put(&f, rest);
	p = decode_frame(&f, 1);
	assert_int_equal(p.status, PACKET_FOREIGN);
	assert_false(p.flags & PACKET_STACK);
	f.n = 0;
	put(&f, head);
	put(&f, "0c00 0800 00004d00 0102 8001 deadbeef 0103 011f");
	put(&f, rest);
	assert_false(decode_frame(&f, 1).flags & PACKET_STACK);
}

/* ... and behind it a destination that is a list of segments: both stand in
 * one place of struct packet, and the hops of the stack are kept. */
static void int_around_segments(void **state)
{
	static const char hex[] = ETHER_IPV4
		"4500009c0000400040110000 0a000001 0a000002"
		"c000 17c1 0088 0000"
		"0c00 86dd 00004d00 0102 8001 deadbeef 0103 0109" INT_STACK
		"60000000 0020 11 40"
		"fcbbbb00 00070000 00000000 00000000"
		"fcbbbb00 02000008 00000000 00000000"
		"c000 12b7 0020 0000"
		"0460ffff 00000011 80000064 48454c4c4f210000 00000000";
	struct packet p = decode_hex(hex);
	struct stack_hop h;

	(void)state;
	assert_int_equal(p.status, PACKET_OK);
	assert_int_equal(p.kind, PACKET_ROCE);
	assert_address(p.dst, "fcbb:bb00:8::");
	assert_false(p.flags & PACKET_SRV6);
	assert_true(p.flags & PACKET_STACK);
	assert_int_equal(p.stack_hops, 2);
	stack_hop(&p, 0, &h);
	assert_int_equal(h.device, 2);
	assert_int_equal(h.residence_ns, 400);
}

/* 3.2: behind GRE, whose type only the configuration knows. */
static void int_in_gre(void **state)
{
	static const char hex[] = ETHER_IPV4
		"4500005c00004000402f0000 0a000001 0a000002"
		"0000 b1b1 10090800" INT_STACK
		"4500001c0000400040010000 0a000001 0a000002 0800f7ff00000000";
	struct decode_options o = decode_defaults;
	struct packet p = decode_with(hex, &o);

	(void)state;
	assert_false(p.flags & PACKET_STACK);
	o.int_gre = 0xb1b1;
	p = decode_with(hex, &o);
	assert_int_equal(p.stack_hops, 2);
	assert_true(p.flags & PACKET_TUNNELLED);
	assert_int_equal(p.status, PACKET_FOREIGN); /* ICMP */
}

/* 1.1: GRE is the L4 header, and may have a key and a sequence number. */
static void ifa_around_gre(void **state)
{
	struct frame_bytes f = { .n = 0 };
	struct packet p;
	struct stack_hop h;

	(void)state;
	put(&f, ETHER_IPV4);
	put_ipv4(&f, "fd", 4 + 12 + 4 + 32 + ROCE_V4_SIZE);
	put(&f, "2f2f00ff 3000 0800 00000007 00000009 33003f08"
		"1ddddd3f 4430bc00 005f005b 075bcd15"
		"000005dc 00000000 00000000 00000000" ROCE_V4);
	p = decode_frame(&f, 1);
	assert_roce_v4(p);
	assert_int_equal(p.stack_form, STACK_XGS);
	assert_int_equal(p.stack_hops, 1);
	stack_hop(&p, 0, &h);
	assert_int_equal(h.device, 0xddddd);
	assert_int_equal(h.residence_ns, 1500);
}

/* Announced by DSCP 0x17; the original, 0x1a, is in the shim. */
static void int_by_dscp(void **state)
{
	static const char hex[] = ETHER_IPV4
		"455e005c1234400040110000 0a000001 0a000002"
		"c000 12b7 0048 0000 10090068" INT_STACK
		"0460ffff 00000011 80000064 48454c4c4f210000 0c19ec39";
	struct decode_options o = decode_defaults;
	struct packet p;

	(void)state;
	o.int_dscp = 0x17;
	o.int_dscp_mask = 0x3f;
	p = decode_with(hex, &o);
	assert_worked(p);
	assert_int_equal(p.tos, 0x1a << 2 | 2);
	assert_int_equal(p.stack_hops, 2);
}

/* 3.3: the length counts the shim, the header has 8 bytes, and both times
 * are one word. */
static void int_1(void **state)
{
	static const char hex[] = ETHER_IPV4
		"455e00541234400040110000 0a000001 0a000002"
		"c000 12b7 0040 0000 01000868"
		"10000506 f8000000 00000007 00110012 00000190 05000009 0000000a"
		"0460ffff 00000011 80000064 48454c4c4f210000 0c19ec39";
	struct decode_options o = decode_defaults;
	struct packet p;
	struct stack_hop h;

	(void)state;
	o.int_dscp = 0x17;
	o.int_dscp_mask = 0x3f;
	p = decode_with(hex, &o);
	assert_worked(p);
	assert_int_equal(p.stack_form, STACK_INT1);
	assert_int_equal(p.stack_hops, 1);
	stack_hop(&p, 0, &h);
	assert_int_equal(h.device, 7);
	assert_int_equal(h.residence_ns, 0x190);
	assert_int_equal(h.queue, 5);
	assert_int_equal(h.depth, 9);
	assert_int_equal(p.tos >> 2, 0x1a);
}

/* Between VXLAN-GPE and what it carries. */
static void int_gpe(void **state)
{
	struct packet p = decode_hex(
		ETHER_IPV4 "4500 0090 0001 0000 4011 0000 c0a80001 c0a80002"
			   "d431 12b6 007c 0000 0c000082 00004d00"
			   "10090001" INT_STACK ROCE_V4);

	(void)state;
	assert_roce_v4(p);
	assert_int_equal(p.stack_hops, 2);
}

/* All ones is "not available", not a number. */
static void int_unknown(void **state)
{
	struct packet p = decode_hex(
		ETHER_IPV4
		"456a00501234400040110000 0a000001 0a000002"
		"c000 1388 003c 0000 140612b7"
		"20000306 e0000000 00000000 00000002 ffffffff ffffffff"
		"0460ffff 00000011 80000064 48454c4c4f210000 0c19ec39");
	struct stack_hop h;

	(void)state;
	assert_worked(p);
	stack_hop(&p, 0, &h);
	assert_int_equal(h.device, 2);
	assert_int_equal(h.ingress, STACK_UNKNOWN);
	assert_int_equal(h.egress, STACK_UNKNOWN);
	assert_int_equal(h.residence_ns, STACK_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ifa_roce),
		cmocka_unit_test(ifa_protocol),
		cmocka_unit_test(ifa_trident),
		cmocka_unit_test(ifa_vxlan),
		cmocka_unit_test(ifa_jericho),
		cmocka_unit_test(ifa_1),
		cmocka_unit_test(not_ifa),
		cmocka_unit_test(ifa_cut),
		cmocka_unit_test(csig),
		cmocka_unit_test(int_2),
		cmocka_unit_test(int_in_geneve),
		cmocka_unit_test(int_around_segments),
		cmocka_unit_test(int_1),
		cmocka_unit_test(int_in_gre),
		cmocka_unit_test(ifa_around_gre),
		cmocka_unit_test(int_by_dscp),
		cmocka_unit_test(int_gpe),
		cmocka_unit_test(int_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

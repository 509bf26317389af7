/* SPDX-License-Identifier: GPL-2.0-or-later
 * Ultra Ethernet: the worked examples of reference uet 8, with what its prose
 * says of them, and the rules of sections 1.5, 1.6, 5 and 11. */
#include "frames.h"

#define A_TO_B "02000000000b 02000000000a 0800"
#define B_TO_A "02000000000a 02000000000b 0800"

/* The frame of |hex|, of which the capture has all but |more| bytes. */
static struct packet frame(const char *hex, size_t more)
{
	struct frame_bytes f = { .n = 0 };

	put(&f, hex);
	return decode_cut(&f, f.n, more, 1);
}

static bool has(struct packet p, uint32_t flags)
{
	return (p.uet.flags & flags) == flags;
}

static void assert_ok(struct packet p, unsigned type, unsigned next)
{
	assert_int_equal(p.kind, PACKET_UET);
	assert_int_equal(p.status, PACKET_OK);
	assert_int_equal(p.uet.type, type);
	assert_int_equal(p.uet.next, next);
	assert_true(has(p, UET_PDS));
	assert_false(p.uet.flags & (UET_ODD | UET_TSS));
}

static void assert_pdc(struct packet p, unsigned spdcid, unsigned dpdcid)
{
	assert_int_equal(p.uet.spdcid, spdcid);
	assert_int_equal(p.uet.dpdcid, dpdcid);
}

static void assert_message(struct packet p, unsigned opcode, unsigned id,
			   unsigned offset, unsigned length, unsigned payload)
{
	assert_true(has(p, UET_REQUEST | UET_MESSAGE | UET_JOB | UET_SES));
	assert_int_equal(p.uet.opcode, opcode);
	assert_int_equal(p.uet.message_id, id);
	assert_int_equal(p.uet.offset, offset);
	assert_int_equal(p.uet.length, length);
	assert_int_equal(p.payload, payload);
	assert_int_equal(p.uet.job_id, 200);
	assert_int_equal(p.uet.pid_on_fep, 5);
	assert_int_equal(p.uet.resource_index, 3);
	assert_int_equal(p.uet.initiator, 1);
}

#define E1                                                             \
	A_TO_B "45021058 00004000 4011168f 0a010001 0a010002"          \
	       "c00112b9 10440000 1184ffff 00010000 00120000"          \
	       "01090007 000000c8 00050003 00000000 00002000 00000001" \
	       "00000000 00abcdef 00000000 00000000 00002000"

static void e1_request_that_opens(void **state)
{
	struct packet p = frame(E1, 4096 + 4);

	(void)state;
	assert_ok(p, PDS_RUD_REQ, SES_REQUEST_STD);
	assert_true(has(p, UET_SYN | UET_SOM | UET_REL));
	assert_false(p.uet.flags & (UET_EOM | UET_AR | UET_RETX));
	assert_int_equal(p.sport, 0xc001);
	assert_int_equal(p.psn, 0x10000);
	assert_int_equal(p.uet.req.clear_psn, 0xffff);
	assert_int_equal(p.uet.req.start_psn, 0x10000);
	assert_pdc(p, 0x12, 0);
	assert_message(p, SES_WRITE, 7, 0, 8192, 4096);
	assert_int_equal(p.icrc_status, ICRC_UNCHECKABLE);
	assert_address(p.src, "10.1.0.1");
	assert_int_equal(p.tos & 3, 2);
}

static void e2_second_half(void **state)
{
	struct packet p = frame(
		A_TO_B "45021058 00004000 4011168f 0a010001 0a010002"
		       "c00212b9 10440000 1188fffe 00010001 00120034"
		       "010a0007 000000c8 00050003 00000000 00002000 00000001"
		       "00000000 00abcdef 00001000 00001000 00002000",
		4096 + 4);

	(void)state;
	assert_ok(p, PDS_RUD_REQ, SES_REQUEST_STD);
	assert_true(has(p, UET_AR | UET_EOM | UET_REL));
	assert_false(p.uet.flags & (UET_SYN | UET_SOM));
	assert_int_equal(p.uet.req.clear_psn, 0xffff);
	assert_pdc(p, 0x12, 0x34);
	assert_message(p, SES_WRITE, 7, 4096, 8192, 4096);
}

static void e3_retransmission(void **state)
{
	struct packet p = frame(
		A_TO_B "45020098 00004000 4011264f 0a010001 0a010002"
		       "c00312b9 00840000 1198fffd 00010002 00120034"
		       "090f0008 000000c8 00050003 00000000 00000000 00000001"
		       "00000000 deadbeef 11223344 55667788 00000040",
		64 + 4);

	(void)state;
	assert_ok(p, PDS_RUD_REQ, SES_REQUEST_STD);
	assert_true(has(p, UET_RETX | UET_AR | UET_REL | UET_HD | UET_EOM |
				   UET_SOM));
	assert_message(p, SES_TAGGED_SEND, 8, 0, 64, 64);
}

#define E4                                                    \
	B_TO_A "45b8004c 00004000 401125e5 0a010002 0a010001" \
	       "c00a12b9 00380000 42200003 00010001 00340012" \
	       "00040001 00000000 00000006 00640500 00210002" \
	       "0101000a 000000c8 00002000 25055205"

static void e4_ack_with_state(void **state)
{
	struct packet p = frame(E4, 0);

	(void)state;
	assert_ok(p, PDS_ACK_CC, SES_RESPONSE);
	assert_true(has(p, UET_M | UET_NSCC | UET_RESPONSE | UET_MESSAGE));
	assert_false(p.uet.flags & (UET_PROBE | UET_RC | UET_CREDIT));
	assert_int_equal(p.uet.ack.cack, 0x10001);
	assert_int_equal(p.psn, 0x10004);
	assert_pdc(p, 0x34, 0x12);
	assert_int_equal(p.uet.ack.mpr, 4);
	assert_int_equal(p.uet.ack.base, 0x10002);
	assert_true(p.uet.sack == 6);
	assert_int_equal(p.uet.ack.service_time, 100);
	assert_int_equal(p.uet.ack.penalty, 5);
	assert_int_equal(p.uet.ack.amount, 33);
	assert_int_equal(p.uet.ack.ooo_count, 2);
	assert_int_equal(p.uet.opcode, SES_RSP_RESPONSE);
	assert_int_equal(p.uet.list, SES_LIST_EXPECTED);
	assert_int_equal(p.uet.return_code, SES_RC_OK);
	assert_int_equal(p.uet.message_id, 10);
	assert_int_equal(p.uet.length, 8192);
	assert_int_equal(p.icrc_status, ICRC_GOOD);
	assert_int_equal(p.icrc, 0x25055205);
	assert_int_equal(p.payload, 0);
}

static void e5_trimmed(void **state)
{
	struct packet p = frame(
		A_TO_B "452a002c 00004000 40112693 0a010001 0a010002"
		       "c00412b9 10440000 1180ffff 00010006 00120034 0109000b",
		0);

	(void)state;
	assert_ok(p, PDS_RUD_REQ, SES_REQUEST_STD);
	assert_true(has(p, UET_TRIMMED | UET_TRIM_SURE | UET_REQUEST |
				   UET_MESSAGE | UET_SOM));
	assert_false(p.uet.flags & (UET_SES | UET_JOB));
	assert_int_equal(p.psn, 0x10006);
	assert_int_equal(p.uet.opcode, SES_WRITE);
	assert_int_equal(p.uet.message_id, 11);
	assert_int_equal(p.payload, 0);
	assert_int_equal(uet_cut(&p.uet), 4164 - 24);
	/* What the cut left there is no CRC. */
	assert_int_equal(p.icrc_status, ICRC_UNCHECKABLE);
}

static void e6_refusal(void **state)
{
	struct packet p = frame(
		B_TO_A "45b80030 00004000 40112601 0a010002 0a010001"
		       "c00412b9 001c0000 50000100 00010006 00340012 00000000"
		       "6dfd8061",
		0);

	(void)state;
	assert_ok(p, PDS_NACK, SES_NONE);
	assert_int_equal(p.uet.nack.code, NACK_TRIMMED);
	assert_int_equal(p.uet.nack.vendor, 0);
	assert_int_equal(p.psn, 0x10006);
	assert_int_equal(p.uet.nack.payload, 0);
	assert_int_equal(p.sport, 0xc004);
	assert_int_equal(p.icrc_status, ICRC_GOOD);
	assert_false(p.uet.flags & UET_RUDI);
}

static void e7_e8_close(void **state)
{
	struct packet p = frame(
		A_TO_B "45b80030 00004000 40112601 0a010001 0a010002"
		       "c00512b9 001c0000 5a080000 00010007 00120034 00000000"
		       "4eea7e1c",
		0);

	(void)state;
	assert_ok(p, PDS_CP, CP_CLOSE);
	assert_true(has(p, UET_AR));
	assert_int_equal(p.psn, 0x10007);
	assert_int_equal(p.uet.cp.payload, 0);
	assert_int_equal(p.icrc_status, ICRC_GOOD);
	p = frame(B_TO_A
		  "45b8002c 00004000 40112605 0a010002 0a010001"
		  "c00512b9 00180000 38000000 00010007 00340012 dcf0caf6",
		  0);
	assert_ok(p, PDS_ACK, SES_NONE);
	assert_int_equal(p.psn, 0x10007);
	assert_int_equal(p.uet.ack.cack, 0x10007);
	assert_pdc(p, 0x34, 0x12);
	assert_int_equal(p.icrc_status, ICRC_GOOD);
}

static void e9_rudi(void **state)
{
	struct packet p = frame(
		A_TO_B "450200d4 00004000 40112613 0a010001 0a010002"
		       "c00612b9 00c00000 21800000 a1b2c3d4"
		       "010b000a 000000c8 00050003 00000000 00004000 00000001"
		       "00000000 00abcdef 00000000 00000000 00000080",
		128 + 4);

	(void)state;
	assert_ok(p, PDS_RUDI_REQ, SES_REQUEST_STD);
	assert_true(has(p, UET_RUDI | UET_SOM | UET_EOM | UET_REL));
	assert_int_equal(p.psn, 0xa1b2c3d4);
	assert_message(p, SES_WRITE, 10, 0, 128, 128);
}

static void e10_uud(void **state)
{
	struct packet p = frame(
		A_TO_B "45020090 00004000 40112657 0a010001 0a010002"
		       "c00712b9 007c0000 31800000"
		       "07030000 000000c8 00050003 00000000 00000000 00000001"
		       "00000000 00000000 00000000 00000000 00000040",
		64 + 4);

	(void)state;
	assert_ok(p, PDS_UUD_REQ, SES_REQUEST_STD);
	assert_false(p.uet.flags & (UET_REL | UET_RUDI));
	assert_message(p, SES_DATAGRAM_SEND, 0, 0, 64, 64);
}

static void e11_rod_cc_over_ipv6(void **state)
{
	struct packet p =
		frame("02000000000b 02000000000a 86dd 60200000 01481140"
		      "fd000000 00000000 00000000 0000000a"
		      "fd000000 00000000 00000000 0000000b"
		      "c00812b9 01480000 7188ffff 00020010 00150036 01000100"
		      "050b000b 000000c8 00050003 00000000 00000000 00000001"
		      "00000000 00000000 00000000 00000000 00000100",
		      256 + 4);

	(void)state;
	assert_ok(p, PDS_ROD_CC_REQ, SES_REQUEST_STD);
	assert_true(p.flags & PACKET_IPV6);
	assert_int_equal(p.psn, 0x20010);
	assert_pdc(p, 0x15, 0x36);
	assert_int_equal(p.uet.req.ccc_id, 1);
	assert_int_equal(p.uet.req.credit_target, 0x100);
	assert_message(p, SES_SEND, 11, 0, 256, 256);
}

static void e12_native_small(void **state)
{
	struct packet p =
		frame(A_TO_B "4502007c 00004000 40fd257f 0a010001 0a010002"
			     "beef0000 1080ffff 00030000 00160037"
			     "010b0040 000000c8 00050003 00000000 00000100",
		      64 + 4);

	(void)state;
	assert_ok(p, PDS_RUD_REQ, SES_REQUEST_SMALL);
	assert_true(has(p, UET_NATIVE | UET_SES));
	assert_false(p.uet.flags & UET_MESSAGE);
	assert_int_equal(p.sport, 0xbeef);
	assert_int_equal(p.uet.opcode, SES_WRITE);
	assert_int_equal(p.uet.length, 64);
	assert_int_equal(p.payload, 64);
	assert_int_equal(p.uet.job_id, 200);
}

static void e13_secured(void **state)
{
	struct packet p = frame(
		A_TO_B "450200b0 00004000 40fd254b 0a010001 0a010002"
		       "bef00000 0c000102 0a010001 00030000 00001234 5f1c9a77"
		       "40e2",
		156 - 26);

	(void)state;
	assert_int_equal(p.kind, PACKET_UET);
	assert_int_equal(p.status, PACKET_OK);
	assert_true(has(p, UET_TSS | UET_NATIVE));
	assert_false(p.uet.flags & (UET_PDS | UET_TRIMMED));
	assert_int_equal(p.uet.tss.sdi, 0x102);
	assert_int_equal(p.uet.tss.ssi, 0x0a010001);
	assert_int_equal(p.uet.tss.an, 0);
	assert_true(p.uet.tsc == (UINT64_C(3) << 48 | 0x1234));
	assert_int_equal(p.payload, 156 - 4 - 16 - 16);
	assert_int_equal(p.psn, 0); /* never guessed from ciphertext */
	p = frame(A_TO_B "450200b0 00004000 40fd254b 0a010001 0a010002"
			 "bef00000 08000102 0003000000001234 5f1c9a77 40e2",
		  156 - 22);
	assert_true(has(p, UET_TSS));
	assert_int_equal(p.uet.tss.ssi, 0);
	assert_true(p.uet.tsc == (UINT64_C(3) << 48 | 0x1234));
	assert_int_equal(p.payload, 156 - 4 - 12 - 16);
}

static void e14_read_data(void **state)
{
	struct packet p =
		frame(B_TO_A "45020440 00004000 401122a7 0a010002 0a010001"
			     "c00912b9 042c0000 1280ffff 00054321 00340012"
			     "02010021 000000c8 000c0400 00000400 00000000",
		      1024 + 4);

	(void)state;
	assert_ok(p, PDS_RUD_REQ, SES_RESPONSE_DATA);
	assert_true(has(p, UET_RESPONSE | UET_SES));
	assert_int_equal(p.psn, 0x54321);
	assert_int_equal(p.uet.opcode, SES_RSP_DATA);
	assert_int_equal(p.uet.return_code, SES_RC_OK);
	assert_int_equal(p.uet.message_id, 0x21);
	assert_int_equal(p.uet.read_message_id, 12);
	assert_int_equal(p.uet.length, 1024);
	assert_int_equal(p.uet.offset, 0);
	assert_int_equal(p.payload, 1024);
}

static void e15_credit(void **state)
{
	struct packet p = frame(
		B_TO_A "45b80030 00004000 40112601 0a010002 0a010001"
		       "c00112b9 001c0000 5b800000 00000000 00340012 00040000"
		       "14653df0",
		0);

	(void)state;
	assert_ok(p, PDS_CP, CP_CREDIT);
	assert_int_equal(p.uet.cp.payload >> 8, 0x400);
	assert_int_equal(p.icrc_status, ICRC_GOOD);
}

/* 5, conflict 25: big-endian first, the other order is good and said so. */
static void crc_in_both_orders(void **state)
{
	struct frame_bytes f = { .n = 0 };
	struct packet p;
	uint8_t last[4];

	(void)state;
	put(&f, E4);
	memcpy(last, f.data + f.n - 4, 4);
	for (int i = 0; i < 4; i++)
		f.data[f.n - 4 + (size_t)i] = last[3 - i];
	p = decode_frame(&f, 1);
	assert_int_equal(p.icrc_status, ICRC_GOOD);
	assert_true(has(p, UET_CRC_LE));
	f.data[f.n - 1] ^= 1;
	p = decode_frame(&f, 1);
	assert_int_equal(p.icrc_status, ICRC_BAD); /* or absent: still read */
	assert_int_equal(p.status, PACKET_OK);
}

/* 1.6: something else on the port; the last has a CRC that proves it. */
static void falcon_is_not_uet(void **state)
{
	/* Version 1, connection 0x1234, ...: reads as a RUD request of
	 * nothing, with bytes behind it that no such request has. */
	static const char falcon[] =
		A_TO_B "45020048 00004000 40112600 0a010001 0a010002"
		       "c00112b9 00340000 10001234 00000102 00000007 00000008"
		       "00000001 00000000 00000000 00000000 00000000 00000000"
		       "00000000";
	struct packet p = frame(falcon, 0);

	(void)state;
	assert_int_equal(p.kind, PACKET_NOT_UET);
	assert_int_equal(p.status, PACKET_FOREIGN);
	assert_int_equal(p.psn, 0);
	/* Reserved types, next headers, flags. */
	p = frame(A_TO_B
		  "45b8002c 00004000 40112605 0a010002 0a010001"
		  "c00512b9 00180000 78000000 00010007 00340012 dcf0caf6",
		  0);
	assert_int_equal(p.kind, PACKET_NOT_UET);
	p = frame(A_TO_B
		  "45b8002c 00004000 40112605 0a010002 0a010001"
		  "c00512b9 00180000 38010000 00010007 00340012 dcf0caf6",
		  0);
	assert_int_equal(p.kind, PACKET_NOT_UET);
}

/* ... and what else may come to a port that somebody configured. */
static void other_traffic_is_not_uet(void **state)
{
	static const char *const frames[] = {
		/* RoCEv2, as if on this port: WRITE middle, then an ACK */
		A_TO_B "4502003c 00004000 40112600 0a010001 0a010002"
		       "c00112b9 00280000 0740ffff 00000012 00000007"
		       "01020304 05060708 090a0b0c 0d0e0f10",
		A_TO_B "45020030 00004000 40112600 0a010001 0a010002"
		       "c00112b9 001c0000 1140ffff 00000012 00000007"
		       "1f000001 a1b2c3d4",
		/* QUIC, long header */
		A_TO_B "45020030 00004000 40112600 0a010001 0a010002"
		       "c00112b9 001c0000 c3000000 01080102 03040506"
		       "07080009 0a0b0c0d",
		/* DNS: identification 0x1234, a question */
		A_TO_B "45020034 00004000 40112600 0a010001 0a010002"
		       "c00112b9 00200000 12340100 00010000 00000000"
		       "03777777 00000100 01000000",
		/* scale-up headers: version and flags first, then a sequence
		 * number */
		A_TO_B "45020034 00004000 40112600 0a010001 0a010002"
		       "c00112b9 00200000 00010002 00000003 00000004"
		       "00000005 00000006 00000007",
		A_TO_B "45020034 00004000 40112600 0a010001 0a010002"
		       "c00112b9 00200000 a0010002 00000003 00000004"
		       "00000005 00000006 00000007",
	};

	(void)state;
	for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
		struct packet p = frame(frames[i], 0);

		if (p.kind != PACKET_NOT_UET)
			fail_msg("other traffic %zu is taken for kind %d", i,
				 (int)p.kind);
		assert_int_equal(p.status, PACKET_FOREIGN);
	}
}

/* On a port that is nobody's it stays nobody's, but it is said what it was. */
static void on_other_ports_it_only_looks_like_it(void **state)
{
	struct frame_bytes f = { .n = 0 };
	struct packet named, p;

	(void)state;
	put(&f, E4);
	named = decode_frame(&f, 1);
	f.data[36] = 0x13; /* port 5000 */
	f.data[37] = 0x88;
	p = decode_frame(&f, 1);
	assert_int_equal(p.kind, PACKET_OTHER);
	assert_int_equal(p.status, PACKET_FOREIGN);
	assert_int_equal(p.port, 5000);
	assert_true(p.flags & PACKET_LIKE_UET);
	assert_int_equal(p.psn, named.psn);
	assert_int_equal(p.icrc_status, ICRC_BAD); /* it covers the port */
	assert_memory_equal(&p.uet, &named.uet, sizeof p.uet);
	f.data[42] = 0x78; /* a type that there is not */
	p = decode_frame(&f, 1);
	assert_int_equal(p.port, 5000);
	assert_false(p.flags & PACKET_LIKE_UET);
}

/* 1.5, rule 3: by lengths that the IP header has no room for. */
static void trimmed_by_what_is_missing(void **state)
{
	struct packet p =
		frame(A_TO_B "45020028 00004000 40fd25d3 0a010001 0a010002"
			     "beef0000 1180ffff 00030000 00160037 01090007",
		      0);

	(void)state;
	assert_ok(p, PDS_RUD_REQ, SES_REQUEST_STD);
	assert_true(has(p, UET_TRIMMED | UET_MESSAGE));
	assert_false(p.uet.flags & UET_TRIM_SURE);
	/* Below what a switch leaves it is no trimming. */
	p = frame(A_TO_B "45020026 00004000 40fd25d3 0a010001 0a010002"
			 "beef0000 1180ffff 00030000 00160037 0109",
		  0);
	assert_int_equal(p.status, PACKET_MALFORMED);
}

/* 1.5: |inner|, an IPv4 packet that an underlay switch left |kept| bytes of
 * behind its IP header, inside VXLAN, whose IP length is right and whose UDP
 * length says |udp|. */
static struct packet in_vxlan(const struct decode_options *o, const char *tos,
			      size_t udp, const char *inner, size_t kept)
{
	struct frame_bytes f = { .n = 0 };
	struct decode_input in = { .data = f.data, .linktype = 1 };
	const size_t ip = 20 + 8 + 8 + 14 + 20 + kept;

	put(&f, A_TO_B "45");
	put(&f, tos);
	put16(&f, ip);
	put(&f, "00000000 40110000 c0a80001 c0a80002 d431 12b5");
	put16(&f, udp);
	put(&f, "0000 08000000 00004d00");
	put(&f, inner);
	assert_true(f.n >= 14 + ip);
	in.caplen = in.wirelen = (uint32_t)(14 + ip);
	return decode_input(&in, o);
}

/* Kept are 24 bytes, 94 of the outer IP packet, or 20 of a native one: 90.
 * The packet of E1 has 4184 bytes, so UDP around it said 8 + 8 + 14 + 4184. */
static void trimmed_inside_of_vxlan(void **state)
{
	static const char native[] =
		A_TO_B "45020488 00004000 40fd25d3 0a010001 0a010002 beef0000"
		       "1180ffff 00030000 00160037 01090007 000000c8";
	const uint32_t trimmed = UET_TRIMMED | UET_TRIM_SURE;
	struct decode_options o = decode_defaults;
	struct packet p = in_vxlan(&o, "02", 8 + 8 + 14 + 4184, E1, 24);

	(void)state;
	assert_ok(p, PDS_RUD_REQ, SES_REQUEST_STD);
	assert_true(has(p, trimmed | UET_MESSAGE | UET_SYN));
	assert_int_equal(p.psn, 0x10000);
	assert_int_equal(p.uet.message_id, 7);
	assert_int_equal(p.payload, 0);
	assert_int_equal(uet_cut(&p.uet), 4164 - 24);
	/* Of a longer rest, 128 bytes, some payload is there. */
	p = in_vxlan(&o, "02", 8 + 8 + 14 + 4184, E1, 64);
	assert_ok(p, PDS_RUD_REQ, SES_REQUEST_STD);
	assert_true(has(p, trimmed | UET_SES));
	assert_int_equal(uet_cut(&p.uet), 4164 - 64);
	p = in_vxlan(&o, "02", 8 + 8 + 14 + 1160, native, 20);
	assert_ok(p, PDS_RUD_REQ, SES_REQUEST_STD);
	assert_true(has(p, trimmed | UET_MESSAGE));
	assert_int_equal(uet_cut(&p.uet), 1140 - 20);
	/* A mirror cuts and then wraps: its lengths agree. */
	p = in_vxlan(&o, "02", 8 + 8 + 14 + 20 + 24, E1, 24);
	assert_int_equal(p.status, PACKET_TRUNCATED);
	assert_false(p.uet.flags & UET_TRIMMED);
	/* So do those of a switch that puts all of them right: its DSCP. */
	o.trimmed_dscps = UINT64_C(1) << 10;
	p = in_vxlan(&o, "2a", 8 + 8 + 14 + 20 + 24, E1, 24);
	assert_ok(p, PDS_RUD_REQ, SES_REQUEST_STD);
	assert_true(has(p, trimmed));
	p = in_vxlan(&o, "02", 8 + 8 + 14 + 20 + 24, E1, 24);
	assert_false(p.uet.flags & UET_TRIMMED);
}

/* A capture that was cut short is not trimming. */
static void snap_length_is_not_trimming(void **state)
{
	struct frame_bytes f = { .n = 0 };

	(void)state;
	put(&f, E1);
	for (size_t cap = 42; cap < f.n; cap++) {
		struct packet p = decode_cut(&f, cap, 4100, 1);

		assert_int_equal(p.status,
				 cap < 54 ? PACKET_TRUNCATED : PACKET_OK);
		assert_int_equal(p.kind, PACKET_UET);
		assert_false(p.uet.flags & (UET_TRIMMED | UET_SES));
		assert_true(!!(p.uet.flags & UET_PDS) == (cap >= 54));
		if (cap < 54)
			continue;
		/* 4184 of IP, less IP, UDP, PDS, SES and CRC */
		assert_int_equal(p.payload, 4184 - 20 - 8 - 12 - 44 - 4);
		assert_int_equal(p.psn, 0x10000);
		assert_true(!!(p.uet.flags & UET_SOM) == (cap >= 56));
		assert_int_equal(p.uet.message_id, cap >= 58 ? 7 : 0);
		assert_true(!!(p.uet.flags & UET_JOB) == (cap >= 62));
	}
}

/* What stands before the cut is read, if the SACK does: up to 66; the state of
 * congestion control up to 74. */
static void snap_length_cuts_an_ack(void **state)
{
	struct frame_bytes f = { .n = 0 };

	(void)state;
	put(&f, E4);
	for (size_t cap = 42; cap < f.n; cap++) {
		struct packet p = decode_cut(&f, cap, 0, 1);

		assert_int_equal(p.status,
				 cap < 66 ? PACKET_TRUNCATED : PACKET_OK);
		assert_true(!!(p.uet.flags & UET_PDS) == (cap >= 66));
		assert_true(!!(p.uet.flags & UET_NSCC) == (cap >= 74));
		assert_int_equal(p.payload, 0);
		if (cap < 66)
			continue;
		assert_pdc(p, 0x34, 0x12);
		assert_int_equal(p.uet.ack.cack, 0x10001);
		assert_int_equal(p.psn, 0x10004);
		assert_true(has(p, UET_M));
		assert_true(p.uet.sack == 6);
		assert_int_equal(p.uet.ack.base, 0x10002);
	}
}

/* 11, 6. */
static void contradictions(void **state)
{
	struct packet p;

	(void)state;
	/* Offset and payload beyond the end. */
	p = frame(A_TO_B "45021058 00004000 4011168f 0a010001 0a010002"
			 "c00212b9 10440000 1188fffe 00010001 00120034"
			 "010a0007 000000c8 00050003 00000000 00002000 00000001"
			 "00000000 00abcdef 00001000 00001001 00002000",
		  4100);
	assert_int_equal(p.status, PACKET_MALFORMED);
	/* A small request that is not the last packet. */
	p = frame(A_TO_B "4502007c 00004000 40fd257f 0a010001 0a010002"
			 "beef0000 1080ffff 00030000 00160037"
			 "01090040 000000c8 00050003 00000000 00000100",
		  68);
	assert_int_equal(p.status, PACKET_MALFORMED);
	/* A response on a UUD request. */
	p = frame(A_TO_B
		  "4502002c 00004000 4011 0000 0a010001 0a010002"
		  "c00712b9 00180000 32000000 01010001 000000c8 00000000",
		  0);
	assert_int_equal(p.status, PACKET_MALFORMED);
}

static void fragments(void **state)
{
	struct packet p = frame(
		A_TO_B "4502002c 00002000 4011 0000 0a010001 0a010002"
		       "c00712b9 00180000 32000000 01010001 000000c8 00000000",
		0);

	(void)state;
	assert_int_equal(p.kind, PACKET_UET);
	assert_int_equal(p.status, PACKET_FRAGMENT);
}

static struct packet with(const struct decode_options *o, const char *hex,
			  size_t more)
{
	struct frame_bytes f = { .n = 0 };

	put(&f, hex);
	return decode_input(
		&(struct decode_input) { .data = f.data,
					 .caplen = (uint32_t)f.n,
					 .wirelen = (uint32_t)(f.n + more),
					 .linktype = 1 },
		o);
}

static void ports_and_protocols_are_convention(void **state)
{
	struct decode_options o = decode_defaults;
	static const char native[] =
		A_TO_B "4502007c 00004000 40fe257f 0a010001 0a010002"
		       "beef0000 1080ffff 00030000 00160037"
		       "010b0040 000000c8 00050003 00000000 00000100";
	static const char udp[] =
		B_TO_A "45b8002c 00004000 40112605 0a010002 0a010001"
		       "c005bffe 00180000 38000000 00010007 00340012 dcf0caf6";

	(void)state;
	assert_int_equal(with(&o, native, 68).kind, PACKET_OTHER);
	assert_int_equal(with(&o, udp, 0).kind, PACKET_OTHER);
	o.uet_protocols[1] = 254;
	o.uet_ports[1] = 0xbffe;
	assert_int_equal(with(&o, native, 68).status, PACKET_OK);
	assert_int_equal(with(&o, udp, 0).status, PACKET_OK);
	/* A DSCP that says so. */
	o.trimmed_dscps = UINT64_C(1) << (0x02 >> 2);
	assert_true(has(with(&o, E1, 4100), UET_TRIMMED | UET_TRIM_SURE));
}

/* 2.3: with clear bytes behind the TSS, what they hold and no more. */
static void clear_behind_the_tss(void **state)
{
	struct decode_options o = decode_defaults;
	static const char hex[] =
		A_TO_B "450200b0 00004000 40fd254b 0a010001 0a010002"
		       "bef00000 08000102 0003000000001234"
		       "1188fffe 00010001 00120034 5f1c9a77";
	struct packet p;

	(void)state;
	o.uet_clear = 2;
	/* A type nobody described stays what is known: a TSS. */
	p = with(&o,
		 A_TO_B "450200b0 00004000 40fd254b 0a010001 0a010002"
			"bef00000 08000102 0003000000001234 f988fffe",
		 132);
	assert_int_equal(p.uet.type, PDS_TSS);
	p = with(&o, hex, 124);
	assert_int_equal(p.uet.type, PDS_RUD_REQ);
	assert_false(p.uet.flags & UET_PDS);
	o.uet_clear = 12;
	p = with(&o, hex, 124);
	assert_true(has(p, UET_TSS | UET_PDS | UET_AR));
	assert_int_equal(p.psn, 0x10001);
	assert_pdc(p, 0x12, 0x34);
	assert_int_equal(p.uet.tss.sdi, 0x102);
	assert_true(p.uet.tsc == (UINT64_C(3) << 48 | 0x1234));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(e1_request_that_opens),
		cmocka_unit_test(e2_second_half),
		cmocka_unit_test(e3_retransmission),
		cmocka_unit_test(e4_ack_with_state),
		cmocka_unit_test(e5_trimmed),
		cmocka_unit_test(e6_refusal),
		cmocka_unit_test(e7_e8_close),
		cmocka_unit_test(e9_rudi),
		cmocka_unit_test(e10_uud),
		cmocka_unit_test(e11_rod_cc_over_ipv6),
		cmocka_unit_test(e12_native_small),
		cmocka_unit_test(e13_secured),
		cmocka_unit_test(e14_read_data),
		cmocka_unit_test(e15_credit),
		cmocka_unit_test(crc_in_both_orders),
		cmocka_unit_test(falcon_is_not_uet),
		cmocka_unit_test(other_traffic_is_not_uet),
		cmocka_unit_test(on_other_ports_it_only_looks_like_it),
		cmocka_unit_test(trimmed_by_what_is_missing),
		cmocka_unit_test(trimmed_inside_of_vxlan),
		cmocka_unit_test(snap_length_is_not_trimming),
		cmocka_unit_test(snap_length_cuts_an_ack),
		cmocka_unit_test(contradictions),
		cmocka_unit_test(fragments),
		cmocka_unit_test(ports_and_protocols_are_convention),
		cmocka_unit_test(clear_behind_the_tss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The InfiniBand packet: vectors of the reference, extension headers of every
 * service, the length rule, CNP, CM. */
#include "frames.h"

static struct packet of(uint16_t linktype, const char *hex)
{
	struct frame_bytes f = { .n = 0 };

	put(&f, hex);
	return decode_frame(&f, linktype);
}

/* Ethernet, IPv4 and UDP to 4791 around |bth| (12 bytes and extensions),
 * |payload| zeros and a wrong ICRC. */
static void build(struct frame_bytes *f, const char *bth, size_t payload)
{
	struct frame_bytes ib = { .n = 0 };

	put(&ib, bth);
	f->n = 0;
	put(f, ETHER_IPV4);
	put_ipv4(f, "11", 8 + ib.n + payload + 4);
	put_udp(f, "12b7", ib.n + payload + 4);
	put(f, bth);
	put_zeros(f, payload);
	put(f, "00000001");
}

static struct packet ib(const char *bth, size_t payload)
{
	struct frame_bytes f;

	build(&f, bth, payload);
	return decode_frame(&f, 1);
}

static void worked_vectors(void **state)
{
	static const char *const both[] = { WORKED_V4, WORKED_V6 };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct packet p = of(101, both[i]);

		assert_int_equal(p.status, PACKET_OK);
		assert_int_equal(p.opcode, 0x04);
		assert_int_equal(p.dst_qp, 0x11);
		assert_int_equal(p.psn, 0x64);
		assert_int_equal(p.payload, 6); /* the pad is not payload */
		assert_int_equal(p.tos, 0x6a);
		assert_int_equal(p.flags & ~PACKET_IPV6,
				 PACKET_MIGREQ | PACKET_ACKREQ);
		assert_int_equal(p.icrc_status, ICRC_GOOD);
		assert_int_equal(p.icrc, i ? 0x2353d1cb : 0x39ec190c);
	}
}

static void cnp(void **state)
{
	struct frame_bytes f = { .n = 0 };
	struct packet p = of(228, CNP_V4);

	(void)state;
	assert_int_equal(p.kind, PACKET_CNP);
	assert_int_equal(p.status, PACKET_OK);
	assert_int_equal(p.opcode, 0x81);
	assert_int_equal(p.dst_qp, 0x118);
	assert_int_equal(p.psn, 0);
	assert_int_equal(p.payload, 0);
	assert_int_equal(p.sport, 0);
	assert_int_equal(p.tos >> 2, 48);
	assert_int_equal(p.tos & 3, 2);
	assert_int_equal(p.flags, PACKET_BECN);
	assert_int_equal(p.icrc_status, ICRC_GOOD);
	assert_int_equal(p.icrc, 0x2a00fd82);
	assert_address(p.src, "10.0.17.1");
	assert_address(p.dst, "10.0.18.1");
	/* The reserved bytes say nothing: a snap length may cut them. */
	put(&f, CNP_V4);
	p = decode_cut(&f, 40, 0, 228);
	assert_int_equal(p.status, PACKET_OK);
	assert_int_equal(p.kind, PACKET_CNP);
	assert_int_equal(decode_cut(&f, 39, 0, 228).status, PACKET_TRUNCATED);
	/* A CNP has one length only. */
	p = ib("8100ffff4000011800000000 00000000000000000000000000000000", 4);
	assert_int_equal(p.status, PACKET_MALFORMED);
	assert_int_equal(p.kind, PACKET_CNP);
	assert_int_equal(ib("8100ffff4000011800000000", 12).status,
			 PACKET_MALFORMED);
}

/* As three public implementations of OCP MRC 1.0 have them. */
static void mrc(void **state)
{
	struct packet p;

	(void)state;
	/* METH, timestamp, RETH, immediate data */
	p = ib("cb00ffff0000001130000064 00010002 01020001"
	       "0000010000000000 00000007 00001000 12345678",
	       100);
	assert_int_equal(p.status, PACKET_OK);
	assert_int_equal(p.payload, 100);
	assert_int_equal(p.dma_len, 4096);
	assert_int_equal(p.mrc.flags, MRC_RETRANSMITTED);
	/* not as reserved bits */
	assert_int_equal(p.flags,
			 PACKET_MRC | PACKET_HAS_RETH | PACKET_HAS_IMM);
	/* SACK and state: "always skip", of a probe, penalty 0x55 */
	p = ib("dc00ffff0000001100000064 0042fffd 12345678 00000000 00000063"
	       "0002fffd ffffffffffffffff 00000000d5000000",
	       0);
	assert_int_equal(p.status, PACKET_OK);
	assert_int_equal(p.payload, 0);
	assert_int_equal(p.mrc.code, MRC_M_ALWAYS_SKIP);
	assert_int_equal(p.mrc.flags, MRC_OF_PROBE);
	assert_int_equal(p.mrc.penalty, 0x55);
	/* state of another kind */
	p = ib("dc00ffff0000001100000064 0022fffd 12345678 00000000 00000063"
	       "1002fffd ffffffffffffffff 00000000d5000000",
	       0);
	assert_int_equal(p.mrc.code, MRC_M_SKIP_ONCE);
	assert_int_equal(p.mrc.penalty, 0);
	p = ib("dd00ffff0000001100000064 00000b00 12345678 00000000 00000063"
	       "20000009",
	       0);
	assert_int_equal(p.mrc.code, MRC_PSN_OOR_WINDOW);
	/* Of another length they are somebody else's. */
	p = ib("dd00ffff0000001100000064 00000b00 12345678 00000000 00000063"
	       "20000009",
	       4);
	assert_int_equal(p.status, PACKET_OK);
	assert_int_equal(p.flags & PACKET_MRC, 0);
	assert_int_equal(p.payload, 24);
	assert_int_equal(ib("c600ffff0000001100000064", 19).flags & PACKET_MRC,
			 0);
}

/* GRH with GIDs of IPv4 addresses; the ICRC is icrc_test's business. */
static void roce_v1(void **state)
{
	struct packet p;

	(void)state;
	p = of(1, ETHER("8915") "66a12345 0018 1b 40"
				"00000000000000000000ffff0a000001"
				"fe800000000000000000000000000002"
				"0460ffff000000118000006448454c4c4f210000");
	assert_int_equal(p.status, PACKET_OK);
	assert_int_equal(p.kind, PACKET_ROCE);
	assert_true(p.flags & PACKET_V1);
	assert_false(p.flags & PACKET_IPV6);
	assert_address(p.src, "10.0.0.1");
	assert_address(p.dst, "fe80::2");
	assert_int_equal(p.tos, 0x6a);
	assert_int_equal(p.ttl, 64);
	assert_int_equal(p.sport, 0);
	assert_int_equal(p.payload, 6);
	assert_int_equal(p.psn, 0x64);
	/* Another version, another next header. */
	p = of(1, ETHER("8915") "46a12345 0018 1b 40"
				"00000000000000000000ffff0a000001"
				"fe800000000000000000000000000002"
				"0460ffff000000118000006448454c4c4f210000");
	assert_int_equal(p.status, PACKET_MALFORMED);
	p = of(1, ETHER("8915") "66a12345 0018 11 40"
				"00000000000000000000ffff0a000001"
				"fe800000000000000000000000000002"
				"0460ffff000000118000006448454c4c4f210000");
	assert_int_equal(p.status, PACKET_FOREIGN);
}

static void marks_of_the_bth(void **state)
{
	(void)state;
	assert_int_equal(ib("0700ffff0000001100000064", 8).flags, 0);
	assert_int_equal(ib("0780ffff0000001100000064", 8).flags, PACKET_SE);
	assert_int_equal(ib("0740ffff0000001100000064", 8).flags,
			 PACKET_MIGREQ);
	assert_int_equal(ib("0700ffff8000001100000064", 8).flags, PACKET_FECN);
	assert_int_equal(ib("0700ffff4000001100000064", 8).flags, PACKET_BECN);
	assert_int_equal(ib("0700ffff0000001180000064", 8).flags,
			 PACKET_ACKREQ);
	assert_int_equal(ib("0700ffff0100001100000064", 8).flags,
			 PACKET_RESERVED_SET);
	assert_int_equal(ib("0700ffff2000001100000064", 8).flags,
			 PACKET_RESERVED_SET);
	assert_int_equal(ib("0700ffff0000001101000064", 8).flags,
			 PACKET_RESERVED_SET);
	assert_int_equal(ib("0700ffff00ffffff00ffffff", 8).psn, 0xffffff);
	assert_int_equal(ib("0700ffff00ffffff00ffffff", 8).dst_qp, 0xffffff);
	assert_int_equal(ib("07c0ffffc000001180000064", 8).status, PACKET_OK);
	/* The transport version is 0. */
	assert_int_equal(ib("0701ffff0000001100000064", 8).status,
			 PACKET_MALFORMED);
}

#define BTH(op) op "00ffff 00000011 00000064"
#define RETH    "0000000000001000 00000777 00000800"
#define ATOMIC  "0000000000001000 00000777 0000000000000001 0000000000000002"

/* Reference rocev2 1.3 and 1.4: which headers follow, and what they hold. */
static void extension_headers(void **state)
{
	struct packet p;

	(void)state;
	p = ib(BTH("06") RETH, 1024); /* RC WRITE First */
	assert_int_equal(p.flags, PACKET_HAS_RETH);
	assert_int_equal(p.dma_len, 0x800);
	assert_int_equal(p.payload, 1024);
	p = ib(BTH("0b") RETH "deadbeef", 8); /* RC WRITE Only+Imm */
	assert_int_equal(p.flags, PACKET_HAS_RETH | PACKET_HAS_IMM);
	assert_int_equal(p.payload, 8);
	p = ib(BTH("0f") "1f000007", 8); /* RC READ Response Last */
	assert_int_equal(p.flags, PACKET_HAS_AETH);
	assert_int_equal(p.syndrome, 0x1f);
	assert_int_equal(p.msn, 7);
	p = ib(BTH("11") "60ffffff", 0); /* a NAK */
	assert_int_equal(p.syndrome, 0x60);
	assert_int_equal(p.msn, 0xffffff);
	p = ib(BTH("11") "ff000001", 0); /* all bits of the byte */
	assert_int_equal(p.syndrome, 0xff);
	p = ib(BTH("0e"), 1024); /* RC READ Response Middle: no AETH */
	assert_int_equal(p.flags, 0);
	p = ib(BTH("12") "1f000007 0000000000000005", 0); /* ATOMIC Ack */
	assert_int_equal(p.flags, PACKET_HAS_AETH);
	assert_int_equal(p.payload, 0);
	p = ib(BTH("13") ATOMIC, 0); /* Compare&Swap */
	assert_int_equal(p.status, PACKET_OK);
	assert_int_equal(p.flags, 0);
	p = ib(BTH("17") "00000777", 8); /* SEND Only+Inv */
	assert_int_equal(p.flags, 0);
	assert_int_equal(p.payload, 8);
	p = ib(BTH("1c") "00000001" RETH, 0); /* FLUSH */
	assert_int_equal(p.flags, PACKET_HAS_RETH);
	assert_int_equal(p.dma_len, 0x800);
	p = ib(BTH("1d") RETH, 8); /* ATOMIC WRITE */
	assert_int_equal(p.flags, PACKET_HAS_RETH);
	assert_int_equal(p.payload, 8);
}

static void other_services(void **state)
{
	struct packet p;

	(void)state;
	p = ib(BTH("2a") RETH, 16); /* UC WRITE Only */
	assert_int_equal(p.flags, PACKET_HAS_RETH);
	p = ib(BTH("65") "11111111 00000222 deadbeef", 16); /* UD SEND Imm */
	assert_int_equal(p.flags, PACKET_HAS_DETH | PACKET_HAS_IMM);
	assert_int_equal(p.src_qp, 0x222);
	assert_int_equal(p.payload, 16);
	p = ib(BTH("a6") "00000333" RETH, 16); /* XRC WRITE First */
	assert_int_equal(p.flags, PACKET_HAS_XRCETH | PACKET_HAS_RETH);
	assert_int_equal(p.src_qp, 0x333);
	assert_int_equal(p.dma_len, 0x800);
	p = ib(BTH("b1") "1f000007", 0); /* XRC ACK: no XRCETH */
	assert_int_equal(p.flags, PACKET_HAS_AETH);
	assert_int_equal(p.msn, 7);
}

/* Mellanox DC: RD opcodes, other headers.  The BTH stays, also where the
 * length would fit those of RD. */
static void dynamically_connected(void **state)
{
	struct packet p;

	(void)state;
	p = ib(BTH("51"), 4); /* no room for RDETH and AETH */
	assert_int_equal(p.status, PACKET_OK);
	assert_int_equal(p.flags, 0);
	assert_int_equal(p.psn, 0x64);
	p = ib(BTH("51"), 24); /* an ACK with payload? */
	assert_int_equal(p.status, PACKET_OK);
	assert_int_equal(p.flags, 0);
	p = ib(BTH("4a") "00000444 11111111 00000555" RETH, 16);
	assert_int_equal(p.status, PACKET_OK);
	assert_int_equal(p.flags, 0);
	assert_int_equal(p.src_qp, 0);
	p = ib(BTH("51") "00000444 1f000007", 0);
	assert_int_equal(p.status, PACKET_OK);
	assert_int_equal(p.flags, 0);
}

static void unknown_opcodes(void **state)
{
	static const char *const unknown[] = {
		BTH("15"), BTH("1f"), BTH("2c"), BTH("66"), BTH("82"),
		BTH("9f"), BTH("c0"), BTH("e0"), BTH("ff"),
	};

	(void)state;
	for (int i = 0; i < 9; i++) {
		struct packet p = ib(unknown[i], 20);

		assert_int_equal(p.status, PACKET_OK);
		assert_int_equal(p.kind, PACKET_ROCE);
		assert_int_equal(p.psn, 0x64);
		assert_int_equal(p.flags, 0);
		assert_int_equal(p.payload, 20);
	}
}

/* Reference rocev2 1.1. */
static void length_rule(void **state)
{
	(void)state;
	/* Less than nothing: pad and ICRC have no room. */
	assert_int_equal(ib("0730ffff0000001100000064", 2).status,
			 PACKET_MALFORMED);
	assert_int_equal(ib("0730ffff0000001100000064", 3).status, PACKET_OK);
	assert_int_equal(ib("0730ffff0000001100000064", 3).payload, 0);
	assert_int_equal(ib(BTH("06"), 15).status, PACKET_MALFORMED);
	assert_int_equal(ib(BTH("06"), 16).status, PACKET_OK);
	/* Opcodes that carry none. */
	assert_int_equal(ib(BTH("11") "1f000001", 4).status, PACKET_MALFORMED);
	assert_int_equal(ib(BTH("0c") RETH, 4).status, PACKET_MALFORMED);
	assert_int_equal(ib(BTH("13") ATOMIC, 8).status, PACKET_MALFORMED);
	assert_int_equal(ib(BTH("b1") "1f000001", 4).status, PACKET_MALFORMED);
	/* ATOMIC WRITE carries eight, no more and no less. */
	assert_int_equal(ib(BTH("1d") RETH, 0).status, PACKET_MALFORMED);
	assert_int_equal(ib(BTH("1d") RETH, 12).status, PACKET_MALFORMED);
	/* A malformed packet still says who it was from. */
	assert_int_equal(ib(BTH("11") "1f000001", 4).psn, 0x64);
	assert_int_equal(ib(BTH("11") "1f000001", 4).flags, 0);
	assert_int_equal(ib(BTH("11") "1f000001", 4).icrc_status, ICRC_BAD);
}

/* 1.1: frame sizes over IPv4, untagged, without FCS. */
static void reference_sizes(void **state)
{
	(void)state;
	assert_int_equal(ib(BTH("11") "1f000001", 0).wire_len, 62);
	assert_int_equal(ib(BTH("12") "1f000001 0000000000000001", 0).wire_len,
			 70);
	assert_int_equal(ib(BTH("0c") RETH, 0).wire_len, 74);
	assert_int_equal(ib(BTH("13") ATOMIC, 0).wire_len, 86);
	assert_int_equal(ib(BTH("07"), 4096).wire_len, 58 + 4096);
}

/* 1.9: a UD SEND of one MAD of the CM's class to QP 1. */
static void connection_manager(void **state)
{
	struct frame_bytes f;
	size_t mad = 14 + 20 + 8 + 12 + 8;
	struct packet p;

	(void)state;
	build(&f, "6400ffff0000000100000000 80010000 00000001", 256);
	memcpy(f.data + mad, "\x01\x07\x02\x03", 4);
	p = decode_frame(&f, 1);
	assert_int_equal(p.flags, PACKET_HAS_DETH | PACKET_HAS_CM);
	assert_non_null(p.mad);
	assert_memory_equal(p.mad, "\x01\x07\x02\x03", 4);
	/* The last byte of the MAD missing: the packet stays, the MAD not. */
	p = decode_cut(&f, mad + 256, 0, 1);
	assert_non_null(p.mad);
	p = decode_cut(&f, mad + 255, 0, 1);
	assert_int_equal(p.status, PACKET_OK);
	assert_null(p.mad);
	assert_int_equal(p.flags, PACKET_HAS_DETH);
	/* Another class, another version, another QP, another length. */
	f.data[mad + 1] = 0x03;
	assert_null(decode_frame(&f, 1).mad);
	f.data[mad + 1] = 0x07;
	f.data[mad] = 0x02;
	assert_null(decode_frame(&f, 1).mad);
	f.data[mad] = 0x01;
	f.data[14 + 20 + 8 + 7] = 2;
	assert_null(decode_frame(&f, 1).mad);
	build(&f, "6400ffff0000000100000000 80010000 00000001", 260);
	memcpy(f.data + mad, "\x01\x07\x02\x03", 4);
	assert_null(decode_frame(&f, 1).mad);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(worked_vectors),
		cmocka_unit_test(cnp),
		cmocka_unit_test(roce_v1),
		cmocka_unit_test(marks_of_the_bth),
		cmocka_unit_test(extension_headers),
		cmocka_unit_test(other_services),
		cmocka_unit_test(dynamically_connected),
		cmocka_unit_test(unknown_opcodes),
		cmocka_unit_test(mrc),
		cmocka_unit_test(length_rule),
		cmocka_unit_test(reference_sizes),
		cmocka_unit_test(connection_manager),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

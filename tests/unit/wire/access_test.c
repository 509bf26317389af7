/* SPDX-License-Identifier: GPL-2.0-or-later
 * WIRE_GET, WIRE_SET and WIRE_PTR: packets of the reference read field by
 * field, and every field of every header against a reader that goes bit by
 * bit, in a block that ends where the header does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bytes.h"
#include "wire/table.h"

/* --- packets of the reference --- */

/* rocev2-and-analysis-rules 11: the CNP of a ConnectX-4 Lx. */
static void cnp_of_a_connectx4(void **state)
{
	struct bytes o =
		bytes("45c2 003c 718c 4000 40 11 9161 0a001101 0a001201"
		      "0000 12b7 0028 0000 81 00 ffff 40 000118 00 000000"
		      "00000000000000000000000000000000 82fd002a");
	const uint8_t *udp = o.p + WIRE_SIZE_ipv4, *bth = udp + WIRE_SIZE_udp;

	(void)state;
	assert_int_equal(o.n, 60);
	assert_int_equal(WIRE_GET(ipv4, dscp, o.p), 48);
	assert_int_equal(WIRE_GET(ipv4, ecn, o.p), ECN_ECT0);
	assert_int_equal(WIRE_GET(ipv4, len, o.p), 60);
	assert_int_equal(WIRE_GET(ipv4, id, o.p), 0x718c);
	assert_int_equal(WIRE_GET(ipv4, df, o.p), 1);
	assert_int_equal(WIRE_GET(ipv4, ttl, o.p), 64);
	assert_int_equal(WIRE_GET(ipv4, src, o.p), 0x0a001101);
	assert_int_equal(WIRE_GET(ipv4, dst, o.p), 0x0a001201);
	assert_int_equal(WIRE_GET(udp, sport, udp), 0);
	assert_int_equal(WIRE_GET(udp, dport, udp), UDP_PORT_ROCE);
	assert_int_equal(WIRE_GET(udp, len, udp), 40);
	assert_int_equal(WIRE_GET(bth, opcode, bth), CNP);
	assert_int_equal(WIRE_GET(bth, pkey, bth), 0xffff);
	assert_int_equal(WIRE_GET(bth, fecn, bth), 0);
	assert_int_equal(WIRE_GET(bth, becn, bth), 1);
	assert_int_equal(WIRE_GET(bth, resv6, bth), 0);
	assert_int_equal(WIRE_GET(bth, destqp, bth), 0x118);
	assert_int_equal(WIRE_GET(bth, ackreq, bth), 0);
	assert_int_equal(WIRE_GET(bth, psn, bth), 0);
	assert_int_equal(WIRE_AT(wire_opcode(CNP), cnp), 12);
	free(o.p);
}

/* telemetry-and-encapsulation 7.2. */
static void send_only_of_a_public_capture(void **state)
{
	struct bytes o =
		bytes("45 00 0030 b1cc 4000 40 11 5474 0a01103e 0a01103d"
		      "da18 12b7 001c 0000 04 00 ffff 00 00003b 80 727d6e");
	const uint8_t *udp = o.p + 20, *bth = udp + 8;

	(void)state;
	assert_int_equal(WIRE_GET(ipv4, version, o.p), 4);
	assert_int_equal(WIRE_GET(ipv4, ihl, o.p), 5);
	assert_int_equal(WIRE_GET(ipv4, len, o.p), 48);
	assert_int_equal(WIRE_GET(ipv4, proto, o.p), PROTO_UDP);
	assert_int_equal(WIRE_GET(ipv4, csum, o.p), 0x5474);
	assert_int_equal(WIRE_GET(udp, sport, udp), 0xda18);
	assert_int_equal(WIRE_GET(udp, csum, udp), 0);
	assert_int_equal(WIRE_GET(bth, opcode, bth), RC_SEND_ONLY);
	assert_int_equal(WIRE_GET(bth, destqp, bth), 0x3b);
	assert_int_equal(WIRE_GET(bth, ackreq, bth), 1);
	assert_int_equal(WIRE_GET(bth, resv7, bth), 0);
	assert_int_equal(WIRE_GET(bth, psn, bth), 0x727d6e);
	free(o.p);
}

/* telemetry-and-encapsulation 7.3, written field by field. */
static void synthetic_packet_can_be_written(void **state)
{
	struct bytes want =
		bytes("45 6a 0034 1234 4000 40 11 1419 0a000001 0a000002"
		      "c000 12b7 0020 0000 04 60 ffff 00 000011 80 000064");
	uint8_t *p = calloc(1, 40), *udp = p + 20, *bth = udp + 8;

	(void)state;
	WIRE_SET(ipv4, version, p, 4);
	WIRE_SET(ipv4, ihl, p, 5);
	WIRE_SET(ipv4, dscp, p, 26);
	WIRE_SET(ipv4, ecn, p, ECN_ECT0);
	WIRE_SET(ipv4, len, p, 52);
	WIRE_SET(ipv4, id, p, 0x1234);
	WIRE_SET(ipv4, df, p, 1);
	WIRE_SET(ipv4, ttl, p, 64);
	WIRE_SET(ipv4, proto, p, PROTO_UDP);
	WIRE_SET(ipv4, csum, p, 0x1419);
	WIRE_SET(ipv4, src, p, 0x0a000001);
	WIRE_SET(ipv4, dst, p, 0x0a000002);
	WIRE_SET(udp, sport, udp, 49152);
	WIRE_SET(udp, dport, udp, UDP_PORT_ROCE);
	WIRE_SET(udp, len, udp, 32);
	WIRE_SET(bth, opcode, bth, RC_SEND_ONLY);
	WIRE_SET(bth, migreq, bth, 1);
	WIRE_SET(bth, padcnt, bth, 2);
	WIRE_SET(bth, pkey, bth, 0xffff);
	WIRE_SET(bth, destqp, bth, 0x11);
	WIRE_SET(bth, ackreq, bth, 1);
	WIRE_SET(bth, psn, bth, 100);
	assert_memory_equal(p, want.p, want.n);
	free(p);
	free(want.p);
}

/* The IPv6 form of the same packet. */
static void ipv6_header(void **state)
{
	struct bytes o = bytes("66a12345 0020 11 40"
			       "20010db8000000000000000000000001"
			       "20010db8000000000000000000000002");

	(void)state;
	assert_int_equal(WIRE_GET(ipv6, version, o.p), 6);
	assert_int_equal(WIRE_GET(ipv6, dscp, o.p), 26);
	assert_int_equal(WIRE_GET(ipv6, ecn, o.p), ECN_ECT0);
	assert_int_equal(WIRE_GET(ipv6, flow, o.p), 0x12345);
	assert_int_equal(WIRE_GET(ipv6, len, o.p), 32);
	assert_int_equal(WIRE_GET(ipv6, next, o.p), PROTO_UDP);
	assert_int_equal(WIRE_GET(ipv6, hop, o.p), 64);
	assert_ptr_equal(WIRE_PTR(ipv6, src, o.p), o.p + 8);
	assert_ptr_equal(WIRE_PTR(ipv6, dst, o.p), o.p + 24);
	assert_int_equal(WIRE_BYTES(ipv6, dst), 16);
	free(o.p);
}

/* telemetry-and-encapsulation 6.1: type II. */
static void erspan_type_2(void **state)
{
	struct bytes o = bytes("1000 88be 00000007 101e 7864 00000005");
	const uint8_t *e = o.p + 8;

	(void)state;
	assert_int_equal(WIRE_GET(gre, c, o.p), 0);
	assert_int_equal(WIRE_GET(gre, k, o.p), 0);
	assert_int_equal(WIRE_GET(gre, s, o.p), 1);
	assert_int_equal(WIRE_GET(gre, version, o.p), 0);
	assert_int_equal(WIRE_GET(gre, proto, o.p), ETYPE_ERSPAN);
	assert_int_equal(WIRE_GET(gre_seq, seq, o.p + 4), 7);
	assert_int_equal(WIRE_GET(erspan2, version, e), 1);
	assert_int_equal(WIRE_GET(erspan2, vlan, e), 30);
	assert_int_equal(WIRE_GET(erspan2, cos, e), 3);
	assert_int_equal(WIRE_GET(erspan2, en, e), ERSPAN_EN_KEPT);
	assert_int_equal(WIRE_GET(erspan2, t, e), 0);
	assert_int_equal(WIRE_GET(erspan2, session, e), 100);
	assert_int_equal(WIRE_GET(erspan2, index, e), 5);
	free(o.p);
}

/* The same section: type III with the platform 3 subheader. */
static void erspan_type_3(void **state)
{
	struct bytes o = bytes("1000 22eb 00000008"
			       "201e 6064 00c0ffee 0000 805d"
			       "0c000011 00000001");
	const uint8_t *e = o.p + 8, *sub = e + WIRE_SIZE_erspan3;

	(void)state;
	assert_int_equal(WIRE_GET(gre, proto, o.p), ETYPE_ERSPAN3);
	assert_int_equal(WIRE_GET(erspan3, version, e), 2);
	assert_int_equal(WIRE_GET(erspan3, vlan, e), 30);
	assert_int_equal(WIRE_GET(erspan3, bso, e), ERSPAN_BSO_GOOD);
	assert_int_equal(WIRE_GET(erspan3, session, e), 100);
	assert_int_equal(WIRE_GET(erspan3, timestamp, e), 0xc0ffee);
	assert_int_equal(WIRE_GET(erspan3, p, e), 1);
	assert_int_equal(WIRE_GET(erspan3, ft, e), ERSPAN_FT_ETHERNET);
	assert_int_equal(WIRE_GET(erspan3, hwid, e), 5);
	assert_int_equal(WIRE_GET(erspan3, d, e), ERSPAN_D_EGRESS);
	assert_int_equal(WIRE_GET(erspan3, gra, e), ERSPAN_GRA_1NS);
	assert_int_equal(WIRE_GET(erspan3, o, e), 1);
	assert_int_equal(wire_form(WIRE_erspan3_sub, sub, 8),
			 WIRE_erspan3_sub3);
	assert_int_equal(WIRE_GET(erspan3_sub3, port, sub), 17);
	assert_int_equal(WIRE_GET(erspan3_sub3, upper, sub), 1);
	free(o.p);
}

/* The same section: what a Broadcom chip logged. */
static void erspan_type_3_of_a_chip(void **state)
{
	struct bytes o =
		bytes("201e 03ff 00000000 0000 83f7 14040001 00000000");
	const uint8_t *sub = o.p + WIRE_SIZE_erspan3;

	(void)state;
	assert_int_equal(WIRE_GET(erspan3, session, o.p), 0x3ff);
	assert_int_equal(WIRE_GET(erspan3, hwid, o.p), 0x3f);
	assert_int_equal(WIRE_GET(erspan3, gra, o.p), ERSPAN_GRA_OTHER);
	assert_int_equal(wire_form(WIRE_erspan3_sub, sub, 8),
			 WIRE_erspan3_sub5);
	assert_int_equal(WIRE_GET(erspan3_sub5, device, sub), 4);
	assert_int_equal(WIRE_GET(erspan3_sub5, port, sub), 1);
	free(o.p);
}

/* telemetry-and-encapsulation 5.1. */
static void pause_and_pfc(void **state)
{
	struct bytes o = bytes("0180c2000001 020000000001 8808 0101 0018"
			       "0000 0000 0000 ffff 0000 0000 0000 0000");
	struct bytes q = bytes("0001 ffff");
	const uint8_t *pfc = o.p + WIRE_SIZE_eth;

	(void)state;
	assert_int_equal(WIRE_GET(eth, dmac, o.p), 0x0180c2000001);
	assert_int_equal(WIRE_GET(eth, smac, o.p), 0x020000000001);
	assert_ptr_equal(WIRE_PTR(eth, smac, o.p), o.p + 6);
	assert_int_equal(WIRE_GET(eth, type, o.p), ETYPE_PAUSE);
	assert_int_equal(WIRE_GET(pfc, opcode, pfc), MAC_CONTROL_PFC);
	assert_int_equal(WIRE_GET(pfc, resv, pfc), 0);
	assert_int_equal(WIRE_GET(pfc, enable, pfc), 1 << 3 | 1 << 4);
	assert_int_equal(WIRE_GET(pfc, time2, pfc), 0);
	assert_int_equal(WIRE_GET(pfc, time3, pfc), 65535);
	assert_int_equal(WIRE_GET(pfc, time4, pfc), 0);
	assert_int_equal(WIRE_GET(pause, opcode, q.p), MAC_CONTROL_PAUSE);
	assert_int_equal(WIRE_GET(pause, quanta, q.p), 65535);
	free(o.p);
	free(q.p);
}

/* telemetry-and-encapsulation 5.4: the PFC TLV, header of two bytes. */
static void lldp_tlv(void **state)
{
	struct bytes o = bytes("fe06");
	struct bytes org = bytes("0080c20b");

	(void)state;
	assert_int_equal(WIRE_GET(lldp_tlv, type, o.p), LLDP_ORG);
	assert_int_equal(WIRE_GET(lldp_tlv, len, o.p), 6);
	assert_int_equal(WIRE_GET(lldp_org, oui, org.p), 0x0080c2);
	assert_int_equal(WIRE_GET(lldp_org, subtype, org.p), 0x0b);
	free(o.p);
	free(org.p);
}

/* telemetry-and-encapsulation 2.2: the tag that FBOSS sends. */
static void csig_tag(void **state)
{
	struct bytes o = bytes("2b85 0800");

	(void)state;
	assert_int_equal(WIRE_GET(csig, t, o.p), 1);
	assert_int_equal(WIRE_GET(csig, s, o.p), 0x17);
	assert_int_equal(WIRE_GET(csig, lm, o.p), 5);
	assert_int_equal(WIRE_GET(csig, type, o.p), ETYPE_IPV4);
	free(o.p);
}

/* telemetry-and-encapsulation 6.6: 1705032704.999999999 UTC. */
static void arista_time_stamp(void **state)
{
	struct bytes o = bytes("0001 0110 65a0bc00 3b9ac9ff 0800");
	const uint8_t *ts = o.p + WIRE_SIZE_arista;

	(void)state;
	assert_int_equal(WIRE_GET(arista, subtype, o.p), 1);
	assert_int_equal(WIRE_GET(arista, version, o.p), 0x110);
	assert_int_equal(WIRE_GET(arista_ts64, seconds, ts), 1705032704);
	assert_int_equal(WIRE_GET(arista_ts64, ns, ts), 999999999);
	free(o.p);
}

/* The only little-endian header: queue 1, 32 receives, 33 sends. */
static void nvme_is_little_endian(void **state)
{
	struct bytes o = bytes("0000 0100 2000 2100 0000"
			       "00000000000000000000000000000000000000000000");
	uint8_t copy[WIRE_SIZE_nvme_rdma] = { 0 };

	(void)state;
	assert_int_equal(WIRE_GET(nvme_rdma, qid, o.p), 1);
	assert_int_equal(WIRE_GET(nvme_rdma, hrqsize, o.p), 32);
	assert_int_equal(WIRE_GET(nvme_rdma, hsqsize, o.p), 33);
	WIRE_SET(nvme_rdma, qid, copy, 1);
	WIRE_SET(nvme_rdma, hrqsize, copy, 32);
	WIRE_SET(nvme_rdma, hsqsize, copy, 33);
	assert_memory_equal(copy, o.p, sizeof copy);
	free(o.p);
}

/* --- every field of every header --- */

/* Bit by bit, so that it shares no idea with wire_get(). */
static uint64_t slow_get(const uint8_t *p, size_t off, size_t width)
{
	uint64_t v = 0;

	for (size_t bit = off; bit < off + width; bit++)
		v = v << 1 | (p[bit / 8] >> (7 - bit % 8) & 1);
	return v;
}

__attribute__((noinline)) static void fill(uint8_t *p, size_t n, uint32_t seed)
{
	for (size_t i = 0; i < n; i++) {
		seed = seed * 1664525 + 1013904223;
		p[i] = (uint8_t)(seed >> 24);
	}
}

/* Sets the field to the inverse of what it was: exactly its bits change. */
static void check_set(uint8_t *p, size_t size, size_t off, size_t width)
{
	uint8_t before[WIRE_SIZE_cm_req];
	uint64_t mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
	uint64_t old = slow_get(p, off, width);

	memcpy(before, p, size);
	wire_set(p, size, off, width, false, ~old);
	assert_true(slow_get(p, off, width) == (~old & mask));
	for (size_t bit = 0; bit < 8 * size; bit++)
		if (bit < off || bit >= off + width)
			assert_true(slow_get(p, bit, 1) ==
				    slow_get(before, bit, 1));
	wire_set(p, size, off, width, false, old);
	assert_memory_equal(p, before, size);
}

static void check_field(uint8_t *p, size_t size, size_t off, size_t width)
{
	for (uint32_t seed = 1; seed <= 8; seed++) {
		fill(p, size, seed);
		assert_true(wire_get(p, size, off, width, false) ==
			    slow_get(p, off, width));
		check_set(p, size, off, width);
	}
}

static void every_field_within_its_header(void **state)
{
	unsigned fields = 0;

	(void)state;
	for (unsigned id = 0; id < WIRE_HEADERS; id++) {
		const struct wire_layout *l = wire_layout(id);
		uint8_t *p = malloc(l->size);

		assert_true(l->size <= WIRE_SIZE_cm_req);
		for (unsigned i = 0; i < l->n_fields; i++) {
			const struct wire_field *f = &l->fields[i];

			if (f->width > 64)
				continue;
			check_field(p, l->size, f->off, f->width);
			fields++;
		}
		free(p);
	}
	assert_true(fields > 300);
}

/* Any field that could ever be described, in headers of 1 to 16 bytes. */
static void every_conceivable_field(void **state)
{
	(void)state;
	for (size_t size = 1; size <= 16; size++) {
		uint8_t *p = malloc(size);

		fill(p, size, (uint32_t)size);
		for (size_t off = 0; off < 8 * size; off++)
			for (size_t w = 1; off % 8 + w <= 64; w++)
				if (off + w <= 8 * size)
					assert_true(wire_get(p, size, off, w,
							     false) ==
						    slow_get(p, off, w));
		free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cnp_of_a_connectx4),
		cmocka_unit_test(send_only_of_a_public_capture),
		cmocka_unit_test(synthetic_packet_can_be_written),
		cmocka_unit_test(ipv6_header),
		cmocka_unit_test(erspan_type_2),
		cmocka_unit_test(erspan_type_3),
		cmocka_unit_test(erspan_type_3_of_a_chip),
		cmocka_unit_test(pause_and_pfc),
		cmocka_unit_test(lldp_tlv),
		cmocka_unit_test(csig_tag),
		cmocka_unit_test(arista_time_stamp),
		cmocka_unit_test(nvme_is_little_endian),
		cmocka_unit_test(every_field_within_its_header),
		cmocka_unit_test(every_conceivable_field),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

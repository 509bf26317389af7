/* SPDX-License-Identifier: GPL-2.0-or-later
 * ICRC: vectors of the reference, and every route against zlib over a copy
 * that is masked by hand (reference telemetry 7.1). */
#include "frames.h"

#include <zlib.h>

#include "decode/icrc.h"

static struct packet of(uint16_t linktype, const char *hex)
{
	struct frame_bytes f = { .n = 0 };

	put(&f, hex);
	return decode_frame(&f, linktype);
}

/* zlib's CRC of eight bytes of ones and |n| bytes with those at |masked|
 * (ends with a negative number) turned to ones. */
static uint32_t by_zlib(const uint8_t *p, size_t n, const int *masked)
{
	uint8_t copy[8 + 8192];

	memset(copy, 0xff, 8);
	memcpy(copy + 8, p, n);
	for (; *masked >= 0; masked++)
		copy[8 + *masked] = 0xff;
	return (uint32_t)crc32(0, copy, (uInt)(8 + n));
}

/* Puts the right ICRC behind |f| and checks that decode thinks so too, that it
 * sees a flipped bit in the sum, and that masked bytes may change. */
static void check(struct frame_bytes *f, size_t route, const int *masked,
		  uint16_t linktype, bool inexact)
{
	uint32_t sum = by_zlib(f->data + route, f->n - route, masked);
	size_t end = f->n;
	struct packet p;

	for (int i = 0; i < 4; i++)
		f->data[f->n++] = (uint8_t)(sum >> 8 * i);
	p = decode_frame(f, linktype);
	assert_int_equal(p.icrc_status, ICRC_GOOD);
	assert_int_equal(p.icrc, sum);
	f->data[end] ^= 0x10;
	p = decode_frame(f, linktype);
	assert_int_equal(p.icrc_status, inexact ? ICRC_UNCHECKABLE : ICRC_BAD);
	assert_int_equal(p.icrc, inexact ? 0 : sum ^ 0x10);
	f->data[end] ^= 0x10;
	for (; *masked >= 0; masked++) {
		size_t at = route + (size_t)*masked;

		f->data[at] ^= 0x01;
		p = decode_frame(f, linktype);
		assert_int_equal(p.icrc_status, ICRC_GOOD);
		f->data[at] ^= 0x01;
	}
}

/* Of IPv4 TOS, TTL, checksum; of UDP its checksum; of the BTH byte 4. */
static void ipv4(void **state)
{
	static const size_t payloads[] = {
		0, 1, 8, 19, 20, 24, 100, 1024, 4096
	};

	(void)state;
	for (int i = 0; i < 9; i++) {
		const int masked[] = { 1, 8, 10, 11, 26, 27, 32, -1 };
		struct frame_bytes f = { .n = 0 };

		put_ipv4(&f, "11", 8 + 12 + payloads[i] + 4);
		put_udp(&f, "12b7", 12 + payloads[i] + 4);
		put(&f, "0400ffff0000003b80727d6e");
		put_zeros(&f, payloads[i]);
		check(&f, 0, masked, 228, false);
	}
}

static void ipv4_options(void **state)
{
	const int masked[] = { 1, 8, 10, 11, 30, 31, 36, -1 };
	struct frame_bytes f = { .n = 0 };

	(void)state;
	put(&f, "46000030b1cc4000401154740a01103e0a01103d 94040000"
		"da1812b700180000 0400ffff0000003b80727d6e");
	check(&f, 0, masked, 228, true);
}

/* Octet 0 is in part the version: checked by hand below. */
static void ipv6(void **state)
{
	const int masked[] = { 1, 2, 3, 7, 46, 47, 52, -1 };
	struct frame_bytes f = { .n = 0 };

	(void)state;
	put(&f, "6f");
	put(&f, "000000 0020 11 40 fd000000000000000000000000000001"
		"fd000000000000000000000000000002 c00012b700200000"
		"0400ffff0000003b80727d6e 0102030405060708");
	check(&f, 0, masked, 229, false);
	/* The other half of byte 0 is traffic class, and is masked. */
	f.data[0] = 0x60;
	assert_int_equal(decode_frame(&f, 229).icrc_status, ICRC_GOOD);
}

static void ipv6_extension(void **state)
{
	const int masked[] = { 1, 2, 3, 7, 54, 55, 60, -1 };
	struct frame_bytes f = { .n = 0 };

	(void)state;
	put(&f, "6f000000 0020 00 40 fd000000000000000000000000000001"
		"fd000000000000000000000000000002 1100010400000000"
		"c00012b700180000 0400ffff0000003b80727d6e");
	check(&f, 0, masked, 229, true);
}

/* RoCEv1: no UDP, BTH right after the GRH. */
static void grh(void **state)
{
	const int masked[] = { 1, 2, 3, 7, 44, -1 };
	struct frame_bytes f = { .n = 0 };

	(void)state;
	put(&f, ETHER("8915") "6f000000 0018 1b 40"
			      "00000000000000000000ffff0a000001"
			      "fe800000000000000000000000000002"
			      "0400ffff0000003b80727d6e 0102030405060708");
	check(&f, 14, masked, 1, false);
}

static void vectors(void **state)
{
	(void)state;
	assert_int_equal(of(228, ROCE_V4).icrc, 0x2df1bf00);
	assert_int_equal(of(228, WORKED_V4).icrc, 0x39ec190c);
	assert_int_equal(of(229, WORKED_V6).icrc, 0x2353d1cb);
	assert_int_equal(of(228, CNP_V4).icrc, 0x2a00fd82);
	assert_int_equal(of(228, CNP_V4).icrc_status, ICRC_GOOD);
}

/* 7.4: what a route may change without breaking the sum. */
static void routers_may(void **state)
{
	struct frame_bytes f = { .n = 0 };
	static const struct {
		int at, value;
	} changes[] = {
		{ 1, 0x03 },  /* CE */
		{ 8, 0x01 },  /* TTL */
		{ 10, 0x77 }, /* header checksum */
		{ 26, 0x12 }, /* UDP checksum */
		{ 32, 0xc0 }, /* FECN, BECN */
	};

	(void)state;
	put(&f, ROCE_V4);
	for (int i = 0; i < 5; i++)
		f.data[changes[i].at] = (uint8_t)changes[i].value;
	assert_int_equal(decode_frame(&f, 228).icrc_status, ICRC_GOOD);
}

/* ... and every single bit that it may not. */
static void any_other_bit(void **state)
{
	struct frame_bytes f = { .n = 0 };

	(void)state;
	put(&f, ROCE_V4);
	for (size_t bit = 8 * 4; bit < 8 * f.n; bit++) {
		size_t at = bit / 8;
		struct packet p;

		if (at == 8 || at == 10 || at == 11 || at == 26 || at == 27 ||
		    at == 32)
			continue;
		f.data[at] ^= (uint8_t)(1 << bit % 8);
		p = decode_frame(&f, 228);
		assert_true(p.icrc_status != ICRC_GOOD);
		f.data[at] ^= (uint8_t)(1 << bit % 8);
	}
	assert_int_equal(decode_frame(&f, 228).icrc_status, ICRC_GOOD);
}

/* Reference telemetry 8, mistake 6. */
static void not_big_endian(void **state)
{
	struct packet p;

	(void)state;
	p = of(228, "45000030b1cc4000401154740a01103e0a01103d da1812b7001c0000"
		    "0400ffff0000003b80727d6e 00001000 2df1bf00");
	assert_int_equal(p.icrc_status, ICRC_BAD);
}

static void can_be_skipped(void **state)
{
	struct decode_options options = decode_defaults;
	struct frame_bytes f = { .n = 0 };
	struct decode_input in = { .data = f.data, .linktype = 101 };
	struct packet p;

	(void)state;
	options.skip_icrc = true;
	put(&f, ROCE_V4);
	in.caplen = in.wirelen = (uint32_t)f.n;
	p = decode_input(&in, &options);
	assert_int_equal(p.status, PACKET_OK);
	assert_int_equal(p.icrc_status, ICRC_UNCHECKABLE);
	assert_int_equal(p.icrc, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ipv4),
		cmocka_unit_test(ipv4_options),
		cmocka_unit_test(ipv6),
		cmocka_unit_test(ipv6_extension),
		cmocka_unit_test(grh),
		cmocka_unit_test(vectors),
		cmocka_unit_test(routers_may),
		cmocka_unit_test(any_other_bit),
		cmocka_unit_test(not_big_endian),
		cmocka_unit_test(can_be_skipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

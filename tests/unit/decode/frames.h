/* SPDX-License-Identifier: GPL-2.0-or-later
 * Frames written by hand for the tests of decode, and decoding them.
 *
 * Bytes are hexadecimal text as the reference prints them; lengths that
 * depend on what is inside are put in by the helpers, in plain arithmetic and
 * without src/wire, so that the description is not its own witness. */
#ifndef FABSCOPE_TESTS_DECODE_FRAMES_H
#define FABSCOPE_TESTS_DECODE_FRAMES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/explain.h"
#include "decode/packet.h"
#include "decode/walk.h"
#include "same.h"

#define UNUSED __attribute__((unused))

struct frame_bytes {
	uint8_t data[8192];
	size_t n;
};

/* Reference telemetry 7.2: RC SEND Only of a real capture; 4 bytes. */
#define ROCE_V4                                    \
	"45000030b1cc4000401154740a01103e0a01103d" \
	"da1812b7001c0000"                         \
	"0400ffff0000003b80727d6e 00001000 00bff12d"
enum { ROCE_V4_SIZE = 48 };

/* 7.3: the same operation with pad and marks, over IPv4 and over IPv6. */
#define WORKED_V4                                  \
	"456a003412344000401114190a0000010a000002" \
	"c00012b700200000"                         \
	"0460ffff000000118000006448454c4c4f2100000c19ec39"
#define WORKED_V6                          \
	"66a1234500201140"                 \
	"20010db8000000000000000000000001" \
	"20010db8000000000000000000000002" \
	"c00012b700200000"                 \
	"0460ffff000000118000006448454c4c4f210000cbd15323"
enum { WORKED_V4_SIZE = 52, WORKED_V6_SIZE = 72 };

/* Reference rocev2 11: a CNP of a ConnectX-4 Lx. */
#define CNP_V4                                        \
	"45c2003c718c40004011 9268 0a001101 0a001201" \
	"000012b700280000"                            \
	"8100ffff4000011800000000"                    \
	"00000000000000000000000000000000 82fd002a"

#define ETHER_IPV4  "020000000002 020000000001 0800"
#define ETHER_IPV6  "020000000002 020000000001 86dd"
#define ETHER(type) "020000000002 020000000001 " type
enum { ETHER_SIZE = 14 };

static inline int nibble(char c)
{
	return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
}

/* Appends bytes; blanks and bars in |hex| do not count. */
static UNUSED void put(struct frame_bytes *f, const char *hex)
{
	int high = -1;

	for (; *hex; hex++) {
		if (*hex == ' ' || *hex == '|')
			continue;
		if (high < 0) {
			high = nibble(*hex);
			continue;
		}
		assert_true(f->n < sizeof f->data);
		f->data[f->n++] = (uint8_t)(high << 4 | nibble(*hex));
		high = -1;
	}
	assert_int_equal(high, -1);
}

static UNUSED void put16(struct frame_bytes *f, size_t v)
{
	f->data[f->n++] = (uint8_t)(v >> 8);
	f->data[f->n++] = (uint8_t)v;
}

/* Outer headers around |inner| bytes. */
static UNUSED void put_ipv4(struct frame_bytes *f, const char *protocol,
			    size_t inner)
{
	put(f, "4500");
	put16(f, 20 + inner);
	put(f, "00010000 ff");
	put(f, protocol);
	put(f, "0000 c0a80001 c0a80002");
}

static UNUSED void put_ipv6(struct frame_bytes *f, const char *next,
			    size_t inner)
{
	put(f, "60000000");
	put16(f, inner);
	put(f, next);
	put(f, "40 fd000000000000000000000000000001"
	       "fd000000000000000000000000000002");
}

static UNUSED void put_udp(struct frame_bytes *f, const char *dport,
			   size_t inner)
{
	put(f, "d431");
	put(f, dport);
	put16(f, 8 + inner);
	put(f, "0000");
}

static UNUSED void put_zeros(struct frame_bytes *f, size_t n)
{
	memset(f->data + f->n, 0, n);
	f->n += n;
}

static UNUSED void ignore_part(void *ctx, const struct explain_part *part)
{
	(void)ctx;
	(void)part;
}

/* All three ways through decode must agree on every field; a frame lives in
 * memory of exactly its size, so that a sanitizer sees the byte too far. */
static UNUSED struct packet decode_input(const struct decode_input *in,
					 const struct decode_options *options)
{
	static uint8_t *copy;
	struct decode_input exact = *in;
	struct packet fast, general, explained;
	struct explain_end end;

	free(copy);
	copy = malloc(in->caplen ? in->caplen : 1);
	assert_non_null(copy);
	memcpy(copy, in->data, in->caplen);
	exact.data = copy;

	memset(&fast, 0xaa, sizeof fast);
	general = explained = fast;
	packet_decode(&exact, options, &fast);
	packet_decode_general(&exact, options, &general);
	packet_explain(&exact, options, &explained, ignore_part, NULL, &end);
	assert_true(packets_same(&fast, &general));
	assert_true(packets_same(&fast, &explained));
	assert_true(end.offset <= in->caplen);
	assert_true((end.why == NULL) == (fast.status == PACKET_OK));
	assert_int_equal(fast.tap, 0xaaaaaaaa);
	assert_int_equal(fast.frame, 0xaaaaaaaaaaaaaaaa);
	assert_int_equal(fast.ns, (int64_t)0xaaaaaaaaaaaaaaaa);
	return fast;
}

/* The first |cap| bytes of |f| of a frame of its length and |more|. */
static UNUSED struct packet decode_cut(const struct frame_bytes *f, size_t cap,
				       size_t more, uint16_t linktype)
{
	struct decode_input in = {
		.data = f->data,
		.caplen = (uint32_t)cap,
		.wirelen = (uint32_t)(f->n + more),
		.linktype = linktype,
	};

	return decode_input(&in, &decode_defaults);
}

static UNUSED struct packet decode_frame(const struct frame_bytes *f,
					 uint16_t linktype)
{
	return decode_cut(f, f->n, 0, linktype);
}

static UNUSED void assert_address(struct addr a, const char *text)
{
	char buf[ADDR_TEXT];

	assert_string_equal(addr_text(a, buf), text);
}

/* Is it ROCE_V4, with all of it and a right ICRC? */
static UNUSED void assert_roce_v4(struct packet p)
{
	assert_int_equal(p.status, PACKET_OK);
	assert_int_equal(p.kind, PACKET_ROCE);
	assert_int_equal(p.opcode, 0x04);
	assert_int_equal(p.dst_qp, 0x3b);
	assert_int_equal(p.psn, 0x727d6e);
	assert_int_equal(p.payload, 4);
	assert_int_equal(p.sport, 0xda18);
	assert_int_equal(p.ip_id, 0xb1cc);
	assert_int_equal(p.ttl, 64);
	assert_int_equal(p.tos, 0);
	assert_address(p.src, "10.1.16.62");
	assert_address(p.dst, "10.1.16.61");
	assert_int_equal(p.icrc_status, ICRC_GOOD);
	assert_int_equal(p.icrc, 0x2df1bf00);
	assert_int_equal(p.flags & PACKET_IPV6, 0);
	assert_true(p.flags & PACKET_ACKREQ);
}

#endif

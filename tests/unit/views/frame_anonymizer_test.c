/* SPDX-License-Identifier: GPL-2.0-or-later
 * Frames under pseudonyms: what was not read is not there, and what the
 * analysis reads means the same as before; of any bytes. */
#include "views/frame_anonymizer.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/crc32.h"
#include "run/frame.h"
#include "store/pseudonym.h"
#include "wire/wire.h"

static const struct anonymous_key key = { "0123456789abcde" };

static struct frame_anonymizer *frame_anonymizer;

static int setup(void **state)
{
	(void)state;
	frame_anonymizer = anonymizer_new(&key, NULL);
	return frame_anonymizer ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	anonymizer_free(frame_anonymizer);
	return 0;
}

/* A row that no field has is a field that was renamed, and tells. */
static void test_every_row_is_of_a_field(void **state)
{
	const char *header, *field;
	int used;

	(void)state;
	for (unsigned i = 0;
	     (used = anonymizer_row_is_used(i, &header, &field)) >= 0; i++)
		if (!used)
			fail_msg("frame_anonymizer.def: there is no %s.%s",
				 header, field);
}

/* ---- by hand ---- */

static size_t bytes(const char *hex, uint8_t *out)
{
	size_t n = 0;

	for (; *hex; hex++) {
		unsigned v;

		if (*hex == ' ')
			continue;
		assert_int_equal(sscanf(hex, "%2x", &v), 1);
		out[n++] = (uint8_t)v;
		hex++;
	}
	return n;
}

static const uint8_t *scrubbed(const uint8_t *data, size_t n, uint8_t fcs)
{
	const struct frame f = { .data = data,
				 .caplen = (uint32_t)n,
				 .wirelen = (uint32_t)n,
				 .linktype = LINKTYPE_ETHERNET,
				 .fcs_len = fcs };
	const struct frame *to = anonymizer_frame(frame_anonymizer, &f);

	assert_non_null(to);
	assert_int_equal(to->caplen, n);
	return to->data;
}

static void assert_zeros(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_int_equal(p[i], 0);
}

/* ARP is full of addresses and is not read. */
static void test_what_is_not_read_is_zeros(void **state)
{
	uint8_t arp[64];
	size_t n = bytes("ffffffffffff 001122334455 0806"
			 "0001080006040001 001122334455 0a090001"
			 "000000000000 0a090002",
			 arp);
	uint64_t before = anonymizer_unread(frame_anonymizer);
	const uint8_t *to = scrubbed(arp, n, 0);

	(void)state;
	assert_memory_equal(to, arp, 6); /* broadcast */
	assert_memory_not_equal(to + 6, arp + 6, 6);
	assert_memory_equal(to + 12, arp + 12, 2);
	assert_zeros(to + 14, n - 14);
	assert_int_equal(anonymizer_unread(frame_anonymizer), before + 1);
}

static uint16_t sum(const uint8_t *p, size_t n)
{
	uint32_t s = 0;

	for (size_t i = 0; i < n; i += 2)
		s += (uint32_t)p[i] << 8 | p[i + 1];
	while (s >> 16)
		s = (s & 0xffff) + (s >> 16);
	return (uint16_t)s;
}

enum { ETH = 14, IP = 20 };

/* ICMP: the header of the packet that it complains about is inside. */
static void test_checksums(void **state)
{
	uint8_t icmp[128];
	size_t n = bytes("020000000001 020000000002 0800"
			 "45000038 1c46 0000 40 01 0000 0a090001 0a090002"
			 "0303fcfc00000000"
			 "45000021 0001 0000 40 11 0000 0a090002 0a090001"
			 "1234567800000000",
			 icmp);
	uint16_t s = (uint16_t)~sum(icmp + ETH, IP);
	const uint8_t *to;

	(void)state;
	icmp[ETH + 10] = (uint8_t)(s >> 8);
	icmp[ETH + 11] = (uint8_t)s;
	to = scrubbed(icmp, n, 0);
	assert_int_equal(sum(to + ETH, IP), 0xffff);
	assert_memory_not_equal(to + ETH + 12, icmp + ETH + 12, 8);
	assert_zeros(to + ETH + IP, n - ETH - IP);
	/* one that was wrong says nothing */
	icmp[ETH + 11] ^= 1;
	to = scrubbed(icmp, n, 0);
	assert_int_equal(to[ETH + 10] << 8 | to[ETH + 11], 0);
}

static void test_fcs(void **state)
{
	uint8_t frame[64] = { 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x12, 0x34 };
	uint32_t v = ~crc32_add(CRC32_START, frame, 60);
	const uint8_t *to;

	(void)state;
	for (int i = 0; i < 4; i++)
		frame[60 + i] = (uint8_t)(v >> 8 * i);
	to = scrubbed(frame, 64, 4);
	assert_int_equal(crc32_add(CRC32_START, to, 64), CRC32_RESIDUE);
	assert_memory_not_equal(to + 60, frame + 60, 4);
	frame[63] ^= 1;
	to = scrubbed(frame, 64, 4);
	assert_int_not_equal(crc32_add(CRC32_START, to, 64), CRC32_RESIDUE);
}

/* Chassis by MAC, port by name, system; a management address; the rest. */
static void test_lldp(void **state)
{
	uint8_t lldp[256];
	size_t n = bytes("0180c200000e 001122334455 88cc"
			 "0207 04 001122334455"
			 "040a 05 61636d65706f727431"
			 "0602 0078"
			 "0a14 61636d652d737769746368617861636d6561636d"
			 "1006 05 01 0a090001"
			 "fe06 0080c20b 08 08"
			 "fe09 001122 01 61636d6500"
			 "0000",
			 lldp);
	const uint8_t *to = scrubbed(lldp, n, 0);
	uint64_t mac = wire_get(to + 6, 6, 0, 48, false);

	(void)state;
	assert_null(memmem(to, n, "acme", 4));
	assert_null(memmem(to, n, "\x0a\x09\x00\x01", 4));
	assert_null(memmem(to, n, "\x00\x11\x22\x33\x44\x55", 6));
	/* the chassis is who sends it, and DCBX and times stay */
	assert_int_equal(wire_get(to + 17, 6, 0, 48, false), mac);
	assert_non_null(memmem(to, n, "\x06\x02\x00\x78", 4));
	assert_non_null(memmem(to, n, "\xfe\x06\x00\x80\xc2\x0b\x08\x08", 8));
	assert_non_null(memmem(to, n, "name-", 5));
}

/* Payload goes, and two of them that differed still do. */
static void test_payload(void **state)
{
	static const char head[] = "020000000001 020000000002 0800"
				   "45000048 0001 4000 40 11 0000 0a090001 "
				   "0a090002"
				   "c00012b7 0034 0000"
				   "0a00ffff 00000029 80123456"
				   "00007f0011223344 cafebabe 0000000c";
	uint8_t one[256], two[256], first[256];
	size_t n = bytes(head, one);

	(void)state;
	memcpy(one + n, "acme weights", 12);
	n += 12 + 4; /* and an ICRC, which is wrong */
	memcpy(two, one, n);
	two[n - 5] ^= 1;
	memcpy(first, scrubbed(one, n, 0), n);
	assert_null(memmem(first, n, "acme", 4));
	assert_null(memmem(first, n, "\xca\xfe\xba\xbe", 4));
	assert_null(memmem(first, n, "\x7f\x00\x11\x22", 4));
	assert_memory_not_equal(first, scrubbed(two, n, 0), n);
	assert_memory_equal(first, scrubbed(one, n, 0), n);
}

/* ---- any bytes ---- */

/* What every consumer of a packet goes by. */
static void hold(const struct frame *f)
{
	struct packet a = { 0 }, b = { 0 };
	const struct frame *to = anonymizer_frame(frame_anonymizer, f);

	assert_non_null(to);
	assert_int_equal(to->caplen, f->caplen);
	assert_int_equal(to->wirelen, f->wirelen);
	assert_true(to->ns == f->ns && to->number == f->number);
	frame_decode(f, &decode_defaults, &a);
	frame_decode(to, &decode_defaults, &b);
	if (a.status != PACKET_OK)
		return;
	assert_true(addr_equal(b.src, pseudonym_addr(&key, a.src)));
	assert_true(addr_equal(b.dst, pseudonym_addr(&key, a.dst)));
	assert_int_equal(b.status, a.status);
	assert_int_equal(b.kind, a.kind);
	assert_int_equal(b.psn, a.psn);
	assert_int_equal(b.opcode, a.opcode);
	assert_int_equal(b.payload, a.payload);
	assert_int_equal(b.flags, a.flags);
	assert_int_equal(b.icrc_status, a.icrc_status);
	assert_int_equal(b.msn, a.msn);
	assert_int_equal(b.syndrome, a.syndrome);
	assert_int_equal(b.tos, a.tos);
	assert_int_equal(b.vlan, a.vlan);
	if (a.kind != PACKET_UET)
		assert_int_equal(b.dst_qp, pseudonym_of_number(&key, NUMBER_QP,
							       a.dst_qp));
	else
		assert_int_equal(b.uet.flags, a.uet.flags);
}

enum { PREFIX = 4, MOST = 65536, CHANGES = 40 };

/* As decode_fuzz.c reads them. */
static const uint16_t linktypes[] = {
	1, 0, 12, 14, 101, 108, 113, 219, 228, 229, 276, 147,
};

static void hold_file(const char *path, uint32_t *seed)
{
	static uint8_t in[MOST];
	FILE *file = fopen(path, "rb");
	size_t n = file ? fread(in, 1, sizeof in, file) : 0;
	uint8_t *data;

	if (file)
		fclose(file);
	if (n < PREFIX)
		return;
	n -= PREFIX;
	for (int i = 0; i < CHANGES; i++) {
		struct frame f = { .caplen = (uint32_t)n,
				   .wirelen = (uint32_t)n + in[3],
				   .linktype = linktypes[in[0] % 12],
				   .ns = 1,
				   .number = 1 };

		*seed = *seed * 1103515245 + 12345;
		/* as it is, then cut, then with other bytes in it */
		if (i % 2)
			f.caplen = n ? *seed / 65536 % (uint32_t)n : 0;
		else if (i && n)
			in[PREFIX + *seed / 65536 % n] = (uint8_t)(*seed >> 8);
		data = malloc(f.caplen ? f.caplen : 1);
		assert_non_null(data);
		memcpy(data, in + PREFIX, f.caplen);
		f.data = data;
		hold(&f);
		free(data);
	}
}

static void test_any_bytes(void **state)
{
	DIR *corpus = opendir(CORPUS);
	struct dirent *entry;
	uint32_t seed = 1;
	char path[512];
	int files = 0;

	(void)state;
	assert_non_null(corpus);
	while ((entry = readdir(corpus))) {
		snprintf(path, sizeof path, "%s/%s", CORPUS, entry->d_name);
		hold_file(path, &seed);
		files++;
	}
	closedir(corpus);
	assert_true(files > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_row_is_of_a_field),
		cmocka_unit_test(test_what_is_not_read_is_zeros),
		cmocka_unit_test(test_checksums),
		cmocka_unit_test(test_fcs),
		cmocka_unit_test(test_lldp),
		cmocka_unit_test(test_payload),
		cmocka_unit_test(test_any_bytes),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}

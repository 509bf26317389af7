/* SPDX-License-Identifier: GPL-2.0-or-later
 * Damaged files: what is lost is accounted for, the rest is read. */
#include "capture/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "maker.h"

enum { SEC = 1700000000, PACKETS = 40, DAY = 86400 };

/* A file of either format with a hole to put damage in. */
struct plan {
	bool ng, big;
	uint32_t second_half; /* seconds the later packets are later */
};

static void begin(struct made *m, const struct plan *p)
{
	m->big = p->big;
	if (p->ng) {
		made_section(m);
		made_interface(m, 1, 0, NULL, 9);
	} else {
		made_pcap(m, 0xa1b23c4d, 65535, 1);
	}
}

static void add(struct made *m, const struct plan *p, uint32_t i)
{
	uint32_t sec = SEC + i + (i > PACKETS / 2 ? p->second_half : 0);
	uint32_t length = 60 + i * 37 % 900;

	if (p->ng)
		made_enhanced(m, 0, sec * UINT64_C(1000000000) + i, length,
			      1500, i);
	else
		made_record(m, sec, i, length, 1500, i);
}

/* Plans of all formats, orders and gaps. */
enum { PLANS = 8 };
static struct plan plan(int i)
{
	return (struct plan) { .ng = i & 1,
			       .big = i & 2,
			       .second_half = i & 4 ? 25u * 365 * DAY : 0 };
}

/* 20 packets, |junk|, 20 packets: all packets, one damage, exactly there. */
static void check_junk(const struct plan *p, const uint8_t *junk, size_t n)
{
	struct made m = { 0 };
	const struct capture_file *f;
	struct gathered g;
	size_t at = 0;
	uint32_t i;

	begin(&m, p);
	for (i = 1; i <= PACKETS; i++) {
		if (i == PACKETS / 2 + 1) {
			at = m.n;
			made_bytes(&m, junk, n);
		}
		add(&m, p, i);
	}
	g = gather_made(&m);
	f = gathered_file(&g);
	assert_int_equal(g.n, PACKETS);
	for (i = 1; i <= PACKETS; i++) {
		assert_int_equal(g.v[i - 1].frame.number, i);
		assert_payload(&g, i - 1, i);
	}
	assert_int_equal(f->damage_count, 1);
	assert_int_equal(f->damage[0].from, at);
	assert_int_equal(f->damage[0].to, at + n);
	assert_false(f->cut);
	assert_int_equal(f->skipped, 0);
	gathered_free(&g);
	made_free(&m);
}

static void fill_random(uint8_t *p, size_t n, uint32_t seed)
{
	while (n--) {
		seed = seed * 1664525 + 1013904223;
		*p++ = (uint8_t)(seed >> 24);
	}
}

static void test_random_bytes(void **state)
{
	static const size_t lengths[] = { 1, 3, 16, 17, 1000, 300000, 3000000 };
	uint8_t *junk = malloc(3000000);
	size_t k;
	int i;

	(void)state;
	assert_non_null(junk);
	for (i = 0; i < PLANS; i++) {
		for (k = 0; k < sizeof lengths / sizeof *lengths; k++) {
			struct plan p = plan(i);

			fill_random(junk, lengths[k], (uint32_t)(i * 100 + k));
			/* no accidental record */
			junk[0] = 0xff;
			memset(junk + lengths[k] / 2, 0xff,
			       lengths[k] - lengths[k] / 2);
			check_junk(&p, junk, lengths[k]);
		}
	}
	free(junk);
}

/* A disk block that was never written: looks like records of no length. */
static void test_zeros(void **state)
{
	static const size_t lengths[] = { 16, 32, 64, 512, 4096, 2000000 };
	uint8_t *junk = calloc(1, 2000000);
	size_t k;
	int i;

	(void)state;
	assert_non_null(junk);
	for (i = 0; i < PLANS; i++) {
		for (k = 0; k < sizeof lengths / sizeof *lengths; k++) {
			struct plan p = plan(i);

			check_junk(&p, junk, lengths[k]);
		}
	}
	free(junk);
}

/* Small numbers: possible lengths wherever one looks. */
static void test_small_numbers(void **state)
{
	uint8_t junk[4096];
	size_t k;
	int i;

	(void)state;
	for (k = 0; k < sizeof junk; k++)
		junk[k] = k % 4 == 0 ? (uint8_t)(k / 4 % 50 + 1) : 0;
	for (i = 0; i < PLANS; i++) {
		struct plan p = plan(i);

		check_junk(&p, junk, sizeof junk);
	}
}

static void test_text(void **state)
{
	static const char text[] = "dd: error writing 'x': No space left on "
				   "device\n1+0 records in\n0+0 records out\n";
	int i;

	(void)state;
	for (i = 0; i < PLANS; i++) {
		struct plan p = plan(i);

		check_junk(&p, (const uint8_t *)text, strlen(text));
	}
}

/* cat a.pcap b.pcap: the second file header is 24 bytes of damage. */
static void test_concatenated_pcap(void **state)
{
	int big;

	(void)state;
	for (big = 0; big < 2; big++) {
		struct plan p = { .big = big };
		struct made head = { .big = big };

		made_pcap(&head, 0xa1b23c4d, 65535, 1);
		check_junk(&p, head.p, head.n);
		made_free(&head);
	}
}

/* The |i|-th packet's header gets |value| at |field|.  All others come out;
 * where the damaged one begins is where the damage begins. */
static struct gathered gather_broken(const struct plan *p, uint32_t field,
				     uint32_t value, size_t *at)
{
	struct made m = { 0 };
	struct gathered g;
	uint32_t i;

	begin(&m, p);
	for (i = 1; i <= PACKETS; i++) {
		if (i == 10)
			*at = m.n;
		add(&m, p, i);
	}
	made_set_u32(&m, *at + field, value);
	g = gather_made(&m);
	made_free(&m);
	return g;
}

static void check_broken(const struct plan *p, uint32_t field, uint32_t value)
{
	size_t at = 0;
	struct gathered g = gather_broken(p, field, value, &at);
	const struct capture_file *f = gathered_file(&g);

	assert_int_equal(g.n, PACKETS - 1);
	assert_payload(&g, 8, 9);
	assert_payload(&g, 9, 11);
	assert_int_equal(f->damage_count, 1);
	assert_int_equal(f->damage[0].from, at);
	gathered_free(&g);
}

static void test_absurd_captured_length(void **state)
{
	static const uint32_t values[] = { 65536 + 60, 1 << 20, 0x10000000,
					   0x7fffffff, 0xffffffff };
	size_t k;
	int i;

	(void)state;
	for (i = 0; i < PLANS; i += 2) {
		for (k = 0; k < sizeof values / sizeof *values; k++) {
			struct plan p = plan(i);

			check_broken(&p, 8, values[k]);
		}
	}
}

static void test_disagreeing_block_lengths(void **state)
{
	static const uint32_t values[] = {
		0, 8, 11, 13, 36, 1000, 1 << 20, 0x10000000, 0xfffffffc,
	};
	size_t k;
	int i;

	(void)state;
	for (i = 1; i < PLANS; i += 2) {
		for (k = 0; k < sizeof values / sizeof *values; k++) {
			struct plan p = plan(i);

			check_broken(&p, 4, values[k]);
		}
	}
}

/* Only the time is wrong: the packet is there, with its wrong time. */
static void test_absurd_time(void **state)
{
	struct plan p = plan(0);
	size_t at = 0;
	struct gathered g = gather_broken(&p, 0, 0xfffffff0, &at);

	(void)state;
	assert_int_equal(g.n, PACKETS);
	assert_int_equal(gathered_file(&g)->damage_count, 0);
	assert_int_equal(capture_tap(g.capture, 0)->regressions, 1);
	gathered_free(&g);
	g = gather_broken(&p, 4, 2000000000, &at); /* two seconds in a second */
	assert_int_equal(g.n, PACKETS);
	assert_int_equal(g.v[9].frame.ns,
			 (SEC + 10) * INT64_C(1000000000) + 999999999);
	assert_int_equal(gathered_file(&g)->clamped_times, 1);
	gathered_free(&g);
}

/* The description of an interface is lost, but not its number. */
static void test_damaged_interface(void **state)
{
	struct made m = { 0 };
	struct gathered g;
	size_t at;

	(void)state;
	made_section(&m);
	made_interface(&m, 1, 0, "zero", 9);
	at = m.n;
	made_interface(&m, 1, 0, "one", 9);
	made_set_u32(&m, at + 4, 12345);
	made_interface(&m, 101, 0, "two", 9);
	made_enhanced(&m, 2, 1, 60, 60, 1);
	made_enhanced(&m, 1, 2, 60, 60, 2);
	made_enhanced(&m, 0, 3, 60, 60, 3);
	g = gather_made(&m);
	assert_int_equal(g.n, 2);
	assert_int_equal(g.v[0].frame.linktype, 101);
	assert_string_equal(capture_tap(g.capture, g.v[0].frame.tap)->name,
			    "two");
	assert_string_equal(capture_tap(g.capture, g.v[1].frame.tap)->name,
			    "zero");
	assert_int_equal(gathered_file(&g)->skipped, 1);
	assert_int_equal(gathered_file(&g)->damage_count, 2);
	gathered_free(&g);
	made_free(&m);
}

/* A section whose header has a wrong length still begins anew. */
static void test_damaged_section(void **state)
{
	struct made m = { 0 };
	struct gathered g;
	size_t at;

	(void)state;
	made_section(&m);
	made_interface(&m, 1, 0, "old", 9);
	made_enhanced(&m, 0, 1, 60, 60, 1);
	m.big = true;
	at = m.n;
	made_section(&m);
	made_set_u32(&m, at + 4, 29);
	made_interface(&m, 101, 0, "new", 6);
	made_enhanced(&m, 0, 2, 60, 60, 2);
	g = gather_made(&m);
	assert_int_equal(g.n, 2);
	assert_int_equal(g.v[1].frame.linktype, 101);
	assert_int_equal(g.v[1].frame.ns, 2000);
	assert_int_equal(gathered_file(&g)->damage_count, 1);
	gathered_free(&g);
	made_free(&m);
}

/* More damage than is kept is counted all the same. */
static void test_damage_is_bounded(void **state)
{
	struct made m = { 0 };
	struct gathered g;
	uint32_t i, n = 3 * CAPTURE_DAMAGE_KEPT;

	(void)state;
	made_section(&m);
	made_interface(&m, 1, 0, NULL, 9);
	for (i = 0; i < n; i++) {
		made_enhanced(&m, 0, i, 60, 60, i);
		made_fill(&m, 5, 0xee);
	}
	g = gather_made(&m);
	assert_int_equal(g.n, n);
	assert_int_equal(gathered_file(&g)->damage_count, n);
	gathered_free(&g);
	made_free(&m);
}

static void test_adjoining_damage_is_one(void **state)
{
	struct capture_file file = { 0 };
	struct reader r = { .file = &file };
	static const char why[] = "because";

	(void)state;
	reader_damage(&r, 10, 20, why);
	reader_damage(&r, 20, 30, why);
	reader_damage(&r, 31, 40, why);
	assert_int_equal(file.damage_count, 2);
	assert_int_equal(file.damage[0].to, 30);
	assert_int_equal(file.damage[1].from, 31);
}

/* Nothing but damage behind the header is survived too. */
static void test_nothing_to_find(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < 4; i++) {
		struct plan p = plan(i);
		struct made m = { 0 };
		struct gathered g;
		size_t head;

		begin(&m, &p);
		head = m.n;
		made_fill(&m, 5000000, 0xfd);
		g = gather_made(&m);
		assert_int_equal(g.last, 0);
		assert_int_equal(g.n, 0);
		assert_int_equal(gathered_file(&g)->damage_count, 1);
		assert_int_equal(gathered_file(&g)->damage[0].from, head);
		assert_int_equal(gathered_file(&g)->damage[0].to, m.n);
		gathered_free(&g);
		made_free(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_bytes),
		cmocka_unit_test(test_zeros),
		cmocka_unit_test(test_small_numbers),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_concatenated_pcap),
		cmocka_unit_test(test_absurd_captured_length),
		cmocka_unit_test(test_disagreeing_block_lengths),
		cmocka_unit_test(test_absurd_time),
		cmocka_unit_test(test_damaged_interface),
		cmocka_unit_test(test_damaged_section),
		cmocka_unit_test(test_damage_is_bounded),
		cmocka_unit_test(test_adjoining_damage_is_one),
		cmocka_unit_test(test_nothing_to_find),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * No reader of captures is quadratic, whatever it is that there is more of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capture/capture.h"
#include "maker.h"
#include "steps.h"

enum { UNITS = 1500, SIZE = 20, SEC = 1700000000 };

static void pcap_begin(struct made *m)
{
	made_pcap(m, 0xa1b2c3d4, 100, 1);
}

static void pcap_packet(struct made *m, unsigned i)
{
	made_record(m, SEC + i, 0, SIZE, SIZE, i);
}

static void pcap_backwards(struct made *m, unsigned i)
{
	made_record(m, SEC - i, 0, SIZE, SIZE, i);
}

static void pcap_garbage(struct made *m, unsigned i)
{
	made_fill(m, 60, 0xfe);
	pcap_packet(m, i);
}

static void pcap_only_garbage(struct made *m, unsigned i)
{
	made_fill(m, 40, (uint8_t)i);
}

/* Looks like a record, and what is behind it does not. */
static void pcap_half(struct made *m, unsigned i)
{
	made_u32(m, SEC + i);
	made_u32(m, 0);
	made_u32(m, 90);
	made_u32(m, 90);
}

static void pcapng_begin(struct made *m)
{
	made_section(m);
	made_interface(m, 1, 0, "a", 9);
	made_interface(m, 1, 0, "b", 9);
}

static void pcapng_packet(struct made *m, unsigned i)
{
	made_enhanced(m, i % 2, 1000 + i, SIZE, SIZE, i);
}

/* The second interface is behind the first for as long as it may be. */
static void pcapng_late(struct made *m, unsigned i)
{
	made_enhanced(m, 0, UINT64_C(1) << 40 | i, SIZE, SIZE, i);
	made_enhanced(m, 1, i, SIZE, SIZE, i);
}

static void pcapng_backwards(struct made *m, unsigned i)
{
	made_enhanced(m, i % 2, (UINT64_C(1) << 40) - i, SIZE, SIZE, i);
}

static void one_interface(struct made *m, unsigned i)
{
	char name[32];

	snprintf(name, sizeof name, "if%u", i);
	made_interface(m, 1, 0, name, 9);
}

static void interface(struct made *m, unsigned i)
{
	one_interface(m, i);
	made_enhanced(m, 2 + i, 1000 + i, SIZE, SIZE, i);
}

static void interface_alike(struct made *m, unsigned i)
{
	one_interface(m, 0);
	made_enhanced(m, 2 + i, 1000 + i, SIZE, SIZE, i);
}

/* Never with a packet. */
static void interface_idle(struct made *m, unsigned i)
{
	one_interface(m, i);
}

static void section(struct made *m, unsigned i)
{
	pcapng_begin(m);
	made_enhanced(m, i % 2, 1000 + i, SIZE, SIZE, i);
}

static void section_new(struct made *m, unsigned i)
{
	made_section(m);
	one_interface(m, i);
	made_enhanced(m, 0, 1000 + i, SIZE, SIZE, i);
}

static void section_unnamed(struct made *m, unsigned i)
{
	made_section(m);
	made_interface(m, 1, 0, NULL, 9);
	made_enhanced(m, 0, 1000 + i, SIZE, SIZE, i);
}

static void section_big_and_little(struct made *m, unsigned i)
{
	m->big = i & 1;
	section_new(m, i);
}

static void statistics(struct made *m, unsigned i)
{
	made_begin(m, 5);
	made_u32(m, i % 2);
	made_u32(m, 0);
	made_u32(m, 1000 + i);
	made_option_u64(m, 4, i);
	made_option_u64(m, 5, i);
	made_end(m);
}

static void unknown_block(struct made *m, unsigned i)
{
	made_begin(m, 0x80000000 | i);
	made_u32(m, i);
	made_end(m);
}

static void simple(struct made *m, unsigned i)
{
	made_begin(m, 3);
	made_u32(m, SIZE);
	made_payload(m, i, SIZE);
	made_end(m);
}

static void no_interface(struct made *m, unsigned i)
{
	made_enhanced(m, 100 + i, 1000 + i, SIZE, SIZE, i);
}

static void block_garbage(struct made *m, unsigned i)
{
	made_fill(m, 44, 0xfe);
	pcapng_packet(m, i);
}

/* Length words that fit, and nothing else that does. */
static void block_half(struct made *m, unsigned i)
{
	made_u32(m, 6);
	made_u32(m, 64 + 4 * (i % 64));
	made_u32(m, 0);
}

/* One block; its options are what there is more of. */
static void options_begin(struct made *m)
{
	pcapng_begin(m);
	made_begin(m, 6);
	made_u32(m, 0);
	made_u32(m, 0);
	made_u32(m, 1000);
	made_u32(m, SIZE);
	made_u32(m, SIZE);
	made_payload(m, 1, SIZE);
}

static void comment(struct made *m, unsigned i)
{
	made_option_u32(m, 1, i);
}

static void option_empty(struct made *m, unsigned i)
{
	made_option(m, (uint16_t)(2000 + i % 8), "", 0);
}

static const struct shape {
	const char *name;
	void (*begin)(struct made *m);
	void (*unit)(struct made *m, unsigned i);
	void (*end)(struct made *m);
} shapes[] = {
	{ "pcap", pcap_begin, pcap_packet, NULL },
	{ "pcap, times go back", pcap_begin, pcap_backwards, NULL },
	{ "pcap, garbage between", pcap_begin, pcap_garbage, NULL },
	{ "pcap, garbage", pcap_begin, pcap_only_garbage, NULL },
	{ "pcap, half records", pcap_begin, pcap_half, NULL },
	{ "pcapng", pcapng_begin, pcapng_packet, NULL },
	{ "pcapng, one late", pcapng_begin, pcapng_late, NULL },
	{ "pcapng, times go back", pcapng_begin, pcapng_backwards, NULL },
	{ "interfaces", pcapng_begin, interface, NULL },
	{ "interfaces of one name", pcapng_begin, interface_alike, NULL },
	{ "idle interfaces", pcapng_begin, interface_idle, NULL },
	{ "sections", pcapng_begin, section, NULL },
	{ "sections of other names", pcapng_begin, section_new, NULL },
	{ "sections without names", pcapng_begin, section_unnamed, NULL },
	{ "sections, both orders", pcapng_begin, section_big_and_little, NULL },
	{ "statistics", pcapng_begin, statistics, NULL },
	{ "unknown blocks", pcapng_begin, unknown_block, NULL },
	{ "simple packets", pcapng_begin, simple, NULL },
	{ "no such interface", pcapng_begin, no_interface, NULL },
	{ "pcapng, garbage between", pcapng_begin, block_garbage, NULL },
	{ "half blocks", pcapng_begin, block_half, NULL },
	{ "comments", options_begin, comment, made_end },
	{ "empty options", options_begin, option_empty, made_end },
};

/* All of |c|, which is closed; what it has. */
static uint64_t read_all(struct capture *c)
{
	struct err err = { 0 };
	const struct frame *frames;
	uint64_t read;
	int got;

	assert_non_null(c);
	while ((got = capture_next(c, &frames, &err)) > 0)
		;
	assert_int_equal(got, 0);
	read = capture_taps(c) + 1;
	for (size_t i = 0; i < capture_files(c); i++)
		read += capture_file(c, i)->packets;
	capture_free(c);
	return read;
}

static struct steps_run counted(const struct shape *s, unsigned units)
{
	struct made m = { 0 };
	struct steps_run run;
	struct err err = { 0 };

	s->begin(&m);
	for (unsigned i = 0; i < units; i++)
		s->unit(&m, i);
	if (s->end)
		s->end(&m);
	steps_begin();
	run.read = read_all(capture_open_bytes(m.p, m.n, NULL, &err));
	run.steps = steps_taken();
	made_free(&m);
	return run;
}

static void readers_are_linear(void **state)
{
	int bad = 0;

	(void)state;
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		struct steps_run a = counted(&shapes[i], UNITS);
		struct steps_run b = counted(&shapes[i], UNITS * STEPS_TIMES);

		bad += steps_linear(shapes[i].name, &a, &b);
	}
	assert_int_equal(bad, 0);
}

/* One small file, read under many names. */
static struct steps_run of_files(unsigned files)
{
	struct capture_input *inputs = calloc(files, sizeof *inputs);
	struct made m = { 0 };
	struct steps_run run;
	struct err err = { 0 };
	const char *path = made_path("doubling");

	assert_non_null(inputs);
	pcap_begin(&m);
	for (unsigned i = 0; i < 50; i++)
		pcap_packet(&m, i);
	made_write(&m, path);
	for (unsigned i = 0; i < files; i++)
		inputs[i].path = path;
	steps_begin();
	run.read = read_all(capture_open(inputs, files, NULL, &err));
	run.steps = steps_taken();
	remove(path);
	made_free(&m);
	free(inputs);
	return run;
}

static void files_are_linear(void **state)
{
	struct steps_run a = of_files(40), b = of_files(40 * STEPS_TIMES);

	(void)state;
	assert_int_equal(steps_linear("files", &a, &b), 0);
}

/* Each odd record says that its packet goes on to the end, where there is a
 * record of its time; those in between are of two hours later. */
static struct steps_run of_overlaps(unsigned units)
{
	enum { HEAD = 16, UNIT = HEAD + 2 * (HEAD + 1), LATER = 7200 };
	struct made m = { 0 };
	struct err err = { 0 };
	struct steps_run run;

	made_pcap(&m, 0xa1b2c3d4, 262144, 1);
	made_record(&m, SEC + LATER, 0, 1, 1, 0);
	for (unsigned i = 0; i < units; i++) {
		made_u32(&m, SEC);
		made_u32(&m, 0);
		made_u32(&m, (units - i) * UNIT - HEAD + 4 * (HEAD + 1));
		made_u32(&m, 0);
		made_record(&m, SEC + LATER, 0, 1, 1, i);
		made_record(&m, SEC + LATER, 0, 1, 1, i);
	}
	for (unsigned i = 0; i < 8; i++)
		made_record(&m, SEC, 0, 1, 1, i);
	steps_begin();
	run.read = read_all(capture_open_bytes(m.p, m.n, NULL, &err));
	run.steps = steps_taken();
	made_free(&m);
	return run;
}

static void overlaps_are_linear(void **state)
{
	struct steps_run a = of_overlaps(1000);
	struct steps_run b = of_overlaps(1000 * STEPS_TIMES);

	(void)state;
	assert_int_equal(steps_linear("overlaps", &a, &b), 0);
}

/* As many corrections of the clock as frames. */
static struct steps_run of_shifts(unsigned units)
{
	struct capture_shift *s = calloc(units, sizeof *s);
	struct capture_options o = { .shifts = s, .n_shifts = units };
	struct made m = { 0 };
	struct err err = { 0 };
	struct steps_run run;

	assert_non_null(s);
	pcap_begin(&m);
	for (unsigned i = 0; i < units; i++) {
		pcap_packet(&m, i);
		s[i].from_frame = i + 1;
	}
	steps_begin();
	run.read = read_all(capture_open_bytes(m.p, m.n, &o, &err));
	run.steps = steps_taken();
	made_free(&m);
	free(s);
	return run;
}

static void shifts_are_linear(void **state)
{
	struct steps_run a = of_shifts(UNITS);
	struct steps_run b = of_shifts(UNITS * STEPS_TIMES);

	(void)state;
	assert_int_equal(steps_linear("shifts", &a, &b), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(readers_are_linear),
		cmocka_unit_test(files_are_linear),
		cmocka_unit_test(overlaps_are_linear),
		cmocka_unit_test(shifts_are_linear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

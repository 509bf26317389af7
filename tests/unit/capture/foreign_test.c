/* SPDX-License-Identifier: GPL-2.0-or-later
 * The libpcap reader gives what our own readers give. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capture/linktype.h"
#include "capture/reader.h"
#include "maker.h"

struct opened {
	struct window window;
	struct capture_file file;
	struct taps taps;
	struct reader *reader;
	struct err err;
	char path[16];
};

static void begin(struct opened *o, const struct made *m)
{
	struct reader_input how = { &o->window, &o->file, &o->taps, NULL, 0 };

	memset(o, 0, sizeof *o);
	o->taps.per_file = calloc(1, sizeof(uint32_t));
	strcpy(o->path, "made");
	o->file.path = o->path;
	assert_int_equal(window_init(&o->window, source_bytes(m->p, m->n),
				     WINDOW_CHUNK, WINDOW_RESERVE),
			 0);
	o->reader = foreign_reader_new(&how, &o->err);
}

static void end(struct opened *o)
{
	if (o->reader)
		o->reader->ops->free(o->reader);
	window_fini(&o->window);
	taps_fini(&o->taps);
}

static void same(const struct made *m)
{
	struct gathered ours = gather_made(m);
	struct opened o;
	struct frame f;
	size_t i;

	begin(&o, m);
	assert_non_null(o.reader);
	assert_memory_equal(o.file.format, "libpcap: ", 9);
	for (i = 0; i < ours.n; i++) {
		const struct frame *x = &ours.v[i].frame;

		assert_int_equal(o.reader->ops->step(o.reader, &f, 64), 1);
		assert_int_equal(f.ns, x->ns);
		assert_int_equal(f.number, x->number);
		assert_int_equal(f.caplen, x->caplen);
		assert_int_equal(f.wirelen, x->wirelen);
		assert_int_equal(f.linktype, x->linktype);
		assert_int_equal(f.flags, x->flags);
		assert_memory_equal(f.data, x->data, f.caplen);
	}
	assert_int_equal(o.reader->ops->step(o.reader, &f, 64), 0);
	assert_true(o.reader->done);
	assert_int_equal(o.file.damage_count, 0);
	assert_int_equal(o.taps.v[0].pub.packets, ours.n);
	end(&o);
	gathered_free(&ours);
}

static void test_same_frames(void **state)
{
	static const uint32_t linktypes[] = { 1, 101, 113, 276, 247 };
	size_t k;
	uint32_t i;

	(void)state;
	for (k = 0; k < sizeof linktypes / sizeof *linktypes; k++) {
		struct made m = { .big = k & 1 };

		made_pcap(&m, k & 2 ? 0xa1b2c3d4 : 0xa1b23c4d, 2000,
			  linktypes[k]);
		for (i = 0; i < 300; i++)
			made_record(&m, 1700000000 - i % 2, i, 40 + i, 1500, i);
		same(&m);
		made_free(&m);
	}
}

static void test_damage(void **state)
{
	struct made m = { 0 };
	struct opened o;
	struct frame f;
	size_t at;

	(void)state;
	made_pcap(&m, 0xa1b2c3d4, 2000, 1);
	made_record(&m, 1700000000, 1, 60, 60, 1);
	at = m.n;
	made_record(&m, 1700000000, 2, 60, 60, 2);
	begin(&o, &(struct made) { .p = m.p, .n = m.n - 1 });
	assert_int_equal(o.reader->ops->step(o.reader, &f, 64), 1);
	assert_int_equal(o.reader->ops->step(o.reader, &f, 64), 0);
	assert_true(o.reader->done);
	assert_int_equal(o.file.damage_count, 1);
	assert_true(o.file.damage[0].from >= at);
	assert_true(o.file.cut);
	end(&o);
	made_free(&m);
}

static void test_not_a_capture(void **state)
{
	struct made m = { 0 };
	struct opened o;

	(void)state;
	made_fill(&m, 100, 'x');
	begin(&o, &m);
	assert_null(o.reader);
	assert_int_equal(o.err.code, ERR_FORMAT);
	end(&o);
	made_free(&m);
}

/* Values of https://www.tcpdump.org/linktypes.html beside those of Linux. */
static void test_link_types(void **state)
{
	(void)state;
	assert_int_equal(linktype_dlt(1), 1);
	assert_int_equal(linktype_dlt(101), 12);
	assert_int_equal(linktype_from_dlt(12), 101);
	assert_int_equal(linktype_dlt(276), 276);
	assert_int_equal(linktype_from_dlt(linktype_dlt(100)), 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_frames),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_not_a_capture),
		cmocka_unit_test(test_link_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

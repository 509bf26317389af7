/* SPDX-License-Identifier: GPL-2.0-or-later
 * No reader of what jobs log is quadratic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "doubling.h"
#include "joblog/joblog.h"
#include "joblog/joblog_int.h"

enum { UNITS = 400 };

#define INSPECTOR                                                    \
	"{\"header\":{\"id\":\"c%u\",\"rank\":%u,\"n_ranks\":8},"    \
	"\"metadata\":{\"hostname\":\"h\",\"dump_timestamp_us\":1}," \
	"\"coll_perf\":{\"coll\":\"AllReduce\",\"coll_sn\":%u,"      \
	"\"coll_msg_size_bytes\":4096,\"coll_exec_time_us\":50,"     \
	"\"coll_busbw_gbs\":1}}\n"
#define FLIGHT                                                               \
	"{\"frames\":[],\"record_id\":%u,\"pg_id\":0,\"process_group\":[\"%" \
	"u\","                                                               \
	"\"d\"],\"collective_seq_id\":%u,\"profiling_name\":\"nccl:all_"     \
	"reduce\","                                                          \
	"\"time_created_ns\":17,\"state\":\"completed\"}"

/* Entries, and behind them a text that grows as they do. */
#define ENTRIES "{\"version\":\"2.4\",\"rank\":0,\"entries\":["
#define ENTRY                                                            \
	"{\"process_group\":[\"0\",\"d\"],\"collective_seq_id\":%u,"     \
	"\"profiling_name\":\"nccl:all_reduce\",\"time_created_ns\":17," \
	"\"state\":\"completed\"}"
#define TEXT(before) "\1]," before "\"\1, 1234567890"

static const struct doubling shapes[] = {
	{ "operations of as many communicators", "", INSPECTOR, "", "" },
	{ "documents that are none", INSPECTOR, "{\"x\":%u}\n", "", "" },
	{ "brackets", INSPECTOR, "[%u", "", "\n" INSPECTOR },
	{ "rubbish", INSPECTOR, "} %u ]\n", "", "\n" INSPECTOR },
	{ "half documents", INSPECTOR, "{\"x%u\":\n", "", "\n" INSPECTOR },
	{ "members nobody knows",
	  "{\"version\":\"2.4\",\"rank\":0,\"entries\":[{\"frames\":[],",
	  "\"m%u\":1", ",",
	  ",\"process_group\":[\"0\",\"d\"],\"collective_seq_id\":1,"
	  "\"profiling_name\":\"nccl:all_reduce\",\"time_created_ns\":17,"
	  "\"state\":\"completed\"}]}" },
	{ "entries of a group of as many ranks", ENTRIES,
	  ENTRY TEXT("\"pg_config\":{\"0\":{\"ranks\":"), ",", "\"}}}" },
	{ "entries of a host with as long a name", ENTRIES,
	  ENTRY TEXT("\"host_name\":"), ",", "\"}" },
	{ "entries of as many groups",
	  "{\"version\":\"2.4\",\"rank\":0,\"entries\":[", FLIGHT, ",", "]}" },
};

static struct steps_run read_bytes(char *p, size_t n)
{
	struct joblog *j = joblog_new();
	struct joblog_file file = { .log = j, .path = "f" };
	struct steps_run run;
	struct err err = { 0 };
	FILE *f = fmemopen(p, n, "rb");

	assert_non_null(j);
	assert_non_null(f);
	steps_begin();
	joblog_read_open(&file, f, &err);
	run.steps = steps_taken();
	run.read = file.found + file.skipped;
	fclose(f);
	joblog_free(j);
	return run;
}

static void documents_are_linear(void **state)
{
	(void)state;
	doubling_linear(shapes, sizeof shapes / sizeof *shapes, UNITS,
			read_bytes);
}

/* |units| times |what| of |n| bytes between what begins and ends a list. */
static struct steps_run pickled(const void *what, size_t n, unsigned units)
{
	static const char begin[] = "\x80\x02}q\x01X\x07\0\0\0entries]q\x02(";
	static const char end[] = "eXx\x03\0\0\0abcs.";
	const size_t head = sizeof begin - 1, tail = sizeof end - 1;
	char *p = malloc(head + units * n + tail), *at = p;
	struct steps_run run;

	assert_non_null(p);
	at = (char *)memcpy(at, begin, head) + head;
	for (unsigned i = 0; i < units; i++, at += n)
		memcpy(at, what, n);
	memcpy(at, end, tail);
	run = read_bytes(p, head + units * n + tail);
	run.read++; /* most of these end as what is no record */
	free(p);
	return run;
}

static void pickles_are_linear(void **state)
{
	static const struct {
		const char *name;
		const char *what;
		size_t n;
	} of[] = {
		{ "numbers", "K\x01", 2 },
		{ "marks", "(", 1 },
		{ "memos", "K\x01q\x05", 4 },
		{ "memos far", "K\x01r\0\x10\0\0", 7 },
		{ "lists", "]", 1 },
		{ "tuples", "(K\x01t", 4 },
		{ "dictionaries", "}", 1 },
		{ "from the memo", "h\x01", 2 },
		{ "appended", "]K\x01\x61", 4 },
	};
	int bad = 0;

	(void)state;
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		struct steps_run a = pickled(of[i].what, of[i].n, UNITS * 10);
		struct steps_run b =
			pickled(of[i].what, of[i].n, UNITS * 10 * STEPS_TIMES);

		bad += steps_linear(of[i].name, &a, &b);
	}
	assert_int_equal(bad, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(documents_are_linear),
		cmocka_unit_test(pickles_are_linear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Records of NCCL's Inspector with times at the end of what 64 bits hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "joblog/joblog.h"
#include "joblog/joblog_int.h"

static int64_t end_of_kernel(const char *stop_us)
{
	struct joblog *j = joblog_new();
	struct joblog_file file = { .log = j, .path = "f" };
	struct err err = { 0 };
	char text[512];
	int64_t ns;
	FILE *f;

	snprintf(text, sizeof text,
		 "{\"header\":{\"id\":\"c\",\"rank\":0},\"metadata\":{},"
		 "\"coll_perf\":{\"coll\":\"AllReduce\",\"event_trace_ts\":"
		 "{\"kernel_events\":[{\"kernel_start_ts\":1,"
		 "\"kernel_stop_ts\":%s}]}}}",
		 stop_us);
	f = fmemopen(text, strlen(text), "rb");
	assert_non_null(f);
	assert_int_equal(joblog_read_open(&file, f, &err), 0);
	assert_int_equal(j->n_ops, 1);
	ns = j->ops[0].end_ns;
	fclose(f);
	joblog_free(j);
	return ns;
}

/* Stamps are whole microseconds, and it may have ended within the next. */
static void the_end_is_within_a_microsecond(void **state)
{
	(void)state;
	assert_true(end_of_kernel("1700000000000000") ==
		    INT64_C(1700000000000001000));
	/* 2^63 is 9,223,372,036,854,775,808 */
	assert_true(end_of_kernel("9223372036854774") ==
		    INT64_C(9223372036854775000));
	assert_true(end_of_kernel("9223372036854775") == INT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_end_is_within_a_microsecond),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

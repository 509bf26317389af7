/* SPDX-License-Identifier: GPL-2.0-or-later
 * Records of jobs, JSON and pickles. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "joblog/joblog_int.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct joblog *j = joblog_new();
	struct joblog_file file = { .log = j, .path = "rank_3" };
	FILE *f = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;

	if (j && f)
		joblog_read_open(&file, f, NULL);
	if (f)
		fclose(f);
	joblog_free(j);
	return 0;
}

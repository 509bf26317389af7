/* SPDX-License-Identifier: GPL-2.0-or-later
 * Stands before the C library (LD_PRELOAD): the wall clock is an hour ahead
 * once the file FABSCOPE_CLOCK exists. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

__attribute__((visibility("default"))) int clock_gettime(clockid_t id,
							 struct timespec *t)
{
	const char *file = getenv("FABSCOPE_CLOCK");
	int rc = (int)syscall(SYS_clock_gettime, id, t);

	if (id == CLOCK_REALTIME && file && !access(file, F_OK))
		t->tv_sec += 3600;
	return rc;
}

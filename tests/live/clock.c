/* SPDX-License-Identifier: GPL-2.0-or-later
 * Stands before the C library (LD_PRELOAD): the wall clock is an hour ahead
 * once the file FABSCOPE_CLOCK exists; with FABSCOPE_HOLD every other look at
 * it takes long, as where others have the processor. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void held_up(void)
{
	const struct timespec most = { .tv_nsec = 60 * 1000 * 1000 };

	nanosleep(&most, NULL);
}

__attribute__((visibility("default"))) int clock_gettime(clockid_t id,
							 struct timespec *t)
{
	static unsigned looks;
	const char *file = getenv("FABSCOPE_CLOCK");
	int hold =
		id == CLOCK_REALTIME && getenv("FABSCOPE_HOLD") && looks++ % 2;
	int rc;

	if (hold)
		held_up();
	rc = (int)syscall(SYS_clock_gettime, id, t);
	if (hold)
		held_up();
	if (id == CLOCK_REALTIME && file && !access(file, F_OK))
		t->tv_sec += 3600;
	return rc;
}

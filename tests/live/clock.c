/* SPDX-License-Identifier: GPL-2.0-or-later
 * Stands before the C library (LD_PRELOAD): the wall clock is ahead by as many
 * seconds as the file FABSCOPE_CLOCK, if there is one, was changed after 1970;
 * with FABSCOPE_HOLD every other look at it takes long, as where others have
 * the processor. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/stat.h>
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
	struct stat st;
	int rc;

	if (hold)
		held_up();
	rc = (int)syscall(SYS_clock_gettime, id, t);
	if (hold)
		held_up();
	if (id == CLOCK_REALTIME && file && !stat(file, &st))
		t->tv_sec += st.st_mtime;
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The names of files that are not complete yet. */
#define _GNU_SOURCE
#include "base/tempname.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/crc32.h"

/* Process numbers mean the same where host name and PID namespace are the
 * same.  0: not known. */
static uint32_t here(void)
{
	struct utsname host;
	char space[64];
	ssize_t n = readlink("/proc/self/ns/pid", space, sizeof space);
	uint32_t crc;

	if (n <= 0 || uname(&host))
		return 0;
	crc = crc32_add(CRC32_START, (const uint8_t *)space, (size_t)n);
	return crc32_add(crc, (const uint8_t *)host.nodename,
			 strlen(host.nodename));
}

/* The length of what comes before the name of the file itself. */
static int folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (int)(slash - path) + 1 : 0;
}

/* It does not hold the final name: a long one would be no obstacle. */
char *tempname_new(const char *path, unsigned number)
{
	char *name;

	if (asprintf(&name, "%.*s.fabscope-%08x-%ld-%u.tmp",
		     folder_length(path), path, here(), (long)getpid(),
		     number) < 0)
		return NULL;
	return name;
}

static bool is_left_over(const char *name, uint32_t home)
{
	unsigned where, number;
	long process;
	int end = 0;

	if (sscanf(name, ".fabscope-%8x-%ld-%u.tmp%n", &where, &process,
		   &number, &end) != 3 ||
	    !end || name[end])
		return false;
	return where == home && process > 0 && kill((pid_t)process, 0) < 0 &&
	       errno == ESRCH;
}

void tempname_sweep(const char *path)
{
	const uint32_t home = here();
	int length = folder_length(path);
	char *folder = length ? strndup(path, (size_t)length) : strdup(".");
	DIR *d = folder && home ? opendir(folder) : NULL;
	struct dirent *entry;
	struct stat st;

	while (d && (entry = readdir(d)))
		if (is_left_over(entry->d_name, home) &&
		    !fstatat(dirfd(d), entry->d_name, &st,
			     AT_SYMLINK_NOFOLLOW) &&
		    S_ISREG(st.st_mode))
			unlinkat(dirfd(d), entry->d_name, 0);
	if (d)
		closedir(d);
	free(folder);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which capture file has Wireshark open? */
#include "dissectors/openfile.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- files ---- */

static bool only_read(int fd)
{
	int flags = fcntl(fd, F_GETFL);
	struct stat st;

	return flags >= 0 && (flags & O_ACCMODE) == O_RDONLY &&
	       !fstat(fd, &st) && S_ISREG(st.st_mode);
}

/* Its own name where it still has one, so that this is what is shown. */
static bool offer(int fd, bool (*take)(const char *path))
{
	char link[64], path[PATH_MAX];
	struct stat by_name, by_number;
	ssize_t n;

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof path - 1);
	if (n < 0)
		return false;
	path[n] = 0;
	if (!fstat(fd, &by_number) && !stat(path, &by_name) &&
	    by_name.st_dev == by_number.st_dev &&
	    by_name.st_ino == by_number.st_ino)
		return take(path);
	return take(link);
}

bool openfile_offer(bool (*take)(const char *path))
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *d;
	bool taken = false;

	while (dir && !taken && (d = readdir(dir))) {
		char *end;
		long fd = strtol(d->d_name, &end, 10);

		if (end != d->d_name && !*end && fd != dirfd(dir) &&
		    only_read((int)fd))
			taken = offer((int)fd, take);
	}
	if (dir)
		closedir(dir);
	return taken;
}

/* ---- capturing: dumpcap does it, as a child ---- */

static size_t read_small(const char *pid, const char *what, char *to,
			 size_t size)
{
	char path[PATH_MAX];
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%s/%s", pid, what);
	f = fopen(path, "re");
	if (f) {
		n = fread(to, 1, size - 1, f);
		fclose(f);
	}
	to[n] = 0;
	return n;
}

/* It also counts packets of interfaces (-S) and lists them (-D), with what they
 * can do (-L). */
static bool captures(const char *pid)
{
	char args[4096];
	size_t n = read_small(pid, "cmdline", args, sizeof args);

	for (const char *a = args; a < args + n; a += strlen(a) + 1)
		if (!strcmp(a, "-S") || !strcmp(a, "-D") || !strcmp(a, "-L"))
			return false;
	return n > 0;
}

/* "PID (NAME) STATE PARENT ..." */
static bool is_capturing_child(const char *pid)
{
	char text[512], state, *end;
	int parent;

	if (!read_small(pid, "stat", text, sizeof text) ||
	    !strstr(text, "(dumpcap)") || !(end = strrchr(text, ')')) ||
	    sscanf(end + 1, " %c %d", &state, &parent) != 2)
		return false;
	return parent == getpid() && state != 'Z' && captures(pid);
}

bool openfile_grows(void)
{
	siginfo_t any = { 0 };
	const struct dirent *d;
	bool found = false;
	DIR *dir;

	/* Most often there is no child at all. */
	if (waitid(P_ALL, 0, &any, WEXITED | WNOHANG | WNOWAIT) < 0)
		return false;
	dir = opendir("/proc");
	while (dir && !found && (d = readdir(dir)))
		found = d->d_name[0] >= '1' && d->d_name[0] <= '9' &&
			is_capturing_child(d->d_name);
	if (dir)
		closedir(dir);
	return found;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the targets that run commands share. */
#define _GNU_SOURCE
#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"

static char folder[] = P_tmpdir "/fabscope-fuzz.XXXXXX";
static pid_t owner;

static void remove_all(void)
{
	DIR *d = getpid() == owner ? opendir(folder) : NULL;
	struct dirent *e;

	while (d && (e = readdir(d)))
		unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	rmdir(folder);
}

void fuzz_folder(void)
{
	owner = getpid();
	/* queries of the user's are no part of it */
	unsetenv("HOME");
	unsetenv("XDG_DATA_HOME");
	unsetenv("FABSCOPE_QUERIES");
	if (!mkdtemp(folder) || chdir(folder) || atexit(remove_all) ||
	    !freopen("/dev/null", "w", stdout) ||
	    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO) < 0)
		abort();
}

void fuzz_put(const char *name, const void *data, size_t size)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
}

int fuzz_run(const char *line)
{
	char *copy = strdup(line), *save = NULL;
	char *words[32] = { (char[]) { "fabscope" } };
	int n = 1, status;

	for (char *w = strtok_r(copy, " ", &save); w && n < 31;
	     w = strtok_r(NULL, " ", &save))
		words[n++] = w;
	status = command_main(n, words);
	free(copy);
	return status;
}

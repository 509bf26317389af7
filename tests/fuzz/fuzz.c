/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the targets that run commands share. */
#define _GNU_SOURCE
#include "fuzz.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "store/store_int.h"

static char folder[] = P_tmpdir "/fabscope-fuzz.XXXXXX";
static pid_t owner;

static int remove_one(const char *path, const struct stat *st, int kind,
		      struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

static void remove_all(void)
{
	enum { FOLDERS_OPEN = 8 };

	if (getpid() == owner)
		nftw(folder, remove_one, FOLDERS_OPEN, FTW_DEPTH | FTW_PHYS);
}

void fuzz_folder(void)
{
	owner = getpid();
	/* Half of the time of a run went into what the sanitizer does for each
	 * piece of memory of SQLite, in whose code it sees nothing. */
	store_alone();
	db_heap();
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

void fuzz_put_capture(const char *name)
{
	enum { HEAD = 24, RECORD = 16, CAPLEN = 8, MOST = 12000 };
	static uint8_t all[1 << 16];
	int fd = open(FUZZ_CAPTURE, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, all, sizeof all);
	size_t at = HEAD;
	uint32_t caplen;

	if (n != sizeof all)
		abort();
	close(fd);
	while (at < MOST) {
		memcpy(&caplen, all + at + CAPLEN, sizeof caplen);
		at += RECORD + caplen;
	}
	fuzz_put(name, all, at);
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

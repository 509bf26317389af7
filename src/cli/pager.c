/* SPDX-License-Identifier: GPL-2.0-or-later
 * The pager. */
#include "cli/pager.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/terminal.h"

static volatile pid_t pager;

/* Is there a program |name| to run? */
static bool in_path(const char *name)
{
	const char *path = getenv("PATH");
	char *file;
	bool found = false;

	while (path && *path && !found) {
		int n = (int)strcspn(path, ":");

		if (asprintf(&file, "%.*s/%s", n, path, name) < 0)
			return false;
		found = !access(file, X_OK);
		free(file);
		path += n + (path[n] == ':');
	}
	return found;
}

static const char *wanted(void)
{
	const char *name = getenv("FABSCOPE_PAGER");

	if (!name)
		name = getenv("PAGER");
	if (!name)
		name = in_path("less") ? "less" : "";
	return strcmp(name, "cat") ? name : "";
}

/* Becomes the pager; leaves when what fits is shown, shows colors and clears
 * nothing. */
static void become(const char *name, int from)
{
	dup2(from, STDIN_FILENO);
	close(from);
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	signal(SIGINT, SIG_DFL);
	execl("/bin/sh", "sh", "-c", name, (char *)NULL);
	_exit(127);
}

void pager_start(void)
{
	const char *name = wanted();
	int ends[2];
	pid_t pid;

	if (pager || !*name || !isatty(STDOUT_FILENO) ||
	    access("/bin/sh", X_OK) || pipe(ends))
		return;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		close(ends[1]);
		become(name, ends[0]);
	}
	close(ends[0]);
	if (pid > 0) {
		terminal_paged();
		dup2(ends[1], STDOUT_FILENO);
		pager = pid;
	}
	close(ends[1]);
}

void pager_wait(void)
{
	if (!pager)
		return;
	close(STDOUT_FILENO);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
	pager = 0;
}

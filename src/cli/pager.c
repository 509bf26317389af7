/* SPDX-License-Identifier: GPL-2.0-or-later
 * The pager. */
#include "cli/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/terminal.h"

static pid_t waiting; /* for its text; 0: none */
static int text;
static volatile pid_t pager; /* standard output goes there */

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
static void become(const char *name)
{
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	signal(SIGINT, SIG_DFL);
	execl("/bin/sh", "sh", "-c", name, (char *)NULL);
	_exit(127);
}

/* Until there is something to show, or will never be. */
static void wait_for_text(const char *name)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };

	/* ^C ends a reading, and what was read is shown */
	signal(SIGINT, SIG_IGN);
	while (poll(&in, 1, -1) < 0 && errno == EINTR)
		;
	if (in.revents & POLLIN)
		become(name);
	_exit(0);
}

void pager_prepare(void)
{
	const char *name = wanted();
	int ends[2];
	pid_t pid;

	if (waiting || !*name || !isatty(STDOUT_FILENO) ||
	    access("/bin/sh", X_OK) || pipe2(ends, O_CLOEXEC))
		return;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		dup2(ends[0], STDIN_FILENO);
		close(ends[1]);
		wait_for_text(name);
	}
	close(ends[0]);
	if (pid > 0) {
		waiting = pid;
		text = ends[1];
	} else {
		close(ends[1]);
	}
}

void pager_start(void)
{
	pager_prepare();
	if (!waiting || pager)
		return;
	fflush(stdout);
	terminal_paged();
	dup2(text, STDOUT_FILENO);
	close(text);
	pager = waiting;
}

void pager_wait(void)
{
	if (!pager)
		return;
	close(STDOUT_FILENO);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
	pager = waiting = 0;
}

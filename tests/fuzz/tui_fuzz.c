/* SPDX-License-Identifier: GPL-2.0-or-later
 * libFuzzer target: any bytes as what is typed at the dashboard.
 *
 * It runs in a terminal of its own (a pty); when all was typed the terminal
 * goes away, which ends it.  No key of an input that would write a file is
 * handed on: `w` asks for a name. */
#include "fuzz.h"

#include <fcntl.h>
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tui/tui.h"

enum { AT_ONCE = 64, QUIET_MS = 2 };

struct typing {
	int fd;
	const uint8_t *p;
	size_t n;
};

/* What is drawn is thrown away. */
static void drain(int fd)
{
	char bytes[4096];

	while (read(fd, bytes, sizeof bytes) > 0)
		;
}

static void *type(void *ctx)
{
	struct typing *t = ctx;
	uint8_t key;

	for (size_t i = 0; i < t->n; i++) {
		key = t->p[i] == 'w' ? '.' : t->p[i];
		if (write(t->fd, &key, 1) != 1)
			break;
		if (i % AT_ONCE == 0)
			usleep(QUIET_MS * 1000);
		drain(t->fd);
	}
	usleep(QUIET_MS * 1000);
	drain(t->fd);
	close(t->fd);
	return NULL;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char *capture = realpath(FUZZ_CAPTURE, NULL), line[512];

	(void)argc;
	(void)argv;
	fuzz_folder();
	setenv("TERM", "xterm-256color", 1);
	snprintf(line, sizeof line, "analyze -o a.db %s", capture);
	free(capture);
	if (fuzz_run(line))
		abort();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct tui_options o = { .database = "a.db",
					      .program = "fabscope" };
	struct winsize w = { .ws_row = 24, .ws_col = 80 };
	struct typing t = { .p = data + 1, .n = size - 1 };
	struct err err = { 0 };
	pthread_t thread;
	int terminal;

	if (size < 2)
		return 0;
	w.ws_col = (unsigned short)(20 + data[0]);
	if (openpty(&t.fd, &terminal, NULL, NULL, &w))
		abort();
	fcntl(t.fd, F_SETFL, O_NONBLOCK);
	dup2(terminal, STDIN_FILENO);
	dup2(terminal, STDOUT_FILENO);
	close(terminal);
	if (pthread_create(&thread, NULL, type, &t))
		abort();
	tui_run(&o, &err);
	pthread_join(thread, NULL);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Signals that end the program. */
#include "cli/signals.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/outfile.h"
#include "cli/pager.h"

static bool on_terminal;

/* Below the progress, if there is any. */
static void say_removed(void)
{
	static const char text[] = "\r\033[Kfabscope: interrupted: the "
				   "unfinished result was removed\n";

	if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
		return;
}

/* The program still dies of the signal, so that a shell loop that runs it ends
 * with it. */
static void on_end(int number)
{
	if (number == SIGINT && interrupt_take())
		return;
	if (outfile_abandon() && number == SIGINT && on_terminal)
		say_removed();
	pager_wait();
	signal(number, SIG_DFL);
	raise(number);
}

/* What was to be ignored from the start, by nohup or &, still is. */
static bool is_ignored(int number)
{
	struct sigaction old;

	return !sigaction(number, NULL, &old) && old.sa_handler == SIG_IGN;
}

static void end_on(int number)
{
	const struct sigaction action = { .sa_handler = on_end,
					  .sa_flags = SA_RESTART };

	sigaction(number, &action, NULL);
}

void signals_catch(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT,
				       SIGXCPU };
	size_t i;

	on_terminal = isatty(STDERR_FILENO);
	for (i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		if (!is_ignored(numbers[i]))
			end_on(numbers[i]);
	/* a reader that has seen enough is no error, whatever we inherited */
	signal(SIGPIPE, SIG_DFL);
	/* what a child of ours ended with is never lost, for the same reason */
	signal(SIGCHLD, SIG_DFL);
	/* a file that may not grow is reported as an error */
	signal(SIGXFSZ, SIG_IGN);
}

void signals_spare_one(void)
{
	const struct sigaction once = { .sa_handler = end_on };

	if (!is_ignored(SIGINT))
		sigaction(SIGINT, &once, NULL);
}

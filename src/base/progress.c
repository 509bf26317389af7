/* SPDX-License-Identifier: GPL-2.0-or-later
 * The progress line. */
#include "base/progress.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "base/terminal.h"
#include "base/units.h"

#define ERASE "\r\033[K"

enum { NS_PER_S = 1000000000, REDRAW_NS = NS_PER_S / 10, LINE = 240 };

static struct {
	FILE *out; /* NULL: nobody looks */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t end;
	bool ended;
	bool drawn;
} show = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct {
	_Atomic(const char *) name;
	atomic_int_fast64_t since_ns, done_ns; /* begin; last step, or bytes */
	atomic_uint_fast64_t all_bytes, all_steps;
	atomic_uint_fast64_t bytes, steps, rows, packets;
} phase;

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

/* ---- the work ---- */

void progress_phase(const char *name, uint64_t bytes, uint64_t steps)
{
	phase.since_ns = phase.done_ns = now();
	phase.bytes = phase.steps = phase.rows = phase.packets = 0;
	phase.all_bytes = bytes;
	phase.all_steps = steps;
	phase.name = name;
}

void progress_bytes(uint64_t more)
{
	atomic_fetch_add_explicit(&phase.bytes, more, memory_order_relaxed);
	phase.done_ns = now();
}

void progress_step(void)
{
	atomic_fetch_add_explicit(&phase.steps, 1, memory_order_relaxed);
	phase.done_ns = now();
}

void progress_row(void)
{
	atomic_fetch_add_explicit(&phase.rows, 1, memory_order_relaxed);
}

void progress_packets(uint64_t packets)
{
	atomic_store_explicit(&phase.packets, packets, memory_order_relaxed);
}

/* ---- the line ---- */

/* What is |done| of |all|; never all of it as long as it goes on. */
static double share(uint64_t done, uint64_t all)
{
	double s = all ? (double)done / (double)all : 0;

	return s > 0.99 ? 0.99 : s;
}

static double part(void)
{
	return phase.all_bytes ? share(phase.bytes, phase.all_bytes)
			       : share(phase.steps, phase.all_steps);
}

int progress_percent(void)
{
	return (int)(100 * part());
}

static int say_time(char *to, size_t room, double seconds, const char *what)
{
	if (seconds < 60)
		return snprintf(to, room, ", %.0f s%s", seconds, what);
	return snprintf(to, room, ", %.0f min %02d s%s",
			(seconds - (double)((int)seconds % 60)) / 60,
			(int)seconds % 60, what);
}

static int say_bytes(char *to, size_t room, double seconds)
{
	char a[UNITS_TEXT], b[UNITS_TEXT], c[UNITS_TEXT], d[UNITS_TEXT];
	const double bytes = (double)phase.bytes;

	return snprintf(
		to, room, ", %s%s%s, %s packets, %s/s", units_bytes(bytes, a),
		phase.all_bytes ? " of " : "",
		phase.all_bytes ? units_bytes((double)phase.all_bytes, b) : "",
		units_count(phase.packets, c), units_bytes(bytes / seconds, d));
}

/* What is done after the last step that was counted belongs to it. */
static int say_steps(char *to, size_t room)
{
	const uint64_t shown =
		phase.steps < phase.all_steps ? phase.steps : phase.all_steps;
	char a[UNITS_TEXT], b[UNITS_TEXT];

	return snprintf(to, room, ", step %s of %s", units_count(shown, a),
			units_count(phase.all_steps, b));
}

static int say_rows(char *to, size_t room, double seconds)
{
	char a[UNITS_TEXT], b[UNITS_TEXT];
	const uint64_t rows = phase.rows;

	return snprintf(to, room, ", %s rows, %s rows/s", units_count(rows, a),
			units_count((uint64_t)((double)rows / seconds), b));
}

/* By the time that what is done took.  It counts down while nothing more is
 * done: one step may take longer than all before it, and then it is not known.
 */
static bool time_left(double *seconds)
{
	const double took = (double)(phase.done_ns - phase.since_ns);

	if (!(part() > 0))
		return false;
	*seconds =
		(took / part() - (double)(now() - phase.since_ns)) / NS_PER_S;
	return *seconds >= 0.5;
}

/* A line that wraps would not be overwritten by the next one. */
static void cut(char *line, size_t n, int columns)
{
	const size_t room = strlen(ERASE) + (size_t)columns;

	if (columns > 0 && n >= room)
		line[room - 1] = '\0';
}

/* "reading 45 %, 1.20 GB of 2.67 GB, 12,345,678 packets, 410 MB/s, 4 s left";
 * "findings 40 %, step 38 of 95, 2 s left", "5 s so far" where it takes longer;
 * "writing tables 40 %, step 38 of 95, 81,112 rows, 41,200 rows/s, 2 s left" */
static void draw(void)
{
	double seconds = (double)(now() - phase.since_ns) / NS_PER_S;
	double left;
	char line[LINE];
	int n = snprintf(line, sizeof line, ERASE "%s", phase.name);

	if (phase.all_bytes || phase.all_steps)
		n += snprintf(line + n, sizeof line - (size_t)n, " %d %%",
			      progress_percent());
	if (phase.packets)
		n += say_bytes(line + n, sizeof line - (size_t)n, seconds);
	else if (phase.all_steps)
		n += say_steps(line + n, sizeof line - (size_t)n);
	if (phase.rows)
		n += say_rows(line + n, sizeof line - (size_t)n, seconds);
	if (time_left(&left))
		n += say_time(line + n, sizeof line - (size_t)n, left, " left");
	else
		n += say_time(line + n, sizeof line - (size_t)n, seconds,
			      " so far");
	cut(line, (size_t)n, terminal_width(show.out));
	fputs(line, show.out);
	fflush(show.out);
	show.drawn = true;
}

static void *watch(void *unused)
{
	int64_t next = now() + NS_PER_S / 2; /* short work needs no progress */

	pthread_mutex_lock(&show.lock);
	while (!show.ended) {
		const struct timespec until = { next / NS_PER_S,
						next % NS_PER_S };

		pthread_cond_timedwait(&show.end, &show.lock, &until);
		if (!show.ended && now() >= next) {
			draw();
			next = now() + REDRAW_NS;
		}
	}
	pthread_mutex_unlock(&show.lock);
	return unused;
}

/* Signals are for the thread that does the work. */
static bool start(void)
{
	pthread_condattr_t monotonic;
	sigset_t all, before;
	bool started;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&show.end, &monotonic);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	started = !pthread_create(&show.thread, NULL, watch, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}

void progress_begin(FILE *out)
{
	progress_phase("starting", 0, 0);
	if (!out)
		return;
	show.out = out;
	show.ended = show.drawn = false;
	if (!start())
		show.out = NULL;
}

void progress_end(void)
{
	if (!show.out)
		return;
	pthread_mutex_lock(&show.lock);
	show.ended = true;
	pthread_cond_signal(&show.end);
	pthread_mutex_unlock(&show.lock);
	pthread_join(show.thread, NULL);
	if (show.drawn) {
		fputs(ERASE, show.out);
		fflush(show.out);
	}
	show.out = NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * How many packets a second `fabscope simulate` simulates, of each scenario:
 * reading it, the whole run, capture and truth written.  Processor time of this
 * process (starting it is not in there), of several rounds the best; the
 * slowest scenario comes last, behind it all of them.  Run by hand:
 *
 *	simulated FOLDER SCENARIO...
 *
 * writes into FOLDER, best one in memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "simulate/simulate.h"

static const double enough_s = 0.3; /* of rounds */
enum { LEAST_ROUNDS = 3 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct figure {
	const char *scenario;
	uint64_t packets, captured, events;
	double seconds;
};

static double rate(const struct figure *f)
{
	return (double)f->packets / f->seconds;
}

/* What the round before wrote goes first: to free it is not to simulate. */
static double one_round(const struct simulate_job *job, struct figure *f)
{
	struct simulate_result r;
	struct err err = { 0 };
	double begin;

	unlink(job->out);
	unlink(job->truth);
	begin = now();
	if (simulate_run(job, &r, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		exit(EXIT_FAILURE);
	}
	f->packets = r.packets;
	f->captured = r.captured;
	f->events = r.events;
	return now() - begin;
}

static void measure(const struct simulate_job *job, struct figure *f)
{
	double all = 0;

	f->scenario = job->scenario;
	f->seconds = 1e9;
	for (int i = 0; i < LEAST_ROUNDS || all < enough_s; i++) {
		double took = one_round(job, f);

		all += took;
		if (took < f->seconds)
			f->seconds = took;
	}
}

static void add(struct figure *all, const struct figure *f)
{
	all->packets += f->packets;
	all->captured += f->captured;
	all->events += f->events;
	all->seconds += f->seconds;
}

static int slower_last(const void *a, const void *b)
{
	double x = rate(a), y = rate(b);

	return (x < y) - (x > y);
}

static void show(const struct figure *f)
{
	const char *slash = strrchr(f->scenario, '/');

	printf("%-28s %8llu packets %8llu captured %9llu events %9.2f ms "
	       "%9.0f packets/s\n",
	       slash ? slash + 1 : f->scenario, (unsigned long long)f->packets,
	       (unsigned long long)f->captured, (unsigned long long)f->events,
	       f->seconds * 1e3, rate(f));
}

int main(int argc, char **argv)
{
	struct simulate_job job = { .seed = 1 };
	struct figure *figures, all = { .scenario = "all" };
	size_t n = argc > 2 ? (size_t)argc - 2 : 0;
	char out[4096], truth[4096];

	if (!n) {
		fputs("usage: simulated FOLDER SCENARIO...\n", stderr);
		return 2;
	}
	figures = calloc(n, sizeof *figures);
	if (!figures)
		return EXIT_FAILURE;
	snprintf(out, sizeof out, "%s/simulated.pcapng", argv[1]);
	snprintf(truth, sizeof truth, "%s/simulated.truth.json", argv[1]);
	job.out = out;
	job.truth = truth;
	for (size_t i = 0; i < n; i++) {
		job.scenario = argv[2 + i];
		measure(&job, &figures[i]);
		add(&all, &figures[i]);
	}
	unlink(out);
	unlink(truth);
	qsort(figures, n, sizeof *figures, slower_last);
	for (size_t i = 0; i < n; i++)
		show(&figures[i]);
	show(&all);
	free(figures);
	return EXIT_SUCCESS;
}

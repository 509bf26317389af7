/* SPDX-License-Identifier: GPL-2.0-or-later
 * The subcommand: options, one run, the listing. */
#include "simulate/simulate.h"

#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "simulate/line.h"
#include "simulate/mem.h"
#include "simulate/port.h"
#include "simulate/record.h"
#include "simulate/scenario.h"
#include "simulate/tap.h"
#include "simulate/truth.h"
#include "simulate/work.h"
#include "simulate/world.h"

enum { EXIT_CANNOT = 1, EXIT_USAGE = 2 };

static const char usage[] =
	"usage: fabscope simulate SCENARIO -w OUT.pcapng [--seed N]\n"
	"                [--truth FILE] [--each-tap] [--records] [--quiet]\n"
	"       fabscope simulate --list [FOLDER]\n"
	"       fabscope simulate --bench PACKETS -w FILE [--pairs N]\n"
	"                [--per-host N] [--snaplen N] [--loss P] [--pcapng]\n"
	"                [--seed N]\n";

/* --- one run -------------------------------------------------------------- */

/* "out.pcapng" is "out" and |end|. */
static char *beside(const char *out, const char *end)
{
	const char *slash = strrchr(out, '/');
	const char *dot = strrchr(out, '.');
	size_t n = strlen(out) + strlen(end) + 1;
	char *name = mem_new(n);

	if (!dot || (slash && dot < slash))
		dot = out + strlen(out);
	snprintf(name, n, "%.*s%s", (int)(dot - out), out, end);
	return name;
}

static char *truth_name(const struct simulate_job *job)
{
	return job->truth ? mem_text(job->truth)
			  : beside(job->out, ".truth.json");
}

static int write_records(struct sim *s, const struct simulate_job *job,
			 struct err *err)
{
	char *stem = beside(job->out, "");
	int rc = job->records ? records_write(s, stem, err) : 0;

	free(stem);
	return rc;
}

static int write_truth(struct sim *s, const struct simulate_job *job,
		       struct err *err)
{
	char *name = truth_name(job);
	const char *temp = products_add(&s->products, name, err);
	FILE *f = temp ? fopen(temp, "we") : NULL;
	int rc = f ? truth_write(s, job->scenario, f) : -1;

	if (f && fclose(f))
		rc = -1;
	if (rc && temp)
		err_errno(err, "%s", temp);
	free(name); /* which |temp| may be */
	return rc;
}

/* Standard output has no name that others could be made of. */
static int check_names(const struct simulate_job *job, struct err *err)
{
	if (strcmp(job->out, "-") != 0)
		return 0;
	if (job->each || job->records)
		return err_set(err, ERR_USAGE,
			       "more files than one need the name of a file");
	return 0;
}

static void finish(struct sim *s)
{
	for (size_t i = 0; i < s->n_ports; i++)
		port_finish(s, s->ports[i]);
}

static int run(struct sim *s, const struct simulate_job *job, struct err *err)
{
	char comment[512];
	const char *slash = strrchr(job->scenario, '/');

	if (check_names(job, err) || scenario_read(s, job->scenario, err))
		return -1;
	snprintf(comment, sizeof comment,
		 "fabscope simulate, scenario %s, seed %llu",
		 slash ? slash + 1 : job->scenario,
		 (unsigned long long)job->seed);
	world_route(s);
	if (taps_open(s, job->out, job->each, comment, err)) {
		taps_close(s, NULL);
		return -1;
	}
	work_start(s);
	sim_run(s);
	finish(s);
	if (taps_close(s, s->failed ? NULL : err) || s->failed)
		return -1;
	if (write_records(s, job, err))
		return -1;
	return !job->truth && !strcmp(job->out, "-") ? 0
						     : write_truth(s, job, err);
}

int simulate_run(const struct simulate_job *job, struct simulate_result *r,
		 struct err *err)
{
	struct sim s;
	int rc;

	sim_init(&s, job->seed, err);
	rc = products_finish(&s.products, run(&s, job, err), err);
	*r = (struct simulate_result) {
		.packets = s.pool.ids,
		.events = s.handled,
		.seconds = (double)s.now / (double)PS_PER_S,
	};
	for (size_t i = 0; i < s.n_taps; i++)
		r->captured += s.taps[i]->captured + s.taps[i]->doubled;
	if (!rc)
		r->unbalanced = truth_check(&s, stderr);
	sim_fini(&s);
	return rc;
}

/* --- the listing ---------------------------------------------------------- */

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_scenario(const struct dirent *d)
{
	const char *dot = strrchr(d->d_name, '.');

	return dot && !strcmp(dot, ".fab");
}

static int list(const char *folder)
{
	struct dirent **found;
	int n = scandir(folder, &found, is_scenario, by_name);

	if (n < 0) {
		fprintf(stderr, "fabscope simulate: %s: %s\n", folder,
			strerror(errno));
		return EXIT_CANNOT;
	}
	for (int i = 0; i < n; i++) {
		char path[1024], title[160] = "";

		snprintf(path, sizeof path, "%s/%s", folder, found[i]->d_name);
		scenario_title(path, title);
		printf("%-28s %s\n", found[i]->d_name, title);
		free(found[i]);
	}
	free(found);
	return 0;
}

/* --- the command line ----------------------------------------------------- */

enum option_id {
	OPT_SEED = 256,
	OPT_TRUTH,
	OPT_EACH,
	OPT_RECORDS,
	OPT_LIST,
	OPT_QUIET,
	OPT_BENCH,
	OPT_PAIRS,
	OPT_PER_HOST,
	OPT_SNAPLEN,
	OPT_LOSS,
	OPT_PCAPNG,
};

static const struct option options[] = {
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "truth", required_argument, NULL, OPT_TRUTH },
	{ "each-tap", no_argument, NULL, OPT_EACH },
	{ "records", no_argument, NULL, OPT_RECORDS },
	{ "list", no_argument, NULL, OPT_LIST },
	{ "quiet", no_argument, NULL, OPT_QUIET },
	{ "bench", required_argument, NULL, OPT_BENCH },
	{ "pairs", required_argument, NULL, OPT_PAIRS },
	{ "per-host", required_argument, NULL, OPT_PER_HOST },
	{ "snaplen", required_argument, NULL, OPT_SNAPLEN },
	{ "loss", required_argument, NULL, OPT_LOSS },
	{ "pcapng", no_argument, NULL, OPT_PCAPNG },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

struct request {
	struct simulate_job job;
	struct bench_job bench;
	bool list, help;
};

static bool small_number(const char *text, uint32_t *n)
{
	uint64_t v;

	if (!parse_count(text, &v) || v > UINT32_MAX)
		return false;
	*n = (uint32_t)v;
	return true;
}

static bool take_option(struct request *r, int option, const char *v)
{
	char *end;

	switch (option) {
	case 'w':
		r->job.out = r->bench.out = v;
		return true;
	case 'h':
		return r->help = true;
	case OPT_SEED:
		return parse_count(v, &r->job.seed);
	case OPT_TRUTH:
		r->job.truth = v;
		return true;
	case OPT_EACH:
		return r->job.each = true;
	case OPT_RECORDS:
		return r->job.records = true;
	case OPT_LIST:
		return r->list = true;
	case OPT_QUIET:
		return r->job.quiet = true;
	case OPT_BENCH:
		return parse_count(v, &r->bench.packets) && r->bench.packets;
	case OPT_PAIRS:
		return small_number(v, &r->bench.pairs) && r->bench.pairs;
	case OPT_PER_HOST:
		return small_number(v, &r->bench.per_host) && r->bench.per_host;
	case OPT_SNAPLEN:
		return small_number(v, &r->bench.snaplen);
	case OPT_LOSS:
		r->bench.loss = strtod(v, &end);
		return !*end && r->bench.loss >= 0 && r->bench.loss < 0.5;
	case OPT_PCAPNG:
		return r->bench.pcapng = true;
	default:
		return false;
	}
}

static double clock_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int one_run(const struct simulate_job *job)
{
	struct simulate_result r;
	struct err err = { 0 };
	double start = clock_s(), took;

	if (simulate_run(job, &r, &err)) {
		fprintf(stderr, "fabscope simulate: %s\n", err.text);
		return EXIT_CANNOT;
	}
	took = clock_s() - start;
	if (!job->quiet)
		fprintf(stderr,
			"%s: %llu packets sent, %llu captured, %.3f ms "
			"simulated in %.2f s (%.0f packets/s)\n",
			job->scenario, (unsigned long long)r.packets,
			(unsigned long long)r.captured, r.seconds * 1e3, took,
			(double)r.packets / took);
	return r.unbalanced ? EXIT_CANNOT : 0;
}

static int one_bench(const struct bench_job *job)
{
	struct err err = { 0 };

	if (!bench_run(job, &err))
		return 0;
	fprintf(stderr, "fabscope simulate: %s\n", err.text);
	return EXIT_CANNOT;
}

int simulate_main(int argc, char **argv)
{
	struct request r = {
		.job = { .seed = 1 },
		.bench = { .pairs = 64, .per_host = 4, .snaplen = 128 },
	};
	int c;

	optind = 0; /* glibc: begin afresh */
	while ((c = getopt_long(argc, argv, "w:h", options, NULL)) != -1)
		if (!take_option(&r, c, optarg)) {
			if (c != '?')
				fprintf(stderr,
					"fabscope simulate: %s is no good "
					"here\n",
					optarg);
			fputs(usage, stderr);
			return EXIT_USAGE;
		}
	r.bench.seed = r.job.seed;
	if (r.help) {
		fputs(usage, stdout);
		return 0;
	}
	if (r.list)
		return list(optind < argc ? argv[optind]
					  : "captures/scenarios");
	if (r.bench.packets && r.bench.out && optind == argc)
		return one_bench(&r.bench);
	if (!r.job.out || optind + 1 != argc || r.bench.packets) {
		fputs(usage, stderr);
		return EXIT_USAGE;
	}
	r.job.scenario = argv[optind];
	return one_run(&r.job);
}

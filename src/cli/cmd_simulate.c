/* SPDX-License-Identifier: GPL-2.0-or-later
 * fabscope simulate: captures that come with the truth. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/guess.h"
#include "base/units.h"
#include "cli/args.h"
#include "cli/command.h"
#include "cli/say.h"
#include "simulate/line.h"
#include "simulate/scenario.h"
#include "simulate/shipped.h"
#include "simulate/simulate.h"

static void list(void)
{
	for (const struct builtin *b = shipped_scenarios; b->name; b++) {
		int length = (int)strcspn(b->name, ".");
		char title[160] = "", name[64];

		snprintf(name, sizeof name, "%.*s", length, b->name);
		scenario_title(name, title);
		printf("%-28s %s\n", name, title);
	}
}

/* ---- numbers -------------------------------------------------------- */

/* The value of --|name|; |*out| stays when it is not given. */
static int number(const struct args *a, const char *name, uint64_t most,
		  uint64_t *out, struct err *err)
{
	const char *text = args_value(a, name);

	if (!text || (parse_count(text, out) && *out <= most))
		return 0;
	return err_set(err, ERR_USAGE,
		       "--%s: \"%s\" is not a number from 0 to %" PRIu64, name,
		       text, most);
}

static int small_number(const struct args *a, const char *name, uint32_t *out,
			struct err *err)
{
	uint64_t v = *out;
	int rc = number(a, name, UINT32_MAX, &v, err);

	if (!rc && !v)
		rc = err_set(err, ERR_USAGE, "--%s cannot be 0", name);
	*out = (uint32_t)v;
	return rc;
}

static int share(const struct args *a, const char *name, double *out,
		 struct err *err)
{
	const char *text = args_value(a, name);
	char *end;

	if (!text)
		return 0;
	*out = strtod(text, &end);
	if (end != text && !*end && *out >= 0 && *out < 0.5)
		return 0;
	return err_set(err, ERR_USAGE, "--%s: \"%s\" is not from 0 to 0.5",
		       name, text);
}

static bool is_known(const char *scenario)
{
	FILE *f = scenario_open(scenario);

	if (f)
		fclose(f);
	return f || errno != ENOENT;
}

static int no_scenario(const char *name, struct err *err)
{
	struct guess g = guess_begin(name, strlen(name));
	char known[GUESS_LONGEST];

	for (const struct builtin *b = shipped_scenarios; b->name; b++) {
		snprintf(known, sizeof known, "%.*s",
			 (int)strcspn(b->name, "."), b->name);
		guess_offer(&g, known);
	}
	return guess_error(&g, "scenario or file", "; --list shows all", err);
}

/* ---- the two ways to run -------------------------------------------- */

static int bench(const struct args *a, struct err *err)
{
	struct bench_job job = { .out = args_value(a, "write"),
				 .pairs = 64,
				 .per_host = 4,
				 .snaplen = 128,
				 .taps = 1,
				 .seed = 1,
				 .pcapng = args_has(a, "pcapng"),
				 .uet = args_has(a, "uet") };

	if (a->n_operands)
		return err_set(err, ERR_USAGE, "--bench takes no scenario");
	if (number(a, "bench", UINT64_MAX, &job.packets, err) < 0 ||
	    number(a, "seed", UINT64_MAX, &job.seed, err) < 0 ||
	    small_number(a, "pairs", &job.pairs, err) < 0 ||
	    small_number(a, "per-host", &job.per_host, err) < 0 ||
	    small_number(a, "snaplen", &job.snaplen, err) < 0 ||
	    small_number(a, "taps", &job.taps, err) < 0 ||
	    (args_has(a, "message") &&
	     small_number(a, "message", &job.message, err) < 0) ||
	    share(a, "loss", &job.loss, err) < 0 ||
	    share(a, "mark", &job.mark, err) < 0 ||
	    share(a, "reorder", &job.reorder, err) < 0 ||
	    share(a, "pause", &job.pause, err) < 0)
		return -1;
	return bench_run(&job, err);
}

enum { LIES_MOST = 64 };

static int read_lies(const struct args *a, const char *lies[static LIES_MOST],
		     size_t *n, struct err *err)
{
	const char *lie;
	size_t at = 0;

	if (args_has(a, "lie") && !args_has(a, "evidence"))
		return err_set(err, ERR_USAGE, "--lie needs --evidence FOLDER");
	for (*n = 0; (lie = args_next(a, "lie", &at)); lies[(*n)++] = lie)
		if (*n == LIES_MOST)
			return err_set(err, ERR_USAGE,
				       "--lie: more than %d of them",
				       LIES_MOST);
	return 0;
}

static int scenario(const struct args *a, struct err *err)
{
	struct simulate_job job = { .out = args_value(a, "write"),
				    .truth = args_value(a, "truth"),
				    .seed = 1,
				    .each = args_has(a, "each-tap"),
				    .records = args_has(a, "records"),
				    .evidence = args_value(a, "evidence") };
	const char *lies[LIES_MOST];
	char sent[UNITS_PLURAL], captured[UNITS_TEXT], time[UNITS_TEXT];
	struct simulate_result r;

	if (number(a, "seed", UINT64_MAX, &job.seed, err) < 0)
		return -1;
	if (read_lies(a, lies, &job.n_lies, err))
		return -1;
	job.lies = lies;
	job.scenario = a->operands[0];
	if (simulate_run(&job, &r, err) < 0)
		return -1;
	if (r.unbalanced)
		return err_set(err, ERR_INTERNAL,
			       "%s: packets are not accounted for", job.out);
	if (strcmp(job.out, "-") != 0)
		printf("%s sent, %s captured, %s of simulated time\n",
		       units_plural((int64_t)r.packets, "packet", sent),
		       units_count(r.captured, captured),
		       units_ns((int64_t)(r.seconds * 1e9), time));
	return 0;
}

static int simulate(const struct args *a, struct err *err)
{
	if (args_has(a, "list")) {
		list();
		return 0;
	}
	if (!args_has(a, "bench") && !a->n_operands)
		return err_set(err, ERR_USAGE,
			       "needs SCENARIO; --list shows all");
	if (!args_has(a, "bench") && !is_known(a->operands[0]))
		return no_scenario(a->operands[0], err);
	if (!args_has(a, "write"))
		return err_set(err, ERR_USAGE, "needs -w FILE");
	return args_has(a, "bench") ? bench(a, err) : scenario(a, err);
}

static int simulate_command(const struct args *a)
{
	struct err err = { 0 };

	if (simulate(a, &err) < 0)
		return say_error(&cmd_simulate, &err);
	return EXIT_FULL;
}

static const struct option options[] = {
	{ .name = "write",
	  .letter = 'w',
	  .value = "FILE",
	  .complete = COMPLETE_FILE,
	  .help = "The pcapng file to write" },
	{ .name = "force",
	  .letter = 'f',
	  .help = "Replace files, also those that simulate did not write" },
	{ .name = "seed",
	  .value = "N",
	  .help = "Seed of the random numbers (default 1)" },
	{ .name = "truth",
	  .value = "FILE",
	  .complete = COMPLETE_FILE,
	  .help = "JSON file for what really happened (default "
		  "FILE.truth.json)" },
	{ .name = "each-tap", .help = "One file per tap" },
	{ .name = "records",
	  .help = "Also write the logs that the jobs would have written" },
	{ .name = "evidence",
	  .value = "FOLDER",
	  .complete = COMPLETE_FILE,
	  .help = "Also write counters, logs and configuration of hosts and "
		  "switches, for analyze --evidence" },
	{ .name = "lie",
	  .value = "KIND=WHO",
	  .repeated = true,
	  .help = "With --evidence: what is false in it, stuck=NODE, "
		  "swap=PORT,PORT, clock=TIME, storms=SWITCH, "
		  "drops=SWITCH" },
	{ .name = "list", .letter = 'l', .help = "Show the shipped scenarios" },
	{ .name = "bench",
	  .value = "PACKETS",
	  .help = "No scenario: a header-only capture of that many packets" },
	{ .name = "pairs",
	  .value = "N",
	  .help = "With --bench: queue pairs (default 64)" },
	{ .name = "per-host",
	  .value = "N",
	  .help = "With --bench: queue pairs between two hosts (default 4)" },
	{ .name = "snaplen",
	  .value = "N",
	  .help = "With --bench: snaplen (bytes) (default 128)" },
	{ .name = "message",
	  .value = "PACKETS",
	  .help = "With --bench: packets of every message (default: WRITEs, "
		  "SENDs and READs of 1 to 512)" },
	{ .name = "loss",
	  .value = "SHARE",
	  .help = "With --bench: share of data packets lost (default 0)" },
	{ .name = "mark",
	  .value = "SHARE",
	  .help = "With --bench: share of data packets CE-marked, each "
		  "followed by a CNP (default 0)" },
	{ .name = "reorder",
	  .value = "SHARE",
	  .help = "With --bench: share of data packets that swap with the next "
		  "(default 0)" },
	{ .name = "pause",
	  .value = "SHARE",
	  .help = "With --bench: share of data packets followed by a PFC pause "
		  "from the receiver (default 0)" },
	{ .name = "taps",
	  .value = "N",
	  .help = "With --bench --pcapng: number of capture points, each at "
		  "the links of some hosts (default 1)" },
	{ .name = "uet",
	  .help = "With --bench: Ultra Ethernet, with PDCs instead of queue "
		  "pairs" },
	{ .name = "pcapng", .help = "With --bench: pcapng, not pcap" },
	{ .name = NULL },
};

const struct command cmd_simulate = {
	.name = "simulate",
	.operands = "[SCENARIO]",
	.help = "Write the capture of a simulated fabric, and what really "
		"happened",
	.manual = true,
	.max_operands = 1,
	.complete = COMPLETE_SCENARIO,
	.options = options,
	.run = simulate_command,
};

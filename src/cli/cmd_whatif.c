/* SPDX-License-Identifier: GPL-2.0-or-later
 * fabscope whatif: what would have been with other settings. */
#include <stdio.h>
#include <stdlib.h>

#include "base/progress.h"
#include "cli/args.h"
#include "cli/command.h"
#include "cli/pager.h"
#include "cli/result.h"
#include "cli/say.h"
#include "store/store.h"
#include "whatif/whatif.h"

enum { SEEDS = 24, SEEDS_MOST = 64 };

static int settings(const struct args *a, const char *option,
		    struct whatif_settings *t, struct err *err)
{
	const char *text;
	size_t at = 0;

	while ((text = args_next(a, option, &at)))
		if (whatif_set(t, text, err))
			return -1;
	return 0;
}

static bool is_trial(const struct args *a)
{
	return args_has(a, "thresholds") || args_has(a, "flowlets");
}

static int options_of(const struct args *a, struct whatif_options *o,
		      struct err *err)
{
	const char *runs = args_value(a, "runs");
	char *end = NULL;

	o->scenario = args_value(a, "write");
	o->seeds = SEEDS;
	if (runs) {
		long n = strtol(runs, &end, 10);

		if (n < 1 || n > SEEDS_MOST || *end)
			return err_set(err, ERR_USAGE,
				       "--runs: %s is not from 1 to %d", runs,
				       SEEDS_MOST);
		o->seeds = (unsigned)n;
	}
	if (settings(a, "now", &o->now, err) ||
	    settings(a, "set", &o->set, err))
		return -1;
	if (args_has(a, "thresholds") && args_has(a, "flowlets"))
		return err_set(err, ERR_USAGE,
			       "--thresholds cannot be combined with "
			       "--flowlets");
	if (is_trial(a) && (o->set.n || o->scenario))
		return err_set(err, ERR_USAGE,
			       "--thresholds and --flowlets cannot be combined "
			       "with --set or --write");
	if (!o->set.n && !is_trial(a))
		return err_set(err, ERR_USAGE,
			       "needs --set, such as --set wred.kmin=400K, or "
			       "--thresholds, or --flowlets");
	return 0;
}

static int ask_trials(const struct args *a, struct store *s,
		      const struct whatif_options *o, struct whatif_trials *x,
		      struct err *err)
{
	return args_has(a, "flowlets") ? whatif_flowlets(s, o, x, err)
				       : whatif_thresholds(s, o, x, err);
}

static int print_trials(const struct args *a, const struct whatif_trials *x,
			struct err *err)
{
	bool json = args_has(a, "json");

	if (args_has(a, "flowlets")) {
		if (json)
			return whatif_json_flowlets(x, stdout, err);
		whatif_print_flowlets(x, stdout);
		return 0;
	}
	if (json)
		return whatif_json_thresholds(x, stdout, err);
	whatif_print_thresholds(x, stdout);
	return 0;
}

/* |x|: NULL without trials. */
static int print(const struct args *a, const struct whatif_trials *x,
		 const struct whatif_answer *answer, struct err *err)
{
	bool json = args_has(a, "json");

	progress_end();
	pager_start();
	if (x ? print_trials(a, x, err)
	      : json && whatif_json(answer, stdout, err))
		return -1;
	if (!x && !json)
		whatif_print(answer, stdout);
	return answer->n_refused ? EXIT_PART : EXIT_FULL;
}

static int show(const struct args *a, struct err *err)
{
	struct whatif_options o = { 0 };
	struct whatif_answer answer = { 0 };
	struct whatif_trials x = { 0 };
	bool trials = is_trial(a);
	struct store *s;
	int rc = -1;

	if (options_of(a, &o, err))
		return -1;
	s = result_open(a, a->operands[0], err);
	if (s && trials && !ask_trials(a, s, &o, &x, err))
		rc = print(a, &x, &x.of[0].answer, err);
	else if (s && !trials && !whatif_ask(s, &o, &answer, err))
		rc = print(a, NULL, &answer, err);
	whatif_trials_fini(&x);
	whatif_fini(&answer);
	store_free(s);
	return rc;
}

static int whatif_run(const struct args *a)
{
	struct err err = { 0 };
	int rc;

	progress_begin(say_progress());
	rc = show(a, &err);
	progress_end();
	return rc < 0 ? say_error(&cmd_whatif, &err) : rc;
}

static const struct option options[] = {
	{ .name = "set",
	  .value = "NAME=VALUE,...",
	  .complete = COMPLETE_SETTING,
	  .repeated = true,
	  .help = "Settings to change: wred.kmin=400K,kmax=1600K, "
		  "pfc.xoff=2M, lb=flowlet, dcqcn.additive=80M, ..." },
	{ .name = "now",
	  .value = "NAME=VALUE,...",
	  .complete = COMPLETE_SETTING,
	  .repeated = true,
	  .help = "Settings of today that --evidence did not give" },
	{ .name = "thresholds",
	  .help = "Try ECN thresholds from a quarter to four times those of "
		  "today, and suggest some" },
	{ .name = "flowlets",
	  .help = "Try flowlet timers around the longest wait of a packet, "
		  "and suggest one" },
	{ .name = "runs",
	  .value = "N",
	  .help = "Number of runs, each with other ECMP hashes (default 24)" },
	{ .name = "write",
	  .letter = 'w',
	  .value = "FILE",
	  .complete = COMPLETE_FILE,
	  .help = "Also write what was simulated as a scenario" },
	{ .name = "force",
	  .letter = 'f',
	  .help = "Replace the file if there is one" },
	{ .name = "json", .help = "Print a JSON document" },
	RESULT_OPTIONS,
	{ .name = NULL },
};

const struct command cmd_whatif = {
	.name = "whatif",
	.operands = "DB",
	.help = "Predict queues, marks, pauses and job time under other "
		"settings",
	.manual = true,
	.confine = CONFINE_NAMED,
	.min_operands = 1,
	.max_operands = 1,
	.complete = COMPLETE_DATABASE,
	.options = options,
	.run = whatif_run,
};

/* SPDX-License-Identifier: GPL-2.0-or-later
 * A simulator that nothing else of fabscope is linked to: what it writes owes
 * nothing to the code that it is to test.
 *
 *	simulate_alone SCENARIO -w OUT.pcapng [--seed N] [--truth FILE]
 *		[--each-tap] [--records] */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "simulate/simulate.h"

static const struct option options[] = {
	{ "seed", required_argument, NULL, 's' },
	{ "truth", required_argument, NULL, 't' },
	{ "each-tap", no_argument, NULL, 'e' },
	{ "records", no_argument, NULL, 'r' },
	{ NULL, 0, NULL, 0 },
};

static int wrong(void)
{
	fputs("usage: simulate_alone SCENARIO -w OUT.pcapng [--seed N] "
	      "[--truth FILE]\n       [--each-tap] [--records]\n",
	      stderr);
	return 2;
}

int main(int argc, char **argv)
{
	struct simulate_job job = { .seed = 1 };
	struct simulate_result r;
	struct err err = { 0 };
	int c;

	while ((c = getopt_long(argc, argv, "w:", options, NULL)) != -1)
		switch (c) {
		case 'w':
			job.out = optarg;
			break;
		case 's':
			job.seed = strtoull(optarg, NULL, 0);
			break;
		case 't':
			job.truth = optarg;
			break;
		case 'e':
			job.each = true;
			break;
		case 'r':
			job.records = true;
			break;
		default:
			return wrong();
		}
	if (!job.out || optind + 1 != argc)
		return wrong();
	job.scenario = argv[optind];
	if (simulate_run(&job, &r, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return EXIT_FAILURE;
	}
	return r.unbalanced ? EXIT_FAILURE : EXIT_SUCCESS;
}

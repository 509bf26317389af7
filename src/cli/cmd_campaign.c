/* SPDX-License-Identifier: GPL-2.0-or-later
 * fabscope campaign: many runs as one benchmark report. */
#include <stdio.h>

#include "base/progress.h"
#include "campaign/campaign.h"
#include "cli/args.h"
#include "cli/command.h"
#include "cli/result.h"
#include "cli/say.h"

static bool is_part(const struct campaign *c)
{
	for (size_t i = 0; i < c->n_runs; i++)
		if (c->runs[i].damaged > 0)
			return true;
	return false;
}

static int campaign(const struct args *a, struct err *err)
{
	const char *page = args_value(a, "output");
	const char *csv = args_value(a, "csv-output");
	struct anonymous_key key;
	struct campaign *c;
	int rc, anonymous;

	if (!page && !csv)
		return err_set(err, ERR_USAGE,
			       "needs -o FILE, --csv-output FILE, or both");
	anonymous = result_key(a, &key, err);
	if (anonymous < 0)
		return -1;
	c = campaign_read(a->operands[0], err);
	if (!c)
		return -1;
	rc = campaign_measure(c, anonymous ? &key : NULL, say_progress(), err);
	if (!rc && anonymous)
		rc = campaign_anonymize(c, &key, err);
	if (!rc && page)
		rc = campaign_page(c, page, err);
	if (!rc && csv)
		rc = campaign_csv(c, csv, err);
	if (!rc)
		rc = is_part(c) ? EXIT_PART : EXIT_FULL;
	campaign_free(c);
	return rc;
}

static int campaign_run(const struct args *a)
{
	struct err err = { 0 };
	int status = campaign(a, &err);

	return status < 0 ? say_error(&cmd_campaign, &err) : status;
}

static const struct option options[] = {
	{ .name = "output",
	  .letter = 'o',
	  .value = "FILE",
	  .complete = COMPLETE_FILE,
	  .help = "The HTML report to write, - for standard output" },
	{ .name = "csv-output",
	  .value = "FILE",
	  .complete = COMPLETE_FILE,
	  .help = "The CSV file to write: all medians, intervals and values" },
	RESULT_OPTIONS,
	{ .name = "force",
	  .letter = 'f',
	  .help = "Replace the files if they exist" },
	{ .name = NULL },
};

const struct command cmd_campaign = {
	.name = "campaign",
	.operands = "FILE",
	.help = "Write a benchmark report (BMWG) of many runs",
	.manual = true,
	.confine = CONFINE_READS,
	.min_operands = 1,
	.max_operands = 1,
	.complete = COMPLETE_FILE,
	.options = options,
	.run = campaign_run,
};

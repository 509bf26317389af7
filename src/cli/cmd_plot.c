/* SPDX-License-Identifier: GPL-2.0-or-later
 * fabscope plot: a flow as a picture, from its packets. */
#include <stddef.h>
#include <string.h>

#include "base/progress.h"
#include "cli/args.h"
#include "cli/command.h"
#include "cli/fabric.h"
#include "cli/result.h"
#include "cli/say.h"
#include "decode/packet.h"
#include "run/topology.h"
#include "store/store.h"
#include "views/plot.h"
#include "views/plot_matrix.h"
#include "views/selector.h"

/* What is to be drawn, into |flow| and |time|. */
static int selectors(const struct args *a, struct selector *flow,
		     struct selector *time, struct err *err)
{
	const char *when = args_value(a, "time");

	if (selector_parse(flow, a->operands[1], err))
		return -1;
	if (flow->kind != SELECT_FLOW)
		return err_set(err, ERR_USAGE,
			       "%s: a picture is of one flow, as in flow:7",
			       a->operands[1]);
	if (!when)
		return 0;
	if (selector_parse(time, when, err))
		return -1;
	if (time->kind != SELECT_TIME)
		return err_set(err, ERR_USAGE,
			       "--time: %s is not time:FROM..TO", when);
	return 0;
}

static int draw(const struct args *a, struct plot_options *o, struct err *err)
{
	struct store *s = store_open(a->operands[0], err);
	int rc = -1;

	progress_begin(say_progress());
	if (s)
		o->names = result_open(a, a->operands[0], err);
	if (o->names)
		rc = plot_write(s, o, err);
	progress_end();
	store_free(o->names);
	store_free(s);
	return rc;
}

/* "matrix" or "matrix:rail": by what, or NULL when it is something else. */
static const char *matrix_by(const char *text, struct err *err)
{
	static const char *const words[] = { "server", "host", "switch", "rail",
					     "pod" };

	if (!strcmp(text, "matrix"))
		return words[0];
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(text + strlen("matrix:"), words[i]))
			return words[i];
	err_set(err, ERR_USAGE,
		"%s: a matrix is of server, host, switch, rail or pod", text);
	return NULL;
}

static int matrix(const struct args *a, struct err *err)
{
	const char *by = matrix_by(a->operands[1], err);
	const char *path = args_value(a, "output");
	struct store *s;
	int rc;

	if (!by)
		return -1;
	if (!path)
		return err_set(err, ERR_USAGE, "needs -o FILE");
	s = result_open(a, a->operands[0], err);
	rc = s ? plot_matrix_write(s, by, path, err) : -1;
	store_free(s);
	return rc;
}

static bool is_matrix(const char *text)
{
	return !strcmp(text, "matrix") ||
	       !strncmp(text, "matrix:", strlen("matrix:"));
}

static int plot(const struct args *a, struct err *err)
{
	struct selector flow = { 0 }, time = { 0 };
	struct topology *t = NULL;
	struct decode_options decode;
	struct plot_options o = { .flow = &flow,
				  .path = args_value(a, "output"),
				  .decode = &decode };
	int rc = -1;

	if (is_matrix(a->operands[1]))
		return matrix(a, err);
	if (!o.path)
		return err_set(err, ERR_USAGE, "needs -o FILE");
	o.time = args_has(a, "time") ? &time : NULL;
	if (!selectors(a, &flow, &time, err) && !fabric_read(a, &t, err)) {
		run_decode_options(t, &decode);
		rc = draw(a, &o, err);
	}
	topology_free(t);
	selector_fini(&time);
	selector_fini(&flow);
	return rc;
}

static int plot_run(const struct args *a)
{
	struct err err = { 0 };

	return plot(a, &err) < 0 ? say_error(&cmd_plot, &err) : EXIT_FULL;
}

static const struct option options[] = {
	{ .name = "output",
	  .letter = 'o',
	  .value = "FILE",
	  .complete = COMPLETE_FILE,
	  .help = "The SVG file to write, - for standard output" },
	{ .name = "time",
	  .value = "TIME",
	  .help = "Only this time span, such as time:+1.5..+1.6" },
	{ .name = "force",
	  .letter = 'f',
	  .help = "Replace the file if there is one" },
	{ .name = "topology",
	  .value = "FILE",
	  .complete = COMPLETE_FILE,
	  .help = "Topology file that was given to analyze, if it sets ports "
		  "or protocols" },
	RESULT_OPTIONS,
	FABRIC_OPTIONS,
	{ .name = NULL },
};

const struct command cmd_plot = {
	.name = "plot",
	.operands = "DB SELECTOR",
	.help = "Draw a flow packet by packet, or the traffic matrix",
	.manual = true,
	.confine = CONFINE_READS,
	.min_operands = 2,
	.max_operands = 2,
	.complete = COMPLETE_DATABASE,
	.complete_next = COMPLETE_WORDS,
	.next_words = "flow: matrix matrix:server matrix:host matrix:switch "
		      "matrix:rail matrix:pod",
	.options = options,
	.run = plot_run,
};

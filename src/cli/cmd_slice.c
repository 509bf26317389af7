/* SPDX-License-Identifier: GPL-2.0-or-later
 * fabscope slice: the packets behind a finding, for Wireshark. */
#include <stdio.h>
#include <string.h>

#include "base/progress.h"
#include "base/units.h"
#include "cli/args.h"
#include "cli/command.h"
#include "cli/fabric.h"
#include "cli/result.h"
#include "cli/say.h"
#include "decode/packet.h"
#include "run/topology.h"
#include "store/param.h"
#include "store/store.h"
#include "views/selector.h"
#include "views/slice.h"

/* --context and --whole: what of a finding is wanted. */
static int extent(struct slice_options *o, const struct args *a,
		  struct err *err)
{
	const char *context = args_value(a, "context");
	struct query_value v;

	o->context_ns = SLICE_CONTEXT_NS;
	o->whole = args_has(a, "whole");
	if ((o->whole || context) && o->selector->kind != SELECT_FINDING)
		return err_set(err, ERR_USAGE,
			       "--%s is for finding:NUMBER only",
			       o->whole ? "whole" : "context");
	if (!context)
		return 0;
	if (param_parse(UNIT_DURATION, context, 0, &v) < 0 ||
	    v.type != VALUE_INT || v.i < 0)
		return err_set(
			err, ERR_USAGE,
			"--context: \"%s\" is not a duration such as 5ms",
			context);
	o->context_ns = v.i;
	return 0;
}

static int write_slice(struct store *s, const struct slice_options *o,
		       struct err *err)
{
	struct slice_result r;
	char count[UNITS_PLURAL];

	int rc;

	progress_begin(say_progress());
	rc = slice_write(s, o, &r, err);
	progress_end();
	if (rc < 0)
		return -1;
	if (strcmp(o->path, "-") != 0)
		printf("%s in %s%s%s\n",
		       units_plural((int64_t)r.packets, "packet", count),
		       o->path, *r.says ? ": " : "", r.says);
	result_say_unread(r.unread, r.packets);
	return 0;
}

static int slice(const struct args *a, struct err *err)
{
	struct selector sel;
	struct slice_options o = { .selector = &sel,
				   .path = args_value(a, "write") };
	struct topology *t = NULL;
	struct decode_options decode;
	struct anonymous_key key;
	int anonymous;
	struct store *s = NULL;
	int rc;

	anonymous = result_key(a, &key, err);
	if (anonymous < 0)
		return -1;
	o.key = anonymous ? &key : NULL;
	if (!o.path)
		return err_set(err, ERR_USAGE, "needs -w FILE");
	rc = selector_parse(&sel, a->operands[1], err);
	if (!rc)
		rc = extent(&o, a, err);
	if (!rc)
		rc = fabric_read(a, &t, err);
	run_decode_options(t, &decode);
	o.decode = &decode;
	if (!rc && !(s = store_open(a->operands[0], err)))
		rc = -1;
	if (!rc)
		rc = write_slice(s, &o, err);
	store_free(s);
	topology_free(t);
	selector_fini(&sel);
	return rc;
}

static int slice_run(const struct args *a)
{
	struct err err = { 0 };

	return slice(a, &err) < 0 ? say_error(&cmd_slice, &err) : EXIT_FULL;
}

static const struct option options[] = {
	{ .name = "write",
	  .letter = 'w',
	  .value = "FILE",
	  .complete = COMPLETE_FILE,
	  .help = "The pcapng file to write, - for standard output" },
	{ .name = "force",
	  .letter = 'f',
	  .help = "Replace the file if there is one" },
	{ .name = "context",
	  .value = "TIME",
	  .help = "Of a finding: time before and after its evidence (default "
		  "1ms)" },
	{ .name = "whole",
	  .help = "Of a finding: all packets of its flows, from its first to "
		  "its last time" },
	{ .name = "topology",
	  .value = "FILE",
	  .complete = COMPLETE_FILE,
	  .help = "Topology file that was given to analyze, if it sets ports "
		  "or protocols" },
	RESULT_OPTIONS,
	FABRIC_OPTIONS,
	{ .name = NULL },
};

const struct command cmd_slice = {
	.name = "slice",
	.operands = "DB SELECTOR",
	.help = "Write the packets of a finding, a flow or a time span to a "
		"file",
	.manual = true,
	.confine = CONFINE_READS,
	.min_operands = 2,
	.max_operands = 2,
	.complete = COMPLETE_DATABASE,
	.complete_next = COMPLETE_SELECTOR,
	.options = options,
	.run = slice_run,
};

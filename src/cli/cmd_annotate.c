/* SPDX-License-Identifier: GPL-2.0-or-later
 * fabscope annotate: a capture whose packet comments carry the findings. */
#include <inttypes.h>
#include <stdio.h>

#include "base/units.h"
#include "cli/args.h"
#include "cli/command.h"
#include "cli/fabric.h"
#include "cli/result.h"
#include "cli/say.h"
#include "views/annotate.h"

/* What of it could not be done. */
static int part(const struct annotated *done, const char *capture)
{
	char packets[UNITS_PLURAL], bytes[UNITS_TEXT];
	struct err err;

	if (done->refused) {
		units_plural((int64_t)done->refused, "packet", packets);
		err_set(&err, ERR_FORMAT, "%s: %s cannot carry a comment",
			capture, packets);
		say_warning(&err);
	}
	if (done->damaged) {
		err_set(&err, ERR_FORMAT,
			"%s: the last %s are not pcapng and were copied as "
			"they are",
			capture, units_bytes((double)done->damaged, bytes));
		say_warning(&err);
	}
	if (done->failure) {
		err_set(&err, ERR_FORMAT, "%s: %s", capture, done->failure);
		say_warning(&err);
	}
	return done->refused || done->damaged || done->failure ? EXIT_PART
							       : EXIT_FULL;
}

static int annotate_run(const struct args *a)
{
	const char *path = args_value(a, "write");
	char comments[UNITS_TEXT], interfaces[UNITS_TEXT];
	char packets[UNITS_PLURAL];
	struct anonymous_key key;
	struct topology *t = NULL;
	struct annotated done = { 0 };
	struct err err = { 0 };
	int anonymous = result_key(a, &key, &err);

	if (anonymous >= 0 && !path)
		err_set(&err, ERR_USAGE, "needs -w FILE");
	if (!err.code && !fabric_read(a, &t, &err))
		annotate(a->operands[0], t, path, anonymous ? &key : NULL,
			 say_progress(), &done, &err);
	topology_free(t);
	if (err.code)
		return say_error(&cmd_annotate, &err);
	printf("%s in %s, %s with a comment, and %s of its interfaces\n",
	       units_plural((int64_t)done.packets, "packet", packets), path,
	       units_count(done.commented, comments),
	       units_count(done.remarked, interfaces));
	result_say_unread(done.unread, done.packets);
	return part(&done, a->operands[0]);
}

static const struct option options[] = {
	{ .name = "write",
	  .letter = 'w',
	  .value = "FILE",
	  .complete = COMPLETE_FILE,
	  .help = "The pcapng file to write" },
	{ .name = "force",
	  .letter = 'f',
	  .help = "Replace the file if there is one" },
	RESULT_OPTIONS,
	{ .name = "topology",
	  .value = "FILE",
	  .complete = COMPLETE_FILE,
	  .help = "Names, link speeds and link groups of the fabric" },
	FABRIC_OPTIONS,
	{ .name = NULL },
};

const struct command cmd_annotate = {
	.name = "annotate",
	.operands = "CAPTURE",
	.help = "Copy a capture, with the findings as packet comments",
	.manual = true,
	.confine = CONFINE_NAMED,
	.min_operands = 1,
	.max_operands = 1,
	.complete = COMPLETE_FILE,
	.complete_next = COMPLETE_FILE,
	.options = options,
	.run = annotate_run,
};

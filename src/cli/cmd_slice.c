/* SPDX-License-Identifier: GPL-2.0-or-later
 * fabscope slice: the packets behind a finding, for Wireshark. */
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "cli/args.h"
#include "cli/command.h"
#include "cli/say.h"
#include "store/store.h"
#include "views/selector.h"
#include "views/slice.h"

static int slice(const struct args *a, struct err *err)
{
	const char *path = args_value(a, "write");
	struct selector sel;
	struct store *s;
	uint64_t packets;
	char count[UNITS_TEXT];
	int rc;

	if (!path)
		return err_set(err, ERR_USAGE, "needs -w FILE");
	rc = selector_parse(&sel, a->operands[1], err);
	s = rc ? NULL : store_open(a->operands[0], err);
	rc = s ? slice_write(s, &sel, path, &packets, err) : -1;
	if (!rc && strcmp(path, "-") != 0)
		printf("%s packets in %s\n", units_count(packets, count), path);
	store_free(s);
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
	{ .name = NULL },
};

const struct command cmd_slice = {
	.name = "slice",
	.operands = "DB SELECTOR",
	.help = "Write the packets of a finding, a flow or a time to a file",
	.manual = true,
	.min_operands = 2,
	.max_operands = 2,
	.complete = COMPLETE_FILE,
	.options = options,
	.run = slice_run,
};

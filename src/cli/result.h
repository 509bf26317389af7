/* SPDX-License-Identifier: GPL-2.0-or-later
 * Opening a result database the way the options say: as it is, or anonymous.
 */
#ifndef FABSCOPE_CLI_RESULT_H
#define FABSCOPE_CLI_RESULT_H

#include <stdint.h>

#include "cli/args.h"
#include "cli/command.h"
#include "store/anonymous.h"

/* Rows of the options of every command whose output may be made public. */
#define RESULT_OPTIONS                                                   \
	{ .name = "anonymize",                                           \
	  .help = "Replace addresses, MACs, QPs, PDCs, jobs, names and " \
		  "files by pseudonyms" },                               \
	{                                                                \
		.name = "anonymize-key", .value = "FILE",                \
		.complete = COMPLETE_FILE,                               \
		.help = "Use the same pseudonyms for the same key file " \
			"(implies --anonymize)"                          \
	}

bool result_is_anonymous(const struct args *a);

/* 1 and the key of this run, 0: it is not asked for, or -1 and |err|. */
int result_key(const struct args *a, struct anonymous_key *k, struct err *err);

/* The database |path| to be read; NULL and |err|. */
struct store *result_open(const struct args *a, const char *path,
			  struct err *err);

/* "3 of 40 packets: ...", on stderr, when packets under pseudonyms had what is
 * not read. */
void result_say_unread(uint64_t unread, uint64_t packets);

#endif

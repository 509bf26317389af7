/* SPDX-License-Identifier: GPL-2.0-or-later
 * Opening a result database the way the options say: as it is, or anonymous.
 */
#ifndef FABSCOPE_CLI_RESULT_H
#define FABSCOPE_CLI_RESULT_H

#include "cli/args.h"
#include "cli/command.h"
#include "store/anonymous.h"

/* Rows of the options of every command whose output may leave the house. */
#define RESULT_OPTIONS                                                         \
	{ .name = "anonymize",                                                 \
	  .help = "Pseudonyms for addresses, MACs, QPs, PDCs, jobs, names "    \
		  "and files" },                                               \
	{                                                                      \
		.name = "anonymize-key", .value = "FILE",                      \
		.complete = COMPLETE_FILE,                                     \
		.help = "The same pseudonyms whenever the same file is given " \
			"(implies --anonymize)"                                \
	}

bool result_is_anonymous(const struct args *a);

/* 1 and the key of this run, 0: it is not asked for, or -1 and |err|. */
int result_key(const struct args *a, struct anonymous_key *k, struct err *err);

/* The database |path| to be read; NULL and |err|. */
struct store *result_open(const struct args *a, const char *path,
			  struct err *err);

/* The row of commands that write or print packets, which hold addresses
 * themselves. */
#define RESULT_REFUSED                                                         \
	{                                                                      \
		.name = "anonymize",                                           \
		.help = "Refused: packets hold the addresses themselves; see " \
			"fabscope export --anonymize"                          \
	}

/* -1 and |err| when it is asked for nevertheless. */
int result_refuse(const struct args *a, struct err *err);

#endif

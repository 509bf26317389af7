/* SPDX-License-Identifier: GPL-2.0-or-later
 * What analyze does, for those that do it as well. */
#ifndef FABSCOPE_CLI_ANALYZE_H
#define FABSCOPE_CLI_ANALYZE_H

#include "cli/command.h"
#include "cli/fabric.h"
#include "cli/witness.h"
#include "views/alarm.h"

struct inputs;
struct plan;

/* Rows of the options that say what is read, and by what it is judged. */
#define ANALYZE_OPTIONS                                                        \
	{ .name = "tap",                                                       \
	  .value = "NAME=FILE",                                                \
	  .complete = COMPLETE_FILE,                                           \
	  .repeated = true,                                                    \
	  .help = "Read FILE, and name its capture point NAME" },              \
		{ .name = "topology",                                          \
		  .value = "FILE",                                             \
		  .complete = COMPLETE_FILE,                                   \
		  .help = "Names, link speeds and link groups of the "         \
			  "fabric" },                                          \
		FABRIC_OPTIONS,                                                \
		{ .name = "job-log",                                           \
		  .value = "FILE",                                             \
		  .complete = COMPLETE_FILE,                                   \
		  .repeated = true,                                            \
		  .help = "Collectives as the job logged them (NCCL "          \
			  "Inspector, Flight Recorder): a file or folder, or " \
			  "ADDRESS=FILE" },                                    \
		{ .name = "evidence",                                          \
		  .value = "FILE",                                             \
		  .complete = COMPLETE_FILE,                                   \
		  .repeated = true,                                            \
		  .help = "Counters, configuration, error logs and samples "   \
			  "of NICs, switches and hosts: a file or folder, or " \
			  "DEVICE=FILE" },                                     \
		COUNTER_NAMES_OPTION,                                          \
	{                                                                      \
		.name = "filter", .letter = 'f', .value = "BPF",               \
		.help = "Analyze only packets that match, as in tcpdump"       \
	}

/* ... where the result goes, and what is printed of it. */
#define VERDICT_OPTIONS                                                       \
	{ .name = "output",                                                   \
	  .letter = 'o',                                                      \
	  .value = "DB",                                                      \
	  .complete = COMPLETE_FILE,                                          \
	  .help = "Result database (default: CAPTURE.fabscope.db in the "     \
		  "current folder)" },                                        \
		{ .name = "brief",                                            \
		  .help = "Print only the answer and a line per finding" },   \
		{ .name = "verbose",                                          \
		  .letter = 'v',                                              \
		  .help = "Print all of each finding, each capture, each "    \
			  "capture point, and what is not observable there, " \
			  "and why" },                                        \
		{ .name = "json",                                             \
		  .help = "Print the verdict as one JSON document" },         \
	{                                                                     \
		.name = "fail-on", .value = "LEVEL",                          \
		.complete = COMPLETE_WORDS, .words = alarm_levels,            \
		.help = "Exit with status 4 if there is a critical finding "  \
			"(critical), at least a warning (warning), or if it " \
			"was the network (network)"                           \
	}

/* |a|: words of analyze.  |p|: captures are read from the partial results of
 * it; NULL: as they are.  Errors are said as those of |c|.  Returns an exit
 * status. */
int analyze_by(const struct command *c, const struct args *a,
	       const struct plan *p);

/* The database that |a| names, or that takes its name of the first of |in|:
 * <base name>.fabscope.db in the current folder.  To be freed; NULL and
 * |err|. */
char *analyze_output(const struct args *a, const struct inputs *in,
		     struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the options say of the fabric: its topology file, and which ports and
 * protocols mean what. */
#ifndef FABSCOPE_CLI_FABRIC_H
#define FABSCOPE_CLI_FABRIC_H

#include "base/topology.h"
#include "cli/args.h"
#include "cli/command.h"

/* Rows of the options of every command that decodes packets. */
#define FABRIC_OPTIONS                                                       \
	{ .name = "uet-port",                                                \
	  .value = "PORT",                                                   \
	  .repeated = true,                                                  \
	  .help = "UDP port of Ultra Ethernet (default 4793); replaces the " \
		  "topology file's" },                                       \
	{                                                                    \
		.name = "uet-protocol", .value = "NUMBER", .repeated = true, \
		.help = "IP protocol number of Ultra Ethernet without UDP "  \
			"(default 253)"                                      \
	}

/* --topology and FABRIC_OPTIONS; *t stays NULL when none is given.  0, or -1
 * and |err|. */
int fabric_read(const struct args *a, struct topology **t, struct err *err);

#endif

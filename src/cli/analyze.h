/* SPDX-License-Identifier: GPL-2.0-or-later
 * What analyze does, for those that do it as well. */
#ifndef FABSCOPE_CLI_ANALYZE_H
#define FABSCOPE_CLI_ANALYZE_H

struct args;
struct command;
struct plan;

/* |a|: words of analyze.  |p|: captures are read from the partial results of
 * it; NULL: as they are.  Errors are said as those of |c|.  Returns an exit
 * status. */
int analyze_by(const struct command *c, const struct args *a,
	       const struct plan *p);

#endif

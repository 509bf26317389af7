/* SPDX-License-Identifier: GPL-2.0-or-later
 * A plan, and the words of analyze that it was made from. */
#ifndef FABSCOPE_CLI_PLANNED_H
#define FABSCOPE_CLI_PLANNED_H

#include "cli/args.h"
#include "run/plan.h"

struct planned {
	struct plan plan;
	struct args args; /* of analyze */
	char **words;     /* that |args| points into */
	size_t n_own;     /* of them, ours to free */
};

/* Reads it.  The options of |own| are put in front, NULL: none.  -1 and |err|,
 * also when the topology file is not what it was. */
int planned_read(struct planned *p, const char *path, const struct args *own,
		 struct err *err);
void planned_fini(struct planned *p);

/* One shard; what is there already stays.  -1 and |err|. */
int planned_reduce(const struct planned *p, uint32_t shard, struct err *err);

#endif

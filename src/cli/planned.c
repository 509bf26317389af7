/* SPDX-License-Identifier: GPL-2.0-or-later
 * A plan, and the words of analyze that it was made from. */
#include "cli/planned.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/topology.h"
#include "cli/command.h"
#include "cli/fabric.h"
#include "cli/inputs.h"
#include "run/reduce.h"

/* The options of |own| as words. */
static int own_words(struct planned *p, const struct args *own)
{
	for (size_t i = 0; own && i < own->n_given; i++) {
		const struct arg *g = &own->given[i];
		char *word;

		if (asprintf(&word, "--%s%s%s", g->option->name,
			     g->value ? "=" : "", g->value ? g->value : "") < 0)
			return -1;
		p->words[p->n_own++] = word;
	}
	return 0;
}

static int same_topology(const struct planned *p, struct err *err)
{
	const char *file = args_value(&p->args, "topology");
	uint64_t bytes, content;

	if (!file)
		return 0;
	if (plan_content(file, &bytes, &content, err) < 0)
		return -1;
	return content == p->plan.topology
		       ? 0
		       : err_set(err, ERR_FORMAT,
				 "%s: changed since %s was written", file,
				 p->plan.path);
}

/* Where the result goes is said by who calls, not by who wrote the plan. */
static int no_output(const struct planned *p, struct err *err)
{
	for (size_t i = p->n_own; i < p->args.n_given; i++)
		if (!strcmp(p->args.given[i].option->name, "output"))
			return err_set(err, ERR_FORMAT, "%s: not a plan",
				       p->plan.path);
	return 0;
}

int planned_read(struct planned *p, const char *path, const struct args *own,
		 struct err *err)
{
	size_t n;

	*p = (struct planned) { .n_own = 0 };
	if (plan_read(&p->plan, path, err) < 0)
		return -1;
	n = p->plan.n_words + (own ? own->n_given : 0);
	p->words = calloc(n + 1, sizeof *p->words);
	if (!p->words || own_words(p, own) < 0)
		return err_set(err, ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < p->plan.n_words; i++)
		p->words[p->n_own + i] = p->plan.words[i];
	if (args_parse(&p->args, &cmd_analyze, (int)n, p->words, err) < 0 ||
	    no_output(p, err) < 0)
		return -1;
	return same_topology(p, err);
}

void planned_fini(struct planned *p)
{
	args_fini(&p->args);
	for (size_t i = 0; i < p->n_own; i++)
		free(p->words[i]);
	free(p->words);
	plan_free(&p->plan);
}

static int make_folder(const struct plan *p, struct err *err)
{
	char *folder = plan_folder(p);
	int rc = 0;

	if (!folder)
		return err_set(err, ERR_MEMORY, "out of memory");
	if (mkdir(folder, 0777) && errno != EEXIST)
		rc = err_errno(err, "%s", folder);
	free(folder);
	return rc;
}

static int reduce_input(const struct planned *p, const struct inputs *in,
			size_t i, const struct topology *t, struct err *err)
{
	struct reduce_options o = {
		.input = in->v[i],
		.inputs = in->n,
		.filter = args_value(&p->args, "filter"),
		.topology = t,
		.head = plan_head(&p->plan, i),
	};
	struct err ignored;
	char *to;
	int rc;

	/* What another plan or program has left is replaced. */
	if (plan_has(&p->plan, i, &ignored) > 0)
		return 0;
	if (plan_unchanged(&p->plan, i, o.input.path, err) < 0)
		return -1;
	to = plan_part(&p->plan, i);
	if (!to)
		return err_set(err, ERR_MEMORY, "out of memory");
	o.to = to;
	rc = run_reduce(&o, err);
	free(to);
	return rc;
}

int planned_reduce(const struct planned *p, uint32_t shard, struct err *err)
{
	struct topology *t = NULL;
	struct inputs in = { 0 };
	int rc = -1;

	if (shard >= p->plan.shards)
		return err_set(err, ERR_USAGE, "%s has shards 0 to %u",
			       p->plan.path, p->plan.shards - 1);
	if (!make_folder(&p->plan, err) && !inputs_find(&in, &p->args, err) &&
	    !fabric_read(&p->args, &t, err))
		rc = in.n == p->plan.n_inputs
			     ? 0
			     : err_set(err, ERR_FORMAT, "%s: not a plan",
				       p->plan.path);
	for (size_t i = 0; !rc && i < in.n; i++)
		if (p->plan.inputs[i].shard == shard)
			rc = reduce_input(p, &in, i, t, err);
	topology_free(t);
	inputs_fini(&in);
	return rc;
}

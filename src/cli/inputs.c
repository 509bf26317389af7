/* SPDX-License-Identifier: GPL-2.0-or-later
 * The captures that the words of analyze name. */
#include "cli/inputs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/reduced.h"
#include "run/plan.h"

/* --tap NAME=FILE: splits |text|, a copy, in place. */
static int tap_input(char *text, struct capture_input *input, struct err *err)
{
	char *equals = strchr(text, '=');

	if (!equals || equals == text || !equals[1])
		return err_set(err, ERR_USAGE,
			       "--tap takes NAME=FILE, not \"%s\"", text);
	*equals = 0;
	input->tap = text;
	input->path = equals + 1;
	return 0;
}

/* Files in the order of the command line within each kind: taps, plain. */
int inputs_find(struct inputs *in, const struct args *a, struct err *err)
{
	size_t most = a->n_given + a->n_operands, at = 0, i;
	const char *tap;

	in->v = calloc(most + 1, sizeof *in->v);
	in->texts = calloc(2 * most + 1, sizeof *in->texts);
	if (!in->v || !in->texts)
		return err_set(err, ERR_MEMORY, "out of memory");
	while ((tap = args_next(a, "tap", &at))) {
		char *copy = strdup(tap);

		if (!copy)
			return err_set(err, ERR_MEMORY, "out of memory");
		in->texts[in->n_texts++] = copy;
		if (tap_input(copy, &in->v[in->n++], err) < 0)
			return -1;
	}
	for (i = 0; i < a->n_operands; i++)
		in->v[in->n++].path = a->operands[i];
	if (!in->n && args_value(a, "filter"))
		return err_set(err, ERR_USAGE,
			       "needs a capture; \"%s\" is the filter of -f",
			       args_value(a, "filter"));
	return in->n ? 0 : err_set(err, ERR_USAGE, "needs a capture");
}

/* |i| is read from its part, or, if that says so, from what it was. */
static int read_part(struct inputs *in, size_t i, const struct plan *p,
		     struct err *err)
{
	char *part = plan_part(p, i);
	struct reduced_head h;

	if (!part)
		return err_set(err, ERR_MEMORY, "out of memory");
	in->texts[in->n_texts++] = part;
	if (reduced_read_head(part, &h, err) < 0)
		return -1;
	/* It need not be there, but where it is it may yet be read. */
	if ((h.original || !access(in->v[i].path, F_OK)) &&
	    plan_unchanged(p, i, in->v[i].path, err) < 0)
		return -1;
	if (h.original)
		return 0;
	in->v[i].kept = part;
	in->v[i].reduced = true;
	return 0;
}

/* The first shard that is missing, and how many. */
static int missing(const struct plan *p, const bool *done, struct err *err)
{
	uint32_t first = 0, n = 0;

	for (uint32_t s = p->shards; s-- > 0;)
		if (!done[s]) {
			first = s;
			n++;
		}
	return n ? err_set(err, ERR_IO,
			   "%s: %u of %u partial results are missing, the "
			   "first is %u",
			   p->path, n, p->shards, first)
		 : 0;
}

int inputs_reduced(struct inputs *in, const struct plan *p, struct err *err)
{
	bool *done = calloc(p->shards, sizeof *done);
	int rc = done ? 0 : err_set(err, ERR_MEMORY, "out of memory");

	if (!rc && in->n != p->n_inputs)
		rc = err_set(err, ERR_FORMAT, "%s: not a plan", p->path);
	for (uint32_t s = 0; !rc && s < p->shards; s++)
		done[s] = true;
	for (size_t i = 0; rc >= 0 && i < p->n_inputs; i++) {
		rc = plan_has(p, i, err);
		if (!rc)
			done[p->inputs[i].shard] = false;
	}
	if (rc >= 0)
		rc = missing(p, done, err);
	for (size_t i = 0; rc >= 0 && i < p->n_inputs; i++)
		rc = read_part(in, i, p, err);
	free(done);
	return rc < 0 ? -1 : 0;
}

void inputs_fini(struct inputs *in)
{
	for (size_t i = 0; i < in->n_texts; i++)
		free(in->texts[i]);
	free(in->texts);
	free(in->v);
	*in = (struct inputs) { 0 };
}

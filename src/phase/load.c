/* SPDX-License-Identifier: GPL-2.0-or-later
 * How much the link of each host carried up to a moment, each way: sums of
 * ramps, so that any stretch of time is two searches. */
#include <stdlib.h>

#include "base/search.h"
#include "base/sort.h"
#include "phase/path_int.h"

/* From |ns| on the load grows by |slope| bytes/ns; by then it was |sum|. */
struct knee {
	int64_t ns;
	double slope, sum;
};

struct load {
	struct knee *knees;
	size_t n;
};

struct loads {
	size_t n_hosts;
	struct knee *knees;
	struct load of[]; /* by host, out and in */
};

/* |activity| as it passed the sender's link, or the receiver's. */
static void ends_of(const struct phase_activity *a, bool in, int64_t *from,
		    int64_t *to)
{
	*from = in ? a->came : a->from;
	*to = in ? a->there : a->sent;
	if (*to <= *from)
		*to = *from + 1;
}

static void add_flow(struct loads *l, const struct phase_flow *f, bool in)
{
	struct load *o = &l->of[2 * (in ? f->dst : f->src) + in];

	for (size_t k = 0; k < f->n; k++) {
		int64_t from, to;
		double slope;

		ends_of(&f->a[k], in, &from, &to);
		slope = f->wire * (double)f->a[k].bytes / (double)(to - from);
		o->knees[o->n++] = (struct knee) { from, slope, 0 };
		o->knees[o->n++] = (struct knee) { to, -slope, 0 };
	}
}

static bool sum_up(struct load *o)
{
	double slope = 0, sum = 0;

	if (!sort_by(struct knee, o->knees, o->n, ns))
		return false;
	for (size_t i = 0; i < o->n; i++) {
		if (i)
			sum += slope *
			       (double)(o->knees[i].ns - o->knees[i - 1].ns);
		slope += o->knees[i].slope;
		o->knees[i].slope = slope;
		o->knees[i].sum = sum;
	}
	return true;
}

struct loads *loads_new(const struct phase_flow *flows, size_t n,
			size_t n_hosts)
{
	struct loads *l = calloc(1, sizeof *l + 2 * n_hosts * sizeof l->of[0]);
	struct knee *next;
	size_t all = 0;

	if (!l)
		return NULL;
	l->n_hosts = n_hosts;
	for (size_t i = 0; i < n; i++) {
		l->of[2 * flows[i].src].n += 2 * flows[i].n;
		l->of[2 * flows[i].dst + 1].n += 2 * flows[i].n;
		all += 4 * flows[i].n;
	}
	next = l->knees = malloc((all + 1) * sizeof *l->knees);
	for (size_t i = 0; next && i < 2 * n_hosts; i++) {
		l->of[i].knees = next;
		next += l->of[i].n;
		l->of[i].n = 0;
	}
	for (size_t i = 0; next && i < n; i++) {
		add_flow(l, &flows[i], false);
		add_flow(l, &flows[i], true);
	}
	for (size_t i = 0; next && i < 2 * n_hosts; i++)
		if (!sum_up(&l->of[i]))
			next = NULL;
	if (next)
		return l;
	loads_free(l);
	return NULL;
}

void loads_free(struct loads *l)
{
	if (l)
		free(l->knees);
	free(l);
}

static double up_to(const struct load *o, int64_t ns)
{
	size_t low = search_below(struct knee, o->knees, o->n, ns, ns + 1);

	if (!low)
		return 0;
	return o->knees[low - 1].sum +
	       o->knees[low - 1].slope * (double)(ns - o->knees[low - 1].ns);
}

double loads_between(const struct loads *l, uint32_t host, bool in,
		     int64_t from, int64_t to)
{
	const struct load *o = &l->of[2 * host + in];
	double sum = to > from ? up_to(o, to) - up_to(o, from) : 0;

	return sum > 0 ? sum : 0;
}

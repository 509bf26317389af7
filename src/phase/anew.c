/* SPDX-License-Identifier: GPL-2.0-or-later
 * Phases that begin with a late rank, and those of which the capture lacks the
 * begin or the end. */
#include <math.h>
#include <stdlib.h>

#include "base/search.h"
#include "phase/phase_int.h"

/* Of a phase: no less of it is missing; of the last one, whose data may not all
 * be there yet. */
static const double LACKS = 0.003, MUCH = 0.05;

/* When rank |r| begins the phase that others begin first at |first|, in burst
 * |b|: who is late, with the next burst. */
static int64_t begin_of(const struct job *j, const int64_t *own, uint32_t late,
			size_t b, uint32_t r, int64_t first)
{
	if (r == late)
		return b + 1 < j->n_bursts ? j->bursts[b + 1].from : PHASE_FAR;
	return own[r] != PHASE_UNKNOWN ? own[r] : first;
}

/* The first of all ranks that begins by itself; PHASE_UNKNOWN. */
static int64_t first_own(const struct job *j, const int64_t *own)
{
	int64_t first = PHASE_UNKNOWN;

	for (uint32_t r = 0; r < j->n_ranks; r++)
		if (own[r] != PHASE_UNKNOWN &&
		    (first == PHASE_UNKNOWN || own[r] < first))
			first = own[r];
	return first;
}

/* When all data was there of the phase before, and how much each flow had sent
 * by then, |skip|. */
static int64_t over_before(const struct job *j, const int64_t *own,
			   uint32_t late, size_t b, int64_t first,
			   const double *least, size_t *skip)
{
	int64_t last = j->bursts[b].from;

	for (size_t f = 0; f < j->in->n_flows; f++) {
		const struct phase_flow *g = &j->in->flows[f];
		size_t k = search_below(
			struct phase_activity, g->a, g->n, from,
			begin_of(j, own, late, b, j->rank_of[g->src], first));

		skip[f] = k;
		while (k && (double)g->a[k - 1].bytes <= least[f])
			k--;
		if (k && g->a[k - 1].over > last)
			last = g->a[k - 1].over;
	}
	return last;
}

/* Parts |v| where ranks begin.  Returns how many there are. */
static size_t part_at_begins(const struct job *j, const int64_t *own,
			     uint32_t late, const double *least,
			     struct interval *v, size_t *skip, size_t *room)
{
	size_t n = 1;

	v[0].from = j->bursts[0].from;
	for (size_t b = 0; b < j->n_bursts; b++) {
		const int64_t *of = own + b * j->n_ranks;
		int64_t first = first_own(j, of), over;

		if (first == PHASE_UNKNOWN)
			continue;
		over = over_before(j, of, late, b, first, least,
				   n > 1 ? room : skip);
		if (over <= v[n - 1].from)
			continue;
		v[n - 1].to = over < first ? over : first > over ? first : over;
		v[n].from = over < first ? first : over;
		n++;
	}
	v[n - 1].to = j->bursts[j->n_bursts - 1].to;
	return n;
}

bool phase_begin_anew(struct job *j)
{
	uint32_t late;
	int64_t *own;
	struct interval *v = NULL;
	const struct burst *was = j->bursts;
	double *least;
	size_t *skip, n;
	bool ok = phase_begins(j, &late, &own);

	if (!own)
		return ok;
	v = calloc(j->n_bursts + 2, sizeof *v);
	skip = calloc(2 * j->in->n_flows + 1, sizeof *skip);
	least = calloc(j->in->n_flows + 1, sizeof *least);
	ok = v && skip && least;
	for (size_t f = 0; ok && f < j->in->n_flows; f++)
		least[f] = phase_least_data(&j->in->flows[f]);
	if (ok) {
		n = part_at_begins(j, own, late, least, v, skip,
				   skip + j->in->n_flows);
		ok = phase_ask_again(j, v, n);
		if (ok && j->bursts != was) {
			j->skip = skip;
			skip = NULL;
		}
	}
	free(skip);
	free(least);
	free(own);
	free(v);
	return ok;
}

/* Does the first phase lack something that the next one has?  Where no silence
 * is between them that may have been sent before. */
static bool lacks(const struct job *j)
{
	return j->bursts[0].cut ||
	       (!phase_touches(j, 1) &&
		(double)j->bursts[0].bytes <
			(1 - LACKS) * (double)j->bursts[1].bytes);
}

/* What each flow had sent before phase |i|; NULL: no memory. */
static size_t *sent_before(const struct job *j, size_t i)
{
	size_t *v = calloc(j->in->n_flows + 1, sizeof *v);

	for (size_t f = 0; v && f < j->in->n_flows; f++) {
		const struct phase_flow *g = &j->in->flows[f];

		v[f] = search_below(struct phase_activity, g->a, g->n, from,
				    j->bursts[i].from);
	}
	return v;
}

/* Does the last phase, though all between it and the first carry the same?
 * Where repairs overlap the next phase they do not. */
static bool last_lacks(const struct job *j)
{
	size_t last = j->n_bursts - 1;
	double usual = (double)j->bursts[1].bytes;

	for (size_t i = 2; i < last; i++)
		if (fabs((double)j->bursts[i].bytes - usual) > MUCH * usual)
			return j->bursts[last].cut;
	return last > 2 && (double)j->bursts[last].bytes < (1 - MUCH) * usual;
}

bool phase_skip_cut(struct job *j)
{
	bool ok = true;

	if (j->n_bursts < 2)
		return true;
	if (!j->skip && lacks(j)) {
		j->skip = sent_before(j, 1);
		ok = j->skip;
	}
	if (last_lacks(j)) {
		j->keep = sent_before(j, j->n_bursts - 1);
		ok = ok && j->keep;
	}
	return ok;
}

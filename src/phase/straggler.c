/* SPDX-License-Identifier: GPL-2.0-or-later
 * Who begins late, and not because its input did. */
#include <stdlib.h>
#include <string.h>

#include "phase/phase_int.h"

enum {
	LEAST = 5,
	FLOOR_NS = 5000,
	THEMSELVES = 2, /* ranks that wait for nobody: a middle of so many */
};

/* Ranks that send, and get, as much but for this part have the same to do. */
static const double UNLIKE = 0.1;

static void span_of(const struct job *j, const uint32_t *flows, uint32_t n,
		    int64_t to, struct phase_rank_row *row, bool out)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct phase_flow *f = &j->in->flows[flows[i]];
		size_t end = activities_end(j, flows[i], to);

		for (size_t k = j->cursor[flows[i]]; k < end; k++) {
			if (!out) {
				row->bytes_in += f->a[k].bytes;
				if (f->a[k].over > row->input_ns)
					row->input_ns = f->a[k].over;
				continue;
			}
			row->bytes_out += f->a[k].bytes;
			if (row->start_ns == PHASE_UNKNOWN ||
			    f->a[k].from < row->start_ns)
				row->start_ns = f->a[k].from;
			if (row->end_ns == PHASE_UNKNOWN ||
			    f->a[k].sent > row->end_ns)
				row->end_ns = f->a[k].sent;
		}
	}
}

/* Did the receiver of |f|, which began something at |start|, ask for activity
 * |k| nearer to that than to the begin of the phase, |from|?  Then it had
 * waited for something else. */
static bool asked_as_it_began(const struct phase_flow *f, size_t k,
			      int64_t from, int64_t start)
{
	int64_t asked = f->driven ? phase_asked(f, k) : PHASE_UNKNOWN;

	return asked != PHASE_UNKNOWN && start - asked < asked - from;
}

/* The last that had come to |r| before it began, at |*start| in a phase from
 * |from| on: at the latest when it asked for what comes then. */
static int64_t input_before(const struct job *j, const struct rank *r,
			    int64_t from, int64_t *start)
{
	int64_t last = PHASE_UNKNOWN, began = *start, asked;

	for (uint32_t i = 0; i < r->n_in; i++) {
		const struct phase_flow *f = &j->in->flows[r->in[i]];

		for (size_t k = j->cursor[r->in[i]];
		     k < f->n && f->a[k].from < *start; k++)
			if (asked_as_it_began(f, k, from, *start)) {
				asked = phase_asked(f, k);
				began = asked < began ? asked : began;
			} else if (f->a[k].over <= *start &&
				   f->a[k].over > last)
				last = f->a[k].over;
			else if (f->a[k].over > *start)
				last = *start; /* it comes while it begins */
	}
	*start = began;
	return last;
}

/* Its receiver let |r| wait until then: PHASE_UNKNOWN is before all times. */
static int64_t asked_before(const struct job *j, const struct rank *r,
			    int64_t start)
{
	int64_t last = PHASE_UNKNOWN;

	for (uint32_t i = 0; i < r->n_out; i++) {
		const struct phase_flow *f = &j->in->flows[r->out[i]];
		size_t k = j->cursor[r->out[i]];

		if (k == f->n || f->a[k].from != start)
			continue;
		if (f->driven && phase_asked(f, k) > last)
			last = phase_asked(f, k);
		if (k && f->a[k - 1].granted > last)
			last = f->a[k - 1].granted;
	}
	return last;
}

/* Ranks of a ring or an all-to-all begin without being sent anything. */
static bool begins_alone(enum phase_pattern p)
{
	return p == PATTERN_RING || p == PATTERN_DOUBLE_RING ||
	       p == PATTERN_ALL_TO_ALL || p == PATTERN_EXCHANGE;
}

/* The middle of |n| > 0 times that are known of |of|; false: of none. */
static bool middle(const int64_t *of, size_t n, int64_t *v, int64_t *m)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (of[i] != PHASE_UNKNOWN)
			v[k++] = of[i];
	if (k)
		*m = phase_median(v, k);
	return k > 0;
}

/* When ranks begin by themselves.  Those that had to wait until their receiver
 * asked, or something came, say nothing of that: behind one late rank half of
 * all may begin late.  It asked nearer to their begin than to that of the first
 * of all. */
static bool middle_start(const int64_t *start, const int64_t *asked,
			 const bool *fed, size_t n, int64_t *v, int64_t *m)
{
	int64_t first = INT64_MAX;
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (start[i] != PHASE_UNKNOWN && start[i] < first)
			first = start[i];
	for (size_t i = 0; i < n; i++)
		if (start[i] != PHASE_UNKNOWN && !fed[i] &&
		    (asked[i] == PHASE_UNKNOWN || asked[i] > start[i] ||
		     asked[i] - first <= start[i] - asked[i]))
			v[k++] = start[i];
	if (k < THEMSELVES)
		return middle(start, n, v, m);
	phase_median(v, k); /* sorts */
	*m = v[(k - 1) / 2];
	return true;
}

static void residual(const struct job *j, const struct burst *b, uint32_t r,
		     int64_t usual, int64_t asked, struct phase_rank_row *row)
{
	int64_t in = usual, start = row->start_ns;

	if (!j->ranks[r].tapped)
		return;
	if (asked > usual && asked <= row->start_ns)
		usual = asked;
	if (!begins_alone(b->pattern))
		in = input_before(j, &j->ranks[r], b->from, &start);
	row->fed = !begins_alone(b->pattern) && in != PHASE_UNKNOWN;
	row->residual_ns = start - (in > usual ? in : usual);
}

void rank_in_phase(const struct job *j, const struct burst *b,
		   struct phase_rank_row *rows)
{
	size_t n = j->n_ranks;
	int64_t *v = calloc(4 * n + 1, sizeof *v), first, last;
	int64_t *start = v ? v + n : NULL, *end = v ? start + n : NULL;
	int64_t *asked = v ? end + n : NULL;
	bool *fed = calloc(n + 1, sizeof *fed);
	int64_t ns;

	for (uint32_t r = 0; r < n; r++) {
		rows[r].rank = r;
		rows[r].start_ns = rows[r].end_ns = PHASE_UNKNOWN;
		rows[r].late_start_ns = rows[r].late_end_ns = PHASE_UNKNOWN;
		rows[r].residual_ns = rows[r].input_ns = PHASE_UNKNOWN;
		span_of(j, j->ranks[r].out, j->ranks[r].n_out, b->to, &rows[r],
			true);
		span_of(j, j->ranks[r].in, j->ranks[r].n_in, b->to, &rows[r],
			false);
		if (!v || !fed)
			continue;
		start[r] = rows[r].start_ns;
		end[r] = rows[r].end_ns;
		asked[r] = asked_before(j, &j->ranks[r], start[r]);
		ns = start[r];
		fed[r] = !begins_alone(b->pattern) &&
			 input_before(j, &j->ranks[r], b->from, &ns) !=
				 PHASE_UNKNOWN;
	}
	if (v && fed && middle_start(start, asked, fed, n, v, &first) &&
	    middle(end, n, v, &last))
		for (uint32_t r = 0; r < n; r++) {
			if (start[r] == PHASE_UNKNOWN)
				continue;
			rows[r].late_start_ns = start[r] - first;
			rows[r].late_end_ns = end[r] - last;
			residual(j, b, r, first, asked[r], &rows[r]);
		}
	free(v);
	free(fed);
}

/* Three times the usual deviation of residuals, and a twentieth of a phase. */
static int64_t bound(const struct job *j, const struct phase_rank_row *all,
		     int64_t *v)
{
	int64_t usual, floor = j->row.phase_p50_ns / 20;
	size_t n = 0;

	for (size_t i = 0; i < j->n_bursts * j->n_ranks; i++)
		if (all[i].residual_ns != PHASE_UNKNOWN)
			v[n++] = all[i].residual_ns;
	if (!n)
		return INT64_MAX;
	usual = phase_median(v, n);
	usual = phase_times(phase_deviation(v, n, usual), 3);
	if (floor < FLOOR_NS)
		floor = FLOOR_NS;
	return usual > floor ? usual : floor;
}

/* Where iterations run into each other, who got the last one's data late begins
 * the next late, and not by itself.  |waits| as in phase_over_rails(). */
static void forgive(const struct job *j, struct phase_rank_row *all, int64_t *v,
		    int64_t *input, uint32_t *waits)
{
	for (size_t i = 1; i < j->n_bursts; i++) {
		struct phase_rank_row *now = &all[i * j->n_ranks];
		const struct phase_rank_row *before = now - j->n_ranks;
		size_t n = 0;
		int64_t usual;

		for (uint32_t r = 0; r < j->n_ranks; r++)
			input[r] = before[r].input_ns;
		phase_over_rails(j, input, waits + j->n_ranks, waits);
		for (uint32_t r = 0; r < j->n_ranks; r++)
			if (before[r].input_ns != PHASE_UNKNOWN)
				v[n++] = input[waits[r]];
		usual = n ? phase_median(v, n) : 0;
		for (uint32_t r = 0; r < j->n_ranks; r++) {
			int64_t late = input[waits[r]];

			if (late == PHASE_UNKNOWN || late <= usual ||
			    now[r].residual_ns <= 0)
				continue;
			late -= usual;
			now[r].residual_ns -= late < now[r].residual_ns
						      ? late
						      : now[r].residual_ns;
		}
	}
}

/* How often somebody was late on each rail, |events|, and all of them in phase
 * |i|.  Where servers are known, all rails are one, and NICs of a server that
 * are late together are late once: |last| of each is the phase, from 1. */
static void count_late(struct job *j, size_t i,
		       const struct phase_rank_row *rows, int64_t most,
		       int64_t *events, int64_t *last, struct lateness *late)
{
	*late = (struct lateness) { NO_RANK, PHASE_UNKNOWN, 0 };
	for (uint32_t r = 0; r < j->n_ranks; r++) {
		int64_t x = rows[r].residual_ns, *of = &last[j->node[r]];

		if (j->bursts[i].cut || x == PHASE_UNKNOWN || x <= most)
			continue;
		j->ranks[r].late_phases++;
		j->ranks[r].late_ns += x;
		if (*of != (int64_t)i + 1)
			events[j->servers ? 0 : j->part[r]]++;
		*of = (int64_t)i + 1;
		if (late->rank == NO_RANK || x > late->late_ns)
			*late = (struct lateness) { r, x, rows[r].start_ns };
	}
}

/* What rank |r| takes from its input to its begin, in the middle of the phases
 * in which that is work; PHASE_UNKNOWN: in most it gets none before.  What a
 * tree passes on is no work. */
static int64_t work_of(const struct job *j, const struct phase_rank_row *all,
		       uint32_t r, int64_t *v)
{
	size_t n = 0, other = 0;

	for (size_t i = 0; i < j->n_bursts; i++) {
		const struct phase_rank_row *row = all + i * j->n_ranks + r;

		if (row->residual_ns == PHASE_UNKNOWN)
			continue;
		if (row->fed && j->bursts[i].pattern != PATTERN_TREE)
			v[n++] = row->residual_ns;
		else
			other++;
	}
	return n > 3 * other ? phase_median(v, n) : PHASE_UNKNOWN;
}

static bool as_much(uint64_t a, uint64_t b)
{
	return (double)a <= (1 + UNLIKE) * (double)b &&
	       (double)b <= (1 + UNLIKE) * (double)a;
}

/* The least that ranks work which send and get as much as rank |r|. */
static int64_t least_work(const struct job *j, const int64_t *work, uint32_t r)
{
	int64_t least = work[r];

	for (uint32_t o = 0; o < j->n_ranks; o++)
		if (work[o] != PHASE_UNKNOWN && work[o] < least &&
		    as_much(j->ranks[o].bytes_out, j->ranks[r].bytes_out) &&
		    as_much(j->ranks[o].bytes_in, j->ranks[r].bytes_in))
			least = work[o];
	return least;
}

/* What a rank takes from its input to its begin in every phase is its work, as
 * far as others that do the same need it, if there are any: that of a parameter
 * server no other rank has, nor that of the stage of a pipeline (stage.c says
 * how long it is).  It is late by what it takes beyond that. */
static void without_work(const struct job *j, struct phase_rank_row *all,
			 int64_t *v, int64_t *work)
{
	for (uint32_t r = 0; r < j->n_ranks; r++)
		work[r] = work_of(j, all, r, v);
	for (uint32_t r = 0; r < j->n_ranks; r++) {
		int64_t least = work[r] > 0 ? least_work(j, work, r) : 0;

		for (size_t i = 0; work[r] > 0 && i < j->n_bursts; i++) {
			struct phase_rank_row *row = all + i * j->n_ranks + r;
			enum phase_pattern p = j->bursts[i].pattern;

			if (row->residual_ns == PHASE_UNKNOWN || !row->fed ||
			    p == PATTERN_TREE)
				continue;
			row->residual_ns -= p == PATTERN_PIPELINE ? work[r]
					    : least > 0           ? least
								  : 0;
		}
	}
}

bool find_stragglers(struct job *j, struct phase_rank_row *all,
		     struct lateness *late)
{
	int64_t *v = calloc((j->n_bursts + 1) * j->n_ranks + 1, sizeof *v);
	uint32_t *waits = calloc(2 * j->n_ranks + 1, sizeof *waits);
	int64_t *events = calloc(2 * j->n_ranks + 1, sizeof *events), most = 0;
	bool ok = v && waits && events;

	if (ok) {
		forgive(j, all, v + j->n_ranks, v, waits);
		without_work(j, all, v, events);
		memset(events, 0, 2 * j->n_ranks * sizeof *events);
		most = bound(j, all, v);
	}
	free(v);
	free(waits);
	for (size_t i = 0; ok && i < j->n_bursts; i++)
		count_late(j, i, all + i * j->n_ranks, most, events,
			   events + j->n_ranks, &late[i]);
	/* The same rank again and again: a moving one is no host's fault. */
	for (uint32_t r = 0; ok && r < j->n_ranks; r++)
		j->ranks[r].straggler =
			j->ranks[r].late_phases >= LEAST &&
			j->ranks[r].late_phases * 4 >= (int64_t)j->n_bursts &&
			j->ranks[r].late_phases * 2 >
				events[j->servers ? 0 : j->part[r]];
	free(events);
	return ok;
}

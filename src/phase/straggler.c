/* SPDX-License-Identifier: GPL-2.0-or-later
 * Who begins late, and not because its input did: reference 7.5. */
#include <stdlib.h>

#include "phase/phase_int.h"

enum { LEAST = 5, FLOOR_NS = 5000 };

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

/* The last that had come to |r| before it began. */
static int64_t input_before(const struct job *j, const struct rank *r,
			    int64_t start)
{
	int64_t last = PHASE_UNKNOWN;

	for (uint32_t i = 0; i < r->n_in; i++) {
		const struct phase_flow *f = &j->in->flows[r->in[i]];

		for (size_t k = j->cursor[r->in[i]];
		     k < f->n && f->a[k].from < start; k++)
			if (f->a[k].over <= start && f->a[k].over > last)
				last = f->a[k].over;
			else if (f->a[k].over > start)
				last = start; /* it comes while it begins */
	}
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

		if (!k || k == f->n || f->a[k].from != start)
			continue;
		if (f->driven && f->a[k - 1].asked > last)
			last = f->a[k - 1].asked;
		if (f->a[k - 1].granted > last)
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

/* The middle of one column; false: nobody has it. */
static bool middle(const struct job *j, const struct phase_rank_row *rows,
		   bool start, int64_t *v, int64_t *m)
{
	size_t n = 0;

	for (uint32_t r = 0; r < j->n_ranks; r++)
		if (rows[r].start_ns != PHASE_UNKNOWN)
			v[n++] = start ? rows[r].start_ns : rows[r].end_ns;
	if (n)
		*m = phase_median(v, n);
	return n > 0;
}

static void residual(const struct job *j, const struct burst *b, uint32_t r,
		     int64_t usual, struct phase_rank_row *row)
{
	int64_t in = usual, asked;

	if (!j->ranks[r].tapped)
		return;
	asked = asked_before(j, &j->ranks[r], row->start_ns);
	if (asked > usual && asked <= row->start_ns)
		usual = asked;
	if (!begins_alone(b->pattern))
		in = input_before(j, &j->ranks[r], row->start_ns);
	row->residual_ns = row->start_ns - (in > usual ? in : usual);
}

void rank_in_phase(const struct job *j, const struct burst *b,
		   struct phase_rank_row *rows)
{
	int64_t *v = calloc(j->n_ranks + 1, sizeof *v), start, end;

	for (uint32_t r = 0; r < j->n_ranks; r++) {
		rows[r].rank = r;
		rows[r].start_ns = rows[r].end_ns = PHASE_UNKNOWN;
		rows[r].late_start_ns = rows[r].late_end_ns = PHASE_UNKNOWN;
		rows[r].residual_ns = rows[r].input_ns = PHASE_UNKNOWN;
		span_of(j, j->ranks[r].out, j->ranks[r].n_out, b->to, &rows[r],
			true);
		span_of(j, j->ranks[r].in, j->ranks[r].n_in, b->to, &rows[r],
			false);
	}
	if (v && middle(j, rows, true, v, &start) &&
	    middle(j, rows, false, v, &end))
		for (uint32_t r = 0; r < j->n_ranks; r++) {
			if (rows[r].start_ns == PHASE_UNKNOWN)
				continue;
			rows[r].late_start_ns = rows[r].start_ns - start;
			rows[r].late_end_ns = rows[r].end_ns - end;
			residual(j, b, r, start, &rows[r]);
		}
	free(v);
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
 * the next late, and not by itself. */
static void forgive(const struct job *j, struct phase_rank_row *all, int64_t *v)
{
	for (size_t i = 1; i < j->n_bursts; i++) {
		struct phase_rank_row *now = &all[i * j->n_ranks];
		const struct phase_rank_row *before = now - j->n_ranks;
		size_t n = 0;
		int64_t usual;

		for (uint32_t r = 0; r < j->n_ranks; r++)
			if (before[r].input_ns != PHASE_UNKNOWN)
				v[n++] = before[r].input_ns;
		usual = n ? phase_median(v, n) : 0;
		for (uint32_t r = 0; r < j->n_ranks; r++) {
			int64_t late;

			if (before[r].input_ns == PHASE_UNKNOWN ||
			    before[r].input_ns <= usual ||
			    now[r].residual_ns <= 0)
				continue;
			late = before[r].input_ns - usual;
			now[r].residual_ns -= late < now[r].residual_ns
						      ? late
						      : now[r].residual_ns;
		}
	}
}

bool find_stragglers(struct job *j, struct phase_rank_row *all,
		     struct lateness *late)
{
	int64_t *v = calloc(j->n_bursts * j->n_ranks + 1, sizeof *v);
	int64_t most, events = 0;

	if (!v)
		return false;
	forgive(j, all, v);
	most = bound(j, all, v);
	free(v);
	for (size_t i = 0; i < j->n_bursts; i++) {
		late[i] = (struct lateness) { NO_RANK, PHASE_UNKNOWN };
		for (uint32_t r = 0; r < j->n_ranks; r++) {
			int64_t x = all[i * j->n_ranks + r].residual_ns;

			if (j->bursts[i].cut || x == PHASE_UNKNOWN || x <= most)
				continue;
			j->ranks[r].late_phases++;
			j->ranks[r].late_ns += x;
			events++;
			if (late[i].rank == NO_RANK || x > late[i].late_ns)
				late[i] = (struct lateness) { r, x };
		}
	}
	/* The same rank again and again: a moving one is no host's fault. */
	for (uint32_t r = 0; r < j->n_ranks; r++)
		j->ranks[r].straggler =
			j->ranks[r].late_phases >= LEAST &&
			j->ranks[r].late_phases * 4 >= (int64_t)j->n_bursts &&
			j->ranks[r].late_phases * 2 > events;
	return true;
}

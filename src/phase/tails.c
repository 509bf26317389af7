/* SPDX-License-Identifier: GPL-2.0-or-later
 * Where phases that steps showed end.
 *
 * Steps are those of most flows.  The others may end later, or begin earlier:
 * one phase ends where the longest silence of all before the next begins.  A
 * rank whose last data were taken for its first of the next phase would begin
 * that before all others, and never be late. */
#include "phase/phase_int.h"

/* The longest silence between each and the next parts them.  The shortest of
 * these; 0: there is none. */
static int64_t part(const struct interval *busy, size_t n_busy,
		    struct interval *v, size_t n)
{
	int64_t shortest = INT64_MAX;

	for (size_t i = 0, k = 0; i + 1 < n; i++) {
		int64_t end = v[i].to, next = v[i + 1].from, longest = 0;

		for (; k <= n_busy && end < next; k++) {
			int64_t from = k < n_busy && busy[k].from < next
					       ? busy[k].from
					       : next;

			if (from - end > longest) {
				longest = from - end;
				v[i].to = end;
				v[i + 1].from = from;
			}
			if (from == next)
				break;
			end = busy[k].to > end ? busy[k].to : end;
		}
		shortest = longest < shortest ? longest : shortest;
	}
	return n > 1 ? shortest : 0;
}

/* What follows the last phase sooner than others follow each other is of it. */
static void end_last(const struct interval *busy, size_t n_busy,
		     int64_t silence, struct interval *v)
{
	for (size_t k = 0; k < n_busy; k++)
		if (busy[k].to > v->to && busy[k].from - v->to < silence / 2)
			v->to = busy[k].to;
}

void phase_part_at_silences(const struct interval *busy, size_t n_busy,
			    struct interval *v, size_t n)
{
	int64_t silence = part(busy, n_busy, v, n);

	if (silence > 0)
		end_last(busy, n_busy, silence, &v[n - 1]);
}

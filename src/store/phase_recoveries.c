/* SPDX-License-Identifier: GPL-2.0-or-later
 * When the data of a flow arrived, as ACKs and recoveries say. */
#include "base/search.h"
#include "store/phase.h"

enum {
	COMPLAINT_NS = 10 * 1000, /* a receiver takes no longer to complain */
	REPLAY_MAX = 256,         /* stretches of data that are looked at */
};

void phase_by_answers(struct phase_facts *f)
{
	for (size_t i = 0; i < f->n_flows; i++) {
		struct phase_flow *g = &f->flows[i];

		if (g->dst_seen && !g->src_seen)
			continue;
		for (size_t k = 0; k < g->n; k++)
			if (g->a[k].acked != PHASE_UNKNOWN &&
			    g->a[k].acked > g->a[k].arrived)
				g->a[k].arrived = g->a[k].acked;
	}
}

/* Before repairs make it later than the way took. */
static void without_recoveries(struct phase_facts *f)
{
	for (size_t i = 0; i < f->n_flows; i++)
		for (size_t k = 0; k < f->flows[i].n; k++)
			f->flows[i].a[k].there = f->flows[i].a[k].arrived;
}

/* How many activities of |g| begin before |ns|. */
static size_t begun(const struct phase_flow *g, int64_t ns)
{
	return search_below(struct phase_activity, g->a, g->n, from, ns);
}

/* When the sender of |g| had everything acknowledged, or when the last of
 * what it sent in |s| was there; the end of |s| where neither is sooner. */
static int64_t replay_end(const struct phase_flow *g,
			  const struct phase_span *s)
{
	size_t k = begun(g, s->from), end = begun(g, s->to);
	int64_t last;

	if (!end)
		return s->to;
	/* Another tap saw the replay begin later, and what is new a little
	 * sooner. */
	k -= k > 0;
	while (end > k + 1 && g->a[end - 1].sent > s->to)
		end--;
	for (size_t n = 0; k < end && n < REPLAY_MAX; k++, n++)
		if (g->a[k].unacked == 0 && !g->a[k].inside &&
		    g->a[k].acked > s->from && g->a[k].acked < s->to)
			return g->a[k].acked;
	last = g->a[end - 1].arrived;
	if (g->a[end - 1].acked != PHASE_UNKNOWN && g->a[end - 1].acked > last)
		last = g->a[end - 1].acked;
	return last > s->from && last < s->to ? last : s->to;
}

/* A sender has caught up when it sends what is new; its replay may be over
 * sooner, and what follows is its own silence. */
static void end_replays(struct phase_facts *f)
{
	struct phase_span *s = f->evidence;

	for (size_t i = 0; i < f->n_flows; i++)
		for (size_t n = 0; n < f->flows[i].n_evidence; n++, s++)
			if (s->replays)
				s->to = replay_end(&f->flows[i], s);
}

/* Was |a| seen to be whole at the link of its receiver, as late as it was sent
 * again in |s|? */
static bool seen_whole(const struct phase_flow *g,
		       const struct phase_activity *a,
		       const struct phase_span *s)
{
	return g->far && g->dst_seen && s->replays &&
	       (s->class == CLASS_REPLAY || s->class == CLASS_LINK) &&
	       a->there >= s->from;
}

/* Of what |s| repeated nothing was missing. */
static bool was_there(const struct phase_span *s)
{
	return s->class == CLASS_ACKS || s->class == CLASS_EARLY;
}

/* What is refused or lost, or reordered by what is, has not arrived before that
 * is repaired.  The complaint comes a little later; a receiver that is not
 * ready for a message had accepted what it acknowledged before. */
static void by_recoveries(struct phase_facts *f)
{
	for (size_t i = 0; i < f->n_flows; i++) {
		const struct phase_flow *g = &f->flows[i];
		size_t e = 0;

		for (size_t k = 0; k < g->n; k++) {
			struct phase_activity *a = &g->a[k];

			while (e < g->n_evidence && g->evidence[e].to < a->sent)
				e++;
			for (size_t n = e; n < g->n_evidence; n++) {
				const struct phase_span *s = &g->evidence[n];

				if (s->from > a->arrived + COMPLAINT_NS)
					break;
				if (s->class == CLASS_RNR_WAIT &&
				    a->acked != PHASE_UNKNOWN &&
				    a->acked < s->from)
					continue;
				if (s->class > CLASS_PAUSED &&
				    s->class < CLASS_CREDIT_WAIT &&
				    !was_there(s) && s->to > a->arrived &&
				    !seen_whole(g, a, s))
					a->arrived = s->to;
			}
		}
	}
}

void phase_recoveries(struct phase_facts *f)
{
	without_recoveries(f);
	end_replays(f);
	by_recoveries(f);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Where ranks begin what they do together.
 *
 * A rank that is late in each iteration by more than the others compute lets
 * all fall silent in the middle, when these have sent what they can.  What lies
 * between such idle times carries as much as an iteration, but begins in the
 * middle of one: with that rank alone, on whom the others wait.  Those of the
 * same role, who have as many peers and carry about as much, begin the next by
 * themselves before the next one: each of them there, and only there, sends
 * something long after it could.  So much is true of each piece, wherever the
 * capture begins and ends. */
#include <math.h>
#include <stdlib.h>

#include "base/search.h"
#include "base/sort.h"
#include "phase/phase_int.h"

enum {
	LEAST = 2,     /* ranks of the role that begin by themselves ... */
	FACTOR = 3,    /* ... so much longer behind what they could */
	MOST_OF_4 = 3, /* pieces that begin with the same host */
	STREAMS = 2
};

/* Bytes of ranks of one role; the place of something in a piece; by how much of
 * that they begin apart; what of a stretch of data is on its way when those go
 * on that wait for what was before. */
static const double SAME = 0.5, NEAR = 0.1, APART = 0.25;
static const double AHEAD[] = { 0.125, 0.5 };

/* Data that a rank sends or gets, of one stream: what goes round a ring one
 * way, or all of it. */
struct moment {
	int64_t from, to;
	double bytes;
	unsigned stream;
};

/* What it sends, and how long it had been silent since it could. */
struct send {
	int64_t from, gap;
	double left; /* bytes from here to the end of the piece */
};

/* What one rank does; room is for that of any. */
struct doing {
	struct moment *out, *in; /* in order, |n_out| and |n_in| */
	size_t n_out, n_in;
	struct send *sends; /* as |out| */
	size_t *first;      /* by piece: of |sends|, and behind the last */
	int64_t *v;         /* room for numbers of both */
	int64_t *own;       /* by piece: when it begins; PHASE_UNKNOWN */
	bool passes_on;     /* what came, round a ring */
};

/* ---- who begins pieces ---- */

/* When each host first sent and got data in a piece, and, if it was asked for
 * what it sent behind the piece before, by whom; PHASE_NO_HOST. */
struct begins {
	int64_t *sent, *came;
	uint32_t *asked_by;
	size_t *cursor; /* by flow */
	int64_t over;   /* the piece before */
};

static void take_first(int64_t *of, int64_t ns)
{
	if (*of == PHASE_UNKNOWN || ns < *of)
		*of = ns;
}

static void look_at(const struct phase_flow *g, size_t k, struct begins *b)
{
	const struct phase_activity *a = &g->a[k];
	int64_t asked = phase_asked(g, k);

	if (b->sent[g->src] == PHASE_UNKNOWN || a->from < b->sent[g->src])
		b->asked_by[g->src] = asked > b->over && asked <= a->from
					      ? g->dst
					      : PHASE_NO_HOST;
	take_first(&b->sent[g->src], a->from);
	take_first(&b->came[g->dst], a->came);
}

/* The piece ends where the next one begins, at |to|; all before are over. */
static void look(const struct phase_input *in, int64_t to, struct begins *b)
{
	for (size_t h = 0; h < in->n_hosts; h++) {
		b->sent[h] = b->came[h] = PHASE_UNKNOWN;
		b->asked_by[h] = PHASE_NO_HOST;
	}
	for (size_t f = 0; f < in->n_flows; f++) {
		const struct phase_flow *g = &in->flows[f];
		double least = phase_least_data(g);

		for (; b->cursor[f] < g->n && g->a[b->cursor[f]].from < to;
		     b->cursor[f]++)
			if ((double)g->a[b->cursor[f]].bytes > least)
				look_at(g, b->cursor[f], b);
	}
}

/* The host that waited for nobody or others asked, if all that sent had got
 * something before, or were asked by it; NO_RANK: there are several. */
static uint32_t only_begin(const struct phase_input *in, const struct begins *b)
{
	uint32_t only = NO_RANK;

	for (int pass = 0; pass < 2; pass++)
		for (uint32_t h = 0; h < in->n_hosts; h++) {
			uint32_t by = b->asked_by[h];

			if (b->sent[h] == PHASE_UNKNOWN || h == only ||
			    (b->came[h] != PHASE_UNKNOWN &&
			     b->came[h] <= b->sent[h]) ||
			    (pass ? by == only : by != PHASE_NO_HOST))
				continue;
			if (only != NO_RANK)
				return NO_RANK;
			only = h;
		}
	return only;
}

static int64_t end_of_piece(const struct job *j, size_t b)
{
	return b + 1 < j->n_bursts ? j->bursts[b + 1].from : INT64_MAX;
}

/* The rank that most pieces but the first begin with alone; NO_RANK.  False: no
 * memory. */
static bool begins_alone(const struct job *j, uint32_t *rank)
{
	const struct phase_input *in = j->in;
	size_t n = j->n_bursts, *times = calloc(in->n_hosts + 1, sizeof *times);
	struct begins b = { .sent = calloc(2 * in->n_hosts + 1, sizeof *b.sent),
			    .cursor =
				    calloc(in->n_flows + 1, sizeof *b.cursor) };
	bool ok;

	b.asked_by = calloc(in->n_hosts + 1, sizeof *b.asked_by);
	ok = b.sent && b.cursor && b.asked_by && times;
	*rank = NO_RANK;
	b.came = b.sent ? b.sent + in->n_hosts : NULL;
	for (size_t i = 0; ok && i < n; i++) {
		uint32_t h;

		b.over = i ? j->bursts[i - 1].to : -PHASE_FAR;
		look(in, end_of_piece(j, i), &b);
		h = only_begin(in, &b);
		if (i && h != NO_RANK && 4 * ++times[h] >= MOST_OF_4 * (n - 1))
			*rank = j->rank_of[h];
	}
	free(b.sent);
	free(b.asked_by);
	free(b.cursor);
	free(times);
	return ok;
}

/* ---- roles ---- */

/* How many hosts are at the other ends of |n| flows of a rank, |v|; the first
 * of them, and another one. */
static size_t peers(const struct job *j, const uint32_t *v, uint32_t n,
		    bool out, uint32_t *two)
{
	size_t k = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct phase_flow *g = &j->in->flows[v[i]];
		uint32_t h = out ? g->dst : g->src, before = 0;

		for (; before < i; before++) {
			g = &j->in->flows[v[before]];
			if ((out ? g->dst : g->src) == h)
				break;
		}
		if (before == i && k < STREAMS)
			two[k] = h;
		k += before == i;
	}
	return k;
}

static bool near(double a, double b)
{
	return fabs(a - b) <= SAME * fmax(a, b);
}

/* Bytes of |n| flows of a rank in all pieces but the first and the last. */
static double bytes_of(const struct job *j, const uint32_t *v, uint32_t n)
{
	int64_t from = j->bursts[1].from, to = j->bursts[j->n_bursts - 1].from;
	double sum = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct phase_flow *g = &j->in->flows[v[i]];

		for (size_t k = search_below(struct phase_activity, g->a, g->n,
					     from, from);
		     k < g->n && g->a[k].from < to; k++)
			sum += (double)g->a[k].bytes;
	}
	return sum;
}

static bool same_role(const struct job *j, uint32_t a, uint32_t b)
{
	const struct rank *x = &j->ranks[a], *y = &j->ranks[b];
	uint32_t two[STREAMS];

	return near(bytes_of(j, x->out, x->n_out),
		    bytes_of(j, y->out, y->n_out)) &&
	       near(bytes_of(j, x->in, x->n_in), bytes_of(j, y->in, y->n_in)) &&
	       peers(j, x->out, x->n_out, true, two) ==
		       peers(j, y->out, y->n_out, true, two) &&
	       peers(j, x->in, x->n_in, false, two) ==
		       peers(j, y->in, y->n_in, false, two);
}

/* ---- what one rank does ---- */

/* |one|: data from or to that host is a stream of its own; not to |but|, which
 * may not have asked for it. */
static bool list(const struct job *j, const uint32_t *flows, uint32_t n,
		 bool out, uint32_t one, uint32_t but, struct moment **v,
		 size_t *k)
{
	size_t all = 0;

	for (uint32_t i = 0; i < n; i++)
		all += j->in->flows[flows[i]].n;
	*v = calloc(all + 1, sizeof **v);
	*k = 0;
	for (uint32_t i = 0; *v && i < n; i++) {
		const struct phase_flow *g = &j->in->flows[flows[i]];
		double least = phase_least_data(g);

		for (size_t a = 0; a < g->n; a++)
			if ((double)g->a[a].bytes > least &&
			    !(out && g->dst == but))
				(*v)[(*k)++] = (struct moment) {
					out ? g->a[a].from : g->a[a].came,
					out ? g->a[a].sent : g->a[a].arrived,
					(double)g->a[a].bytes,
					(out ? g->dst : g->src) == one
				};
	}
	return *v && sort_by(struct moment, *v, *k, from);
}

/* Round a ring, what comes from one neighbour goes to the other. */
static bool list_all(const struct job *j, uint32_t r, uint32_t but,
		     struct doing *d)
{
	const struct rank *k = &j->ranks[r];
	uint32_t to[STREAMS] = { NO_RANK, NO_RANK };
	uint32_t from[STREAMS] = { NO_RANK, NO_RANK }, one = NO_RANK;
	size_t n = peers(j, k->out, k->n_out, true, to);

	d->passes_on = n <= STREAMS &&
		       peers(j, k->in, k->n_in, false, from) == n &&
		       (n == 1 ? to[0] != from[0]
			       : to[0] == from[0] || to[0] == from[1]);
	if (d->passes_on && n == STREAMS)
		one = to[0];
	if (d->passes_on)
		but = NO_RANK;
	return list(j, k->out, k->n_out, true, one, but, &d->out, &d->n_out) &&
	       list(j, k->in, k->n_in, false,
		    one == NO_RANK   ? one
		    : one == from[0] ? from[1]
				     : from[0],
		    but, &d->in, &d->n_in);
}

/* How much of |stream| had come until |ns|, from |*at| on, behind |*got|. */
static double come_until(const struct doing *d, unsigned stream, int64_t ns,
			 size_t *at, double *got)
{
	double part = 0;

	for (size_t i = *at; i < d->n_in && d->in[i].from <= ns; i++) {
		const struct moment *m = &d->in[i];

		if (m->stream == stream && m->to > ns)
			part += m->bytes * (double)(ns - m->from) /
				(double)(m->to - m->from);
		else if (m->stream == stream && i == *at)
			*got += m->bytes;
		else if (m->stream == stream)
			part += m->bytes;
		*at += i == *at && m->to <= ns;
	}
	return *got + part;
}

/* How far what had come was behind what had been sent, mostly, when it sent
 * something of |stream|, and |part| of a stretch: what follows is on its way
 * then. */
static double usual_behind(struct doing *d, unsigned stream, double part)
{
	double got = 0, sent = 0;
	size_t at = 0, n = 0;

	for (size_t i = 0; i < d->n_out; i++) {
		if (d->out[i].stream != stream)
			continue;
		d->v[n++] =
			(int64_t)(sent - come_until(d, stream, d->out[i].from,
						    &at, &got));
		sent += d->out[i].bytes;
	}
	return n ? (double)phase_median(d->v, n) + part * sent / (double)n : 0;
}

/* Since when each of |stream| could have been sent: as much had come as mostly
 * has then, and more may belong to the next. */
static void since_it_could(struct doing *d, unsigned stream, double part)
{
	double behind = usual_behind(d, stream, part), got = 0, sent = 0;
	int64_t last = -PHASE_FAR;
	size_t at = 0;

	for (size_t i = 0; i < d->n_out; i++) {
		if (d->out[i].stream != stream)
			continue;
		for (; at < d->n_in; at++) {
			const struct moment *m = &d->in[at];
			double more = sent - behind - got;

			if (m->stream != stream)
				continue;
			last = more < m->bytes
				       ? m->from + (int64_t)(fmax(more, 0) /
							     m->bytes *
							     (double)(m->to -
								      m->from))
				       : m->to;
			if (more < m->bytes)
				break;
			got += m->bytes;
		}
		d->sends[i].gap = last;
		sent += d->out[i].bytes;
	}
}

static void measure(const struct job *j, struct doing *d, double part)
{
	int64_t own = j->in->first_ns; /* at least */
	size_t i = 0;

	for (size_t k = 0; k < d->n_out; k++)
		d->sends[k].gap = -PHASE_FAR;
	for (unsigned s = 0; d->passes_on && s < STREAMS; s++)
		since_it_could(d, s, part);
	for (size_t b = 0; b < j->n_bursts; b++) {
		d->first[b] = i;
		for (; i < d->n_out && d->out[i].from < end_of_piece(j, b);
		     i++) {
			int64_t since = d->sends[i].gap;

			since = own > since ? own : since;
			own = d->out[i].to > own ? d->out[i].to : own;
			d->sends[i].from = d->out[i].from;
			d->sends[i].gap = since < d->out[i].from
						  ? d->out[i].from - since
						  : 0;
		}
		d->first[b + 1] = i;
		for (size_t k = i; k-- > d->first[b];)
			d->sends[k].left =
				d->out[k].bytes +
				(k + 1 < i ? d->sends[k + 1].left : 0);
	}
}

/* The longest of a piece; another than that; NULL: it has none. */
static const struct send *longest_of(const struct doing *d, size_t b,
				     const struct send *but)
{
	const struct send *most = NULL;

	for (size_t i = d->first[b]; i < d->first[b + 1]; i++)
		if (&d->sends[i] != but &&
		    (!most || d->sends[i].gap > most->gap))
			most = &d->sends[i];
	return most;
}

/* Of all pieces but the first and the last: what it sends behind the longest
 * gap, |second|: behind the next one; or bytes from there on.  0: unknown. */
static int64_t usual(const struct job *j, const struct doing *d, bool second,
		     bool left)
{
	size_t n = 0;

	for (size_t b = 1; b + 1 < j->n_bursts; b++) {
		const struct send *s = longest_of(d, b, NULL);

		if (second && s)
			s = longest_of(d, b, s);
		d->v[n++] = !s ? 0 : left ? (int64_t)s->left : s->gap;
	}
	return n ? phase_median(d->v, n) : 0;
}

/* What is usual before what it sends. */
static int64_t middle_gap(const struct doing *d)
{
	for (size_t i = 0; i < d->n_out; i++)
		d->v[i] = d->sends[i].gap;
	return phase_median(d->v, d->n_out);
}

/* Does it begin with the piece, as who is late, or whom that asks? */
static bool with_late(const struct job *j, struct doing *d, int64_t longest)
{
	size_t n = 0;

	for (size_t b = 1; b + 1 < j->n_bursts; b++)
		if (d->first[b] < d->first[b + 1] &&
		    longest_of(d, b, NULL) == &d->sends[d->first[b]])
			d->v[n++] =
				d->sends[d->first[b]].from - j->bursts[b].from;
	return 2 * n > j->n_bursts &&
	       phase_times(phase_median(d->v, n), FACTOR) < longest;
}

/* What rank |r| sends to who is |late| may begin shortly before |s|. */
static int64_t earlier_to_late(const struct job *j, uint32_t r, uint32_t late,
			       const struct send *s)
{
	const struct rank *k = &j->ranks[r];
	int64_t from = s->from;

	for (uint32_t i = 0; i < k->n_out; i++) {
		const struct phase_flow *g = &j->in->flows[k->out[i]];
		size_t a = search_below(struct phase_activity, g->a, g->n, from,
					s->from - s->gap / FACTOR);

		if (j->rank_of[g->dst] == late && a < g->n &&
		    g->a[a].from < from)
			from = g->a[a].from;
	}
	return from;
}

/* Where in piece |b| as much is left as usual, |left| of |all|: behind the
 * longest gap near there; NULL: nowhere.  What the capture cuts off is missing
 * at its begin, or at its end. */
static const struct send *where_usual(const struct job *j,
				      const struct doing *d, size_t b,
				      double left, double all)
{
	const struct send *best = NULL;
	double off = 0;

	if (b + 1 == j->n_bursts && d->first[b] < d->first[b + 1])
		off = all - d->sends[d->first[b]].left;
	for (size_t i = d->first[b]; i < d->first[b + 1]; i++) {
		const struct send *s = &d->sends[i];

		if (fabs(s->left + off - left) <= NEAR * all &&
		    (!best || s->gap > best->gap))
			best = s;
	}
	return best;
}

/* Where in piece |b| it had been silent for about as long as it |mostly| is,
 * whatever it sends in each. */
static const struct send *where_silent(const struct doing *d, size_t b,
				       int64_t mostly)
{
	const struct send *s = longest_of(d, b, NULL);

	return s && s->gap >= mostly / 2 ? s : NULL;
}

/* When it begins in each piece. */
static void find_own(const struct job *j, uint32_t r, uint32_t late,
		     struct doing *d)
{
	double left = (double)usual(j, d, false, true), all;
	int64_t mostly = usual(j, d, false, false);
	size_t n = 0;

	for (size_t b = 1; b + 1 < j->n_bursts; b++)
		if (d->first[b] < d->first[b + 1])
			d->v[n++] = (int64_t)d->sends[d->first[b]].left;
	all = n ? (double)phase_median(d->v, n) : 0;
	for (size_t b = 0; b < j->n_bursts; b++) {
		const struct send *s = NULL;

		/* For how long it was silent before the capture, nobody knows.
		 */
		if (d->passes_on || !b)
			s = where_usual(j, d, b, left, all);
		if (!d->passes_on && !s)
			s = where_silent(d, b, mostly);
		d->own[b] = s ? earlier_to_late(j, r, late, s) : PHASE_UNKNOWN;
	}
}

/* ---- all of them ---- */

static void doing_free(struct doing *d)
{
	free(d->out);
	free(d->in);
	free(d->sends);
	free(d->v);
	d->out = d->in = NULL;
	d->sends = NULL;
	d->v = NULL;
}

/* Is there one place in pieces where it begins by itself?  It is taken to pass
 * on what came when all but |part| of that was there. */
static bool begins_itself(const struct job *j, struct doing *d, double part)
{
	int64_t middle, most;

	measure(j, d, part);
	middle = d->passes_on ? middle_gap(d) : 0;
	most = usual(j, d, false, false) - middle;
	return most > middle &&
	       most > phase_times(usual(j, d, true, false) - middle, FACTOR) &&
	       !with_late(j, d, most);
}

/* When rank |r| begins in each piece, |d->own|, if it does |*so| by itself. */
static bool of_rank(const struct job *j, uint32_t r, uint32_t late,
		    struct doing *d, bool *so)
{
	bool ok = list_all(j, r, j->ranks[late].host, d);

	*so = false;
	if (ok) {
		d->sends = calloc(d->n_out + 1, sizeof *d->sends);
		d->v = calloc(d->n_out + j->n_bursts + 1, sizeof *d->v);
	}
	ok = d->sends && d->v;
	for (size_t i = 0; ok && d->n_out && !*so && i < 2; i++)
		*so = begins_itself(j, d, AHEAD[i]);
	if (*so)
		find_own(j, r, late, d);
	doing_free(d);
	return ok;
}

/* Its own begins into |own|, by piece, by rank; the last of piece |b| is the
 * first of the next for |late|. */
static bool of_role(const struct job *j, uint32_t late, struct doing *d,
		    int64_t *own, uint32_t *others, uint32_t *begin)
{
	for (uint32_t r = 0; r < j->n_ranks; r++) {
		bool so;

		if (r == late || !same_role(j, late, r))
			continue;
		++*others;
		if (!of_rank(j, r, late, d, &so))
			return false;
		*begin += so;
		for (size_t b = 0; so && b < j->n_bursts; b++)
			own[b * j->n_ranks + r] = d->own[b];
	}
	return true;
}

/* The middle of the times when ranks begin, |own|; PHASE_UNKNOWN: none does. */
static int64_t middle_of(const struct job *j, const int64_t *own, int64_t *v)
{
	size_t n = 0;

	for (uint32_t r = 0; r < j->n_ranks; r++)
		if (own[r] != PHASE_UNKNOWN)
			v[n++] = own[r];
	return n ? phase_median(v, n) : PHASE_UNKNOWN;
}

/* The first that rank |r| sends from |ns| on. */
static int64_t first_from(const struct job *j, uint32_t r, int64_t ns)
{
	const struct rank *k = &j->ranks[r];
	int64_t first = INT64_MAX;

	for (uint32_t i = 0; i < k->n_out; i++) {
		const struct phase_flow *g = &j->in->flows[k->out[i]];
		size_t a = search_below(struct phase_activity, g->a, g->n, from,
					ns);

		if (a < g->n && g->a[a].from < first)
			first = g->a[a].from;
	}
	return first;
}

/* Ranks begin together, and who had been silent for as long before something
 * else begins there as well.  |v| has room for one number of each, or of each
 * piece. */
static void gather(const struct job *j, int64_t *own, int64_t *v)
{
	int64_t behind = 0;
	size_t n = 0;

	for (size_t b = 1; b < j->n_bursts; b++) {
		int64_t m = middle_of(j, own + b * j->n_ranks, v + n);

		if (m != PHASE_UNKNOWN)
			v[n++] = m - j->bursts[b].from;
	}
	if (n)
		behind = (int64_t)(APART * (double)phase_median(v, n));
	for (size_t b = 0; n && b < j->n_bursts; b++) {
		int64_t *of = own + b * j->n_ranks, m = middle_of(j, of, v);

		for (uint32_t r = 0; r < j->n_ranks; r++) {
			if (of[r] == PHASE_UNKNOWN ||
			    (of[r] >= m - behind && of[r] <= m + behind))
				continue;
			of[r] = first_from(j, r, m - behind);
			if (of[r] > m + behind)
				of[r] = PHASE_UNKNOWN;
		}
	}
}

bool phase_begins(const struct job *j, uint32_t *late, int64_t **own)
{
	size_t n = j->n_bursts + 1, all = n * j->n_ranks;
	struct doing d = { .first = calloc(n, sizeof *d.first),
			   .own = calloc(n, sizeof *d.own) };
	uint32_t others = 0, begin = 0;
	bool ok = d.first && d.own && begins_alone(j, late);

	*own = NULL;
	if (ok && *late != NO_RANK) {
		*own = calloc(2 * all + 1, sizeof **own);
		for (size_t i = 0; *own && i < all; i++)
			(*own)[i] = PHASE_UNKNOWN;
		ok = *own && of_role(j, *late, &d, *own, &others, &begin);
		if (ok)
			gather(j, *own, *own + all);
	}
	if (begin < LEAST || 2 * begin < others) {
		free(*own);
		*own = NULL;
	}
	free(d.first);
	free(d.own);
	return ok;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * What two clocks make of each other. */
#include "flow/multitap/clock_pair.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "flow/multitap/clock_fit.h"
#include "flow/multitap/identity.h"

enum {
	POINTS = 1 << 17,
	VOTERS = 1 << 12, /* directions whose order is asked for */
	VOTES_LEAST = 3,
	NS_PER_S = 1000000000,
};

/* The least delay between two places is less than |late_ns|, and a delay more
 * than |wild_ns| above the least is rare. */
static const double late_ns = 1e6, wild_ns = 10e6;
/* Contradictions of more are no jitter of stamps: these are not the same
 * packets. */
static const double nonsense_ns = 1e6;

struct point {
	int64_t ns, d;  /* by the second clock; second - first */
	uint64_t frame; /* at the second */
	uint32_t forth, back;
	int8_t sign;
};

/* Two directions that are each other's opposite. */
struct voter {
	uint32_t low, high;  /* the two */
	int64_t ns[2], d[2]; /* of the last of each */
	bool seen[2];
	int32_t votes, asked; /* for |low| passing the first place first */
};

struct clock_pair {
	struct point *p;
	size_t n;
	struct clock_point *line, *scratch;
	struct voter *voters;
	bool coarse; /* all stamps are whole microseconds */
};

struct clock_pair *clock_pair_new(void)
{
	struct clock_pair *p = mem_calloc(1, sizeof *p);

	if (!p)
		return NULL;
	p->p = mem_malloc(POINTS * sizeof *p->p);
	p->line = mem_malloc(POINTS * sizeof *p->line);
	p->scratch = mem_malloc(POINTS * sizeof *p->scratch);
	p->voters = mem_calloc(VOTERS, sizeof *p->voters);
	if (p->p && p->line && p->scratch && p->voters)
		return p;
	clock_pair_free(p);
	return NULL;
}

void clock_pair_free(struct clock_pair *p)
{
	if (!p)
		return;
	free(p->p);
	free(p->line);
	free(p->scratch);
	free(p->voters);
	free(p);
}

/* ---- which packets both saw ---- */

/* The only one of the group on |which| side; NULL: none, or several. */
static const struct clock_sample *only(const struct clock_sample *s, size_t n,
				       const uint16_t *side, uint16_t which)
{
	const struct clock_sample *found = NULL;

	for (size_t i = 0; i < n; i++) {
		if (side[s[i].tap] != which)
			continue;
		if (found)
			return NULL;
		found = &s[i];
	}
	return found;
}

static void gather_one(struct clock_pair *p, const struct clock_sample *a,
		       const struct clock_sample *b,
		       const struct clock_view *view)
{
	int64_t first = view ? view->ns(view->ctx, a) : a->ns, d;

	if (icrc_differs(a->icrc, b->icrc))
		return;
	if (__builtin_sub_overflow(b->ns, first, &d) || p->n == POINTS ||
	    llabs(d) > NS_PER_S * INT64_C(1000000000))
		return;
	p->coarse &= a->ns % 1000 == 0 && b->ns % 1000 == 0;
	p->p[p->n++] = (struct point) {
		.ns = b->ns,
		.d = d,
		.frame = b->frame,
		.forth = b->forth,
		.back = b->back,
		.sign = (int8_t)((a->ttl > b->ttl) - (a->ttl < b->ttl)),
	};
}

static int by_frame(const void *a, const void *b)
{
	const struct point *x = a, *y = b;

	return (x->frame > y->frame) - (x->frame < y->frame);
}

/* ---- which place they passed first ---- */

/* What both directions are filed under; one that shares it takes over. */
static struct voter *voter_of(struct clock_pair *p, const struct point *q)
{
	uint32_t low = q->forth < q->back ? q->forth : q->back;
	uint32_t high = q->forth < q->back ? q->back : q->forth;
	struct voter *v = &p->voters[(low ^ high * 0x9e3779b1u) % VOTERS];

	if (v->low != low || v->high != high)
		*v = (struct voter) { .low = low, .high = high };
	return v;
}

/* The way there adds to the difference what the way back takes off. */
static void vote(struct clock_pair *p, const struct point *q)
{
	struct voter *v = voter_of(p, q);
	int me = q->forth != v->low, other = !me;
	int64_t more = q->d - v->d[other];

	if (q->forth == q->back)
		return;
	if (v->seen[other] && more && llabs(q->ns - v->ns[other]) < NS_PER_S) {
		v->asked++;
		v->votes += (more > 0) == (me == 0) ? 1 : -1;
	}
	v->seen[me] = true;
	v->ns[me] = q->ns;
	v->d[me] = q->d;
}

static int voted(struct clock_pair *p, const struct point *q)
{
	const struct voter *v = voter_of(p, q);
	int sign = v->votes > 0 ? 1 : -1;

	if (v->asked < VOTES_LEAST || abs(v->votes) * 4 < v->asked * 3)
		return 0;
	return q->forth == v->low ? sign : -sign;
}

static void find_order(struct clock_pair *p)
{
	memset(p->voters, 0, VOTERS * sizeof *p->voters);
	for (size_t i = 0; i < p->n; i++)
		if (!p->p[i].sign)
			vote(p, &p->p[i]);
	for (size_t i = 0; i < p->n; i++)
		if (!p->p[i].sign)
			p->p[i].sign = (int8_t)voted(p, &p->p[i]);
}

void clock_pair_gather(struct clock_pair *p, const struct clock_sample *s,
		       size_t n, const uint16_t *side,
		       const struct clock_view *view)
{
	p->n = 0;
	p->coarse = true;
	for (size_t i = 0, end; i < n; i = end) {
		const struct clock_sample *a, *b;

		for (end = i + 1; end < n && s[end].key == s[i].key;)
			end++;
		if (end == i + 1)
			continue;
		a = only(&s[i], end - i, side, CLOCK_SIDE_FIRST);
		b = only(&s[i], end - i, side, CLOCK_SIDE_SECOND);
		if (a && b)
			gather_one(p, a, b, view);
	}
	qsort(p->p, p->n, sizeof *p->p, by_frame);
	find_order(p);
}

/* ---- the lines ---- */

static double tolerance(const struct clock_pair *p)
{
	return p->coarse ? 1000 : 0;
}

bool clock_pair_contradicts(struct clock_pair *p)
{
	size_t wrong = 0, all = 0;

	for (size_t i = 0; i < p->n; i++) {
		const struct point *q = &p->p[i];

		all += q->sign != 0;
		wrong += (double)(-q->d * q->sign) > tolerance(p);
	}
	return wrong >= VOTES_LEAST && wrong * 50 >= all;
}

/* Points with a sign only, from |base| on.  How many. */
static size_t points(struct clock_pair *p, int64_t base_ns, int64_t base_d)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++) {
		if (!p->p[i].sign)
			continue;
		p->p[n] = p->p[i];
		p->line[n++] = (struct clock_point) {
			(double)(p->p[i].ns - base_ns) / 1e9,
			(double)(p->p[i].d - base_d), p->p[i].sign
		};
	}
	return n;
}

static bool one_kind(const struct clock_point *q, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (q[i].sign != q[0].sign)
			return false;
	return true;
}

/* Two copies may pass for one packet where each place missed another one of
 * them: a lone point far out on the wrong side is one of these. */
static size_t without_strays(struct clock_point *q, struct point *p, size_t n,
			     int sign)
{
	size_t worst = n, second = n;

	for (size_t i = 0; i < n; i++) {
		if (q[i].sign != sign)
			continue;
		if (worst == n || (q[i].d - q[worst].d) * sign < 0) {
			second = worst;
			worst = i;
		} else if (second == n || (q[i].d - q[second].d) * sign < 0) {
			second = i;
		}
	}
	if (second == n || (q[second].d - q[worst].d) * sign < nonsense_ns)
		return n;
	memmove(&q[worst], &q[worst + 1], (n - worst - 1) * sizeof *q);
	memmove(&p[worst], &p[worst + 1], (n - worst - 1) * sizeof *p);
	return n - 1;
}

/* Does offset 0 fit, so that there is nothing to be corrected? */
static bool fits_as_it_is(const struct clock_pair *p, size_t n)
{
	double least = INFINITY;

	for (size_t i = 0; i < n; i++) {
		double d = (double)p->p[i].d * p->p[i].sign;

		if (d < -tolerance(p))
			return false;
		if (d < least)
			least = d;
	}
	return !one_kind(p->line, n) || least < late_ns;
}

static void add(struct clock_stretches *out, const struct clock_line *line,
		const struct point *first, size_t n, int64_t base_ns,
		int64_t base_d)
{
	out->s[out->n++] = (struct clock_stretch) {
		.from_frame = first->frame,
		.from_ns = first->ns,
		.at_ns = base_ns + llround(line->at * 1e9),
		.offset_ns = base_d + llround(line->offset),
		.drift = line->drift,
		.drift_low = line->drift_low,
		.drift_high = line->drift_high,
		.packets = n,
	};
	if (line->error > out->error)
		out->error = line->error;
	out->two_way &= line->above && line->below;
}

/* One line after the other; false: too many. */
static bool stretches(struct clock_pair *p, size_t n, double allowed,
		      int64_t base_ns, int64_t base_d,
		      struct clock_stretches *out)
{
	struct clock_line line;
	size_t k;

	out->n = 0;
	out->error = 0;
	out->two_way = true;
	for (size_t i = 0; i < n; i += k) {
		if (out->n == CLOCK_STRETCHES)
			return false;
		k = clock_stretch(&p->line[i], n - i, allowed, p->scratch,
				  &line);
		add(out, &line, &p->p[i], k, base_ns, base_d);
	}
	return true;
}

/* One way only: delays that vary like this are not delays. */
static bool makes_sense(const struct clock_pair *p, size_t n,
			const struct clock_stretches *out)
{
	const struct clock_stretch *s = &out->s[0];
	size_t far = 0;

	if (out->two_way)
		return true;
	for (size_t i = 0; i < n; i++) {
		double line = (double)s->offset_ns +
			      s->drift * (double)(p->p[i].ns - s->at_ns) / 1e9;

		far += fabs((double)p->p[i].d - line) > wild_ns;
	}
	return far * 10 < n;
}

static bool fit_all(struct clock_pair *p, size_t n, int64_t base_ns,
		    int64_t base_d, struct clock_stretches *out)
{
	double allowed = tolerance(p);

	while (!stretches(p, n, allowed, base_ns, base_d, out)) {
		allowed = allowed * 4 + 250;
		if (allowed > nonsense_ns)
			return false;
	}
	return makes_sense(p, n, out);
}

static const char *reason(const struct clock_stretches *out)
{
	if (out->applied && !out->two_way)
		return "packets of one direction only: brought to where none "
		       "arrives before it was sent; what the shortest delay "
		       "is cannot be determined";
	if (out->applied)
		return out->n > 1 ? "packets of both directions prove it "
				    "wrong; it was set, or runs unevenly"
				  : "packets of both directions prove it wrong";
	return out->two_way ? "packets of both directions fit it as it is"
			    : "packets of one direction fit it as it is; "
			      "nothing bounds what it may be behind";
}

bool clock_pair_solve(struct clock_pair *p, struct clock_stretches *out)
{
	int64_t base_ns, base_d;
	size_t n;

	*out = (struct clock_stretches) { 0 };
	if (!p->n)
		return false;
	base_ns = p->p[p->n / 2].ns;
	base_d = p->p[p->n / 2].d;
	n = points(p, base_ns, base_d);
	n = without_strays(p->line, p->p, n, 1);
	n = without_strays(p->line, p->p, n, -1);
	if (!n)
		return false;
	if (one_kind(p->line, n) && n < VOTES_LEAST)
		return false;
	if (!fit_all(p, n, base_ns, base_d, out))
		return false;
	out->packets = n;
	out->sign = (p->p[0].sign > 0) - (p->p[0].sign < 0);
	out->applied = !fits_as_it_is(p, n);
	out->why = reason(out);
	return true;
}

int64_t clock_stretches_correct(const struct clock_stretches *s, uint64_t frame,
				int64_t ns)
{
	unsigned i = 0;

	if (!s->n || !s->applied)
		return ns;
	while (i + 1 < s->n && frame >= s->s[i + 1].from_frame)
		i++;
	return ns - s->s[i].offset_ns -
	       (int64_t)llround(s->s[i].drift *
				((double)(ns - s->s[i].at_ns) / 1e9));
}

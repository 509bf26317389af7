/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a collective looks like from outside: the matrix of bytes from rank to
 * rank.
 *
 * A test gives 0 when the shape is another one, else how sure it is.  They are
 * asked in this order; two ranks that send to each other are no ring. */
#include <math.h>
#include <stdlib.h>

#include "phase/phase.h"

const char *const phase_pattern_names[PHASE_PATTERNS] = {
	[PATTERN_RING] = "ring",
	[PATTERN_DOUBLE_RING] = "double-ring",
	[PATTERN_TREE] = "tree",
	[PATTERN_ALL_TO_ALL] = "all-to-all",
	[PATTERN_BROADCAST] = "broadcast",
	[PATTERN_REDUCE] = "reduce",
	[PATTERN_PIPELINE] = "pipeline",
	[PATTERN_EXCHANGE] = "exchange",
};

/* Less than this share of a rank's largest is not part of the shape. */
static const double NOISE = 0.02;
/* What carries as much as something else differs by less. */
static const double ALIKE = 0.1;

struct matrix {
	const uint64_t *b;
	size_t n;
	uint32_t *out, *in; /* peers, without noise */
	uint32_t *to;       /* the peer that got most; n: none */
	double *top;        /* its share */
	uint32_t senders, receivers, edges;
};

static uint64_t at(const struct matrix *m, size_t i, size_t j)
{
	return m->b[i * m->n + j];
}

static void row(struct matrix *m, size_t i)
{
	uint64_t most = 0, sum = 0;

	m->to[i] = (uint32_t)m->n;
	for (size_t j = 0; j < m->n; j++) {
		sum += at(m, i, j);
		if (at(m, i, j) > most) {
			most = at(m, i, j);
			m->to[i] = (uint32_t)j;
		}
	}
	for (size_t j = 0; j < m->n; j++) {
		if (!at(m, i, j) || (double)at(m, i, j) < NOISE * (double)most)
			continue;
		m->out[i]++;
		m->in[j]++;
		m->edges++;
	}
	m->top[i] = sum ? (double)most / (double)sum : 0;
	m->senders += sum > 0;
}

/* Follows |next| from rank 0 and counts the ranks until it is back. */
static size_t cycle(const uint32_t *next, size_t n)
{
	size_t k = 0, i = 0;

	do {
		if (next[i] >= n)
			return 0;
		i = next[i];
		k++;
	} while (i && k <= n);
	return i ? 0 : k;
}

static double ring(const struct matrix *m, uint32_t *order)
{
	double least = 1;

	if (m->n < 3 || m->senders < m->n || cycle(m->to, m->n) != m->n)
		return 0;
	for (size_t i = 0; i < m->n; i++) {
		least = fmin(least, m->top[i]);
		order[i] = m->to[i];
	}
	return least >= 0.8 ? 0.5 + 0.5 * least : 0;
}

/* Every rank has the same two neighbours to send to as to receive from. */
static double double_ring(const struct matrix *m, uint32_t *order)
{
	size_t at_rank = 0, before = m->n, k = 0;

	if (m->n < 3)
		return 0;
	for (size_t i = 0; i < m->n; i++)
		if (m->out[i] != 2 || m->in[i] != 2)
			return 0;
	do {
		size_t next = m->n;

		for (size_t j = 0; j < m->n && next == m->n; j++)
			if (at(m, at_rank, j) && j != before &&
			    (double)at(m, at_rank, j) >=
				    NOISE * (double)at(m, at_rank,
						       m->to[at_rank]))
				next = j;
		if (next == m->n || !at(m, next, at_rank))
			return 0;
		order[at_rank] = (uint32_t)next;
		before = at_rank;
		at_rank = next;
		k++;
	} while (at_rank && k <= m->n);
	/* Three ranks that all talk to each other are both. */
	return k != m->n ? 0 : m->n == 3 ? 0.6 : 0.95;
}

static double all_to_all(const struct matrix *m)
{
	double pairs = (double)(m->n * (m->n - 1)), sum = 0, squares = 0;
	double mean, cv;

	if (m->n < 3 || m->edges < 0.9 * pairs)
		return 0;
	for (size_t i = 0; i < m->n * m->n; i++) {
		sum += (double)m->b[i];
		squares += (double)m->b[i] * (double)m->b[i];
	}
	mean = sum / pairs;
	cv = sqrt(fmax(0, squares / pairs - mean * mean)) / mean;
	return cv <= 0.2 ? 1 - cv : 0;
}

/* Edges both ways between ranks that hang together without a circle, at most
 * three of them at a rank. */
static double tree(const struct matrix *m)
{
	size_t both = 0, leaves = 0;

	if (m->n < 4)
		return 0;
	for (size_t i = 0; i < m->n; i++) {
		if (m->out[i] > 3 || m->in[i] > 3 || !m->out[i])
			return 0;
		leaves += m->out[i] == 1;
		for (size_t j = i + 1; j < m->n; j++)
			both += at(m, i, j) && at(m, j, i);
	}
	/* One job hangs together: a tree has an edge less than ranks. */
	if (both != m->n - 1 || m->edges != 2 * both)
		return 0;
	/* With two ends only it is a chain. */
	return leaves > 2 ? 0.95 : 0;
}

/* What |m| has least of both ways between two ranks, without noise. */
static double least_both(const struct matrix *m)
{
	double least = 0;

	for (size_t i = 0; i < m->n; i++)
		/* who sends nothing has no peer that gets most */
		for (size_t j = 0; j < m->n && m->to[i] < m->n; j++) {
			double b = (double)at(m, i, j);

			if (b >= NOISE * (double)at(m, i, m->to[i]) && b > 0 &&
			    (b < least || least <= 0))
				least = b;
		}
	return least;
}

/* Two trees at once, each with a half of the data and all ranks: edges carry as
 * much both ways, a half or, where they are of both trees, two, and all of them
 * together what two trees have.  So may two pipelines side by side whose ranks
 * exchange what they have learnt, but then each has one for that. */
static double double_tree(const struct matrix *m)
{
	double half = least_both(m);
	size_t halves = 0, both = 0;

	if (m->n < 4 || half <= 0)
		return 0;
	for (size_t i = 0; i < m->n; i++) {
		if (m->out[i] > 6)
			return 0;
		for (size_t j = i + 1; j < m->n; j++) {
			double to = (double)at(m, i, j) / half;
			double back = (double)at(m, j, i) / half;
			double is = to > 1.5 ? 2 : to > 0.5 ? 1 : 0;

			if (fabs(to - is) > ALIKE || fabs(back - is) > ALIKE)
				return 0;
			halves += (size_t)is;
			both += is > 0;
		}
	}
	/* |halves - both| edges are of both. */
	return halves == 2 * (m->n - 1) && 2 * (halves - both) < m->n ? 0.8 : 0;
}

static double fan(const uint32_t *one, const uint32_t *many, size_t n)
{
	size_t hubs = 0, spokes = 0;

	for (size_t i = 0; i < n; i++) {
		hubs += one[i] == n - 1 && !many[i];
		spokes += !one[i] && many[i] == 1;
	}
	return n >= 3 && hubs == 1 && spokes == n - 1 ? 0.9 : 0;
}

/* A line of ranks, one way or both. */
static double pipeline(const struct matrix *m)
{
	size_t ends = 0;

	if (m->n < 3)
		return 0;
	for (size_t i = 0; i < m->n; i++) {
		uint32_t peers = 0;

		for (size_t j = 0; j < m->n; j++)
			peers += at(m, i, j) || at(m, j, i);
		if (peers > 2)
			return 0;
		ends += peers == 1;
	}
	return ends == 2 ? 0.85 : 0;
}

static enum phase_pattern recognise(const struct matrix *m, double *sure,
				    uint32_t *order)
{
	if ((*sure = ring(m, order)) > 0)
		return PATTERN_RING;
	if ((*sure = all_to_all(m)) > 0 && m->n > 3)
		return PATTERN_ALL_TO_ALL;
	if ((*sure = double_ring(m, order)) > 0)
		return PATTERN_DOUBLE_RING;
	if ((*sure = tree(m)) > 0 || (*sure = double_tree(m)) > 0)
		return PATTERN_TREE;
	if ((*sure = fan(m->out, m->in, m->n)) > 0)
		return PATTERN_BROADCAST;
	if ((*sure = fan(m->in, m->out, m->n)) > 0)
		return PATTERN_REDUCE;
	if ((*sure = pipeline(m)) > 0)
		return PATTERN_PIPELINE;
	*sure = m->n == 2 && m->edges == 2 ? 0.95 : 0;
	return *sure > 0 ? PATTERN_EXCHANGE : PATTERN_NONE;
}

enum phase_pattern phase_shape(const uint64_t *bytes, size_t n,
			       double *confidence, uint32_t *order)
{
	struct matrix m = { .b = bytes, .n = n };
	enum phase_pattern p = PATTERN_NONE;

	*confidence = 0;
	m.out = calloc(3 * n + 1, sizeof *m.out);
	m.top = calloc(n + 1, sizeof *m.top);
	if (m.out && m.top) {
		m.in = m.out + n;
		m.to = m.in + n;
		for (size_t i = 0; i < n; i++)
			row(&m, i);
		p = recognise(&m, confidence, order);
	}
	free(m.out);
	free(m.top);
	return p;
}

struct part {
	uint32_t *ranks;
	uint64_t *bytes;
	uint32_t *order;
	size_t n;
};

static void take_part(struct part *p, const uint64_t *bytes, size_t n,
		      const uint32_t *part, size_t k)
{
	p->n = 0;
	for (size_t i = 0; i < n; i++)
		if (part[i] == k)
			p->ranks[p->n++] = (uint32_t)i;
	for (size_t i = 0; i < p->n; i++)
		for (size_t j = 0; j < p->n; j++)
			p->bytes[i * p->n + j] =
				bytes[p->ranks[i] * n + p->ranks[j]];
}

static enum phase_pattern all_parts(struct part *p, const uint64_t *bytes,
				    size_t n, const uint32_t *part,
				    size_t parts, double *sure, uint32_t *order)
{
	enum phase_pattern all = PATTERN_NONE;

	*sure = 1;
	for (size_t k = 0; k < parts; k++) {
		enum phase_pattern one;
		double is;

		take_part(p, bytes, n, part, k);
		one = phase_shape(p->bytes, p->n, &is, p->order);
		if (one == PATTERN_NONE || (k && one != all)) {
			*sure = 0;
			return PATTERN_NONE;
		}
		all = one;
		*sure = fmin(*sure, is);
		for (size_t i = 0; i < p->n; i++)
			order[p->ranks[i]] = p->ranks[p->order[i]];
	}
	return all;
}

enum phase_pattern phase_shape_in_parts(const uint64_t *bytes, size_t n,
					const uint32_t *part, size_t parts,
					double *confidence, uint32_t *order)
{
	struct part p = { 0 };
	enum phase_pattern all = PATTERN_NONE;

	if (parts <= 1)
		return phase_shape(bytes, n, confidence, order);
	*confidence = 0;
	p.ranks = calloc(2 * n + 1, sizeof *p.ranks);
	p.bytes = calloc(n * n + 1, sizeof *p.bytes);
	if (p.ranks && p.bytes) {
		p.order = p.ranks + n;
		all = all_parts(&p, bytes, n, part, parts, confidence, order);
	}
	free(p.ranks);
	free(p.bytes);
	return all;
}

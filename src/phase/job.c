/* SPDX-License-Identifier: GPL-2.0-or-later
 * One job: its ranks, its phases, and the rows of all that. */
#include <stdlib.h>
#include <string.h>

#include "phase/path_int.h"

enum {
	RANKS_MAX = 4096,
	RANK_PHASES_MAX = 1 << 22, /* some 5 us and 130 bytes each */
	FLOW_PHASES_MAX = 1 << 27, /* some 60 ns each */
	SHAPE_MAX = 1024,
	ROWS_MAX = 50000,
	SIGNAL_BYTES = 64 /* of a packet, at most */
};

/* ---- ranks ---- */

static bool count_ranks(struct job *j)
{
	const struct phase_input *in = j->in;

	j->rank_of = malloc((in->n_hosts + 1) * sizeof *j->rank_of);
	if (!j->rank_of)
		return false;
	memset(j->rank_of, 0xff, in->n_hosts * sizeof *j->rank_of);
	for (size_t i = 0; i < in->n_flows; i++)
		j->rank_of[in->flows[i].src] = j->rank_of[in->flows[i].dst] = 0;
	for (size_t h = 0; h < in->n_hosts; h++)
		if (j->rank_of[h] != NO_RANK)
			j->rank_of[h] = j->n_ranks++;
	j->ranks = calloc(j->n_ranks + 1, sizeof *j->ranks);
	j->flow_lists = calloc(2 * in->n_flows + 1, sizeof *j->flow_lists);
	j->cursor = calloc(in->n_flows + 1, sizeof *j->cursor);
	j->cut = calloc(in->n_flows + 1, sizeof *j->cut);
	j->uncut = calloc(in->n_flows + 1, sizeof *j->uncut);
	j->part = calloc(j->n_ranks + 1, sizeof *j->part);
	j->node = calloc(j->n_ranks + 1, sizeof *j->node);
	return j->ranks && j->flow_lists && j->cursor && j->cut && j->uncut &&
	       j->part && j->node;
}

/* Rails are parts of a job: between their ranks there is no flow. */
static void find_parts(struct job *j)
{
	uint32_t *up = j->part;

	for (uint32_t r = 0; r < j->n_ranks; r++)
		up[r] = r;
	for (size_t i = 0; i < j->in->n_flows; i++) {
		const struct phase_flow *f = &j->in->flows[i];
		union_join(up, j->rank_of[f->src], j->rank_of[f->dst]);
	}
	for (uint32_t r = 0; r < j->n_ranks; r++)
		up[r] = union_first(up, r);
	/* A part's first rank comes first, and is the only one of itself. */
	for (uint32_t r = 0; r < j->n_ranks; r++)
		up[r] = up[r] == r ? j->row.rails++ : up[up[r]];
}

static void list_flows(struct job *j)
{
	const struct phase_input *in = j->in;
	uint32_t *next = j->flow_lists;

	for (size_t i = 0; i < in->n_flows; i++) {
		j->ranks[j->rank_of[in->flows[i].src]].n_out++;
		j->ranks[j->rank_of[in->flows[i].dst]].n_in++;
	}
	for (uint32_t r = 0; r < j->n_ranks; r++) {
		j->ranks[r].out = next;
		j->ranks[r].in = next + j->ranks[r].n_out;
		next += j->ranks[r].n_out + j->ranks[r].n_in;
		j->ranks[r].n_out = j->ranks[r].n_in = 0;
		j->ranks[r].next = j->ranks[r].before = NO_RANK;
	}
	for (uint32_t i = 0; i < in->n_flows; i++) {
		struct rank *s = &j->ranks[j->rank_of[in->flows[i].src]];
		struct rank *d = &j->ranks[j->rank_of[in->flows[i].dst]];
		uint64_t b = phase_bytes(&in->flows[i]);

		s->out[s->n_out++] = i;
		d->in[d->n_in++] = i;
		s->bytes_out += b;
		d->bytes_in += b;
		j->row.bytes += b;
	}
}

static void describe(struct job *j)
{
	const struct phase_input *in = j->in;

	for (size_t h = 0; h < in->n_hosts; h++)
		if (j->rank_of[h] != NO_RANK)
			j->ranks[j->rank_of[h]].host = (uint32_t)h;
	for (uint32_t r = 0; r < j->n_ranks; r++) {
		struct rank *k = &j->ranks[r];

		k->tapped = in->hosts[k->host].link ||
			    (k->bytes_in && k->bytes_out);
		j->row.ranks_tapped += k->tapped;
	}
	j->row.ranks = j->n_ranks;
	j->row.flows = (uint32_t)in->n_flows;
	j->row.first_ns = INT64_MAX;
	j->row.last_ns = INT64_MIN;
	for (size_t i = 0; i < in->n_flows; i++) {
		const struct phase_flow *f = &in->flows[i];

		if (f->n && f->a[0].from < j->row.first_ns)
			j->row.first_ns = f->a[0].from;
		/* What still waits in a queue is under way. */
		if (f->n && f->a[f->n - 1].over > j->row.last_ns)
			j->row.last_ns = f->a[f->n - 1].over;
	}
	if (j->row.last_ns == INT64_MIN) /* no bursts of it were kept */
		j->row.first_ns = j->row.last_ns = PHASE_UNKNOWN;
}

/* NICs of a server are ranks of one node. */
static bool find_nodes(struct job *j)
{
	uint32_t most = 0, known = 0, shared = 0, *first;

	for (uint32_t r = 0; r < j->n_ranks; r++) {
		uint32_t server = j->in->hosts[j->ranks[r].host].server;

		most = server > most ? server : most;
		known += server > 0;
	}
	first = calloc((size_t)most + 1, sizeof *first);
	for (uint32_t r = 0; first && r < j->n_ranks; r++) {
		uint32_t *f = &first[j->in->hosts[j->ranks[r].host].server];
		bool again = f != first && *f;

		j->node[r] = again ? *f - 1 : r;
		*f = j->node[r] + 1;
		shared += again;
	}
	j->servers = first && shared && known == j->n_ranks;
	free(first);
	return first;
}

/* ---- the shape of each phase ---- */

size_t activities_end(const struct job *j, uint32_t f, int64_t to)
{
	const struct phase_flow *g = &j->in->flows[f];
	size_t k = j->cursor[f];

	while (k < g->n && g->a[k].from < to)
		k++;
	return k;
}

/* Where some ranks are not seen whole, what looks like a line, a tree or a fan
 * may be a part of anything. */
static bool partial(const struct job *j)
{
	return j->row.ranks_tapped < j->n_ranks;
}

static void join_ring(struct job *j, const struct burst *b,
		      const uint32_t *order)
{
	if (b->pattern != PATTERN_RING && b->pattern != PATTERN_DOUBLE_RING)
		return;
	for (uint32_t r = 0; r < j->n_ranks; r++) {
		j->ranks[r].next = order[r];
		j->ranks[order[r]].before = r;
	}
}

/* When the first data of |n| flows was sent in the phase, or |came|; INT64_MAX:
 * there is none. */
static int64_t first_of(const struct job *j, const struct burst *b,
			const uint32_t *flows, uint32_t n, bool came)
{
	int64_t first = INT64_MAX;

	for (uint32_t i = 0; i < n; i++) {
		const struct phase_flow *g = &j->in->flows[flows[i]];
		size_t k = j->cursor[flows[i]];
		int64_t ns;

		if (k >= g->n || g->a[k].from >= b->to)
			continue;
		ns = came ? g->a[k].came : g->a[k].from;
		first = ns < first ? ns : first;
	}
	return first;
}

/* A chain whose ends both send before they got something passes sums to its
 * middle and back: a tree.  In a pipeline one end waits for the other. */
static bool from_both_ends(const struct job *j, const struct burst *b)
{
	size_t began = 0;

	for (uint32_t r = 0; r < j->n_ranks; r++) {
		const struct rank *k = &j->ranks[r];
		int64_t out = first_of(j, b, k->out, k->n_out, false);
		int64_t in = first_of(j, b, k->in, k->n_in, true);
		uint32_t peer = k->n_out ? j->in->flows[k->out[0]].dst : 0;
		bool end = out != INT64_MAX;

		for (uint32_t i = 0; i < k->n_out; i++)
			end = end && j->in->flows[k->out[i]].dst == peer;
		began += end && out < in;
	}
	return began > j->row.rails;
}

static void shape(struct job *j, struct burst *b, uint64_t *m, uint32_t *order)
{
	size_t n = j->n_ranks;

	memset(m, 0, n * n * sizeof *m);
	for (uint32_t f = 0; f < j->in->n_flows; f++) {
		const struct phase_flow *g = &j->in->flows[f];
		size_t end = activities_end(j, f, b->to);
		uint64_t *cell =
			&m[j->rank_of[g->src] * n + j->rank_of[g->dst]];

		for (size_t k = j->cursor[f]; k < end; k++)
			*cell += g->a[k].bytes;
	}
	b->pattern = phase_shape_in_parts(m, n, j->part, j->row.rails,
					  &b->confidence, order);
	if (b->pattern == PATTERN_PIPELINE && from_both_ends(j, b))
		b->pattern = PATTERN_TREE;
	if (partial(j) && b->pattern != PATTERN_RING &&
	    b->pattern != PATTERN_ALL_TO_ALL &&
	    b->pattern != PATTERN_EXCHANGE) {
		b->pattern = PATTERN_NONE;
		b->confidence = 0;
	}
	join_ring(j, b, order);
}

/* Lets |each| see one phase after the other, the cursors in place. */
static void over_phases(struct job *j,
			void (*each)(struct job *, size_t i, void *ctx),
			void *ctx)
{
	memset(j->cursor, 0, j->in->n_flows * sizeof *j->cursor);
	for (size_t i = 0; i < j->n_bursts; i++) {
		for (uint32_t f = 0; f < j->in->n_flows; f++) {
			const struct phase_flow *g = &j->in->flows[f];
			size_t *c = &j->cursor[f];

			while (*c < g->n && g->a[*c].from < j->bursts[i].from)
				++*c;
		}
		each(j, i, ctx);
	}
}

struct shaping {
	uint64_t *m;
	uint32_t *order;
};

static void shape_one(struct job *j, size_t i, void *ctx)
{
	struct shaping *s = ctx;

	shape(j, &j->bursts[i], s->m, s->order);
}

static bool shape_all(struct job *j)
{
	struct shaping s;
	size_t n = j->n_ranks, count[PHASE_PATTERNS] = { 0 }, most = 0;

	if (n > SHAPE_MAX)
		return true;
	s.m = calloc(n * n + 1, sizeof *s.m);
	s.order = calloc(n + 1, sizeof *s.order);
	if (s.m && s.order)
		over_phases(j, shape_one, &s);
	for (size_t i = 0; i < j->n_bursts; i++)
		most = ++count[j->bursts[i].pattern] > count[most]
			       ? j->bursts[i].pattern
			       : most;
	j->row.pattern = (enum phase_pattern)most;
	for (size_t i = 0; i < j->n_bursts; i++)
		if (j->bursts[i].pattern == most)
			j->row.pattern_confidence +=
				j->bursts[i].confidence / (double)j->n_bursts;
	free(s.m);
	free(s.order);
	return s.m && s.order;
}

/* ---- which collective ---- */

/* Messages from a rank to its next in an iteration: of each flow the same
 * number, or of all flows of the pair together.  0: no whole number. */
static uint64_t steps_of(const struct job *j, bool together)
{
	uint64_t steps = 0, per = (uint64_t)j->row.iterations;

	for (uint32_t r = 0; r < j->n_ranks; r++) {
		const struct rank *k = &j->ranks[r];
		uint64_t sum = 0;

		for (uint32_t i = 0; i < k->n_out; i++) {
			uint64_t n = j->in->flows[k->out[i]].messages;

			if (j->in->flows[k->out[i]].dst !=
			    j->ranks[k->next].host)
				return 0;
			sum = together ? sum + n : n;
			if (!together && steps && n != steps * per)
				return 0;
			if (!together)
				steps = n / per;
		}
		if (together && steps && sum != steps * per)
			return 0;
		if (together)
			steps = sum / per;
		if (steps * per != sum)
			return 0;
	}
	return steps;
}

/* An all-reduce goes round a ring twice, an all-gather and a reduce-scatter
 * once: n - 1 steps, of one message or some. */
static const char *ring_collective(const struct job *j, double *sure)
{
	uint64_t once = j->n_ranks / j->row.rails - 1, steps;

	*sure = 0;
	if (!once || j->n_ranks % j->row.rails)
		return NULL;
	steps = steps_of(j, false);
	if (!steps || steps % once)
		steps = steps_of(j, true);
	if (!steps || steps % once || j->bursts[0].cut ||
	    j->bursts[j->n_bursts - 1].cut)
		return NULL;
	*sure = steps <= 2 * once ? 0.8 : 0.6;
	if (steps / once % 2)
		return "all-gather or reduce-scatter";
	/* In pieces, either may have any even number of messages. */
	return steps == 2 * once ? "all-reduce" : (*sure = 0, NULL);
}

static void name_collective(struct job *j)
{
	struct phase_job *o = &j->row;

	if (partial(j))
		return;
	if (o->pattern == PATTERN_RING && o->iterations > 0)
		o->collective = ring_collective(j, &o->collective_confidence);
	else if (o->pattern == PATTERN_TREE)
		o->collective = "all-reduce";
	else if (o->pattern == PATTERN_ALL_TO_ALL)
		o->collective = "all-to-all";
	if (o->collective && o->collective_confidence <= 0)
		o->collective_confidence = 0.8 * o->pattern_confidence;
}

/* ---- figures ---- */

static int64_t median_of(struct job *j, int64_t (*value)(struct job *, size_t))
{
	int64_t *v = calloc(j->n_bursts + 1, sizeof *v), m = PHASE_UNKNOWN;
	size_t n = 0;

	for (size_t i = 0; v && i < j->n_bursts; i++)
		if (!j->bursts[i].cut && (v[n] = value(j, i)) != PHASE_UNKNOWN)
			n++;
	if (n)
		m = phase_median(v, n);
	free(v);
	return m;
}

static int64_t duration(struct job *j, size_t i)
{
	return j->bursts[i].to - j->bursts[i].from;
}

static uint32_t senders(const struct job *j)
{
	uint32_t n = 0;

	for (uint32_t r = 0; r < j->n_ranks; r++)
		n += j->ranks[r].bytes_out > 0;
	return n;
}

/* What a rank sends, per time. */
static int64_t busbw(struct job *j, size_t i)
{
	uint32_t n = senders(j);
	int64_t ns = duration(j, i);

	if (!n || ns <= 0)
		return PHASE_UNKNOWN;
	return (int64_t)((double)j->bursts[i].bytes / n * 8e9 / (double)ns);
}

static int64_t sent(struct job *j, size_t i)
{
	uint32_t n = senders(j);

	return n ? (int64_t)(j->bursts[i].bytes / n) : PHASE_UNKNOWN;
}

static void mark_slow(struct job *j)
{
	int64_t *v = calloc(j->n_bursts + 1, sizeof *v), dev, least;
	int64_t middle = j->row.phase_p50_ns;
	size_t n = 0;

	for (size_t i = 0; v && i < j->n_bursts; i++)
		if (!j->bursts[i].cut)
			v[n++] = duration(j, i);
	dev = n ? phase_times(phase_deviation(v, n, middle), 9) / 2 : 0;
	least = middle / 20;
	for (size_t i = 0; i < j->n_bursts; i++)
		j->bursts[i].slow =
			!j->bursts[i].cut &&
			duration(j, i) - middle > (dev > least ? dev : least);
	free(v);
}

static void figures(struct job *j)
{
	const struct burst *first = &j->bursts[j->bursts[0].cut];
	const struct burst *last =
		&j->bursts[j->n_bursts - 1 - j->bursts[j->n_bursts - 1].cut];
	struct phase_job *o = &j->row;

	o->phases = (int64_t)j->n_bursts;
	o->jct_ns = last->to - first->from;
	o->comm_ns = 0;
	o->compute_ns = PHASE_UNKNOWN;
	for (const struct burst *b = first; b <= last; b++) {
		int64_t gap = b > first ? b->from - b[-1].to : 0;

		o->comm_ns += b->to - b->from;
		if (b > first && b->iteration != b[-1].iteration &&
		    (o->compute_ns == PHASE_UNKNOWN || gap < o->compute_ns))
			o->compute_ns = gap;
	}
	o->phase_p50_ns = median_of(j, duration);
	o->busbw_p50_bps = median_of(j, busbw);
	o->rank_bytes = median_of(j, sent);
	if (o->rank_bytes != PHASE_UNKNOWN && o->iterations > 0)
		o->rank_bytes *=
			(o->phases + o->iterations / 2) / o->iterations;
	o->links_seen = senders(j);
	mark_slow(j);
}

static void no_figures(struct phase_job *o)
{
	o->jct_ns = o->comm_ns = o->phase_p50_ns = PHASE_UNKNOWN;
	o->compute_ns = o->rank_bytes = o->busbw_p50_bps = PHASE_UNKNOWN;
	o->rate_bps = o->links_seen = PHASE_UNKNOWN;
}

/* ---- rows ---- */

struct telling {
	const struct phase_sink *sink;
	struct phase_rank_row *all;
	struct lateness *late;
	int64_t first_id;
	const struct path *path;
	uint64_t rank_rows, flow_rows;
	int64_t phase; /* phase.id */
};

static void collect(struct job *j, size_t i, void *ctx)
{
	struct telling *t = ctx;

	rank_in_phase(j, &j->bursts[i], t->all + i * j->n_ranks);
}

/* All flows of a phase; of slow phases as long as there is room, of the
 * others as long as there is plenty. */
static void tell_flows(struct job *j, size_t i, struct telling *t)
{
	const struct burst *b = &j->bursts[i];

	if (t->flow_rows > (b->slow ? ROWS_MAX : ROWS_MAX / 2))
		return;
	for (uint32_t f = 0; f < j->in->n_flows; f++) {
		struct path_time time = { { 0 } };

		if (activities_end(j, f, b->to) == j->cursor[f])
			continue;
		piece_flow(&t->path->facts, f, b->from, b->to, &time);
		for (unsigned c = 0; c < SHARE_COUNT; c++) {
			struct phase_flow_row row = { t->phase,
						      j->in->flows[f].id, c,
						      time.ns[c] };

			if (!time.ns[c])
				continue;
			t->sink->phase_flow(t->sink->ctx, &row);
			t->flow_rows++;
		}
	}
}

static void tell_ranks(struct job *j, size_t i, struct telling *t)
{
	for (uint32_t r = 0; r < j->n_ranks && t->rank_rows < ROWS_MAX; r++) {
		struct phase_rank_row *row = &t->all[i * j->n_ranks + r];

		row->phase = t->phase;
		t->sink->phase_rank(t->sink->ctx, row);
		t->rank_rows++;
	}
}

static void tell_phase(struct job *j, size_t i, void *ctx)
{
	struct telling *t = ctx;
	const struct burst *b = &j->bursts[i];
	struct phase row = {
		.id = t->first_id + (int64_t)i,
		.job = j->row.id,
		.iteration = b->iteration,
		.first_ns = b->from,
		.last_ns = b->to,
		.gap_ns = i ? b->from - b[-1].to : PHASE_UNKNOWN,
		.pattern = b->pattern,
		.confidence = b->confidence,
		.bytes = b->bytes,
		.busbw_bps = busbw(j, i),
		.cut = b->cut,
		.slow = b->slow,
		.late_rank = PHASE_UNKNOWN,
		.late_ns = PHASE_UNKNOWN,
	};

	for (uint32_t r = 0; r < j->n_ranks; r++)
		row.ranks +=
			t->all[i * j->n_ranks + r].start_ns != PHASE_UNKNOWN;
	if (t->late[i].rank != NO_RANK) {
		row.late_rank = t->late[i].rank;
		row.late_ns = t->late[i].late_ns;
	}
	t->phase = row.id;
	t->sink->phase(t->sink->ctx, &row);
	tell_ranks(j, i, t);
	tell_flows(j, i, t);
}

static void tell_rank(const struct job *j, uint32_t r,
		      const struct phase_rank_row *all,
		      const struct phase_sink *sink)
{
	const struct rank *k = &j->ranks[r];
	const struct phase_host *h = &j->in->hosts[k->host];
	int64_t *v = calloc(j->n_bursts + 1, sizeof *v);
	struct phase_rank row = {
		.job = j->row.id,
		.rank = r,
		.address = h->address,
		.rail = h->rail < 0 ? PHASE_UNKNOWN : h->rail,
		.tapped = k->tapped,
		.bytes_out = k->bytes_out,
		.bytes_in = k->bytes_in,
		.flows = k->n_out + k->n_in,
		.residual_ns = PHASE_UNKNOWN,
		.spread_ns = PHASE_UNKNOWN,
		.late_phases = k->late_phases,
		.late_ns = k->late_ns,
		.straggler = k->straggler,
		.stage_ns = k->stage_ns ? k->stage_ns : PHASE_UNKNOWN,
	};
	size_t n = 0;

	for (size_t i = 0; all && i < j->n_bursts; i++) {
		const struct phase_rank_row *p = &all[i * j->n_ranks + r];

		row.phases += p->start_ns != PHASE_UNKNOWN;
		if (v && p->residual_ns != PHASE_UNKNOWN && !j->bursts[i].cut)
			v[n++] = p->residual_ns;
	}
	if (n) {
		row.residual_ns = phase_median(v, n);
		row.spread_ns = phase_deviation(v, n, row.residual_ns);
	}
	free(v);
	sink->rank(sink->ctx, &row);
}

static bool tell_phases(struct job *j, struct path *p,
			const struct phase_sink *sink, int64_t *next_phase)
{
	struct telling t = { .sink = sink, .path = p, .first_id = *next_phase };
	bool ok = false;

	t.all = calloc(j->n_bursts * j->n_ranks + 1, sizeof *t.all);
	t.late = calloc(j->n_bursts + 1, sizeof *t.late);
	if (t.all && t.late) {
		over_phases(j, collect, &t);
		path_forgive(p, t.all);
		ok = find_stragglers(j, t.all, t.late);
	}
	if (ok) {
		over_phases(j, tell_phase, &t);
		ok = path_stages(p) && path_job(p, t.first_id, t.late, sink);
		for (uint32_t r = 0; r < j->n_ranks; r++)
			tell_rank(j, r, t.all, sink);
		*next_phase += (int64_t)j->n_bursts;
	}
	free(t.all);
	free(t.late);
	return ok;
}

static void tell_messages(const struct path *p, const struct phase_sink *sink)
{
	const struct phase_input *in = p->j->in;

	for (size_t i = 0; i < in->n_messages; i++) {
		const struct phase_message *m = &in->messages[i];
		struct path_time time = { { 0 } };

		piece_flow(&p->facts, (uint32_t)m->flow, m->from, m->to, &time);
		for (unsigned c = 0; c < SHARE_COUNT; c++) {
			struct phase_message_row row = { m->id, c, time.ns[c] };

			if (time.ns[c])
				sink->message(sink->ctx, &row);
		}
	}
}

/* ---- what hosts recorded ---- */

/* The shape of all there was, where it is not known of phases. */
static bool shape_whole(struct job *j, enum phase_pattern *pattern)
{
	struct burst all = { .from = INT64_MIN, .to = INT64_MAX };
	size_t n = j->n_ranks;
	uint64_t *m;
	uint32_t *order;

	*pattern = j->row.pattern;
	if (*pattern != PATTERN_NONE || n > SHAPE_MAX)
		return true;
	m = calloc(n * n + 1, sizeof *m);
	order = calloc(n + 1, sizeof *order);
	if (m && order) {
		shape(j, &all, m, order);
		*pattern = all.pattern;
	}
	free(m);
	free(order);
	return m && order;
}

static bool tell_windows(struct job *j, struct path *p,
			 const struct phase_sink *sink)
{
	enum phase_pattern pattern;

	if (!j->in->n_windows)
		return true;
	memset(j->cursor, 0, j->in->n_flows * sizeof *j->cursor);
	if (!shape_whole(j, &pattern))
		return false;
	for (size_t i = 0; i < j->in->n_windows; i++)
		path_window(p, &j->in->windows[i], pattern, sink);
	return true;
}

static bool emit_job(struct job *j, struct path *p,
		     const struct phase_sink *sink, int64_t *next_phase)
{
	bool phases = j->row.iterations != PHASE_UNKNOWN;

	j->row.uneven_ns = PHASE_UNKNOWN;
	if (phases && (!shape_all(j) || (!partial(j) && !group_ranks(j, sink))))
		return false;
	if (phases) {
		figures(j);
		name_collective(j);
	} else {
		no_figures(&j->row);
	}
	if (!path_usual(p))
		return false;
	tell_messages(p, sink);
	if (!phases) {
		for (uint32_t r = 0; r < j->n_ranks; r++)
			tell_rank(j, r, NULL, sink);
		if (!path_job(p, 0, NULL, sink))
			return false;
	} else if (!tell_phases(j, p, sink, next_phase)) {
		return false;
	}
	sink->job(sink->ctx, &j->row);
	return tell_windows(j, p, sink);
}

/* Ranks that let each other know where they are, and send no data. */
static bool only_signals(const struct job *j)
{
	for (size_t f = 0; f < j->in->n_flows; f++)
		for (size_t i = 0; i < j->in->flows[f].n; i++) {
			const struct phase_activity *a = &j->in->flows[f].a[i];

			/* Responses to READs are counted in no PSNs. */
			if (a->bytes > SIGNAL_BYTES * (a->psns ? a->psns : 1))
				return false;
		}
	return true;
}

static void no_phases(struct job *j, const char *why)
{
	j->row.iterations = PHASE_UNKNOWN;
	j->row.why_not = why;
	j->n_bursts = 0;
}

static bool product_exceeds(size_t a, size_t b, size_t most)
{
	return b && a > most / b;
}

/* Each phase is looked at for each rank and flow: that is what memory and time
 * go into, however few packets there are. */
static bool too_many_phases(const struct job *j)
{
	return product_exceeds(j->n_bursts, j->n_ranks, RANK_PHASES_MAX) ||
	       product_exceeds(j->n_bursts, j->in->n_flows, FLOW_PHASES_MAX);
}

static bool analyse(struct job *j, const struct phase_sink *sink,
		    int64_t *next_phase)
{
	struct path *p;
	bool ok;

	if (!count_ranks(j))
		return false;
	list_flows(j);
	find_parts(j);
	describe(j);
	if (!find_nodes(j) || !phase_drains(j) || !find_phases(j) ||
	    !find_rates(j))
		return false;
	if (j->n_ranks > RANKS_MAX)
		no_phases(j, "there are more hosts than can be compared");
	else if (j->row.first_ns == PHASE_UNKNOWN)
		no_phases(j, "there are too many flows to compare when each "
			     "of them sent");
	else if (too_many_phases(j))
		no_phases(j, "there are too many phases and hosts to compare "
			     "each with each");
	else if (only_signals(j))
		no_phases(j, "no packet has more than 64 bytes of data: "
			     "barriers and other signals are no job");
	p = path_new(j);
	ok = p && emit_job(j, p, sink, next_phase);
	path_free(p);
	return ok;
}

bool phase_job(const struct phase_input *in, const struct phase_sink *sink,
	       int64_t *next_phase)
{
	struct job j = { .in = in };
	bool ok;

	j.row.id = in->job;
	j.row.uet_job = in->uet_job;
	j.row.whole = in->whole;
	ok = analyse(&j, sink, next_phase);
	for (size_t i = 0; j.cut && i < in->n_flows; i++)
		free(j.cut[i]);
	free(j.cut);
	free(j.uncut);
	free(j.ranks);
	free(j.rank_of);
	free(j.flow_lists);
	free(j.cursor);
	free(j.drains);
	free(j.skip);
	free(j.keep);
	free(j.speed);
	loads_free(j.loads);
	free(j.part);
	free(j.node);
	free(j.bursts);
	return ok;
}

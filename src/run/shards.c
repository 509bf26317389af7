/* SPDX-License-Identifier: GPL-2.0-or-later
 * A capture followed by several threads. */
#include "run/shards.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "run/fact_queue.h"
#include "run/frame.h"
#include "wire/wire.h"

enum {
	ROOM = 1 << 12,    /* frames that wait for a thread */
	BATCH = 1 << 10,   /* ... before it is woken for them */
	AT_ONCE = 64,      /* that the engine gets */
	FOLLOWED = 1 << 9, /* ... before their data may go */
	TICKS_KEPT = 4,
	LINE = 64,
};

/* More facts than that are not kept back: one engine writes them at once. */
#define FACTS_MOST ((size_t)1 << 27)

/* Frames on their way to a thread.  |in| is the reader's, |out| the thread's;
 * each asks for the other's only when it has to. */
struct shard_queue {
	_Alignas(LINE) _Atomic uint64_t in;
	uint64_t filled, published, seen_out;
	_Alignas(LINE) _Atomic uint64_t out;
	_Alignas(LINE) pthread_mutex_t lock;
	pthread_cond_t moved;
	/* until |out|, |in| are that; UINT64_MAX: nobody waits */
	_Atomic uint64_t reader_wants, thread_wants;
	struct engine_frame *frame; /* ROOM; no data: a tick */
};

struct worker {
	struct shards *all;
	struct engine *engine;
	struct fact_queue log;
	struct shard_queue queue;
	uint64_t ticks;
	pthread_t thread;
	bool runs;
};

/* What all engines counted at a tick. */
struct tick {
	uint64_t number;
	unsigned counted; /* threads that are there */
	struct engine_counts sum;
};

struct shards {
	unsigned n;
	struct worker worker[SHARDS_MOST];
	const struct decode_options *decode;
	pthread_mutex_t lock;
	pthread_cond_t all_counted;
	struct tick tick[TICKS_KEPT];
	_Atomic bool alone;
	bool over;
	/* what had been put into each queue, turn by turn */
	uint64_t turns, at_turn[CAPTURE_KEPT_TURNS][SHARDS_MOST];
};

/* ---- a queue ---- */

static void wake(struct shard_queue *q, uint64_t now, _Atomic uint64_t *wants)
{
	if (now < atomic_load(wants))
		return;
	pthread_mutex_lock(&q->lock);
	pthread_cond_broadcast(&q->moved);
	pthread_mutex_unlock(&q->lock);
}

/* Until |*v| is at least |least|. */
static void wait_until(struct shard_queue *q, const _Atomic uint64_t *v,
		       uint64_t least, _Atomic uint64_t *wants)
{
	if (atomic_load(v) >= least)
		return;
	pthread_mutex_lock(&q->lock);
	atomic_store(wants, least);
	while (atomic_load(v) < least)
		pthread_cond_wait(&q->moved, &q->lock);
	atomic_store(wants, UINT64_MAX);
	pthread_mutex_unlock(&q->lock);
}

static void publish(struct shard_queue *q)
{
	q->published = q->filled;
	atomic_store(&q->in, q->filled);
	wake(q, q->filled, &q->thread_wants);
}

/* Whoever waits at a tick waits for all. */
static void publish_all(struct shards *s)
{
	for (unsigned k = 0; k < s->n; k++)
		publish(&s->worker[k].queue);
}

static struct engine_frame *room(struct shards *s, struct shard_queue *q)
{
	if (q->filled - q->seen_out == ROOM)
		q->seen_out = atomic_load(&q->out);
	if (q->filled - q->seen_out == ROOM) {
		publish_all(s);
		/* Half of it, or both would take turns with each frame. */
		wait_until(q, &q->out, q->filled - ROOM / 2, &q->reader_wants);
		q->seen_out = atomic_load(&q->out);
	}
	return &q->frame[q->filled++ % ROOM];
}

/* ---- a thread ---- */

static struct tick *tick_of(struct shards *s, uint64_t number)
{
	struct tick *t = &s->tick[number % TICKS_KEPT];

	if (t->number != number)
		*t = (struct tick) { .number = number };
	return t;
}

/* All get to know what all had at the tick before. */
static void tick(struct worker *w, struct engine_counts counts)
{
	struct shards *s = w->all;
	uint64_t number = ++w->ticks;
	struct engine_counts known = { 0 };
	struct tick *t;

	pthread_mutex_lock(&s->lock);
	t = tick_of(s, number);
	t->sum.flows += counts.flows;
	t->sum.series += counts.series;
	if (++t->counted == s->n)
		pthread_cond_broadcast(&s->all_counted);
	if (number > 1) {
		t = tick_of(s, number - 1);
		while (t->counted < s->n)
			pthread_cond_wait(&s->all_counted, &s->lock);
		known = t->sum;
	}
	pthread_mutex_unlock(&s->lock);
	engine_tick(w->engine, known);
}

static void follow(struct worker *w, uint64_t from, uint64_t to)
{
	const struct engine_frame *all = w->queue.frame;

	while (from < to) {
		uint64_t n = 0;

		if (!all[from % ROOM].in.data) {
			engine_flush(w->engine);
			tick(w, engine_counts(w->engine));
			from++;
			continue;
		}
		while (from + n < to && n < AT_ONCE && from % ROOM + n < ROOM &&
		       all[from % ROOM + n].in.data)
			n++;
		engine_frames(w->engine, w->all->decode, &all[from % ROOM], n);
		from += n;
	}
	engine_flush(w->engine);
	if (engine_alone(w->engine) || w->log.lost)
		atomic_store(&w->all->alone, true);
}

static void *run(void *ctx)
{
	struct worker *w = ctx;
	struct shard_queue *q = &w->queue;
	uint64_t out = 0, in = 0;

	for (;;) {
		if (out == in) {
			wait_until(q, &q->in, out + 1, &q->thread_wants);
			in = atomic_load(&q->in);
		}
		if (in == UINT64_MAX)
			return NULL;
		if (in - out > FOLLOWED) {
			follow(w, out, out + FOLLOWED);
			out += FOLLOWED;
		} else {
			follow(w, out, in);
			out = in;
		}
		atomic_store(&q->out, out);
		wake(q, out, &q->reader_wants);
	}
}

/* ---- the reader ---- */

/* The pair of hosts of a plain frame; 0: it is none.  What is around them, or
 * what they are of, is for the engine. */
static uint64_t pair_of(const struct frame *f)
{
	const uint8_t *ip = f->data + WIRE_SIZE_eth;
	uint64_t type, w[4];

	if (f->linktype != LINKTYPE_ETHERNET ||
	    f->caplen < WIRE_SIZE_eth + WIRE_SIZE_vlan + WIRE_SIZE_ipv6)
		return 0;
	type = WIRE_GET(eth, type, f->data);
	if (type == ETYPE_VLAN) {
		type = WIRE_GET(vlan, type, ip);
		ip += WIRE_SIZE_vlan;
	}
	if (type == ETYPE_IPV4) {
		struct addr a = addr_from_v4(WIRE_PTR(ipv4, src, ip));
		struct addr b = addr_from_v4(WIRE_PTR(ipv4, dst, ip));

		return shard_hash(a.w, b.w);
	}
	if (type != ETYPE_IPV6)
		return 0;
	memcpy(w, WIRE_PTR(ipv6, src, ip), sizeof w);
	return shard_hash(w, w + 2);
}

static void put_ticks(struct shards *s)
{
	for (unsigned k = 0; k < s->n; k++)
		*room(s, &s->worker[k].queue) = (struct engine_frame) { 0 };
}

void shards_feed(struct shards *s, const struct frame *frames, size_t n,
		 uint64_t order)
{
	enum { AHEAD = 8 };

	for (size_t i = 0; i < n; i++, order++) {
		struct shard_queue *q;
		struct engine_frame *f;

		if (i + AHEAD < n)
			__builtin_prefetch(frames[i + AHEAD].data + 16);
		if (shards_tick_at(order))
			put_ticks(s);
		q = &s->worker[shard_slot(pair_of(&frames[i])) % s->n].queue;
		f = room(s, q);
		*f = frame_of(&frames[i]);
		f->order = order;
		if (q->filled - q->published >= BATCH)
			publish(q);
	}
}

static void wait_for(struct shards *s, const uint64_t *at)
{
	publish_all(s);
	for (unsigned k = 0; k < s->n; k++) {
		struct shard_queue *q = &s->worker[k].queue;

		wait_until(q, &q->out, at ? at[k] : q->filled,
			   &q->reader_wants);
	}
}

void shards_wait(struct shards *s)
{
	wait_for(s, NULL);
}

static void turning(void *ctx, bool all)
{
	struct shards *s = ctx;
	uint64_t *now = s->at_turn[s->turns % CAPTURE_KEPT_TURNS];

	for (unsigned k = 0; k < s->n; k++)
		now[k] = s->worker[k].queue.filled;
	s->turns++;
	/* The oldest that is kept is of CAPTURE_KEPT_TURNS - 1 turns ago. */
	wait_for(s, all ? NULL : s->at_turn[s->turns % CAPTURE_KEPT_TURNS]);
}

struct capture_keeper shards_keeper(struct shards *s)
{
	return (struct capture_keeper) { turning, s };
}

bool shards_alone(const struct shards *s)
{
	return atomic_load(&s->alone);
}

void shards_give_up(struct shards *s)
{
	atomic_store(&s->alone, true);
}

/* ---- begin and end ---- */

static bool start(struct shards *s, struct worker *w,
		  const struct engine_options *o)
{
	struct flow_sink sink;

	w->all = s;
	pthread_mutex_init(&w->queue.lock, NULL);
	pthread_cond_init(&w->queue.moved, NULL);
	w->queue.reader_wants = w->queue.thread_wants = UINT64_MAX;
	fact_queue_init(&w->log, FACTS_MOST);
	sink = fact_queue_sink(&w->log);
	w->engine = engine_new(o, &sink);
	w->queue.frame = calloc(ROOM, sizeof *w->queue.frame);
	if (!w->engine || !w->queue.frame)
		return false;
	engine_tick(w->engine, (struct engine_counts) { 0 });
	w->log.order = engine_order(w->engine);
	w->runs = !pthread_create(&w->thread, NULL, run, w);
	return w->runs;
}

struct shards *shards_new(unsigned n, const struct engine_options *options,
			  const struct decode_options *decode)
{
	struct engine_options o = *options;
	struct shards *s = aligned_alloc(LINE, sizeof *s);

	if (!s)
		return NULL;
	memset(s, 0, sizeof *s);
	s->decode = decode;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->all_counted, NULL);
	s->n = n < SHARDS_MOST ? n : SHARDS_MOST;
	o.shards = s->n;
	for (unsigned k = 0; k < s->n; k++) {
		o.shard = k;
		if (!start(s, &s->worker[k], &o)) {
			shards_free(s);
			return NULL;
		}
	}
	return s;
}

static void stop(struct shards *s)
{
	shards_wait(s);
	for (unsigned k = 0; k < s->n; k++) {
		struct worker *w = &s->worker[k];

		if (!w->runs)
			continue;
		w->queue.filled = UINT64_MAX;
		publish(&w->queue);
		pthread_join(w->thread, NULL);
		w->runs = false;
	}
	s->over = true;
}

void shards_free(struct shards *s)
{
	if (!s)
		return;
	if (!s->over)
		stop(s);
	for (unsigned k = 0; k < s->n; k++) {
		struct worker *w = &s->worker[k];

		engine_free(w->engine);
		fact_queue_fini(&w->log);
		free(w->queue.frame);
		pthread_mutex_destroy(&w->queue.lock);
		pthread_cond_destroy(&w->queue.moved);
	}
	pthread_mutex_destroy(&s->lock);
	pthread_cond_destroy(&s->all_counted);
	free(s);
}

/* Numbers of one part. */
struct numbers {
	const struct engine_merged *merged;
	size_t part;
};

static uint32_t number_of(const void *ctx, uint32_t flow)
{
	const struct numbers *n = ctx;

	return engine_merged_id(n->merged, n->part, flow);
}

static void play(struct shards *s, struct engine_merged *m)
{
	const struct flow_sink sink = engine_merged_sink(m);
	size_t at[SHARDS_MOST] = { 0 };

	for (;;) {
		uint64_t best = UINT64_MAX;
		struct numbers of = { m, 0 };

		for (unsigned k = 0; k < s->n; k++) {
			uint64_t order =
				fact_queue_order(&s->worker[k].log, at[k]);

			if (order >= best)
				continue;
			best = order;
			of.part = k;
		}
		if (best == UINT64_MAX)
			return;
		fact_queue_take(&s->worker[of.part].log, &at[of.part],
				&(struct fact_queue_numbers) { &of, number_of },
				&sink);
	}
}

struct engine *shards_merge(struct shards *s, const struct flow_sink *sink)
{
	struct engine *part[SHARDS_MOST];
	struct engine_merged *m;

	stop(s);
	for (unsigned k = 0; k < s->n; k++)
		part[k] = s->worker[k].engine;
	m = shards_alone(s) ? NULL : engine_merge(part, s->n, sink);
	if (!m)
		return NULL;
	play(s, m);
	return engine_merged_end(m);
}

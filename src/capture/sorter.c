/* SPDX-License-Identifier: GPL-2.0-or-later
 * Merging the queues of the taps of one file.
 *
 * Held frames live in a ring, in file order; what has left in the middle
 * leaves a hole until everything older has left too.  A queue is a list
 * through the ring.  The heap holds the taps that have a queue.
 *
 * The key of a frame is the earliest time in the queue from it on (looking
 * back LOOK_BACK frames): a frame with a time far too late does not delay
 * those behind it. */
#include "capture/sorter.h"

#include <stdlib.h>

enum { LOOK_BACK = 64 };
#define NONE UINT32_MAX

struct held {
	struct frame frame;
	int64_t key;
	uint64_t fill;
	uint32_t before, after; /* in the tap's queue */
	bool taken;
};

struct queue {
	uint32_t head, tail; /* NONE: empty */
	uint32_t place;      /* in the heap */
};

struct sorter {
	struct held *ring;
	uint32_t size;
	uint32_t first, n;    /* of the ring, holes included */
	struct queue *queues; /* by tap */
	uint32_t *heap;       /* taps */
	uint32_t taps, in_heap;
};

struct sorter *sorter_new(uint32_t frames)
{
	struct sorter *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->size = frames;
	s->ring = malloc(frames * sizeof *s->ring);
	if (!s->ring) {
		free(s);
		return NULL;
	}
	return s;
}

void sorter_free(struct sorter *s)
{
	if (!s)
		return;
	free(s->ring);
	free(s->queues);
	free(s->heap);
	free(s);
}

uint32_t sorter_room(const struct sorter *s)
{
	return s->size - s->n;
}

static int grow(struct sorter *s, uint32_t tap)
{
	uint32_t taps = s->taps ? s->taps : 8;
	struct queue *queues;
	uint32_t *heap;

	while (taps <= tap)
		taps *= 2;
	queues = realloc(s->queues, taps * sizeof *queues);
	if (queues)
		s->queues = queues;
	heap = realloc(s->heap, taps * sizeof *heap);
	if (heap)
		s->heap = heap;
	if (!queues || !heap)
		return -1;
	for (; s->taps < taps; s->taps++)
		s->queues[s->taps] = (struct queue) { NONE, NONE, NONE };
	return 0;
}

/* Does tap |a| go before tap |b|?  File order decides between equal times. */
static bool before(const struct sorter *s, uint32_t a, uint32_t b)
{
	const struct held *x = &s->ring[s->queues[a].head];
	const struct held *y = &s->ring[s->queues[b].head];

	if (x->key != y->key)
		return x->key < y->key;
	return x->frame.number < y->frame.number;
}

static void put(struct sorter *s, uint32_t place, uint32_t tap)
{
	s->heap[place] = tap;
	s->queues[tap].place = place;
}

static void sift_up(struct sorter *s, uint32_t tap)
{
	uint32_t at = s->queues[tap].place;

	while (at && before(s, tap, s->heap[(at - 1) / 2])) {
		put(s, at, s->heap[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	put(s, at, tap);
}

static void sift_down(struct sorter *s, uint32_t tap)
{
	uint32_t at = s->queues[tap].place, child;

	while ((child = 2 * at + 1) < s->in_heap) {
		if (child + 1 < s->in_heap &&
		    before(s, s->heap[child + 1], s->heap[child]))
			child++;
		if (!before(s, s->heap[child], tap))
			break;
		put(s, at, s->heap[child]);
		at = child;
	}
	put(s, at, tap);
}

/* Those before |h| in the queue leave no later than it.  True: the head's key
 * has changed. */
static bool hurry(struct sorter *s, const struct queue *q, const struct held *h)
{
	uint32_t at = h->before;
	int steps;

	for (steps = 0; steps < LOOK_BACK && at != NONE; steps++) {
		struct held *b = &s->ring[at];

		if (b->key <= h->key)
			return false;
		b->key = h->key;
		if (at == q->head)
			return true;
		at = b->before;
	}
	return false;
}

static void enqueue(struct sorter *s, uint32_t at)
{
	struct held *h = &s->ring[at];
	uint32_t tap = h->frame.tap;
	struct queue *q = &s->queues[tap];

	h->before = q->tail;
	h->after = NONE;
	if (q->tail == NONE) {
		q->head = q->tail = at;
		q->place = s->in_heap++;
		sift_up(s, tap);
		return;
	}
	s->ring[q->tail].after = at;
	q->tail = at;
	if (hurry(s, q, h))
		sift_up(s, tap);
}

int sorter_push(struct sorter *s, const struct frame *frames, int n,
		uint64_t fill)
{
	int i;

	for (i = 0; i < n; i++) {
		uint32_t at = (s->first + s->n) % s->size;

		if (frames[i].tap >= s->taps && grow(s, frames[i].tap) < 0)
			return -1;
		s->ring[at] = (struct held) { .frame = frames[i],
					      .key = frames[i].ns,
					      .fill = fill };
		s->n++;
		enqueue(s, at);
	}
	return 0;
}

bool sorter_holds(const struct sorter *s, uint64_t fill)
{
	return s->n && s->ring[s->first].fill <= fill;
}

static void dequeue(struct sorter *s, uint32_t tap)
{
	struct queue *q = &s->queues[tap];

	q->head = s->ring[q->head].after;
	if (q->head != NONE) {
		s->ring[q->head].before = NONE;
		sift_down(s, tap);
		return;
	}
	q->tail = NONE;
	s->in_heap--;
	if (s->in_heap) {
		put(s, 0, s->heap[s->in_heap]);
		sift_down(s, s->heap[0]);
	}
}

bool sorter_peek(const struct sorter *s, int64_t *ns)
{
	if (!s->in_heap)
		return false;
	*ns = s->ring[s->queues[s->heap[0]].head].key;
	return true;
}

bool sorter_pop(struct sorter *s, struct frame *out)
{
	struct held *h;
	uint32_t tap;

	if (!s->in_heap)
		return false;
	tap = s->heap[0];
	h = &s->ring[s->queues[tap].head];
	*out = h->frame;
	h->taken = true;
	dequeue(s, tap);
	while (s->n && s->ring[s->first].taken) {
		s->first = (s->first + 1) % s->size;
		s->n--;
	}
	return true;
}

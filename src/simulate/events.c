/* SPDX-License-Identifier: GPL-2.0-or-later
 * Most events are planned a fixed time ahead (a cable, a switch, a frame of
 * full length), so that those of one kind come in order of time.  They go into
 * FIFOs, each a queue in order; an event joins the FIFO whose last one is the
 * latest before it.  What fits none goes into a heap.  The earliest of all is
 * at the head of a FIFO or of the heap. */
#include "simulate/events.h"

#include <stdbool.h>
#include <stdlib.h>

#include "simulate/mem.h"

enum { HEAP = EVENT_FIFOS, FIRST_ROOM = 64 };

void events_init(struct events *q)
{
	*q = (struct events) { 0 };
	for (int i = 0; i < EVENT_FIFOS; i++)
		q->tail[i] = INT64_MIN;
	for (int i = 0; i <= EVENT_FIFOS; i++)
		q->head[i] = INT64_MAX;
}

static bool earlier(const struct planned *a, const struct planned *b)
{
	return a->at != b->at ? a->at < b->at : a->order < b->order;
}

/* --- the heap: four children a node, which lie side by side --------------- */

static void heap_add(struct events *q, const struct planned *e)
{
	size_t i = q->n_heap;

	q->heap = mem_room(q->heap, q->n_heap, &q->cap, sizeof *q->heap);
	q->n_heap++;
	while (i && earlier(e, &q->heap[(i - 1) / 4])) {
		q->heap[i] = q->heap[(i - 1) / 4];
		i = (i - 1) / 4;
	}
	q->heap[i] = *e;
	q->head[HEAP] = q->heap[0].at;
}

static size_t first_child(const struct events *q, size_t i)
{
	size_t first = 4 * i + 1, best = first;

	for (size_t c = first + 1; c < first + 4 && c < q->n_heap; c++)
		if (earlier(&q->heap[c], &q->heap[best]))
			best = c;
	return best;
}

static struct planned heap_take(struct events *q)
{
	struct planned top = q->heap[0], last = q->heap[--q->n_heap];
	size_t i = 0;

	while (4 * i + 1 < q->n_heap) {
		size_t c = first_child(q, i);

		if (!earlier(&q->heap[c], &last))
			break;
		q->heap[i] = q->heap[c];
		i = c;
	}
	if (q->n_heap)
		q->heap[i] = last;
	q->head[HEAP] = q->n_heap ? q->heap[0].at : INT64_MAX;
	return top;
}

/* --- FIFOs ---------------------------------------------------------------- */

static struct planned *at(const struct event_fifo *l, uint32_t i)
{
	return &l->ring[(l->first + i) & (l->cap - 1)];
}

static void widen(struct event_fifo *l)
{
	struct event_fifo wide = { .n = l->n,
				   .cap = l->cap ? 2 * l->cap : FIRST_ROOM };

	wide.ring = mem_new(wide.cap * sizeof *wide.ring);
	for (uint32_t i = 0; i < l->n; i++)
		wide.ring[i] = *at(l, i);
	free(l->ring);
	*l = wide;
}

static void timed_add(struct events *q, int i, const struct planned *e)
{
	struct event_fifo *l = &q->fifos[i];

	if (l->n == l->cap)
		widen(l);
	*at(l, l->n++) = *e;
	q->tail[i] = e->at;
	if (l->n == 1)
		q->head[i] = e->at;
}

static struct planned timed_take(struct events *q, int i)
{
	struct event_fifo *l = &q->fifos[i];
	struct planned e = *at(l, 0);

	l->first++;
	l->n--;
	q->head[i] = l->n ? at(l, 0)->at : INT64_MAX;
	if (!l->n)
		q->tail[i] = INT64_MIN;
	return e;
}

/* The FIFO that |when| fits best, or the heap. */
static int timed_for(const struct events *q, int64_t when)
{
	int64_t latest = INT64_MIN;
	int best = HEAP;

	for (int i = 0; i < EVENT_FIFOS; i++) {
		bool fits = q->tail[i] <= when && q->tail[i] >= latest;

		best = fits ? i : best;
		latest = fits ? q->tail[i] : latest;
	}
	return best;
}

/* --- the queue ------------------------------------------------------------ */

void events_add(struct events *q, int64_t when, event_fn *fn, void *object,
		uint64_t argument)
{
	struct planned e = { when, q->order++, { fn, object, argument } };
	int i = timed_for(q, when);

	q->n++;
	if (i == HEAP)
		heap_add(q, &e);
	else
		timed_add(q, i, &e);
}

static uint64_t order_of(const struct events *q, int i)
{
	return i == HEAP ? q->heap[0].order : at(&q->fifos[i], 0)->order;
}

static int earliest(const struct events *q)
{
	int64_t least = q->head[HEAP];
	int best = HEAP;
	bool tie = false;

	for (int i = 0; i < EVENT_FIFOS; i++) {
		tie = q->head[i] < least ? false : tie | (q->head[i] == least);
		best = q->head[i] < least ? i : best;
		least = q->head[i] < least ? q->head[i] : least;
	}
	if (!tie)
		return best;
	for (int i = 0; i <= EVENT_FIFOS; i++)
		if (q->head[i] == least && order_of(q, i) < order_of(q, best))
			best = i;
	return best;
}

struct planned events_take(struct events *q)
{
	int i = earliest(q);

	q->n--;
	return i == HEAP ? heap_take(q) : timed_take(q, i);
}

void events_put_back(struct events *q, const struct planned *e)
{
	q->n++;
	heap_add(q, e);
}

void events_fini(struct events *q)
{
	free(q->heap);
	for (int i = 0; i < EVENT_FIFOS; i++)
		free(q->fifos[i].ring);
	events_init(q);
}

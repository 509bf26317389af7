/* SPDX-License-Identifier: GPL-2.0-or-later
 * A heap of four children a node: half the levels of a binary one, and the
 * children of a node lie side by side. */
#include "simulate/events.h"

#include <stdbool.h>
#include <stdlib.h>

#include "simulate/mem.h"

static bool earlier(const struct event *a, const struct event *b)
{
	return a->at != b->at ? a->at < b->at : a->order < b->order;
}

void events_add(struct events *q, int64_t at, event_fn *fn, void *object,
		uint64_t argument)
{
	struct event e = { at, q->order++, fn, object, argument };
	size_t i = q->n;

	q->heap = mem_room(q->heap, q->n, &q->cap, sizeof *q->heap);
	q->n++;
	while (i && earlier(&e, &q->heap[(i - 1) / 4])) {
		q->heap[i] = q->heap[(i - 1) / 4];
		i = (i - 1) / 4;
	}
	q->heap[i] = e;
}

static size_t first_child(const struct events *q, size_t i)
{
	size_t first = 4 * i + 1, best = first;

	for (size_t c = first + 1; c < first + 4 && c < q->n; c++)
		if (earlier(&q->heap[c], &q->heap[best]))
			best = c;
	return best;
}

struct event events_take(struct events *q)
{
	struct event top = q->heap[0], last = q->heap[--q->n];
	size_t i = 0;

	while (4 * i + 1 < q->n) {
		size_t c = first_child(q, i);

		if (!earlier(&q->heap[c], &last))
			break;
		q->heap[i] = q->heap[c];
		i = c;
	}
	if (q->n)
		q->heap[i] = last;
	return top;
}

void events_fini(struct events *q)
{
	free(q->heap);
	*q = (struct events) { 0 };
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * A heap of inputs. */
#include "capture/merge.h"

#include <stdlib.h>

/* One input's batch on its way out. */
struct lane {
	struct input *input;
	int n, at;
	int64_t key[INPUT_BATCH];
};

struct merge {
	struct lane *lanes;
	size_t *heap; /* lanes that have frames */
	size_t n, in_heap;
	/* Lanes whose batch is used up; they are refilled only when what was
	 * handed out is no longer needed. */
	size_t *empty;
	size_t in_empty;
	struct frame out[INPUT_BATCH];
};

struct merge *merge_new(struct input *inputs, size_t n)
{
	struct merge *m = calloc(1, sizeof *m);
	size_t i;

	if (!m)
		return NULL;
	m->lanes = calloc(n, sizeof *m->lanes);
	m->heap = calloc(n, sizeof *m->heap);
	m->empty = calloc(n, sizeof *m->empty);
	if (!m->lanes || !m->heap || !m->empty) {
		merge_free(m);
		return NULL;
	}
	for (i = 0; i < n; i++) {
		m->lanes[i].input = &inputs[i];
		m->empty[i] = n - 1 - i;
	}
	m->n = m->in_empty = n;
	return m;
}

void merge_free(struct merge *m)
{
	if (!m)
		return;
	free(m->lanes);
	free(m->heap);
	free(m->empty);
	free(m);
}

static int64_t key(const struct lane *l)
{
	return l->key[l->at];
}

/* Equal times: in the order of the command line. */
static bool before(const struct merge *m, size_t a, size_t b)
{
	int64_t x = key(&m->lanes[a]), y = key(&m->lanes[b]);

	return x != y ? x < y : a < b;
}

static void sift_up(struct merge *m, size_t at)
{
	size_t lane = m->heap[at];

	while (at && before(m, lane, m->heap[(at - 1) / 2])) {
		m->heap[at] = m->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	m->heap[at] = lane;
}

static void sift_down(struct merge *m)
{
	size_t at = 0, child, lane = m->heap[0];

	while ((child = 2 * at + 1) < m->in_heap) {
		if (child + 1 < m->in_heap &&
		    before(m, m->heap[child + 1], m->heap[child]))
			child++;
		if (!before(m, m->heap[child], lane))
			break;
		m->heap[at] = m->heap[child];
		at = child;
	}
	m->heap[at] = lane;
}

static void set_keys(struct lane *l)
{
	const struct frame *f = l->input->batch;
	int64_t least;
	int i;

	if (!input_peek(l->input, &least))
		least = INT64_MAX;
	for (i = l->n; i-- > 0;) {
		if (f[i].ns < least)
			least = f[i].ns;
		l->key[i] = least;
	}
}

static int refill(struct merge *m, struct err *err)
{
	while (m->in_empty) {
		size_t lane = m->empty[m->in_empty - 1];
		struct lane *l = &m->lanes[lane];

		l->n = input_next(l->input, err);
		l->at = 0;
		if (l->n < 0)
			return -1;
		m->in_empty--;
		if (!l->n)
			continue;
		set_keys(l);
		m->heap[m->in_heap++] = lane;
		sift_up(m, m->in_heap - 1);
	}
	return 0;
}

int merge_next(struct merge *m, const struct frame **frames, struct err *err)
{
	int n = 0;

	if (refill(m, err) < 0)
		return -1;
	while (n < INPUT_BATCH && m->in_heap && !m->in_empty) {
		size_t lane = m->heap[0];
		struct lane *l = &m->lanes[lane];

		m->out[n++] = l->input->batch[l->at++];
		if (l->at == l->n) {
			m->empty[m->in_empty++] = lane;
			m->heap[0] = m->heap[--m->in_heap];
		}
		if (m->in_heap)
			sift_down(m);
	}
	*frames = m->out;
	return n;
}

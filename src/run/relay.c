/* SPDX-License-Identifier: GPL-2.0-or-later
 * A ring of slots between two threads.
 *
 * Slot numbers only grow: those from |out| to before |in| are full.  A full
 * slot belongs to who follows, an empty one to who reads, so that the lock is
 * held for the numbers only.  Who has waited is woken when half of the ring is
 * full, or empty: sleeping and waking cost as much as some hundred frames. */
#include "run/relay.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/interrupt.h"
#include "run/frame.h"

enum {
	SLOTS = 8, /* all of them fit the second cache */
	SLOT_FRAMES = 512,
	SLOT_BYTES = 128 * 1024, /* their data, each on lines of its own */
	LINE = 64,
};

struct slot {
	_Alignas(LINE) uint8_t data[SLOT_BYTES];
	struct engine_frame frame[SLOT_FRAMES];
	size_t n, used;
};

struct relay {
	struct slot slot[SLOTS];
	struct relay_options o;
	uint64_t order; /* of the last frame read */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t moved;
	unsigned in, out;
	enum { NOTHING, A_SLOT, THE_BATCH } taken; /* by who follows */
	bool ended;                                /* there will be no more */
	bool stop;                                 /* nobody wants more */
	const struct frame *batch; /* handed over as it is; else NULL */
	size_t n_batch;
	int rc;
	struct err err;
};

/* ---- the thread ---- */

/* Until one slot is empty and no batch is out; false: nobody wants more. */
static bool wait_for_room(struct relay *r)
{
	while ((r->in - r->out == SLOTS || r->batch) && !r->stop)
		pthread_cond_wait(&r->moved, &r->lock);
	return !r->stop;
}

/* The slot that is being filled goes to who follows, and the next one is
 * begun. */
static bool push(struct relay *r)
{
	struct slot *s = &r->slot[r->in % SLOTS];
	bool wanted;

	engine_look(r->o.engine, r->o.decode, s->frame, s->n);
	pthread_mutex_lock(&r->lock);
	r->in++;
	if (r->in - r->out >= SLOTS / 2)
		pthread_cond_signal(&r->moved);
	wanted = wait_for_room(r);
	pthread_mutex_unlock(&r->lock);
	s = &r->slot[r->in % SLOTS];
	s->n = s->used = 0;
	return wanted;
}

static bool push_some(struct relay *r)
{
	return !r->slot[r->in % SLOTS].n || push(r);
}

/* Behind all that was read before; until it is done with. */
static bool push_batch(struct relay *r, const struct frame *f, size_t n)
{
	bool wanted = push_some(r);

	r->order += n;
	pthread_mutex_lock(&r->lock);
	r->batch = f;
	r->n_batch = n;
	pthread_cond_signal(&r->moved);
	wanted = wanted && wait_for_room(r);
	pthread_mutex_unlock(&r->lock);
	return wanted;
}

static bool push_frame(struct relay *r, const struct frame *f)
{
	struct slot *s = &r->slot[r->in % SLOTS];
	struct engine_frame *to;

	if (s->n == SLOT_FRAMES || SLOT_BYTES - s->used < f->caplen) {
		if (!push(r))
			return false;
		s = &r->slot[r->in % SLOTS];
	}
	to = &s->frame[s->n++];
	frame_fill(to, f);
	to->in.data = s->data + s->used;
	to->order = ++r->order;
	memcpy(s->data + s->used, f->data, f->caplen);
	s->used += (f->caplen + LINE - 1) & ~(size_t)(LINE - 1);
	return true;
}

static bool too_large(const struct frame *f, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (f[i].caplen > SLOT_BYTES)
			return true;
	return false;
}

static bool pass_on(struct relay *r, const struct frame *f, size_t n)
{
	if (r->o.begins(r->o.ctx, f, n) || too_large(f, n))
		return push_batch(r, f, n);
	for (size_t i = 0; i < n; i++)
		if (!push_frame(r, &f[i]))
			return false;
	return true;
}

static void *run(void *ctx)
{
	struct relay *r = ctx;
	const struct frame *f;
	int n;

	do
		n = capture_next(r->o.capture, &f, &r->err);
	while (n > 0 && pass_on(r, f, (size_t)n) && !interrupt_came());
	if (n >= 0)
		push_some(r);
	pthread_mutex_lock(&r->lock);
	r->rc = n < 0 ? n : 0;
	r->ended = true;
	pthread_cond_signal(&r->moved);
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

/* ---- who follows ---- */

static void give_back(struct relay *r)
{
	r->out += r->taken == A_SLOT;
	if (r->taken == THE_BATCH)
		r->batch = NULL;
	if (r->taken != NOTHING && r->in - r->out <= SLOTS / 2)
		pthread_cond_signal(&r->moved);
	r->taken = NOTHING;
}

/* What was read before a batch comes before it. */
static int take(struct relay *r, struct relayed *to)
{
	const struct slot *s = &r->slot[r->out % SLOTS];

	if (r->in != r->out) {
		r->taken = A_SLOT;
		*to = (struct relayed) { .frame = s->frame, .n = s->n };
	} else if (r->batch) {
		r->taken = THE_BATCH;
		*to = (struct relayed) { .batch = r->batch, .n = r->n_batch };
	} else {
		return r->rc;
	}
	return (int)to->n;
}

int relay_next(struct relay *r, struct relayed *to, struct err *err)
{
	int n;

	pthread_mutex_lock(&r->lock);
	give_back(r);
	while (r->in == r->out && !r->batch && !r->ended)
		pthread_cond_wait(&r->moved, &r->lock);
	n = take(r, to);
	if (n < 0)
		*err = r->err;
	pthread_mutex_unlock(&r->lock);
	return n;
}

/* Signals are for the thread that knows what to do about them. */
static bool start(struct relay *r)
{
	sigset_t all, before;
	bool started;

	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->moved, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	started = !pthread_create(&r->thread, NULL, run, r);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}

struct relay *relay_new(const struct relay_options *o)
{
	struct relay *r = aligned_alloc(LINE, sizeof *r);

	if (!r)
		return NULL;
	memset(r, 0, sizeof *r);
	r->o = *o;
	if (start(r))
		return r;
	free(r);
	return NULL;
}

void relay_free(struct relay *r)
{
	if (!r)
		return;
	pthread_mutex_lock(&r->lock);
	r->stop = true;
	pthread_cond_signal(&r->moved);
	pthread_mutex_unlock(&r->lock);
	pthread_join(r->thread, NULL);
	pthread_cond_destroy(&r->moved);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

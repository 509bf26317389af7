/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reading ahead: a ring of blocks between two threads.
 *
 * Block numbers only grow: those from |out| to before |in| are full.  A full
 * block belongs to the reader, an empty one to the thread, so that the lock is
 * held for the numbers only. */
#include "capture/ahead.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 4, BLOCK = 256 * 1024 };

struct ahead {
	struct source base;
	struct source *inner;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t moved; /* |in|, |out|, |ended| or |stop| */
	unsigned in, out;
	bool ended; /* there will be no more blocks */
	bool stop;  /* nobody wants more blocks */
	size_t at;  /* bytes taken from block |out| */
	size_t length[BLOCKS];
	uint8_t *block[BLOCKS];
};

/* Room for one more block?  False: nobody wants it. */
static bool wait_for_room(struct ahead *a)
{
	bool room;

	pthread_mutex_lock(&a->lock);
	while (a->in - a->out == BLOCKS && !a->stop)
		pthread_cond_wait(&a->moved, &a->lock);
	room = !a->stop;
	pthread_mutex_unlock(&a->lock);
	return room;
}

/* A pipe may be quiet for ever: only there the thread can be taken back. */
static size_t read_block(struct ahead *a, unsigned i)
{
	size_t n;

	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	n = a->inner->read(a->inner, a->block[i], BLOCK);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	return n;
}

static void *run(void *ctx)
{
	struct ahead *a = ctx;
	size_t n = 1;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	while (n && wait_for_room(a)) {
		n = read_block(a, a->in % BLOCKS);
		pthread_mutex_lock(&a->lock);
		a->length[a->in % BLOCKS] = n;
		a->in += n > 0;
		a->ended = !n;
		pthread_cond_signal(&a->moved);
		pthread_mutex_unlock(&a->lock);
	}
	return NULL;
}

static bool wait_for_block(struct ahead *a)
{
	bool block;

	pthread_mutex_lock(&a->lock);
	while (a->in == a->out && !a->ended)
		pthread_cond_wait(&a->moved, &a->lock);
	block = a->in != a->out;
	pthread_mutex_unlock(&a->lock);
	return block;
}

static void give_back(struct ahead *a)
{
	a->at = 0;
	pthread_mutex_lock(&a->lock);
	a->out++;
	pthread_cond_signal(&a->moved);
	pthread_mutex_unlock(&a->lock);
}

static size_t ahead_read(struct source *s, uint8_t *to, size_t n)
{
	struct ahead *a = (struct ahead *)s;
	unsigned i = a->out % BLOCKS;

	if (!wait_for_block(a)) {
		s->failure = a->inner->failure;
		s->cut = a->inner->cut;
		return 0;
	}
	if (n > a->length[i] - a->at)
		n = a->length[i] - a->at;
	memcpy(to, a->block[i] + a->at, n);
	a->at += n;
	if (a->at == a->length[i])
		give_back(a);
	return n;
}

static bool ahead_ready(struct source *s)
{
	struct ahead *a = (struct ahead *)s;
	bool ready;

	pthread_mutex_lock(&a->lock);
	ready = a->in != a->out || a->ended;
	pthread_mutex_unlock(&a->lock);
	return ready;
}

static void forget(struct ahead *a)
{
	for (unsigned i = 0; i < BLOCKS; i++)
		free(a->block[i]);
	free(a);
}

static void ahead_free(struct source *s)
{
	struct ahead *a = (struct ahead *)s;

	pthread_mutex_lock(&a->lock);
	a->stop = true;
	pthread_cond_signal(&a->moved);
	pthread_mutex_unlock(&a->lock);
	if (!a->base.patient)
		pthread_cancel(a->thread);
	pthread_join(a->thread, NULL);
	pthread_cond_destroy(&a->moved);
	pthread_mutex_destroy(&a->lock);
	source_free(a->inner);
	forget(a);
}

/* Signals are for the thread that knows what to do about them. */
static bool start(struct ahead *a)
{
	sigset_t all, before;
	bool started;

	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->moved, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	started = !pthread_create(&a->thread, NULL, run, a);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}

struct source *ahead_new(struct source *inner)
{
	struct ahead *a = calloc(1, sizeof *a);
	bool room = a;

	for (unsigned i = 0; room && i < BLOCKS; i++)
		room = (a->block[i] = malloc(BLOCK));
	if (!room) {
		if (a)
			forget(a);
		return NULL;
	}
	a->base.read = ahead_read;
	a->base.ready = ahead_ready;
	a->base.free = ahead_free;
	a->base.patient = inner->patient;
	a->inner = inner;
	if (start(a))
		return &a->base;
	forget(a);
	return NULL;
}

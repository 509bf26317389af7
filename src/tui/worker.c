/* SPDX-License-Identifier: GPL-2.0-or-later
 * The thread that asks. */
#include "tui/worker.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/units.h"
#include "store/store.h"
#include "tui/timeseq.h"
#include "views/selector.h"
#include "views/slice.h"

enum { ASKED_MAX = 64 };

struct worker {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t asked;

	/* under the lock */
	struct question queue[ASKED_MAX];
	size_t n_queue;
	struct reply *replies;
	size_t n_replies;
	bool ending, busy;
	enum ask doing;
	int doing_pane;
	char doing_name[64];
	double since;

	atomic_bool stop; /* what is being answered is not wanted */
	int wake;

	/* of the thread alone */
	char *path;
	struct store *store;
	struct catalogue *catalogue;
	struct stat opened;
	struct stat refused;
	int64_t version;
	bool missing_reported;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void question_fini(struct question *q)
{
	size_t i;

	for (i = 0; q->params && q->params[i]; i++)
		free(q->params[i]);
	free(q->params);
	free(q->name);
	free(q->path);
	*q = (struct question) { 0 };
}

void reply_fini(struct reply *r)
{
	rows_fini(&r->rows);
	packets_fini(&r->packets);
	free(r->name);
	*r = (struct reply) { 0 };
}

/* ---- answering ------------------------------------------------------- */

static bool stopped(void *ctx)
{
	struct worker *w = ctx;

	return atomic_load_explicit(&w->stop, memory_order_relaxed);
}

/* Parameters as query_run() wants them. */
static const char *const *constant(char **params)
{
	union {
		char **mine;
		const char *const *shown;
	} u = { params };

	return u.shown;
}

static void answer_query(struct worker *w, const struct question *q,
			 struct reply *r)
{
	r->failed = gather_rows(&r->rows, w->store, w->catalogue, q->name,
				constant(q->params), &q->gather, &r->n,
				&r->err) < 0;
}

static void answer_packets(struct worker *w, const struct question *q,
			   struct reply *r)
{
	r->failed = packets_load(&r->packets, w->store, q->name, stopped, w,
				 &r->rows, &r->err) < 0;
}

static void answer_timeseq(struct worker *w, const struct question *q,
			   struct reply *r)
{
	r->failed = timeseq_load(&r->rows, w->store, q->params, stopped, w,
				 &r->err) < 0;
}

static void answer_save(struct worker *w, const struct question *q,
			struct reply *r)
{
	struct selector selector;
	struct slice_options o = { .selector = &selector,
				   .path = q->path,
				   .context_ns = SLICE_CONTEXT_NS,
				   .stop = stopped,
				   .stop_ctx = w };
	struct slice_result result = { 0 };
	char n[UNITS_PLURAL];

	r->failed = selector_parse(&selector, q->name, &r->err) < 0 ||
		    slice_write(w->store, &o, &result, &r->err) < 0;
	if (!r->failed)
		snprintf(r->said, sizeof r->said, "%.40s in %.180s",
			 units_plural((int64_t)result.packets, "packet", n),
			 q->path);
	selector_fini(&selector);
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Nobody holds a file that was refused: its number may be another's now. */
static bool same_state(const struct stat *a, const struct stat *b)
{
	return same_file(a, b) && a->st_size == b->st_size &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
	       a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* Another file has our name: opens it, or keeps what we have. */
static void reopen(struct worker *w, const struct stat *st, struct reply *r)
{
	struct store *s = store_open(w->path, &r->err);

	r->failed = !s;
	if (!s) {
		w->refused = *st; /* not tried again before it changes */
		return;
	}
	w->opened = *st;
	store_free(w->store);
	w->store = s;
	store_watch(s, stopped, w);
	w->version = store_version(s);
	r->changed = true;
	snprintf(r->said, sizeof r->said, "the database was replaced");
}

static void answer_look(struct worker *w, const struct question *q,
			struct reply *r)
{
	struct stat st;
	int64_t version;

	(void)q;
	if (stat(w->path, &st) < 0) {
		r->failed = !w->missing_reported;
		w->missing_reported = true;
		err_errno(&r->err, "%s (what was opened is still shown)",
			  w->path);
		return;
	}
	w->missing_reported = false;
	if (!same_file(&st, &w->opened)) {
		if (!same_state(&st, &w->refused))
			reopen(w, &st, r);
		return;
	}
	version = store_version(w->store);
	r->changed = version != w->version;
	w->version = version;
}

static void (*const answers[])(struct worker *w, const struct question *q,
			       struct reply *r) = {
	[ASK_QUERY] = answer_query,     [ASK_WHY] = answer_query,
	[ASK_PACKETS] = answer_packets, [ASK_TIMESEQ] = answer_timeseq,
	[ASK_SAVE] = answer_save,       [ASK_LOOK] = answer_look,
};

/* ---- the thread ------------------------------------------------------ */

/* The oldest question; false: the end. */
static bool next_question(struct worker *w, struct question *q)
{
	pthread_mutex_lock(&w->lock);
	w->busy = false;
	while (!w->n_queue && !w->ending)
		pthread_cond_wait(&w->asked, &w->lock);
	if (!w->ending) {
		*q = w->queue[0];
		memmove(&w->queue[0], &w->queue[1],
			--w->n_queue * sizeof w->queue[0]);
		w->busy = true;
		w->doing = q->kind;
		w->doing_pane = q->pane;
		w->since = now();
		snprintf(w->doing_name, sizeof w->doing_name, "%s",
			 q->name ? q->name : "");
		atomic_store(&w->stop, false);
	}
	pthread_mutex_unlock(&w->lock);
	return w->busy;
}

static void hand_over(struct worker *w, struct reply *r)
{
	struct reply *more;

	pthread_mutex_lock(&w->lock);
	more = reallocarray(w->replies, w->n_replies + 1, sizeof *more);
	if (more) {
		w->replies = more;
		w->replies[w->n_replies++] = *r;
	} else {
		reply_fini(r);
	}
	pthread_mutex_unlock(&w->lock);
	if (write(w->wake, "", 1) < 0 && errno != EAGAIN)
		return; /* the reader has ended; this thread will too */
}

static void *work(void *ctx)
{
	struct worker *w = ctx;
	struct question q = { 0 };

	while (next_question(w, &q)) {
		struct reply r = { .kind = q.kind,
				   .pane = q.pane,
				   .serial = q.serial };
		double since = now();

		r.name = q.name;
		q.name = NULL;
		answers[q.kind](w,
				&(struct question) { .kind = q.kind,
						     .name = r.name,
						     .params = q.params,
						     .path = q.path,
						     .gather = q.gather },
				&r);
		r.seconds = now() - since;
		r.stopped = r.failed && stopped(w);
		question_fini(&q);
		hand_over(w, &r);
	}
	return NULL;
}

/* Signals are for the thread with the keys, but for those of a crash. */
static int start(struct worker *w)
{
	static const int ours[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
	sigset_t all, before;
	size_t i;
	int rc;

	sigfillset(&all);
	for (i = 0; i < sizeof ours / sizeof ours[0]; i++)
		sigdelset(&all, ours[i]);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&w->thread, NULL, work, w);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return rc;
}

struct worker *worker_new(const char *path, struct store *s, int wake,
			  struct err *err)
{
	struct worker *w = calloc(1, sizeof *w);

	if (!w || !(w->path = strdup(path)) ||
	    !(w->catalogue = catalogue_new()) || stat(path, &w->opened) < 0) {
		err_set(err, ERR_MEMORY, "cannot begin: %s", strerror(errno));
		store_free(s);
		if (w)
			catalogue_free(w->catalogue);
		free(w ? w->path : NULL);
		free(w);
		return NULL;
	}
	w->store = s;
	w->wake = wake;
	store_watch(s, stopped, w);
	w->version = store_version(s);
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->asked, NULL);
	errno = start(w);
	if (!errno)
		return w;
	err_errno(err, "cannot start a thread");
	w->ending = true;
	store_free(w->store);
	catalogue_free(w->catalogue);
	free(w->path);
	free(w);
	return NULL;
}

void worker_free(struct worker *w)
{
	size_t i;

	if (!w)
		return;
	worker_cancel(w, true);
	pthread_mutex_lock(&w->lock);
	w->ending = true;
	pthread_cond_signal(&w->asked);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	for (i = 0; i < w->n_queue; i++)
		question_fini(&w->queue[i]);
	for (i = 0; i < w->n_replies; i++)
		reply_fini(&w->replies[i]);
	free(w->replies);
	store_free(w->store);
	catalogue_free(w->catalogue);
	pthread_mutex_destroy(&w->lock);
	pthread_cond_destroy(&w->asked);
	free(w->path);
	free(w);
}

/* ---- of the other thread --------------------------------------------- */

void worker_ask(struct worker *w, const struct question *q)
{
	struct question copy = *q;

	pthread_mutex_lock(&w->lock);
	if (w->n_queue < ASKED_MAX)
		w->queue[w->n_queue++] = copy;
	else
		question_fini(&copy); /* somebody leans on a key */
	pthread_cond_signal(&w->asked);
	pthread_mutex_unlock(&w->lock);
}

bool worker_take(struct worker *w, struct reply *r)
{
	bool any;

	pthread_mutex_lock(&w->lock);
	any = w->n_replies > 0;
	if (any) {
		*r = w->replies[0];
		memmove(&w->replies[0], &w->replies[1],
			--w->n_replies * sizeof *r);
	}
	pthread_mutex_unlock(&w->lock);
	return any;
}

void worker_cancel(struct worker *w, bool all)
{
	size_t i, kept = 0;

	pthread_mutex_lock(&w->lock);
	for (i = 0; i < w->n_queue; i++) {
		if (!all && w->queue[i].pane < 0)
			w->queue[kept++] = w->queue[i];
		else
			question_fini(&w->queue[i]);
	}
	w->n_queue = kept;
	if (w->busy && (all || w->doing_pane >= 0))
		atomic_store(&w->stop, true);
	pthread_mutex_unlock(&w->lock);
}

bool worker_busy(struct worker *w, char name[static 64], double *seconds)
{
	bool busy;
	size_t i;

	pthread_mutex_lock(&w->lock);
	busy = w->busy && w->doing != ASK_LOOK;
	*seconds = busy ? now() - w->since : 0;
	for (i = 0; i < w->n_queue; i++)
		busy |= w->queue[i].kind != ASK_LOOK;
	for (i = 0; i < w->n_replies; i++) /* answered, and not yet shown */
		busy |= w->replies[i].kind != ASK_LOOK;
	memcpy(name, w->doing_name, 64);
	pthread_mutex_unlock(&w->lock);
	return busy;
}

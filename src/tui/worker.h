/* SPDX-License-Identifier: GPL-2.0-or-later
 * The thread that asks the database, so that the one with the keys never waits.
 *
 * Questions are answered one after the other, in their order.  What nobody
 * wants any more is dropped, and stopped when it is being answered.  When
 * another database appears under the name, it is opened; when that fails, the
 * one we have is kept, and the reply says why. */
#ifndef FABSCOPE_TUI_WORKER_H
#define FABSCOPE_TUI_WORKER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "tui/gather.h"
#include "tui/packets.h"
#include "views/rows.h"

enum ask {
	ASK_QUERY,   /* |name| with |params|: rows */
	ASK_WHY,     /* the same: why another answer was empty */
	ASK_PACKETS, /* the packets of the selector |name|: rows, packets */
	ASK_TIMESEQ, /* the packets of the flow in |params|: rows */
	ASK_SAVE,    /* the packets of |name| into the file |path|: said */
	ASK_LOOK,    /* has the database changed?  changed, or an error */
};

struct question {
	enum ask kind;
	int pane;        /* whose, for the reply */
	unsigned serial; /* the same */
	char *name;
	char **params; /* "K=V", NULL-terminated; NULL for none */
	char *path;
	struct gather gather; /* ASK_QUERY */
};

struct reply {
	enum ask kind;
	int pane;
	unsigned serial;
	bool failed, stopped;
	struct err err;
	char *name;
	struct rows rows;
	struct gathered n;
	struct packets packets;
	bool changed;
	double seconds;
	char said[256];
};

struct worker;

/* |s| was opened from |path| and belongs to the worker from here on, also when
 * NULL comes back.  A byte goes to |wake| for each reply. */
struct worker *worker_new(const char *path, struct store *s, int wake,
			  struct err *err);
void worker_free(struct worker *w); /* waits for its end; NULL is fine */

/* Takes what |q| points to. */
void worker_ask(struct worker *w, const struct question *q);

/* A reply, for reply_fini(); false when there is none. */
bool worker_take(struct worker *w, struct reply *r);
void reply_fini(struct reply *r);

/* Stops what is being answered for a pane and forgets what panes have asked;
 * |all|: everything else too, saving and all. */
void worker_cancel(struct worker *w, bool all);

/* What is being answered since how many seconds, in |name|; false: nothing. */
bool worker_busy(struct worker *w, char name[static 64], double *seconds);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the files of this folder share. */
#ifndef FABSCOPE_JOBLOG_JOBLOG_INT_H
#define FABSCOPE_JOBLOG_JOBLOG_INT_H

#include <stdio.h>

#include <jansson.h>

#include "base/names.h"
#include "joblog/joblog.h"

enum {
	DOCUMENT_MAX = 32 << 20, /* bytes of one document */
	TOKENS_MAX = 2000000,    /* values of one document */
};

/* One file being read. */
struct joblog_file {
	struct joblog *log;
	const char *path, *address;
	uint64_t skipped, found; /* records */
	size_t first_stream;     /* streams of this file are behind it */
	size_t ranks_read;       /* bytes of lists of ranks of a document */
	struct names by;         /* those, by rank and communicator */
};

/* What is in |f|, as joblog_read(). */
int joblog_read_open(struct joblog_file *file, FILE *f, struct err *err);

/* The next document of |f|: an object, or NULL at the end.  What is none is
 * counted in |file|. */
json_t *documents_next(FILE *f, struct joblog_file *file);

/* The object pickled in |f|; NULL and |err|. */
json_t *pickle_read(FILE *f, const char *path, struct err *err);

/* Takes what |o| says if it is of that form; false when it is not. */
bool inspector_take(struct joblog_file *file, json_t *o);
bool flight_take(struct joblog_file *file, json_t *o);

/* The stream of |like| (communicator, rank) in this file, made of |like| when
 * it is new.  NULL: too many, or no memory. */
struct joblog_stream *joblog_stream_of(struct joblog_file *file,
				       const struct joblog_stream *like);
void joblog_add(struct joblog_file *file, struct joblog_stream *stream,
		const struct joblog_op *op);

/* Members of objects; the default is for missing ones and other types. */
int64_t member_int(json_t *o, const char *name, int64_t otherwise);
double member_real(json_t *o, const char *name, double otherwise);
void member_text(json_t *o, const char *name, char *to, size_t size);
/* |n| times |unit|; JOBLOG_UNKNOWN of unknown, negative and overflow. */
int64_t scaled(int64_t n, int64_t unit);
/* Members of |o| that are not in |known|, which ends with NULL. */
uint64_t members_unknown(json_t *o, const char *const *known);

#endif

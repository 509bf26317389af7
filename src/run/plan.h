/* SPDX-License-Identifier: GPL-2.0-or-later
 * An analysis that is done in parts, perhaps by many machines.
 *
 * The plan is a text: the words of `fabscope analyze`, the inputs that they
 * name with what was in them, and which of the shards each belongs to.  A
 * partial reduces the inputs of one shard, each to a file of its own in the
 * folder PLAN.parts; who has all of these can analyze. */
#ifndef FABSCOPE_RUN_PLAN_H
#define FABSCOPE_RUN_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct capture_input;
struct reduced_head;

enum {
	PLAN_INPUTS_MAX = 1 << 16,
	PLAN_SHARDS_MAX = 1 << 12,
	PLAN_WORDS_MAX = 1 << 18,
};

struct plan_input {
	uint32_t shard;
	uint64_t bytes, content;
};

struct plan {
	char *path;
	char **words; /* behind "analyze"; NULL after the last */
	size_t n_words;
	struct plan_input *inputs; /* in the order in which they are analyzed */
	size_t n_inputs;
	uint32_t shards;
	uint64_t topology; /* content of its file, 0: none */
	uint64_t id;       /* of all that stands here */
	char *text;        /* the words point into it */
};

/* What is in a file, by samples of it: not meant against who would forge it.
 * -1 and |err|. */
int plan_content(const char *path, uint64_t *bytes, uint64_t *content,
		 struct err *err);

/* Gives each input to the shard that has the least so far, the largest first.
 */
void plan_divide(struct plan *p);

/* Writes it, and finds its id.  -1 and |err|. */
int plan_write(struct plan *p, struct err *err);

/* -1 and |err|: there is none, or another program wrote it. */
int plan_read(struct plan *p, const char *path, struct err *err);
void plan_free(struct plan *p);

/* What the reduced capture of an input is called; NULL: no memory. */
char *plan_part(const struct plan *p, size_t input);
char *plan_folder(const struct plan *p);
/* Whose part it is. */
struct reduced_head plan_head(const struct plan *p, size_t input);

/* Is the file still what it was?  -1 and |err|. */
int plan_unchanged(const struct plan *p, size_t input, const char *path,
		   struct err *err);

/* 1: the part is there; 0: it is not; -1 and |err|: it is of another plan or
 * program. */
int plan_has(const struct plan *p, size_t input, struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The record itself, for truth.c and truth_json.c only. */
#ifndef FABSCOPE_SIMULATE_TRUTH_INT_H
#define FABSCOPE_SIMULATE_TRUTH_INT_H

#include "simulate/mem.h"
#include "simulate/truth.h"

struct place {
	char *at;           /* owned */
	const char *reason; /* static */
	uint64_t drops;
};

#define ROWS(type)             \
	struct {               \
		type *row;     \
		size_t n, cap; \
	}

/* A zeroed new last row, by address. */
#define ROW_ADD(rows)                                             \
	((rows).row = mem_room((rows).row, (rows).n, &(rows).cap, \
			       sizeof *(rows).row),               \
	 &(rows).row[(rows).n++])

struct truth {
	ROWS(struct place) places; /* 0 is no place */
	ROWS(struct stream *) streams;
	ROWS(struct link_truth *) links;
	ROWS(struct truth_event) events;
	ROWS(struct recovery *) recoveries;
	ROWS(struct message *) messages;
	ROWS(struct pause_truth *) pauses;
	ROWS(struct silence *) silences;
	ROWS(struct cnp_truth *) cnps;
	ROWS(struct iteration *) iterations;
};

/* One object each of the lists of that name. */
struct out;
void truth_write_flow(struct out *o, const struct stream *st);
void truth_write_tap(struct out *o, const struct tap *t);
void truth_write_host(struct out *o, const struct host *h);
void truth_write_switch(struct out *o, const struct node *n);
void truth_write_link(struct out *o, const struct link_truth *l);
void truth_write_groups(struct out *o, const struct node *n);
void truth_write_pause(struct out *o, const struct pause_truth *p);
void truth_write_silence(struct out *o, const struct silence *si);
void truth_write_iteration(struct out *o, const struct iteration *it);
void truth_write_collective(struct out *o, const struct iteration *it);
void truth_write_cnp(struct out *o, const struct cnp_truth *c);
/* All of them, as the list "answers". */
void truth_write_answers(struct out *o);

extern const char *const truth_class_names[];

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Packets into a pcapng file, with an interface for each tap they come from;
 * under pseudonyms, when that is asked for. */
#ifndef FABSCOPE_VIEWS_REWRITE_H
#define FABSCOPE_VIEWS_REWRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct capture_tap;
struct frame;
struct rewrite;
struct frame_anonymizer;

struct rewrite_options {
	const char *path;    /* "-": standard output */
	const char *comment; /* of the section, or NULL */
	struct frame_anonymizer
		*frame_anonymizer; /* NULL: packets as they are */
	bool unnamed;              /* names of interfaces are left out */
};

/* |o->scrub| must outlive it. */
struct rewrite *rewrite_new(const struct rewrite_options *o, struct err *err);

/* |t| is the tap of |f|; |comment| may be NULL. */
int rewrite_frame(struct rewrite *w, const struct capture_tap *t,
		  const struct frame *f, const char *comment, struct err *err);

/* The interface of a tap of which there may be no packet. */
int rewrite_tap(struct rewrite *w, uint32_t tap, const struct capture_tap *t,
		struct err *err);

/* The number of the interface of tap |tap|; -1: no packet came from it. */
int rewrite_interface(const struct rewrite *w, uint32_t tap);

/* Statistics of an interface that say |text| and count nothing. */
int rewrite_remark(struct rewrite *w, int interface, int64_t ns,
		   const char *text, struct err *err);

/* Flushes, closes, frees; -1 when anything did not reach the file. */
int rewrite_close(struct rewrite *w, struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * `fabscope report`: a result database as one HTML file that needs nothing
 * else: no network, no other file, and no script for what matters most.
 *
 * Every table and every drawing shows the answer of one query, which is named
 * beside it; nothing is computed here. */
#ifndef FABSCOPE_VIEWS_REPORT_H
#define FABSCOPE_VIEWS_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct selector;
struct store;

enum { REPORT_PLOTS = 16 };

struct report_options {
	const char *path;  /* "-" is standard output */
	const char *title; /* NULL: made of the names of the captures */
	/* Flows that are drawn packet by packet: the captures that |packets|
	 * names are read for it. */
	const struct selector *plots;
	size_t n_plots;
	struct store *packets;
};

/* Writes beside |path| and renames.  ERR_EXISTS when something else than a
 * report has the name. */
int report_write(struct store *s, const struct report_options *o,
		 struct err *err);

/* Is the file |path| a report of ours, by its first bytes? */
bool report_is_ours(const char *path);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The findings of a live analysis as JSON lines, for log shippers: each once
 * when it appears, once when its severity changes, once when it is over, and
 * again when it comes back (docs/metrics.md). */
#ifndef FABSCOPE_VIEWS_FINDINGS_LOG_H
#define FABSCOPE_VIEWS_FINDINGS_LOG_H

#include "base/err.h"

struct findings_log;
struct store;

/* Goes on behind what |path| has; "-": standard output.  What |s| (may be NULL)
 * holds already was logged by the run before. */
struct findings_log *findings_log_open(const char *path, struct store *s,
				       struct err *err);

/* Tells what is new in |s|, a database that was just refreshed.  -1 when it
 * could not be written; what was not is tried again. */
int findings_log_update(struct findings_log *l, struct store *s,
			struct err *err);

/* The file anew under its name: it was rotated. */
int findings_log_reopen(struct findings_log *l, struct err *err);

void findings_log_free(struct findings_log *l); /* NULL is fine */

#endif

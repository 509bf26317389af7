/* SPDX-License-Identifier: GPL-2.0-or-later
 * The metrics of a database, also of one that is being written, by HTTP.
 *
 * Beside whoever writes it: opens the database for reading when it is asked and
 * at most once a second.  What clients may cost is
 * bounded: connections, time, bytes of a request.  Only GET /metrics and a
 * page that leads there are answered. */
#ifndef FABSCOPE_VIEWS_METRICS_HTTP_H
#define FABSCOPE_VIEWS_METRICS_HTTP_H

#include <stdint.h>

#include "base/err.h"

struct metrics_http;

/* |where|: "127.0.0.1:9400", "[::1]:9400", "localhost:9400", ":9400" and "9400"
 * (both on the loopback), or "0.0.0.0:9400" for everybody; port 0 is any free
 * one.  The database need not exist yet.  From here on clients may connect. */
struct metrics_http *metrics_http_open(const char *where, const char *database,
				       struct err *err);

/* The port it listens on. */
uint16_t metrics_http_port(const struct metrics_http *h);

/* Answers them until |until|, a pipe or -1, has ended. */
void metrics_http_serve(struct metrics_http *h, int until);

/* NULL is fine. */
void metrics_http_free(struct metrics_http *h);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Those who read the database that live writes: the dashboard, the metrics and
 * the log of findings, in a process of their own, which needs other system
 * calls than the analysis and no packet. */
#ifndef FABSCOPE_CLI_READERS_H
#define FABSCOPE_CLI_READERS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

struct readers_options {
	const char *database;
	const char *program;  /* as the user called it */
	const char *user;     /* to become, NULL */
	const char *metrics;  /* ADDR:PORT, NULL none */
	const char *findings; /* file of JSON lines, NULL none */
	bool dashboard;       /* when it is left, we get SIGTERM */
};

struct readers {
	pid_t pid; /* 0: none */
	int go;
};

/* Before anything is given up.  Metrics are answered from here on. */
int readers_start(struct readers *r, const struct readers_options *o,
		  struct err *err);
/* The database is there. */
void readers_go(struct readers *r);
void readers_end(struct readers *r);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Those who read the database that live writes: the dashboard and the log of
 * findings in a process of their own, the metrics in another.  They need other
 * system calls than the analysis and no packet. */
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

struct reader {
	pid_t pid; /* 0: none */
	int go;
};

struct readers {
	struct reader watch; /* dashboard, findings */
	struct reader metrics;
};

/* Before anything is given up.  Metrics can be asked for from here on, and are
 * answered when the database is there. */
int readers_start(struct readers *r, const struct readers_options *o,
		  struct err *err);
/* The database is there. */
void readers_go(struct readers *r);
void readers_end(struct readers *r);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Giving up what is not needed: capabilities, system calls, files.
 *
 * Whoever reads what others wrote enters it first, as root as well.  From then
 * on the thread, and those it starts, has no capability, gains none, reaches
 * the files that were named and no others, starts no program, and makes only
 * the system calls of what it needs. */
#ifndef FABSCOPE_RUN_SANDBOX_H
#define FABSCOPE_RUN_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* What it needs beyond memory, threads, and reading what is named. */
enum sandbox_needs {
	SANDBOX_FILES = 1 << 0,     /* make, rename and remove files */
	SANDBOX_PROCESSES = 1 << 1, /* children of its own */
	SANDBOX_CAPTURE = 1 << 2,   /* packets: keeps CAP_NET_RAW */
	SANDBOX_ADMIN = 1 << 3,     /* settings of adapters: CAP_NET_ADMIN */
	SANDBOX_RESOLVE = 1 << 4,   /* ask a name server */
	SANDBOX_SERVE = 1 << 5,     /* those who connect to an open socket */
};

enum sandbox_access {
	SANDBOX_READS,
	SANDBOX_WRITES, /* and reads; of a folder all that is below it */
};

struct sandbox_path {
	char *path;
	enum sandbox_access how;
};

struct sandbox {
	unsigned needs;
	struct sandbox_path *paths;
	size_t n_paths;
};

/* For people: what could be done, and what could not and why. */
struct sandbox_report {
	char text[512];
	bool lacking;
};

/* A file or folder that may be reached; one that is not there is skipped. */
void sandbox_allow(struct sandbox *s, const char *path,
		   enum sandbox_access how);
void sandbox_fini(struct sandbox *s);

/* Becomes |user| for good, keeping capabilities over it.  NULL: stays. */
int sandbox_user(const char *user, struct err *err);

/* Becomes nobody, if it is root. */
int sandbox_nobody(struct err *err);

/* For good.  Where |s| names files of others, and we are root, the capability
 * to reach these is kept. */
void sandbox_enter(const struct sandbox *s, struct sandbox_report *r);

#endif

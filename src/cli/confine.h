/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a command may reach, by its words.
 *
 * Captures, logs and databases may come from anybody.  Before any of them is
 * read, a command gives up what it does not need (run/sandbox.h): it reads the
 * files that were named and writes into the folders of
 * those it is to write, and nothing else. */
#ifndef FABSCOPE_CLI_CONFINE_H
#define FABSCOPE_CLI_CONFINE_H

#include <stdbool.h>

#include "run/sandbox.h"

struct args;

/* What is read is not overwritten, and nothing is without --force. */
void confine_writes(const struct args *a);

/* For the rest of the process.  With --verbose it is said what this kernel
 * cannot do. */
void confine(const struct args *a);

/* The same for who answers questions on |database| and does nothing else; root
 * becomes nobody.  -1 and |err|. */
int confine_serving(const char *database, struct err *err);

/* Who shows |database|, and writes what a person wants to keep here or below.
 */
void confine_here(struct sandbox *s, const char *database);

/* |path| and what SQLite keeps beside it; |shared|: it may be written anew, or
 * begin to be written, as long as we look. */
void confine_database(struct sandbox *s, const char *path, bool shared);

/* All that is beside |path|. */
void confine_folder_of(struct sandbox *s, const char *path,
		       enum sandbox_access how);

/* What is written under the name |path|, NULL none. */
void confine_output(struct sandbox *s, const char *path);

#endif

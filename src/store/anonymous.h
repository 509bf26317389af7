/* SPDX-License-Identifier: GPL-2.0-or-later
 * A result database that may be made public: the same facts and findings,
 * under pseudonyms (pseudonym.h).
 *
 * What a column holds is said in anonymous.def, and nowhere else: every view
 * of the copy is anonymous because the copy is. */
#ifndef FABSCOPE_STORE_ANONYMOUS_H
#define FABSCOPE_STORE_ANONYMOUS_H

#include <stdint.h>

#include "base/err.h"

struct known_names;
struct store;

struct anonymous_key {
	uint8_t bytes[16];
};

/* One that nobody knows: pseudonyms of this run only. */
int anonymous_key_random(struct anonymous_key *k, struct err *err);

/* Of the bytes of a file, at least 16 of them: the same file gives the same
 * pseudonyms. */
int anonymous_key_read(struct anonymous_key *k, const char *path,
		       struct err *err);

/* The name a private copy goes by in what is printed of it. */
#define ANONYMOUS_NAME "anonymous.fabscope.db"

/* A copy of |s|, to be read, in the database |path|; NULL: in a private file
 * that goes with it.  |s| stays as it is. */
struct store *store_anonymous(struct store *s, const struct anonymous_key *k,
			      const char *path, struct err *err);

/* The names of |s|, for sentences about it: pseudonym_text.h. */
struct known_names *anonymous_names(struct store *s,
				    const struct anonymous_key *k,
				    struct err *err);

/* The pseudonym of a name, and of the parts of "a->b"; to be freed, NULL
 * without memory. */
char *anonymous_name(const struct anonymous_key *k, const char *name);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Pseudonyms inside of sentences: addresses and numbers by their form, names
 * because they are known. */
#ifndef FABSCOPE_STORE_PSEUDONYM_TEXT_H
#define FABSCOPE_STORE_PSEUDONYM_TEXT_H

#include <stdbool.h>

#include "store/anonymous.h"

/* The names of one database. */
struct known_names;

struct known_names *known_names_new(const struct anonymous_key *k);
void known_names_free(struct known_names *n); /* NULL is fine */

/* |name| will be replaced where it stands as a word, or as words: wherever
 * letters, digits or underscores of it would not go on.  An empty one, or one
 * that is known, changes nothing.  false without memory. */
bool known_names_add(struct known_names *n, const char *name,
		     const char *pseudonym);

/* To be called between the last add and the first replace. */
void known_names_sort(struct known_names *n);

/* A new string: |text| with pseudonyms.  NULL without memory. */
char *known_names_replace(const struct known_names *n, const char *text);

/* The same in the strings of a JSON text, members of the outermost object
 * keeping their names; what is no JSON is a sentence. */
char *known_names_replace_json(const struct known_names *n, const char *text);

#endif

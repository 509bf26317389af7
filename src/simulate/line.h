/* SPDX-License-Identifier: GPL-2.0-or-later
 * One line of a scenario: words, then KEY=VALUE settings.
 *
 * The first thing wrong is kept in |err| with file and line; everything asked
 * afterwards answers with its default, so that callers need no checks between
 * questions, only line_done() at the end. */
#ifndef FABSCOPE_SIMULATE_LINE_H
#define FABSCOPE_SIMULATE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { LINE_WORDS = 64, LINE_MOST = 1024 /* bytes, with the end */ };

struct line {
	const char *file;
	unsigned number;
	char *word[LINE_WORDS];
	unsigned n, next;
	uint64_t used; /* bit per word */
	bool failed;
	struct err *err;
};

/* Cuts |text| (changed) into words; "#" before a word begins a
 * comment. */
void line_split(struct line *l, char *text);

void line_fail(struct line *l, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The next word that is no setting; |what| names it when there is none. */
const char *line_word(struct line *l, const char *what);
const char *line_more(struct line *l); /* or NULL */

bool line_has(const struct line *l, const char *key);
const char *line_text(struct line *l, const char *key, const char *otherwise);
uint64_t line_count(struct line *l, const char *key, uint64_t otherwise,
		    uint64_t most);
uint64_t line_size(struct line *l, const char *key, uint64_t otherwise);
uint32_t line_bytes(struct line *l, const char *key, uint32_t otherwise);
uint64_t line_rate(struct line *l, const char *key, uint64_t otherwise);
int64_t line_time(struct line *l, const char *key, int64_t otherwise); /* ps */
double line_real(struct line *l, const char *key, double otherwise,
		 double least, double most);
/* A share of all: 0 to 1. */
double line_share(struct line *l, const char *key, double otherwise);
bool line_flag(struct line *l, const char *key, bool otherwise);

/* One of |names| (NULL-terminated), as its index. */
unsigned line_choice(struct line *l, const char *key, const char *const *names,
		     unsigned otherwise);

/* A word that may stand for a row of names: "h1..h4" for h1 h2 h3 h4. */
struct name_row {
	const char *word;
	int stem; /* bytes before the number; -1: one name */
	unsigned from, to;
};
struct name_row line_row(struct line *l, const char *word);
/* The next name of it into |out|; false after the last. */
bool line_row_next(struct name_row *r, char out[static 64]);

/* Parses "10us", "64K", "400G"; false when that is no such thing. */
bool parse_time(const char *s, int64_t *ps);
bool parse_size(const char *s, uint64_t *bytes);
bool parse_rate(const char *s, uint64_t *bps);
bool parse_count(const char *s, uint64_t *n);

/* -1 when something was wrong, or a word is left over. */
int line_done(struct line *l);

#endif

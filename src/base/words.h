/* SPDX-License-Identifier: GPL-2.0-or-later
 * Names of what a database holds, as people read them. */
#ifndef FABSCOPE_BASE_WORDS_H
#define FABSCOPE_BASE_WORDS_H

enum { WORDS_TEXT = 48 };

/* "loss_downstream" is "lost downstream".  The result is ours, |name|, or
 * |buf|. */
const char *words_of(const char *name, char buf[static WORDS_TEXT]);

#endif

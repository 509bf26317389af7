/* SPDX-License-Identifier: GPL-2.0-or-later
 * Names of what a database holds, as people read them. */
#ifndef FABSCOPE_BASE_WORDS_H
#define FABSCOPE_BASE_WORDS_H

#include <stddef.h>

enum { WORDS_TEXT = 160, WORDS_REASON = 256 };

/* "loss_downstream" is "lost downstream", "compute|loss" is "computation or
 * loss".  The result is ours, |name|, or |buf|. */
const char *words_of(const char *name, char buf[static WORDS_TEXT]);

/* |text| with the words of Ultra Ethernet: a NAK is a NACK.  As snprintf():
 * at most |size| bytes, and what it returns is its whole length. */
size_t words_to_uet(const char *text, char *buf, size_t size);

/* words_of() of a flow of Ultra Ethernet. */
const char *words_of_uet(const char *name, char buf[static WORDS_TEXT]);

/* Of the detail of an event, "R4" or "R1: came late, once": why, without the
 * rule; "" where no more is known. */
const char *words_of_reason(const char *detail, char buf[static WORDS_REASON]);

#endif

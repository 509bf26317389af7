/* SPDX-License-Identifier: GPL-2.0-or-later
 * Names of what a database holds, as people read them. */
#ifndef FABSCOPE_BASE_WORDS_H
#define FABSCOPE_BASE_WORDS_H

enum { WORDS_TEXT = 160, WORDS_REASON = 256 };

/* "loss_downstream" is "lost downstream", "compute|loss" is "computation or
 * loss".  The result is ours, |name|, or |buf|. */
const char *words_of(const char *name, char buf[static WORDS_TEXT]);

/* Likewise, of Ultra Ethernet: a NAK is a NACK. */
const char *words_of_uet(const char *name, char buf[static WORDS_TEXT]);

/* Of the detail of an event, "R4" or "R1: came late, once": why, without the
 * rule; "" where no more is known. */
const char *words_of_reason(const char *detail, char buf[static WORDS_REASON]);

#endif

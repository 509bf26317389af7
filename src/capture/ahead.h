/* SPDX-License-Identifier: GPL-2.0-or-later
 * A source that is read, and unpacked, ahead of its reader in a thread of its
 * own.
 *
 * The bytes are the same and come in the same order, so that what is made of
 * them cannot depend on it. */
#ifndef FABSCOPE_CAPTURE_AHEAD_H
#define FABSCOPE_CAPTURE_AHEAD_H

#include "capture/source.h"

/* Takes |inner|.  NULL, and |inner| untouched: no memory, or no thread to be
 * had. */
struct source *ahead_new(struct source *inner);

#endif

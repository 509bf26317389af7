/* SPDX-License-Identifier: GPL-2.0-or-later
 * Files that somebody else may have named: a FIFO or a device in their place
 * would be waited for, or do something when it is opened. */
#ifndef FABSCOPE_BASE_REGULAR_H
#define FABSCOPE_BASE_REGULAR_H

#include <stdio.h>

#include "base/err.h"

/* To read it; NULL and |err| if it is no regular file. */
FILE *regular_open(const char *path, struct err *err);

/* To write it anew, as fopen() of "w".  A link that somebody has put there is
 * not followed to a regular file, only to a pipe or a terminal. */
FILE *regular_create(const char *path);

#endif

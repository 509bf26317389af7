/* SPDX-License-Identifier: GPL-2.0-or-later
 * The names of files that are not complete yet:
 * ".fabscope-HERE-PROCESS-NUMBER.tmp", in the folder of the final name.
 *
 * HERE stands for this machine and its set of process numbers, so that a file
 * whose process is gone is known to be left over, and one that another machine
 * or container is writing in a shared folder is not. */
#ifndef FABSCOPE_BASE_TEMPNAME_H
#define FABSCOPE_BASE_TEMPNAME_H

/* A name beside |path|, another for each |number|; NULL without memory. */
char *tempname_new(const char *path, unsigned number);

/* Removes from the folder of |path| what processes that are gone have left. */
void tempname_sweep(const char *path);

#endif

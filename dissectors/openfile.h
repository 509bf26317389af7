/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which capture file has Wireshark open?
 *
 * It does not tell its plugins; but Linux tells a process which files it reads.
 * Where that is not to be had, there is none. */
#ifndef FABSCOPE_DISSECTORS_OPENFILE_H
#define FABSCOPE_DISSECTORS_OPENFILE_H

#include <stdbool.h>

/* Offers the name of each regular file that this process only reads, until one
 * is taken.  False when none is. */
bool openfile_offer(bool (*take)(const char *path));

/* Is Wireshark capturing?  Then its file is not complete. */
bool openfile_grows(void);

#endif

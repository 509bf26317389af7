/* SPDX-License-Identifier: GPL-2.0-or-later
 * Packets of a finding, a flow, a time or by number, as a pcapng file.
 *
 * The database has no packets: the captures it names are read once more. */
#ifndef FABSCOPE_VIEWS_SLICE_H
#define FABSCOPE_VIEWS_SLICE_H

#include <stdint.h>

#include "base/err.h"

struct store;
struct selector;

/* Writes what |sel| asks for to |path| ("-": standard output).  A capture with
 * a relative path is looked for here and beside the database.  -1 and |err|,
 * and then no new file, when a capture is gone or is not what was analysed.
 * |*packets| gets the number of packets written. */
int slice_write(struct store *s, const struct selector *sel, const char *path,
		uint64_t *packets, struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * UDP source ports of the queue pairs of two hosts: what they are counted from
 * is noted while rows of flows are written or read back. */
#ifndef FABSCOPE_STORE_PORT_USE_H
#define FABSCOPE_STORE_PORT_USE_H

#include <stdbool.h>
#include <stddef.h>

#include "store/store_int.h"

struct port_use {
	struct noted *list;
	size_t n, room;
};

/* False: no memory. */
bool port_use_note(struct port_use *u, const struct fact_flow *f);

/* Makes the temporary table port_use, of one row.  -1 and |err|. */
int port_use_write(struct port_use *u, struct store *s, struct err *err);

void port_use_free(struct port_use *u);

#endif

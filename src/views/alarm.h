/* SPDX-License-Identifier: GPL-2.0-or-later
 * Is what was found a reason for a pipeline to stop? */
#ifndef FABSCOPE_VIEWS_ALARM_H
#define FABSCOPE_VIEWS_ALARM_H

#include "base/err.h"

struct store;

/* The levels there are, by spaces. */
extern const char alarm_levels[];

/* 1 when |level| is reached ("critical": a critical finding, "warning": one or
 * a warning, "network": the answer says that the network had a share), 0 when
 * not, -1 and |err|. */
int alarm_raised(struct store *s, const char *level, struct err *err);

#endif

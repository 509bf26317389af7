/* SPDX-License-Identifier: GPL-2.0-or-later
 * The list of what follows flows and links. */
#ifndef FABSCOPE_FLOW_ENGINE_TRACKERS_H
#define FABSCOPE_FLOW_ENGINE_TRACKERS_H

#include "flow/core/tracker.h"

extern const struct tracker *const trackers[]; /* NULL after the last */
extern const struct transport *const transports[2];

#endif

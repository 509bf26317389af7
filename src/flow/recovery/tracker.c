/* SPDX-License-Identifier: GPL-2.0-or-later
 * What is kept of loss events until they are decided. */
#include "flow/core/tracker.h"

#include "flow/recovery/recovery.h"

const struct tracker recovery_tracker = { .flow_free = recovery_forget };

/* SPDX-License-Identifier: GPL-2.0-or-later
 * A room of src/flow takes part by a line here. */
#include "flow/engine/trackers.h"

#include <stddef.h>

extern const struct tracker roce_tracker, uet_tracker, recovery_tracker,
	multitap_tracker, congestion_tracker, link_tracker, telemetry_tracker,
	balance_tracker;
extern const struct transport roce_transport, uet_transport;

/* In the order in which they have the last word of a flow. */
const struct tracker *const trackers[] = {
	&roce_tracker,      &uet_tracker,        &recovery_tracker,
	&multitap_tracker,  &congestion_tracker, &link_tracker,
	&telemetry_tracker, &balance_tracker,    NULL,
};

const struct transport *const transports[2] = { &roce_transport,
						&uet_transport };

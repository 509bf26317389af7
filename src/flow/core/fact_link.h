/* SPDX-License-Identifier: GPL-2.0-or-later
 * Facts of the link layer: pauses, storms, what they did to flows, what ports
 * advertise, and the credits of UEC.  Part of fact.h. */
#ifndef FABSCOPE_FLOW_CORE_FACT_LINK_H
#define FABSCOPE_FLOW_CORE_FACT_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/addr.h"

enum pause_end {
	PAUSE_XON,     /* allowed to go on */
	PAUSE_EXPIRY,  /* the time asked for was over */
	PAUSE_CAPTURE, /* still paused when the capture ended */
	PAUSE_ENDS
};

enum port_role {
	PORT_UNKNOWN,
	PORT_HOST,   /* sends packets with a time to live nobody lowered */
	PORT_SWITCH, /* sends packets that have passed a router */
	PORT_ROLES
};

/* Order is that of gravity; STORM_DEADLOCK* are derived. */
enum storm_level {
	STORM_HEAVY,
	STORM_SUSPECT,
	STORM_STORM,
	STORM_DEADLOCK_SUSPECT,
	STORM_DEADLOCK,
	STORM_LEVELS
};

enum stall_cause {
	STALL_PAUSE,  /* the priority was paused */
	STALL_CREDIT, /* UEC CBFC: no credits were used meanwhile */
	STALL_CAUSES
};

enum priority_source {
	PRIORITY_PCP,    /* VLAN tag */
	PRIORITY_LLDP,   /* the mapping that the port advertises */
	PRIORITY_ASSUMED /* DSCP / 8 */
};

/* names.c */
extern const char *const pause_end_names[PAUSE_ENDS];
extern const char *const port_role_names[PORT_ROLES];
extern const char *const storm_level_names[STORM_LEVELS];
extern const char *const stall_cause_names[STALL_CAUSES];
extern const char *const priority_source_names[PRIORITY_ASSUMED + 1];

#endif

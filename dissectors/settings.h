/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the user says of the fabric: the preferences of the plugin. */
#ifndef FABSCOPE_DISSECTORS_SETTINGS_H
#define FABSCOPE_DISSECTORS_SETTINGS_H

#include <stdint.h>

#include "decode/packet.h"
#include "dissectors/compat.h"

struct topology;

struct settings {
	const struct topology *topology; /* NULL: nothing is known */
	struct decode_options decode;
	uint64_t speed_bps;   /* of links of which nobody tells; 0 unknown */
	uint64_t whole_bytes; /* of the largest file that is read ahead */
};

/* As they are now.  Wireshark dissects anew when one has changed. */
const struct settings *settings(void);

/* Makes |handle| the dissector of the first numbers of |list|, up to a 0 or
 * four, in Wireshark's |table|; or takes it away there. */
void settings_place(bool on, const char *table, const uint16_t list[static 4],
		    dissector_handle_t handle);

/* Called once, when the dissectors register. */
void settings_register(void);

#endif

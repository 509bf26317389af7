/* SPDX-License-Identifier: GPL-2.0-or-later
 * What Wireshark asks of a plugin.  GPL because libwireshark is. */
#include <stdio.h>

#include <epan/proto.h>

#include "dissectors/chain.h"
#include "dissectors/compat.h"
#include "dissectors/plugin.h"
#include "dissectors/session.h"
#include "dissectors/settings.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT extern const char plugin_version[];
EXPORT extern const int plugin_want_major, plugin_want_minor;
EXPORT void plugin_register(void);
EXPORT uint32_t plugin_describe(void);

const char plugin_version[] = FABSCOPE_VERSION;
const int plugin_want_major = WIRESHARK_VERSION_MAJOR;
const int plugin_want_minor = WIRESHARK_VERSION_MINOR;

static void register_all(void)
{
	analysis_register();
	settings_register();
	session_register();
	congestion_register();
	chain_register();
	roce_register();
	tables_register();
	statistics_register();
}

static void handoff_all(void)
{
	chain_handoff();
	roce_handoff();
}

/* Wireshark refuses plugins of another minor version by itself; this is for
 * one whose loader asks less. */
static bool is_built_for_this(void)
{
	int major, minor, micro;

	epan_get_version_number(&major, &minor, &micro);
	if (major == WIRESHARK_VERSION_MAJOR &&
	    minor == WIRESHARK_VERSION_MINOR)
		return true;
	fprintf(stderr,
		"fabscope: the plugin is built for Wireshark %d.%d, this is "
		"%d.%d: not loaded\n",
		WIRESHARK_VERSION_MAJOR, WIRESHARK_VERSION_MINOR, major, minor);
	return false;
}

void plugin_register(void)
{
	static const proto_plugin plugin = { register_all, handoff_all };

	if (is_built_for_this())
		proto_register_plugin(&plugin);
}

uint32_t plugin_describe(void)
{
	return 1; /* it dissects */
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Every difference between the versions of Wireshark that are supported, 4.0
 * to 4.6.  No other file asks for a version. */
#ifndef FABSCOPE_DISSECTORS_COMPAT_H
#define FABSCOPE_DISSECTORS_COMPAT_H

#include <ws_version.h>

#define AT(major, minor) ((major)*100 + (minor))
#define HERE             AT(WIRESHARK_VERSION_MAJOR, WIRESHARK_VERSION_MINOR)

#if HERE < AT(4, 0) || HERE > AT(4, 6)
#error "fabscope knows Wireshark 4.0 to 4.6; this is another one"
#endif

#include <wireshark.h>

#include <epan/epan.h>
#include <epan/packet.h>

/* A statistic that is started from the command line says since 4.6 whether it
 * could be. */
#if HERE >= AT(4, 6)
#define STAT_INIT     static bool
#define STAT_INIT_END return true
#else
#define STAT_INIT     static void
#define STAT_INIT_END return
#endif

#if HERE < AT(4, 4)
#define tvb_get_uint8 tvb_get_guint8
#define HEURISTIC     static gboolean
#else
#define HEURISTIC static bool
#endif

/* Interfaces are numbered within their section since 4.4. */
#if HERE >= AT(4, 4)
#define COMPAT_INTERFACE_NAME(pinfo, id) \
	epan_get_interface_name((pinfo)->epan, id, (pinfo)->rec->section_number)
#else
#define COMPAT_INTERFACE_NAME(pinfo, id) \
	epan_get_interface_name((pinfo)->epan, id)
#endif

#endif

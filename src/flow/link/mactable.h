/* SPDX-License-Identifier: GPL-2.0-or-later
 * Numbers for (tap, MAC address), from 0, at most as many as there is room for:
 * what is in frames that nobody forwards can be made up. */
#ifndef FABSCOPE_FLOW_LINK_MACTABLE_H
#define FABSCOPE_FLOW_LINK_MACTABLE_H

#include <stdint.h>

#define MAC_NONE UINT32_MAX

struct mac_key {
	uint64_t mac;
	uint32_t tap;
};

struct mac_table {
	struct mac_key *key; /* by number */
	uint32_t n;
	uint32_t *slot; /* number + 1 */
};

enum { MACS_MAX = 1024 };

void mactable_fini(struct mac_table *t);
uint32_t mactable_find(const struct mac_table *t, uint32_t tap, uint64_t mac);
/* MAC_NONE: no room. */
uint32_t mactable_add(struct mac_table *t, uint32_t tap, uint64_t mac);

#endif

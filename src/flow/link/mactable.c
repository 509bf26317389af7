/* SPDX-License-Identifier: GPL-2.0-or-later
 * Numbers for (tap, MAC address). */
#include "flow/link/mactable.h"
#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>

enum { SLOTS = 2 * MACS_MAX };

void mactable_fini(struct mac_table *t)
{
	free(t->key);
	free(t->slot);
}

/* Where the key is, or the free slot where it would be. */
static uint32_t place(const struct mac_table *t, uint32_t tap, uint64_t mac)
{
	uint32_t i = (uint32_t)hash2(mac, tap);

	for (;; i++) {
		uint32_t s = t->slot[i % SLOTS];

		if (!s ||
		    (t->key[s - 1].mac == mac && t->key[s - 1].tap == tap))
			return i % SLOTS;
	}
}

uint32_t mactable_find(const struct mac_table *t, uint32_t tap, uint64_t mac)
{
	return t->n ? t->slot[place(t, tap, mac)] - 1 : MAC_NONE;
}

uint32_t mactable_add(struct mac_table *t, uint32_t tap, uint64_t mac)
{
	uint32_t at;

	if (!t->slot)
		t->slot = mem_calloc(SLOTS, sizeof *t->slot);
	if (!t->key)
		t->key = mem_calloc(MACS_MAX, sizeof *t->key);
	if (!t->slot || !t->key)
		return MAC_NONE;
	at = place(t, tap, mac);
	if (!t->slot[at]) {
		if (t->n == MACS_MAX)
			return MAC_NONE;
		t->key[t->n] = (struct mac_key) { mac, tap };
		t->slot[at] = ++t->n;
	}
	return t->slot[at] - 1;
}

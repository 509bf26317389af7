/* SPDX-License-Identifier: GPL-2.0-or-later
 * Where a capture (pcap or pcapng, little-endian) can be cut. */
#ifndef FABSCOPE_TESTS_CUTS_H
#define FABSCOPE_TESTS_CUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where packets and other blocks begin; the last is the end of the file. */
struct place {
	size_t at;
	bool packet; /* what ends there was one */
};

struct whole {
	uint8_t *p;
	size_t n, head; /* bytes that each piece begins with */
	struct place *v;
	size_t n_places;
};

/* False: not one that this understands. */
bool cuts_load(struct whole *w, const char *path);
void cuts_free(struct whole *w);

#endif

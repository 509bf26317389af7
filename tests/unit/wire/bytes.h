/* SPDX-License-Identifier: GPL-2.0-or-later
 * Bytes from hex text, in a block of exactly their size, so that the address
 * sanitizer sees a read past the end. */
#ifndef FABSCOPE_TESTS_BYTES_H
#define FABSCOPE_TESTS_BYTES_H

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bytes {
	uint8_t *p;
	size_t n;
};

/* |hex| may hold anything but hex digits between bytes; free(o.p). */
static inline struct bytes bytes(const char *hex)
{
	struct bytes o = { NULL, 0 };
	uint8_t *all = malloc(strlen(hex) / 2 + 1);
	unsigned v;

	while (*hex) {
		if (!isxdigit((unsigned char)*hex)) {
			hex++;
			continue;
		}
		sscanf(hex, "%2x", &v);
		all[o.n++] = (uint8_t)v;
		hex += 2;
	}
	o.p = malloc(o.n ? o.n : 1);
	memcpy(o.p, all, o.n);
	free(all);
	return o;
}

#endif

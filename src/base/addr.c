/* SPDX-License-Identifier: GPL-2.0-or-later
 * Addresses as text. */
#include "base/addr.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

/* As inet_ntop() does, which takes a printf() for it: every flow has two. */
static void v4_text(const uint8_t b[static 4], char *text)
{
	for (unsigned i = 0; i < 4; i++) {
		if (b[i] >= 100)
			*text++ = (char)('0' + b[i] / 100);
		if (b[i] >= 10)
			*text++ = (char)('0' + b[i] / 10 % 10);
		*text++ = (char)('0' + b[i] % 10);
		*text++ = i < 3 ? '.' : '\0';
	}
}

static const uint8_t lid_block[14] = { [10] = 0xff, [11] = 0xfe };
static const char lid_prefix[] = "lid:";
enum { LID_PREFIX = sizeof lid_prefix - 1, LID_DIGITS = 5 };

struct addr addr_from_lid(uint16_t lid)
{
	uint8_t b[16] = { [14] = (uint8_t)(lid >> 8), [15] = (uint8_t)lid };

	memcpy(b, lid_block, sizeof lid_block);
	return addr_from_v6(b);
}

int addr_lid(struct addr a)
{
	uint8_t b[16];

	memcpy(b, &a, sizeof b);
	return memcmp(b, lid_block, sizeof lid_block) ? -1 : b[14] << 8 | b[15];
}

static bool lid_parse(const char *text, struct addr *out)
{
	const char *digits = text + LID_PREFIX;
	size_t n = strlen(text) < LID_PREFIX ? 0 : strlen(digits);
	unsigned long lid;

	if (!n || n > LID_DIGITS || strspn(digits, "0123456789") != n ||
	    memcmp(text, lid_prefix, LID_PREFIX) != 0)
		return false;
	lid = strtoul(digits, NULL, 10);
	*out = addr_from_lid((uint16_t)lid);
	return lid <= UINT16_MAX;
}

char *addr_text(struct addr a, char buf[static ADDR_TEXT])
{
	static const uint8_t mapped[12] = { 0, 0, 0, 0, 0,    0,
					    0, 0, 0, 0, 0xff, 0xff };
	uint8_t b[16];

	memcpy(b, &a, sizeof b);
	if (!memcmp(b, mapped, sizeof mapped))
		v4_text(b + 12, buf);
	else if (addr_lid(a) >= 0)
		snprintf(buf, ADDR_TEXT, "%s%d", lid_prefix, addr_lid(a));
	else
		inet_ntop(AF_INET6, b, buf, ADDR_TEXT);
	return buf;
}

bool addr_parse(const char *text, struct addr *out)
{
	uint8_t b[16];

	if (inet_pton(AF_INET, text, b) == 1)
		*out = addr_from_v4(b);
	else if (inet_pton(AF_INET6, text, b) == 1)
		*out = addr_from_v6(b);
	else
		return lid_parse(text, out);
	return true;
}

char *mac_text(uint64_t mac, char buf[static MAC_TEXT])
{
	static const char digits[] = "0123456789abcdef";
	char *p = buf;

	for (int shift = 40; shift >= 0; shift -= 8) {
		*p++ = digits[mac >> (shift + 4) & 15];
		*p++ = digits[mac >> shift & 15];
		*p++ = shift ? ':' : 0;
	}
	return buf;
}

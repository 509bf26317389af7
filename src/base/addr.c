/* SPDX-License-Identifier: GPL-2.0-or-later
 * Addresses as text. */
#include "base/addr.h"

#include <arpa/inet.h>
#include <stdio.h>

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

char *addr_text(struct addr a, char buf[static ADDR_TEXT])
{
	static const uint8_t mapped[12] = { 0, 0, 0, 0, 0,    0,
					    0, 0, 0, 0, 0xff, 0xff };
	uint8_t b[16];

	memcpy(b, &a, sizeof b);
	if (!memcmp(b, mapped, sizeof mapped))
		v4_text(b + 12, buf);
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
		return false;
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

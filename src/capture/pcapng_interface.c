/* SPDX-License-Identifier: GPL-2.0-or-later
 * Interfaces of a pcapng section: description, time unit, options. */
#include <stdlib.h>

#include "capture/pcapng.h"

enum {
	OPTION_NAME = 2,
	OPTION_SPEED = 8,
	OPTION_RESOLUTION = 9,
	OPTION_FCS_LENGTH = 13,
	OPTION_OFFSET = 14,
	MICROSECONDS = 6,
	NANOSECONDS = 9,
	POWER_OF_TWO = 0x80,
	BODY = 8, /* link type 2, reserved 2, snaplen 4 */
};

static const uint64_t tens[] = {
	1,
	10,
	100,
	1000,
	10000,
	100000,
	1000000,
	10000000,
	100000000,
	1000000000,
	10000000000,
	100000000000,
	1000000000000,
	10000000000000,
	100000000000000,
	1000000000000000,
	10000000000000000,
	100000000000000000,
	1000000000000000000,
	10000000000000000000u,
};
enum { TENS = sizeof tens / sizeof *tens };

bool option_next(struct options *o, struct option *out)
{
	size_t left = (size_t)(o->end - o->p), padded;

	if (left < 4)
		return false;
	out->code = bytes_u16(o->p, o->swapped);
	out->length = bytes_u16(o->p + 2, o->swapped);
	out->value = o->p + 4;
	padded = ((size_t)out->length + 3) & ~(size_t)3;
	if (!out->code || out->length > left - 4)
		return false;
	o->p += padded > left - 4 ? left : padded + 4;
	return true;
}

void interfaces_clear(struct interfaces *i)
{
	uint32_t k;

	for (k = 0; k < i->n; k++)
		free(i->v[k].name);
	free(i->v);
	*i = (struct interfaces) { 0 };
}

/* NULL: no memory.  |*kept| says whether there is room for one more at all. */
static struct interface *append(struct interfaces *i, bool *kept)
{
	struct interface *at;

	*kept = i->n < PCAPNG_INTERFACES;
	i->described += i->described < UINT32_MAX;
	if (!*kept)
		return NULL;
	if (i->n == i->room) {
		uint32_t room = i->room ? i->room * 2 : 4;
		struct interface *v = realloc(i->v, room * sizeof *v);

		if (!v)
			return NULL;
		i->v = v;
		i->room = room;
	}
	at = &i->v[i->n++];
	*at = (struct interface) { .tap = TAP_NONE,
				   .resolution = MICROSECONDS };
	return at;
}

/* The text of the draft says bits, its example and Wireshark bytes: no FCS is
 * longer than 8 bytes, and none is shorter than 2. */
static uint8_t fcs_bytes(uint8_t n)
{
	if (n <= 8)
		return n;
	return n <= 64 && n % 8 == 0 ? n / 8 : 0;
}

/* The name may have been cut; it is not NUL terminated. */
static char *name_of(const struct option *o)
{
	size_t n = o->length < PCAPNG_NAME ? o->length : PCAPNG_NAME;

	return n ? strndup((const char *)o->value, n) : NULL;
}

static void read_option(struct interface *at, const struct option *o,
			bool swapped, bool named)
{
	switch (o->code) {
	case OPTION_NAME:
		if (named && !at->name)
			at->name = name_of(o);
		break;
	case OPTION_SPEED:
		if (o->length >= 8)
			at->speed_bps =
				capture_speed(bytes_u64(o->value, swapped));
		break;
	case OPTION_RESOLUTION:
		if (o->length >= 1)
			at->resolution = o->value[0];
		break;
	case OPTION_FCS_LENGTH:
		if (o->length >= 1)
			at->fcs_len = fcs_bytes(o->value[0]);
		break;
	case OPTION_OFFSET:
		if (o->length >= 8)
			at->offset = (int64_t)bytes_u64(o->value, swapped);
		break;
	}
}

int interfaces_add(struct interfaces *i, const uint8_t *body, size_t n,
		   bool swapped)
{
	struct options all;
	struct option o;
	struct interface *at;
	bool kept;

	if (n < BODY)
		return interfaces_add_lost(i);
	at = append(i, &kept);
	if (!at)
		return kept ? -1 : 0;
	at->linktype = bytes_u16(body, swapped);
	at->snaplen = bytes_u32(body + 4, swapped);
	all = (struct options) { body + BODY, body + n, swapped };
	while (option_next(&all, &o))
		read_option(at, &o, swapped, i->n <= PCAPNG_NAMED);
	if (at->resolution <= NANOSECONDS && !at->offset)
		at->scale = (uint32_t)tens[NANOSECONDS - at->resolution];
	return 0;
}

int interfaces_add_lost(struct interfaces *i)
{
	bool kept;
	struct interface *at = append(i, &kept);

	if (at)
		at->fcs_len = INTERFACE_LOST;
	return at || !kept ? 0 : -1;
}

__extension__ typedef __int128 wide;

static wide since_epoch(uint8_t resolution, uint64_t units)
{
	unsigned n = resolution & 0x7f;

	if (resolution & POWER_OF_TWO)
		return ((wide)units * 1000000000) >> n;
	if (n <= NANOSECONDS)
		return (wide)units * (wide)tens[NANOSECONDS - n];
	/* 10^20 is more units than 64 bits can count */
	return n - NANOSECONDS < TENS ? (wide)(units / tens[n - NANOSECONDS])
				      : 0;
}

bool interface_ns(const struct interface *i, uint64_t units, int64_t *ns)
{
	wide t = since_epoch(i->resolution, units);

	t += (wide)i->offset * 1000000000;
	*ns = t > INT64_MAX   ? INT64_MAX
	      : t < INT64_MIN ? INT64_MIN
			      : (int64_t)t;
	return *ns == t;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The pcapng format: what its reader is made of.
 *
 * specification: draft-ietf-opsawg-pcapng
 *
 *	block	type 4  length 4  body, padded to 4  length 4
 *	option	code 2  length 2  value, padded to 4
 *
 * A section header block (type the same in both byte orders) gives the byte
 * order of what follows and makes the interface numbers start again. */
#ifndef FABSCOPE_CAPTURE_PCAPNG_H
#define FABSCOPE_CAPTURE_PCAPNG_H

#include "capture/bytes.h"
#include "capture/reader.h"

enum pcapng_block {
	BLOCK_INTERFACE = 1,
	BLOCK_PACKET = 2, /* obsolete */
	BLOCK_SIMPLE = 3,
	BLOCK_NAMES = 4,
	BLOCK_STATISTICS = 5,
	BLOCK_ENHANCED = 6,
	BLOCK_JOURNAL = 9, /* systemd */
	BLOCK_SECRETS = 10,
	BLOCK_SYSDIG = 0x0204,
	BLOCK_SYSDIG_2 = 0x0216,
	BLOCK_SYSDIG_LARGE = 0x0221,
	BLOCK_CUSTOM = 0x0bad,
	BLOCK_SECTION = 0x0a0d0d0a,
	BLOCK_CUSTOM_NOCOPY = 0x40000bad,
};
#define PCAPNG_BYTE_ORDER 0x1a2b3c4du

enum {
	PCAPNG_FRAMING = 12,         /* type and both lengths */
	PCAPNG_LONGEST = 256 << 20,  /* a length beyond this is nonsense */
	PCAPNG_INTERFACES = 1 << 20, /* kept of one section */
	PCAPNG_NAMED = 65536,        /* of them with their names */
	PCAPNG_NAME = 255,           /* bytes of a name kept */
};

/* An interface of the section. */
struct interface {
	uint64_t speed_bps;
	int64_t offset; /* seconds to add to each time */
	char *name;     /* NULL none; given away to the tap */
	uint32_t snaplen;
	uint32_t tap;   /* TAP_NONE until it carries something */
	uint32_t scale; /* nanoseconds in a unit, 0: it is not that simple */
	uint16_t linktype;
	uint8_t resolution; /* if_tsresol */
	uint8_t fcs_len;    /* INTERFACE_LOST: its description was corrupted */
};
enum { INTERFACE_LOST = 0xff };
_Static_assert(sizeof(struct interface) <= 40, "there may be a million");

struct interfaces {
	struct interface *v;
	uint32_t n, room;
	uint32_t described; /* may be more than n */
};

void interfaces_clear(struct interfaces *i);

/* Reads an interface description block's body.  |lost|: there is none to read,
 * but its number must not go to the next one.  -1: no memory. */
int interfaces_add(struct interfaces *i, const uint8_t *body, size_t n,
		   bool swapped);
int interfaces_add_lost(struct interfaces *i);

/* Time units since the epoch to nanoseconds; false when clamped. */
bool interface_ns(const struct interface *i, uint64_t units, int64_t *ns);

/* Walks options; stops at the end mark and at the first that does not fit. */
struct options {
	const uint8_t *p, *end;
	bool swapped;
};
struct option {
	const uint8_t *value;
	uint16_t code, length;
};
bool option_next(struct options *o, struct option *out);

struct pcapng {
	struct reader base;
	struct interfaces interfaces;
	int64_t last_ns;  /* what a packet without time is given */
	uint32_t section; /* number of this one, from 1 */
	bool timed;       /* last_ns is a packet's */
	bool swapped;
	bool foreign; /* a section of a version nobody knows */
};

/* The block at the window's start, if it is whole. */
struct block {
	const uint8_t *p; /* all of it */
	size_t length;    /* padded */
	uint32_t type;
};

/* The tap of interface |i|, made when needed.  TAP_NONE: no memory. */
uint32_t pcapng_tap(struct pcapng *f, uint32_t i);

/* As many frames as there are packet blocks at the window's start without
 * anything that needs a second look: options, odd lengths or times, a tap to be
 * made. */
int pcapng_plain_run(struct pcapng *f, struct frame *out, int max);

/* Packet blocks: 1 a frame in |out|, 0 none, -1 no memory. */
int pcapng_enhanced(struct pcapng *f, const struct block *b, struct frame *out);
int pcapng_obsolete(struct pcapng *f, const struct block *b, struct frame *out);
int pcapng_simple(struct pcapng *f, const struct block *b, struct frame *out);

/* Moves the window to the next surely good block, if there is one in it. */
void pcapng_search(struct pcapng *f);

/* Does the type belong to a block that holds a packet? */
static inline bool pcapng_holds_packet(uint32_t type)
{
	return type == BLOCK_ENHANCED || type == BLOCK_SIMPLE ||
	       type == BLOCK_PACKET;
}

#endif

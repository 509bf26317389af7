/* SPDX-License-Identifier: GPL-2.0-or-later
 * Read or write any field of any header described in a .def file.
 *
 * WIRE_GET(bth, psn, p) folds to one load, one byte swap, a shift and a mask.
 * Nothing outside the header is touched, whatever its size: check once that
 * WIRE_SIZE_bth bytes are there, then read every field without a check. */
#ifndef FABSCOPE_WIRE_WIRE_H
#define FABSCOPE_WIRE_WIRE_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* How a field is shown; LE is the only one that changes how it is read. */
enum wire_base {
	WIRE_FLAG, /* one bit */
	WIRE_DEC,
	WIRE_HEX,
	WIRE_LE,   /* little-endian, decimal, whole bytes */
	WIRE_SIGN, /* two's complement, decimal */
	WIRE_MAC,  /* 48 bits; from here on read through WIRE_PTR */
	WIRE_IP4,  /* 32 bits */
	WIRE_IP6,  /* 128 bits: IPv6 address or GID */
	WIRE_RAW,  /* bytes */
};

/* clang-format off */

/* WIRE_eth, WIRE_bth, ... */
enum wire_header {
#define HEADER(h, title, spec, status) WIRE_##h,
#include "wire/all.def"
	WIRE_HEADERS
};

/* WIRE_SIZE_eth, WIRE_SIZE_bth, ... in bytes. */
enum {
#define END(h, bytes) WIRE_SIZE_##h = (bytes),
#include "wire/all.def"
};

/* One char per bit: offsetof is the bit offset, sizeof the width.  A wrong
 * width anywhere makes the total wrong, and stops the compiler at END. */
#define HEADER(h, title, spec, status) struct h##_bits {
#define FIELD(f, bits, base, names, label) char f[bits];
#define END(h, bytes) }; _Static_assert(sizeof(struct h##_bits) == \
	8 * (bytes), #h " is not " #bytes " bytes");
#include "wire/all.def"

/* The base of each field, as a size for the compiler to read. */
#define HEADER(h, title, spec, status) struct h##_bases {
#define FIELD(f, bits, base, names, label) char f[WIRE_##base + 1];
#define END(h, bytes) };
#include "wire/all.def"

/* The lists of named values: WIRE_LIST_opcode, WIRE_LIST_ecn, ... */
enum wire_list {
	WIRE_LIST_none,
#define NAMES(n, title, spec, status) WIRE_LIST_##n,
#define NUMBERS(n, title, unit, spec, status) WIRE_LIST_##n,
#include "wire/all.def"
	WIRE_LISTS
};

/* The values themselves: RC_SEND_ONLY, ETYPE_IPV4, NAK_PSN, ... */
enum wire_value {
#define NAME(id, value, text) id = value,
#define OPCODE(id, value, text, chain, does, payload) id = value,
#include "wire/all.def"
};

/* clang-format on */

/* What an opcode does to its message and to the receiver. */
enum {
	OP_STARTS = 1, /* first packet of a message */
	OP_ENDS = 2,   /* last packet of a message */
	OP_RQE = 4,    /* takes a receive work queue element */
	OP_REPLY = 8,  /* travels in the response stream: the peer's PSNs */
};

/* Bytes of payload that an opcode allows. */
enum wire_payload {
	PAYLOAD_NONE,
	PAYLOAD_ANY,   /* 0 to PMTU */
	PAYLOAD_SOME,  /* 1 to PMTU */
	PAYLOAD_FULL,  /* exactly PMTU */
	PAYLOAD_EIGHT, /* exactly 8 */
};

/* A set of extension headers, as in the opcode table.  Lower bits come first
 * on the wire. */
#define WIRE_CHAIN(h) (1u << (WIRE_##h - WIRE_rdeth))
enum { WIRE_EXTENSIONS = WIRE_cnp - WIRE_rdeth + 1 };

/* One of the 256 opcodes; name is NULL where none is defined. */
struct wire_opcode {
	const char *name;
	uint16_t chain;              /* WIRE_CHAIN() bits */
	uint8_t does;                /* OP_ bits */
	uint8_t payload;             /* enum wire_payload */
	uint8_t headers;             /* bytes of BTH and chain together */
	uint8_t at[WIRE_EXTENSIONS]; /* offset from the BTH, 0: not there */
};

extern const struct wire_opcode wire_opcodes[256];

static inline const struct wire_opcode *wire_opcode(uint8_t opcode)
{
	return &wire_opcodes[opcode];
}

/* Bytes from the BTH to extension header |h| in opcode |op|, 0: absent. */
#define WIRE_AT(op, h) ((op)->at[WIRE_##h - WIRE_rdeth])

/* In bits. */
#define WIRE_OFF(h, f)   offsetof(struct h##_bits, f)
#define WIRE_WIDTH(h, f) sizeof(((struct h##_bits *)0)->f)
#define WIRE_BASE(h, f)  (sizeof(((struct h##_bases *)0)->f) - 1)

/* A constant 0 that does not compile unless |cond| holds. */
#define WIRE_CHECK(cond, why)               \
	(0 * sizeof(struct {                \
		 _Static_assert(cond, why); \
		 char c;                    \
	 }))
#define WIRE_FITS(h, f)                                         \
	WIRE_CHECK(WIRE_OFF(h, f) % 8 + WIRE_WIDTH(h, f) <= 64, \
		   #h "." #f " is too wide: use WIRE_PTR")

/* The field of header |h| at |p|, as a number. */
#define WIRE_GET(h, f, p)                                              \
	wire_get((p), WIRE_SIZE_##h, WIRE_OFF(h, f) + WIRE_FITS(h, f), \
		 WIRE_WIDTH(h, f), WIRE_BASE(h, f) == WIRE_LE)

/* Several fields by one load: WIRE_WORD reads the eight bytes of |h| from
 * byte |at| on, WIRE_PART takes a field out of them, and WIRE_BITS is that
 * field all ones, to compare many at once. */
#define WIRE_WORD(h, at, p)                                          \
	wire_load((p) + (at) +                                       \
			  WIRE_CHECK((at) + 8 <= WIRE_SIZE_##h,      \
				     #h " has no such eight bytes"), \
		  8)
#define WIRE_PART(h, f, at, word) \
	((word) >> WIRE_SHIFT(h, f, at) & wire_mask(WIRE_WIDTH(h, f)))
#define WIRE_BITS(h, f, at) \
	(wire_mask(WIRE_WIDTH(h, f)) << WIRE_SHIFT(h, f, at))
#define WIRE_SHIFT(h, f, at)                                     \
	(8 * (at) + 64 - WIRE_OFF(h, f) - WIRE_WIDTH(h, f) +     \
	 WIRE_CHECK(WIRE_OFF(h, f) >= 8 * (at) &&                \
			    WIRE_OFF(h, f) + WIRE_WIDTH(h, f) <= \
				    8 * (at) + 64 &&             \
			    WIRE_BASE(h, f) != WIRE_LE,          \
		    #h "." #f " is not in these eight bytes"))

/* Store the low bits of |v| there; the other bits of the header stay. */
#define WIRE_SET(h, f, p, v)                                           \
	wire_set((p), WIRE_SIZE_##h, WIRE_OFF(h, f) + WIRE_FITS(h, f), \
		 WIRE_WIDTH(h, f), WIRE_BASE(h, f) == WIRE_LE, (v))

/* Where the field begins: for MAC and IP addresses, GIDs, private data.  As
 * const as |p|; the field is WIRE_BYTES(h, f) long. */
#define WIRE_PTR(h, f, p)           \
	((p) + WIRE_OFF(h, f) / 8 + \
	 WIRE_CHECK(WIRE_OFF(h, f) % 8 == 0, #h "." #f " is not on a byte"))
#define WIRE_BYTES(h, f) (WIRE_WIDTH(h, f) / 8)

/* --- what the macros above fold away; do not call directly --- */

/* Inlined always: with hundreds of uses in one file a compiler stops trying,
 * and what should be one instruction becomes two calls. */
#define WIRE_INLINE __attribute__((always_inline)) static inline

/* The bytes that are loaded to read a field: n of them from at.  A power of
 * two, aligned to it if possible, and always inside the header. */
struct wire_window {
	size_t at, n;
};

WIRE_INLINE struct wire_window wire_window(size_t size, size_t off,
					   size_t width)
{
	size_t first = off / 8, end = (off + width + 7) / 8;
	size_t n = end - first;
	size_t at;

	n = n <= 2 ? n : n <= 4 ? 4 : 8;
	if (n > size)
		return (struct wire_window) { first, end - first };
	at = first & ~(n - 1);
	if (end > at + n || at + n > size)
		at = first < size - n ? first : size - n;
	return (struct wire_window) { at, n };
}

WIRE_INLINE uint64_t wire_load(const uint8_t *p, size_t n)
{
	uint64_t v = 0;
	uint32_t w;
	uint16_t h;

	switch (n) {
	case 1:
		return *p;
	case 2:
		memcpy(&h, p, sizeof h);
		return be16toh(h);
	case 4:
		memcpy(&w, p, sizeof w);
		return be32toh(w);
	case 8:
		memcpy(&v, p, sizeof v);
		return be64toh(v);
	default:
		while (n--)
			v = v << 8 | *p++;
		return v;
	}
}

WIRE_INLINE void wire_store(uint8_t *p, size_t n, uint64_t v)
{
	uint32_t w = htobe32((uint32_t)v);
	uint16_t h = htobe16((uint16_t)v);

	switch (n) {
	case 1:
		*p = (uint8_t)v;
		break;
	case 2:
		memcpy(p, &h, sizeof h);
		break;
	case 4:
		memcpy(p, &w, sizeof w);
		break;
	case 8:
		v = htobe64(v);
		memcpy(p, &v, sizeof v);
		break;
	default:
		while (n--) {
			p[n] = (uint8_t)v;
			v >>= 8;
		}
	}
}

WIRE_INLINE uint64_t wire_mask(size_t width)
{
	return UINT64_MAX >> (64 - width);
}

/* Turns a whole-byte value around. */
WIRE_INLINE uint64_t wire_swap(uint64_t v, size_t width)
{
	return __builtin_bswap64(v) >> (64 - width);
}

WIRE_INLINE uint64_t wire_get(const uint8_t *p, size_t size, size_t off,
			      size_t width, bool le)
{
	struct wire_window w = wire_window(size, off, width);
	uint64_t v = wire_load(p + w.at, w.n);

	v = v >> (8 * (w.at + w.n) - off - width) & wire_mask(width);
	return le ? wire_swap(v, width) : v;
}

WIRE_INLINE void wire_set(uint8_t *p, size_t size, size_t off, size_t width,
			  bool le, uint64_t v)
{
	struct wire_window w = wire_window(size, off, width);
	size_t shift = 8 * (w.at + w.n) - off - width;
	uint64_t mask = wire_mask(width);
	uint64_t old = wire_load(p + w.at, w.n);

	if (le)
		v = wire_swap(v & mask, width);
	v = (v & mask) << shift;
	wire_store(p + w.at, w.n, (old & ~(mask << shift)) | v);
}

#endif

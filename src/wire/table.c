/* SPDX-License-Identifier: GPL-2.0-or-later
 * The descriptions as plain constant data. */
#include "wire/wire.h"

/* clang-format off */

/* The extension headers of |c| that X picks, in octets. */
#define SIZE(c, h) (((c) & WIRE_CHAIN(h)) ? WIRE_SIZE_##h : 0)
#define LENGTH(c) (SIZE(c, rdeth) + SIZE(c, deth) + SIZE(c, xrceth) + \
	SIZE(c, feth) + SIZE(c, reth) + SIZE(c, aeth) + SIZE(c, atomiceth) + \
	SIZE(c, atomicacketh) + SIZE(c, immdt) + SIZE(c, ieth) + SIZE(c, cnp))

/* Where extension header |h| of chain |c| begins: after those before it. */
#define PLACE(c, h) [WIRE_##h - WIRE_rdeth] = ((c) & WIRE_CHAIN(h)) ? \
	WIRE_SIZE_bth + LENGTH((c) & (WIRE_CHAIN(h) - 1)) : 0
#define PLACES(c) { PLACE(c, rdeth), PLACE(c, deth), PLACE(c, xrceth), \
	PLACE(c, feth), PLACE(c, reth), PLACE(c, aeth), PLACE(c, atomiceth), \
	PLACE(c, atomicacketh), PLACE(c, immdt), PLACE(c, ieth), PLACE(c, cnp) }
_Static_assert(WIRE_EXTENSIONS == 11, "LENGTH and PLACES name 11 headers");

const struct wire_opcode wire_opcodes[256] = {
#define CHAIN(h) WIRE_CHAIN(h)
#define OPCODE(id, value, text, chain, does, payload) \
	[value] = { text, chain, does, PAYLOAD_##payload, \
		    WIRE_SIZE_bth + LENGTH(chain), PLACES(chain) },
#include "wire/all.def"
};

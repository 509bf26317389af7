/* SPDX-License-Identifier: GPL-2.0-or-later
 * Two functions per header that touch all its fields: for fold.sh to look at
 * what the compiler makes of them. */
#include "wire/wire.h"

/* clang-format off */
#define FITS(f) (offsetof(cur, f) % 8 + sizeof(((cur *)0)->f) <= 64)
#define PLACE(f) sizeof(cur) / 8, offsetof(cur, f), sizeof(((cur *)0)->f)

#define HEADER(h, title, spec, status) \
	uint64_t get_##h(const uint8_t *p); \
	uint64_t get_##h(const uint8_t *p) { \
		typedef struct h##_bits cur; uint64_t v = 0;
#define FIELD(f, bits, base, names, label) \
		if (FITS(f)) \
			v += wire_get(p, PLACE(f), WIRE_##base == WIRE_LE);
#define END(h, bytes) return v; }
#include "wire/all.def"

#define HEADER(h, title, spec, status) \
	void set_##h(uint8_t *p, uint64_t v); \
	void set_##h(uint8_t *p, uint64_t v) { typedef struct h##_bits cur;
#define FIELD(f, bits, base, names, label) \
		if (FITS(f)) \
			wire_set(p, PLACE(f), WIRE_##base == WIRE_LE, v);
#define END(h, bytes) }
#include "wire/all.def"

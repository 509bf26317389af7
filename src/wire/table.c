/* SPDX-License-Identifier: GPL-2.0-or-later
 * The descriptions as plain constant data: all.def, once per table. */
#include "wire/table.h"

/* clang-format off */

/* --- opcodes --- */

/* The extension headers of chain |c|, in bytes. */
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

#define CHAIN(h) WIRE_CHAIN(h)

const struct wire_opcode wire_opcodes[256] = {
#define OPCODE(id, value, text, chain, does, payload) \
	[value] = { text, chain, does, PAYLOAD_##payload, \
		    WIRE_SIZE_bth + LENGTH(chain), PLACES(chain) },
#include "wire/all.def"
};

/* --- lists --- */

/* As case labels: a value that a list names twice does not compile. */
#define NAMES(n, title, spec, status) \
	static const char *name_##n(uint64_t v) { switch (v) {
#define NAME(id, value, text) case value: return text;
#define OPCODE(id, value, text, chain, does, payload) case value: return text;
#define END_NAMES(n) default: return NULL; } }
#define NUMBERS(n, title, unit, spec, status) \
	static uint64_t number_##n(uint64_t v) { switch (v) {
#define NUMBER(code, number) case code: return number;
#define END_NUMBERS(n) default: return UINT64_MAX; } }
#include "wire/all.def"

const char *wire_name(enum wire_list list, uint64_t value)
{
	switch (list) {
#define NAMES(n, title, spec, status) \
	case WIRE_LIST_##n: return name_##n(value);
#include "wire/all.def"
	default:
		return NULL;
	}
}

uint64_t wire_number(enum wire_list list, uint64_t code)
{
	switch (list) {
#define NUMBERS(n, title, unit, spec, status) \
	case WIRE_LIST_##n: return number_##n(code);
#include "wire/all.def"
	default:
		return UINT64_MAX;
	}
}

/* Notes first: they stand between the opening of a description and its rows,
 * where no other table has a use for them. */
#define HEADER(h, title, spec, status) static const char note_##h[] = ""
#define END(h, bytes) ;
#define NAMES(n, title, spec, status) static const char note_list_##n[] = ""
#define END_NAMES(n) ;
#define NUMBERS(n, title, unit, spec, status) \
	static const char note_list_##n[] = ""
#define END_NUMBERS(n) ;
#define NOTE(text) text
#include "wire/all.def"

#define NAMES(n, title, spec, status) \
	static const struct wire_row rows_##n[] = {
#define NAME(id, value, text) { value, 0, #id, text },
#define OPCODE(id, value, text, chain, does, payload) { value, 0, #id, text },
#define END_NAMES(n) };
#define NUMBERS(n, title, unit, spec, status) \
	static const struct wire_row rows_##n[] = {
#define NUMBER(code, number) { code, number, NULL, NULL },
#define END_NUMBERS(n) };
#include "wire/all.def"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct wire_rows lists[] = {
#define NAMES(n, title, spec, status) [WIRE_LIST_##n] = \
	{ { #n, title, spec, note_list_##n, WIRE_##status }, \
	  NULL, COUNT(rows_##n), rows_##n },
#define NUMBERS(n, title, unit, spec, status) [WIRE_LIST_##n] = \
	{ { #n, title, spec, note_list_##n, WIRE_##status }, \
	  unit, COUNT(rows_##n), rows_##n },
#include "wire/all.def"
};

const struct wire_rows *wire_rows(enum wire_list list)
{
	if (list <= WIRE_LIST_none || list >= WIRE_LISTS)
		return NULL;
	return &lists[list];
}

/* --- headers --- */

/* Each HEADER opens a block where "cur" is its struct of bits, so that FIELD
 * can ask for an offset without repeating the header. */
const struct wire_layout *wire_layout(enum wire_header id)
{
	switch (id) {
#define HEADER(h, title, spec, status) case WIRE_##h: { \
	typedef struct h##_bits cur; \
	static const struct wire_about about = \
		{ #h, title, spec, note_##h, WIRE_##status }; \
	static const struct wire_field fields[] = {
#define FIELD(f, bits, base, names, label) \
	{ #f, label, offsetof(cur, f), bits, WIRE_##base, WIRE_LIST_##names },
#define END(h, bytes) }; \
	static const struct wire_layout layout = \
		{ &about, bytes, COUNT(fields), fields }; \
	return &layout; }
#include "wire/all.def"
	case WIRE_HEADERS:
		break;
	}
	return NULL;
}

/* --- rules --- */

/* A form is another reading of the very same bytes. */
#define VARIANT(h, f, v, other) \
	_Static_assert(WIRE_SIZE_##h == WIRE_SIZE_##other && \
		       WIRE_OFF(h, f) == WIRE_OFF(other, f) && \
		       WIRE_WIDTH(h, f) == WIRE_WIDTH(other, f), \
		       #other " is not a form of " #h);
#include "wire/all.def"

const struct wire_rule wire_forms[] = {
#define VARIANT(h, f, v, other) \
	{ WIRE_##h, WIRE_##other, WIRE_OFF(h, f), WIRE_WIDTH(h, f), #f, v },
#include "wire/all.def"
};
const unsigned wire_n_forms = COUNT(wire_forms);

const struct wire_rule wire_nexts[] = {
#define NEXT(h, f, v, other) \
	{ WIRE_##h, WIRE_##other, WIRE_OFF(h, f), WIRE_WIDTH(h, f), #f, v },
#include "wire/all.def"
};
const unsigned wire_n_nexts = COUNT(wire_nexts);

const struct wire_item wire_items[] = {
#define GROUP(group, title) { WIRE_ITEM_GROUP, 0, #group, title },
#define HEADER(h, title, spec, status) \
	{ WIRE_ITEM_HEADER, WIRE_##h, NULL, NULL },
#define NAMES(n, title, spec, status) \
	{ WIRE_ITEM_LIST, WIRE_LIST_##n, NULL, NULL },
#define NUMBERS(n, title, unit, spec, status) \
	{ WIRE_ITEM_LIST, WIRE_LIST_##n, NULL, NULL },
#include "wire/all.def"
};
const unsigned wire_n_items = COUNT(wire_items);

/* clang-format on */

static enum wire_header follow(const struct wire_rule *rules, unsigned n,
			       enum wire_header id, const uint8_t *p,
			       size_t len, enum wire_header otherwise)
{
	for (const struct wire_rule *r = rules; r < rules + n; r++)
		if (r->header == id && r->off + r->width <= 8 * len &&
		    wire_get(p, len, r->off, r->width, false) == r->value)
			return r->other;
	return otherwise;
}

enum wire_header wire_form(enum wire_header id, const uint8_t *p, size_t len)
{
	enum wire_header form;

	while ((form = follow(wire_forms, wire_n_forms, id, p, len, id)) != id)
		id = form;
	return id;
}

enum wire_header wire_next(enum wire_header id, const uint8_t *p, size_t len)
{
	return follow(wire_nexts, wire_n_nexts, wire_form(id, p, len), p, len,
		      WIRE_HEADERS);
}

uint64_t wire_field_get(const struct wire_field *f, const uint8_t *p,
			size_t len)
{
	return wire_get(p, len, f->off, f->width, f->base == WIRE_LE);
}

int64_t wire_signed(const struct wire_field *f, uint64_t number)
{
	unsigned unused = 64 - f->width;

	if (f->base != WIRE_SIGN)
		return (int64_t)number;
	return (int64_t)(number << unused) >> unused;
}

uint32_t wire_rnr_timer_ns(unsigned code)
{
	return (uint32_t)number_rnr_timer(code & 31);
}

int wire_credit_count(unsigned code)
{
	uint64_t n = number_credit(code & 31);

	return n == UINT64_MAX ? -1 : (int)n;
}

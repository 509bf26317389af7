/* SPDX-License-Identifier: GPL-2.0-or-later
 * The descriptions as plain constant data, for code that is not hot: the
 * detail pane, `fabscope fields`, docs/wire/, the Wireshark plugin, tests. */
#ifndef FABSCOPE_WIRE_TABLE_H
#define FABSCOPE_WIRE_TABLE_H

#include "wire/wire.h"

/* How sure we are of a description; all.def says what the words mean. */
enum wire_status { WIRE_CONFIRMED, WIRE_SINGLE, WIRE_RECALLED, WIRE_CONFLICT };

/* What is said about a header or a list, beside its rows. */
struct wire_about {
	const char *name; /* as in the .def file: "bth" */
	const char *title;
	const char *spec;
	const char *note; /* "" none */
	enum wire_status status;
};

struct wire_field {
	const char *name, *label;
	uint16_t off, width; /* in bits */
	uint8_t base;        /* enum wire_base */
	uint8_t list;        /* enum wire_list, WIRE_LIST_none */
};

struct wire_layout {
	const struct wire_about *about;
	unsigned size; /* bytes */
	unsigned n_fields;
	const struct wire_field *fields;
};

/* One row of a list: a name, or a number when the list has a unit. */
struct wire_row {
	uint32_t value;
	uint32_t number;
	const char *id;   /* the constant in C; NULL for numbers */
	const char *text; /* NULL for numbers */
};

struct wire_rows {
	struct wire_about about;
	const char *unit; /* NULL: names */
	unsigned n;
	const struct wire_row *rows;
};

/* When |field| of |header| is |value|: the same bytes are better read as
 * |other| (form), or |other| follows (next). */
struct wire_rule {
	uint8_t header, other; /* enum wire_header */
	uint16_t off, width;   /* of the field */
	const char *field;
	uint32_t value;
};

/* Which descriptions there are, in the order of the .def files. */
struct wire_item {
	enum { WIRE_ITEM_GROUP, WIRE_ITEM_HEADER, WIRE_ITEM_LIST } kind;
	unsigned id;              /* enum wire_header or wire_list */
	const char *name, *title; /* of a group */
};

extern const struct wire_item wire_items[];
extern const unsigned wire_n_items;
extern const struct wire_rule wire_forms[], wire_nexts[];
extern const unsigned wire_n_forms, wire_n_nexts;

/* NULL when |id| is not a header. */
const struct wire_layout *wire_layout(enum wire_header id);

/* NULL for WIRE_LIST_none and for what is not a list. */
const struct wire_rows *wire_rows(enum wire_list list);

/* The name of |value|, NULL when it has none. */
const char *wire_name(enum wire_list list, uint64_t value);

/* The number that |code| stands for, UINT64_MAX when for none. */
uint64_t wire_number(enum wire_list list, uint64_t code);

/* The header to read instead of |id| at |p|, of which |len| bytes are there:
 * |id| itself when no other form applies.  Forms may have forms. */
enum wire_header wire_form(enum wire_header id, const uint8_t *p, size_t len);

/* The header that follows |id| at |p|, WIRE_HEADERS when that is not said. */
enum wire_header wire_next(enum wire_header id, const uint8_t *p, size_t len);

/* The field at |p|, the start of a header of which |len| bytes are there.
 * At most 64 bits wide, and within |len|. */
uint64_t wire_field_get(const struct wire_field *f, const uint8_t *p,
			size_t len);

/* That number as its base has it: negative when the field is signed and its
 * first bit is set. */
int64_t wire_signed(const struct wire_field *f, uint64_t number);

/* Least wait after an RNR NAK, in ns; only the low 5 bits of |code| count. */
uint32_t wire_rnr_timer_ns(unsigned code);

/* Messages that a credit code grants, -1 for 31: credits are not used. */
int wire_credit_count(unsigned code);

#endif

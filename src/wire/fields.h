/* SPDX-License-Identifier: GPL-2.0-or-later
 * The descriptions written out for people: `fabscope fields`, docs/wire/. */
#ifndef FABSCOPE_WIRE_FIELDS_H
#define FABSCOPE_WIRE_FIELDS_H

#include <stdio.h>

struct wire_item;

enum wire_fields_format {
	WIRE_FIELDS_LIST,     /* one field per line, for grep */
	WIRE_FIELDS_MARKDOWN, /* everything, value lists and opcodes too */
};

/* Every header.  Errors of |out| are for the caller to look at (ferror). */
void wire_fields_print(FILE *out, enum wire_fields_format format);

/* One page: what |group|, a WIRE_ITEM_GROUP, describes. */
void wire_page_print(FILE *out, const struct wire_item *group);

/* The page that leads to the others. */
void wire_index_print(FILE *out);

#endif

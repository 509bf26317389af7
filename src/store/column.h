/* SPDX-License-Identifier: GPL-2.0-or-later
 * How a column of a table comes from a fact: row.c binds them, and the lists
 * stand in flow/core/facts.def and in row*.c.  Internal to store. */
#ifndef FABSCOPE_STORE_COLUMN_H
#define FABSCOPE_STORE_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/addr.h"

enum member_type {
	MEMBER_I64,
	MEMBER_U64,
	MEMBER_U32,
	MEMBER_INT,
	MEMBER_U16,
	MEMBER_U8,
	MEMBER_BOOL,
	MEMBER_REAL,
	MEMBER_TEXT,
	MEMBER_ADDR,
	MEMBER_NONE, /* not from a member */
};

#define MEMBER_TYPE(m) \
	_Generic((m),            \
	int64_t: MEMBER_I64,     \
	uint64_t: MEMBER_U64,    \
	uint32_t: MEMBER_U32,    \
	int: MEMBER_INT,         \
	uint16_t: MEMBER_U16,    \
	uint8_t: MEMBER_U8,    \
	bool: MEMBER_BOOL,       \
	double: MEMBER_REAL,     \
	char *: MEMBER_TEXT,     \
	const char *: MEMBER_TEXT, \
	struct addr: MEMBER_ADDR)

enum column_rule {
	PLAIN,
	ZERO_IS_NULL,
	MAX_IS_NULL, /* UINT64_MAX */
	NEGATIVE_IS_NULL,
	FROM_ONE, /* an index that becomes an id */
	MAC,      /* 48 bits; 0 is NULL */
	ID,       /* the id given with the fact */
	NAMED,    /* a number with a name in |names|, NULL when it has none */
	NUMBER,   /* computed */
	WORD,     /* computed */
};

struct column {
	const char *name;
	uint8_t type; /* enum member_type */
	uint8_t rule; /* enum column_rule */
	uint16_t offset;
	const char *const *names;
	size_t n_names;
	int64_t (*number)(const void *fact); /* FACT_UNKNOWN is NULL */
	/* may use |buf|; NULL is NULL */
	const char *(*word)(const void *fact, char *buf, size_t size);
};

#define COL(col, S, m, r)                                                     \
	{                                                                     \
		.name = (col), .type = MEMBER_TYPE(((S *)0)->m), .rule = (r), \
		.offset = (uint16_t)offsetof(S, m)                            \
	}
#define ENUM(col, S, m, list)                                                \
	{                                                                    \
		.name = (col), .type = MEMBER_TYPE(((S *)0)->m),             \
		.rule = NAMED, .offset = (uint16_t)offsetof(S, m),           \
		.names = (list), .n_names = sizeof(list) / sizeof((list)[0]) \
	}
#define GIVEN_ID(col)                                          \
	{                                                      \
		.name = (col), .type = MEMBER_NONE, .rule = ID \
	}
#define COMPUTED(col, f)                                            \
	{                                                           \
		.name = (col), .type = MEMBER_NONE, .rule = NUMBER, \
		.number = (f)                                       \
	}
#define SPELT(col, f)                                                         \
	{                                                                     \
		.name = (col), .type = MEMBER_NONE, .rule = WORD, .word = (f) \
	}

/* The columns of a table. */
struct column_list {
	const struct column *c;
	int n;
};
#define COLUMN_LIST(columns)                                      \
	{                                                         \
		(columns), sizeof(columns) / sizeof((columns)[0]) \
	}

#define ROW_COLUMNS(name, columns)                                           \
	const struct column_list *row_##name(void)                           \
	{                                                                    \
		static const struct column_list list = COLUMN_LIST(columns); \
                                                                             \
		return &list;                                                \
	}

#define ROW(name, table, key) const struct column_list *row_##name(void);
#include "store/rows.def"

#endif

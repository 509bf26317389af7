/* SPDX-License-Identifier: GPL-2.0-or-later
 * Many rows at the end of a table, as pages of a database: see append.h.
 *
 * The database in memory has a page with its head and schema, and pages with
 * rows: leaves.  Their cells begin at the end of the page, pointers to them at
 * its begin.  Behind several leaves another page says which rows each has. */
#include "store/append.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "store/column.h"
#include "store/store_int.h"

enum {
	PAGE = 65536, /* the largest there is */
	HEAD = 100,   /* of the database, on its first page */
	LEAF_HEAD = 8,
	INNER_HEAD = 12,
	LEAF = 13, /* types of pages: with rows, with leaves */
	INNER = 5,
	POINTER = 2,
	LEAVES = 4,
	RECORD = 16384, /* longer ones are inserted one by one */
	VARINT = 9,
};

/* A record: a number for the type of each value, and the values. */
struct record {
	size_t n_types, n_data; /* bytes */
	bool full;
	unsigned char types[ROW_COLUMNS * VARINT];
	unsigned char data[RECORD];
};

/* How a column gets its value: most are numbers, and most of these are 0 or not
 * known. */
enum how {
	NOTHING, /* NULL */
	I64,
	U64,
	U32,
	U8,
	ANYHOW, /* by row_value() */
};

struct put {
	uint8_t how;
	uint16_t offset;
};

struct append {
	struct store *s;
	enum row_kind kind;
	char *schema; /* of the table in memory */
	int n;
	const struct column *column[ROW_COLUMNS]; /* of the table; NULL: none */
	struct put put[ROW_COLUMNS];
	int key;         /* column that is the row's id; negative: none */
	int64_t next_id; /* of rows that do not know theirs */

	unsigned char *pages; /* NULL: no rows; SQLite frees them */
	size_t leaf;          /* the last, from 0 */
	size_t begin;         /* of its last cell */
	size_t cells;
	int64_t last_id, most_id;
	bool mixed;           /* ids are not in order */
	int64_t upto[LEAVES]; /* the highest id of each before it */
	struct record record;
};

/* --- records --- */

static void put_number(unsigned char *at, uint64_t v, size_t bytes)
{
	while (bytes--) {
		at[bytes] = (unsigned char)v;
		v >>= 8;
	}
}

/* Seven bits in each byte, the highest first; what has 57 bits or more takes
 * all eight of the ninth. */
static size_t put_varint(unsigned char *at, uint64_t v)
{
	size_t n = 1;

	if (v >> 56) {
		for (n = 0; n < VARINT - 1; n++)
			at[n] = (unsigned char)(v >> (57 - 7 * n) | 0x80);
		at[n] = (unsigned char)v;
		return VARINT;
	}
	while (n < VARINT - 1 && v >> 7 * n)
		n++;
	for (size_t i = 0; i < n; i++)
		at[i] = (unsigned char)(v >> 7 * (n - 1 - i) | 0x80);
	at[n - 1] &= 0x7f;
	return n;
}

static void put_type(struct record *r, uint64_t type)
{
	r->n_types += put_varint(r->types + r->n_types, type);
}

static void put_bytes(struct record *r, const void *p, size_t n)
{
	if (n > sizeof r->data - r->n_data) {
		r->full = true;
		return;
	}
	memcpy(r->data + r->n_data, p, n);
	r->n_data += n;
}

/* In as many bytes as it needs with its sign; 0 and 1 are types. */
static inline void put_integer(struct record *r, int64_t v)
{
	static const uint8_t bytes[] = { 0, 1, 2, 3, 4, 6, 6, 8, 8 };
	static const uint8_t types[] = { 0, 1, 2, 3, 4, 5, 5, 6, 6 };
	uint64_t most = (uint64_t)(v < 0 ? ~v : v), last;
	unsigned n;
	int bits;

	if (most <= 1 && v >= 0) {
		r->types[r->n_types++] = (unsigned char)(8 + v);
		return;
	}
	bits = 65 - __builtin_clzll(most | 1);
	n = bytes[(bits + 7) / 8];
	r->types[r->n_types++] = types[(bits + 7) / 8];
	if (sizeof r->data - r->n_data < sizeof last) {
		r->full = true;
		return;
	}
	last = htobe64((uint64_t)v << (64 - 8 * n));
	memcpy(r->data + r->n_data, &last, sizeof last);
	r->n_data += n;
}

/* A whole number is written as one where that is shorter. */
static void put_real(struct record *r, double v)
{
	const double most = (double)(INT64_C(1) << 47);
	unsigned char b[8];
	uint64_t bits;

	if (v != v) { /* not a number: NULL */
		put_type(r, 0);
	} else if (v > -most && v < most && v == (double)(int64_t)v) {
		put_integer(r, (int64_t)v);
	} else {
		memcpy(&bits, &v, sizeof bits);
		put_number(b, bits, sizeof b);
		put_type(r, 7);
		put_bytes(r, b, sizeof b);
	}
}

static void put_text(struct record *r, const char *text)
{
	size_t n = strlen(text);

	put_type(r, 13 + 2 * n);
	put_bytes(r, text, n);
}

static void put_value(struct record *r, struct row_value v)
{
	switch (v.type) {
	case ROW_NULL:
		r->types[r->n_types++] = 0;
		break;
	case ROW_INTEGER:
		put_integer(r, v.i);
		break;
	case ROW_REAL:
		put_real(r, v.r);
		break;
	case ROW_STRING:
	case ROW_NAME:
		put_text(r, v.text);
		break;
	}
}

static void empty(struct record *r)
{
	r->n_types = r->n_data = 0;
	r->full = false;
}

/* --- pages --- */

/* The head of a record is as long as it says, with what says so. */
static size_t put_head_size(const struct record *r, unsigned char at[VARINT])
{
	size_t n = 1;

	while (put_varint(at, r->n_types + n) > n)
		n++;
	return n;
}

/* The cell of a row, which ends at |end|.  Returns where it begins; 0: there is
 * no room above |least|. */
static size_t put_cell(unsigned char *page, size_t end, size_t least,
		       int64_t id, const struct record *r)
{
	unsigned char head[3 * VARINT], size[VARINT];
	size_t n_size = put_head_size(r, size), n_head, whole;

	n_head = put_varint(head, n_size + r->n_types + r->n_data);
	n_head += put_varint(head + n_head, (uint64_t)id);
	memcpy(head + n_head, size, n_size);
	n_head += n_size;
	whole = n_head + r->n_types + r->n_data;
	if (r->full || end < least || whole > end - least)
		return 0;
	page += end - whole;
	memcpy(page, head, n_head);
	memcpy(page + n_head, r->types, r->n_types);
	memcpy(page + n_head + r->n_types, r->data, r->n_data);
	return end - whole;
}

/* |begin| of 65536 is 0. */
static void put_page_head(unsigned char *at, int type, size_t cells,
			  size_t begin)
{
	memset(at, 0, LEAF_HEAD);
	at[0] = (unsigned char)type;
	put_number(at + 3, cells, 2);
	put_number(at + 5, begin, 2);
}

/* The page that says which rows each of several leaves has. */
static void put_inner(struct append *a)
{
	unsigned char *page = a->pages + (a->leaf + 2) * PAGE;
	unsigned char cell[4 + VARINT];
	size_t begin = PAGE;

	for (size_t i = 0; i < a->leaf; i++) {
		size_t size = 4 + put_varint(cell + 4, (uint64_t)a->upto[i]);

		put_number(cell, 2 + i, 4); /* pages count from 1 */
		begin -= size;
		memcpy(page + begin, cell, size);
		put_number(page + INNER_HEAD + i * POINTER, begin, POINTER);
	}
	put_page_head(page, INNER, a->leaf, begin);
	put_number(page + LEAF_HEAD, 2 + a->leaf, 4);
}

static void put_head(unsigned char *page, size_t pages)
{
	memset(page, 0, HEAD);
	memcpy(page, "SQLite format 3", 16);
	put_number(page + 16, 1, 2); /* size of pages: 65536 */
	page[18] = page[19] = 1;     /* no write-ahead log */
	page[21] = 64;               /* three constants */
	page[22] = page[23] = 32;
	put_number(page + 24, 1, 4); /* changes */
	put_number(page + 28, pages, 4);
	put_number(page + 40, 1, 4); /* schemas so far */
	put_number(page + 44, 4, 4); /* format of the schema */
	put_number(page + 56, 1, 4); /* UTF-8 */
	put_number(page + 92, 1, 4); /* changes when the next was written */
	put_number(page + 96, SQLITE_VERSION_NUMBER, 4);
}

/* With |leaf| as its last. */
static size_t all_pages(size_t leaf)
{
	return leaf ? leaf + 3 : 2;
}

/* The first page: its only row is that of the table. */
static int put_schema(struct append *a, struct err *err)
{
	struct record r;
	size_t begin;

	empty(&r);
	put_text(&r, "table");
	put_text(&r, "appended");
	put_text(&r, "appended");
	put_integer(&r, (int64_t)all_pages(a->leaf)); /* its root: the last */
	put_text(&r, a->schema);
	put_head(a->pages, all_pages(a->leaf));
	begin = put_cell(a->pages, PAGE, HEAD + LEAF_HEAD + POINTER, 1, &r);
	if (!begin)
		return err_set(err, ERR_INTERNAL, "too many columns");
	put_page_head(a->pages + HEAD, LEAF, 1, begin);
	put_number(a->pages + HEAD + LEAF_HEAD, begin, POINTER);
	return 0;
}

static int new_leaf(struct append *a, size_t leaf, struct err *err)
{
	unsigned char *pages =
		sqlite3_realloc64(a->pages, all_pages(leaf) * PAGE);

	if (!pages)
		return err_set(err, ERR_MEMORY, "out of memory");
	a->pages = pages;
	a->leaf = leaf;
	a->begin = PAGE;
	a->cells = 0;
	a->mixed = false;
	return 0;
}

static unsigned char *last_leaf(const struct append *a)
{
	return a->pages + (1 + a->leaf) * PAGE;
}

static unsigned char *pointer(const struct append *a, size_t cell)
{
	return last_leaf(a) + LEAF_HEAD + cell * POINTER;
}

/* False: there is no room in the leaf, or the row belongs before it. */
static bool add_cell(struct append *a, int64_t id)
{
	size_t least = LEAF_HEAD + (a->cells + 1) * POINTER, begin = 0;

	if (!a->leaf || id > a->upto[a->leaf - 1])
		begin = put_cell(last_leaf(a), a->begin, least, id, &a->record);
	if (!begin)
		return false;
	a->begin = begin;
	put_number(pointer(a, a->cells), begin, POINTER);
	a->mixed |= a->cells && id <= a->last_id;
	a->most_id = a->cells && id < a->most_id ? a->most_id : id;
	a->last_id = id;
	a->cells++;
	return true;
}

/* --- ids in order --- */

struct cell {
	int64_t id, begin;
};

static uint64_t get_varint(const unsigned char **at)
{
	uint64_t v = 0;

	for (int i = 0; i < VARINT - 1; i++) {
		v = v << 7 | (**at & 0x7f);
		if (!(*(*at)++ & 0x80))
			return v;
	}
	return v << 8 | *(*at)++;
}

static int sort_cells(struct append *a, struct err *err)
{
	struct cell *list = calloc(a->cells, sizeof *list);
	bool done = list;

	for (size_t i = 0; done && i < a->cells; i++) {
		const unsigned char *p = pointer(a, i);

		list[i].begin = p[0] << 8 | p[1];
		p = last_leaf(a) + list[i].begin;
		get_varint(&p);
		list[i].id = (int64_t)get_varint(&p);
	}
	done = done && sort_by(struct cell, list, a->cells, id);
	for (size_t i = 0; done && i < a->cells; i++)
		put_number(pointer(a, i), (uint64_t)list[i].begin, POINTER);
	free(list);
	return done ? 0 : err_set(err, ERR_MEMORY, "out of memory");
}

static int end_leaf(struct append *a, struct err *err)
{
	if (a->mixed && sort_cells(a, err))
		return -1;
	put_page_head(last_leaf(a), LEAF, a->cells, a->begin);
	a->upto[a->leaf] = a->most_id;
	return 0;
}

/* --- into the table --- */

static int attach(struct store *s, struct err *err)
{
	if (!s->attached && db_run(s, "ATTACH ':memory:' AS pages", err))
		return -1;
	s->attached = true;
	return 0;
}

int append_end(struct store *s, struct err *err)
{
	if (s->attached && db_run(s, "DETACH pages", err))
		return -1;
	s->attached = false;
	return 0;
}

/* SQLite frees the pages, also when it fails. */
static int hand_over(struct append *a, struct err *err)
{
	unsigned char *pages = a->pages;
	sqlite3_int64 size = (sqlite3_int64)(all_pages(a->leaf) * PAGE);

	a->pages = NULL;
	if (sqlite3_deserialize(a->s->db, "pages", pages, size, size,
				SQLITE_DESERIALIZE_FREEONCLOSE |
					SQLITE_DESERIALIZE_READONLY) !=
	    SQLITE_OK)
		return db_error(a->s, err, "cannot write");
	return 0;
}

int append_flush(struct append *a, struct err *err)
{
	char sql[128];

	if (!a->pages)
		return 0;
	if (end_leaf(a, err) || put_schema(a, err))
		return -1;
	if (a->leaf)
		put_inner(a);
	if (attach(a->s, err) || hand_over(a, err))
		return -1;
	snprintf(sql, sizeof sql,
		 "INSERT INTO main.%s SELECT * FROM pages.appended",
		 row_table(a->kind));
	return db_run(a->s, sql, err);
}

/* --- rows --- */

static struct put put_of(const struct column *c)
{
	static const uint8_t plain[] = {
		[MEMBER_I64] = I64,    [MEMBER_U64] = U64,
		[MEMBER_U32] = U32,    [MEMBER_INT] = ANYHOW,
		[MEMBER_U16] = ANYHOW, [MEMBER_U8] = U8,
		[MEMBER_BOOL] = U8,
	};

	if (!c)
		return (struct put) { NOTHING, 0 };
	if (c->rule != PLAIN || c->type >= sizeof plain)
		return (struct put) { ANYHOW, 0 };
	return (struct put) { plain[c->type], c->offset };
}

/* Of ANYHOW it is FACT_UNKNOWN, too. */
static inline int64_t number_at(struct put p, const void *fact)
{
	const void *at = (const char *)fact + p.offset;

	switch (p.how) {
	case I64:
	case U64:
		return *(const int64_t *)at;
	case U32:
		return *(const uint32_t *)at;
	case U8:
		return *(const uint8_t *)at;
	default:
		return FACT_UNKNOWN;
	}
}

static void put_row(struct append *a, int64_t id, const void *fact)
{
	struct record *r = &a->record;
	struct row_scratch texts;

	texts.n = 0;
	empty(r);
	for (int i = 0; i < a->n; i++) {
		struct put p = a->put[i];
		int64_t v = number_at(p, fact);

		if (v >= 0)
			put_integer(r, v);
		else if (v == FACT_UNKNOWN && p.how <= I64)
			r->types[r->n_types++] = 0;
		else
			put_value(r, row_value(a->column[i], id, fact, &texts));
	}
}

static int64_t id_of(struct append *a, int64_t id, const void *fact)
{
	const struct column *c = a->key < 0 ? NULL : a->column[a->key];
	struct row_scratch texts;

	texts.n = 0;
	if (c)
		return row_value(c, id, fact, &texts).i;
	return a->next_id++;
}

/* Rows with lower ids must not come behind: then all there are go first. */
static int next_leaf(struct append *a, int64_t id, struct err *err)
{
	if (a->record.full || a->leaf + 1 == LEAVES || id <= a->most_id)
		return append_flush(a, err) || new_leaf(a, 0, err) ? -1 : 0;
	return end_leaf(a, err) || new_leaf(a, a->leaf + 1, err) ? -1 : 0;
}

int append_row(struct append *a, int64_t id, const void *fact, struct err *err)
{
	int64_t row_id = id_of(a, id, fact);

	put_row(a, id, fact);
	if (!a->pages && new_leaf(a, 0, err))
		return -1;
	if (add_cell(a, row_id))
		return 0;
	if (next_leaf(a, row_id, err))
		return -1;
	if (add_cell(a, row_id))
		return 0;
	return append_flush(a, err) ? -1 : 1;
}

/* --- tables --- */

/* A value of another type than its column's, SQLite would change. */
static bool is_of_type(const struct column *c, const char *type)
{
	const char *is;

	switch (c->rule) {
	case ID:
	case NUMBER:
		return !strcmp(type, "INTEGER");
	case MAC:
	case NAMED:
	case WORD:
		return !strcmp(type, "TEXT");
	default:
		break;
	}
	is = c->type == MEMBER_REAL                             ? "REAL"
	     : c->type == MEMBER_TEXT || c->type == MEMBER_ADDR ? "TEXT"
								: "INTEGER";
	return !strcmp(type, is);
}

static const struct column *column_named(enum row_kind kind, const char *name)
{
	const struct column_list *l = row_columns(kind);

	for (int i = 0; i < l->n; i++)
		if (!strcmp(l->c[i].name, name))
			return &l->c[i];
	return NULL;
}

/* One more column of the table. */
static bool take_column(struct append *a, sqlite3_stmt *q, sqlite3_str *schema)
{
	const char *name = (const char *)sqlite3_column_text(q, 0);
	const char *type = (const char *)sqlite3_column_text(q, 1);
	bool key = sqlite3_column_int(q, 3);
	const struct column *c = name ? column_named(a->kind, name) : NULL;

	if (!name || !type || a->n == ROW_COLUMNS ||
	    (c && !is_of_type(c, type)))
		return false;
	sqlite3_str_appendf(schema, "%sc%d %s%s%s", a->n ? "," : "", a->n, type,
			    key ? " PRIMARY KEY" : "",
			    sqlite3_column_int(q, 2) ? " NOT NULL" : "");
	if (key)
		a->key = a->n;
	a->put[a->n] = put_of(key ? NULL : c);
	a->column[a->n++] = c;
	return true;
}

/* False: rows cannot be appended to it, or |err|. */
static bool take_table(struct append *a, struct err *err)
{
	static const char sql[] =
		"SELECT name, type, \"notnull\", pk FROM pragma_table_info(?1)"
		" WHERE NOT EXISTS (SELECT 1 FROM pragma_index_list(?1))";
	sqlite3_stmt *q = db_prepare(a->s, sql, "database", err);
	sqlite3_str *schema = sqlite3_str_new(NULL);
	bool fits = q;

	if (q)
		sqlite3_bind_text(q, 1, row_table(a->kind), -1, SQLITE_STATIC);
	sqlite3_str_appendall(schema, "CREATE TABLE appended(");
	while (fits && sqlite3_step(q) == SQLITE_ROW)
		fits = take_column(a, q, schema);
	sqlite3_str_appendall(schema, ")");
	sqlite3_finalize(q);
	a->schema = sqlite3_str_finish(schema);
	if (!a->schema || (sqlite3_errcode(a->s->db) & 0xff) == SQLITE_NOMEM)
		err_set(err, ERR_MEMORY, "out of memory");
	return a->schema && fits && a->n;
}

static void find_next_id(struct append *a)
{
	char sql[96];

	snprintf(sql, sizeof sql, "SELECT max(rowid) FROM %s",
		 row_table(a->kind));
	a->next_id = db_integer(a->s, sql, 0) + 1;
}

struct append *append_new(struct store *s, enum row_kind kind, struct err *err)
{
	struct append *a;

	if (s->live || row_replaces(kind))
		return NULL;
	a = calloc(1, sizeof *a);
	if (!a) {
		err_set(err, ERR_MEMORY, "out of memory");
		return NULL;
	}
	a->s = s;
	a->kind = kind;
	a->key = -1;
	if (take_table(a, err)) {
		find_next_id(a);
		return a;
	}
	append_free(a);
	return NULL;
}

void append_free(struct append *a)
{
	if (!a)
		return;
	sqlite3_free(a->pages);
	sqlite3_free(a->schema);
	free(a);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Adds up the rows of a query.
 *
 * GROUP BY sorts; with a hundred thousand rows of a few kinds that costs more
 * than reading them.  Here a row goes where others of its kind went, and rows
 * are written in the order of the first of each kind.  A column "sum x",
 * "min x" or "max x" is x of the row that is made, any other tells the kind.
 * As in SQL, NULL does not count. */
#include "store/fold.h"

#include <stdlib.h>
#include <string.h>

#include "base/siphash.h"

enum {
	KEY = 256,
	KINDS = 1 << 16, /* with more, all are written, and it begins anew */
	SLOTS = 2 * KINDS,
};

struct total {
	int64_t whole;
	double real;
	bool any, is_real;
};

/* A column of a row that is made. */
union cell {
	sqlite3_value *value; /* which tells the kind */
	struct total total;
};

struct kind {
	size_t n_key; /* the values that tell the kind, as they are compared */
	union cell cell[];
	/* and behind the cells the key */
};

typedef void add(struct total *t, sqlite3_value *v);

struct fold {
	struct store *s;
	const struct query *q;
	struct err *err;
	sqlite3_stmt *from, *to;
	int n;
	add *add[STORE_COLUMNS]; /* NULL: tells the kind */
	const char *name[STORE_COLUMNS];
	sqlite3_value *row[STORE_COLUMNS]; /* the values of a row of |from| */
	struct kind *kinds[KINDS];
	uint32_t slots[SLOTS]; /* kinds + 1 by their keys' hashes, 0: free */
	uint32_t unlike;       /* of those without a hash: always free */
	uint32_t latest;       /* kind */
	uint32_t n_kinds;
};

/* ---- one value more ---- */

static void add_sum(struct total *t, sqlite3_value *v)
{
	int64_t sum;

	if (sqlite3_value_type(v) == SQLITE_INTEGER &&
	    !__builtin_add_overflow(t->whole, sqlite3_value_int64(v), &sum)) {
		t->whole = sum;
		return;
	}
	t->is_real = true;
	t->real += sqlite3_value_double(v);
}

static void add_min(struct total *t, sqlite3_value *v)
{
	int64_t i = sqlite3_value_int64(v);

	if (!t->any || i < t->whole)
		t->whole = i;
}

static void add_max(struct total *t, sqlite3_value *v)
{
	int64_t i = sqlite3_value_int64(v);

	if (!t->any || i > t->whole)
		t->whole = i;
}

static const struct {
	const char *word;
	add *add;
} words[] = { { "sum ", add_sum }, { "min ", add_min }, { "max ", add_max } };

static void name_column(struct fold *f, int c)
{
	f->name[c] = sqlite3_column_name(f->from, c);
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		if (strncmp(f->name[c], words[i].word, strlen(words[i].word)))
			continue;
		f->add[c] = words[i].add;
		f->name[c] += strlen(words[i].word);
		return;
	}
}

/* ---- kinds ---- */

/* How many bytes; 0: too long, like no other. */
static size_t key_of(const struct fold *f, uint8_t *key)
{
	size_t n = 0;

	for (int c = 0; c < f->n; c++) {
		sqlite3_value *v = f->row[c];
		int64_t whole;
		const void *at = &whole;
		size_t size = sizeof whole;

		if (f->add[c])
			continue;
		whole = sqlite3_value_int64(v);
		if (sqlite3_value_type(v) == SQLITE_TEXT) {
			at = sqlite3_value_text(v);
			size = (size_t)sqlite3_value_bytes(v);
		}
		if (!at || n + 2 + size > KEY)
			return 0;
		key[n++] = (uint8_t)sqlite3_value_type(v);
		key[n++] = (uint8_t)size;
		memcpy(key + n, at, size);
		n += size;
	}
	return n;
}

static int write_kind(struct fold *f, const struct kind *k)
{
	for (int c = 0; c < f->n; c++) {
		const struct total *t = &k->cell[c].total;
		int rc;

		if (!f->add[c])
			rc = sqlite3_bind_value(f->to, c + 1, k->cell[c].value);
		else if (!t->any)
			rc = sqlite3_bind_null(f->to, c + 1);
		else if (t->is_real)
			rc = sqlite3_bind_double(f->to, c + 1,
						 t->real + (double)t->whole);
		else
			rc = sqlite3_bind_int64(f->to, c + 1, t->whole);
		if (rc)
			return db_error(f->s, f->err, f->q->name);
	}
	if (sqlite3_step(f->to) != SQLITE_DONE)
		return db_error(f->s, f->err, f->q->name);
	sqlite3_reset(f->to);
	return 0;
}

static void forget_kinds(struct fold *f)
{
	for (uint32_t i = 0; i < f->n_kinds; i++) {
		for (int c = 0; c < f->n; c++)
			if (!f->add[c])
				sqlite3_value_free(f->kinds[i]->cell[c].value);
		free(f->kinds[i]);
	}
	f->n_kinds = 0;
	memset(f->slots, 0, sizeof f->slots);
}

static int write_kinds(struct fold *f)
{
	for (uint32_t i = 0; i < f->n_kinds; i++)
		if (write_kind(f, f->kinds[i]))
			return -1;
	forget_kinds(f);
	return 0;
}

static uint8_t *kind_key(const struct fold *f, struct kind *k)
{
	return (uint8_t *)&k->cell[f->n];
}

static bool is_kind(const struct fold *f, uint32_t i, const uint8_t *key,
		    size_t n)
{
	return n && f->kinds[i]->n_key == n &&
	       !memcmp(kind_key(f, f->kinds[i]), key, n);
}

static struct kind *new_kind(struct fold *f, const uint8_t *key, size_t n)
{
	struct kind *k =
		calloc(1, sizeof *k + (size_t)f->n * sizeof k->cell[0] + n);

	if (!k)
		return NULL;
	f->kinds[f->n_kinds++] = k;
	k->n_key = n;
	memcpy(kind_key(f, k), key, n);
	for (int c = 0; c < f->n; c++) {
		if (f->add[c])
			continue;
		k->cell[c].value = sqlite3_value_dup(f->row[c]);
		if (!k->cell[c].value)
			return NULL;
	}
	return k;
}

/* Where a kind is, or will be. */
static uint32_t *slot_of(struct fold *f, const uint8_t *key, size_t n)
{
	static const uint8_t any[SIPHASH_KEY];
	size_t at = siphash(any, key, n) % SLOTS;

	while (f->slots[at] && !is_kind(f, f->slots[at] - 1, key, n))
		at = (at + 1) % SLOTS;
	return &f->slots[at];
}

static struct kind *kind_of(struct fold *f)
{
	uint8_t key[KEY];
	size_t n = key_of(f, key);
	uint32_t *slot;
	struct kind *k;

	if (f->n_kinds && is_kind(f, f->latest, key, n))
		return f->kinds[f->latest];
	if (f->n_kinds == KINDS && write_kinds(f))
		return NULL;
	/* what is too long to be compared is like no other */
	slot = n ? slot_of(f, key, n) : &f->unlike;
	if (*slot) {
		f->latest = *slot - 1;
		return f->kinds[f->latest];
	}
	k = new_kind(f, key, n);
	if (!k)
		err_set(f->err, ERR_MEMORY, "out of memory");
	*slot = n ? f->n_kinds : 0;
	f->latest = f->n_kinds - 1;
	return k;
}

static int take_row(struct fold *f)
{
	struct kind *k;

	for (int c = 0; c < f->n; c++)
		f->row[c] = sqlite3_column_value(f->from, c);
	k = kind_of(f);
	if (!k)
		return -1;
	for (int c = 0; c < f->n; c++) {
		if (!f->add[c] || sqlite3_value_type(f->row[c]) == SQLITE_NULL)
			continue;
		f->add[c](&k->cell[c].total, f->row[c]);
		k->cell[c].total.any = true;
	}
	return 0;
}

static int take_rows(struct fold *f)
{
	int rc;

	while ((rc = sqlite3_step(f->from)) == SQLITE_ROW)
		if (take_row(f))
			return -1;
	if (rc != SQLITE_DONE)
		return query_error(f->s, f->q, f->err);
	return write_kinds(f);
}

int store_fold(struct store *s, const struct query *q, sqlite3_stmt *from,
	       const char *table, struct err *err)
{
	struct fold *f = calloc(1, sizeof *f);
	int rc = -1;

	if (!f)
		return err_set(err, ERR_MEMORY, "out of memory");
	f->s = s;
	f->q = q;
	f->err = err;
	f->from = from;
	f->n = sqlite3_column_count(from);
	if (f->n > STORE_COLUMNS) {
		rc = err_set(err, ERR_USAGE, "%s: too many columns", q->name);
	} else {
		for (int c = 0; c < f->n; c++)
			name_column(f, c);
		f->to = db_insert(s, table, f->name, f->n, q->name, err);
		rc = f->to ? take_rows(f) : -1;
	}
	forget_kinds(f);
	sqlite3_finalize(f->to);
	free(f);
	return rc;
}

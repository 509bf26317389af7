/* SPDX-License-Identifier: GPL-2.0-or-later
 * Adds up the rows of a query.
 *
 * GROUP BY sorts; with a hundred thousand rows of a few kinds that costs more
 * than reading them.  Here a row goes where others of its kind went lately.  A
 * column "sum x", "min x" or "max x" is x of the row that is made, any other
 * tells the kind.  As in SQL, NULL does not count. */
#include "store/fold.h"

#include <stdlib.h>
#include <string.h>

enum { KEY = 256, KINDS = 64 };

struct total {
	int64_t whole;
	double real;
	bool any, is_real;
};

/* The values that tell the kind, as they are compared and as they are. */
struct kind {
	size_t n_key;
	uint8_t key[KEY];
	sqlite3_value *value[STORE_COLUMNS];
	struct total total[STORE_COLUMNS];
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
	struct kind kinds[KINDS];
	size_t n_kinds;
	size_t latest, oldest; /* of them */
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

/* How many octets; 0: too long, like no other. */
static size_t key_of(const struct fold *f, uint8_t *key)
{
	size_t n = 0;

	for (int c = 0; c < f->n; c++) {
		sqlite3_value *v;
		int64_t whole;
		const void *at = &whole;
		size_t size = sizeof whole;

		if (f->add[c])
			continue;
		v = sqlite3_column_value(f->from, c);
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
		const struct total *t = &k->total[c];
		int rc;

		if (!f->add[c])
			rc = sqlite3_bind_value(f->to, c + 1, k->value[c]);
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

static void forget_kind(struct fold *f, struct kind *k)
{
	for (int c = 0; c < f->n; c++)
		sqlite3_value_free(k->value[c]);
	memset(k, 0, sizeof *k);
}

/* Room for one kind more: where the oldest was. */
static struct kind *next_kind(struct fold *f)
{
	struct kind *k;

	if (f->n_kinds < KINDS) {
		f->latest = f->n_kinds++;
		return &f->kinds[f->latest];
	}
	f->latest = f->oldest;
	f->oldest = (f->oldest + 1) % KINDS;
	k = &f->kinds[f->latest];
	if (write_kind(f, k))
		return NULL;
	forget_kind(f, k);
	return k;
}

static struct kind *kind_of(struct fold *f)
{
	uint8_t key[KEY];
	size_t n = key_of(f, key);
	struct kind *k;

	for (size_t i = 0; i < f->n_kinds; i++) {
		size_t at = (f->latest + i) % f->n_kinds;

		k = &f->kinds[at];
		if (!n || n != k->n_key || memcmp(key, k->key, n))
			continue;
		f->latest = at;
		return k;
	}
	k = next_kind(f);
	if (!k)
		return NULL;
	k->n_key = n;
	memcpy(k->key, key, n);
	for (int c = 0; c < f->n; c++) {
		if (f->add[c])
			continue;
		k->value[c] =
			sqlite3_value_dup(sqlite3_column_value(f->from, c));
		if (!k->value[c]) {
			err_set(f->err, ERR_MEMORY, "out of memory");
			return NULL;
		}
	}
	return k;
}

static int take_row(struct fold *f)
{
	struct kind *k = kind_of(f);

	if (!k)
		return -1;
	for (int c = 0; c < f->n; c++) {
		sqlite3_value *v = sqlite3_column_value(f->from, c);

		if (!f->add[c] || sqlite3_value_type(v) == SQLITE_NULL)
			continue;
		f->add[c](&k->total[c], v);
		k->total[c].any = true;
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
	for (size_t i = 0; i < f->n_kinds; i++)
		if (write_kind(f, &f->kinds[i]))
			return -1;
	return 0;
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
	for (size_t i = 0; i < f->n_kinds; i++)
		forget_kind(f, &f->kinds[i]);
	sqlite3_finalize(f->to);
	free(f);
	return rc;
}

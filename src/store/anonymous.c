/* SPDX-License-Identifier: GPL-2.0-or-later
 * A result database under pseudonyms.
 *
 * Row by row into a new file, not changed in place: pages that were freed would
 * still hold what was there.  Texts are looked through for the names of the
 * whole database, so these are collected first.  A text where a number should
 * be, which a foreign database may hold, is looked through like a sentence. */
#include "store/anonymous.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/addr.h"
#include "base/progress.h"
#include "base/siphash.h"
#include "store/pseudonym.h"
#include "store/pseudonym_text.h"
#include "store/store_int.h"
#include "store/tables.h"

/* ---- the key ---- */

int anonymous_key_random(struct anonymous_key *k, struct err *err)
{
	if (getrandom(k->bytes, sizeof k->bytes, 0) == sizeof k->bytes)
		return 0;
	return err_errno(err, "no random numbers");
}

int anonymous_key_read(struct anonymous_key *k, const char *path,
		       struct err *err)
{
	static const uint8_t fixed[2][SIPHASH_KEY] = { "fabscope key, 1",
						       "fabscope key, 2" };
	uint8_t in[4096];
	FILE *f = fopen(path, "rbe");
	size_t n = f ? fread(in, 1, sizeof in, f) : 0;
	int rc = f && !ferror(f) ? 0 : err_errno(err, "%s", path);

	if (f)
		fclose(f);
	if (!rc && n < sizeof k->bytes)
		return err_set(err, ERR_FORMAT,
			       "%s: a key has at least %zu bytes; try: "
			       "head -c 32 /dev/urandom > %s",
			       path, sizeof k->bytes, path);
	for (int i = 0; i < 2 && !rc; i++) {
		uint64_t h = siphash(fixed[i], in, n);

		memcpy(k->bytes + 8 * i, &h, sizeof h);
	}
	return rc;
}

/* ---- the classes ---- */

enum column_class {
	CLASS_NUMBER, /* of columns that are not named: nobody's name */
	CLASS_WORD,
	CLASS_ADDRESS,
	CLASS_MAC,
	CLASS_QP,
	CLASS_PDC,
	CLASS_JOB,
	CLASS_DEVICE,
	CLASS_DEVICES,
	CLASS_NAME,
	CLASS_PATH,
	CLASS_PROSE,
	CLASS_JSON,
	CLASS_RULE,
	CLASS_META,
	CLASS_BLANK,
};

static const struct column_row {
	const char *table, *name;
	enum column_class is;
} columns[] = {
#define COLUMN(table, name, class) { #table, #name, CLASS_##class },
#include "store/anonymous.def"
#undef COLUMN
};

enum { COLUMNS = sizeof columns / sizeof columns[0] };

static const struct column_row *find(const char *table, const char *name)
{
	for (size_t i = 0; i < COLUMNS; i++)
		if (!strcmp(columns[i].table, table) &&
		    !strcmp(columns[i].name, name))
			return &columns[i];
	return NULL;
}

bool store_is_classified(const char *table, const char *column)
{
	return find(table, column) != NULL;
}

const char *store_json_column(const char *table, size_t i)
{
	for (size_t k = 0; k < COLUMNS; k++)
		if (columns[k].is == CLASS_JSON &&
		    !strcmp(columns[k].table, table) && !i--)
			return columns[k].name;
	return NULL;
}

/* ---- values ---- */

struct copier {
	struct store *from, *to;
	const struct anonymous_key *key;
	struct known_names *names;
};

/* "a->b" and "a--b" are made of names: their parts are to be found again. */
char *anonymous_name(const struct anonymous_key *k, const char *text)
{
	char buf[PSEUDONYM_TEXT], *done = NULL;
	size_t size;
	FILE *out = open_memstream(&done, &size);

	while (out && *text) {
		const char *link = text;
		struct addr a;
		uint64_t mac;

		while (*link && strncmp(link, "->", 2) != 0 &&
		       strncmp(link, "--", 2) != 0)
			link++;
		if (addr_parse(text, &a))
			addr_text(pseudonym_addr(k, a), buf);
		else if (pseudonym_is_mac(text, &mac) && !text[MAC_TEXT - 1])
			mac_text(pseudonym_mac(k, mac), buf);
		else if (!*link && pseudonym_is_file(text))
			pseudonym_path(k, text, buf); /* as of capture.path */
		else
			pseudonym_name(k, text, (size_t)(link - text), buf);
		fprintf(out, "%s%.2s", buf, link);
		text = *link ? link + 2 : link;
	}
	if (!out || fclose(out)) {
		free(done);
		return NULL;
	}
	return done;
}

static char *path_text(const struct anonymous_key *k, const char *text)
{
	char buf[PSEUDONYM_TEXT];

	return strdup(pseudonym_path(k, text, buf));
}

static char *address_text(const struct anonymous_key *k, const char *text)
{
	char buf[ADDR_TEXT];
	struct addr a;

	if (!addr_parse(text, &a))
		return anonymous_name(k, text);
	return strdup(addr_text(pseudonym_addr(k, a), buf));
}

static char *mac_address_text(const struct anonymous_key *k, const char *text)
{
	char buf[MAC_TEXT];
	uint64_t mac;

	if (!pseudonym_is_mac(text, &mac) || text[MAC_TEXT - 1])
		return anonymous_name(k, text);
	return strdup(mac_text(pseudonym_mac(k, mac), buf));
}

/* "1>5>3" */
static char *devices_text(const struct anonymous_key *k, const char *text)
{
	char *done = NULL, *end;
	size_t size;
	FILE *out = open_memstream(&done, &size);

	while (out && *text) {
		long long n = strtoll(text, &end, 10);

		if (end == text) {
			putc(*text == '>' ? '>' : '?', out);
			text++;
			continue;
		}
		fprintf(out, "%lld",
			(long long)pseudonym_of_number(k, NUMBER_DEVICE, n));
		text = end;
	}
	if (!out || fclose(out)) {
		free(done);
		return NULL;
	}
	return done;
}

static char *rule_text(const struct anonymous_key *k, const char *text)
{
	char name[128];

	snprintf(name, sizeof name, "queries/findings/%s.sql", text);
	return builtin_find(store_builtins, name) ? strdup(text)
						  : anonymous_name(k, text);
}

static char *new_text(const struct copier *c, enum column_class is,
		      const char *text)
{
	switch (is) {
	case CLASS_WORD:
		return strdup(text);
	case CLASS_ADDRESS:
		return address_text(c->key, text);
	case CLASS_MAC:
		return mac_address_text(c->key, text);
	case CLASS_DEVICES:
		return devices_text(c->key, text);
	case CLASS_NAME:
		return anonymous_name(c->key, text);
	case CLASS_PATH:
		return path_text(c->key, text);
	case CLASS_RULE:
		return rule_text(c->key, text);
	case CLASS_JSON:
		return known_names_replace_json(c->names, text);
	default:
		return known_names_replace(c->names, text);
	}
}

static int bind_number(const struct copier *c, sqlite3_stmt *to, int at,
		       enum column_class is, int64_t v)
{
	static const enum pseudonym_number kinds[] = {
		[CLASS_QP] = NUMBER_QP,
		[CLASS_PDC] = NUMBER_PDC,
		[CLASS_JOB] = NUMBER_JOB,
		[CLASS_DEVICE] = NUMBER_DEVICE,
	};

	if (is >= CLASS_QP && is <= CLASS_DEVICE) {
		v = pseudonym_of_number(c->key, kinds[is], v);
		if (v < 0)
			return sqlite3_bind_null(to, at);
	}
	return sqlite3_bind_int64(to, at, v);
}

/* One cell.  Bytes that are no text have no place in this schema. */
static int bind(const struct copier *c, sqlite3_stmt *to, int at,
		enum column_class is, sqlite3_value *v)
{
	const char *text;
	char *other;

	if (is == CLASS_BLANK)
		return sqlite3_bind_null(to, at);
	switch (sqlite3_value_type(v)) {
	case SQLITE_INTEGER:
		return bind_number(c, to, at, is, sqlite3_value_int64(v));
	case SQLITE_FLOAT:
		return sqlite3_bind_double(to, at, sqlite3_value_double(v));
	case SQLITE_TEXT:
		text = (const char *)sqlite3_value_text(v);
		other = text ? new_text(c, is, text) : NULL;
		if (!other)
			return SQLITE_NOMEM;
		return sqlite3_bind_text(to, at, other, -1, free);
	default:
		return sqlite3_bind_null(to, at);
	}
}

/* Key of the fact that it is such a copy. */
#define ANONYMIZED "anonymized"

/* Facts of the analysis that say nothing of where it was made. */
static bool is_harmless(const char *key)
{
	static const char *const keys[] = { "version", "csig_port_bits" };

	for (size_t i = 0; key && i < sizeof keys / sizeof keys[0]; i++)
		if (!strcmp(key, keys[i]))
			return true;
	return false;
}

/* ---- tables ---- */

enum { MOST_COLUMNS = 200 }; /* open.c: SQLITE_LIMIT_COLUMN */

struct table {
	const char *name;
	sqlite3_stmt *from, *to;
	enum column_class is[MOST_COLUMNS];
	int n;
};

/* "SELECT a,b FROM t" and "INSERT INTO t(a,b) VALUES(?,?)" */
static int prepare(struct copier *c, struct table *t, struct err *err)
{
	sqlite3_str *from = sqlite3_str_new(NULL), *to = sqlite3_str_new(NULL);
	sqlite3_str *marks = sqlite3_str_new(NULL);
	char *select, *insert, *values;
	sqlite3_stmt *list = db_prepare(
		c->to, "SELECT name FROM pragma_table_info(?1)", "copy", err);

	sqlite3_str_appendall(from, "SELECT ");
	sqlite3_str_appendf(to, "INSERT INTO \"%w\"(", t->name);
	if (list)
		sqlite3_bind_text(list, 1, t->name, -1, SQLITE_STATIC);
	while (list && t->n < MOST_COLUMNS &&
	       sqlite3_step(list) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(list, 0);
		const struct column_row *row =
			name ? find(t->name, name) : NULL;

		sqlite3_str_appendf(from, "%s\"%w\"", t->n ? "," : "", name);
		sqlite3_str_appendf(to, "%s\"%w\"", t->n ? "," : "", name);
		sqlite3_str_appendf(marks, "%s?", t->n ? "," : "");
		t->is[t->n++] = row ? row->is : CLASS_NUMBER;
	}
	sqlite3_finalize(list);
	values = sqlite3_str_finish(marks);
	sqlite3_str_appendf(from, " FROM \"%w\"", t->name);
	sqlite3_str_appendf(to, ") VALUES(%s)", values ? values : "");
	select = sqlite3_str_finish(from);
	insert = sqlite3_str_finish(to);
	if (select && insert && values) {
		t->from = db_prepare(c->from, select, "copy", err);
		t->to = db_prepare(c->to, insert, "copy", err);
	} else {
		err_set(err, ERR_MEMORY, "out of memory");
	}
	sqlite3_free(values);
	sqlite3_free(select);
	sqlite3_free(insert);
	return t->from && t->to ? 0 : -1;
}

static int copy_row(struct copier *c, struct table *t, struct err *err)
{
	bool meta = !strcmp(t->name, "meta");
	const char *key = (const char *)sqlite3_column_text(t->from, 0);
	bool withheld = meta && !is_harmless(key);

	if (meta && key && !strcmp(key, ANONYMIZED)) /* its own comes last */
		return 0;
	for (int i = 0; i < t->n; i++) {
		enum column_class is = t->is[i];

		if (is == CLASS_META)
			is = withheld ? CLASS_BLANK : CLASS_WORD;
		if (bind(c, t->to, i + 1, is,
			 sqlite3_column_value(t->from, i)) != SQLITE_OK)
			return err_set(err, ERR_MEMORY, "out of memory");
	}
	if (sqlite3_step(t->to) != SQLITE_DONE)
		return db_error(c->to, err, "cannot write");
	sqlite3_reset(t->to);
	return 0;
}

static int copy_table(struct copier *c, const char *name, struct err *err)
{
	struct table t = { .name = name };
	int rc = prepare(c, &t, err), step = SQLITE_DONE;

	while (!rc && (step = sqlite3_step(t.from)) == SQLITE_ROW)
		rc = copy_row(c, &t, err);
	if (!rc && step != SQLITE_DONE)
		rc = db_error(c->from, err, "cannot read");
	sqlite3_finalize(t.from);
	sqlite3_finalize(t.to);
	return rc;
}

static int copy_tables(struct copier *c, struct err *err)
{
	char name[TABLE_NAME];
	uint64_t n = 0;

	for (const char *at = NULL; table_next(&at, name);)
		n++;
	progress_phase("anonymizing", 0, n);
	for (const char *at = NULL; table_next(&at, name);) {
		if (copy_table(c, name, err))
			return -1;
		progress_step();
	}
	return 0;
}

/* ---- the names of the database ---- */

/* One name, and what it is made of. */
static bool learn_name(struct copier *c, const char *text)
{
	char buf[PSEUDONYM_TEXT], *whole = anonymous_name(c->key, text);
	bool ok = whole && known_names_add(c->names, text, whole);
	const char *link = strstr(text, "->");

	free(whole);
	if (!link)
		link = strstr(text, "--");
	if (ok && link && link > text) {
		char *first = strndup(text, (size_t)(link - text));

		ok = first &&
		     known_names_add(c->names, first,
				     pseudonym_name(c->key, first,
						    strlen(first), buf)) &&
		     learn_name(c, link + 2);
		free(first);
	}
	return ok;
}

static bool learn_path(struct copier *c, const char *text)
{
	const char *base = strrchr(text, '/');
	char buf[PSEUDONYM_TEXT];

	pseudonym_path(c->key, text, buf);
	if (!strcmp(buf, text)) /* "-" */
		return true;
	return known_names_add(c->names, text, buf) &&
	       (!base || known_names_add(c->names, base + 1, buf));
}

static int learn_column(struct copier *c, const struct column_row *row,
			struct err *err)
{
	char *sql = sqlite3_mprintf("SELECT DISTINCT \"%w\" FROM \"%w\""
				    " WHERE typeof(\"%w\") = 'text'",
				    row->name, row->table, row->name);
	sqlite3_stmt *stmt = sql ? db_prepare(c->from, sql, "copy", err) : NULL;
	int rc = stmt ? 0 : -1, step = SQLITE_DONE;

	sqlite3_free(sql);
	while (!rc && (step = sqlite3_step(stmt)) == SQLITE_ROW) {
		const char *text = (const char *)sqlite3_column_text(stmt, 0);

		if (!text || !(row->is == CLASS_PATH ? learn_path(c, text)
						     : learn_name(c, text)))
			rc = err_set(err, ERR_MEMORY, "out of memory");
	}
	if (!rc && step != SQLITE_DONE)
		rc = db_error(c->from, err, "cannot read");
	sqlite3_finalize(stmt);
	return rc;
}

static int learn_names(struct copier *c, struct err *err)
{
	c->names = known_names_new(c->key);
	if (!c->names)
		return err_set(err, ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < COLUMNS; i++)
		if ((columns[i].is == CLASS_NAME ||
		     columns[i].is == CLASS_PATH) &&
		    learn_column(c, &columns[i], err))
			return -1;
	known_names_sort(c->names);
	return 0;
}

struct known_names *
anonymous_names(struct store *s, const struct anonymous_key *k, struct err *err)
{
	struct copier c = { .from = s, .key = k };

	if (!learn_names(&c, err))
		return c.names;
	known_names_free(c.names);
	return NULL;
}

/* ---- the whole ---- */

/* In one transaction of |from|: it may be a database that grows. */
static int copy(struct copier *c, struct err *err)
{
	int rc = -1;

	if (db_run(c->from, "BEGIN", err))
		return -1;
	if (!learn_names(c, err) && !copy_tables(c, err)) {
		store_meta(c->to, ANONYMIZED, "1");
		rc = db_run(c->to, builtin_text("index.sql"), err);
		if (!rc)
			rc = store_seal(c->to, err);
	}
	db_run(c->from, "COMMIT", NULL);
	known_names_free(c->names);
	return rc;
}

/* What is printed of it. */
static bool rename_private(struct store *s, struct err *err)
{
	char *name = strdup(ANONYMOUS_NAME);

	if (!name)
		return !err_set(err, ERR_MEMORY, "out of memory");
	free(s->path);
	s->path = name;
	return true;
}

struct store *store_anonymous(struct store *s, const struct anonymous_key *k,
			      const char *path, struct err *err)
{
	struct copier c = { .from = s, .key = k };

	c.to = store_create(path ? path : STORE_PRIVATE, err);
	if (!c.to)
		return NULL;
	if (!copy(&c, err) && (path || rename_private(c.to, err)))
		return c.to;
	store_free(c.to);
	return NULL;
}

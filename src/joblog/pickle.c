/* SPDX-License-Identifier: GPL-2.0-or-later
 * A pickle that holds nothing but data.
 *
 * A pickle is a program for a stack machine, and most of its instructions can
 * make Python objects of any class, which is to run somebody else's code.
 * Here only those exist that make numbers, strings, lists, tuples and
 * dictionaries (Python, Lib/pickletools.py; PyTorch writes protocol 2).  All
 * others are refused.  Lists and dictionaries that are used a second time,
 * stack frames for instance, are null there: so nothing can hold itself, and
 * nothing grows. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "joblog/joblog_int.h"

enum { DEPTH_MAX = 100 };

struct item {
	json_t *v; /* NULL: a mark */
	int depth; /* of what is inside */
};

struct machine {
	FILE *f;
	uint64_t bytes; /* read */
	struct item *stack;
	size_t n, room;
	size_t values; /* made */
	json_t **memo; /* scalars only; NULL: a container */
	size_t n_memo;
	size_t memoized;   /* by MEMOIZE, which numbers them itself */
	const char *wrong; /* why it ends */
};

static bool fail(struct machine *m, const char *why)
{
	if (!m->wrong)
		m->wrong = why;
	return false;
}

/* --- bytes --- */

static bool bytes(struct machine *m, void *to, size_t n)
{
	m->bytes += n;
	if (m->bytes > DOCUMENT_MAX)
		return fail(m, "is too large");
	return fread(to, 1, n, m->f) == n || fail(m, "ends too early");
}

/* Little-endian. */
static bool number(struct machine *m, int n, uint64_t *v)
{
	unsigned char b[8] = { 0 };

	*v = 0;
	if (!bytes(m, b, (size_t)n))
		return false;
	for (int i = n; i-- > 0;)
		*v = *v << 8 | b[i];
	return true;
}

/* --- the stack --- */

static bool push(struct machine *m, json_t *v, int depth)
{
	if (++m->values > TOKENS_MAX)
		fail(m, "has too many values");
	if (depth > DEPTH_MAX)
		fail(m, "is nested too deeply");
	if (!m->wrong && m->n == m->room) {
		size_t room = m->room ? 2 * m->room : 64;
		struct item *more = reallocarray(m->stack, room, sizeof *more);

		if (more) {
			m->stack = more;
			m->room = room;
		} else {
			fail(m, "out of memory");
		}
	}
	if (m->wrong) {
		json_decref(v);
		return false;
	}
	m->stack[m->n++] = (struct item) { v, depth };
	return true;
}

static bool push_new(struct machine *m, json_t *v)
{
	return v ? push(m, v, 0) : fail(m, "has a string that is not UTF-8");
}

/* Items above the last mark; SIZE_MAX: there is none. */
static size_t above_mark(struct machine *m)
{
	for (size_t i = m->n; i > 0; i--)
		if (!m->stack[i - 1].v)
			return m->n - i;
	fail(m, "is corrupted");
	return SIZE_MAX;
}

static void hold(struct item *in, const struct item *what)
{
	if (what->depth + 1 > in->depth)
		in->depth = what->depth + 1;
}

/* Are there |n| upper items, and none of them a mark? */
static bool all_values(const struct machine *m, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (i >= m->n || !m->stack[m->n - 1 - i].v)
			return false;
	return true;
}

/* The |n| upper items go into a new array. */
static bool collect(struct machine *m, size_t n, bool marked)
{
	struct item list = { json_array(), 1 };

	if (m->wrong || !all_values(m, n)) {
		json_decref(list.v);
		return fail(m, "is corrupted");
	}
	for (size_t i = m->n - n; i < m->n; i++) {
		hold(&list, &m->stack[i]);
		json_array_append_new(list.v, m->stack[i].v);
	}
	m->n -= n + marked;
	return push(m, list.v, list.depth);
}

static bool append(struct machine *m, size_t n, bool marked)
{
	struct item *list;

	if (m->wrong || !all_values(m, n) || n + marked >= m->n)
		return fail(m, "is corrupted");
	list = &m->stack[m->n - n - marked - 1];
	if (!list->v || !json_is_array(list->v))
		return fail(m, "is corrupted");
	for (size_t i = m->n - n; i < m->n; i++) {
		hold(list, &m->stack[i]);
		json_array_append_new(list->v, m->stack[i].v);
	}
	m->n -= n + marked;
	return list->depth <= DEPTH_MAX || fail(m, "is nested too deeply");
}

static void set(struct item *dict, struct item *key, struct item *value)
{
	char text[32];
	const char *name = json_string_value(key->v);

	if (json_is_integer(key->v)) {
		snprintf(text, sizeof text, "%" PRId64,
			 (int64_t)json_integer_value(key->v));
		name = text;
	}
	hold(dict, value);
	if (name)
		json_object_set_new(dict->v, name, value->v);
	else
		json_decref(value->v);
	json_decref(key->v);
}

static bool set_items(struct machine *m, size_t n, bool marked)
{
	struct item *dict;

	if (m->wrong || !all_values(m, n) || n % 2 || n + marked >= m->n)
		return fail(m, "is corrupted");
	dict = &m->stack[m->n - n - marked - 1];
	if (!json_is_object(dict->v))
		return fail(m, "is corrupted");
	for (size_t i = m->n - n; i < m->n; i += 2)
		set(dict, &m->stack[i], &m->stack[i + 1]);
	m->n -= n + marked;
	return dict->depth <= DEPTH_MAX || fail(m, "is nested too deeply");
}

/* --- the memo --- */

static bool memo_put(struct machine *m, uint64_t at)
{
	json_t *top = m->n ? m->stack[m->n - 1].v : NULL;
	json_t **more;

	if (!top || at > TOKENS_MAX)
		return fail(m, "is corrupted");
	if (at >= m->n_memo) {
		size_t n = at + 1 > 2 * m->n_memo ? at + 1 : 2 * m->n_memo;

		more = reallocarray(m->memo, n, sizeof *more);
		if (!more)
			return fail(m, "out of memory");
		memset(more + m->n_memo, 0, (n - m->n_memo) * sizeof *more);
		m->memo = more;
		m->n_memo = n;
	}
	json_decref(m->memo[at]);
	m->memo[at] = json_is_array(top) || json_is_object(top)
			      ? NULL
			      : json_incref(top);
	return true;
}

static bool memo_get(struct machine *m, uint64_t at)
{
	json_t *v = at < m->n_memo ? m->memo[at] : NULL;

	return push(m, v ? json_incref(v) : json_null(), 0);
}

/* --- instructions --- */

static bool string(struct machine *m, int length_bytes)
{
	uint64_t n;
	char *text;
	bool ok;

	if (!number(m, length_bytes, &n))
		return false;
	if (n > DOCUMENT_MAX)
		return fail(m, "is too large");
	text = malloc(n + 1);
	if (!text)
		return fail(m, "out of memory");
	ok = bytes(m, text, n) && push_new(m, json_stringn(text, n));
	free(text);
	return ok;
}

static bool long_integer(struct machine *m)
{
	uint64_t n, v;

	if (!number(m, 1, &n))
		return false;
	if (n > 8)
		return fail(m, "has a number that is too large");
	if (!number(m, (int)n, &v))
		return false;
	if (n && n < 8 && v >> (8 * n - 1)) /* negative */
		v |= ~UINT64_C(0) << 8 * n;
	return push_new(m, json_integer((json_int_t)v));
}

static bool real(struct machine *m)
{
	unsigned char b[8];
	uint64_t bits = 0;
	double x;
	json_t *v;

	if (!bytes(m, b, sizeof b))
		return false;
	for (int i = 0; i < 8; i++)
		bits = bits << 8 | b[i];
	memcpy(&x, &bits, sizeof x);
	v = json_real(x); /* NULL of what JSON has not */
	return push(m, v ? v : json_null(), 0);
}

static bool integer(struct machine *m, int n)
{
	uint64_t v;

	if (!number(m, n, &v))
		return false;
	return push_new(m, json_integer(n == 4 ? (int32_t)v : (int64_t)v));
}

static bool by_number(struct machine *m, int n,
		      bool (*what)(struct machine *, uint64_t))
{
	uint64_t at;

	return number(m, n, &at) && what(m, at);
}

static bool skip(struct machine *m, int n)
{
	uint64_t ignored;

	return number(m, n, &ignored);
}

/* One instruction; false at the end, or with |m->wrong|. */
static bool step(struct machine *m, int op)
{
	switch (op) {
	case 0x80: /* PROTO */
		return skip(m, 1);
	case 0x95: /* FRAME */
		return skip(m, 8);
	case '(': /* MARK */
		return push(m, NULL, 0);
	case 'N':
		return push(m, json_null(), 0);
	case 0x88:
		return push(m, json_true(), 0);
	case 0x89:
		return push(m, json_false(), 0);
	case 'K':
		return integer(m, 1);
	case 'M':
		return integer(m, 2);
	case 'J':
		return integer(m, 4);
	case 0x8a:
		return long_integer(m);
	case 'G':
		return real(m);
	case 0x8c:
		return string(m, 1);
	case 'X':
		return string(m, 4);
	case 0x8d:
		return string(m, 8);
	case ']':
	case ')':
		return push(m, json_array(), 1);
	case '}':
		return push(m, json_object(), 1);
	case 0x85:
	case 0x86:
	case 0x87:
		return collect(m, (size_t)op - 0x84, false);
	case 't':
	case 'l':
		return collect(m, above_mark(m), true);
	case 'a':
		return append(m, 1, false);
	case 'e':
		return append(m, above_mark(m), true);
	case 's':
		return set_items(m, 2, false);
	case 'u':
		return set_items(m, above_mark(m), true);
	case 'q':
		return by_number(m, 1, memo_put);
	case 'r':
		return by_number(m, 4, memo_put);
	case 0x94:
		return memo_put(m, m->memoized++);
	case 'h':
		return by_number(m, 1, memo_get);
	case 'j':
		return by_number(m, 4, memo_get);
	case '.': /* STOP */
		return false;
	default:
		return fail(m, "holds more than data");
	}
}

static void clean(struct machine *m)
{
	for (size_t i = 0; i < m->n; i++)
		json_decref(m->stack[i].v);
	for (size_t i = 0; i < m->n_memo; i++)
		json_decref(m->memo[i]);
	free(m->stack);
	free(m->memo);
}

json_t *pickle_read(FILE *f, const char *path, struct err *err)
{
	struct machine m = { .f = f };
	json_t *o = NULL;
	int op;

	while ((op = getc(f)) != EOF && step(&m, op))
		if (++m.bytes > DOCUMENT_MAX)
			fail(&m, "is too large");
	if (!m.wrong && (op == EOF || m.n != 1 || !json_is_object(m.stack->v)))
		fail(&m, "is corrupted");
	if (!m.wrong)
		o = json_incref(m.stack->v);
	else
		err_set(err, ERR_FORMAT,
			"%s: the pickle %s; to read it any other way is to "
			"run what it says: ask who wrote it for JSON",
			path, m.wrong);
	clean(&m);
	return o;
}

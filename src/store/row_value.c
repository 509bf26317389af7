/* SPDX-License-Identifier: GPL-2.0-or-later
 * What of a fact goes into a column, and from there into a statement. */
#include <assert.h>

#include "store/row.h"

#include "decode/packet.h"
#include "store/column.h"

static int64_t load(const struct column *c, const void *fact)
{
	const void *at = (const char *)fact + c->offset;

	switch ((enum member_type)c->type) {
	case MEMBER_U32:
		return *(const uint32_t *)at;
	case MEMBER_I64:
		return *(const int64_t *)at;
	case MEMBER_U64:
		/* no count gets near; MAX_IS_NULL looks before this */
		return *(const uint64_t *)at > INT64_MAX
			       ? INT64_MAX
			       : (int64_t) * (const uint64_t *)at;
	case MEMBER_INT:
		return *(const int *)at;
	case MEMBER_U16:
		return *(const uint16_t *)at;
	case MEMBER_U8:
		return *(const uint8_t *)at;
	case MEMBER_BOOL:
		return *(const bool *)at;
	default:
		assert(!"a number");
		return 0;
	}
}

static const struct row_value null = { .type = ROW_NULL };

static struct row_value integer(int64_t v)
{
	return (struct row_value) { .type = ROW_INTEGER, .i = v };
}

static struct row_value text(const char *v)
{
	return v ? (struct row_value) { .type = ROW_STRING, .text = v } : null;
}

static struct row_value name_of(const struct column *c, int64_t v)
{
	if (v < 0 || (uint64_t)v >= c->n_names || !c->names[v])
		return null;
	return (struct row_value) { .type = ROW_NAME, .text = c->names[v] };
}

static struct row_value number(const struct column *c, const void *fact)
{
	int64_t v = load(c, fact);

	if (v == FACT_UNKNOWN && c->type == MEMBER_I64)
		return null;
	switch ((enum column_rule)c->rule) {
	case NAMED:
		return name_of(c, v);
	case ZERO_IS_NULL:
		return v == 0 ? null : integer(v);
	case MAX_IS_NULL:
		return v == INT64_MAX ? null : integer(v);
	case NEGATIVE_IS_NULL:
		return v < 0 ? null : integer(v);
	case FROM_ONE:
		return integer(v + 1);
	default:
		return integer(v);
	}
}

static char *scratch(struct row_scratch *s)
{
	assert(s->n < ROW_SCRATCH);
	return s->text[s->n++];
}

static struct row_value real(const struct column *c, double v)
{
	if (c->rule == ZERO_IS_NULL && v <= 0)
		return null;
	return (struct row_value) { .type = ROW_REAL, .r = v };
}

static struct row_value mac(uint64_t v, struct row_scratch *s)
{
	return v ? text(mac_text(v, scratch(s))) : null;
}

static struct row_value computed(const struct column *c, const void *fact)
{
	int64_t v = c->number(fact);

	return v == FACT_UNKNOWN ? null : integer(v);
}

struct row_value row_value(const struct column *c, int64_t id, const void *fact,
			   struct row_scratch *s)
{
	const void *at = (const char *)fact + c->offset;

	switch ((enum column_rule)c->rule) {
	case ID:
		return integer(id);
	case NUMBER:
		return computed(c, fact);
	case WORD:
		return text(c->word(fact, scratch(s), ROW_TEXT));
	case MAC:
		return mac(*(const uint64_t *)at, s);
	default:
		break;
	}
	switch ((enum member_type)c->type) {
	case MEMBER_REAL:
		return real(c, *(const double *)at);
	case MEMBER_TEXT:
		return text(*(const char *const *)at);
	case MEMBER_ADDR:
		return text(addr_text(*(const struct addr *)at, scratch(s)));
	default:
		return number(c, fact);
	}
}

/* --- binding --- */

static void bind(struct row_value v, sqlite3_stmt *stmt, int i)
{
	switch (v.type) {
	case ROW_NULL:
		sqlite3_bind_null(stmt, i);
		break;
	case ROW_INTEGER:
		sqlite3_bind_int64(stmt, i, v.i);
		break;
	case ROW_REAL:
		sqlite3_bind_double(stmt, i, v.r);
		break;
	case ROW_STRING: /* it outlives the step, and the next row binds anew */
	case ROW_NAME:
		sqlite3_bind_text(stmt, i, v.text, -1, SQLITE_STATIC);
		break;
	}
}

static bool is_same(struct row_value a, struct row_value b)
{
	if (a.type != b.type)
		return false;
	switch (a.type) {
	case ROW_NULL:
		return true;
	case ROW_INTEGER:
		return a.i == b.i;
	case ROW_NAME:
		return a.text == b.text;
	default:
		return false;
	}
}

void row_bind(enum row_kind kind, int64_t id, const void *fact,
	      sqlite3_stmt *stmt, struct row_scratch *s, struct row_bound *b)
{
	const struct column_list *l = row_columns(kind);

	assert(l->n <= ROW_COLUMNS);
	s->n = 0;
	for (int i = 0; i < l->n; i++) {
		struct row_value v = row_value(&l->c[i], id, fact, s);

		if (b->n > i && is_same(v, b->value[i]))
			continue;
		b->value[i] = v;
		bind(v, stmt, i + 1);
	}
	b->n = l->n;
}

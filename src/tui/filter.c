/* SPDX-License-Identifier: GPL-2.0-or-later
 * Filters of lists. */
#include "tui/filter.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "store/format.h"
#include "store/param.h"

/* Longer ones first: "<=" is no "<". */
static const struct {
	const char *text;
	enum filter_op op;
} operators[] = {
	{ "!=", FILTER_NE }, { "<=", FILTER_LE }, { ">=", FILTER_GE },
	{ "=", FILTER_EQ },  { "<", FILTER_LT },  { ">", FILTER_GT },
	{ "~", FILTER_HAS },
};

static bool is_name(const char *from, const char *to)
{
	for (; from < to; from++)
		if (*from != '_' && !isalnum((unsigned char)*from))
			return false;
	return true;
}

static void read_term(struct filter_term *t, char *word)
{
	char *at = word + strcspn(word, "!=<>~");
	size_t i;

	*t = (struct filter_term) { .value = word };
	if (at > word && is_name(word, at))
		for (i = 0; i < sizeof operators / sizeof operators[0]; i++) {
			size_t n = strlen(operators[i].text);

			if (strncmp(at, operators[i].text, n) != 0)
				continue;
			*at = 0;
			t->op = operators[i].op;
			t->column = word;
			t->value = at + n;
			return;
		}
	if (*word == '-' && word[1]) {
		t->without = true;
		t->value++;
	}
}

void filter_set(struct filter *f, const char *text)
{
	char *word, *rest;

	snprintf(f->text, sizeof f->text, "%s", text);
	memcpy(f->words, f->text, sizeof f->words);
	f->n_terms = 0;
	for (word = strtok_r(f->words, " \t", &rest);
	     word && f->n_terms < FILTER_TERMS;
	     word = strtok_r(NULL, " \t", &rest))
		read_term(&f->terms[f->n_terms++], word);
}

static bool has(const char *text, const char *word)
{
	return strcasestr(text, word) != NULL;
}

static double number(const struct query_value *v)
{
	return v->type == VALUE_REAL ? v->r : (double)v->i;
}

/* -1, 0 or 1: |v| is less than, equal to or more than the term's value. */
static int compare(const struct filter_term *t, enum query_unit unit,
		   const struct query_value *v, int64_t origin_ns)
{
	struct query_value want;

	if (v->type == VALUE_TEXT ||
	    param_parse(unit, t->value, origin_ns, &want) < 0 ||
	    want.type == VALUE_TEXT || want.type == VALUE_NULL)
		return strcasecmp(v->type == VALUE_TEXT ? v->text : "",
				  t->value);
	if (v->type == VALUE_INT && want.type == VALUE_INT)
		return (v->i > want.i) - (v->i < want.i);
	return (number(v) > number(&want)) - (number(v) < number(&want));
}

static bool holds(enum filter_op op, int order)
{
	switch (op) {
	case FILTER_NE:
		return order != 0;
	case FILTER_LE:
		return order <= 0;
	case FILTER_GE:
		return order >= 0;
	case FILTER_LT:
		return order < 0;
	case FILTER_GT:
		return order > 0;
	default:
		return order == 0;
	}
}

/* A term has no blanks: "lost_downstream" is "lost downstream". */
static bool is_shown_as(const char *shown, size_t n, const char *word)
{
	for (; n && *word; n--, shown++, word++)
		if (tolower((unsigned char)*shown) !=
			    tolower((unsigned char)*word) &&
		    !(*shown == ' ' && *word == '_'))
			return false;
	return !n && !*word;
}

/* Of "leaf 1, spine" each is a value, as well as both. */
static bool is_among(const char *list, const char *word)
{
	const char *at = list, *end;

	for (; (end = strstr(at, ", ")); at = end + 2)
		if (is_shown_as(at, (size_t)(end - at), word))
			return true;
	return is_shown_as(at, strlen(at), word) ||
	       is_shown_as(list, strlen(list), word);
}

/* What is not known is neither more nor less than anything. */
static bool about_column(const struct filter_term *t, enum query_unit unit,
			 const struct query_value *v, const char *shown,
			 int64_t origin_ns)
{
	bool null = !strcasecmp(t->value, "NULL");

	if (t->op == FILTER_HAS)
		return has(shown, t->value);
	if (v->type == VALUE_TEXT && (t->op == FILTER_EQ || t->op == FILTER_NE))
		return (t->op == FILTER_EQ) ==
		       (!strcasecmp(v->text, t->value) ||
			is_among(shown, t->value));
	if (v->type == VALUE_NULL || null)
		return (t->op == FILTER_EQ) == (v->type == VALUE_NULL) &&
		       (t->op == FILTER_EQ || t->op == FILTER_NE) && null;
	return holds(t->op, compare(t, unit, v, origin_ns));
}

static bool fits(const struct filter_term *t,
		 const struct query_column *columns,
		 const struct query_value *values, size_t n,
		 const char *const *shown, int64_t origin_ns)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (t->op == FILTER_WORD) {
			if (has(shown[i], t->value))
				return !t->without;
		} else if (format_head_is(columns[i].name, t->column)) {
			return about_column(t, columns[i].unit, &values[i],
					    shown[i], origin_ns);
		}
	}
	return t->op != FILTER_WORD || t->without;
}

bool filter_value_fits(const struct filter_term *t, enum query_unit unit,
		       int64_t origin_ns)
{
	struct query_value v;

	return t->op == FILTER_HAS || !strcasecmp(t->value, "NULL") ||
	       param_parse(unit, t->value, origin_ns, &v) >= 0;
}

bool filter_fits(const struct filter *f, const struct query_column *columns,
		 const struct query_value *values, size_t n,
		 const char *const *shown, int64_t origin_ns)
{
	size_t i;

	if (!f->n_terms)
		return true;
	for (i = 0; i < f->n_terms; i++)
		if (!fits(&f->terms[i], columns, values, n, shown, origin_ns))
			return f->inverse;
	return !f->inverse;
}

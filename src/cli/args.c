/* SPDX-License-Identifier: GPL-2.0-or-later
 * Options and operands of one command, by its table. */
#include "cli/args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/guess.h"
#include "cli/command.h"

static const struct option help_option = { .name = "help", .letter = 'h' };

static const struct option *find_long(const struct command *c, const char *name,
				      size_t length)
{
	const struct option *o;

	for (o = c->options; o && o->name; o++)
		if (strlen(o->name) == length && !memcmp(o->name, name, length))
			return o;
	return length == 4 && !memcmp(name, "help", 4) ? &help_option : NULL;
}

static const struct option *find_short(const struct command *c, char letter)
{
	const struct option *o;

	for (o = c->options; o && o->name; o++)
		if (o->letter == letter)
			return o;
	return letter == 'h' ? &help_option : NULL;
}

static bool is_one_of(const char *words, const char *value)
{
	size_t length = strlen(value);
	const char *p = words;

	while (*p) {
		size_t n = strcspn(p, " ");

		if (n == length && !memcmp(p, value, n))
			return true;
		p += n + strspn(p + n, " ");
	}
	return false;
}

static int keep(struct args *a, const struct option *o, const char *value,
		struct err *err)
{
	if (o == &help_option) {
		a->help = true;
		return 0;
	}
	if (!o->repeated && args_has(a, o->name))
		return err_set(err, ERR_USAGE, "--%s is given twice", o->name);
	if (o->words && value && !is_one_of(o->words, value))
		return err_set(err, ERR_USAGE, "--%s is one of: %s", o->name,
			       o->words);
	a->given[a->n_given++] = (struct arg) { o, value };
	return 0;
}

/* "-o", "--output": in the place of a value, the value was forgotten.  Joined
 * to its option a value may look like that. */
static bool names_option(const struct command *c, const char *word)
{
	const char *equals = strchr(word, '=');

	if (word[0] != '-' || !word[1])
		return false;
	if (word[1] != '-')
		return !word[2] && find_short(c, word[1]);
	return find_long(c, word + 2,
			 equals ? (size_t)(equals - word) - 2
				: strlen(word + 2));
}

/* |rest| is what was joined to the option, NULL if nothing. */
static int take_option(struct args *a, const struct option *o, const char *rest,
		       char **argv, int argc, int *i, struct err *err)
{
	if (!o->value) {
		if (rest)
			return err_set(err, ERR_USAGE, "--%s takes no value",
				       o->name);
		return keep(a, o, NULL, err);
	}
	if (!rest) {
		if (*i + 1 >= argc)
			return err_set(err, ERR_USAGE, "--%s needs %s", o->name,
				       o->value);
		rest = argv[++*i];
		if (names_option(a->command, rest))
			return err_set(err, ERR_USAGE,
				       "--%s needs %s, not the option \"%s\"",
				       o->name, o->value, rest);
	}
	return keep(a, o, rest, err);
}

/* |word| has its dashes. */
static int no_option(const struct command *c, const char *word, size_t length,
		     struct err *err)
{
	struct guess g = guess_begin(word, length);
	const struct option *o;
	char name[GUESS_LONGEST];

	for (o = c->options; o && o->name; o++) {
		snprintf(name, sizeof name, "--%s", o->name);
		guess_offer(&g, name);
	}
	return guess_error(&g, "option", "", err);
}

static int long_option(struct args *a, char **argv, int argc, int *i,
		       struct err *err)
{
	const char *name = argv[*i] + 2;
	const char *equals = strchr(name, '=');
	size_t length = equals ? (size_t)(equals - name) : strlen(name);
	const struct option *o = find_long(a->command, name, length);

	if (!o)
		return no_option(a->command, argv[*i], length + 2, err);
	return take_option(a, o, equals ? equals + 1 : NULL, argv, argc, i,
			   err);
}

static int short_options(struct args *a, char **argv, int argc, int *i,
			 struct err *err)
{
	const char *p = argv[*i] + 1;

	while (*p) {
		const struct option *o = find_short(a->command, *p);

		if (!o)
			return err_set(err, ERR_USAGE, "no option -%c", *p);
		p++;
		if (o->value)
			return take_option(a, o, *p ? p : NULL, argv, argc, i,
					   err);
		if (keep(a, o, NULL, err) < 0)
			return -1;
	}
	return 0;
}

static int sort_words(struct args *a, int argc, char **argv, struct err *err)
{
	bool only_operands = false;
	int i, rc;

	for (i = 0; i < argc; i++) {
		const char *w = argv[i];

		rc = 0;
		if (only_operands || w[0] != '-' || !w[1])
			a->operands[a->n_operands++] = argv[i];
		else if (!strcmp(w, "--"))
			only_operands = true;
		else if (w[1] == '-')
			rc = long_option(a, argv, argc, &i, err);
		else
			rc = short_options(a, argv, argc, &i, err);
		if (rc < 0)
			return -1;
	}
	return 0;
}

int args_parse(struct args *a, const struct command *c, int argc, char **argv,
	       struct err *err)
{
	size_t most = 1;
	int i;

	/* a word of bundled switches may give one option per letter */
	for (i = 0; i < argc; i++)
		most += strlen(argv[i]);
	*a = (struct args) { .command = c };
	a->given = calloc(most, sizeof *a->given);
	a->operands = calloc((size_t)argc + 1, sizeof *a->operands);
	if (!a->given || !a->operands)
		return err_set(err, ERR_MEMORY, "out of memory");
	if (sort_words(a, argc, argv, err) < 0)
		return -1;
	if (a->help)
		return 0;
	if (a->n_operands < (size_t)c->min_operands)
		return err_set(err, ERR_USAGE, "needs %s", c->operands);
	if (c->max_operands >= 0 && a->n_operands > (size_t)c->max_operands)
		return err_set(err, ERR_USAGE, "one word too many: %s",
			       a->operands[c->max_operands]);
	return 0;
}

void args_fini(struct args *a)
{
	free(a->given);
	free(a->operands);
	*a = (struct args) { 0 };
}

const char *args_next(const struct args *a, const char *name, size_t *i)
{
	while (*i < a->n_given) {
		const struct arg *g = &a->given[(*i)++];

		if (!strcmp(g->option->name, name))
			return g->value ? g->value : "";
	}
	return NULL;
}

const char *args_value(const struct args *a, const char *name)
{
	const char *last = NULL, *v;
	size_t i = 0;

	while ((v = args_next(a, name, &i)))
		last = v;
	return last;
}

bool args_has(const struct args *a, const char *name)
{
	return args_value(a, name) != NULL;
}

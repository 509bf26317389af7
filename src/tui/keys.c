/* SPDX-License-Identifier: GPL-2.0-or-later
 * The keys, and what they are called. */
#include "tui/keys.h"

#include <curses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/act.h"
#include "tui/app.h"

#define CTRL(c) ((c)&0x1f)

const struct key keys[] = {
#define KEY(group, names, codes, help, hint, name) \
	{ group, names, codes, help, hint, act_##name },
#include "tui/keys.def"
	{ 0 },
};

bool keys_do(struct app *a, int key)
{
	const struct key *k;
	int i;

	for (k = keys; k->names; k++)
		for (i = 0; i < KEY_CODES && k->codes[i]; i++)
			if (k->codes[i] == key) {
				k->act(a);
				return true;
			}
	i = screen_by_key(key);
	if (i >= 0)
		app_go(a, i);
	return i >= 0;
}

/* How figures are to be read. */
static const struct note {
	const char *what, *means;
} notes[] = {
	{ "-", "Not known: not observable, or not stored" },
	{ "0", "There was none" },
	{ "In a zoom", "Load is interpolated from time bins;" },
	{ "", "losses from events, recoveries by their start." },
	{ "", "Not stored over time, so a dash for flows that are" },
	{ "", "longer: messages where only a sample is stored," },
	{ "", "latencies, entropy values except a single one" },
	{ 0 },
};

static void help_notes(FILE *out)
{
	const struct note *n;

	fputs("Figures\n", out);
	for (n = notes; n->what; n++)
		fprintf(out, "  %-14s %s\n", n->what, n->means);
	fputc('\n', out);
}

static void help_screens(FILE *out)
{
	int i;

	fputs("Screens\n", out);
	for (i = 0; screens[i].name; i++)
		fprintf(out, "  %-14c %-11s %s\n", screens[i].key,
			screens[i].name, screens[i].title);
}

char *keys_menu(void)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	int i;

	for (i = 0; out && screens[i].name; i++)
		fprintf(out, "  %c  %-11s %s\n", screens[i].key,
			screens[i].name, screens[i].title);
	if (out && !fclose(out))
		return text;
	free(text);
	return NULL;
}

char *keys_help(void)
{
	const char *group = "";
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	const struct key *k;

	if (!out)
		return NULL;
	for (k = keys; k->names; k++) {
		if (strcmp(group, k->group) != 0)
			fprintf(out, "%s%s\n", *group ? "\n" : "", k->group);
		group = k->group;
		fprintf(out, "  %-14s %s\n", k->names, k->help);
	}
	fputc('\n', out);
	help_notes(out);
	help_screens(out);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

/* ---- the man page ---------------------------------------------------- */

/* mdoc takes some characters for its own when they stand first. */
static void man_word(FILE *out, const char *word)
{
	for (; *word; word++)
		if (*word == '\\')
			fputs("\\e", out);
		else if (*word == '-')
			fputs("\\-", out);
		else
			fprintf(out, "%s%c", strchr(".'`", *word) ? "\\&" : "",
				*word);
}

void tui_keys_man(FILE *out)
{
	const char *group = "";
	const struct key *k;

	for (k = keys; k->names; k++) {
		if (strcmp(group, k->group) != 0)
			fprintf(out, "%s.Ss %s\n.Bl -tag -width Ctrl-F,PgDn\n",
				*group ? ".El\n" : "", k->group);
		group = k->group;
		fputs(".It ", out);
		man_word(out, k->names);
		fprintf(out, "\n%s.\n", k->help);
	}
	fputs(".El\n", out);
}

void tui_screens_man(FILE *out)
{
	int i;

	fputs(".Bl -tag -width Recoveries\n", out);
	for (i = 0; screens[i].name; i++)
		fprintf(out, ".It %c , %s\n%s.\n", screens[i].key,
			screens[i].name, screens[i].title);
	fputs(".El\n", out);
}

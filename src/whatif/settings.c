/* SPDX-License-Identifier: GPL-2.0-or-later
 * Settings by the names people have for them. */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/guess.h"
#include "whatif/whatif_int.h"

/* Which line of a scenario, and which word there. */
static const struct known {
	const char *name, *line, *word;
} known[] = {
	{ "wred.kmin", "switches", "kmin" },
	{ "wred.kmax", "switches", "kmax" },
	{ "wred.pmax", "switches", "pmax" },
	{ "pfc.xoff", "switches", "xoff" },
	{ "pfc.xon", "switches", "xon" },
	{ "pfc.headroom", "switches", "headroom" },
	{ "pfc.watchdog", "switches", "watchdog" },
	{ "buffer.size", "switches", "buffer" },
	{ "buffer.alpha", "switches", "alpha" },
	{ "lb", "switches", "balance" },
	{ "lb.gap", "switches", "flowlet" },
	{ "dcqcn.g", "dcqcn", "g" },
	{ "dcqcn.alpha_timer", "dcqcn", "alpha_timer" },
	{ "dcqcn.rate_timer", "dcqcn", "rate_timer" },
	{ "dcqcn.byte_counter", "dcqcn", "byte_counter" },
	{ "dcqcn.fast", "dcqcn", "fast" },
	{ "dcqcn.additive", "dcqcn", "additive" },
	{ "dcqcn.hyper", "dcqcn", "hyper" },
	{ "dcqcn.slowest", "dcqcn", "slowest" },
	{ "dcqcn.cut_period", "dcqcn", "cut_period" },
	{ "nic.receiver", NULL, NULL },   /* strict select orderless */
	{ "links.uplink", NULL, NULL },   /* speed of links between switches */
	{ "links.downlink", NULL, NULL }, /* of hosts' */
};

enum { KNOWN = sizeof known / sizeof *known };

static const char *find(const char *name)
{
	for (size_t i = 0; i < KNOWN; i++)
		if (!strcmp(known[i].name, name))
			return known[i].name;
	return NULL;
}

const char *whatif_known(size_t i)
{
	return i < KNOWN ? known[i].name : NULL;
}

const char *whatif_get(const struct whatif_settings *t, const char *name)
{
	for (size_t i = t->n; i-- > 0;)
		if (!strcmp(t->s[i].name, name))
			return t->s[i].value;
	return NULL;
}

static int unknown(const char *name, struct err *err)
{
	struct guess g = guess_begin(name, strlen(name));
	char all[512] = ": there are";
	size_t n = strlen(all);

	for (size_t i = 0; i < KNOWN; i++) {
		guess_offer(&g, known[i].name);
		n += (size_t)snprintf(all + n, sizeof all - n, " %s",
				      known[i].name);
	}
	return guess_error(&g, "setting", all, err);
}

static int add(struct whatif_settings *t, const char *name, const char *value,
	       struct err *err)
{
	const char *key = find(name);
	size_t i = 0;

	if (!key)
		return unknown(name, err);
	if (strlen(value) >= sizeof t->s->value || !*value ||
	    strpbrk(value, " \t\n#="))
		return err_set(err, ERR_USAGE, "%s: no such value", name);
	while (i < t->n && strcmp(t->s[i].name, key) != 0)
		i++;
	if (i == WHATIF_SETTINGS)
		return err_set(err, ERR_USAGE, "more than %d settings",
			       WHATIF_SETTINGS);
	t->s[i].name = key;
	snprintf(t->s[i].value, sizeof t->s->value, "%s", value);
	t->n += i == t->n;
	return 0;
}

int whatif_set(struct whatif_settings *t, const char *text, struct err *err)
{
	char copy[512], group[32] = "", name[64];
	char *save = NULL, *word, *equals, *dot;

	if (strlen(text) >= sizeof copy)
		return err_set(err, ERR_USAGE,
			       "settings of more than 511 bytes");
	snprintf(copy, sizeof copy, "%s", text);
	for (word = strtok_r(copy, ",", &save); word;
	     word = strtok_r(NULL, ",", &save)) {
		equals = strchr(word, '=');
		if (!equals || equals == word)
			return err_set(err, ERR_USAGE,
				       "%s: a setting is NAME=VALUE", word);
		*equals = 0;
		dot = strchr(word, '.');
		if (!dot && *group && !find(word))
			snprintf(name, sizeof name, "%s.%.31s", group, word);
		else
			snprintf(name, sizeof name, "%.63s", word);
		if (dot)
			snprintf(group, sizeof group, "%.*s",
				 (int)(dot - word < 31 ? dot - word : 31),
				 word);
		else if (!strcmp(name, "lb"))
			snprintf(group, sizeof group, "lb");
		if (add(t, name, equals + 1, err))
			return -1;
	}
	return 0;
}

const char *wi_setting(const struct whatif_settings *now,
		       const struct whatif_settings *set, const char *name)
{
	const char *v = set ? whatif_get(set, name) : NULL;

	return v ? v : whatif_get(now, name);
}

static void line(const struct whatif_settings *now,
		 const struct whatif_settings *set, const char *word, FILE *f)
{
	bool begun = false;

	for (size_t i = 0; i < KNOWN; i++) {
		const char *v = known[i].line && !strcmp(known[i].line, word)
					? wi_setting(now, set, known[i].name)
					: NULL;

		if (!v)
			continue;
		fprintf(f, "%s %s=%s", begun ? "" : word, known[i].word, v);
		begun = true;
	}
	if (begun)
		fputc('\n', f);
}

int wi_write_settings(const struct whatif_settings *now,
		      const struct whatif_settings *set, FILE *f,
		      struct err *err)
{
	const char *xoff = wi_setting(now, set, "pfc.xoff");
	bool lossless = xoff && strcmp(xoff, "0") != 0;

	if (lossless && (!wi_setting(now, set, "pfc.xon") ||
			 !wi_setting(now, set, "pfc.headroom")))
		return err_set(err, ERR_USAGE,
			       "pfc.xoff needs pfc.xon and pfc.headroom");
	if (wi_setting(now, set, "wred.kmin") &&
	    !wi_setting(now, set, "wred.kmax"))
		return err_set(err, ERR_USAGE, "wred.kmin needs wred.kmax");
	line(now, set, "switches", f);
	if (lossless)
		fprintf(f, "switches lossless=3\n");
	line(now, set, "dcqcn", f);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Names of what a database holds, as people read them. */
#include "base/words.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name, *text;
} words[] = {
#define WORD(name, text) { name, text },
#include "base/words.def"
#undef WORD
};

static const struct {
	const char *rule, *text;
} reasons[] = {
#define REASON(rule, text) { rule, text },
#include "base/reasons.def"
#undef REASON
};

static const char *reason_of(const char *rule, size_t n)
{
	for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
		if (strlen(reasons[i].rule) == n &&
		    !memcmp(reasons[i].rule, rule, n))
			return reasons[i].text;
	return NULL;
}

const char *words_of_reason(const char *detail, char buf[static WORDS_REASON])
{
	static const char between[] = " or ";
	const char *colon = strstr(detail, ": "),
		   * or = strstr(detail, between);
	size_t n = strspn(detail, "RUM0123456789.-");
	const char *one = reason_of(detail, n), *two = NULL;

	if (colon)
		return colon + 2;
	if (or)
		two = reason_of(or +strlen(between),
				strlen(or +strlen(between)));
	snprintf(buf, WORDS_REASON, "%s%s%s", one ? one : "",
		 one && two ? "; or " : "", two ? two : "");
	if (!*buf && detail[n] && detail[n] != '?') /* a sentence already */
		return detail;
	return buf;
}

const char *words_of(const char *name, char buf[static WORDS_TEXT])
{
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (!strcmp(words[i].name, name))
			return words[i].text;
	if (!strchr(name, '_') || strlen(name) >= WORDS_TEXT)
		return name;
	snprintf(buf, WORDS_TEXT, "%s", name);
	for (char *c = buf; *c; c++)
		*c = *c == '_' ? ' ' : *c;
	return buf;
}

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

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Names of what a database holds, as people read them. */
#include "base/words.h"

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

static const struct uet_word {
	const char *roce, *uet;
} uet_words[] = {
#define UET_WORD(roce, uet) { roce, uet },
#include "base/uet_words.def"
#undef UET_WORD
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

static const char *word_of(const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strlen(words[i].name) == n &&
		    !memcmp(words[i].name, name, n))
			return words[i].text;
	return NULL;
}

/* |s| at the end of |buf|, of which |at| bytes are used. */
static size_t append(char *buf, size_t at, const char *s, size_t n)
{
	size_t room = WORDS_TEXT - 1 - at;

	n = n < room ? n : room;
	memcpy(buf + at, s, n);
	buf[at + n] = 0;
	return at + n;
}

const char *words_of(const char *name, char buf[static WORDS_TEXT])
{
	const char *word = word_of(name, strlen(name));
	size_t at = 0, n;

	if (word || !strpbrk(name, "_|") || strlen(name) >= WORDS_TEXT)
		return word ? word : name;
	for (; *name; name += n + (name[n] == '|')) {
		size_t from = append(buf, at, " or ", at ? 4 : 0);

		n = strcspn(name, "|");
		word = word_of(name, n);
		at = append(buf, from, word ? word : name,
			    word ? strlen(word) : n);
		for (char *c = buf + from; !word && *c; c++)
			*c = *c == '_' ? ' ' : *c;
	}
	return buf;
}

/* The row that |text| begins with; NULL: none. */
static const struct uet_word *uet_word_at(const char *text)
{
	for (size_t i = 0; i < sizeof uet_words / sizeof uet_words[0]; i++)
		if (!strncmp(text, uet_words[i].roce,
			     strlen(uet_words[i].roce)))
			return &uet_words[i];
	return NULL;
}

size_t words_to_uet(const char *text, char *buf, size_t size)
{
	size_t need = 0;

	while (*text) {
		const struct uet_word *word = uet_word_at(text);
		const char *from = word ? word->uet : text;
		size_t n = word ? strlen(word->uet) : 1;

		for (size_t i = 0; i < n; i++, need++)
			if (need + 1 < size)
				buf[need] = from[i];
		text += word ? strlen(word->roce) : 1;
	}
	if (size)
		buf[need < size ? need : size - 1] = 0;
	return need;
}

const char *words_of_uet(const char *name, char buf[static WORDS_TEXT])
{
	char room[WORDS_TEXT];

	words_to_uet(words_of(name, room), buf, WORDS_TEXT);
	return buf;
}

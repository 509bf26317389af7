/* SPDX-License-Identifier: GPL-2.0-or-later
 * Escaping of hostile text. */
#include "base/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sequences by their first byte; |least| rules out the overlong ones. */
static const struct lead {
	uint8_t mask, value, length;
	uint32_t least;
} leads[] = {
	{ 0x80, 0x00, 1, 0 },
	{ 0xe0, 0xc0, 2, 0x80 },
	{ 0xf0, 0xe0, 3, 0x800 },
	{ 0xf8, 0xf0, 4, 0x10000 },
};

static const struct lead *find_lead(uint8_t byte)
{
	size_t i;

	for (i = 0; i < sizeof leads / sizeof leads[0]; i++)
		if ((byte & leads[i].mask) == leads[i].value)
			return &leads[i];
	return NULL;
}

size_t text_utf8(const char *s, uint32_t *code)
{
	const uint8_t *p = (const uint8_t *)s;
	const struct lead *l = find_lead(p[0]);
	uint32_t c;
	size_t i;

	if (!l)
		return 0;
	c = p[0] & (uint8_t)~l->mask;
	for (i = 1; i < l->length; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0; /* the final NUL stops here too */
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < l->least || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*code = c;
	return l->length;
}

/* What would move the cursor, change the terminal or reorder the line. */
static bool is_unprintable(uint32_t c)
{
	static const struct {
		uint32_t from, to;
	} ranges[] = {
		{ 0x00, 0x1f },     { 0x7f, 0x9f },     { 0x061c, 0x061c },
		{ 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f },
		{ 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xe0000, 0xe0fff },
	};
	size_t i;

	for (i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
		if (c >= ranges[i].from && c <= ranges[i].to)
			return true;
	return false;
}

static void escape(char *out, uint32_t c)
{
	static const char letters[] = "\nn\tt\rr";
	const char *l;

	for (l = letters; *l; l += 2)
		if (c == (uint32_t)(uint8_t)l[0])
			return (void)sprintf(out, "\\%c", l[1]);
	sprintf(out, c < 0x80 ? "\\x%02x" : "\\u{%x}", c);
}

size_t text_visible(const char *s, char out[static TEXT_VISIBLE])
{
	uint32_t c;
	size_t length = text_utf8(s, &c);

	if (!length) {
		sprintf(out, "\\x%02x", (uint8_t)*s);
	} else if (is_unprintable(c)) {
		escape(out, c);
	} else {
		memcpy(out, s, length);
		out[length] = 0;
	}
	return length ? length : 1;
}

char *text_printable(const char *s)
{
	char *out = malloc(strlen(s) * TEXT_VISIBLE + 1), *to = out;

	if (!out)
		return NULL;
	*to = 0;
	while (*s) {
		s += text_visible(s, to);
		to += strlen(to);
	}
	return out;
}

/* Bytes above 127 are letters of some language. */
static bool is_plain(const char *s)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_./@%+=:,-";

	if (!*s)
		return false;
	for (; *s; s++)
		if ((uint8_t)*s < 0x80 && !strchr(plain, *s))
			return false;
	return true;
}

char *text_shell(const char *s)
{
	char *out, *p;

	if (is_plain(s))
		return strdup(s);
	out = p = malloc(strlen(s) * 4 + 3);
	if (!out)
		return NULL;
	*p++ = '\'';
	for (; *s; s++) {
		if (*s == '\'')
			p = stpcpy(p, "'\\'");
		*p++ = *s;
	}
	*p++ = '\'';
	*p = 0;
	return out;
}

char *text_valid(const char *s)
{
	static const char replacement[] = "\xef\xbf\xbd";
	char *out = malloc(strlen(s) * 3 + 1);
	size_t n = 0, length;
	uint32_t c;

	if (!out)
		return NULL;
	for (; *s; s += length ? length : 1) {
		length = text_utf8(s, &c);
		memcpy(out + n, length ? s : replacement, length ? length : 3);
		n += length ? length : 3;
	}
	out[n] = 0;
	return out;
}

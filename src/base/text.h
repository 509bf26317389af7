/* SPDX-License-Identifier: GPL-2.0-or-later
 * Text from captures and databases, made fit to be shown.
 *
 * An interface name may hold anything: escape sequences that repaint the
 * terminal, marks that reverse the line, bytes that are no UTF-8. */
#ifndef FABSCOPE_BASE_TEXT_H
#define FABSCOPE_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* The code point at |s| (NUL-terminated) goes to |*code|; returns its length,
 * 1..4, or 0 when the bytes there are not valid UTF-8 (RFC 3629). */
size_t text_utf8(const char *s, uint32_t *code);

/* The character that |s| begins with, as a terminal may have it: a string.
 * Returns how many bytes of |s| it was. */
enum { TEXT_VISIBLE = 12 };
size_t text_visible(const char *s, char out[static TEXT_VISIBLE]);

/* A new string for a terminal: control characters, direction marks and bytes
 * that are no UTF-8 become \n, \xNN or \u{NNNN}.  NULL without memory. */
char *text_printable(const char *s);

/* A new string that a shell takes as one word: quoted where it must be. */
char *text_shell(const char *s);

/* A new string that is valid UTF-8: bytes that are not become U+FFFD. */
char *text_valid(const char *s);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Steps of readers. */
#include "steps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static _Thread_local uint64_t steps;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
	steps++;
}

/* ---- what the C library looks at ---- */

#define WRAP(type, name, parameters)   \
	type __real_##name parameters; \
	type __wrap_##name parameters; \
	type __wrap_##name parameters

/* Up to what was found, else all of it. */
static uint64_t up_to(const char *text, const char *found)
{
	return found ? (uint64_t)(found - text) : strlen(text);
}

WRAP(size_t, strlen, (const char *text))
{
	size_t n = __real_strlen(text);

	steps += n;
	return n;
}

WRAP(char *, strdup, (const char *text))
{
	steps += __real_strlen(text);
	return __real_strdup(text);
}

WRAP(char *, strchr, (const char *text, int c))
{
	char *found = __real_strchr(text, c);

	steps += up_to(text, found);
	return found;
}

WRAP(char *, strrchr, (const char *text, int c))
{
	steps += __real_strlen(text);
	return __real_strrchr(text, c);
}

WRAP(char *, strstr, (const char *text, const char *part))
{
	char *found = __real_strstr(text, part);

	steps += up_to(text, found);
	return found;
}

WRAP(size_t, strspn, (const char *text, const char *set))
{
	size_t n = __real_strspn(text, set);

	steps += n;
	return n;
}

WRAP(size_t, strcspn, (const char *text, const char *set))
{
	size_t n = __real_strcspn(text, set);

	steps += n;
	return n;
}

WRAP(char *, strtok_r, (char *text, const char *set, char **rest))
{
	char *from = text ? text : *rest;
	char *word = __real_strtok_r(text, set, rest);

	steps += from ? (uint64_t)(*rest - from) : 0;
	return word;
}

WRAP(void *, memchr, (const void *text, int c, size_t n))
{
	const char *found = __real_memchr(text, c, n);

	steps += found ? (uint64_t)(found - (const char *)text) : n;
	return (void *)(uintptr_t)found;
}

WRAP(int, strcmp, (const char *a, const char *b))
{
	for (size_t i = 0; a[i] && a[i] == b[i]; i++)
		steps++;
	return __real_strcmp(a, b);
}

WRAP(int, strncmp, (const char *a, const char *b, size_t n))
{
	for (size_t i = 0; i < n && a[i] && a[i] == b[i]; i++)
		steps++;
	return __real_strncmp(a, b, n);
}

WRAP(int, memcmp, (const void *a, const void *b, size_t n))
{
	steps += n;
	return __real_memcmp(a, b, n);
}

WRAP(void *, memset, (void *to, int c, size_t n))
{
	steps += n;
	return __real_memset(to, c, n);
}

WRAP(void *, memcpy, (void *to, const void *from, size_t n))
{
	steps += n;
	return __real_memcpy(to, from, n);
}

WRAP(void *, memmove, (void *to, const void *from, size_t n))
{
	steps += n;
	return __real_memmove(to, from, n);
}

/* Each may copy all that is there. */
WRAP(void *, realloc, (void *at, size_t n))
{
	steps += n;
	return __real_realloc(at, n);
}

WRAP(void *, reallocarray, (void *at, size_t n, size_t size))
{
	steps += n * size;
	return __real_reallocarray(at, n, size);
}

WRAP(void *, calloc, (size_t n, size_t size))
{
	steps += n * size;
	return __real_calloc(n, size);
}

/* It looks for the end of its text first, of whatever it needs the begin. */
#define WRAP_SSCANF(name)                                          \
	int __wrap_##name(const char *text, const char *form, ...) \
		__attribute__((format(scanf, 2, 3)));              \
	int __wrap_##name(const char *text, const char *form, ...) \
	{                                                          \
		va_list list;                                      \
		int n;                                             \
                                                                   \
		steps += strlen(text);                             \
		va_start(list, form);                              \
		n = vsscanf(text, form, list);                     \
		va_end(list);                                      \
		return n;                                          \
	}
WRAP_SSCANF(sscanf)
WRAP_SSCANF(__isoc99_sscanf)
WRAP_SSCANF(__isoc23_sscanf)

/* ---- what comes of it ---- */

void steps_begin(void)
{
	steps = 0;
}

uint64_t steps_taken(void)
{
	return steps;
}

int steps_linear(const char *name, const struct steps_run *once,
		 const struct steps_run *four_times)
{
	enum { MOST = 8 };

	if (once->read && four_times->read >= once->read && once->steps &&
	    four_times->steps <= MOST * once->steps)
		return 0;
	print_error("%s: %llu in %llu steps, %llu in %llu\n", name,
		    (unsigned long long)once->read,
		    (unsigned long long)once->steps,
		    (unsigned long long)four_times->read,
		    (unsigned long long)four_times->steps);
	return 1;
}

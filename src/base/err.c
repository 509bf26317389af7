/* SPDX-License-Identifier: GPL-2.0-or-later
 * One error: a code and a sentence. */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *e, enum err_code code, const char *fmt, ...)
{
	if (e) {
		va_list ap;

		e->code = code;
		va_start(ap, fmt);
		vsnprintf(e->text, sizeof e->text, fmt, ap);
		va_end(ap);
	}
	return -1;
}

enum err_code err_of_errno(int error)
{
	switch (error) {
	case ENOMEM:
		return ERR_MEMORY;
	case ENOSPC:
	case EDQUOT:
		return ERR_FULL;
	default:
		return ERR_IO;
	}
}

int err_errno(struct err *e, const char *fmt, ...)
{
	int saved = errno;

	if (e) {
		va_list ap;
		int n;

		e->code = err_of_errno(saved);
		va_start(ap, fmt);
		n = vsnprintf(e->text, sizeof e->text, fmt, ap);
		va_end(ap);
		if (n >= 0 && (size_t)n < sizeof e->text)
			snprintf(e->text + n, sizeof e->text - (size_t)n,
				 ": %s", strerror(saved));
	}
	errno = saved;
	return -1;
}

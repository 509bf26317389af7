/* SPDX-License-Identifier: GPL-2.0-or-later
 * One error: a code and a sentence that names the file and the reason. */
#ifndef FABSCOPE_BASE_ERR_H
#define FABSCOPE_BASE_ERR_H

enum err_code {
	ERR_NONE = 0,
	ERR_IO,       /* the operating system said no */
	ERR_FORMAT,   /* the input is not what it should be */
	ERR_USAGE,    /* the caller asked for something impossible */
	ERR_MEMORY,   /* out of memory */
	ERR_EXISTS,   /* would overwrite something that is not ours */
	ERR_INTERNAL, /* a library refused: sqlite, pcap */
	ERR_FULL,     /* no room on the disk: later, perhaps */
};

struct err {
	enum err_code code;
	char text[512]; /* without a trailing newline; "" when code is 0 */
};

/* Fill |e| (may be NULL) and return -1, so a caller can `return err_set()`. */
int err_set(struct err *e, enum err_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* What the system means by it. */
enum err_code err_of_errno(int error);

/* The same, with ": strerror(errno)" appended. */
int err_errno(struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif

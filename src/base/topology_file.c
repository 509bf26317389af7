/* SPDX-License-Identifier: GPL-2.0-or-later
 * A topology file as a whole, for topology_parse(). */
#include <stdio.h>
#include <stdlib.h>

#include "base/topology.h"

enum { FILE_MAX = 16 << 20 };

static char *read_file(const char *path, size_t *n, struct err *err)
{
	FILE *f = fopen(path, "r");
	char *text = f ? malloc(FILE_MAX + 1) : NULL;

	if (!f) {
		err_errno(err, "%s", path);
		return NULL;
	}
	if (!text) {
		err_set(err, ERR_MEMORY, "out of memory");
	} else {
		*n = fread(text, 1, FILE_MAX + 1, f);
		if (ferror(f))
			err_errno(err, "%s", path);
		else if (*n > FILE_MAX)
			err_set(err, ERR_FORMAT,
				"%s: too large for a topology file", path);
		else {
			fclose(f);
			return text;
		}
	}
	free(text);
	fclose(f);
	return NULL;
}

struct topology *topology_read(const char *path, struct err *err)
{
	struct topology *t;
	size_t n = 0;
	char *text = read_file(path, &n, err);

	if (!text)
		return NULL;
	t = topology_parse(path, text, n, err);
	free(text);
	return t;
}

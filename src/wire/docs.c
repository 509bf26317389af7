/* SPDX-License-Identifier: GPL-2.0-or-later
 * A program of the build: writes docs/wire/ from the tables.
 * usage: wire-docs DIRECTORY */
#include <stdio.h>
#include <stdlib.h>

#include "wire/fields.h"
#include "wire/table.h"

static FILE *open_page(const char *directory, const char *name)
{
	char path[4096];
	FILE *out;

	snprintf(path, sizeof path, "%s/%s.md", directory, name);
	out = fopen(path, "w");
	if (!out) {
		perror(path);
		exit(1);
	}
	return out;
}

static void close_page(FILE *out, const char *name)
{
	int broken = ferror(out);

	if (fclose(out) || broken) {
		perror(name);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	FILE *out;

	if (argc != 2) {
		fputs("usage: wire-docs DIRECTORY\n", stderr);
		return 2;
	}
	out = open_page(argv[1], "README");
	wire_index_print(out);
	close_page(out, "README");
	for (unsigned i = 0; i < wire_n_items; i++) {
		const struct wire_item *item = &wire_items[i];

		if (item->kind != WIRE_ITEM_GROUP)
			continue;
		out = open_page(argv[1], item->name);
		wire_page_print(out, item);
		close_page(out, item->name);
	}
	return 0;
}

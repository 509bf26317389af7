/* SPDX-License-Identifier: GPL-2.0-or-later
 * libFuzzer target: the lines of a plan, with the check that makes it whole,
 * as whoever wants to can write it, through partial and merge. */
#define _GNU_SOURCE
#include "fuzz.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/siphash.h"

static const char begin[] =
	"fabscope-plan 1\nprogram fabscope " FABSCOPE_VERSION "\n";

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fuzz_folder();
	fuzz_put_capture("in");
	return 0;
}

static void put_plan(const uint8_t *data, size_t size)
{
	static const uint8_t key[SIPHASH_KEY] = "fabscope-plan-1";
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		abort();
	fputs(begin, f);
	fwrite(data, 1, size, f);
	putc('\n', f);
	fflush(f);
	fprintf(f, "id %016" PRIx64 "\n", siphash(key, text, n));
	if (fclose(f))
		abort();
	fuzz_put("p", text, n);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Evidence and logs have targets of their own; here they would be
	 * folders of this machine. */
	if (memmem(data, size, "/", 1))
		return 0;
	put_plan(data, size);
	fuzz_run("partial p 0");
	fuzz_run("merge -o m.db p");
	return 0;
}

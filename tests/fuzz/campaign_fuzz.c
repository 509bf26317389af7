/* SPDX-License-Identifier: GPL-2.0-or-later
 * libFuzzer target: a campaign's file, of runs that are there and that are
 * not, through its page and its CSV; |m| are samples of memory, the same
 * bytes. */
#define _GNU_SOURCE
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fuzz_folder();
	fuzz_put_capture("in");
	if (fuzz_run("analyze -o a in") & 1)
		abort();
	/* to analyze it again in each run is what the target |pipe| does */
	if (unlink("in") || link("a", "in"))
		abort();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* No other file of this machine is a run. */
	if (memmem(data, size, "/", 1))
		return 0;
	fuzz_put("c", data, size);
	fuzz_put("m", data, size);
	fuzz_run("campaign -f -o o --csv-output q c");
	return 0;
}

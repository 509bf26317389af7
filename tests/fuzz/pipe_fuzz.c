/* SPDX-License-Identifier: GPL-2.0-or-later
 * libFuzzer target: any bytes as a capture, through whole commands: from the
 * reader to the last page.  The first byte chooses the commands.  With
 * FUZZ_REWRITE those that write captures again: what they write they also
 * read. */
#include "fuzz.h"

#include <unistd.h>

static const char *const scripts[][6] = {
#ifdef FUZZ_REWRITE
	{ "annotate -f -w o in", "decode o" },
	{ "annotate -f -w o --anonymize in", "decode --json o" },
	{ "analyze -o a.db in", "slice -f -w o --whole a.db finding:1",
	  "analyze -o b.db o" },
	{ "analyze -o a.db in", "slice -f -w o a.db flow:1", "decode o" },
	{ "analyze -o a.db in", "slice -f -w o --anonymize a.db flow:2",
	  "annotate -f -w p o" },
	{ "analyze -o a.db in", "slice -f -w o a.db time:+0..+1", "decode o" },
#else
	{ "analyze --json -o a.db in" },
	{ "analyze -v -o a.db in" },
	{ "decode in" },
	{ "decode --json --verdicts in" },
	{ "decode --anonymize --json in" },
	{ "analyze --anonymize -o a.db in", "report -f -o r a.db" },
	{ "analyze -o a.db in", "report -f -o r a.db", "kpi a.db", "jct a.db" },
	{ "analyze -o a.db in", "export -f --format perfetto -o p a.db",
	  "export --format openmetrics a.db", "export --format jsonl a.db" },
	{ "analyze --tap a=in --tap b=in -o a.db", "diff --all a.db a.db" },
#endif
};

enum { SCRIPTS = sizeof scripts / sizeof scripts[0] };

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fuzz_folder();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const made[] = { "a.db", "b.db", "o", "p", "r" };

	if (size < 2)
		return 0;
	fuzz_put("in", data + 1, size - 1);
	for (size_t i = 0; i < sizeof made / sizeof *made; i++)
		unlink(made[i]);
	for (const char *const *line = scripts[data[0] % SCRIPTS]; *line;
	     line++)
		fuzz_run(*line); /* whatever it says of it */
	return 0;
}

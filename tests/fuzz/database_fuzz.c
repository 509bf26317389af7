/* SPDX-License-Identifier: GPL-2.0-or-later
 * libFuzzer target: result databases that somebody changed.
 *
 * An input is a choice of a command and a list of changes to a database that is
 * made when the target starts: a place (4 bytes), how many bytes follow (1),
 * and these.  Places count the bytes of the file that are not 0, so that most
 * changes hit something; the highest bit means any byte. */
#include "fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const lines[] = {
	"query --format json a.db answer",
	"query --format csv a.db findings",
	"query a.db flows",
	"query a.db observability",
	"report -f -o r a.db",
	"kpi a.db",
	"jct a.db",
	"export --format openmetrics a.db",
	"export --format jsonl a.db",
	"export -f --format perfetto -o p a.db",
	"export -f --format db --anonymize -o x.db a.db",
	"diff a.db base.db",
	"slice -f -w o --whole a.db finding:1",
	"slice -f -w o a.db flow:1",
};

enum { LINES = sizeof lines / sizeof lines[0], CHANGES = 256 };

static uint8_t *base;
static size_t size_of_base;
static uint32_t *used; /* places of what is not 0 */
static size_t n_used;
static int file = -1;

/* Loss, a NAK and what came of it, told in the words of a pcap file. */
static void make_base(const char *capture)
{
	struct stat st;
	char line[512];

	snprintf(line, sizeof line, "analyze -o base.db %s", capture);
	if (fuzz_run(line) != 0 || stat("base.db", &st))
		abort();
	size_of_base = (size_t)st.st_size;
	base = malloc(size_of_base);
	used = malloc(size_of_base * sizeof *used);
	file = open("base.db", O_RDONLY | O_CLOEXEC);
	if (!base || !used ||
	    read(file, base, size_of_base) != (ssize_t)size_of_base)
		abort();
	close(file);
	for (uint32_t i = 0; i < size_of_base; i++)
		if (base[i])
			used[n_used++] = i;
	fuzz_put("a.db", base, size_of_base);
	file = open("a.db", O_RDWR | O_CLOEXEC);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char *capture = realpath(FUZZ_CAPTURE, NULL);

	(void)argc;
	(void)argv;
	fuzz_folder();
	make_base(capture);
	free(capture);
	return 0;
}

static size_t place_of(const uint8_t *p)
{
	uint32_t at;

	memcpy(&at, p, sizeof at);
	if (at >> 31)
		return (at & INT32_MAX) % size_of_base;
	return used[at % n_used];
}

static void write_at(size_t at, const uint8_t *p, size_t n)
{
	if (n > size_of_base - at)
		n = size_of_base - at;
	if (pwrite(file, p, n, (off_t)at) != (ssize_t)n)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t places[CHANGES], lengths[CHANGES], n = 0;
	const uint8_t *p = data + 1, *end = data + size;

	if (!size)
		return 0;
	for (; n < CHANGES && end - p > 5; n++) {
		places[n] = place_of(p);
		lengths[n] = p[4];
		p += 5;
		if (lengths[n] > (size_t)(end - p))
			lengths[n] = (size_t)(end - p);
		write_at(places[n], p, lengths[n]);
		p += lengths[n];
	}
	fuzz_run(lines[data[0] % LINES]);
	while (n--)
		write_at(places[n], base + places[n], lengths[n]);
	return 0;
}

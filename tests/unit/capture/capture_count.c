/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reads captures and prints what came of it, for comparison with other
 * readers: one line of counts, then damage and taps.
 * usage: capture-count [-e FILTER] [-f] [-q] FILE...
 *	-f one line per frame: number, ns, caplen, wirelen, interface, CRC
 *	-q counts only */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/crc32.h"
#include "capture/capture.h"

enum { INPUTS = 64 };

static void print_frame(const struct capture *c, const struct frame *f)
{
	const struct capture_tap *t = capture_tap(c, f->tap);

	printf("frame %llu %lld %u %u %u %u %08x %02x\n",
	       (unsigned long long)f->number, (long long)f->ns, f->caplen,
	       f->wirelen, t->interface, f->linktype,
	       ~crc32_add(CRC32_START, f->data, f->caplen), f->flags);
}

static void print_file(const struct capture_file *f, bool quiet)
{
	uint64_t i;

	printf("%llu packets, %llu filtered, %llu skipped, %llu damaged, "
	       "%s, %llu octets, %s\n",
	       (unsigned long long)f->packets, (unsigned long long)f->filtered,
	       (unsigned long long)f->skipped,
	       (unsigned long long)f->damage_count, f->cut ? "cut" : "whole",
	       (unsigned long long)f->bytes, f->format);
	if (quiet)
		return;
	for (i = 0; i < f->damage_count && i < CAPTURE_DAMAGE_KEPT; i++)
		printf("damage %llu-%llu %s\n",
		       (unsigned long long)f->damage[i].from,
		       (unsigned long long)f->damage[i].to, f->damage[i].why);
}

static void print_tap(const struct capture_tap *t)
{
	printf("tap %s speed %llu snaplen %u linktype %u packets %llu "
	       "regressions %llu received %lld dropped %lld\n",
	       t->name, (unsigned long long)t->speed_bps, t->snaplen,
	       t->linktype, (unsigned long long)t->packets,
	       (unsigned long long)t->regressions, (long long)t->received,
	       (long long)t->dropped);
}

int main(int argc, char **argv)
{
	struct capture_input inputs[INPUTS] = { 0 };
	struct capture_options options = { 0 };
	bool frames = false, quiet = false;
	const struct frame *f;
	struct capture *c;
	struct err err = { 0 };
	size_t n = 0, i;
	int got, o;

	while ((o = getopt(argc, argv, "e:fq")) != -1) {
		if (o == 'e')
			options.filter = optarg;
		frames |= o == 'f';
		quiet |= o == 'q';
	}
	for (; optind < argc && n < INPUTS; optind++)
		inputs[n++].path = argv[optind];
	c = capture_open(inputs, n, &options, &err);
	if (!c) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	while ((got = capture_next(c, &f, &err)) > 0)
		for (i = 0; frames && i < (size_t)got; i++)
			print_frame(c, &f[i]);
	if (got < 0)
		fprintf(stderr, "%s\n", err.text);
	for (i = 0; i < capture_files(c); i++)
		print_file(capture_file(c, i), quiet);
	for (i = 0; !quiet && i < capture_taps(c); i++)
		print_tap(capture_tap(c, i));
	capture_free(c);
	return got < 0;
}

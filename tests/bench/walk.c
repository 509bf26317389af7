/* SPDX-License-Identifier: GPL-2.0-or-later
 * The least that a program can do that looks at every packet of a pcap file:
 * count the packets of each destination QP or PDC.  What it takes is what
 * reading costs; not a test.
 *
 *	walk CAPTURE.pcap */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	BUFFER = 1 << 20,
	HEADER = 24,
	RECORD = 16,
	IP = 14,
	L4 = IP + 20 + 8,
	SHORTEST = L4 + 8,
	SLOTS = 1 << 23,
};

static uint32_t counts[SLOTS];

static void count(const uint8_t *f, uint32_t n)
{
	uint32_t dst, qp;

	if (n < SHORTEST || f[12] != 8 || f[IP + 9] != 17)
		return;
	memcpy(&dst, f + IP + 16, sizeof dst);
	memcpy(&qp, f + L4 + 4, sizeof qp);
	counts[((uint64_t)dst << 32 | qp) * UINT64_C(0x9e3779b97f4a7c15) >>
	       41]++;
}

/* Whole records of |have| bytes; how many bytes those are. */
static size_t records(const uint8_t *b, size_t have, uint64_t *packets)
{
	size_t at = 0;
	uint32_t n;

	while (have - at >= RECORD) {
		memcpy(&n, b + at + 8, sizeof n);
		if (n > have - at - RECORD)
			break;
		count(b + at + RECORD, n);
		at += RECORD + n;
		++*packets;
	}
	return at;
}

int main(int argc, char **argv)
{
	static uint8_t buffer[BUFFER];
	size_t have = 0, used;
	uint64_t packets = 0, flows = 0;
	ssize_t n;
	int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;

	if (fd < 0 || read(fd, buffer, HEADER) != HEADER ||
	    (buffer[0] != 0x4d && buffer[0] != 0xd4)) {
		fprintf(stderr, "walk CAPTURE.pcap\n");
		return 1;
	}
	while ((n = read(fd, buffer + have, BUFFER - have)) > 0) {
		have += (size_t)n;
		used = records(buffer, have, &packets);
		have -= used;
		memmove(buffer, buffer + used, have);
	}
	for (size_t i = 0; i < SLOTS; i++)
		flows += counts[i] > 0;
	printf("%llu packets of %llu flows\n", (unsigned long long)packets,
	       (unsigned long long)flows);
	return 0;
}

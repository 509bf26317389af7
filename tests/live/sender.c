/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the senders have in common. */
#include "sender.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { IP = 20, CHECKSUM_AT = 10 };

volatile sig_atomic_t sender_stop;

static void on_end(int number)
{
	(void)number;
	sender_stop = 1;
}

void sender_until_signal(void)
{
	static const int signals[] = { SIGTERM, SIGINT, SIGALRM };
	const struct sigaction end = { .sa_handler = on_end };

	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaction(signals[i], &end, NULL);
}

void die(const char *what)
{
	perror(what);
	exit(1);
}

int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

unsigned long number(char **argv, const char *option, unsigned long otherwise)
{
	for (; *argv; argv++)
		if (!strcmp(*argv, option) && argv[1])
			return strtoul(argv[1], NULL, 0);
	return otherwise;
}

uint8_t *put(uint8_t *to, uint64_t value, int bytes)
{
	while (bytes--)
		*to++ = (uint8_t)(value >> 8 * bytes);
	return to;
}

void put_checksum(uint8_t *ip)
{
	uint32_t sum = 0;

	for (int i = 0; i < IP; i += 2)
		sum += (uint32_t)(ip[i] << 8 | ip[i + 1]);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	put(ip + CHECKSUM_AT, ~sum & 0xffff, 2);
}

void sender_say(unsigned long packets, int64_t took)
{
	printf("%lu packets in %.3f s, %.0f packets/s\n", packets,
	       (double)took / 1e9, (double)packets * 1e9 / (double)took);
}

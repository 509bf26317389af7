/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the senders have in common: flood.c and gush.c. */
#ifndef FABSCOPE_TESTS_LIVE_SENDER_H
#define FABSCOPE_TESTS_LIVE_SENDER_H

#include <signal.h>
#include <stdint.h>

extern volatile sig_atomic_t sender_stop;

/* SIGTERM, SIGINT and SIGALRM are to end it. */
void sender_until_signal(void);

_Noreturn void die(const char *what);
int64_t now_ns(void);

/* The number behind |option|, else |otherwise|. */
unsigned long number(char **argv, const char *option, unsigned long otherwise);

/* |bytes| of |value|, the highest first; returns what is behind them. */
uint8_t *put(uint8_t *to, uint64_t value, int bytes);

/* The checksum into the IPv4 header at |ip|, where it is 0 so far. */
void put_checksum(uint8_t *ip);

/* What was sent, and in which time. */
void sender_say(unsigned long packets, int64_t took);

#endif

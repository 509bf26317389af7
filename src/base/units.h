/* SPDX-License-Identifier: GPL-2.0-or-later
 * Numbers as people say them: 1.50 ms, 12.3 MB, 96.4 Gb/s, 1,234,567. */
#ifndef FABSCOPE_BASE_UNITS_H
#define FABSCOPE_BASE_UNITS_H

#include <stdint.h>

enum { UNITS_TEXT = 40, UNITS_PLURAL = 128 };

/* Each writes into |buf| and returns it. */
char *units_ns(int64_t ns, char buf[static UNITS_TEXT]);      /* a duration */
char *units_bytes(double bytes, char buf[static UNITS_TEXT]); /* by 1000 */
char *units_rate(double bps, char buf[static UNITS_TEXT]);    /* bits */
char *units_count(uint64_t n, char buf[static UNITS_TEXT]);

/* Likewise with what is counted: 1 packet, 1,234 packets, 3 retries. */
char *units_plural(int64_t n, const char *word, char buf[static UNITS_PLURAL]);

/* A moment since the epoch: 2026-11-21 01:48:05.123456789 UTC. */
char *units_utc(int64_t ns, char buf[static UNITS_TEXT]);

/* A moment as the distance |ns| from the start of a capture: +1.234567 s. */
char *units_offset(int64_t ns, char buf[static UNITS_TEXT]);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * A pcapng writer: interfaces, packets, comments, statistics. */
#ifndef FABSCOPE_CAPTURE_PCAPNG_WRITE_H
#define FABSCOPE_CAPTURE_PCAPNG_WRITE_H

#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

struct pcapng_writer;

/* Starts a section in |path| ("-" standard output).  |comment| may be NULL. */
struct pcapng_writer *pcapng_writer_new(const char *path, const char *comment,
					struct err *err);

struct pcapng_interface {
	const char *name; /* or NULL */
	const char *description;
	uint64_t speed_bps; /* 0 unknown */
	uint32_t snaplen;   /* 0 unlimited */
	uint16_t linktype;
	uint8_t tsresol; /* if_tsresol byte, 9 = ns; 0 = 9 */
};

/* Returns the interface number, or -1. */
int pcapng_writer_interface(struct pcapng_writer *w,
			    const struct pcapng_interface *i, struct err *err);

struct pcapng_packet {
	int64_t ns; /* since the epoch */
	const uint8_t *data;
	uint32_t caplen, wirelen;
	uint32_t interface;
	uint32_t epb_flags;  /* 0: option not written */
	uint64_t dropcount;  /* 0: option not written */
	const char *comment; /* or NULL */
};

int pcapng_writer_packet(struct pcapng_writer *w, const struct pcapng_packet *p,
			 struct err *err);

/* UINT64_MAX leaves a counter out. */
int pcapng_writer_statistics(struct pcapng_writer *w, uint32_t interface,
			     int64_t ns, uint64_t received, uint64_t dropped,
			     const char *comment, struct err *err);

/* Flushes, closes, frees; -1 when anything did not reach the file. */
int pcapng_writer_close(struct pcapng_writer *w, struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Capture files built by hand from the format descriptions, and all frames of
 * a capture gathered to be looked at.  Shares no code with the readers. */
#ifndef FABSCOPE_TESTS_MAKER_H
#define FABSCOPE_TESTS_MAKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/capture.h"

/* A file being made, in big- or little-endian. */
struct made {
	uint8_t *p;
	size_t n, room;
	bool big;
	size_t block; /* where the open pcapng block begins */
};

void made_free(struct made *m); /* leaves an empty one of the same order */
void made_bytes(struct made *m, const void *p, size_t n);
void made_fill(struct made *m, size_t n, uint8_t with);
void made_u16(struct made *m, uint16_t v);
void made_u32(struct made *m, uint32_t v);
void made_u64(struct made *m, uint64_t v);
/* Overwrites a word. */
void made_set_u32(struct made *m, size_t at, uint32_t v);

/* Bytes anyone can predict: the k-th of packet |seed|. */
uint8_t made_byte(uint32_t seed, size_t k);
void made_payload(struct made *m, uint32_t seed, size_t n);

/* pcap: file header of version 2.4, record with the payload of |seed|. */
void made_pcap(struct made *m, uint32_t magic, uint32_t snaplen,
	       uint32_t network);
void made_record(struct made *m, uint32_t sec, uint32_t frac, uint32_t caplen,
		 uint32_t wirelen, uint32_t seed);

/* pcapng blocks.  end() writes both lengths. */
void made_begin(struct made *m, uint32_t type);
void made_end(struct made *m);
void made_option(struct made *m, uint16_t code, const void *value, size_t n);
void made_option_u32(struct made *m, uint16_t code, uint32_t v);
void made_option_u64(struct made *m, uint16_t code, uint64_t v);
void made_section(struct made *m);
/* |resolution| < 0: option left out.  |name| may be NULL. */
void made_interface(struct made *m, uint16_t linktype, uint32_t snaplen,
		    const char *name, int resolution);
void made_enhanced(struct made *m, uint32_t interface, uint64_t units,
		   uint32_t caplen, uint32_t wirelen, uint32_t seed);

/* Everything a capture gave. */
struct seen {
	struct frame frame; /* data points to a copy */
	uint8_t *data;
};
struct gathered {
	struct capture *capture; /* still open, for files and taps */
	struct err err;
	struct seen *v;
	size_t n;
	int last; /* what the last capture_next() returned */
};

struct gathered gather_bytes(const void *p, size_t n);
struct gathered gather_made(const struct made *m);
struct gathered gather_paths(const char *const *paths, size_t n,
			     const struct capture_options *options);
struct gathered gather_capture(struct capture *c, const struct err *err);
void gathered_free(struct gathered *g);

const struct capture_file *gathered_file(const struct gathered *g);

/* Asserts that frame |i| is whole and has the payload of |seed|. */
void assert_payload(const struct gathered *g, size_t i, uint32_t seed);

/* A file of its own in the folder for temporary files; static text. */
const char *made_path(const char *name);
void made_write(const struct made *m, const char *path);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * A file that is complete: the program's own pipeline goes through all of it
 * when its first packet is shown, and the answer to each frame is looked up.
 *
 * So the answers are those of the program, and the same in any pass.  Frames
 * are recognized by what is in them, not only by their number: Wireshark
 * numbers anew what a read filter leaves, and may read a corrupted file in
 * another way. */
#ifndef FABSCOPE_DISSECTORS_WHOLE_H
#define FABSCOPE_DISSECTORS_WHOLE_H

#include <stdbool.h>
#include <stdint.h>

struct store;

/* A frame as Wireshark shows it. */
struct sight {
	uint32_t number; /* Wireshark's */
	uint32_t caplen;
	const uint8_t *bytes;
	int64_t ns;
	bool first; /* it has not been shown before */
};

/* Tries; |first| is the first frame of the capture. */
bool whole_begin(const struct sight *first);

/* Its number in the file; 0: there is none like it. */
uint32_t whole_find(const struct sight *f);

/* The number that Wireshark gives a frame of the file; 0: none. */
uint32_t whole_number(uint64_t frame);

/* Before store_commit(). */
struct store *whole_store(void);
void whole_forget(void);

#endif

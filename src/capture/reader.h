/* SPDX-License-Identifier: GPL-2.0-or-later
 * A file format: turns what a window holds into frames.
 *
 * step() never reads.  It makes frames of whole records in the window and
 * otherwise says how many bytes it needs (|want|), so that its caller alone
 * decides when a buffer is recycled.
 *
 * A place where no record can be is the beginning of a lost stretch: step()
 * then looks byte by byte for the next record that is surely one. */
#ifndef FABSCOPE_CAPTURE_READER_H
#define FABSCOPE_CAPTURE_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/capture.h"
#include "capture/tap.h"
#include "capture/window.h"

struct reader;
struct reader_ops {
	/* Frames made, at most |max|; 0: see |want| and |done|; -1: no memory.
	 * Frames stay valid until the buffer is recycled. */
	int (*step)(struct reader *r, struct frame *out, int max);
	/* The time of the packet that step() would make next, if it is plain
	 * to see.  May be NULL. */
	bool (*peek)(const struct reader *r, int64_t *ns);
	/* All frames are handed out: totals of the file that it knows
	 * better.  May be NULL. */
	void (*end)(struct reader *r);
	void (*free)(struct reader *r);
};

/* The stretch being searched for the next record. */
struct lost {
	bool on;
	bool packet; /* it began with the header of a packet */
	uint64_t from;
	uint64_t stated_end; /* where its header says it ends, or 0 */
	const char *why;     /* static */
};

struct reader {
	const struct reader_ops *ops;
	struct window *window;
	struct capture_file *file;
	struct taps *taps;
	const char *tap_name; /* NAME of --tap NAME=FILE, or NULL */
	uint32_t file_index;
	uint64_t number; /* of the last packet */
	size_t want;     /* unread bytes needed; may be 0: step again */
	bool done;
	bool interleaved; /* several interfaces, each with its own order */
	struct lost lost;
};

/* What all readers of one input are given. */
struct reader_input {
	struct window *window;
	struct capture_file *file;
	struct taps *taps;
	const char *tap_name;
	uint32_t file_index;
};
void reader_init(struct reader *r, const struct reader_ops *ops,
		 const struct reader_input *in);

/* A tap's name when the file gives none; malloc()ed.  |interface| < 0: the
 * file has but one. */
char *reader_tap_name(const struct reader *r, long interface);

/* The bytes [from, to) could not be read as packets. */
void reader_damage(struct reader *r, uint64_t from, uint64_t to,
		   const char *why);

/* The record at the window's start cannot be one, or is too long to hand out.
 * |length| is what its header states, 0 when that is nonsense. */
void reader_lose(struct reader *r, uint64_t length, bool packet,
		 const char *why);

/* The search has ended at the window's start. */
void reader_found(struct reader *r);

/* The stream ended before the search found anything. */
void reader_lost_end(struct reader *r);

/* The stream ends inside the record that begins at |from|. */
void reader_cut(struct reader *r, uint64_t from, bool packet);

/* Widens the time span of the file by |ns|. */
static inline void reader_span(struct reader *r, int64_t ns, bool first)
{
	if (first || ns < r->file->first_ns)
		r->file->first_ns = ns;
	if (first || ns > r->file->last_ns)
		r->file->last_ns = ns;
}

enum { PCAP_HEADER = 24, PCAPNG_MAGIC = 12 };

/* NULL and |err| (without the file's name) when the window does not begin with
 * what the reader reads.  They consume the file header. */
struct reader *pcap_reader_new(const struct reader_input *in, struct err *err);
struct reader *pcapng_reader_new(const struct reader_input *in,
				 struct err *err);
struct reader *foreign_reader_new(const struct reader_input *in,
				  struct err *err);

/* Do the first bytes look like it?  |n| of at least 4. */
bool pcap_recognise(const uint8_t *p);
bool pcapng_recognise(const uint8_t *p);

#endif

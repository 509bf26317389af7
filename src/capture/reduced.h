/* SPDX-License-Identifier: GPL-2.0-or-later
 * A reduced capture: what an analysis needs of a capture file, and no more.
 *
 * It has the frames of one file in the batches in which capture.h hands them
 * out, without the bytes behind the headers, and all that becomes known of the
 * file and its taps.  So an analysis that reads it comes to the same result.
 * A frame that was cut has, right before its data, what its CRC was.
 *
 *	head | records, packed by zstd: taps, frames, totals of taps, the end
 *
 * It is written and read by one build of one program; anything else is
 * refused.  Numbers are in the byte order of the machine. */
#ifndef FABSCOPE_CAPTURE_REDUCED_H
#define FABSCOPE_CAPTURE_REDUCED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "capture/capture.h"
#include "capture/reader.h"

enum {
	REDUCED_TEXT = 48,
	/* A batch that is larger is handed out by no reader. */
	REDUCED_BATCH_MAX = 1 << 20,
};

struct reduced_head {
	uint64_t magic;
	uint64_t check;    /* of the rest */
	uint64_t plan;     /* of which it is a part */
	uint64_t content;  /* of the original, as the plan has it */
	uint32_t input;    /* number in the plan */
	uint32_t original; /* 1: nothing follows, the original is to be read */
	char program[REDUCED_TEXT]; /* who wrote it */
	char format[REDUCED_TEXT];  /* capture_file.format */
};

/* What the bytes that were cut off showed. */
struct reduced_crc {
	uint32_t icrc;
	uint8_t status;        /* of the frame, or 0 */
	uint8_t little_endian; /* 1: as UET may have it */
	uint8_t unused[2];
};

static inline struct reduced_crc reduced_crc_of(const struct frame *f)
{
	struct reduced_crc c;

	__builtin_memcpy(&c, f->data - sizeof c, sizeof c);
	return c;
}

/* ---- writing ---- */

struct reduced_writer;

/* What |h->check| has to be. */
uint64_t reduced_check(const struct reduced_head *h);
bool reduced_head_good(const struct reduced_head *h);

/* NULL and |err|. */
struct reduced_writer *reduced_begin(const char *path, struct err *err);
/* The next tap of the file to begin. */
void reduced_tap(struct reduced_writer *w, const struct capture_tap *t);
/* |f| with |f->caplen| bytes; |tap|: ordinal; |last| of its batch.  |crc|: it
 * was cut. */
void reduced_frame(struct reduced_writer *w, const struct frame *f,
		   uint32_t tap, bool last, const struct reduced_crc *crc);
/* All that |c|, the only file of which was read, knows in the end. */
void reduced_totals(struct reduced_writer *w, const struct capture *c);
/* Gives it its name; |head| without the magic.  -1 and |err|. */
int reduced_commit(struct reduced_writer *w, const struct reduced_head *head,
		   struct err *err);
void reduced_free(struct reduced_writer *w);

/* ---- reading ---- */

/* -1 and |err|: there is none. */
int reduced_read_head(const char *path, struct reduced_head *h,
		      struct err *err);

/* |in->window| begins with the records. */
struct reader *reduced_reader_new(const struct reader_input *in,
				  const struct reduced_head *h,
				  struct err *err);

/* ---- records ---- */

enum reduced_kind {
	REDUCED_TAP = 1,
	REDUCED_FRAME,
	REDUCED_TAP_TOTALS,
	REDUCED_END,
	REDUCED_DAMAGE, /* behind the end, one each */
};

#define REDUCED_MAGIC UINT64_C(0x3270616873626166) /* "fabshap2" */

struct reduced_record {
	uint32_t size; /* of all of it, a multiple of 8 */
	uint8_t kind;
	uint8_t last;  /* FRAME: of its batch; DAMAGE: of all records */
	uint16_t text; /* bytes of the text behind it */
};

struct reduced_frame_record {
	struct reduced_record r;
	int64_t ns;
	uint64_t number;
	uint32_t caplen, wirelen, tap, drops;
	uint16_t linktype;
	uint8_t fcs_len, flags, unused[4];
	struct reduced_crc crc; /* the last before the data */
};

struct reduced_tap_record {
	struct reduced_record r;
	uint64_t speed_bps, packets, regressions, received, dropped;
	int64_t first_ns, last_ns, back_from, back_to;
	uint32_t interface, snaplen;
	uint32_t linktype, tap;
};

struct reduced_end_record {
	struct reduced_record r;
	uint64_t packets, filtered, bytes, skipped, damage_count, clamped_times;
	int64_t first_ns, last_ns;
	uint64_t cut;
};

struct reduced_damage_record {
	struct reduced_record r;
	uint64_t from, to;
};

#endif

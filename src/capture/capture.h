/* SPDX-License-Identifier: GPL-2.0-or-later
 * Packets in time order from any number of capture files or pipes.
 *
 * Knows frames, taps and time stamps; nothing of protocols.  Formats: pcap
 * (all magics), pcapng, gzip/zstd/lz4 of those, and through libpcap whatever
 * else libpcap reads.  Corrupted input is skipped, resynchronized and accounted
 * for; only a file that cannot be opened or recognized at all is an error. */
#ifndef FABSCOPE_CAPTURE_CAPTURE_H
#define FABSCOPE_CAPTURE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum frame_flag {
	FRAME_NO_TIME = 1 << 0, /* simple packet block: time of its neighbour */
	FRAME_REGRESSED = 1 << 1, /* earlier than its predecessor on this tap */
	FRAME_IN = 1 << 2,        /* direction as the file says it */
	FRAME_OUT = 1 << 3,
	/* caplen > wirelen (which is raised to it) or > snaplen (left alone) */
	FRAME_BAD_LENGTH = 1 << 4,
	FRAME_LINK_ERROR = 1 << 5, /* epb_flags report a CRC or symbol error */
	FRAME_CORRECTED = 1 << 6,  /* its time is not that of the file */
	FRAME_REDUCED = 1 << 7,    /* cut by us: see reduced.h */
};

/* One captured frame.  |data| is valid until the next capture_next(). */
struct frame {
	int64_t ns; /* since the epoch, UTC */
	const uint8_t *data;
	uint64_t number;   /* 1-based in its file, as Wireshark counts */
	uint32_t caplen;   /* bytes at |data| */
	uint32_t wirelen;  /* bytes on the wire, >= caplen */
	uint32_t tap;      /* index for capture_tap() */
	uint32_t drops;    /* lost just before this one (pcapng dropcount) */
	uint16_t linktype; /* LINKTYPE_*, 16 bit */
	uint8_t fcs_len;   /* bytes of FCS inside data, 0 none or unknown */
	uint8_t flags;     /* enum frame_flag */
};

/* No link is faster: an interface that says so does not know its speed. */
#define CAPTURE_SPEED_MAX UINT64_C(1000000000000000)

static inline uint64_t capture_speed(uint64_t bps)
{
	return bps <= CAPTURE_SPEED_MAX ? bps : 0;
}

/* What one capture point is: a pcapng interface, or a whole pcap file.  It
 * begins with its first packet or statistics; when it has a name and others
 * have packets, at the latest at the end of its file.  Sections of one file
 * that name an interface alike mean the same place.  Behind the first 65536 one
 * more tap, "(further interfaces)", stands for all others. */
struct capture_tap {
	char *name;         /* never NULL: NAME=, if_name, or made up */
	uint32_t file;      /* index for capture_file() */
	uint32_t interface; /* number in its section, 0 for pcap */
	uint64_t speed_bps; /* 0 unknown */
	uint32_t snaplen;   /* 0 unknown or unlimited */
	uint16_t linktype;
	uint64_t packets;
	uint64_t regressions;       /* times that went back */
	int64_t back_from, back_to; /* the longest of them; equal: none */
	uint64_t received; /* interface statistics, UINT64_MAX unknown */
	/* statistics or the sum of drop counts, whichever is more; UINT64_MAX
	 * not reported */
	uint64_t dropped;
	int64_t first_ns, last_ns;
	int64_t stamp_step; /* capture_tap_step(), as run.c sets it; else 0 */
};

/* A stretch of a file that could not be read as packets. */
struct capture_damage {
	uint64_t from, to; /* bytes in the (decompressed) file, half open */
	const char *why;   /* static text */
};

enum { CAPTURE_DAMAGE_KEPT = 64 }; /* ranges kept; more are only counted */

struct capture_file {
	char *path;         /* "-" for standard input */
	const char *format; /* "pcap", "pcapng", "pcap.gz", "libpcap: ..." */
	uint64_t packets;   /* delivered (after the filter) */
	uint64_t filtered;  /* read, but refused by the BPF filter */
	uint64_t bytes;     /* of the file as read, decompressed */
	uint64_t skipped;   /* packets that were there but not deliverable */
	int64_t first_ns, last_ns;
	uint64_t damage_count;
	struct capture_damage damage[CAPTURE_DAMAGE_KEPT];
	bool ended;             /* there is no more of it to come */
	uint64_t cut;           /* of the damage, where the end is missing */
	uint64_t clamped_times; /* outside what int64 nanoseconds can say */
	bool broken; /* reduced, and not whole: nothing of it is right */
};

struct capture_input {
	const char *path; /* "-" is standard input */
	const char *tap;  /* NAME of --tap NAME=FILE, or NULL */
	const char *kept; /* what is read in its place, or NULL */
	bool reduced;     /* |kept| is a reduced capture of it */
};

/* How a tap's clock is known to go wrong: from |from_frame| on, until the next
 * of the same tap, |offset_ns| + |drift| * (time - |at_ns|) is taken off. */
struct capture_shift {
	uint32_t file;    /* index of the input */
	uint32_t ordinal; /* 0: the first tap of that file to begin, ... */
	uint64_t from_frame;
	int64_t at_ns, offset_ns;
	double drift; /* ns a second */
};

struct capture_options {
	const char *filter; /* BPF expression, NULL for none */
	/* In order of file, ordinal, frame; borrowed until capture_free().
	 * Frames come with corrected times and are merged by them; the times of
	 * capture_tap and capture_file stay those of the files. */
	const struct capture_shift *shifts;
	size_t n_shifts;
	/* So many inputs are read and unpacked ahead, each by a thread of its
	 * own.  What comes out is the same for any number. */
	unsigned ahead;
	/* As if it was one of so many inputs, which share the memory; 0. */
	size_t one_of;
};

struct capture;

/* Opens |n| inputs.  NULL and |err| when one cannot be opened or is not a
 * capture at all.  An input may be empty of packets; that is no error. */
struct capture *capture_open(const struct capture_input *inputs, size_t n,
			     const struct capture_options *options,
			     struct err *err);

/* The same of one capture that is in memory; borrows it until capture_free().
 * Its path is "memory". */
struct capture *capture_open_bytes(const void *bytes, size_t n,
				   const struct capture_options *options,
				   struct err *err);

/* Bytes of the files to be read; 0 where one is no regular file. */
uint64_t capture_bytes(const struct capture_input *inputs, size_t n);

/* Hands out the next frames in time order: |*frames| points at an array of
 * the returned length, valid with all its data until the next call.  Frames of
 * one tap keep the order of the file even where time goes back; the interfaces
 * of one file are put in order within some 4 MiB of it, but nothing is held
 * back while a pipe is quiet; files are merged whole.  0 at the end of all
 * inputs.  Damage is not an error, and where the system cannot read on, that
 * input ends as if it had been cut; -1 and |err| only without memory. */
int capture_next(struct capture *c, const struct frame **frames,
		 struct err *err);

/* Counts grow while reading; entries stay at their index for ever, pointers
 * into them only until the next capture_next(). */
size_t capture_taps(const struct capture *c);
/* Which one of its file it was to begin: 0, 1, ... */
uint32_t capture_tap_ordinal(const struct capture *c, size_t i);
const struct capture_tap *capture_tap(const struct capture *c, size_t i);

/* By how much a stamp of it follows the one before while packets come, where
 * most share one with others; 0: they do not. */
int64_t capture_tap_step(const struct capture *c, size_t i);
size_t capture_files(const struct capture *c);
const struct capture_file *capture_file(const struct capture *c, size_t i);

void capture_free(struct capture *c); /* NULL is fine */

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * A flow packet by packet, gathered in as many columns of time as a picture
 * has: what tcptrace draws as time-sequence graph, bytes in flight, throughput
 * and the delay to the ACK.  Memory does not grow with the packets. */
#ifndef FABSCOPE_VIEWS_SEQUENCE_H
#define FABSCOPE_VIEWS_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct packet;

enum {
	SEQUENCE_COLUMNS = 1100,
	SEQUENCE_RUNS = 12, /* apart from each other, of a series in a column */
	SEQUENCE_BINS = 220, /* of throughput: columns of five */
};

/* What is gathered.  Numbers are PSNs counted on from the first one, so that
 * they do not begin anew at the end of their space. */
enum sequence_series {
	SERIES_SENT,           /* higher than all before */
	SERIES_AGAIN,          /* a PSN that was here before */
	SERIES_LATE,           /* lower than one before, and not here before */
	SERIES_ACKED,          /* highest acknowledged, cumulative */
	SERIES_SACKED,         /* UET: acknowledged by name beyond that */
	SERIES_NAK,            /* PSN of a NAK, an RNR NAK or a NACK */
	SERIES_RESPONSE,       /* READ and ATOMIC responses: PSNs of the peer */
	SERIES_RESPONSE_AGAIN, /* responses not higher than all before */
	SERIES_FLIGHT,         /* payload bytes sent and not acknowledged */
	SERIES_DELAY,          /* ns from a packet to the ACK that covers it */
	SERIES_CREDIT,         /* RoCE: messages an ACK has credits for */
	SERIES_GRANTED,        /* UET: credit granted since the first grant */
	SERIES_CE,             /* marked packets; number 0 */
	SERIES_CNP,            /* CNPs to the sender; number 0 */
	SERIES_LOST,           /* by the analysis; likewise below */
	SERIES_REORDERED,
	SERIES_TRIMMED,
	SERIES_KINDS
};

/* Both ends included, low <= high. */
struct sequence_run {
	int64_t low, high;
};

struct sequence_cell {
	struct sequence_run runs[SEQUENCE_RUNS + 1]; /* ascending */
	unsigned n;
	int64_t last; /* of the times in it */
};

struct sequence;

/* Packets from |from_ns| to |to_ns| become columns; those before it are
 * followed all the same.  |bits| has a PSN; |pmtu| in bytes, 0: unknown.
 * NULL: no memory. */
struct sequence *sequence_new(int64_t from_ns, int64_t to_ns, unsigned bits,
			      uint32_t pmtu);
void sequence_free(struct sequence *s);

/* The next packet in order of time: of the flow itself, or of its peer. */
void sequence_packet(struct sequence *s, const struct packet *p, bool reverse);

/* Something that begins with |psn| at |ns|; after the last packet. */
void sequence_mark(struct sequence *s, enum sequence_series series, int64_t ns,
		   uint32_t psn);

const struct sequence_cell *sequence_cell(const struct sequence *s,
					  enum sequence_series series,
					  size_t column);
/* The range of |series|; false: it is empty. */
bool sequence_range(const struct sequence *s, enum sequence_series series,
		    struct sequence_run *range);
uint64_t sequence_count(const struct sequence *s, enum sequence_series series);
int64_t sequence_rate(const struct sequence *s, size_t bin); /* wire, bit/s */
int64_t sequence_bin_ns(const struct sequence *s); /* length of a bin */
/* The PSN that number 0 is: of requests, or of responses.  -1: none. */
int64_t sequence_base(const struct sequence *s, bool responses);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a job wrote of its collectives, by the clocks of its hosts.
 *
 * Two forms, known by their content:
 *   - NCCL Inspector (RCCL has it, too): JSON objects, one an operation and
 *     rank, in lines, in an array or one after the other (NCCL,
 *     plugins/profiler/inspector: README and output of versions up to v4.0);
 *   - PyTorch Flight Recorder: one object a rank with an array "entries", as
 *     JSON or as the pickle that dumps are (PyTorch,
 *     torch/csrc/distributed/c10d/FlightRecorder*, versions 2.x).
 * Members that are not known are counted, members that are missing are
 * unknown: other versions can be read as far as they say the same.
 *
 * Such files are not trusted.  A document may have DOCUMENT_MAX bytes and
 * TOKENS_MAX values; what is no JSON or too large is skipped and counted. */
#ifndef FABSCOPE_JOBLOG_JOBLOG_H
#define FABSCOPE_JOBLOG_JOBLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define JOBLOG_UNKNOWN INT64_MIN

enum { JOBLOG_TEXT = 64, JOBLOG_STREAMS_MAX = 4096, JOBLOG_OPS_MAX = 1000000 };

/* The operations of one rank of one communicator in one file. */
struct joblog_stream {
	char *path;                /* as it was given */
	const char *format;        /* "nccl-inspector", "flight-recorder" */
	char version[JOBLOG_TEXT]; /* of the format; "" not said */
	char host[JOBLOG_TEXT];    /* "" not said */
	char address[JOBLOG_TEXT]; /* given with the file; "" not */
	char communicator[JOBLOG_TEXT];
	char name[JOBLOG_TEXT]; /* of the communicator; "" none */
	int64_t rank, ranks;    /* JOBLOG_UNKNOWN when not said */
	uint64_t ops;           /* in the table below */
	uint64_t skipped;       /* records of the file that could not be used */
	uint64_t unknown;       /* members nobody knows */
	uint64_t dropped;       /* beyond JOBLOG_OPS_MAX */
};

/* One operation.  Times by the host's clock, JOBLOG_UNKNOWN when not said. */
struct joblog_op {
	uint32_t stream;
	char op[24];      /* AllReduce AllGather ReduceScatter ..., as called */
	char state[12];   /* completed started scheduled */
	int64_t seq;      /* counts on all ranks alike */
	int64_t bytes;    /* message size, as the form counts it */
	int64_t begin_ns; /* it began not before this */
	int64_t end_ns;   /* it ended not after this */
	int64_t exec_ns;  /* length, by the device if that is known */
	int64_t busbw_bps; /* as reported */
};

struct joblog {
	struct joblog_stream *streams;
	size_t n_streams, streams_room;
	struct joblog_op *ops; /* stream by stream as they were read */
	size_t n_ops, room;
	bool part; /* something was skipped */
};

struct joblog *joblog_new(void);    /* NULL without memory */
void joblog_free(struct joblog *j); /* NULL is fine */

/* Adds what is in |path|, a file, or a folder whose files are read in order of
 * name.  |address|: of the host, or NULL.  -1 and |err|: it cannot be read, or
 * holds nothing of a known form. */
int joblog_read(struct joblog *j, const char *path, const char *address,
		struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the job itself would have written down of its collectives. */
#ifndef FABSCOPE_SIMULATE_RECORD_H
#define FABSCOPE_SIMULATE_RECORD_H

struct err;
struct sim;

/* Two files a rank of each job: STEM.JOB.rankN.inspector.jsonl as the NCCL
 * Inspector writes them, STEM.JOB.rankN.flight.json as PyTorch's Flight
 * Recorder does; times by the clock of the rank's host.  0, or -1 and |err|. */
int records_write(struct sim *s, const char *stem, struct err *err);

#endif

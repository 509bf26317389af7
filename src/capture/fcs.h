/* SPDX-License-Identifier: GPL-2.0-or-later
 * Do captured frames end in their FCS, when the file does not say?
 *
 * The CRC over a whole Ethernet frame and its FCS is a constant: one frame in
 * 2^32 has it by chance.  The first whole frames of a tap decide. */
#ifndef FABSCOPE_CAPTURE_FCS_H
#define FABSCOPE_CAPTURE_FCS_H

#include "capture/capture.h"
#include "capture/tap.h"

/* Sets fcs_len of frames of taps that are known to keep the FCS, and goes on
 * finding out about the others.  To be called while |t->fcs_open|. */
void fcs_mark(struct taps *t, struct frame *frames, int n);

#endif

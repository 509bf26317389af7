/* SPDX-License-Identifier: GPL-2.0-or-later
 * What is not to be had as a complete file, as a live capture or a pipe: the
 * engine is fed frame by frame, as Wireshark reads them.
 *
 * Then what only later frames tell is not known in the first pass. */
#ifndef FABSCOPE_DISSECTORS_FOLLOW_H
#define FABSCOPE_DISSECTORS_FOLLOW_H

#include "decode/packet.h"
#include "dissectors/compat.h"

struct store;

/* Once for each frame, in their order. */
void follow_frame(packet_info *pinfo, struct packet *p,
		  const struct decode_input *in);

/* There are no more. */
void follow_finish(void);
bool follow_finished(void);

/* NULL when there is none, with a sentence in |*why|. */
struct store *follow_store(const char **why);
void follow_forget(void);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The engine and the capture that is open.
 *
 * A complete file is analyzed as a whole when its first frame is shown
 * (whole.h); anything else as it is read (follow.h).  Either way the answers
 * are kept, and looked up whenever a frame is shown again. */
#ifndef FABSCOPE_DISSECTORS_SESSION_H
#define FABSCOPE_DISSECTORS_SESSION_H

#include "decode/packet.h"
#include "dissectors/compat.h"
#include "dissectors/known.h"

struct store;

/* Called once, when the dissectors register. */
void session_register(void);

/* The frame |tvb| as src/decode wants it.  False when it is none. */
bool session_input(tvbuff_t *tvb, packet_info *pinfo, struct decode_input *in);

/* The frame |tvb| decoded, once per dissection; NULL when it is none. */
const struct packet *session_packet(tvbuff_t *tvb, packet_info *pinfo);

/* Are there telemetry headers in the frame that |tvb| is part of? */
bool session_has_shim(tvbuff_t *tvb, packet_info *pinfo);

enum session_basis {
	SESSION_SURE,
	/* The first of a capture that is analyzed as it is read. */
	SESSION_AS_READ,
	/* It is not in the file as the program reads it. */
	SESSION_OTHERWISE,
};

/* What is known of the frame.  NULL when there is nothing to say about it. */
const struct judged *session_frame(tvbuff_t *tvb, packet_info *pinfo,
				   enum session_basis *basis);

/* The number that Wireshark gives the frame that facts call |frame|; 0: none
 * (yet). */
uint32_t session_number(uint64_t frame);

/* The results as a database to ask, once the last frame has been read: ends the
 * analysis.  NULL when there is none, with a sentence in |*why|. */
struct store *session_store(const char **why);

/* Is there all that there will be? */
bool session_finished(void);

#endif

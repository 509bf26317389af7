/* SPDX-License-Identifier: GPL-2.0-or-later
 * The engine, run over the frames of the capture file that is open.
 *
 * Each frame is fed once, in the first, sequential pass.  What the engine says
 * is kept per frame, in memory that Wireshark frees with the file, and looked
 * up whenever a frame is shown again. */
#ifndef FABSCOPE_DISSECTORS_SESSION_H
#define FABSCOPE_DISSECTORS_SESSION_H

#include "decode/packet.h"
#include "dissectors/compat.h"
#include "flow/fact.h"

struct store;

/* An event, told of one frame when another was looked at. */
struct told {
	struct fact_event event;
	uint32_t decided; /* the frame that decided it; 0: the end did */
	const struct told *next_of_frame; /* about the same frame */
	const struct told *next_decided;  /* decided by the same frame */
};

/* What is known of a frame; all in Wireshark's file scope. */
struct judged {
	struct fact_note note;      /* frame 0: it is of no flow */
	const struct told *events;  /* about it */
	const struct told *decides; /* it decided, about earlier ones */
	/* Its congestion signalling tag. */
	uint32_t csig_value;
	uint16_t csig_locator;
	uint8_t csig_signal;
	bool has_csig;
	/* Of a CNP: the last packet that was marked, of the flow that is to
	 * slow down; 0 none was seen. */
	uint32_t marked;
	int64_t marked_ns;
	const struct fact_cnp *cnp;     /* what became of it, once known */
	const struct fact_stall *stall; /* it ended this */
};

/* What is known of the frame that |j| is about; NULL none. */
const struct judged *session_about(const struct judged *j);

/* Called once, when the dissectors register. */
void session_register(void);

/* The frame |tvb| as src/decode wants it.  False when it is none. */
bool session_input(tvbuff_t *tvb, packet_info *pinfo, struct decode_input *in);

/* The frame |tvb| decoded, once per dissection; NULL when it is none. */
const struct packet *session_packet(tvbuff_t *tvb, packet_info *pinfo);

/* Are there telemetry headers in the frame that |tvb| is part of? */
bool session_has_shim(tvbuff_t *tvb, packet_info *pinfo);

/* Feeds the frame if it comes for the first time.  NULL when there is nothing
 * to say about it. */
const struct judged *session_frame(tvbuff_t *tvb, packet_info *pinfo);

/* Who talks to whom: numbers of queue pairs, or ids of packet delivery
 * contexts; ENDS_UNKNOWN where it is, or not known yet. */
#define ENDS_UNKNOWN UINT32_MAX
struct ends {
	uint32_t from, to;
};
struct ends session_ends(const struct judged *j, const struct packet *p);

/* The results as a database to ask, once the last frame has been fed: ends the
 * analysis.  NULL when there is none, with a sentence in |*why|. */
struct store *session_store(const char **why);

/* Has the last frame been fed? */
bool session_finished(void);

#endif

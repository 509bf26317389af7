/* SPDX-License-Identifier: GPL-2.0-or-later
 * What is known of each frame of the open capture, by its number in the file.
 *
 * Reported by the engine while it follows the packets: of the whole file at
 * once (whole.c), or as Wireshark reads (follow.c).  All in memory that
 * Wireshark frees with the file. */
#ifndef FABSCOPE_DISSECTORS_KNOWN_H
#define FABSCOPE_DISSECTORS_KNOWN_H

#include "decode/packet.h"
#include "dissectors/compat.h"
#include "flow/core/fact.h"

/* An event about one frame, found when another was looked at. */
struct known_event {
	struct fact_event event;
	uint32_t decided; /* the frame that decided it; 0: the end did */
	const struct known_event *next_of_frame; /* about the same frame */
	const struct known_event *next_decided;  /* decided by the same frame */
};

struct judged {
	uint32_t frame;                    /* that it is about */
	struct fact_note note;             /* frame 0: it is of no flow */
	const struct known_event *events;  /* about it */
	const struct known_event *decides; /* it decided, about earlier ones */
	/* Its congestion signaling tag. */
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
	/* It is the original, the NAK or the retransmission of this. */
	const struct fact_recovery *recovery;
};

/* Who talks to whom: numbers of queue pairs, or ids of packet delivery
 * contexts; ENDS_UNKNOWN where it is, or not known yet. */
#define ENDS_UNKNOWN UINT32_MAX
struct ends {
	uint32_t from, to;
};

/* Puts itself before the rows of a store. */
void known_listen(struct flow_sink *sink);

/* The packet of |frame| is followed next; and was. */
void known_before(uint32_t frame);
void known_after(const struct packet *p);

/* No packet decides what is reported from now on. */
void known_end(void);

/* NULL: nothing. */
const struct judged *known_of(uint32_t frame);
struct ends known_ends(const struct judged *j, const struct packet *p);
/* "ROD", "RUD"; NULL: no request of the context was seen. */
const char *known_mode(const struct judged *j);

/* Nothing is known any more: of that frame, of any. */
void known_forget_frame(uint32_t frame);
void known_forget(void);

/* |old|, or a longer copy of it, with element |need|; new ones are 0. */
void *known_grown(void *old, uint32_t *room, uint32_t need, size_t each);

#endif

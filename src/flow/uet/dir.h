/* SPDX-License-Identifier: GPL-2.0-or-later
 * The part of a direction of Ultra Ethernet that every packet asks for, or that
 * one which only answers needs as well: it lies in struct flow, where RoCE has
 * the message being sent.  The rest is in uet.h. */
#ifndef FABSCOPE_FLOW_UET_DIR_H
#define FABSCOPE_FLOW_UET_DIR_H

#include <stdbool.h>
#include <stdint.h>

#include "flow/core/seen.h"

struct uet_sender;

struct uet_dir {
	struct seen seen;
	/* What the packets of a steady context have in common. */
	union {
		struct {
			uint32_t job;
			uint16_t dpdcid;
			uint8_t state; /* enum pdc_state */
			bool job_known;
		};
		uint64_t context; /* all four */
	};
	struct uet_sender *sender; /* NULL: it only answered so far */
	/* The newest message while it goes on, packet by packet, as
	 * uet_messages() will report them: it need not be in memory. */
	uint32_t run_next; /* PSN */
	uint32_t run_have, run_length;
	uint16_t run_id;
	bool begun : 1;
	bool answered : 1, una_valid : 1, start_known : 1;
	bool initiator : 1, target : 1;
	bool acked_holes : 1; /* sender->pend_* are valid */
	bool pending : 1;     /* sender->recovery has something open */
	bool sacked : 1, close_sent : 1, was_paired : 1, sought : 1;
	bool numbered : 1; /* one that was no copy has passed */
	/* What sender->sack means: all that a probe asked about; no SACK, but
	 * what answers named while CACK was held back. */
	bool probed : 1, by_name : 1;
	bool running : 1; /* run_* are valid */
};

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * What only Ultra Ethernet has, as plain rows: see fact.h. */
#ifndef FABSCOPE_FLOW_CORE_FACT_UET_H
#define FABSCOPE_FLOW_CORE_FACT_UET_H

/* UET: one direction of a packet delivery context in one epoch, beside its
 * fact_flow.  What is not ruled out is FACT_UNKNOWN at first. */
enum pdc_state {
	PDC_UNKNOWN,
	PDC_SYN_SENT,
	PDC_ESTABLISHED,
	PDC_QUIESCING,  /* the target asked for the close */
	PDC_CLOSE_WAIT, /* CLOSE was sent */
	PDC_CLOSED,
	PDC_ERROR,
	PDC_STATES
};

enum pdc_role { PDC_ROLE_UNKNOWN, PDC_INITIATOR, PDC_TARGET };

/* UET: refusals of one direction's packets, by code. */
enum { NACK_CODES_KEPT = 32 };

#endif

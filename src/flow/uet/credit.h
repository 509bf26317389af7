/* SPDX-License-Identifier: GPL-2.0-or-later
 * Credit of an Ultra Ethernet sender, and how long it had to wait for it. */
#ifndef FABSCOPE_FLOW_UET_CREDIT_H
#define FABSCOPE_FLOW_UET_CREDIT_H

#include "flow/uet/uet.h"

enum { CREDIT_SAMPLES = 16 };

/* What happened during some grants, in bytes. */
struct credit_window {
	int64_t low, high; /* the least surplus, and the greatest */
	int64_t step;      /* the largest grant; 0 none */
};

struct uet_credit {
	struct uet_counter granted, wanted;
	uint32_t first_granted, first_wanted; /* their first values */
	uint32_t backlog_max;                 /* raw */
	uint32_t waits, requests;
	int64_t wait_ns;
	int64_t relieved_ns; /* the last grant that came late; 0 none */
	int64_t wanted_ns;   /* since when it was waited for */

	/* of data packets */
	int64_t data_ns;                 /* the last one's time; 0 none */
	bool broken;                     /* numbers are missing behind it */
	uint64_t payload, wire;          /* bytes up to it */
	uint64_t payload_first;          /* bytes up to the first grant */
	int64_t payload_most;            /* of one */
	uint32_t sample[CREDIT_SAMPLES]; /* ns a byte, a ring */
	uint32_t samples;                /* ever */
	uint32_t spacing;                /* ns a byte, usual; 0 unknown */
	uint32_t open_most;              /* packets not answered, at most */
	bool fine;     /* a time is no multiple of a microsecond */
	bool supplied; /* it had credit left behind the last one */

	/* of credit, in bytes as far as the unit is known */
	int64_t surplus; /* granted and not sent, from anywhere on */
	struct credit_window now, before;
	uint8_t grants; /* of |now| */
	uint8_t unit;   /* bytes of a credit: 1 << unit */
	bool asked;     /* for more than was granted: at |asked_ns| for ... */
	uint32_t asked_for;
	bool asked_now; /* nothing of that was asked for before |asked_ns| */
	int64_t asked_ns;

	/* since the last data packet */
	int64_t dry_ns;    /* without credit since then; 0: it is not */
	int64_t dried_ns;  /* how long it was */
	int64_t dry_until; /* and until when */
	int64_t owed_ns;   /* packets came closer than is usual */
};

void uet_credit_init(struct uet_credit *c);
/* Asked for and not granted, raw; 0 unknown. */
uint32_t uet_credit_backlog(const struct uet_credit *c);
/* The counter has gone on by |step|. */
void uet_credit_granted(struct uet_credit *c, const struct flow *f,
			uint32_t step, int64_t ns);
/* The counter has gone on; |open| packets are not answered, as far as it may be
 * these that hold the sender up. */
void uet_credit_wanted(struct uet_credit *c, const struct flow *f,
		       uint32_t open, int64_t ns);
/* A data packet of |f|, which counts it already.  Returns how long it must have
 * waited for credit, and until when. */
int64_t uet_credit_data(struct uet_credit *c, const struct flow *f,
			uint32_t psn, int64_t ns, int64_t *until);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Connection management: REQ, REP, RTU; DREQ, DREP. */
#ifndef FABSCOPE_SIMULATE_CM_H
#define FABSCOPE_SIMULATE_CM_H

struct pkt;
struct qp;
struct sim;

void cm_connect(struct sim *s, struct qp *q);
void cm_disconnect(struct sim *s, struct qp *q);
void cm_take(struct sim *s, struct qp *q, const struct pkt *p);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * What is not of the fabric transports, besides pauses: what ports advertise
 * (LLDP), the credits of UEC's credit-based flow control, and storage over TCP.
 * Internal to flow. */
#ifndef FABSCOPE_FLOW_LINK_CONTROL_H
#define FABSCOPE_FLOW_LINK_CONTROL_H

#include <stdint.h>

struct engine;
struct flow;
struct packet;

/* lldp.c */
void lldp_packet(struct engine *e, const struct packet *p);
void lldp_finish(struct engine *e);
void lldp_fini(struct engine *e);

/* credit.c */
void credit_packet(struct engine *e, const struct packet *p);
void credit_finish(struct engine *e);
void credit_fini(struct engine *e);

/* nvme_tcp.c */
void nvme_tcp_packet(struct engine *e, const struct packet *p);
void nvme_tcp_finish(struct engine *e);
void nvme_tcp_fini(struct engine *e);

/* The channel of the sender with |mac| that used no credits during most of
 * |from|..|to|, and how long of it; -1: none, as far as can be seen. */
int credit_standstill(const struct engine *e, uint32_t tap, uint64_t mac,
		      uint8_t priority, int64_t from, int64_t to,
		      int64_t *still_ns);

#endif

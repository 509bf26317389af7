/* SPDX-License-Identifier: GPL-2.0-or-later
 * What switches said in packets, summed up by place, flow and hop. */
#ifndef FABSCOPE_FLOW_TELEMETRY_PATH_H
#define FABSCOPE_FLOW_TELEMETRY_PATH_H

#include <stdint.h>

#include "decode/packet.h"

struct engine;
struct flow;
struct fact_event;

/* A packet of |f| with PACKET_STACK or PACKET_CSIG. */
void path_packet(struct engine *e, const struct flow *f,
		 const struct packet *p);

/* Joins with what the same packets carried; only with e->paths.  outcome.c */

/* Something happened to packets of |f|. */
void path_event(struct engine *e, const struct flow *f,
		const struct fact_event *ev);
/* It may have: the verdict waits, what they carried is to be kept. */
void path_wait(struct engine *e, const struct flow *f,
	       const struct fact_event *ev);
/* Packet |psn| was answered |took| after it had been seen here. */
void path_answered(struct engine *e, const struct flow *f, uint32_t psn,
		   int64_t took);

/* What was carried before |before| is not reported by time any more. */
void path_forget(struct engine *e, int64_t before);
void path_finish(struct engine *e); /* hands out hops, paths, csig */
void path_fini(struct engine *e);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * UEC credit-based flow control.
 *
 * A frame takes credits (cells of buffer at the other end) when it is sent;
 * they come back when it has left that buffer, as control ordered sets that
 * no capture shows.  Every period the sender says in a CC_Update how many it
 * has used, so that the receiver notices frames that never came. */
#include "simulate/cbfc.h"

#include <string.h>

#include "simulate/blame.h"
#include "simulate/frame.h"
#include "simulate/mem.h"
#include "simulate/port.h"
#include "simulate/truth.h"
#include "simulate/world.h"

enum {
	FCS = 4,
	CHANNELS = 16, /* in one CC_Update */
	COUNTER = 20,  /* bits */
	AT_OPCODE = 14,
	AT_COUNTERS = 20,
	LENGTH = 60,
};

static uint32_t cells(const struct cbfc *c, uint32_t bytes)
{
	return (bytes + FCS + c->cell - 1) / c->cell;
}

static void update(struct sim *s, void *object, uint64_t argument)
{
	struct port *port = object;
	struct pkt *p = pkt_new(&s->pool);

	p->class = PKT_PAUSE;
	p->bytes = LENGTH;
	p->prio = 7;
	p->credits = mem_new(sizeof port->cbfc->consumed);
	memcpy(p->credits, port->cbfc->consumed, sizeof port->cbfc->consumed);
	port_send(s, port, p);
	sim_after(s, port->cbfc->period, update, port, argument);
}

void cbfc_start(struct sim *s, struct port *port, uint32_t limit, uint32_t cell,
		int64_t period)
{
	port->cbfc = mem_new(sizeof *port->cbfc);
	port->cbfc->limit = limit;
	port->cbfc->cell = cell;
	port->cbfc->period = period;
	events_add(&s->events, period, update, port, 0);
}

bool cbfc_room(struct sim *s, struct port *port, unsigned prio, uint32_t bytes,
	       bool waiting)
{
	const struct cbfc *c = port->cbfc;
	struct silence **starved = &port->truth->silence[prio];

	if (c->consumed[prio] - c->freed[prio] + cells(c, bytes) <= c->limit)
		return true;
	if (waiting && !*starved)
		*starved = truth_silence(s, port, (uint8_t)prio, NULL);
	return false;
}

void cbfc_sent(struct port *port, const struct pkt *p)
{
	port->cbfc->consumed[p->prio] += cells(port->cbfc, p->bytes);
}

static void give(struct sim *s, struct port *port, unsigned prio)
{
	struct silence *starved = port->truth->silence[prio];

	if (starved) {
		blame_victims(s, port, prio);
		starved->to = s->now;
		port->truth->silence[prio] = NULL;
	}
	port_kick(s, port);
}

static void arrive(struct sim *s, void *object, uint64_t argument)
{
	struct port *port = object;
	unsigned prio = argument & 7;

	port->cbfc->freed[prio] += (uint32_t)(argument >> 3);
	give(s, port, prio);
}

void cbfc_freed(struct sim *s, struct port *port, unsigned prio, uint32_t bytes)
{
	sim_after(s, port->delay, arrive, port,
		  (uint64_t)cells(port->cbfc, bytes) << 3 | prio);
}

void cbfc_lost(struct port *port, const struct pkt *p)
{
	port->cbfc->forgotten[p->prio] += cells(port->cbfc, p->bytes);
}

void cbfc_updated(struct sim *s, struct port *port)
{
	for (unsigned i = 0; i < PRIORITIES; i++) {
		uint32_t n = port->cbfc->forgotten[i];

		if (n)
			sim_after(s, port->delay, arrive, port,
				  (uint64_t)n << 3 | i);
		port->cbfc->forgotten[i] = 0;
	}
}

/* Sixteen counters, the highest bit first, one after the other. */
static void put_counters(const uint32_t *credits, uint8_t *o)
{
	for (unsigned bit = 0; bit < CHANNELS * COUNTER; bit++) {
		unsigned channel = bit / COUNTER;
		unsigned shift = COUNTER - 1 - bit % COUNTER;

		if (channel < PRIORITIES && credits[channel] >> shift & 1)
			o[bit / 8] |= (uint8_t)(0x80 >> bit % 8);
	}
}

void cbfc_frame(const struct pkt *p, uint8_t *o)
{
	memset(o, 0, LENGTH);
	memcpy(o, "\x01\x80\xc2\x00\x00\x01", 6);
	frame_mac(o + 6, p->mac[0]);
	memcpy(o + AT_OPCODE - 2, "\x88\x08\xff\xfe\xfa\x7a\xcb\x01", 8);
	put_counters(p->credits, o + AT_COUNTERS);
}

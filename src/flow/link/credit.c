/* SPDX-License-Identifier: GPL-2.0-or-later
 * Credits of UEC's credit-based flow control, as far as an Ethernet capture
 * shows them: reference uet 7.3.
 *
 * A sender of data says at intervals how many credits each of its virtual
 * channels has used up.  What the receiver gives back is not in any frame, so
 * how many are left is not known; but a channel that uses none while its flows
 * stand in the middle of a message has run out, or its sender has stopped. */
#include <stdlib.h>

#include "base/clamp.h"
#include "base/mem.h"
#include "decode/packet.h"
#include "flow/core/bins.h"
#include "flow/core/flow.h"
#include "flow/link/control.h"
#include "flow/link/mactable.h"
#include "flow/link/pause.h"

enum {
	CHANNELS = 32,
	PER_FRAME = 16,
	COUNTER_BITS = 20,
	COUNTER = (1 << COUNTER_BITS) - 1,
	STILL_NS = 1000000, /* several updates; the default is 256 us */
	STILL_UPDATES = 3,
	MOST = 800, /* per mille of a gap */
	BINS = 256,
};

struct channel {
	bool seen;
	uint32_t counter;
	uint32_t unchanged; /* updates since it moved */
	int64_t moved_ns;   /* the last update in which it had moved */
	struct fact_uec_credit f;
	struct bins *bins;
};

struct credit_port {
	struct channel ch[CHANNELS];
};

struct credit_table {
	struct mac_table macs;
	struct credit_port *port[MACS_MAX];
};

static void still(struct channel *c, int64_t until)
{
	int64_t ns = until - c->moved_ns;

	if (!c->f.credits || c->unchanged < STILL_UPDATES || ns < STILL_NS)
		return;
	c->f.standstills++;
	c->f.standstill_ns = clamp_add(c->f.standstill_ns, ns);
	if (ns > c->f.longest_ns)
		c->f.longest_ns = ns;
}

static void series(struct channel *c, int64_t ns, uint32_t used)
{
	struct bin_count *b;

	if (!c->bins)
		c->bins = bins_new(BINS);
	if (!c->bins)
		return;
	b = bins_at(c->bins, ns);
	b->packets++;
	b->bytes += used;
}

static void update(struct channel *c, uint32_t counter, const struct packet *p)
{
	uint32_t used = (counter - c->counter) & COUNTER;

	if (!c->seen) {
		c->f.first_ns = c->moved_ns = p->ns;
		c->f.frame = p->frame;
		used = 0;
	} else if (used > COUNTER / 2) {
		/* backwards: the sender was restarted */
		c->f.resets++;
		used = 0;
	}
	c->f.updates++;
	c->f.last_ns = p->ns;
	if (used) {
		still(c, p->ns);
		c->moved_ns = p->ns;
		c->unchanged = 0;
	} else {
		c->unchanged += c->seen;
	}
	c->seen = true;
	c->counter = counter;
	c->f.credits += used;
	series(c, p->ns, used);
}

static uint32_t counter_of(const uint8_t *counters, unsigned i)
{
	uint32_t at = i * COUNTER_BITS;
	const uint8_t *p = counters + at / 8;
	uint32_t v = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];

	return v >> (4 - at % 8) & COUNTER;
}

static struct credit_port *port_of(struct engine *e, const struct packet *p)
{
	uint32_t i;

	if (!e->credits)
		e->credits = mem_calloc(1, sizeof *e->credits);
	if (!e->credits)
		return NULL;
	i = mactable_add(&e->credits->macs, p->tap, p->src_mac);
	if (i == MAC_NONE) {
		e->limit[LIMIT_UEC_CREDIT].left_out++;
		return NULL;
	}
	if (!e->credits->port[i])
		e->credits->port[i] = mem_calloc(1, sizeof(struct credit_port));
	return e->credits->port[i];
}

void credit_packet(struct engine *e, const struct packet *p)
{
	uint64_t type;
	struct credit_port *q;
	unsigned first;

	if (p->status != PACKET_FOREIGN || !p->control)
		return;
	type = WIRE_GET(uec_cc, type, p->control);
	if (type != UEC_CC_LOW && type != UEC_CC_HIGH)
		return;
	q = port_of(e, p);
	if (!q)
		return;
	e->stall_after = STALL_NS;
	first = type == UEC_CC_LOW ? 0 : PER_FRAME;
	for (unsigned i = 0; i < PER_FRAME; i++)
		update(&q->ch[first + i],
		       counter_of(p->control + WIRE_OFF(uec_cc, cc0) / 8, i),
		       p);
}

/* ---- a flow that stands ---- */

static int64_t overlap(const struct channel *c, int64_t from, int64_t to)
{
	int64_t a = c->moved_ns > from ? c->moved_ns : from;
	int64_t b = c->f.last_ns < to ? c->f.last_ns : to;

	if (!c->f.credits || c->unchanged < STILL_UPDATES || b - a < STILL_NS)
		return 0;
	return b - a;
}

/* Channels are often numbered as priorities are; if that one is not in use, any
 * other may be meant. */
int credit_standstill(const struct engine *e, uint32_t tap, uint64_t mac,
		      uint8_t priority, int64_t from, int64_t to,
		      int64_t *still_ns)
{
	const struct credit_port *q = NULL;
	uint32_t i = e->credits ? mactable_find(&e->credits->macs, tap, mac)
				: MAC_NONE;
	int64_t most = 0;
	int best = -1;

	if (i != MAC_NONE)
		q = e->credits->port[i];
	for (int k = 0; q && k < CHANNELS; k++) {
		int64_t ns = overlap(&q->ch[k], from, to);

		if (q->ch[priority].f.credits && k != priority)
			continue;
		if (ns > most) {
			most = ns;
			best = k;
		}
	}
	*still_ns = most;
	return most / MOST >= (to - from) / 1000 ? best : -1;
}

/* ---- the end ---- */

static void emit_series(struct engine *e, const struct fact_uec_credit *f,
			const struct bins *s)
{
	for (uint32_t i = 0; s && i < s->n; i++) {
		const struct bin_count *c = bins_counters(s, i);
		struct fact_uec_credit_bin b = {
			.tap = f->tap,
			.mac = f->mac,
			.channel = f->channel,
			.start_ns = bins_start_of(s, i),
			.width_ns = s->width,
			.updates = c->packets,
			.credits = c->bytes,
		};

		HAND_OUT(e, uec_credit_bin, &b);
	}
}

void credit_finish(struct engine *e)
{
	for (uint32_t i = 0; e->credits && i < e->credits->macs.n; i++) {
		for (unsigned k = 0; e->credits->port[i] && k < CHANNELS; k++) {
			struct channel *c = &e->credits->port[i]->ch[k];

			if (!c->f.credits)
				continue;
			still(c, c->f.last_ns);
			c->f.tap = e->credits->macs.key[i].tap;
			c->f.mac = e->credits->macs.key[i].mac;
			c->f.channel = k;
			HAND_OUT(e, uec_credit, &c->f);
			emit_series(e, &c->f, c->bins);
		}
	}
}

void credit_fini(struct engine *e)
{
	for (uint32_t i = 0; e->credits && i < e->credits->macs.n; i++) {
		for (unsigned k = 0; e->credits->port[i] && k < CHANNELS; k++)
			bins_delete(e->credits->port[i]->ch[k].bins);
		free(e->credits->port[i]);
	}
	if (e->credits)
		mactable_fini(&e->credits->macs);
	free(e->credits);
}

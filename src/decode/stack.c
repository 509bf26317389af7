/* SPDX-License-Identifier: GPL-2.0-or-later
 * Telemetry entries of every form as one struct. */
#include "decode/stack.h"

#include "decode/packet.h"
#include "decode/walk.h"

enum {
	SECOND = 1000000000,
	/* Bits of the instructions of INT, from the most significant on. */
	INT_NODE = 0,
	INT_PORTS,
	INT_LATENCY,
	INT_QUEUE,
	INT_WIDE = 6,
};

/* Trident3: both clocks of a packet are a second apart now and then
 * (reference telemetry 1.6). */
static void residence(struct stack_hop *h, uint32_t ns)
{
	h->normalised = ns >= SECOND && ns < 2u * SECOND;
	h->residence_ns = h->normalised ? ns - SECOND : ns;
}

static void xgs(const uint8_t *p, struct stack_hop *h)
{
	h->device = (int64_t)WIRE_GET(ifa_xgs, device, p);
	h->ttl = (int16_t)WIRE_GET(ifa_xgs, ttl, p);
	h->ingress = (int64_t)WIRE_GET(ifa_xgs, ingress, p);
	h->egress = (int64_t)WIRE_GET(ifa_xgs, egress, p);
	h->queue = (int32_t)WIRE_GET(ifa_xgs, queue, p);
	h->congested = WIRE_GET(ifa_xgs, congestion, p) != 0;
	h->depth = (int64_t)WIRE_GET(ifa_xgs, opaque1, p);
	residence(h, (uint32_t)WIRE_GET(ifa_xgs, residence, p));
}

static void dnx(const uint8_t *p, struct stack_hop *h)
{
	int64_t rx = (int64_t)WIRE_GET(ifa_dnx, rx_ns, p);
	int64_t tx = (int64_t)WIRE_GET(ifa_dnx, tx_ns, p);

	h->device = (int64_t)WIRE_GET(ifa_dnx, device, p);
	h->ttl = (int16_t)WIRE_GET(ifa_dnx, ttl, p);
	h->ingress = (int64_t)WIRE_GET(ifa_dnx, ingress, p);
	h->egress = (int64_t)WIRE_GET(ifa_dnx, egress, p);
	h->queue = (int32_t)WIRE_GET(ifa_dnx, queue, p);
	h->congested = WIRE_GET(ifa_dnx, congestion, p) != 0;
	if (rx < SECOND && tx < SECOND)
		h->residence_ns = tx >= rx ? tx - rx : tx + SECOND - rx;
}

/* All ones: not available. */
static int64_t available(uint64_t value, unsigned bits)
{
	return value == (UINT64_C(1) << bits) - 1 ? STACK_UNKNOWN
						  : (int64_t)value;
}

/* One hop of INT at |p|, and where in it each kind of metadata is. */
struct int_hop {
	const uint8_t *p;
	bool old;
	uint16_t bits;
};

static const uint8_t *int_at(const struct int_hop *h, unsigned bit)
{
	if (!(h->bits >> (15 - bit) & 1))
		return NULL;
	return h->p + walk_int_offset(h->old, h->bits, bit);
}

#define AVAILABLE(h, f, p) available(WIRE_GET(h, f, p), WIRE_WIDTH(h, f))

static void int_hop(const struct int_hop *in, struct stack_hop *h)
{
	const uint8_t *p;

	if ((p = int_at(in, INT_NODE)))
		h->device = AVAILABLE(int_node, id, p);
	if ((p = int_at(in, INT_WIDE))) {
		h->ingress = AVAILABLE(int_wide, ingress, p);
		h->egress = AVAILABLE(int_wide, egress, p);
	}
	if ((p = int_at(in, INT_PORTS))) {
		h->ingress = AVAILABLE(int_ports, ingress, p);
		h->egress = AVAILABLE(int_ports, egress, p);
	}
	if ((p = int_at(in, INT_LATENCY)))
		h->residence_ns = AVAILABLE(int_latency, latency, p);
	if ((p = int_at(in, INT_QUEUE))) {
		h->queue = (int32_t)AVAILABLE(int_queue, queue, p);
		h->depth = AVAILABLE(int_queue, depth, p);
	}
}

/* The header in front of the newest hop says how the hops look. */
static struct int_hop int_hop_at(const struct packet *p, unsigned i)
{
	const uint8_t *h2 = p->stack - WIRE_SIZE_int_md;
	const uint8_t *h1 = p->stack - WIRE_SIZE_int_md1;
	bool old = p->stack_form == STACK_INT1;
	uint64_t words = old ? WIRE_GET(int_md1, hopml, h1)
			     : WIRE_GET(int_md, hopml, h2);

	return (struct int_hop) {
		.p = p->stack + 4 * words * i,
		.old = old,
		.bits = (uint16_t)(old ? WIRE_GET(int_md1, bits, h1)
				       : WIRE_GET(int_md, bits, h2)),
	};
}

void stack_hop(const struct packet *p, unsigned i, struct stack_hop *out)
{
	struct int_hop hop;

	*out = (struct stack_hop) {
		.device = STACK_UNKNOWN,
		.ingress = STACK_UNKNOWN,
		.egress = STACK_UNKNOWN,
		.residence_ns = STACK_UNKNOWN,
		.depth = STACK_UNKNOWN,
		.queue = STACK_UNKNOWN,
		.ttl = STACK_UNKNOWN,
		.congested = STACK_UNKNOWN,
	};
	switch (p->stack_form) {
	case STACK_XGS:
		xgs(p->stack + (size_t)i * WIRE_SIZE_ifa_xgs, out);
		break;
	case STACK_DNX:
		dnx(p->stack + (size_t)i * WIRE_SIZE_ifa_dnx, out);
		break;
	default:
		hop = int_hop_at(p, i);
		int_hop(&hop, out);
		break;
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * sFlow version 5 (sflow.org: sflow_version_5.txt, sflow_drops.txt), as it
 * arrives at a collector: one packet in RATE that a port sends, all that a
 * buffer or the forwarding drops, and counters of interfaces before and after.
 *
 * An interface's index is that of the port, plus one. */
#include <string.h>

#include "base/err.h"
#include "capture/pcapng_write.h"
#include "simulate/devices_int.h"
#include "simulate/frame.h"
#include "simulate/pkt.h"
#include "wire/wire.h"

enum {
	RATE = 256,
	HEADER = 128, /* bytes of a packet in a report */
	SFLOW_PORT = 6343,
	VERSION = 5,
	AGENT_IPV4 = 1,
	FLOW_SAMPLE = 1,
	COUNTER_SAMPLE = 2,
	DROPPED_PACKET = 5,
	RAW_HEADER = 1,
	INTERFACE = 1,
	ETHERNET_FRAME = 1,
	FULL_DUPLEX = 1,
	UP = 3,
	NOT_KNOWN = 0,
	HEADS = WIRE_SIZE_eth + WIRE_SIZE_ipv4 + WIRE_SIZE_udp,
	DATAGRAM = HEADS + HEADER + 256,
};

/* As codes of discards. */
static const uint32_t reasons[DROP_REASON_COUNT] = {
	[DROP_BUFFER] = 259, [DROP_HEADROOM] = 259, [DROP_NO_ROUTE] = 0,
	[DROP_TTL] = 257,    [DROP_WATCHDOG] = 256,
};

static bool is_reported(enum drop_reason why)
{
	return reasons[why] || why == DROP_NO_ROUTE;
}

/* A datagram in the making. */
struct datagram {
	uint8_t bytes[DATAGRAM];
	size_t n;
	size_t length_of; /* the sample: its length stands there */
};

static void put(struct datagram *d, uint32_t v)
{
	wire_store(d->bytes + d->n, 4, v);
	d->n += 4;
}

static void put_long(struct datagram *d, uint64_t v)
{
	wire_store(d->bytes + d->n, 8, v);
	d->n += 8;
}

static void begin(struct sim *s, struct datagram *d, const struct node *n,
		  uint32_t kind)
{
	uint32_t *sequence = &s->devices->sequence[world_slot(s, n)];

	d->n = HEADS;
	put(d, VERSION);
	put(d, AGENT_IPV4);
	devices_agent(s, n, d->bytes + d->n);
	d->n += 4;
	put(d, 0); /* sub-agent */
	put(d, ++*sequence);
	put(d, (uint32_t)(s->now / PS_PER_MS));
	put(d, 1); /* sample */
	put(d, kind);
	d->length_of = d->n;
	put(d, 0);
	put(d, *sequence);
}

static void put_packet(const struct sim *s, struct datagram *d,
		       const struct pkt *p)
{
	uint8_t frame[FRAME_MAX];
	uint32_t whole = frame_write(s, p, frame, HEADER);
	uint32_t n = whole < HEADER ? whole : HEADER;
	uint32_t padded = (n + 3) / 4 * 4;

	put(d, 1); /* record */
	put(d, RAW_HEADER);
	put(d, 16 + padded);
	put(d, ETHERNET_FRAME);
	put(d, whole + 4); /* with FCS */
	put(d, 4);         /* stripped */
	put(d, n);
	memcpy(d->bytes + d->n, frame, n);
	memset(d->bytes + d->n + n, 0, padded - n);
	d->n += padded;
}

static void send(struct sim *s, struct datagram *d, const struct node *n)
{
	static const uint8_t collector[4] = { 198, 19, 255, 254 };
	uint8_t agent[4], *ip = d->bytes + WIRE_SIZE_eth;
	uint8_t *udp = ip + WIRE_SIZE_ipv4;
	size_t udp_bytes = d->n - WIRE_SIZE_eth - WIRE_SIZE_ipv4;
	struct pcapng_packet p = {
		.ns = sim_ns(s, s->now + s->devices->clock),
		.data = d->bytes,
		.caplen = (uint32_t)d->n,
		.wirelen = (uint32_t)d->n,
	};

	wire_store(d->bytes + d->length_of, 4, d->n - d->length_of - 4);
	devices_agent(s, n, agent);
	frame_mac(WIRE_PTR(eth, dmac, d->bytes), 0xfffff1);
	frame_mac(WIRE_PTR(eth, smac, d->bytes), 0xfe0000 + n->id);
	WIRE_SET(eth, type, d->bytes, ETYPE_IPV4);
	frame_ipv4(ip, PROTO_UDP, (uint16_t)udp_bytes, agent, collector);
	WIRE_SET(udp, sport, udp, SFLOW_PORT);
	WIRE_SET(udp, dport, udp, SFLOW_PORT);
	WIRE_SET(udp, len, udp, udp_bytes);
	WIRE_SET(udp, csum, udp, 0);
	if (pcapng_writer_packet(s->devices->collector, &p, s->err))
		s->failed = true;
}

static uint32_t interface(const struct port *p)
{
	return p ? p->index + 1 : NOT_KNOWN;
}

static void report_drop(struct sim *s, const struct port *out,
			const struct pkt *p, uint32_t reason)
{
	const struct node *n = p->in->node;
	struct datagram d;

	begin(s, &d, n, DROPPED_PACKET);
	put(&d, 0); /* kind of source: an interface */
	put(&d, interface(p->in));
	put(&d, 0); /* reports that were not sent */
	put(&d, interface(p->in));
	put(&d, interface(out));
	put(&d, reason);
	put_packet(s, &d, p);
	send(s, &d, n);
}

void devices_dropped(struct sim *s, const struct port *out, const struct pkt *p,
		     enum drop_reason why)
{
	if (s->devices && is_reported(why))
		report_drop(s, out, p, reasons[why]);
}

void devices_leaving(struct sim *s, const struct port *out, const struct pkt *p)
{
	struct devices *e = s->devices;
	struct datagram d;

	if (!e || ++e->left[out->id] % RATE)
		return;
	begin(s, &d, out->node, FLOW_SAMPLE);
	put(&d, interface(out));
	put(&d, RATE);
	put(&d, (uint32_t)e->left[out->id]);
	put(&d, 0); /* samples that were not sent */
	put(&d, interface(p->in));
	put(&d, interface(out));
	put_packet(s, &d, p);
	send(s, &d, out->node);
	if (devices_lie(s, out->node, LIE_DROPS))
		report_drop(s, out, p, reasons[DROP_BUFFER]);
}

static void put_interface(const struct sim *s, struct datagram *d,
			  const struct port *p, bool over)
{
	const struct counts *c = devices_counts(s, p, over);

	put(d, interface(p));
	put(d, 6); /* ethernetCsmacd */
	put_long(d, p->bps);
	put(d, FULL_DUPLEX);
	put(d, UP);
	put_long(d, 0); /* bytes in: not counted */
	put(d, (uint32_t)c->n[COUNT_RX_PACKETS]);
	put(d, 0); /* multicast */
	put(d, 0); /* broadcast */
	put(d, (uint32_t)c->n[COUNT_RX_DROPS]);
	put(d, (uint32_t)c->n[COUNT_RX_ERRORS]);
	put(d, 0); /* of unknown protocols */
	put_long(d, c->n[COUNT_TX_BYTES]);
	put(d, (uint32_t)c->n[COUNT_TX_PACKETS]);
	put(d, 0);
	put(d, 0);
	put(d, (uint32_t)c->n[COUNT_TX_DROPS]);
	put(d, 0); /* errors out */
	put(d, 0); /* promiscuous */
}

void reports_counters(struct sim *s, bool over)
{
	for (size_t i = 0; i < s->n_ports; i++) {
		const struct port *p = s->ports[i];
		struct datagram d;

		if (!p->node->is_switch)
			continue;
		begin(s, &d, p->node, COUNTER_SAMPLE);
		put(&d, interface(p));
		put(&d, 1); /* record */
		put(&d, INTERFACE);
		put(&d, 88);
		put_interface(s, &d, p, over);
		send(s, &d, p->node);
	}
}

int reports_begin(struct sim *s, struct err *err)
{
	static const struct pcapng_interface eth = { .name = "collector",
						     .linktype = 1 };
	const char *temp = devices_file(s, "sflow.pcapng", err);

	if (!temp)
		return -1;
	s->devices->collector = pcapng_writer_new(
		temp, "fabscope simulate, what switches reported", err);
	return s->devices->collector &&
			       pcapng_writer_interface(s->devices->collector,
						       &eth, err) >= 0
		       ? 0
		       : -1;
}

int reports_end(struct sim *s, struct err *err)
{
	struct pcapng_writer *w = s->devices->collector;

	s->devices->collector = NULL;
	return w ? pcapng_writer_close(w, err) : 0;
}

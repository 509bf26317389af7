/* SPDX-License-Identifier: GPL-2.0-or-later
 * Header-only captures of many packets, for measuring speed.
 *
 * No fabric here: every QP pair has its frames ready made, and per packet
 * only PSN, IP-ID and checksum change.  The traffic is what a mirror of busy
 * hosts shows: messages of 64 full packets, several QPs between two hosts,
 * short bursts of each QP in turn, an ACK every 4 to 16 packets 5 us later.
 * With loss, a packet is gone before the tap, the receiver NAKs, the sender
 * goes back. */
#include "simulate/simulate.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "capture/pcapng_write.h"
#include "simulate/events.h"
#include "simulate/frame.h"
#include "simulate/mem.h"
#include "simulate/qp.h"
#include "simulate/rng.h"
#include "wire/wire.h"

enum {
	MTU = 4096,
	MESSAGE = 64, /* packets */
	BUFFER = 1 << 20,
	IP = WIRE_SIZE_eth,
	UDP = IP + WIRE_SIZE_ipv4,
	BTH = UDP + WIRE_SIZE_udp,
	BODY = BTH + WIRE_SIZE_bth,
	ICRC = 4,
	DATA_BYTES = BODY + MTU + ICRC,
	FIRST_BYTES = DATA_BYTES + WIRE_SIZE_reth,
	ACK_BYTES = BODY + WIRE_SIZE_aeth + ICRC,
	SNAP_LEAST = BODY + WIRE_SIZE_reth,
	SNAP_MOST = 1024,
	ACK_AFTER_NS = 5000,
	DATA_NS = 84, /* 4 KiB packet at 400 Gb/s */
	ACK_NS = 2,
	NAK_AFTER = 12,   /* packets that follow a lost one */
	STALL_NS = 20000, /* from a NAK to the first copy */
	EPOCH_S = 1767225600,
};

struct pair {
	uint8_t data[256]; /* an ordinary frame, cut where it may be */
	uint8_t ack[ACK_BYTES];
	uint32_t src, dst; /* hosts */
	uint32_t first_psn, ack_every;
	uint64_t next;    /* packet, counted from first_psn */
	uint64_t highest; /* first not sent yet */
	uint64_t hole;    /* lost packet, UINT64_MAX none */
	uint32_t until_nak;
	int64_t stalled_to;
};

struct due {
	int64_t ns;
	uint32_t pair;
	uint8_t syndrome;
	uint64_t index;
};

struct bench {
	const struct bench_job *job;
	struct pair *pairs;
	uint16_t *ip_id; /* by host */
	struct due *due; /* a ring, oldest first */
	size_t due_head, due_n, due_cap;
	struct rng rng;
	int64_t ns;
	uint64_t written;
	uint32_t snap;
	int fd;
	uint8_t *buffer;
	size_t used;
	struct pcapng_writer *ng;
	struct err *err;
};

/* --- files ---------------------------------------------------------------- */

static int flush(struct bench *b)
{
	size_t done = 0;

	while (done < b->used) {
		ssize_t n = write(b->fd, b->buffer + done, b->used - done);

		if (n < 0)
			return err_errno(b->err, "%s", b->job->out);
		done += (size_t)n;
	}
	b->used = 0;
	return 0;
}

static void put32(uint8_t *p, uint32_t v)
{
	memcpy(p, &v, sizeof v); /* the magic says in which order */
}

static int put_frame(struct bench *b, const uint8_t *frame, uint32_t caplen,
		     uint32_t wirelen)
{
	uint8_t *o;

	b->written++;
	if (b->ng) {
		struct pcapng_packet p = { .ns = b->ns +
						 EPOCH_S * INT64_C(1000000000),
					   .data = frame,
					   .caplen = caplen,
					   .wirelen = wirelen };

		return pcapng_writer_packet(b->ng, &p, b->err);
	}
	if (b->used + 16 + caplen > BUFFER && flush(b))
		return -1;
	o = b->buffer + b->used;
	put32(o, (uint32_t)(EPOCH_S + b->ns / 1000000000));
	put32(o + 4, (uint32_t)(b->ns % 1000000000));
	put32(o + 8, caplen);
	put32(o + 12, wirelen);
	memcpy(o + 16, frame, caplen);
	b->used += 16 + caplen;
	return 0;
}

static int open_pcap(struct bench *b)
{
	b->fd = open(b->job->out, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (b->fd < 0)
		return err_errno(b->err, "%s", b->job->out);
	b->buffer = mem_new(BUFFER);
	put32(b->buffer, 0xa1b23c4d); /* nanoseconds */
	put32(b->buffer + 4, 4u << 16 | 2);
	if (*(const uint8_t *)b->buffer == 0xa1) /* big-endian machine */
		put32(b->buffer + 4, 2u << 16 | 4);
	put32(b->buffer + 8, 0);
	put32(b->buffer + 12, 0);
	put32(b->buffer + 16, b->snap);
	put32(b->buffer + 20, LINKTYPE_ETHERNET);
	b->used = 24;
	return 0;
}

static int open_out(struct bench *b)
{
	struct pcapng_interface i = { .name = "bench",
				      .speed_bps = UINT64_C(400000000000),
				      .snaplen = b->snap,
				      .linktype = LINKTYPE_ETHERNET };

	if (!b->job->pcapng)
		return open_pcap(b);
	b->ng = pcapng_writer_new(b->job->out, "fabscope simulate --bench",
				  b->err);
	if (!b->ng)
		return -1;
	return pcapng_writer_interface(b->ng, &i, b->err) < 0 ? -1 : 0;
}

static int close_out(struct bench *b, int rc)
{
	if (b->ng && pcapng_writer_close(b->ng, rc ? NULL : b->err))
		rc = -1;
	if (b->fd >= 0) {
		if (!rc && flush(b))
			rc = -1;
		if (close(b->fd) && !rc)
			rc = err_errno(b->err, "%s", b->job->out);
	}
	if (rc && (b->ng || b->fd >= 0))
		unlink(b->job->out);
	return rc;
}

/* --- frames --------------------------------------------------------------- */

static void make_head(uint8_t *f, uint32_t bytes, uint32_t src, uint32_t dst,
		      uint16_t sport, uint32_t qp)
{
	uint8_t a[4] = { 10, (uint8_t)(src >> 14), (uint8_t)(src >> 6),
			 (uint8_t)(src & 63) + 1 };
	uint8_t d[4] = { 10, (uint8_t)(dst >> 14), (uint8_t)(dst >> 6),
			 (uint8_t)(dst & 63) + 1 };

	frame_mac(WIRE_PTR(eth, dmac, f), dst);
	frame_mac(WIRE_PTR(eth, smac, f), src);
	WIRE_SET(eth, type, f, ETYPE_IPV4);
	frame_ipv4(f + IP, PROTO_UDP, (uint16_t)(bytes - UDP), a, d);
	WIRE_SET(ipv4, dscp, f + IP, 26);
	WIRE_SET(ipv4, ecn, f + IP, ECN_ECT0);
	WIRE_SET(ipv4, ttl, f + IP, 62);
	WIRE_SET(udp, sport, f + UDP, sport);
	WIRE_SET(udp, dport, f + UDP, UDP_PORT_ROCE);
	WIRE_SET(udp, len, f + UDP, bytes - UDP);
	WIRE_SET(udp, csum, f + UDP, 0);
	memset(f + BTH, 0, WIRE_SIZE_bth);
	WIRE_SET(bth, migreq, f + BTH, 1);
	WIRE_SET(bth, pkey, f + BTH, 0xffff);
	WIRE_SET(bth, destqp, f + BTH, qp);
}

static void make_pair(struct bench *b, struct pair *p, uint32_t i)
{
	uint32_t hosts = b->job->pairs / b->job->per_host + 2;
	uint32_t a = 0x100 + 2 * (i % 0x3fff00), d = a + 1;
	uint16_t sport = qp_sport(a, d);

	p->src = i / b->job->per_host;
	p->dst = (p->src + 1) % hosts;
	p->first_psn = i & 1 ? 0 : (uint32_t)rng_below(&b->rng, 1 << 24);
	p->ack_every = 4 + (uint32_t)rng_below(&b->rng, 13);
	p->hole = UINT64_MAX;
	make_head(p->data, DATA_BYTES, p->src, p->dst, sport, d);
	for (size_t k = BODY; k < sizeof p->data; k++)
		p->data[k] = (uint8_t)(k * 7 + i);
	make_head(p->ack, ACK_BYTES, p->dst, p->src, sport, a);
	WIRE_SET(bth, opcode, p->ack + BTH, RC_ACK);
	memset(p->ack + BODY, 0, WIRE_SIZE_aeth + ICRC);
}

static void next_ip_id(struct bench *b, uint8_t *frame, uint32_t host)
{
	WIRE_SET(ipv4, id, frame + IP, b->ip_id[host]++);
	frame_ipv4_sum(frame + IP);
}

static int send_first(struct bench *b, struct pair *p)
{
	uint8_t f[SNAP_MOST + WIRE_SIZE_reth];
	uint8_t *reth = f + BODY;
	uint32_t fixed = sizeof p->data - BODY;

	memcpy(f, p->data, BODY);
	WIRE_SET(reth, va, reth, UINT64_C(0x7f0000000000) + p->next * MTU);
	WIRE_SET(reth, rkey, reth, 0x1000);
	WIRE_SET(reth, dmalen, reth, MESSAGE * MTU);
	for (uint32_t at = BODY + WIRE_SIZE_reth; at < b->snap; at += fixed)
		memcpy(f + at, p->data + BODY,
		       b->snap - at < fixed ? b->snap - at : fixed);
	WIRE_SET(ipv4, len, f + IP, FIRST_BYTES - IP);
	WIRE_SET(udp, len, f + UDP, FIRST_BYTES - UDP);
	frame_ipv4_sum(f + IP);
	return put_frame(b, f, b->snap, FIRST_BYTES);
}

static int send_plain(struct bench *b, struct pair *p)
{
	uint8_t f[SNAP_MOST];

	if (b->snap <= sizeof p->data)
		return put_frame(b, p->data, b->snap, DATA_BYTES);
	memcpy(f, p->data, sizeof p->data);
	memset(f + sizeof p->data, 0x5a, b->snap - sizeof p->data);
	return put_frame(b, f, b->snap, DATA_BYTES);
}

static void promise(struct bench *b, struct pair *p, int64_t after,
		    uint8_t syndrome, uint64_t index)
{
	if (b->due_n == b->due_cap)
		return; /* an ACK the less: the next one covers it */
	b->due[(b->due_head + b->due_n++) % b->due_cap] =
		(struct due) { b->ns + after, (uint32_t)(p - b->pairs),
			       syndrome, index };
}

static int send_ack(struct bench *b, const struct due *d)
{
	struct pair *p = &b->pairs[d->pair];
	uint8_t *bth = p->ack + BTH, *aeth = p->ack + BODY;
	uint32_t icrc;

	WIRE_SET(bth, psn, bth, (p->first_psn + d->index) & 0xffffff);
	WIRE_SET(aeth, kind, aeth, d->syndrome >> 5);
	WIRE_SET(aeth, value, aeth, d->syndrome);
	WIRE_SET(aeth, msn, aeth, (d->index + (d->syndrome < 0x20)) / MESSAGE);
	next_ip_id(b, p->ack, p->dst);
	icrc = frame_icrc(p->ack + IP, ACK_BYTES - ICRC - IP);
	for (int i = 0; i < ICRC; i++)
		p->ack[ACK_BYTES - ICRC + i] = (uint8_t)(icrc >> 8 * i);
	if (d->syndrome >= 0x60) {
		p->next = d->index;
		p->hole = UINT64_MAX;
		p->stalled_to = b->ns + STALL_NS;
	}
	b->ns += ACK_NS;
	return put_frame(b, p->ack, ACK_BYTES, ACK_BYTES);
}

/* --- the traffic ---------------------------------------------------------- */

static int send_data(struct bench *b, struct pair *p)
{
	uint64_t at = p->next % MESSAGE;
	bool ack = at == MESSAGE - 1 || p->next % p->ack_every == 0;
	uint8_t *bth = p->data + BTH;
	bool lost = b->job->loss > 0 && p->next == p->highest &&
		    p->hole == UINT64_MAX && rng_chance(&b->rng, b->job->loss);
	uint8_t op = at == 0             ? RC_WRITE_FIRST
		     : at == MESSAGE - 1 ? RC_WRITE_LAST
					 : RC_WRITE_MIDDLE;

	WIRE_SET(bth, opcode, bth, op);
	WIRE_SET(bth, ackreq, bth, ack);
	WIRE_SET(bth, psn, bth, (p->first_psn + p->next) & 0xffffff);
	next_ip_id(b, p->data, p->src);
	if (ack && p->hole == UINT64_MAX && !lost)
		promise(b, p, ACK_AFTER_NS, 0x1f, p->next);
	if (lost) {
		p->hole = p->next;
		p->until_nak = NAK_AFTER;
	} else if (p->hole != UINT64_MAX && --p->until_nak == NAK_AFTER - 1) {
		promise(b, p, ACK_AFTER_NS, 0x60, p->hole);
	}
	b->ns += DATA_NS;
	p->next++;
	if (p->next > p->highest)
		p->highest = p->next;
	if (lost)
		return 0;
	return at ? send_plain(b, p) : send_first(b, p);
}

static bool may_send(const struct bench *b, const struct pair *p)
{
	return b->ns >= p->stalled_to &&
	       (p->hole == UINT64_MAX || p->until_nak > 1);
}

static int send_due(struct bench *b)
{
	while (b->due_n && b->due[b->due_head].ns <= b->ns &&
	       b->written < b->job->packets) {
		struct due d = b->due[b->due_head];

		b->due_head = (b->due_head + 1) % b->due_cap;
		b->due_n--;
		if (send_ack(b, &d))
			return -1;
	}
	return 0;
}

static int run(struct bench *b)
{
	while (b->written < b->job->packets) {
		struct pair *p = &b->pairs[rng_below(&b->rng, b->job->pairs)];
		unsigned burst = 1 + (unsigned)rng_below(&b->rng, 8);

		if (!may_send(b, p))
			b->ns += DATA_NS;
		for (; burst && b->written < b->job->packets; burst--) {
			if (may_send(b, p) && send_data(b, p))
				return -1;
			if (send_due(b))
				return -1;
		}
	}
	return 0;
}

int bench_run(const struct bench_job *job, struct err *err)
{
	struct bench b = { .job = job, .fd = -1, .err = err };
	uint32_t hosts = job->pairs / job->per_host + 2;
	int rc;

	if (job->snaplen < SNAP_LEAST || job->snaplen > SNAP_MOST)
		return err_set(err, ERR_USAGE, "snaplen from %d to %d",
			       SNAP_LEAST, SNAP_MOST);
	if (job->pairs > 1 << 22)
		return err_set(err, ERR_USAGE, "at most %d pairs", 1 << 22);
	b.snap = job->snaplen;
	b.rng = rng_fork(job->seed, "bench", 0);
	b.pairs = mem_new(job->pairs * sizeof *b.pairs);
	b.ip_id = mem_new(hosts * sizeof *b.ip_id);
	b.due_cap = 4096;
	b.due = mem_new(b.due_cap * sizeof *b.due);
	for (uint32_t i = 0; i < job->pairs; i++)
		make_pair(&b, &b.pairs[i], i);
	rc = open_out(&b);
	if (!rc)
		rc = run(&b);
	rc = close_out(&b, rc);
	free(b.pairs);
	free(b.ip_id);
	free(b.due);
	free(b.buffer);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Header-only captures of many packets, for measuring speed.
 *
 * No fabric here: every pair of QPs, or PDC, has its frames ready made, and per
 * packet little changes.  The traffic is what a mirror of busy hosts shows:
 * messages of 64 full packets, several pairs between two hosts, short bursts of
 * each pair in turn, an ACK every 4 to 16 packets 5 us later.  With loss, a
 * packet is gone before the tap, the receiver says so, the sender goes back
 * (RoCE) or sends it again (UET). */
#include "simulate/bench.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "capture/pcapng_write.h"
#include "simulate/mem.h"
#include "simulate/products.h"

enum {
	BUFFER = 1 << 20,
	ANSWER_AFTER_NS = 5000,
	DATA_NS = 84, /* 4 KiB packet at 400 Gb/s */
	ANSWER_NS = 2,
	STALL_NS = 20000, /* from a NAK to the first copy */
	EPOCH_S = 1767225600,
};

struct bench {
	const struct bench_job *job;
	const struct bench_transport *how;
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
	struct products products;
	const char *out; /* the file until it is complete */
	struct err *err;
};

/* --- files ---------------------------------------------------------------- */

static int flush(struct bench *b)
{
	size_t done = 0;

	while (done < b->used) {
		ssize_t n = write(b->fd, b->buffer + done, b->used - done);

		if (n < 0)
			return err_errno(b->err, "%s", b->out);
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
	b->fd = strcmp(b->out, "-") != 0
			? open(b->out, O_WRONLY | O_CREAT | O_TRUNC, 0666)
			: dup(STDOUT_FILENO);
	if (b->fd < 0)
		return err_errno(b->err, "%s", b->out);
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

	b->out = products_add(&b->products, b->job->out, b->err);
	if (!b->out)
		return -1;
	if (!b->job->pcapng)
		return open_pcap(b);
	b->ng = pcapng_writer_new(b->out, "fabscope simulate --bench", b->err);
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
			rc = err_errno(b->err, "%s", b->out);
	}
	return products_finish(&b->products, rc, b->err);
}

/* --- what both transports need --- */

void bench_head(uint8_t *f, uint32_t bytes, uint32_t src, uint32_t dst,
		uint16_t sport, uint16_t dport)
{
	uint8_t a[4] = { 10, (uint8_t)(src >> 14), (uint8_t)(src >> 6),
			 (uint8_t)(src & 63) + 1 };
	uint8_t d[4] = { 10, (uint8_t)(dst >> 14), (uint8_t)(dst >> 6),
			 (uint8_t)(dst & 63) + 1 };
	uint8_t *ip = f + BENCH_IP, *udp = f + BENCH_UDP;

	frame_mac(WIRE_PTR(eth, dmac, f), dst);
	frame_mac(WIRE_PTR(eth, smac, f), src);
	WIRE_SET(eth, type, f, ETYPE_IPV4);
	frame_ipv4(ip, PROTO_UDP, (uint16_t)(bytes - BENCH_UDP), a, d);
	WIRE_SET(ipv4, dscp, ip, 26);
	WIRE_SET(ipv4, ecn, ip, ECN_ECT0);
	WIRE_SET(ipv4, ttl, ip, 62);
	frame_ipv4_sum(ip);
	WIRE_SET(udp, sport, udp, sport);
	WIRE_SET(udp, dport, udp, dport);
	WIRE_SET(udp, len, udp, bytes - BENCH_UDP);
	WIRE_SET(udp, csum, udp, 0);
}

/* --- packets --- */

static void make_pair(struct bench *b, struct pair *p, uint32_t i)
{
	uint32_t hosts = b->job->pairs / b->job->per_host + 2;

	p->src = i / b->job->per_host;
	p->dst = (p->src + 1) % hosts;
	p->first_psn = i & 1 ? 0 : (uint32_t)rng_below(&b->rng, 1 << 24);
	p->ack_every = 4 + (uint32_t)rng_below(&b->rng, 13);
	p->hole = BENCH_NO_HOLE;
	b->how->make(p, i);
}

static void next_ip_id(struct bench *b, uint8_t *frame, uint32_t host)
{
	if (!b->how->counts_ip_id)
		return;
	WIRE_SET(ipv4, id, frame + BENCH_IP, b->ip_id[host]++);
	frame_ipv4_sum(frame + BENCH_IP);
}

static void promise(struct bench *b, struct pair *p, bool refuses,
		    uint64_t index)
{
	if (b->due_n == b->due_cap)
		return; /* an answer the less: the next one covers it */
	b->due[(b->due_head + b->due_n++) % b->due_cap] =
		(struct due) { b->ns + ANSWER_AFTER_NS,
			       (uint32_t)(p - b->pairs), refuses, index };
}

static int answer(struct bench *b, const struct due *d)
{
	struct pair *p = &b->pairs[d->pair];
	uint32_t bytes = b->how->answer(p, d);

	next_ip_id(b, p->answer, p->dst);
	b->how->seal(p->answer, bytes);
	p->answered = true;
	if (d->refuses) {
		b->how->refused(p, d->index);
		p->hole = BENCH_NO_HOLE;
		p->stalled_to = b->ns + STALL_NS;
	}
	b->ns += ANSWER_NS;
	return put_frame(b, p->answer, bytes, bytes);
}

static int send_data(struct bench *b, struct pair *p)
{
	bool last = p->next % BENCH_MESSAGE == BENCH_MESSAGE - 1;
	bool ack = last || p->next % p->ack_every == 0;
	bool lost = b->job->loss > 0 && p->next == p->highest &&
		    p->hole == BENCH_NO_HOLE &&
		    rng_chance(&b->rng, b->job->loss);
	uint8_t f[BENCH_SNAP_MOST];
	uint32_t wirelen = b->how->data(p, ack, f, b->snap);

	next_ip_id(b, f, p->src);
	if (ack && p->hole == BENCH_NO_HOLE && !lost)
		promise(b, p, false, p->resume ? p->highest - 1 : p->next);
	if (lost) {
		p->hole = p->next;
		p->until_nak = BENCH_NAK_AFTER;
	} else if (p->hole != BENCH_NO_HOLE &&
		   --p->until_nak == BENCH_NAK_AFTER - 1) {
		promise(b, p, true, p->hole);
	}
	b->ns += DATA_NS;
	p->next = p->resume ? p->resume : p->next + 1;
	p->resume = 0;
	if (p->next > p->highest)
		p->highest = p->next;
	return lost ? 0 : put_frame(b, f, b->snap, wirelen);
}

static bool may_send(const struct bench *b, const struct pair *p)
{
	return b->ns >= p->stalled_to &&
	       (p->hole == BENCH_NO_HOLE || p->until_nak > 1);
}

static int send_due(struct bench *b)
{
	while (b->due_n && b->due[b->due_head].ns <= b->ns &&
	       b->written < b->job->packets) {
		struct due d = b->due[b->due_head];

		b->due_head = (b->due_head + 1) % b->due_cap;
		b->due_n--;
		if (answer(b, &d))
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
	const struct bench_transport *how = job->uet ? &bench_uet : &bench_roce;
	int rc;

	if (job->snaplen < how->snap_least || job->snaplen > BENCH_SNAP_MOST)
		return err_set(err, ERR_USAGE, "snaplen from %u to %d",
			       how->snap_least, BENCH_SNAP_MOST);
	if (job->pairs > 1 << 22)
		return err_set(err, ERR_USAGE, "at most %d pairs", 1 << 22);
	b.how = how;
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

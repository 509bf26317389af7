/* SPDX-License-Identifier: GPL-2.0-or-later
 * Capture points and the file, for bench.c.
 *
 * Each host's link has a capture point; with fewer of them than hosts, hosts
 * share them.  A frame passes that of its sender, then that of its receiver. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "capture/pcapng_write.h"
#include "simulate/bench.h"
#include "simulate/mem.h"
#include "simulate/products.h"

enum {
	BUFFER = 1 << 20,
	RECORD = 16,
	HOP_NS = 200,
	HOLDS = 4096, /* frames between two capture points, at most */
	EPOCH_S = 1767225600,
};

struct later {
	int64_t ns;
	uint32_t tap;
	struct bench_frame f;
};

struct bench_out {
	const struct bench_job *job;
	uint64_t written;
	int fd;
	uint8_t *buffer;
	size_t used;
	struct pcapng_writer *ng;
	struct products products;
	const char *out;     /* the file until it is complete */
	struct later *later; /* a ring: not at their last capture point yet */
	size_t later_head, later_n;
	struct rng mirrors;
	struct err *err;
};

static int flush(struct bench_out *o)
{
	size_t done = 0;

	while (done < o->used) {
		ssize_t n = write(o->fd, o->buffer + done, o->used - done);

		if (n < 0)
			return err_errno(o->err, "%s", o->out);
		done += (size_t)n;
	}
	o->used = 0;
	return 0;
}

static void put32(uint8_t *p, uint32_t v)
{
	memcpy(p, &v, sizeof v); /* the magic says in which order */
}

static int write_record(struct bench_out *o, uint32_t tap, int64_t ns,
			const struct bench_frame *f)
{
	uint32_t snap = o->job->snaplen;
	uint32_t caplen = f->bytes < snap ? f->bytes : snap;
	uint8_t *at;

	if (rng_chance(&o->mirrors, o->job->missed))
		return 0;
	o->written++;
	if (o->ng) {
		struct pcapng_packet p = { .ns = ns +
						 EPOCH_S * INT64_C(1000000000),
					   .data = f->f,
					   .caplen = caplen,
					   .wirelen = f->bytes,
					   .interface = tap };

		return pcapng_writer_packet(o->ng, &p, o->err);
	}
	if (o->used + RECORD + caplen > BUFFER && flush(o))
		return -1;
	at = o->buffer + o->used;
	put32(at, (uint32_t)(EPOCH_S + ns / 1000000000));
	put32(at + 4, (uint32_t)(ns % 1000000000));
	put32(at + 8, caplen);
	put32(at + 12, f->bytes);
	memcpy(at + RECORD, f->f, caplen);
	o->used += RECORD + caplen;
	return 0;
}

uint32_t bench_out_taps(const struct bench_out *o, uint32_t from, uint32_t to)
{
	return from % o->job->taps == to % o->job->taps ? 1 : 2;
}

/* Those that have arrived at |ns|, or one at least where there is no room. */
static int arrive(struct bench_out *o, int64_t ns)
{
	while (o->later_n) {
		const struct later *l = &o->later[o->later_head];

		if (l->ns > ns && o->later_n < HOLDS)
			break;
		if (o->written < o->job->packets &&
		    write_record(o, l->tap, l->ns, &l->f))
			return -1;
		o->later_head = (o->later_head + 1) % HOLDS;
		o->later_n--;
	}
	return 0;
}

static void pass_switch(struct bench_frame *f, bool routed, bool mark)
{
	uint8_t *ip = f->f + BENCH_IP;

	if (WIRE_GET(eth, type, f->f) != ETYPE_IPV4)
		return;
	WIRE_SET(ipv4, ttl, ip, WIRE_GET(ipv4, ttl, ip) - routed);
	if (mark)
		WIRE_SET(ipv4, ecn, ip, ECN_CE);
	frame_ipv4_sum(ip);
}

int bench_out_frame(struct bench_out *o, int64_t ns,
		    const struct bench_frame *f, uint32_t taps, bool mark)
{
	bool two = bench_out_taps(o, f->from, f->to) == 2;
	struct later *l;

	if (arrive(o, ns))
		return -1;
	if (!taps || o->written == o->job->packets)
		return 0;
	if (!two && !mark)
		return write_record(o, f->from % o->job->taps, ns, f);
	if (two && write_record(o, f->from % o->job->taps, ns, f))
		return -1;
	if (two && taps < 2)
		return 0;
	l = &o->later[(o->later_head + o->later_n++) % HOLDS];
	*l = (struct later) { two ? ns + HOP_NS : ns, f->to % o->job->taps,
			      *f };
	pass_switch(&l->f, two, mark);
	return two ? 0 : arrive(o, ns);
}

uint64_t bench_out_written(const struct bench_out *o)
{
	return o->written;
}

static int open_pcap(struct bench_out *o)
{
	o->fd = strcmp(o->out, "-") != 0
			? open(o->out, O_WRONLY | O_CREAT | O_TRUNC, 0666)
			: dup(STDOUT_FILENO);
	if (o->fd < 0)
		return err_errno(o->err, "%s", o->out);
	o->buffer = mem_new(BUFFER);
	put32(o->buffer, 0xa1b23c4d); /* nanoseconds */
	put32(o->buffer + 4, 4u << 16 | 2);
	if (*(const uint8_t *)o->buffer == 0xa1) /* big-endian machine */
		put32(o->buffer + 4, 2u << 16 | 4);
	put32(o->buffer + 8, 0);
	put32(o->buffer + 12, 0);
	put32(o->buffer + 16, o->job->snaplen);
	put32(o->buffer + 20, LINKTYPE_ETHERNET);
	o->used = 24;
	return 0;
}

static int open_pcapng(struct bench_out *o)
{
	char name[32];
	struct pcapng_interface i = { .name = name,
				      .speed_bps = UINT64_C(400000000000),
				      .snaplen = o->job->snaplen,
				      .linktype = LINKTYPE_ETHERNET };

	o->ng = pcapng_writer_new(o->out, "fabscope simulate --bench", o->err);
	if (!o->ng)
		return -1;
	for (uint32_t k = 0; k < o->job->taps; k++) {
		snprintf(name, sizeof name, "port %u", k);
		if (pcapng_writer_interface(o->ng, &i, o->err) < 0)
			return -1;
	}
	return 0;
}

struct bench_out *bench_out_new(const struct bench_job *job, struct err *err)
{
	struct bench_out *o = mem_new(sizeof *o);

	o->job = job;
	o->fd = -1;
	o->err = err;
	o->mirrors = rng_fork(job->seed, "mirrors", 0);
	o->later = mem_new(HOLDS * sizeof *o->later);
	o->out = products_add(&o->products, job->out, err);
	if (o->out && !(job->pcapng ? open_pcapng(o) : open_pcap(o)))
		return o;
	bench_out_close(o, -1, err);
	return NULL;
}

int bench_out_close(struct bench_out *o, int rc, struct err *err)
{
	if (o->ng && pcapng_writer_close(o->ng, rc ? NULL : err))
		rc = -1;
	if (o->fd >= 0) {
		if (!rc && flush(o))
			rc = -1;
		if (close(o->fd) && !rc)
			rc = err_errno(err, "%s", o->out);
	}
	rc = products_finish(&o->products, rc, err);
	free(o->buffer);
	free(o->later);
	free(o);
	return rc;
}

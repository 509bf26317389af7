/* SPDX-License-Identifier: GPL-2.0-or-later
 * Header-only captures of many packets, for measuring speed.
 *
 * No fabric here: every pair of QPs, or PDC, has its headers ready made, and
 * per packet little changes.  The traffic is what capture points at busy
 * hosts see: messages of all lengths, several pairs between two hosts, short
 * bursts of each pair in turn, an ACK every 4 to 16 packets 5 us later.
 *
 * What goes wrong is answered as it is on the wire.  A lost packet is gone
 * upstream of the capture points, between them, or downstream.  Where
 * packets follow it the receiver sends a NAK and the sender goes back (RoCE)
 * or sends it again (UET); where none does, or a retransmission is lost,
 * there is silence until the retransmission timeout.  A marked packet is
 * answered with a CNP, at most one in 50 us a pair, and the pair sends less
 * for a while; with UET the next ACK says so.  A reordered packet comes
 * behind the next one, and the receiver takes both.  A PFC pause stops what
 * goes to one host. */
#include "simulate/bench.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "simulate/mem.h"

enum {
	ANSWER_AFTER_NS = 5000,
	DATA_NS = 84, /* 4 KiB packet at 400 Gb/s */
	ANSWER_NS = 2,
	LINKS_MOST = 1024,
	STALL_NS = 20000,      /* from a NAK to the first retransmission */
	RTO_NS = 4194304,      /* timer 10 of the specification */
	CNP_GAP_NS = 50000,    /* between CNPs of a pair */
	SLOW_NS = 300000,      /* a CNP is felt so long */
	PAUSE_LEAST_NS = 5000, /* XOFF to XON */
	PAUSE_MOST_NS = 60000, /* 65535 quanta are 84 us */
	NAK_AFTER = 12,        /* packets that follow a lost one */
	DUE_MOST = 4096,
	PRIORITY = 3,
	DSCP_DATA = 26,
	PAYLOADS = 256,
};

struct bench {
	const struct bench_job *job;
	const struct bench_transport *how;
	struct bench_mix mix;
	struct pair *pairs;
	uint16_t *ip_id; /* by host */
	struct due *due; /* a ring, oldest first */
	size_t due_head, due_n;
	struct rng rng;
	int64_t ns;
	uint32_t links; /* as many data packets in DATA_NS */
	uint32_t sent;  /* of them, in this one */
	int64_t xon_ns; /* when |paused| may get data again; 0: it may */
	uint32_t paused;
	struct bench_out *out;
};

static uint8_t payload[PAYLOADS + BENCH_SNAP_MOST];

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
	WIRE_SET(ipv4, dscp, ip, DSCP_DATA);
	WIRE_SET(ipv4, ecn, ip, ECN_ECT0);
	WIRE_SET(ipv4, ttl, ip, 62);
	frame_ipv4_sum(ip);
	WIRE_SET(udp, sport, udp, sport);
	WIRE_SET(udp, dport, udp, dport);
	WIRE_SET(udp, len, udp, bytes - BENCH_UDP);
	WIRE_SET(udp, csum, udp, 0);
}

void bench_payload(const struct pair *p, uint8_t *f, uint32_t at, uint32_t snap)
{
	if (at < snap)
		memcpy(f + at, payload + (p->first_psn + p->next) % PAYLOADS,
		       snap - at);
}

/* --- packets --- */

static void make_pair(struct bench *b, struct pair *p, uint32_t i)
{
	uint32_t hosts = b->job->pairs / b->job->per_host + 2;

	p->mix = &b->mix;
	p->src = i / b->job->per_host;
	p->dst = (p->src + 1) % hosts;
	p->first_psn = i & 1 ? 0 : (uint32_t)rng_below(&b->rng, 1 << 24);
	p->ack_every = 4 + (uint32_t)rng_below(&b->rng, 13);
	p->phase = b->mix.message[rng_below(&b->rng, b->mix.messages)].first;
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

static void promise(struct bench *b, struct pair *p, struct due d)
{
	if (b->due_n == DUE_MOST)
		return; /* an answer the less: the next one covers it */
	d.ns = b->ns + ANSWER_AFTER_NS;
	d.pair = (uint32_t)(p - b->pairs);
	b->due[(b->due_head + b->due_n++) % DUE_MOST] = d;
}

/* Part of a READ that the responder sends. */
static bool is_response(const struct pair *p, const struct bench_place *w)
{
	return w->message->kind == BENCH_READ && p->requested;
}

static bool is_request(const struct pair *p, const struct bench_place *w)
{
	return w->message->kind == BENCH_READ && !p->requested;
}

static int put_answer(struct bench *b, const struct bench_frame *f)
{
	int64_t ns = b->ns;

	b->ns += b->links == 1 ? ANSWER_NS : 0;
	return bench_out_frame(b->out, ns, f, 2, false);
}

static int answer(struct bench *b, const struct due *d)
{
	struct pair *p = &b->pairs[d->pair];
	struct bench_frame f = { .from = d->back ? p->src : p->dst,
				 .to = d->back ? p->dst : p->src };
	bool asks = false;

	if (d->what == BENCH_NAK) {
		/* a READ that misses a response is asked for once more */
		asks = bench_where(p, d->index).message->kind == BENCH_READ;
		b->how->refused(p, d->index);
		p->hole = BENCH_NO_HOLE;
		p->requested = false;
		p->stalled_to = b->ns + STALL_NS;
	}
	if (d->what == BENCH_CNP)
		p->slow_to = b->ns + SLOW_NS;
	if (asks)
		return 0;
	p->answered = true;
	f.bytes = b->how->answer(p, d, f.f);
	next_ip_id(b, f.f, f.from);
	b->how->seal(f.f, f.bytes);
	return put_answer(b, &f);
}

/* The links of all capture points send at the same time. */
static void pass_time(struct bench *b)
{
	if (++b->sent < b->links)
		return;
	b->sent = 0;
	b->ns += DATA_NS;
}

/* --- pauses --- */

static int write_pause(struct bench *b, uint16_t quanta)
{
	struct bench_frame f = { .from = b->paused,
				 .to = b->paused,
				 .bytes = 60 };
	uint8_t *pfc = f.f + WIRE_SIZE_eth;
	uint8_t *time = WIRE_PTR(pfc, time0, pfc) + 2 * PRIORITY;

	memcpy(WIRE_PTR(eth, dmac, f.f), "\x01\x80\xc2\x00\x00\x01", 6);
	frame_mac(WIRE_PTR(eth, smac, f.f), b->paused);
	WIRE_SET(eth, type, f.f, ETYPE_PAUSE);
	WIRE_SET(pfc, opcode, pfc, MAC_CONTROL_PFC);
	WIRE_SET(pfc, enable, pfc, 1 << PRIORITY);
	time[0] = (uint8_t)(quanta >> 8);
	time[1] = (uint8_t)quanta;
	return put_answer(b, &f);
}

static int pause_host(struct bench *b, uint32_t host)
{
	uint64_t more = rng_below(&b->rng, PAUSE_MOST_NS - PAUSE_LEAST_NS);

	b->paused = host;
	b->xon_ns = b->ns + PAUSE_LEAST_NS + (int64_t)more;
	return write_pause(b, UINT16_MAX);
}

static int unpause(struct bench *b)
{
	b->xon_ns = 0;
	return write_pause(b, 0);
}

/* --- data --- */

/* One packet as its sender makes it. */
static void make_data(struct bench *b, struct pair *p, bool ack,
		      struct bench_frame *f)
{
	struct bench_place w = bench_where(p, p->next);
	bool back = is_response(p, &w);

	f->from = back ? p->dst : p->src;
	f->to = back ? p->src : p->dst;
	f->bytes = b->how->data(p, ack, f->f, b->job->snaplen);
	next_ip_id(b, f->f, f->from);
	if (f->bytes <= b->job->snaplen)
		b->how->seal(f->f, f->bytes);
}

static bool wants_ack(const struct pair *p, const struct bench_place *w,
		      uint64_t index)
{
	return w->message->kind != BENCH_READ &&
	       (w->last || index % p->ack_every == 0);
}

/* Behind a loss.  What nobody sends a NAK for waits for the timer. */
static void lose(struct bench *b, struct pair *p, const struct bench_place *w)
{
	bool tail = w->last && rng_below(&b->rng, 4) == 0;

	if (!tail && p->next == p->highest && !is_request(p, w)) {
		p->hole = p->next;
		p->until_nak = NAK_AFTER;
		p->next++;
		return;
	}
	if (p->highest == p->next && !is_request(p, w))
		p->highest++;
	p->requested = false;
	p->stalled_to = b->ns + RTO_NS;
}

/* To what is sent next. */
static void advance(struct bench *b, struct pair *p,
		    const struct bench_place *w)
{
	if (is_request(p, w)) {
		p->requested = true;
		p->stalled_to = b->ns + ANSWER_AFTER_NS;
		return;
	}
	if (w->last)
		p->requested = false;
	p->next = p->resume ? p->resume : p->next + 1;
	p->resume = 0;
}

static void arrived(struct bench *b, struct pair *p,
		    const struct bench_place *w, uint64_t index, bool marked)
{
	bool has_cnp = marked && !b->how->has_cnps;
	struct due d = { .back = is_response(p, w),
			 .marked = marked,
			 .index = p->resume ? p->highest - 1 : index };

	if (marked && b->how->has_cnps && b->ns >= p->cnp_after) {
		p->cnp_after = b->ns + CNP_GAP_NS;
		d.what = BENCH_CNP;
		promise(b, p, d);
	}
	d.what = BENCH_ACK;
	if (p->hole == BENCH_NO_HOLE && (has_cnp || wants_ack(p, w, index)))
		promise(b, p, d);
}

/* The next packet comes first. */
static int send_reordered(struct bench *b, struct pair *p)
{
	struct bench_place w[2] = { bench_where(p, p->next),
				    bench_where(p, p->next + 1) };
	struct bench_frame f[2];

	for (unsigned i = 0; i < 2; i++, p->next++)
		make_data(b, p, wants_ack(p, &w[i], p->next), &f[i]);
	p->highest = p->next;
	for (unsigned i = 2; i-- > 0; pass_time(b))
		if (bench_out_frame(b->out, b->ns, &f[i], 2, false))
			return -1;
	for (unsigned i = 0; i < 2; i++)
		arrived(b, p, &w[i], p->next - 2 + i, false);
	return 0;
}

static bool may_reorder(struct bench *b, const struct pair *p)
{
	return p->next == p->highest && p->hole == BENCH_NO_HOLE &&
	       bench_where(p, p->next).message->kind != BENCH_READ &&
	       bench_where(p, p->next + 1).message->kind != BENCH_READ &&
	       rng_chance(&b->rng, b->job->reorder);
}

static int send_data(struct bench *b, struct pair *p)
{
	struct bench_place w = bench_where(p, p->next);
	bool lost =
		p->hole == BENCH_NO_HOLE && rng_chance(&b->rng, b->job->loss);
	bool marked = !is_request(p, &w) && rng_chance(&b->rng, b->job->mark);
	struct bench_frame f;
	int64_t ns = b->ns;
	uint32_t taps;

	if (!lost && may_reorder(b, p))
		return send_reordered(b, p);
	make_data(b, p, wants_ack(p, &w, p->next), &f);
	taps = bench_out_taps(b->out, f.from, f.to);
	if (lost)
		taps = (uint32_t)rng_below(&b->rng, taps + 1);
	pass_time(b);
	if (p->hole != BENCH_NO_HOLE && --p->until_nak == NAK_AFTER - 1)
		promise(b, p,
			(struct due) { .what = BENCH_NAK, .index = p->hole });
	if (lost) {
		lose(b, p, &w);
	} else {
		arrived(b, p, &w, p->next, marked);
		advance(b, p, &w);
	}
	if (p->next > p->highest)
		p->highest = p->next;
	if (bench_out_frame(b->out, ns, &f, taps, marked))
		return -1;
	if (!b->xon_ns && rng_chance(&b->rng, b->job->pause))
		return pause_host(b, f.to);
	return 0;
}

static bool may_send(const struct bench *b, const struct pair *p)
{
	struct bench_place w;

	if (b->ns < p->stalled_to)
		return false;
	if (p->hole == BENCH_NO_HOLE && !b->xon_ns)
		return true;
	w = bench_where(p, p->next);
	if (b->xon_ns && b->paused == (is_response(p, &w) ? p->src : p->dst))
		return false;
	/* who misses a packet does not answer a READ that follows it */
	return p->hole == BENCH_NO_HOLE ||
	       (p->until_nak > 1 &&
		!(is_response(p, &w) && p->next - w.at > p->hole));
}

static int send_due(struct bench *b)
{
	if (b->xon_ns && b->ns >= b->xon_ns && unpause(b))
		return -1;
	while (b->due_n && b->due[b->due_head].ns <= b->ns) {
		struct due d = b->due[b->due_head];

		b->due_head = (b->due_head + 1) % DUE_MOST;
		b->due_n--;
		if (answer(b, &d))
			return -1;
	}
	return 0;
}

static int run(struct bench *b)
{
	while (bench_out_written(b->out) < b->job->packets) {
		struct pair *p = &b->pairs[rng_below(&b->rng, b->job->pairs)];
		unsigned burst = 1 + (unsigned)rng_below(&b->rng, 8);

		if (b->ns < p->slow_to && burst & 1)
			continue;
		if (!may_send(b, p))
			pass_time(b);
		for (; burst; burst--) {
			if (may_send(b, p) && send_data(b, p))
				return -1;
			if (send_due(b))
				return -1;
		}
	}
	return 0;
}

static int check(const struct bench_job *job, struct err *err)
{
	const struct bench_transport *how = job->uet ? &bench_uet : &bench_roce;

	if (job->snaplen < how->snap_least || job->snaplen > BENCH_SNAP_MOST)
		return err_set(err, ERR_USAGE, "snaplen from %u to %d",
			       how->snap_least, BENCH_SNAP_MOST);
	if (job->pairs > 1 << 22)
		return err_set(err, ERR_USAGE, "at most %d pairs", 1 << 22);
	if (job->message > 1 << 12)
		return err_set(err, ERR_USAGE, "at most %d packets a message",
			       1 << 12);
	if (job->taps > 1 << 16 || (job->taps > 1 && !job->pcapng))
		return err_set(err, ERR_USAGE,
			       "at most %d capture points, and more than one "
			       "only with --pcapng",
			       1 << 16);
	return 0;
}

int bench_run(const struct bench_job *job, struct err *err)
{
	struct bench b = { .job = job };
	uint32_t hosts = job->pairs / job->per_host + 2;
	int rc;

	if (check(job, err))
		return -1;
	b.how = job->uet ? &bench_uet : &bench_roce;
	b.links = job->links ? job->links : job->taps;
	if (b.links > LINKS_MOST)
		b.links = LINKS_MOST;
	b.rng = rng_fork(job->seed, "bench", 0);
	for (size_t i = 0; i < sizeof payload; i++)
		payload[i] = (uint8_t)(i * 7);
	bench_mix_init(&b.mix, job->message, b.how->reads);
	b.pairs = mem_new(job->pairs * sizeof *b.pairs);
	b.ip_id = mem_new(hosts * sizeof *b.ip_id);
	b.due = mem_new(DUE_MOST * sizeof *b.due);
	for (uint32_t i = 0; i < job->pairs; i++)
		make_pair(&b, &b.pairs[i], i);
	b.out = bench_out_new(job, err);
	rc = b.out ? bench_out_close(b.out, run(&b), err) : -1;
	bench_mix_fini(&b.mix);
	free(b.pairs);
	free(b.ip_id);
	free(b.due);
	return rc;
}

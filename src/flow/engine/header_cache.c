/* SPDX-License-Identifier: GPL-2.0-or-later
 * Frames instead of packets.
 *
 * The next packet of a flow has the headers of the one before but for its PSN,
 * its IP identification and the AckReq bit.  So a frame and what was read from
 * it are kept as a pattern, one for each opcode that a flow uses; a frame with
 * the same head needs no decoding beyond those fields and no look-up, and where
 * it is in order too, it never becomes a struct packet in memory.  Patterns
 * hold no state of the flow: a frame that fits none is decoded and fed like
 * any other. */
#include <stdlib.h>

#include "decode/plain_uet.h"
#include "flow/core/find.h"
#include "flow/engine/internal.h"
#include "flow/fastpath/fast.h"
#include "flow/fastpath/uet_fast.h"

enum {
	PATTERNS_LOG = 12,
	PATTERNS = 1 << PATTERNS_LOG, /* engine_frame.pattern has room */
	TOGETHER = 16, /* frames; what they need fits the nearest cache */
	LINE = 64,
	SOME_FLOWS = 32, /* fewer stay in the cache by themselves */
};

typedef uint64_t pair_of_words
	__attribute__((vector_size(16), aligned(1), may_alias));

struct pattern {
	_Alignas(64) uint8_t head[PLAIN_UET_HEAD];
	struct flow *flow;   /* NULL: empty */
	const uint8_t *mask; /* of the head: what has to be the same */
	uint64_t context;    /* UET: that of the flow ... */
	uint32_t id;         /* of the flow, which another epoch changes */
	uint32_t place;
	uint32_t least; /* bytes captured of a frame to be like it */
	uint32_t whole; /* UET: of all of it, for the CRC; RoCE: not 0 if it
			 * has to be looked at */
	uint32_t len;   /* UET: ... over so many from the BTH on */
	uint16_t reth;  /* offsets from the BTH, 0: none */
	uint16_t aeth;
	uint16_t fixed; /* RoCE: bytes from the BTH on, the payload left out */
	bool answer, six;
	uint8_t transport; /* ... and its transport */
	struct packet like;
};

struct patterns {
	struct pattern pattern[PATTERNS];
	/* IPv4, IPv6; with lengths that must be equal, or any; without and
	 * with a tag; the rest is zero. */
	uint8_t mask[2][2][2][PLAIN_UET_HEAD];
	/* IPv4, IPv6; without and with a tag: of packets in a run. */
	uint8_t run_mask[2][2][PLAIN_UET_HEAD];
	/* Requests, answers; UDP, native; without and with a tag. */
	uint8_t uet_mask[2][2][2][PLAIN_UET_HEAD];
};

void patterns_fini(struct engine *e)
{
	free(e->patterns);
}

/* As long as the one before, and as marked. */
static void run_mask(uint8_t *mask, size_t tag, bool six)
{
	uint8_t *ip = mask + WIRE_SIZE_eth + tag;

	plain_mask(mask, tag, six, false);
	if (six)
		WIRE_SET(ipv6, ecn, ip, 3);
	else
		WIRE_SET(ipv4, ecn, ip, 3);
}

/* Without memory there are none, which costs time only. */
void patterns_init(struct engine *e)
{
	e->patterns =
		aligned_alloc(_Alignof(struct pattern), sizeof *e->patterns);
	if (!e->patterns)
		return;
	for (unsigned i = 0; i < PATTERNS; i++)
		e->patterns->pattern[i].flow = NULL;
	for (unsigned tag = 0; tag < 2; tag++) {
		for (unsigned k = 0; k < 4; k++)
			plain_mask(e->patterns->mask[k / 2][k % 2][tag],
				   tag * WIRE_SIZE_vlan, k / 2, k % 2);
		for (unsigned six = 0; six < 2; six++)
			run_mask(e->patterns->run_mask[six][tag],
				 tag * WIRE_SIZE_vlan, six);
		for (unsigned k = 0; k < 4; k++)
			plain_uet_mask(e->patterns->uet_mask[k / 2][k % 2][tag],
				       tag * WIRE_SIZE_vlan, k % 2, k / 2);
	}
}

static inline bool same_head(const uint8_t *a, const uint8_t *b,
			     const uint8_t *mask, unsigned n)
{
	const unsigned last = n - sizeof(pair_of_words);
	pair_of_words differ = { 0 };

	/* The last overlaps: not a byte behind the head is read. */
	for (unsigned k = 0; k < n; k += sizeof differ) {
		unsigned i = k < last ? k : last;

		differ |= (*(const pair_of_words *)(a + i) ^
			   *(const pair_of_words *)(b + i)) &
			  *(const pair_of_words *)(mask + i);
	}
	return !(differ[0] | differ[1]);
}

/* The bytes of the tag in front of a plain IPv4 header, if it is one. */
static inline size_t tag_of(const uint8_t *frame)
{
	return WIRE_GET(eth, type, frame) == ETYPE_VLAN ? WIRE_SIZE_vlan : 0;
}

/* Eight bytes in any order: IP addresses to be hashed. */
static inline uint64_t word_at(const uint8_t *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof word);
	return word;
}

static inline struct pattern *pattern_of(struct patterns *all, uint64_t hosts,
					 const uint8_t *bth, uint32_t tap)
{
	uint64_t h = hosts;

	h ^= (WIRE_GET(bth, opcode, bth) << 56 ^ WIRE_GET(bth, destqp, bth) ^
	      (uint64_t)tap << 32) *
	     0x9e3779b97f4a7c15u;
	h *= 0xd6e8feb86659fd93u;
	return &all->pattern[h >> (64 - PATTERNS_LOG)];
}

static inline struct pattern *
roce_pattern_of(struct patterns *all, const uint8_t *ip, bool six, uint32_t tap)
{
	const uint8_t *src =
		six ? WIRE_PTR(ipv6, src, ip) + 8 : WIRE_PTR(ipv4, src, ip);
	uint64_t hosts = word_at(src);

	/* hosts differ at the end of their addresses */
	if (six)
		hosts = hosts * 31 ^ word_at(WIRE_PTR(ipv6, dst, ip) + 8);
	return pattern_of(all, hosts, ip + plain_front(six), tap);
}

/* A frame about which a pattern could tell anything. */
static inline bool may_fit(const struct engine *e,
			   const struct decode_options *options,
			   const struct decode_input *in)
{
	return e->patterns && in->linktype == LINKTYPE_ETHERNET &&
	       !in->fcs_len && in->caplen >= PLAIN_HEAD &&
	       !options->int_dscp_mask;
}

/* |in|, in which IP begins at |ip|, read by its pattern; false: its lengths
 * contradict themselves, or what is not there can not be left out. */
static inline __attribute__((always_inline)) bool
read_by(const struct pattern *l, const struct engine_frame *in,
	const uint8_t *ip, bool six, struct packet *p)
{
	size_t front = (size_t)(ip - in->in.data) + plain_front(six);
	size_t len = plain_length(ip, six);

	plain_again(
		&(struct plain_like) { &l->like, ip, six, l->reth, l->fixed },
		p);
	p->ns = in->ns;
	p->order = in->order;
	p->frame = in->number;
	p->wire_len = in->in.wirelen;
	if (len > UINT16_MAX || p->payload > len ||
	    (six && front + len > in->in.wirelen))
		return false;
	if (in->in.caplen >= front + len && l->whole)
		transport_icrc(p, six ? ICRC_IPV6 : ICRC_IPV4, ip,
			       in->in.data + front, len, false);
	return true;
}

/* When it is sure that the packet is one of the flow: another that only looks
 * like it gives no flow a series. */
static inline void roll(struct engine *e, const struct pattern *l,
			const struct engine_frame *in)
{
	if (in->ns >= l->flow->bin_end)
		bins_roll(e, l->flow, in->ns);
}

static __attribute__((noinline)) bool pass_answer(struct engine *e,
						  const struct pattern *l,
						  const struct engine_frame *in,
						  const uint8_t *ip)
{
	struct packet p;

	if (!read_by(l, in, ip, l->six, &p))
		return false;
	if (l->aeth)
		plain_aeth(ip + plain_front(l->six), l->aeth, &p);
	if (!fast_answer_now(e, l->flow, &p))
		return false;
	roll(e, l, in);
	fast_answer(e, l->flow, &p);
	return true;
}

/* How many of the |most| frames behind |in| go on with the message of |p|, the
 * packet in that, which is taken. */
static inline __attribute__((always_inline)) size_t
pass_run(struct engine *e, const struct pattern *l,
	 const struct engine_frame *in, size_t most, bool six, struct packet *p)
{
	const size_t link = WIRE_SIZE_eth + tag_of(in->in.data);
	struct fast_run r;

	if (!fast_run_usual(e, p))
		return 0;
	r = fast_run_begin(e, l->flow, p);
	for (const struct engine_frame *f = in + 1; f <= in + most; f++) {
		const uint8_t *ip = f->in.data + link;
		const uint8_t *bth = ip + plain_front(six);

		if (!fast_run_next(e, &r, p, (uint32_t)WIRE_GET(bth, psn, bth),
				   f->ns))
			break;
		p->ns = f->ns;
		p->order = f->order;
		p->frame = f->number;
		plain_run(ip, six, p);
		fast_run_take(e, l->flow, &r, p);
	}
	if (r.n)
		fast_run_end(l->flow, &r, p);
	return r.n;
}

/* The next packet of a flow, and up to |more| behind it that are alike; how
 * many that were.  |p| never leaves the registers. */
static inline __attribute__((always_inline)) size_t
pass(struct engine *e, const struct pattern *l, const struct engine_frame *in,
     size_t more, bool six)
{
	const uint8_t *frame = in->in.data;
	const uint8_t *ip = frame + WIRE_SIZE_eth + tag_of(frame);
	struct packet p;

	if (l->like.tap != in->tap || l->id != l->flow->id ||
	    l->place != tap_place(e, in->tap) || in->in.caplen < l->least ||
	    !same_head(frame, l->head, l->mask,
		       six ? PLAIN_SIX_HEAD : PLAIN_HEAD))
		return false;
	if (l->answer)
		return pass_answer(e, l, in, ip);
	if (!read_by(l, in, ip, six, &p) || !fast_now(e, l->flow, &p))
		return false;
	roll(e, l, in);
	fast_take(e, l->flow, &p);
	return 1 + (more ? pass_run(e, l, in, more, six, &p) : 0);
}

/* The same behind IPv6. */
static __attribute__((noinline)) size_t pass_six(struct engine *e,
						 const struct pattern *l,
						 const struct engine_frame *in,
						 size_t more)
{
	return pass(e, l, in, more, true);
}

/* Is it Ultra Ethernet, if anything that is known here? */
static inline bool seems_uet(const uint8_t *ip,
			     const struct decode_options *options)
{
	uint64_t proto = WIRE_GET(ipv4, proto, ip);

	return proto == PROTO_UDP ? WIRE_GET(udp, dport, ip + WIRE_SIZE_ipv4) ==
					    options->uet_ports[0]
				  : proto == options->uet_protocols[0];
}

static inline const uint8_t *pds_of(const uint8_t *ip)
{
	return ip + plain_uet_front(WIRE_GET(ipv4, proto, ip) != PROTO_UDP);
}

static inline struct pattern *uet_pattern_of(struct patterns *all,
					     const uint8_t *ip,
					     const uint8_t *pds, uint32_t tap)
{
	uint64_t h = word_at(WIRE_PTR(ipv4, src, ip));

	/* Both PDC ids, and the type. */
	h ^= ((word_at(WIRE_PTR(pds_req, psn, pds)) >> 32) ^
	      (uint64_t)*pds << 32 ^ (uint64_t)tap << 40) *
	     0x9e3779b97f4a7c15u;
	h *= 0xd6e8feb86659fd93u;
	return &all->pattern[h >> (64 - PATTERNS_LOG)];
}

static __attribute__((noinline)) bool
pass_uet_answer(struct engine *e, const struct pattern *l,
		const struct engine_frame *in, const uint8_t *ip,
		struct uet_ev_spot ev)
{
	bool native = l->like.uet.flags & UET_NATIVE;
	size_t front = plain_uet_front(native), left = in->in.caplen;
	const uint8_t *l4 = ip + WIRE_SIZE_ipv4;
	struct packet p;

	memcpy(&p, &l->like, offsetof(struct packet, uet));
	left -= (size_t)(ip - in->in.data) + front;
	if (!plain_uet_answer(ip + front, left < l->len ? left : l->len, l->len,
			      native, &p))
		return false;
	p.ns = in->ns;
	p.order = in->order;
	p.frame = in->number;
	p.wire_len = in->in.wirelen;
	p.ip_id = (uint16_t)WIRE_GET(ipv4, id, ip);
	p.tos = plain_tos(ip);
	p.sport = (uint16_t)WIRE_GET(udp, sport, l4); /* or entropy */
	p.icrc = 0;
	p.icrc_status = ICRC_UNCHECKABLE;
	if (in->in.caplen >= l->whole)
		plain_uet_crc(&(struct plain_whole) { ip, l->len }, &p);
	if (p.uet.return_code > SES_RC_OK || !uet_answer_now(e, l->flow, &p))
		return false;
	roll(e, l, in);
	uet_answer_take(e, l->flow, &p, ev);
	return true;
}

/* The same as pass(). */
static __attribute__((noinline)) bool pass_uet(struct engine *e,
					       const struct pattern *l,
					       const struct engine_frame *in)
{
	const uint8_t *frame = in->in.data;
	size_t tag = tag_of(frame);
	const uint8_t *ip = frame + WIRE_SIZE_eth + tag, *pds = pds_of(ip);
	struct uet_ev_spot ev;
	struct packet p;

	if (!e->evs)
		return false;
	ev = uet_ev_spot(e->evs, l->flow->route,
			 (uint16_t)WIRE_GET(udp, sport, ip + WIRE_SIZE_ipv4));
	__builtin_prefetch(ev.line, 1); /* it takes the longest to come */
	if (l->like.tap != in->tap || l->id != l->flow->id ||
	    l->place != tap_place(e, in->tap) || in->in.caplen < l->least ||
	    !same_head(frame, l->head, l->mask, PLAIN_UET_HEAD))
		return false;
	if (l->answer)
		return pass_uet_answer(e, l, in, ip, ev);
	if (!plain_uet_again(ip, pds, &l->like, &p))
		return false;
	p.ns = in->ns;
	p.order = in->order;
	p.frame = in->number;
	p.wire_len = in->in.wirelen;
	if (in->in.caplen >= l->whole)
		plain_uet_crc(&(struct plain_whole) { ip, l->len }, &p);
	if (!uet_fast_like(e, l->flow, &p, l->context, l->transport))
		return false;
	roll(e, l, in);
	uet_fast_take(e, l->flow, &p, ev);
	return true;
}

static void keep_uet(struct engine *e, const struct decode_options *options,
		     const struct engine_frame *in, const struct packet *p)
{
	const uint8_t *frame = in->in.data, *ip;
	uint32_t place = tap_place(e, in->tap), aux;
	uint32_t number = uet_number(p, &aux);
	uint64_t hash = flow_hash(p, number, place, aux);
	struct flow *f = flow_find(e, p, hash, number, place, aux);
	struct plain_whole whole;
	struct pattern *l;
	size_t have;
	bool native;

	if (!f || !flow_is_uet(f) || in->in.caplen < PLAIN_UET_HEAD ||
	    !(uet_answer_kind(p) || uet_context_usual(f, p)) ||
	    !uet_service_usual(f, p))
		return;
	ip = frame + WIRE_SIZE_eth + tag_of(frame);
	l = uet_pattern_of(e->patterns, ip, pds_of(ip), in->tap);
	l->flow = NULL;
	if (plain_link(&in->in, &l->like, &have) != ip ||
	    !plain_uet_ip(ip, have, options, &l->like, &whole))
		return;
	memcpy(l->head, frame, PLAIN_UET_HEAD);
	l->like.tap = in->tap;
	l->flow = f;
	l->id = f->id;
	l->place = place;
	l->answer = l->like.uet.flags & UET_RESPONSE;
	l->context = f->uet.context;
	l->transport = f->transport;
	native = l->like.uet.flags & UET_NATIVE;
	l->mask = e->patterns->uet_mask[l->answer][native][tag_of(frame) > 0];
	plain_uet_like(&l->like);
	l->len = (uint32_t)whole.len;
	l->whole = (uint32_t)(ip - frame) + l->len +
		   (uint32_t)plain_uet_front(native);
	l->least = l->whole - l->len +
		   (l->answer ? l->len - UET_TRAILER : PLAIN_UET_HEADERS);
	if (options->skip_icrc)
		l->whole = UINT32_MAX;
}

/* Plain Ethernet, IP and UDP to the first RoCE port, as |p| has it: nothing
 * between them and nothing around them. */
static inline bool is_plain(const struct decode_options *options,
			    const struct engine_frame *in,
			    const struct packet *p, const uint8_t *ip)
{
	const uint32_t odd =
		PACKET_TUNNELLED | PACKET_SHIM | PACKET_V1 | PACKET_SRV6;
	bool six = p->flags & PACKET_IPV6;
	const uint8_t *frame = in->in.data, *udp;
	uint64_t type = tag_of(frame)
				? WIRE_GET(vlan, type, frame + WIRE_SIZE_eth)
				: WIRE_GET(eth, type, frame);

	if (p->flags & odd || p->opcode >= PLAIN_OPCODES ||
	    type != (six ? ETYPE_IPV6 : ETYPE_IPV4) ||
	    in->in.caplen < (six ? PLAIN_SIX_HEAD : PLAIN_HEAD))
		return false;
	udp = ip + plain_front(six) - WIRE_SIZE_udp;
	return (six ? WIRE_GET(ipv6, next, ip) == PROTO_UDP
		    : (WIRE_WORD(ipv4, 0, ip) & PLAIN_BITS) == PLAIN_IPV4 &&
				WIRE_GET(ipv4, proto, ip) == PROTO_UDP) &&
	       WIRE_GET(udp, dport, udp) == options->roce_ports[0];
}

/* Bytes of a frame with all headers, |link| of them before IP, and no fewer
 * than are compared. */
static inline uint32_t least_of(long link, bool six,
				const struct wire_opcode *op)
{
	size_t all = (size_t)link + plain_front(six) + op->headers;
	size_t head = six ? PLAIN_SIX_HEAD : PLAIN_HEAD;

	return (uint32_t)(all > head ? all : head);
}

/* |p|, which was in |in| and has been followed, is what the next of its flow
 * will look like. */
static void keep(struct engine *e, const struct decode_options *options,
		 const struct engine_frame *in, const struct packet *p)
{
	const uint8_t *frame = in->in.data;
	const uint8_t *ip = frame + WIRE_SIZE_eth + tag_of(frame);
	uint32_t place = tap_place(e, in->tap);
	uint64_t hash = flow_hash(p, p->dst_qp, place, 0);
	struct flow *f = flow_find(e, p, hash, p->dst_qp, place, 0);
	const struct wire_opcode *op = wire_opcode(p->opcode);
	bool six = p->flags & PACKET_IPV6;
	bool lengths =
		op->payload != PAYLOAD_NONE && op->payload != PAYLOAD_EIGHT;
	struct pattern *l;

	/* Where headers were cut, their flags are not set. */
	if (!f || !is_plain(options, in, p, ip) ||
	    in->in.caplen < least_of(ip - frame, six, op))
		return;
	l = roce_pattern_of(e->patterns, ip, six, in->tap);
	memcpy(l->head, frame, six ? PLAIN_SIX_HEAD : PLAIN_HEAD);
	l->mask = e->patterns->mask[six][lengths][tag_of(frame) > 0];
	l->like = *p;
	l->like.tap = in->tap;
	l->flow = f;
	l->id = f->id;
	l->place = place;
	l->reth = WIRE_AT(op, reth);
	l->aeth = WIRE_AT(op, aeth);
	l->fixed = op->headers + ICRC_SIZE;
	l->six = six;
	l->answer = e->op[p->opcode] & IS_RESPONSE;
	l->least = least_of(ip - frame, six, op);
	l->whole = !options->skip_icrc;
}

/* Decoded, and followed when its turn comes. */
static __attribute__((noinline)) void
slowly(struct engine *e, const struct decode_options *options,
       const struct engine_frame *f)
{
	bool few = e->n_flows < ENGINE_MANY_FLOWS;
	struct packet *p = &e->held[e->n_held];

	p->ns = f->ns;
	p->order = f->order;
	p->frame = f->number;
	p->tap = f->tap;
	packet_decode(&f->in, options, p);
	if (++e->n_held < ENGINE_HELD && !few)
		return;
	engine_flush(e);
	if (!few || !may_fit(e, options, &f->in))
		return;
	if (fast_kind(e, p) || fast_answer_kind(e, p))
		keep(e, options, f, p);
	else if (uet_fast_kind(p) || uet_answer_kind(p))
		keep_uet(e, options, f, p);
}

/* Where the pattern of such a frame is; NULL: it has none. */
static inline const struct pattern *
pattern_at(const struct engine *e, const struct decode_options *options,
	   const struct engine_frame *f)
{
	const uint8_t *ip = f->in.data + WIRE_SIZE_eth;

	if (!may_fit(e, options, &f->in))
		return NULL;
	ip += tag_of(f->in.data);
	if (WIRE_GET(ipv6, version, ip) == 6)
		return f->in.caplen < PLAIN_SIX_HEAD
			       ? NULL
			       : roce_pattern_of(e->patterns, ip, true, f->tap);
	if (!seems_uet(ip, options))
		return roce_pattern_of(e->patterns, ip, false, f->tap);
	return f->in.caplen < PLAIN_UET_HEAD
		       ? NULL
		       : uet_pattern_of(e->patterns, ip, pds_of(ip), f->tap);
}

/* Is |f|, of a tap as the one before, as long and as marked as that, and all
 * else but what each packet has of its own the same? */
static inline bool like_before(const struct engine *e,
			       const struct engine_frame *f)
{
	const struct engine_frame *before = f - 1;
	const uint8_t *a = f->in.data, *b = before->in.data;
	size_t tag = tag_of(b);
	const struct patterns *all = e->patterns;

	if (f->tap != before->tap || f->in.caplen != before->in.caplen ||
	    f->in.wirelen != before->in.wirelen ||
	    f->in.linktype != before->in.linktype ||
	    f->in.fcs_len != before->in.fcs_len)
		return false;
	if (WIRE_GET(ipv6, version, b + WIRE_SIZE_eth + tag) == 6)
		return same_head(a, b, all->run_mask[true][tag > 0],
				 PLAIN_SIX_HEAD);
	return same_head(a, b, all->run_mask[false][tag > 0], PLAIN_HEAD);
}

/* A pattern has the head of one kind of packet only: others do not fit. */
static inline size_t pass_any(struct engine *e, const struct pattern *l,
			      const struct engine_frame *f, size_t more)
{
	if (!l || !l->flow)
		return 0;
	if (l->like.kind == PACKET_UET)
		return pass_uet(e, l, f);
	return l->six ? pass_six(e, l, f, more) : pass(e, l, f, more, false);
}

/* What a packet of RoCE needs of its pattern, and what it will touch of the
 * flow that this one names: see struct flow. */
PREFETCHES fetch_pattern(const struct pattern *l)
{
	const size_t end = offsetof(struct pattern, like.uet);

	for (size_t k = 0; k < (end + LINE - 1) / LINE; k++)
		__builtin_prefetch((const char *)l + k * LINE);
}

PREFETCHES fetch_flow(const struct pattern *l)
{
	const char *f = (const char *)l->flow;

	for (unsigned k = 0; k < 4; k++)
		__builtin_prefetch(f + k * LINE, 1);
	if (l->answer)
		__builtin_prefetch(f + 5 * LINE, 1);
}

/* Two things happen to a frame before it is its turn: its pattern is fetched,
 * then the flow that this one names. */
static void fetch(const struct pattern *const *l, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (l[i])
			fetch_pattern(l[i]);
	for (size_t i = 0; i < n; i++)
		if (l[i] && l[i]->flow)
			fetch_flow(l[i]);
}

/* The pattern of |f|, which |*like| the one before it, if that had |before|. */
static inline const struct pattern *
look(const struct engine *e, const struct decode_options *options,
     const struct engine_frame *f, const struct pattern *before, bool *like)
{
	*like = before && like_before(e, f);
	return *like ? before : pattern_at(e, options, f);
}

void engine_look(const struct engine *e, const struct decode_options *options,
		 struct engine_frame *f, size_t n)
{
	const struct pattern *l = NULL;

	for (size_t i = 0; i < n; i++) {
		l = look(e, options, &f[i], l, &f[i].like);
		f[i].pattern = l ? (uint16_t)(l - e->patterns->pattern + 1) : 0;
		f[i].looked = true;
	}
}

/* What engine_look() found; the frames themselves are fetched, as they come
 * from another core.  Returns the bits of those like the one before. */
static __attribute__((noinline)) uint32_t
looked_up(const struct engine *e, const struct engine_frame *f, size_t n,
	  const struct pattern **l)
{
	uint32_t runs = 0;

	for (size_t i = 0; i < n; i++) {
		__builtin_prefetch(f[i].in.data);
		l[i] = f[i].pattern ? &e->patterns->pattern[f[i].pattern - 1]
				    : NULL;
		runs |= (uint32_t)f[i].like << i;
	}
	return runs;
}

static inline uint32_t look_up_all(const struct engine *e,
				   const struct decode_options *options,
				   const struct engine_frame *f, size_t n,
				   const struct pattern **l)
{
	const struct pattern *before = NULL;
	uint32_t runs = 0;
	bool like;

	for (size_t i = 0; i < n; i++) {
		before = l[i] = look(e, options, &f[i], before, &like);
		runs |= (uint32_t)like << i;
	}
	return runs;
}

static void together(struct engine *e, const struct decode_options *options,
		     const struct engine_frame *f, size_t n)
{
	const struct pattern *l[TOGETHER];
	/* bit i: frame i is like the one before */
	uint32_t runs = f->looked ? looked_up(e, f, n, l)
				  : look_up_all(e, options, f, n, l);

	if (e->n_flows >= SOME_FLOWS && n > 1)
		fetch(l, n);
	/* With many flows it is better to look at more packets at once. */
	for (size_t i = 0, k; i < n; i += k) {
		/* there is no bit TOGETHER */
		size_t more = (size_t)__builtin_ctz(~(runs >> (i + 1)));

		k = e->n_flows < ENGINE_MANY_FLOWS
			    ? pass_any(e, l[i], &f[i], more)
			    : 0;
		if (!k) {
			slowly(e, options, &f[i]);
			k = 1;
		}
	}
}

void engine_frames(struct engine *e, const struct decode_options *options,
		   const struct engine_frame *f, size_t n)
{
	size_t i = 0;

	for (; e->n_flows < ENGINE_MANY_FLOWS && i < n; i += TOGETHER)
		together(e, options, f + i,
			 n - i < TOGETHER ? n - i : TOGETHER);
	for (; i < n; i++)
		slowly(e, options, &f[i]);
}

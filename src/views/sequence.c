/* SPDX-License-Identifier: GPL-2.0-or-later
 * A flow packet by packet, gathered in columns of time. */
#include "views/sequence.h"

#include <stdlib.h>

#include "base/clamp.h"
#include "decode/packet.h"
#include "wire/wire.h"

enum {
	RECENT = 1 << 16, /* packets that are known by PSN; a power of 2 */
	BIN_COLUMNS = SEQUENCE_COLUMNS / SEQUENCE_BINS,
	SYNDROME_CREDIT = 0x1f,
	SYNDROME_KIND = 0x60, /* AETH, bits 6 and 5 (IBTA vol 1, 9.7.5.2.1) */
	OP_IN_SERVICE = 0x1f, /* BTH opcode without the service */
};

/* A packet that was sent. */
struct sent {
	int64_t number, ns;
	int64_t bytes; /* payload of the flow up to and with it, once each */
	bool again;
	bool used;
};

/* PSNs counted on. */
struct space {
	int64_t base; /* PSN of number 0, -1: none yet */
	int64_t high; /* highest number */
};

struct sequence {
	int64_t from_ns, to_ns;
	unsigned bits;
	uint32_t pmtu;
	struct space requests, responses;
	int64_t acked;       /* highest number acknowledged, -1 none */
	int64_t acked_bytes; /* payload up to it */
	int64_t bytes;       /* payload sent, each PSN once */
	int64_t granted;     /* credit, since the first grant */
	uint32_t last_grant; /* as the ACK said it */
	bool grants;         /* there was one */
	uint64_t wire[SEQUENCE_BINS];
	uint64_t counts[SERIES_KINDS];
	struct sequence_run ranges[SERIES_KINDS];
	int64_t highest[SEQUENCE_COLUMNS]; /* of requests, at its end */
	struct sequence_cell cells[SERIES_KINDS][SEQUENCE_COLUMNS];
	struct sent recent[RECENT];
};

struct sequence *sequence_new(int64_t from_ns, int64_t to_ns, unsigned bits,
			      uint32_t pmtu)
{
	struct sequence *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->from_ns = from_ns;
	s->to_ns = to_ns;
	s->bits = bits;
	s->pmtu = pmtu;
	s->requests.base = s->responses.base = s->acked = -1;
	for (size_t i = 0; i < SEQUENCE_COLUMNS; i++)
		s->highest[i] = -1;
	return s;
}

void sequence_free(struct sequence *s)
{
	free(s);
}

/* ---- columns -------------------------------------------------------- */

static bool is_shown(const struct sequence *s, int64_t ns)
{
	return ns >= s->from_ns && ns <= s->to_ns;
}

static size_t column_of(const struct sequence *s, int64_t ns)
{
	double part = (double)(ns - s->from_ns) /
		      ((double)(s->to_ns - s->from_ns) + 1);
	size_t column = (size_t)(part * SEQUENCE_COLUMNS);

	return column < SEQUENCE_COLUMNS ? column : SEQUENCE_COLUMNS - 1;
}

static void merge(struct sequence_cell *c, size_t i)
{
	if (c->runs[i + 1].high > c->runs[i].high)
		c->runs[i].high = c->runs[i + 1].high;
	for (size_t k = i + 1; k + 1 < c->n; k++)
		c->runs[k] = c->runs[k + 1];
	c->n--;
}

/* The two that are nearest to each other become one. */
static void make_room(struct sequence_cell *c)
{
	size_t best = 0;

	for (size_t i = 1; i + 1 < c->n; i++)
		if (c->runs[i + 1].low - c->runs[i].high <
		    c->runs[best + 1].low - c->runs[best].high)
			best = i;
	merge(c, best);
}

static void cell_add(struct sequence_cell *c, struct sequence_run r)
{
	size_t i = c->n++;

	/* most often behind the last */
	for (; i > 0 && c->runs[i - 1].low > r.low; i--)
		c->runs[i] = c->runs[i - 1];
	c->runs[i] = r;
	if (i > 0 && r.low <= c->runs[i - 1].high + 1)
		merge(c, --i);
	while (i + 1 < c->n && c->runs[i + 1].low <= c->runs[i].high + 1)
		merge(c, i);
	if (c->n > SEQUENCE_RUNS)
		make_room(c);
}

static void add(struct sequence *s, enum sequence_series series, int64_t ns,
		int64_t v)
{
	struct sequence_run *r = &s->ranges[series];
	struct sequence_cell *c;

	if (!is_shown(s, ns))
		return;
	if (!s->counts[series] || v < r->low)
		r->low = v;
	if (!s->counts[series] || v > r->high)
		r->high = v;
	s->counts[series]++;
	c = &s->cells[series][column_of(s, ns)];
	cell_add(c, (struct sequence_run) { v, v });
	c->last = v;
}

/* ---- numbers -------------------------------------------------------- */

/* |psn| counted on, next to |near|. */
static int64_t unwrap(const struct sequence *s, const struct space *n,
		      int64_t near, uint32_t psn)
{
	unsigned spare = 32 - s->bits;
	uint32_t step = psn - (uint32_t)(n->base + near);

	return near + ((int32_t)(step << spare) >> spare);
}

static int64_t number_of(const struct sequence *s, struct space *n,
			 uint32_t psn)
{
	if (n->base < 0) {
		n->base = psn;
		n->high = 0;
		return 0;
	}
	return unwrap(s, n, n->high, psn);
}

static struct sent *sent_at(struct sequence *s, int64_t number)
{
	return &s->recent[(uint64_t)number & (RECENT - 1)];
}

/* What was sent as |number|, NULL: not seen, or too long ago. */
static struct sent *sent_as(struct sequence *s, int64_t number)
{
	struct sent *t = sent_at(s, number);

	return t->used && t->number == number ? t : NULL;
}

/* ---- the flow itself ------------------------------------------------ */

static void in_flight(struct sequence *s, int64_t ns)
{
	if (s->acked >= 0)
		add(s, SERIES_FLIGHT, ns, s->bytes - s->acked_bytes);
}

/* The PSNs that |p| takes: a READ those of its responses. */
static uint32_t psns_of(const struct sequence *s, const struct packet *p)
{
	if (p->kind != PACKET_ROCE || !(p->flags & PACKET_HAS_RETH) ||
	    (p->opcode & OP_IN_SERVICE) != RC_READ_REQUEST || !s->pmtu ||
	    !p->dma_len)
		return 1;
	return (p->dma_len - 1) / s->pmtu + 1;
}

static void request(struct sequence *s, const struct packet *p)
{
	bool first = s->requests.base < 0;
	int64_t number = number_of(s, &s->requests, p->psn);
	struct sent *before = sent_as(s, number);

	if (first || number > s->requests.high) {
		s->requests.high = number + psns_of(s, p) - 1;
		add(s, SERIES_SENT, p->ns, number);
	} else {
		add(s, before ? SERIES_AGAIN : SERIES_LATE, p->ns, number);
	}
	if (before) {
		before->again = true;
		return;
	}
	s->bytes += p->payload;
	*sent_at(s, number) = (struct sent) {
		.number = number, .ns = p->ns, .bytes = s->bytes, .used = true
	};
	in_flight(s, p->ns);
}

static void response(struct sequence *s, const struct packet *p)
{
	bool first = s->responses.base < 0;
	int64_t number = number_of(s, &s->responses, p->psn);

	if (first || number > s->responses.high) {
		s->responses.high = number;
		add(s, SERIES_RESPONSE, p->ns, number);
	} else {
		add(s, SERIES_RESPONSE_AGAIN, p->ns, number);
	}
}

/* ---- what its receiver says ----------------------------------------- */

/* The receiver has all up to |psn|. */
static void acknowledged(struct sequence *s, int64_t ns, uint32_t psn)
{
	int64_t number;
	struct sent *t;

	if (s->requests.base < 0)
		return;
	number = unwrap(s, &s->requests, s->requests.high, psn);
	if (number < 0 || number > s->requests.high || number < s->acked)
		return;
	add(s, SERIES_ACKED, ns, number);
	if (number == s->acked)
		return;
	s->acked = number;
	t = sent_as(s, number);
	if (!t)
		return;
	/* which of two copies it answers nobody knows (Karn) */
	if (!t->again && ns >= t->ns)
		add(s, SERIES_DELAY, ns, ns - t->ns);
	if (t->bytes > s->acked_bytes)
		s->acked_bytes = t->bytes;
	in_flight(s, ns);
}

/* |psn| alone. */
static void named(struct sequence *s, enum sequence_series series, int64_t ns,
		  uint32_t psn)
{
	int64_t number;

	if (s->requests.base < 0)
		return;
	number = unwrap(s, &s->requests, s->requests.high, psn);
	if (number >= 0 && number <= s->requests.high + 1)
		add(s, series, ns, number);
}

static bool is_reply(const struct packet *p)
{
	return (wire_opcode(p->opcode)->does & OP_REPLY) != 0;
}

static bool is_acknowledge(const struct packet *p)
{
	return is_reply(p) && (p->opcode & OP_IN_SERVICE) == RC_ACK;
}

/* End-to-end credits of an ACK: 0, 1, 2, 3, 4, 6, 8, 12... messages beyond its
 * MSN (IBTA vol 1, 9.7.7.2.5); the last code says that there are none. */
static void credited(struct sequence *s, const struct packet *p)
{
	unsigned code = p->syndrome & SYNDROME_CREDIT;

	if (code == SYNDROME_CREDIT)
		return;
	add(s, SERIES_CREDIT, p->ns,
	    code < 2 ? code : (int64_t)(2 + code % 2) << (code / 2 - 1));
}

/* The count of what was granted has 24 bits and wraps. */
static void granted(struct sequence *s, const struct packet *p)
{
	enum { WRAP = 1 << 24 };
	uint32_t more = (p->uet.ack.amount - s->last_grant) & (WRAP - 1);

	if (!s->grants)
		more = 0;
	/* an older ACK says less */
	if (more >= WRAP / 2)
		return;
	s->grants = true;
	s->granted += more;
	s->last_grant = p->uet.ack.amount;
	add(s, SERIES_GRANTED, p->ns, s->granted);
}

static void roce(struct sequence *s, const struct packet *p, bool reverse)
{
	if (!reverse) {
		if (!is_reply(p))
			request(s, p);
		else if (!is_acknowledge(p))
			response(s, p);
		return;
	}
	if (!is_reply(p))
		return;
	if (is_acknowledge(p) && (p->syndrome & SYNDROME_KIND)) {
		named(s, SERIES_NAK, p->ns, p->psn);
		acknowledged(s, p->ns, p->psn - 1);
		return;
	}
	if (is_acknowledge(p))
		credited(s, p);
	acknowledged(s, p->ns, p->psn);
}

static void uet_reverse(struct sequence *s, const struct packet *p)
{
	switch (p->uet.type) {
	case PDS_ACK:
	case PDS_ACK_CC:
	case PDS_ACK_CCX:
		acknowledged(s, p->ns, p->uet.ack.cack);
		if (p->uet.flags & UET_CREDIT)
			granted(s, p);
		if (p->psn != p->uet.ack.cack && !(p->uet.flags & UET_PROBE))
			named(s, SERIES_SACKED, p->ns, p->psn);
		break;
	case PDS_NACK:
	case PDS_NACK_CCX:
		named(s, SERIES_NAK, p->ns, p->psn);
		break;
	default:
		break;
	}
}

static void uet(struct sequence *s, const struct packet *p, bool reverse)
{
	if (!(p->uet.flags & UET_PDS) || (p->uet.flags & UET_RUDI))
		return;
	if (reverse) {
		uet_reverse(s, p);
		return;
	}
	switch (p->uet.type) {
	case PDS_RUD_REQ:
	case PDS_ROD_REQ:
	case PDS_RUD_CC_REQ:
	case PDS_ROD_CC_REQ:
		request(s, p);
		break;
	default:
		break;
	}
}

void sequence_packet(struct sequence *s, const struct packet *p, bool reverse)
{
	enum { ECN = 3, CE = 3 };

	if (p->kind == PACKET_CNP) {
		if (reverse)
			add(s, SERIES_CNP, p->ns, 0);
		return;
	}
	if (!reverse && is_shown(s, p->ns)) {
		s->wire[column_of(s, p->ns) / BIN_COLUMNS] += p->wire_len;
		if ((p->tos & ECN) == CE)
			add(s, SERIES_CE, p->ns, 0);
	}
	if (p->status != PACKET_OK)
		return;
	if (p->kind == PACKET_ROCE)
		roce(s, p, reverse);
	else if (p->kind == PACKET_UET)
		uet(s, p, reverse);
	if (is_shown(s, p->ns))
		s->highest[column_of(s, p->ns)] = s->requests.high;
}

void sequence_mark(struct sequence *s, enum sequence_series series, int64_t ns,
		   uint32_t psn)
{
	size_t column;

	if (s->requests.base < 0 || !is_shown(s, ns))
		return;
	for (column = column_of(s, ns); s->highest[column] < 0; column--)
		if (!column)
			return;
	add(s, series, ns, unwrap(s, &s->requests, s->highest[column], psn));
}

/* ---- results -------------------------------------------------------- */

const struct sequence_cell *sequence_cell(const struct sequence *s,
					  enum sequence_series series,
					  size_t column)
{
	return &s->cells[series][column];
}

bool sequence_range(const struct sequence *s, enum sequence_series series,
		    struct sequence_run *range)
{
	*range = s->ranges[series];
	return s->counts[series] > 0;
}

uint64_t sequence_count(const struct sequence *s, enum sequence_series series)
{
	return s->counts[series];
}

int64_t sequence_bin_ns(const struct sequence *s)
{
	return (int64_t)(((double)(s->to_ns - s->from_ns) + 1) / SEQUENCE_BINS);
}

int64_t sequence_rate(const struct sequence *s, size_t bin)
{
	double ns = ((double)(s->to_ns - s->from_ns) + 1) / SEQUENCE_BINS;

	return clamp_real((double)s->wire[bin] * 8e9 / ns);
}

int64_t sequence_base(const struct sequence *s, bool responses)
{
	return responses ? s->responses.base : s->requests.base;
}

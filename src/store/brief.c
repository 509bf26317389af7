/* SPDX-License-Identifier: GPL-2.0-or-later
 * See brief.h. */
#include "store/brief.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/huge.h"
#include "base/search.h"
#include "base/sort.h"

/* A pair of hosts at a tap: two have one number with probability 2^-64. */
static int64_t pair_of(const char *src, const char *dst, uint32_t tap)
{
	return (int64_t)hash6((uintptr_t)src, (uintptr_t)dst, tap, 0, 0, 0);
}

static int64_t pair(const void *row)
{
	const struct brief *b = row;

	return pair_of(b->src, b->dst, b->tap);
}

/* That of the other direction. */
static int64_t back(const void *row)
{
	const struct brief *b = row;

	return pair_of(b->dst, b->src, b->tap);
}

static int64_t dscp_cnp(const void *row)
{
	const struct brief *b = row;

	return b->dscp_cnp == BRIEF_NO_DSCP ? FACT_UNKNOWN : b->dscp_cnp;
}

#define BRIEF(m) COL(#m, struct brief, m, PLAIN)
#define SHORT(m) COL(#m, struct brief, m, NEGATIVE_IS_NULL)

enum { TAP = 5 };

static const struct column columns[] = {
	BRIEF(id),
	BRIEF(src),
	BRIEF(dst),
	COMPUTED("pair", pair),
	COMPUTED("back", back),
	[TAP] = COL("tap_id", struct brief, tap, FROM_ONE),
	COL("peer_flow_id", struct brief, peer, ZERO_IS_NULL),
	BRIEF(epoch),
	SHORT(dst_qp),
	SHORT(spdcid),
	SHORT(dpdcid),
	SHORT(job_id),
	SHORT(ttl),
	COMPUTED("dscp_cnp", dscp_cnp),
	ENUM("transport", struct brief, transport, flow_transport_names),
	BRIEF(spray_suspect),
	BRIEF(spans_reads),
	BRIEF(first_ns),
	BRIEF(wire_bytes),
	BRIEF(goodput_bytes),
	BRIEF(requests),
	BRIEF(messages),
	BRIEF(payload_bytes),
	BRIEF(expected),
	BRIEF(capture_missing),
	BRIEF(unresolved),
	BRIEF(nak_seq),
	BRIEF(rtt_sender_ns),
	BRIEF(rtt_receiver_ns),
};

struct brief_host {
	struct addr address;
	char *text;
};

/* ---- hosts ---- */

static uint32_t *slot_of(const struct briefs *b, struct addr a)
{
	size_t at = hash2(a.w[0], a.w[1]);

	for (;; at++) {
		uint32_t *slot = &b->slots[at & (b->n_slots - 1)];

		if (!*slot || addr_equal(b->hosts[*slot - 1].address, a))
			return slot;
	}
}

static bool widen(struct briefs *b)
{
	uint32_t n = b->n_slots ? 4 * b->n_slots : 64;
	struct brief_host *hosts = reallocarray(b->hosts, n / 2, sizeof *hosts);
	uint32_t *slots = calloc(n, sizeof *slots);

	if (hosts)
		b->hosts = hosts;
	if (!hosts || !slots) {
		free(slots);
		return false;
	}
	free(b->slots);
	b->slots = slots;
	b->n_slots = n;
	for (uint32_t i = 0; i < b->n_hosts; i++)
		*slot_of(b, b->hosts[i].address) = i + 1;
	return true;
}

/* NULL: no memory. */
static const char *text_of(struct briefs *b, struct addr a, const char *text)
{
	char buf[ADDR_TEXT], *own;
	uint32_t *slot;

	if (2 * b->n_hosts >= b->n_slots && !widen(b))
		return NULL;
	slot = slot_of(b, a);
	if (!*slot) {
		own = strdup(text ? text : addr_text(a, buf));
		if (!own)
			return NULL;
		b->hosts[b->n_hosts++] = (struct brief_host) { a, own };
		*slot = b->n_hosts;
	}
	return b->hosts[*slot - 1].text;
}

/* ---- rows ---- */

/* Nothing is taken by those that are not used. */
enum { ROOM = 8192 };

static struct brief *another(struct briefs *b)
{
	if (b->n_rows == b->room) {
		size_t room = b->room ? 2 * b->room : ROOM;
		struct brief *rows = huge_grow(b->rows, b->room * sizeof *rows,
					       room * sizeof *rows);

		if (!rows)
			return NULL;
		b->rows = rows;
		b->room = room;
	}
	return &b->rows[b->n_rows++];
}

static int brief_number(int64_t v)
{
	return v == FACT_UNKNOWN ? -1 : (int)v;
}

/* Twice as long as others, if there is one. */
static int64_t slow(const struct fact_flow *f)
{
	int64_t mean = f->latency_mean_ns;

	return mean != FACT_UNKNOWN && f->latency_max_ns > 2 * mean
		       ? 2 * mean
		       : FACT_UNKNOWN;
}

bool brief_add(struct briefs *b, const struct fact_flow *f, const char *src,
	       const char *dst)
{
	struct brief *r = another(b);

	if (!r)
		return false;
	*r = (struct brief) {
		.id = f->id,
		.src = text_of(b, f->src, src),
		.dst = text_of(b, f->dst, dst),
		.tap = f->tap,
		.peer = f->peer,
		.epoch = f->epoch,
		.dst_qp = brief_number(f->dst_qp),
		.spdcid = brief_number(f->spdcid),
		.dpdcid = brief_number(f->dpdcid),
		.job_id = brief_number(f->job_id),
		.ttl = brief_number(f->ttl),
		.dscp_cnp = f->dscp_cnp == FACT_UNKNOWN ? BRIEF_NO_DSCP
							: (uint8_t)f->dscp_cnp,
		.transport = (uint8_t)f->transport,
		.spray_suspect = f->spray_suspect,
		.spans_reads = f->spans_reads,
		.first_ns = f->first_ns,
		.all_requests = f->packets == f->requests,
		.no_request = !f->requests && f->responses,
		.wire_bytes = (int64_t)(f->bytes + 24 * f->packets),
		.payload_bytes = (int64_t)f->payload_bytes,
		.goodput_bytes = row_readable(f, f->goodput_bytes),
		.requests = (int64_t)f->requests,
		.messages = row_readable(f, f->messages),
		.expected = (int64_t)f->expected,
		.capture_missing = f->capture_missing,
		.unresolved = f->unresolved,
		.nak_seq = f->nak_seq,
		.slow_ns = slow(f),
		.rtt_sender_ns = f->rtt_sender_ns,
		.rtt_receiver_ns = f->rtt_receiver_ns,
	};
	return r->src && r->dst;
}

static int by_id(const void *a, const void *b)
{
	const struct brief *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

int brief_show(struct briefs *b, struct store *s, struct err *err)
{
	bool mixed = false, one_tap = true;

	for (size_t i = 1; i < b->n_rows; i++) {
		mixed = mixed || b->rows[i].id < b->rows[i - 1].id;
		one_tap = one_tap && b->rows[i].tap == b->rows[0].tap;
	}
	if (mixed)
		qsort(b->rows, b->n_rows, sizeof *b->rows, by_id);
	b->array = (struct array) {
		.name = "flow_brief",
		.columns = COLUMN_LIST(columns),
		.size = sizeof *b->rows,
		.rows = b->rows,
		.n = b->n_rows,
		.same = one_tap ? TAP : 0,
	};
	b->shown = true;
	return array_show(s, &b->array, err);
}

void brief_free(struct briefs *b, struct store *s)
{
	if (!b)
		return;
	if (b->shown)
		array_hide(s, &b->array);
	for (uint32_t i = 0; i < b->n_hosts; i++)
		free(b->hosts[i].text);
	free(b->hosts);
	free(b->slots);
	huge_free(b->rows, b->room * sizeof *b->rows);
	free(b);
}

const struct brief *brief_of(const struct briefs *b, int64_t id)
{
	size_t i = search_dense_at(b->rows, b->n_rows, sizeof *b->rows,
				   offsetof(struct brief, id), id);

	return i < b->n_rows && b->rows[i].id == id ? &b->rows[i] : NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * A story of packets written by hand, and what the engine made of it. */
#include "scene.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

const struct engine_options scene_options = { .jitter_ns = US };

static void *grown(void *array, size_t count, size_t *room, size_t size)
{
	if (count < *room)
		return array;
	*room = *room ? 2 * *room : 64;
	array = realloc(array, *room * size);
	assert_non_null(array);
	return array;
}

static int serial(uint32_t a, uint32_t b)
{
	return (int32_t)((a - b) << 8) >> 8;
}

/* ---- the story ---- */

struct scene *scene_new(void)
{
	struct scene *s = calloc(1, sizeof *s);

	assert_non_null(s);
	s->now = 1700000000 * SECOND;
	s->step = STEP;
	for (int i = 0; i < HOSTS; i++)
		s->next_id[i] = (uint16_t)(1000 * (i + 1));
	return s;
}

void scene_free(struct scene *s)
{
	for (size_t i = 0; i < s->n_ends; i++)
		free(s->ends[i].psn);
	record_free(s->records);
	free(s->packets);
	free(s);
}

int scene_setup(void **state)
{
	*state = scene_new();
	return 0;
}

int scene_teardown(void **state)
{
	scene_free(*state);
	return 0;
}

struct addr host_addr(int host)
{
	const uint8_t v4[4] = { 10, 0, 0, (uint8_t)(host + 1) };

	return addr_from_v4(v4);
}

uint16_t linux_sport(uint32_t qa, uint32_t qb)
{
	uint64_t v = (uint64_t)qa * qb;
	uint32_t fold;

	v ^= v >> 20;
	v ^= v >> 40;
	fold = v & 0xfffff;
	return (uint16_t)(0xc000 | ((fold & 0x3fff) ^ (fold >> 14)));
}

static struct ends *new_ends(struct scene *s)
{
	assert_true(s->n_ends < REQUESTERS);
	return &s->ends[s->n_ends++];
}

struct pair pair(struct scene *s, int a, int b, uint32_t qa, uint32_t qb)
{
	const uint16_t sport = linux_sport(qa, qb);

	return (struct pair) { .scene = s,
			       .a = a,
			       .b = b,
			       .qa = qa,
			       .qb = qb,
			       .service = RC,
			       .sport_a = sport,
			       .sport_b = sport,
			       .ttl = 64,
			       .ends = new_ends(s) };
}

struct pair usual(struct scene *s)
{
	return pair(s, HOST_A, HOST_B, 0x11, 0x12);
}

struct pair pair_reversed(const struct pair *p)
{
	struct pair r = *p;

	r.a = p->b;
	r.b = p->a;
	r.qa = p->qb;
	r.qb = p->qa;
	r.sport_a = p->sport_b;
	r.sport_b = p->sport_a;
	r.ends = new_ends(p->scene);
	return r;
}

void pause_ns(struct scene *s, int64_t ns)
{
	s->now += ns;
}

struct packet *last_packet(struct scene *s)
{
	assert_true(s->count > 0);
	return &s->packets[s->count - 1];
}

struct packet *scene_append(struct scene *s)
{
	s->packets = grown(s->packets, s->count, &s->room, sizeof *s->packets);
	memset(&s->packets[s->count], 0, sizeof *s->packets);
	return &s->packets[s->count++];
}

void duplicate(struct scene *s, int64_t ns)
{
	struct packet *p = scene_append(s);

	*p = s->packets[s->count - 2];
	p->ns += ns;
	p->frame = s->count;
	if (s->now < p->ns)
		s->now = p->ns;
}

static int by_time(const void *left, const void *right)
{
	const struct packet *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns < b->ns ? -1 : 1;
	return (a->frame > b->frame) - (a->frame < b->frame);
}

void scene_sort(struct scene *s)
{
	qsort(s->packets, s->count, sizeof *s->packets, by_time);
	for (size_t i = 0; i < s->count; i++)
		s->packets[i].frame = i + 1;
}

/* ---- one packet ---- */

static uint32_t extension_flags(const struct pair *p, enum operation op)
{
	uint32_t flags = 0;

	switch (op) {
	case OP_WRITE_FIRST:
	case OP_WRITE_ONLY:
	case OP_READ_REQUEST:
		flags |= PACKET_HAS_RETH;
		break;
	case OP_READ_FIRST:
	case OP_READ_LAST:
	case OP_READ_ONLY:
	case OP_ACK:
	case OP_ATOMIC_ACK:
		flags |= PACKET_HAS_AETH;
		break;
	default:
		break;
	}
	if (p->service == UD)
		flags |= PACKET_HAS_DETH;
	if (p->service == XRC && (op < OP_READ_FIRST || op > OP_ATOMIC_ACK))
		flags |= PACKET_HAS_XRCETH;
	return flags;
}

static uint32_t extension_length(uint32_t flags, enum operation op)
{
	uint32_t length = 0;

	length += flags & PACKET_HAS_RETH ? 16 : 0;
	length += flags & PACKET_HAS_AETH ? 4 : 0;
	length += flags & PACKET_HAS_DETH ? 8 : 0;
	length += flags & PACKET_HAS_XRCETH ? 4 : 0;
	length += op == OP_ATOMIC_ACK ? 8 : 0;
	length += op == OP_FETCH_ADD ? 28 : 0;
	return length;
}

static uint32_t payload_of(enum operation op)
{
	switch (op) {
	case OP_READ_REQUEST:
	case OP_ACK:
	case OP_ATOMIC_ACK:
	case OP_FETCH_ADD:
		return 0;
	default:
		return PMTU;
	}
}

/* Any function of what the true ICRC covers will do. */
static uint32_t stand_in_icrc(const struct packet *p)
{
	uint32_t h = 2166136261u;

	h = (h ^ p->psn) * 16777619u;
	h = (h ^ p->dst_qp) * 16777619u;
	h = (h ^ p->ip_id) * 16777619u;
	h = (h ^ p->opcode) * 16777619u;
	return h;
}

static struct packet *emit(struct pair *p, bool from_b, enum operation op,
			   uint32_t psn)
{
	struct scene *s = p->scene;
	struct packet *out = scene_append(s);
	const int from = from_b ? p->b : p->a;

	s->now += s->step;
	out->ns = s->now;
	out->frame = s->count;
	out->tap = s->tap;
	out->src = host_addr(from);
	out->dst = host_addr(from_b ? p->a : p->b);
	out->psn = psn & 0xffffff;
	out->dst_qp = from_b ? p->qa : p->qb;
	out->flags = extension_flags(p, op);
	out->payload = payload_of(op);
	out->wire_len = 14 + 20 + 8 + 12 + extension_length(out->flags, op) +
			out->payload + 4;
	out->status = PACKET_OK;
	out->kind = PACKET_ROCE;
	out->opcode = (uint8_t)(p->service | op);
	out->icrc_status = ICRC_GOOD;
	out->ttl = p->ttl;
	out->pcp = 0xff;
	out->vlan = 0xffff;
	out->sport = from_b ? p->sport_b : p->sport_a;
	out->ip_id = s->constant_ip_id ? 0 : s->next_id[from]++;
	out->src_mac = 0x020000000000u + (uint64_t)from;
	out->src_qp = p->service == UD ? p->qa : p->srq;
	out->dma_len = out->flags & PACKET_HAS_RETH ? out->payload : 0;
	out->icrc = stand_in_icrc(out);
	return out;
}

/* ---- requests ---- */

static void ends_add(struct ends *e, uint32_t psn)
{
	size_t at = e->count;

	while (at > 0 && serial(e->psn[at - 1], psn) > 0)
		at--;
	if (at > 0 && e->psn[at - 1] == psn)
		return;
	e->psn = grown(e->psn, e->count, &e->room, sizeof *e->psn);
	memmove(e->psn + at + 1, e->psn + at, (e->count - at) * sizeof *e->psn);
	e->psn[at] = psn;
	e->count++;
}

static uint32_t ends_up_to(const struct ends *e, uint32_t psn)
{
	size_t at = e->count;

	while (at > 0 && serial(e->psn[at - 1], psn) > 0)
		at--;
	return (uint32_t)at;
}

static bool ends_message(enum operation op)
{
	return op == OP_SEND_LAST || op == OP_SEND_ONLY ||
	       op == OP_WRITE_LAST || op == OP_WRITE_ONLY || op == OP_FETCH_ADD;
}

void request(struct pair *p, enum operation op, uint32_t psn)
{
	struct packet *out = emit(p, false, op, psn);

	if (!ends_message(op))
		return;
	out->flags |= PACKET_ACKREQ;
	ends_add(p->ends, psn & 0xffffff);
}

void data_list(struct pair *p, const uint32_t *psn, size_t n)
{
	for (size_t i = 0; i < n; i++)
		request(p, OP_WRITE_ONLY, psn[i]);
}

void data_run(struct pair *p, uint32_t first, uint32_t last)
{
	for (uint32_t psn = first; psn <= last; psn++)
		request(p, OP_WRITE_ONLY, psn);
}

void unseen(struct pair *p, uint32_t psn)
{
	ends_add(p->ends, psn & 0xffffff);
	p->scene->next_id[p->a]++;
	p->scene->now += p->scene->step;
}

void ends_before(struct pair *p, uint32_t psn)
{
	ends_add(p->ends, psn & 0xffffff);
}

uint16_t reordered(struct pair *p)
{
	return p->scene->next_id[p->a]++;
}

void late(struct pair *p, uint32_t psn, uint16_t ip_id)
{
	struct packet *out;

	request(p, OP_WRITE_ONLY, psn);
	p->scene->next_id[p->a]--;
	out = last_packet(p->scene);
	out->ip_id = ip_id;
	out->icrc = stand_in_icrc(out);
}

void message_part(struct pair *p, uint32_t psn, uint32_t n, uint32_t k)
{
	request(p,
		n == 1       ? OP_WRITE_ONLY
		: !k         ? OP_WRITE_FIRST
		: k == n - 1 ? OP_WRITE_LAST
			     : OP_WRITE_MIDDLE,
		psn + k);
	if (!k && n > 1)
		last_packet(p->scene)->dma_len = n * PMTU;
}

void write_message(struct pair *p, uint32_t psn, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		message_part(p, psn, n, k);
}

void read_request(struct pair *p, uint32_t psn, uint32_t n)
{
	struct packet *out = emit(p, false, OP_READ_REQUEST, psn);

	out->flags |= PACKET_ACKREQ;
	out->dma_len = n * PMTU;
	ends_add(p->ends, (psn + n - 1) & 0xffffff);
}

/* ---- answers ---- */

void read_response(struct pair *p, uint32_t psn, uint32_t n, uint32_t k)
{
	enum operation op = OP_READ_MIDDLE;
	struct packet *out;

	if (n == 1)
		op = OP_READ_ONLY;
	else if (k == 0)
		op = OP_READ_FIRST;
	else if (k + 1 == n)
		op = OP_READ_LAST;
	out = emit(p, true, op, psn + k);
	if (!(out->flags & PACKET_HAS_AETH))
		return;
	out->syndrome = 0x1f;
	/* a READ counts when executed, that is with its first response */
	out->msn = ends_up_to(p->ends, (psn + n - 1) & 0xffffff);
}

void read_responses(struct pair *p, uint32_t psn, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		read_response(p, psn, n, k);
}

static void answer(struct pair *p, enum operation op, uint32_t psn,
		   uint8_t syndrome, uint32_t msn)
{
	struct packet *out = emit(p, true, op, psn);

	out->syndrome = syndrome;
	out->msn = msn & 0xffffff;
}

void ack(struct pair *p, uint32_t psn)
{
	answer(p, OP_ACK, psn, 0x1f, ends_up_to(p->ends, psn & 0xffffff));
}

void atomic_ack(struct pair *p, uint32_t psn)
{
	answer(p, OP_ATOMIC_ACK, psn, 0x1f,
	       ends_up_to(p->ends, psn & 0xffffff));
}

void nak_code(struct pair *p, uint32_t psn, uint8_t syndrome)
{
	/* messages before the one that failed are complete */
	answer(p, OP_ACK, psn, syndrome,
	       ends_up_to(p->ends, (psn - 1) & 0xffffff));
}

void nak(struct pair *p, uint32_t psn)
{
	nak_code(p, psn, 0x60);
}

void mark(struct scene *s)
{
	last_packet(s)->tos |= 3;
}

void cnp(struct pair *p)
{
	struct packet *out = emit(p, true, OP_SEND_MIDDLE, 0);

	out->kind = PACKET_CNP;
	out->opcode = 0x81;
	out->flags = PACKET_BECN;
	out->payload = 0;
	out->wire_len = 74;
	out->sport = 0;
	out->tos = 0xc2;
}

void rnr(struct pair *p, uint32_t psn, uint8_t code)
{
	nak_code(p, psn, 0x20 | code);
}

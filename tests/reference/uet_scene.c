/* SPDX-License-Identifier: GPL-2.0-or-later
 * Stories of Ultra Ethernet packets written by hand. */
#include "uet_scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "wire/wire.h"

enum {
	OCTETS = 1024,
	DATA_WIRE = OCTETS + 14 + 20 + 8 + 12 + 44 + 4,
	BARE_WIRE = 14 + 20 + 8 + 12 + 4
};

struct context context(struct scene *s, uint32_t start)
{
	return (struct context) { .scene = s,
				  .a = HOST_A,
				  .b = HOST_B,
				  .id_a = 0x12,
				  .id_b = 0x34,
				  .start = start,
				  .job = 200,
				  .ev = 0xc000 };
}

/* Any function of what the CRC covers will do. */
static uint32_t stand_in_crc(const struct packet *p)
{
	uint32_t h = 2166136261u;

	h = (h ^ p->psn) * 16777619u;
	h = (h ^ p->sport) * 16777619u;
	h = (h ^ p->uet.flags) * 16777619u;
	h = (h ^ p->uet.type) * 16777619u;
	return h;
}

static struct packet *emit(struct context *c, bool from_b, uint8_t type,
			   uint32_t psn)
{
	struct scene *s = c->scene;
	struct packet *p = scene_append(s);

	s->now += s->step;
	p->ns = s->now;
	p->frame = s->count;
	p->tap = s->tap;
	p->src = host_addr(from_b ? c->b : c->a);
	p->dst = host_addr(from_b ? c->a : c->b);
	p->psn = psn;
	p->status = PACKET_OK;
	p->kind = PACKET_UET;
	p->icrc_status = ICRC_GOOD;
	p->ttl = 64;
	p->pcp = 0xff;
	p->vlan = 0xffff;
	p->src_mac = 0x020000000000u + (uint64_t)(from_b ? c->b : c->a);
	p->sport = c->ev;
	p->tos = 2;
	p->wire_len = BARE_WIRE;
	p->uet.flags = UET_PDS;
	p->uet.type = type;
	p->uet.spdcid = from_b ? c->id_b : c->id_a;
	p->uet.dpdcid = from_b ? c->id_a : c->id_b;
	return p;
}

static struct packet *request_of(struct context *c, uint32_t psn)
{
	struct packet *p =
		emit(c, false, c->ordered ? PDS_ROD_REQ : PDS_RUD_REQ, psn);

	if (c->spray)
		p->sport = ++c->ev;
	p->payload = OCTETS;
	p->wire_len = DATA_WIRE;
	p->uet.flags |= UET_REQUEST | UET_SES | UET_JOB | UET_MESSAGE;
	p->uet.next = SES_REQUEST_STD;
	p->uet.opcode = SES_SEND;
	p->uet.job_id = c->job & 0xffffff;
	p->uet.message_id = (uint16_t)psn;
	p->uet.length = OCTETS;
	p->uet.req.clear_psn = c->start - 1;
	if (c->known)
		return p;
	p->uet.flags |= UET_SYN;
	p->uet.dpdcid = 0;
	p->uet.req.start_psn = c->start;
	return p;
}

static void whole(struct packet *p)
{
	p->uet.flags |= UET_SOM | UET_EOM | UET_AR;
}

void rudi_part(struct context *c, uint32_t packet, uint16_t id, uint32_t n,
	       uint32_t k)
{
	struct packet *p = request_of(c, packet);

	p->uet.type = PDS_RUDI_REQ;
	p->uet.flags |=
		UET_RUDI | (k == 0 ? UET_SOM : 0) | (k == n - 1 ? UET_EOM : 0);
	p->uet.flags &= ~(uint32_t)UET_SYN;
	p->uet.spdcid = p->uet.dpdcid = 0;
	p->uet.opcode = SES_WRITE;
	p->uet.message_id = id;
	p->uet.length = n * OCTETS;
	p->uet.offset = k * OCTETS;
	p->icrc = stand_in_crc(p);
}

void rudi_answer(struct context *c, uint32_t packet, uint16_t id)
{
	struct packet *p = emit(c, true, PDS_RUDI_RESP, packet);

	p->uet.spdcid = p->uet.dpdcid = 0;
	p->uet.flags |=
		UET_RUDI | UET_RESPONSE | UET_SES | UET_JOB | UET_MESSAGE;
	p->uet.next = SES_RESPONSE;
	p->uet.return_code = SES_RC_OK;
	p->uet.message_id = id;
	p->uet.job_id = c->job & 0xffffff;
}

void send_psn(struct context *c, uint32_t psn)
{
	struct packet *p = request_of(c, psn);

	whole(p);
	p->icrc = stand_in_crc(p);
}

void resend_psn(struct context *c, uint32_t psn)
{
	struct packet *p = request_of(c, psn);

	whole(p);
	p->uet.flags |= UET_RETX;
	p->icrc = stand_in_crc(p);
}

void answered(struct context *c)
{
	c->known = true;
}

void send_list(struct context *c, const uint32_t *psn, size_t n)
{
	for (size_t i = 0; i < n; i++)
		send_psn(c, psn[i]);
}

void send_run(struct context *c, uint32_t first, uint32_t last)
{
	for (uint32_t psn = first; psn != last + 1; psn++)
		send_psn(c, psn);
}

void write_part(struct context *c, uint32_t psn, uint16_t id, uint32_t n,
		uint32_t k)
{
	struct packet *p = request_of(c, psn);

	p->uet.opcode = SES_WRITE;
	p->uet.message_id = id;
	p->uet.length = n * OCTETS;
	p->uet.offset = k * OCTETS;
	p->uet.flags |= k == 0 ? UET_SOM : 0;
	p->uet.flags |= k == n - 1 ? UET_EOM | UET_AR : 0;
	p->icrc = stand_in_crc(p);
}

void send_trimmed(struct context *c, uint32_t psn)
{
	struct packet *p = request_of(c, psn);

	whole(p);
	p->payload = 0;
	p->wire_len = BARE_WIRE;
	p->uet.flags &= ~(uint32_t)UET_SES;
	p->uet.flags |= UET_TRIMMED | UET_TRIM_SURE;
	p->uet.cut = OCTETS + 44;
	p->icrc_status = ICRC_UNCHECKABLE;
}

void control_psn(struct context *c, uint8_t type, uint32_t psn)
{
	struct packet *p = emit(c, false, PDS_CP, psn);

	p->uet.next = type;
	p->uet.flags |= UET_AR;
	p->uet.flags |= c->ordered ? UET_ISROD : 0;
	p->icrc = stand_in_crc(p);
}

void cack(struct context *c, uint32_t cumulative, uint32_t psn)
{
	struct packet *p = emit(c, true, PDS_ACK, psn);

	p->uet.ack.cack = cumulative;
	p->uet.flags |= UET_RESPONSE | UET_JOB;
	p->uet.next = SES_RESPONSE;
	p->uet.opcode = SES_RSP_DEFAULT;
	p->uet.return_code = SES_RC_OK;
	p->uet.job_id = c->job & 0xffffff;
}

void sack(struct context *c, uint32_t cumulative, uint32_t psn, uint64_t bits)
{
	cack(c, cumulative, psn);
	struct packet *p = last_packet(c->scene);

	p->uet.type = PDS_ACK_CC;
	p->uet.flags |= UET_NSCC;
	p->uet.ack.base = cumulative;
	p->uet.sack = bits;
}

void refuse(struct context *c, uint32_t psn, uint8_t code)
{
	struct packet *p = emit(c, true, PDS_NACK, psn);

	p->uet.nack.code = code;
}

struct context open_context(struct scene *s)
{
	struct context c = context(s, START);

	send_psn(&c, START);
	pause_ns(s, REACT);
	cack(&c, START, START);
	answered(&c);
	return c;
}

void settle(struct context *c, uint32_t cumulative)
{
	pause_ns(c->scene, REACT);
	cack(c, cumulative, cumulative);
	pause_ns(c->scene, SECOND);
}

void only_rule(const struct record *r, const char *rule,
	       enum recovery_trigger trigger, enum recovery_cause cause)
{
	const struct fact_recovery *c = only_recovery(r);

	assert_string_equal(c->rule, rule);
	assert_int_equal(c->trigger, trigger);
	assert_int_equal(c->cause, cause);
}

static const struct fact_flow *find(const struct record *r,
				    const struct context *c, bool reverse)
{
	const struct addr src = host_addr(reverse ? c->b : c->a);
	const uint16_t id = reverse ? c->id_b : c->id_a;
	const struct fact_flow *found = NULL;

	for (size_t i = 0; i < r->n_flows; i++)
		if (addr_equal(r->flows[i].src, src) &&
		    r->flows[i].spdcid == id) {
			assert_null(found);
			found = &r->flows[i];
		}
	assert_non_null(found);
	return found;
}

const struct fact_flow *context_flow(const struct record *r,
				     const struct context *c)
{
	return find(r, c, false);
}

const struct fact_flow *context_reverse(const struct record *r,
					const struct context *c)
{
	return find(r, c, true);
}

const struct fact_pdc *context_pdc(const struct record *r,
				   const struct context *c)
{
	const uint32_t id = context_flow(r, c)->id;

	for (size_t i = 0; i < r->n_pdcs; i++)
		if (r->pdcs[i].flow == id)
			return &r->pdcs[i];
	fail_msg("no row of the context");
	return NULL;
}

const struct fact_recovery *recovery_of(const struct record *r,
					const char *rule)
{
	for (size_t i = 0; i < r->n_recoveries; i++)
		if (!strcmp(r->recoveries[i].rule, rule))
			return &r->recoveries[i];
	fail_msg("no recovery by %s", rule);
	return NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a UET packet says, value by value. */
#include "views/packet_uet.h"

#include "wire/table.h"

enum { MPR_UNIT = 128 };

/* The name of |value|, or the value where it has none. */
static void say(const struct uet_listener *to, const char *name,
		enum wire_list list, uint64_t value)
{
	const char *text = wire_name(list, value);

	if (text)
		to->text(to->ctx, name, text);
	else
		to->number(to->ctx, name, value);
}

static void number(const struct uet_listener *to, const char *name, uint64_t n)
{
	to->number(to->ctx, name, n);
}

static void tell_tss(const struct packet *p, const struct uet_listener *to)
{
	const struct uet *u = &p->uet;

	number(to, "sdi", u->tss.sdi);
	if (u->tss.sp)
		number(to, "ssi", u->tss.ssi);
	number(to, "an", u->tss.an);
	number(to, "epoch", u->tsc >> 48);
	number(to, "counter", u->tsc & 0xffffffffffff);
}

static void tell_pdcids(const struct uet *u, const struct uet_listener *to)
{
	number(to, "spdcid", u->spdcid);
	if (!(u->flags & UET_SYN))
		number(to, "dpdcid", u->dpdcid);
}

static void tell_request(const struct packet *p, const struct uet_listener *to)
{
	const struct uet *u = &p->uet;

	number(to, "psn", p->psn);
	tell_pdcids(u, to);
	if (u->flags & UET_TSS)
		return; /* then the rest is about the TSS */
	number(to, "clear_psn", u->req.clear_psn);
	if (u->flags & UET_SYN)
		number(to, "start_psn", u->req.start_psn);
	if (u->type == PDS_RUD_REQ || u->type == PDS_ROD_REQ)
		return;
	number(to, "ccc_id", u->req.ccc_id);
	number(to, "credit_target", u->req.credit_target);
}

static void tell_answer(const struct packet *p, const struct uet_listener *to)
{
	const struct uet *u = &p->uet;

	if (!(u->flags & UET_PROBE))
		number(to, "ack_psn", p->psn);
	tell_pdcids(u, to);
	if (u->flags & UET_TSS)
		return;
	number(to, "cack_psn", u->ack.cack);
	if (u->flags & UET_PROBE)
		number(to, "probe", u->ack.opaque);
	if (u->flags & UET_EPSN)
		number(to, "expected_psn", u->ack.base);
	if (u->type == PDS_ACK)
		return;
	number(to, "mpr", u->ack.mpr);
	if (u->ack.mpr) /* the highest PSN that its receiver lets it use */
		number(to, "psn_max",
		       (uint32_t)(u->ack.cack + MPR_UNIT * u->ack.mpr));
	number(to, "sack_base", u->ack.base);
	number(to, "sack", u->sack);
	if (u->flags & UET_NSCC) {
		number(to, "service_time", u->ack.service_time);
		number(to, "penalty", u->ack.penalty);
		number(to, "received", u->ack.amount);
	}
	if (u->flags & UET_CREDIT)
		number(to, "credit", u->ack.amount);
	if (u->flags & (UET_NSCC | UET_CREDIT))
		number(to, "ooo_count", u->ack.ooo_count);
}

static void tell_refusal(const struct packet *p, const struct uet_listener *to)
{
	const struct uet *u = &p->uet;

	number(to, u->flags & UET_RUDI ? "pkt_id" : "nack_psn", p->psn);
	tell_pdcids(u, to);
	if (u->flags & UET_TSS)
		return;
	say(to, "code", WIRE_LIST_nack_code, u->nack.code);
	number(to, "vendor_code", u->nack.vendor);
	number(to, "nack_payload", u->nack.payload);
}

static void tell_control(const struct packet *p, const struct uet_listener *to)
{
	const struct uet *u = &p->uet;

	say(to, "ctl", WIRE_LIST_cp_type, u->next);
	number(to, "psn", p->psn);
	tell_pdcids(u, to);
	if (u->flags & UET_TSS)
		return;
	if (u->flags & UET_SYN)
		number(to, "start_psn", u->cp.start_psn);
	if (u->next == CP_PROBE)
		number(to, "probe", u->cp.opaque);
	number(to, "ctl_payload", u->cp.payload);
}

static void tell_pds(const struct packet *p, const struct uet_listener *to)
{
	switch (p->uet.type) {
	case PDS_RUD_REQ:
	case PDS_ROD_REQ:
	case PDS_RUD_CC_REQ:
	case PDS_ROD_CC_REQ:
		tell_request(p, to);
		break;
	case PDS_RUDI_REQ:
	case PDS_RUDI_RESP:
		number(to, "pkt_id", p->psn);
		break;
	case PDS_ACK:
	case PDS_ACK_CC:
	case PDS_ACK_CCX:
		tell_answer(p, to);
		break;
	case PDS_NACK:
	case PDS_NACK_CCX:
		tell_refusal(p, to);
		break;
	case PDS_CP:
		tell_control(p, to);
		break;
	default:
		break;
	}
}

static void tell_ses(const struct uet *u, const struct uet_listener *to)
{
	bool request = u->flags & UET_REQUEST;

	if (!(u->flags & (UET_REQUEST | UET_RESPONSE)))
		return;
	say(to, "op", request ? WIRE_LIST_ses_op : WIRE_LIST_ses_rsp_op,
	    u->opcode);
	if (!request) {
		say(to, "list", WIRE_LIST_ses_list, u->list);
		say(to, "rc", WIRE_LIST_ses_rc, u->return_code);
	}
	if (u->flags & UET_MESSAGE)
		number(to, "msg", u->message_id);
	if (u->flags & UET_JOB)
		number(to, "job", u->job_id);
	if (!(u->flags & UET_SES))
		return;
	if (request) {
		number(to, "pid", u->pid_on_fep);
		number(to, "ri", u->resource_index);
	}
	if (request || u->next == SES_RESPONSE)
		number(to, "ri_gen", u->ri_generation);
	if (request && u->next != SES_REQUEST_SMALL)
		number(to, "initiator", u->initiator);
	if (u->next == SES_RESPONSE_DATA)
		number(to, "read_msg", u->read_message_id);
	if (u->next == SES_RESPONSE_DATA_SMALL) {
		number(to, "original_psn", u->offset);
		return;
	}
	number(to, "msg_len", u->length);
	if (u->next != SES_RESPONSE)
		number(to, "msg_off", u->offset);
}

static void tell_flags(const struct uet *u, const struct uet_listener *to)
{
	static const struct {
		uint32_t flag;
		const char *name;
	} names[] = {
		{ UET_SYN, "syn" },
		{ UET_RETX, "retx" },
		{ UET_AR, "ar" },
		{ UET_M, "m" },
		{ UET_ISROD, "isrod" },
		{ UET_REQ_CLEAR, "req-clear" },
		{ UET_REQ_CLOSE, "req-close" },
		{ UET_RC, "restore-cwnd" },
		{ UET_SOM, "som" },
		{ UET_EOM, "eom" },
		{ UET_DC, "dc" },
		{ UET_IE, "ie" },
		{ UET_REL, "rel" },
		{ UET_HD, "hd" },
		{ UET_TRIMMED, "trimmed" },
		{ UET_TRIM_SURE, "trim-sure" },
		{ UET_CRC_LE, "crc-little-endian" },
		{ UET_ODD, "odd" },
	};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (u->flags & names[i].flag)
			to->flag(to->ctx, names[i].name);
}

void packet_uet(const struct packet *p, const struct uet_listener *to)
{
	const struct uet *u = &p->uet;

	if (u->type)
		say(to, "type", WIRE_LIST_pds_type, u->type);
	number(to, "ev", p->sport);
	if (u->flags & UET_TSS)
		tell_tss(p, to);
	if (u->flags & UET_PDS)
		tell_pds(p, to);
	tell_ses(u, to);
	number(to, "len", p->payload);
	if (uet_cut(u))
		number(to, "cut", uet_cut(u));
	tell_flags(u, to);
}

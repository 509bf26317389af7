/* SPDX-License-Identifier: GPL-2.0-or-later
 * Ultra Ethernet as a layer of the walk: where it lies, and what people are
 * shown of it. */
#include "decode/uet.h"
#include "decode/walk.h"
#include "wire/table.h"

/* Where the CRC begins: behind what routers may change. */
static const uint8_t *covered(const struct walk *w)
{
	if (w->shimmed)
		return NULL;
	if (w->route_kind == ICRC_IPV4)
		return WIRE_PTR(ipv4, src, w->route);
	return WIRE_PTR(ipv6, src, w->route);
}

/* Shows header |id| and those that the tables say follow it, while they lie
 * within the |n| bytes that were read; what is left of them. */
static size_t show_chain(struct walk *w, enum wire_header id, size_t n)
{
	const struct wire_layout *layout;
	const uint8_t *p;

	while (id != WIRE_HEADERS) {
		layout = wire_layout(id);
		p = w->p;
		if (layout->size > n ||
		    !walk_take(w, id, layout->about->name, layout->size))
			break;
		n -= layout->size;
		id = wire_next(id, p, layout->size);
	}
	return n;
}

static enum wire_header pds_header(uint8_t type)
{
	switch (type) {
	case PDS_RUD_REQ:
	case PDS_ROD_REQ:
	case PDS_RUD_CC_REQ:
	case PDS_ROD_CC_REQ:
		return WIRE_pds_req;
	case PDS_RUDI_REQ:
		return WIRE_pds_rudi;
	case PDS_RUDI_RESP:
		return WIRE_pds_rudi_resp;
	case PDS_UUD_REQ:
		return WIRE_pds_uud;
	case PDS_ACK:
	case PDS_ACK_CC:
	case PDS_ACK_CCX:
		return WIRE_pds_ack;
	case PDS_NACK:
	case PDS_NACK_CCX:
		return WIRE_pds_nack;
	case PDS_CP:
		return WIRE_pds_cp;
	default:
		return WIRE_pds_prologue;
	}
}

static enum wire_header ses_header(uint8_t next)
{
	static const uint8_t headers[] = {
		[SES_REQUEST_SMALL] = WIRE_ses_small,
		[SES_REQUEST_MEDIUM] = WIRE_ses_medium,
		[SES_REQUEST_STD] = WIRE_ses_std,
		[SES_RESPONSE] = WIRE_ses_rsp,
		[SES_RESPONSE_DATA] = WIRE_ses_rsp_data,
		[SES_RESPONSE_DATA_SMALL] = WIRE_ses_rsp_data_small,
	};

	return next && next < sizeof headers ? headers[next] : WIRE_HEADERS;
}

static void pass(struct walk *w, int id, const char *name, size_t length)
{
	size_t here = length < w->have ? length : w->have;

	if (here)
		walk_show(w, here < length ? -1 : id, name, w->p, length);
	w->p += here;
	w->have -= here;
	w->declared -= here;
}

static void show(struct walk *w, const struct uet_shape *shape)
{
	const struct uet *u = &w->out->uet;
	size_t n = shape->headers, trailer = shape->trailer, left;
	bool control = u->type == PDS_CP;

	if (u->flags & UET_TSS) {
		show_chain(w, WIRE_tss, n);
	} else {
		n = show_chain(w, pds_header(u->type), n);
		if (!control && !shape->cut)
			show_chain(w, ses_header(u->next), n);
	}
	if ((w->out->status != PACKET_OK &&
	     w->out->status != PACKET_MALFORMED) ||
	    shape->cut)
		return;
	left = w->declared > trailer ? w->declared - trailer : 0;
	if (w->out->payload)
		pass(w, -1, u->flags & UET_TSS ? "encrypted" : "payload",
		     w->out->payload);
	if (left > w->out->payload)
		pass(w, -1, "padding", left - w->out->payload);
	if (trailer == WIRE_SIZE_uet_icv)
		pass(w, WIRE_uet_icv, "uet_icv", trailer);
	else if (trailer)
		pass(w, WIRE_uet_crc, "uet_crc", trailer);
}

/* From here on, by the UDP length. */
static size_t promised_by(const struct walk *w, const uint8_t *udp)
{
	size_t length = udp && !w->shimmed ? WIRE_GET(udp, len, udp) : 0;

	return length > WIRE_SIZE_udp ? length - WIRE_SIZE_udp : 0;
}

/* Bytes that the packet around this one has no room for. */
static size_t beyond_tunnel(const struct walk *w)
{
	size_t at = (size_t)(w->p - w->frame), room;

	if (!w->wrapped_end || at > w->wrapped_end)
		return 0;
	room = w->wrapped_end - at;
	return w->declared > room ? w->declared - room : 0;
}

/* Behind |udp| or |entropy|; the other is NULL. */
static enum layer packet(struct walk *w, const uint8_t *udp,
			 const uint8_t *entropy)
{
	size_t promised = promised_by(w, udp), beyond = beyond_tunnel(w);

	if (beyond && w->wrapped_trimmed && !w->fragment) {
		if (promised < w->declared)
			promised = w->declared;
		walk_declare(w, w->declared - beyond);
	}
	const struct uet_place at = {
		.p = w->p,
		.have = w->have,
		.declared = w->declared,
		.promised = promised,
		.covered = covered(w),
		.native = entropy != NULL,
		.wrapped = beyond != 0,
		.suspect = entropy && WIRE_GET(entropy, resv, entropy),
	};
	struct uet_shape shape;
	struct packet *out = w->out;

	out->kind = PACKET_UET;
	if (w->fragment) {
		w->at = "uet";
		return walk_stop(w, PACKET_FRAGMENT, "only the first fragment");
	}
	uet_decode(&at, w->options, out, &shape);
	w->why = shape.why;
	if (out->status == PACKET_TRUNCATED && beyond &&
	    at.have == at.declared - beyond)
		w->why = "cut before it was wrapped, by a mirror, or trimmed "
			 "since by a switch that put all lengths right: cannot "
			 "be determined";
	if (w->see && shape.trailer == WIRE_SIZE_uet_crc && at.covered &&
	    at.have == at.declared)
		w->right = uet_crc_right(at.covered, at.p + at.declared);
	if (w->see && out->kind == PACKET_UET)
		show(w, &shape);
	w->at = shape.at;
	return LAYER_END;
}

enum layer walk_uet(struct walk *w)
{
	return packet(w, w->udp, NULL);
}

/* The packet stays what it is: nobody's. */
void walk_uet_unknown_port(struct walk *w)
{
	const struct uet_place at = {
		.p = w->p,
		.have = w->have,
		.declared = w->declared,
		.promised = promised_by(w, w->udp),
		.covered = covered(w),
	};
	struct packet *out = w->out, p = *out;
	struct uet_shape shape;

	if (!out->port || w->shimmed || w->cut ||
	    w->have < WIRE_SIZE_pds_prologue || !uet_begins(w->p))
		return;
	uet_decode(&at, w->options, &p, &shape);
	if (p.kind != PACKET_UET || p.status != PACKET_OK || shape.cut)
		return;
	out->flags |= PACKET_LIKE_UET;
	out->psn = p.psn;
	out->icrc_status = p.icrc_status;
	out->uet = p.uet;
}

bool walk_looks_like_uet(const struct walk *w)
{
	const uint8_t *pds = w->p + WIRE_SIZE_entropy;

	if (w->have >= WIRE_SIZE_entropy && WIRE_GET(entropy, resv, w->p))
		return false;
	return w->have < WIRE_SIZE_entropy + WIRE_SIZE_pds_prologue ||
	       uet_begins(pds);
}

enum layer walk_uet_native(struct walk *w)
{
	const uint8_t *p = TAKE(w, entropy);

	if (!p)
		return LAYER_END;
	w->out->sport = (uint16_t)WIRE_GET(entropy, ev, p);
	return packet(w, NULL, p);
}

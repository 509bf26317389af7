/* SPDX-License-Identifier: GPL-2.0-or-later
 * The engine and the capture that is open. */
#include "dissectors/session.h"

#include <string.h>

#include <epan/proto_data.h>
#include <wiretap/pcap-encap.h>
#include <wiretap/wtap.h>

#include "dissectors/follow.h"
#include "dissectors/plugin.h"
#include "dissectors/settings.h"
#include "dissectors/whole.h"
#include "flow/core/engine.h"
#include "store/store.h"
#include "wire/table.h"

static struct {
	bool begun, whole, committed, failed;
	struct err err;
	uint32_t last; /* frame that was shown for the first time */
	int64_t last_offset;
	int64_t last_ns;
	uint32_t followed; /* the first frame, when it is not the whole file */
	int encap;         /* of the last frame, as Wireshark counts */
	uint16_t linktype;
} s;

/* ---- frames as the engine wants them ---- */

static int64_t time_of(const wtap_rec *rec)
{
	int64_t ns;

	if (!(rec->presence_flags & WTAP_HAS_TS))
		return s.last_ns;
	if (__builtin_mul_overflow((int64_t)rec->ts.secs, 1000000000, &ns) ||
	    __builtin_add_overflow(ns, rec->ts.nsecs, &ns))
		ns = rec->ts.secs < 0 ? INT64_MIN : INT64_MAX;
	return engine_time(ns);
}

/* Wireshark exports only the way from LINKTYPE to its own number: it is gone
 * backwards over the list of those that can be decoded. */
static uint16_t linktype_of(int encap)
{
	const struct wire_rows *known = wire_rows(WIRE_LIST_linktype);

	for (unsigned i = 0; i < known->n; i++)
		if (wtap_pcap_encap_to_wtap_encap((int)known->rows[i].value) ==
		    encap)
			return (uint16_t)known->rows[i].value;
	return UINT16_MAX;
}

bool session_input(tvbuff_t *tvb, packet_info *pinfo, struct decode_input *in)
{
	const wtap_rec *rec = pinfo->rec;
	int type = rec->rec_header.packet_header.pkt_encap;

	/* Reassembled and decrypted bytes are no frame. */
	if (rec->rec_type != REC_TYPE_PACKET ||
	    tvb_captured_length(tvb) != pinfo->fd->cap_len)
		return false;
	*in = (struct decode_input) {
		.caplen = tvb_captured_length(tvb),
		.wirelen = tvb_reported_length(tvb),
	};
	in->data = tvb_get_ptr(tvb, 0, (int)in->caplen);
	if (type != s.encap || !s.encap)
		s.linktype = linktype_of(type);
	s.encap = type;
	in->linktype = s.linktype;
	if (type == WTAP_ENCAP_ETHERNET &&
	    pinfo->pseudo_header->eth.fcs_len > 0)
		in->fcs_len = (uint8_t)pinfo->pseudo_header->eth.fcs_len;
	return true;
}

static struct packet *decoded(tvbuff_t *tvb, packet_info *pinfo)
{
	struct packet *p =
		p_get_proto_data(pinfo->pool, pinfo, proto_fabscope, 0);
	struct decode_input in;

	if (p || !session_input(tvb, pinfo, &in))
		return p;
	p = wmem_new0(pinfo->pool, struct packet);
	p->ns = time_of(pinfo->rec);
	p->frame = pinfo->num;
	packet_decode(&in, &settings()->decode, p);
	p_add_proto_data(pinfo->pool, pinfo, proto_fabscope, 0, p);
	return p;
}

const struct packet *session_packet(tvbuff_t *tvb, packet_info *pinfo)
{
	return decoded(tvb, pinfo);
}

bool session_has_shim(tvbuff_t *tvb, packet_info *pinfo)
{
	const struct packet *p = decoded(tvb_get_ds_tvb(tvb), pinfo);

	return p && p->flags & PACKET_SHIM;
}

/* ---- what is known of them ---- */

/* With a read filter Wireshark dissects a frame that it takes twice, and gives
 * the number of one that it does not take to the next. */
static bool is_new(const packet_info *pinfo)
{
	if (PINFO_FD_VISITED(pinfo) ||
	    (pinfo->num == s.last && pinfo->fd->file_off == s.last_offset))
		return false;
	s.last = pinfo->num;
	s.last_offset = pinfo->fd->file_off;
	return true;
}

static void begin(const struct sight *first)
{
	s.begun = true;
	s.whole = whole_begin(first);
	if (!s.whole)
		s.followed = first->number;
}

const struct judged *session_frame(tvbuff_t *tvb, packet_info *pinfo,
				   enum session_basis *basis)
{
	struct decode_input in;
	struct sight shown;
	uint32_t frame;

	*basis = SESSION_SURE;
	if (!session_input(tvb, pinfo, &in))
		return NULL;
	shown = (struct sight) { .number = pinfo->num,
				 .caplen = in.caplen,
				 .bytes = in.data,
				 .ns = time_of(pinfo->rec),
				 .first = is_new(pinfo) };
	if (!s.begun)
		begin(&shown);
	if (s.whole) {
		frame = whole_find(&shown);
		*basis = frame ? SESSION_SURE : SESSION_OTHERWISE;
		return frame ? known_of(frame) : NULL;
	}
	if (shown.first) {
		follow_frame(pinfo, decoded(tvb, pinfo), &in);
		s.last_ns = shown.ns;
	}
	*basis = pinfo->num == s.followed ? SESSION_AS_READ : SESSION_SURE;
	return known_of(pinfo->num);
}

uint32_t session_number(uint64_t frame)
{
	return s.whole ? whole_number(frame) : (uint32_t)frame;
}

struct store *session_store(const char **why)
{
	*why = "no packet has been analyzed";
	if (!s.whole)
		return follow_store(why);
	if (!s.committed) {
		s.committed = true;
		s.failed = store_commit(whole_store(), &s.err) < 0;
	}
	*why = s.err.text;
	return s.failed ? NULL : whole_store();
}

bool session_finished(void)
{
	return s.whole || follow_finished();
}

static void forget(void)
{
	whole_forget();
	follow_forget();
	known_forget();
	memset(&s, 0, sizeof s);
}

void session_register(void)
{
	register_cleanup_routine(forget);
	register_postseq_cleanup_routine(follow_finish);
}

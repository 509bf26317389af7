/* SPDX-License-Identifier: GPL-2.0-or-later
 * The engine, run over the frames of the capture file that is open. */
#include "dissectors/session.h"

#include <string.h>

#include <epan/proto_data.h>
#include <wiretap/pcap-encap.h>
#include <wiretap/wtap.h>

#include "base/topology.h"
#include "capture/capture.h"
#include "dissectors/plugin.h"
#include "dissectors/settings.h"
#include "flow/engine.h"
#include "run/topology.h"
#include "store/store.h"
#include "wire/table.h"

enum { FIRST_ROOM = 1 << 12, TAPS_MAX = 1 << 12 };

/* An interface of a section, and the tap it is. */
struct interface {
	uint32_t section, id, tap;
};

struct known_flow {
	/* + 1: the queue pair its packets are sent to, or the context that
	 * they come from */
	uint32_t number;
	uint32_t peer;
	uint32_t marked; /* the last frame with CE */
	int64_t marked_ns;
};

static struct {
	struct engine *engine;
	struct store *store;
	struct err err;
	bool finished, committed, failed;
	uint32_t last; /* frame that was fed */
	int64_t last_ns, first_ns;
	uint64_t packets, bytes;
	int encap; /* of the last frame, as Wireshark counts */
	uint16_t linktype;

	struct judged **frames; /* by number */
	uint32_t room;

	struct interface *interfaces;
	uint32_t n_interfaces;
	struct capture_tap *taps; /* what the database is told of them */
	const char **names;       /* of them */
	uint32_t n_taps;
	int place[TAPS_MAX]; /* links of one group are one */

	struct known_flow *flows; /* by id */
	uint32_t room_flows;
} s;

/* ---- memory by number ---- */

static void *grown(void *old, uint32_t *room, uint32_t need, size_t each)
{
	uint32_t n = *room ? *room : FIRST_ROOM;
	char *p;

	while (n <= need)
		n *= 2;
	p = wmem_realloc(wmem_file_scope(), old, n * each);
	memset(p + *room * each, 0, (n - *room) * each);
	*room = n;
	return p;
}

static struct judged *judged_of(uint32_t frame)
{
	if (frame >= s.room)
		s.frames = grown(s.frames, &s.room, frame, sizeof *s.frames);
	if (!s.frames[frame])
		s.frames[frame] = wmem_new0(wmem_file_scope(), struct judged);
	return s.frames[frame];
}

static struct known_flow *flow_of(uint32_t id)
{
	if (id >= s.room_flows)
		s.flows = grown(s.flows, &s.room_flows, id, sizeof *s.flows);
	return &s.flows[id];
}

/* ---- what the engine says ---- */

static void on_note(void *ctx, const struct fact_note *n)
{
	(void)ctx;
	judged_of((uint32_t)n->frame)->note = *n;
}

/* What the database is told as well. */
static struct flow_sink rows;

static void tell_frames(const struct fact_event *e)
{
	struct judged *about = judged_of((uint32_t)e->frame), *by;
	struct told *t = wmem_new0(wmem_file_scope(), struct told);

	t->event = *e;
	t->next_of_frame = about->events;
	about->events = t;
	if (s.finished)
		return;
	t->decided = s.last;
	if (t->decided == e->frame)
		return;
	by = judged_of(s.last);
	t->next_decided = by->decides;
	by->decides = t;
}

static void on_event(void *ctx, const struct fact_event *e)
{
	if (rows.event)
		rows.event(ctx, e);
	if (e->frame && e->frame <= s.last)
		tell_frames(e);
}

static void on_flow(void *ctx, const struct fact_flow *f)
{
	if (rows.flow)
		rows.flow(ctx, f);
	flow_of(f->id)->peer = f->peer;
}

static void on_cnp(void *ctx, const struct fact_cnp *f)
{
	struct fact_cnp *kept;

	if (rows.cnp)
		rows.cnp(ctx, f);
	if (!f->frame || f->frame > s.last)
		return;
	kept = wmem_new(wmem_file_scope(), struct fact_cnp);
	*kept = *f;
	judged_of((uint32_t)f->frame)->cnp = kept;
}

static void on_stall(void *ctx, const struct fact_stall *f)
{
	struct fact_stall *kept;

	if (rows.stall)
		rows.stall(ctx, f);
	if (!f->frame || f->frame > s.last)
		return;
	kept = wmem_new(wmem_file_scope(), struct fact_stall);
	*kept = *f;
	judged_of((uint32_t)f->frame)->stall = kept;
}

/* ---- start and end ---- */

static void start(void)
{
	const struct engine_options options = { .place = s.place,
						.n_places = TAPS_MAX };
	struct flow_sink sink = { 0 };

	s.store = store_create(":memory:", &s.err);
	if (s.store)
		sink = store_sink(s.store);
	rows = sink;
	sink.note = on_note;
	sink.event = on_event;
	sink.flow = on_flow;
	sink.cnp = on_cnp;
	sink.stall = on_stall;
	s.engine = engine_new(&options, &sink);
	s.failed = !s.engine;
}

static void finish(void)
{
	if (s.finished || !s.engine)
		return;
	s.finished = true;
	engine_finish(s.engine);
	engine_free(s.engine);
	s.engine = NULL;
}

/* Memory of the file scope is freed by Wireshark. */
static void forget(void)
{
	engine_free(s.engine);
	store_free(s.store);
	memset(&s, 0, sizeof s);
}

bool session_finished(void)
{
	return s.finished;
}

/* The database wants to know what was read. */
static void describe(void)
{
	char path[] = "(the open file)";
	struct capture_file file = { .path = path,
				     .format = "Wireshark",
				     .packets = s.packets,
				     .bytes = s.bytes,
				     .first_ns = s.first_ns,
				     .last_ns = s.last_ns };

	store_capture(s.store, 0, &file);
	for (uint32_t i = 0; i < s.n_taps; i++)
		store_tap(s.store, i, &s.taps[i]);
	if (settings()->topology)
		store_topology(s.store, settings()->topology, s.names,
			       s.n_taps);
}

struct store *session_store(const char **why)
{
	*why = "no packet has been analysed";
	if (!s.last)
		return NULL;
	finish();
	if (s.store && !s.committed) {
		s.committed = true;
		describe();
		s.failed = store_commit(s.store, &s.err) < 0;
	}
	*why = s.err.text;
	return s.failed ? NULL : s.store;
}

/* ---- frames in ---- */

/* What the engine is to know of the last tap. */
static void tell_tap(struct capture_tap *t)
{
	const struct topology *topology = settings()->topology;
	const struct topology_tap *known = topology_tap(topology, t->name);

	t->speed_bps = known && known->speed_bps ? known->speed_bps
						 : settings()->speed_bps;
	s.place[s.n_taps - 1] = (int)s.n_taps - 1;
	run_group_names(topology, s.names, s.place, s.n_taps);
	if (s.engine)
		engine_set_speed(s.engine, s.n_taps - 1, t->speed_bps);
}

static uint32_t new_tap(packet_info *pinfo, uint32_t id, uint16_t linktype)
{
	const char *name = COMPAT_INTERFACE_NAME(pinfo, id);
	struct capture_tap *t;
	uint32_t i;

	name = name ? name : "";
	/* Sections that name an interface alike mean the same place. */
	for (i = 0; i < s.n_taps; i++)
		if (s.taps[i].interface == id && !strcmp(s.taps[i].name, name))
			return i;
	if (s.n_taps == TAPS_MAX)
		return s.n_taps - 1;
	if (!s.taps) {
		s.taps = wmem_alloc0_array(wmem_file_scope(),
					   struct capture_tap, TAPS_MAX);
		s.names = wmem_alloc0_array(wmem_file_scope(), const char *,
					    TAPS_MAX);
	}
	t = &s.taps[s.n_taps];
	t->name = wmem_strdup(wmem_file_scope(), name);
	t->interface = id;
	t->linktype = linktype;
	t->received = t->dropped = UINT64_MAX;
	s.names[s.n_taps++] = t->name;
	tell_tap(t);
	return s.n_taps - 1;
}

static uint32_t tap_of(packet_info *pinfo, uint16_t linktype)
{
	const wtap_rec *rec = pinfo->rec;
	uint32_t id = 0, section = 0;
	struct interface *known;

	if (rec->presence_flags & WTAP_HAS_INTERFACE_ID)
		id = rec->rec_header.packet_header.interface_id;
	if (rec->presence_flags & WTAP_HAS_SECTION_NUMBER)
		section = rec->section_number;
	for (uint32_t i = 0; i < s.n_interfaces; i++)
		if (s.interfaces[i].id == id &&
		    s.interfaces[i].section == section)
			return s.interfaces[i].tap;
	if (s.n_interfaces == TAPS_MAX)
		return s.interfaces[TAPS_MAX - 1].tap;
	if (!s.interfaces)
		s.interfaces = wmem_alloc0_array(wmem_file_scope(),
						 struct interface, TAPS_MAX);
	known = &s.interfaces[s.n_interfaces++];
	*known = (struct interface) { section, id,
				      new_tap(pinfo, id, linktype) };
	return known->tap;
}

static int64_t time_of(const packet_info *pinfo)
{
	int64_t ns;

	if (!(pinfo->presence_flags & PINFO_HAS_TS))
		return s.last_ns;
	if (__builtin_mul_overflow((int64_t)pinfo->abs_ts.secs, 1000000000,
				   &ns) ||
	    __builtin_add_overflow(ns, pinfo->abs_ts.nsecs, &ns))
		ns = pinfo->abs_ts.secs < 0 ? INT64_MIN : INT64_MAX;
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

	/* Reassembled and decrypted octets are no frame. */
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
	p->ns = time_of(pinfo);
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

static void count(packet_info *pinfo, const struct packet *p, uint32_t octets)
{
	struct capture_tap *t = &s.taps[p->tap];

	s.last = pinfo->num;
	s.first_ns = s.packets ? s.first_ns : p->ns;
	s.last_ns = p->ns;
	s.packets++;
	s.bytes += octets;
	t->regressions += t->packets && p->ns < t->last_ns;
	t->first_ns = t->packets ? t->first_ns : p->ns;
	t->last_ns = p->ns;
	t->packets++;
}

static void feed(tvbuff_t *tvb, packet_info *pinfo, struct packet *p)
{
	struct known_flow *f;
	struct judged *j;

	if (!s.engine && !s.failed)
		start();
	p->tap = tap_of(pinfo, s.linktype);
	count(pinfo, p, tvb_captured_length(tvb));
	if (!s.engine)
		return;
	engine_feed(s.engine, p, 1);
	j = pinfo->num < s.room ? s.frames[pinfo->num] : NULL;
	if (!j || !j->note.frame)
		return;
	if (p->flags & PACKET_CSIG) {
		j->has_csig = true;
		j->csig_signal = p->csig_signal;
		j->csig_value = p->csig_value;
		j->csig_locator = p->csig_locator;
	}
	f = flow_of(j->note.flow);
	if (p->kind != PACKET_UET)
		f->number = p->dst_qp + 1;
	else if (p->uet.spdcid)
		f->number = p->uet.spdcid + 1u;
	f->peer = j->note.peer;
	if ((p->tos & 3) == 3) {
		f->marked = pinfo->num;
		f->marked_ns = p->ns;
	}
	if (p->kind == PACKET_CNP && j->note.peer) {
		f = flow_of(j->note.peer);
		j->marked = f->marked;
		j->marked_ns = f->marked_ns;
	}
}

const struct judged *session_about(const struct judged *j)
{
	return j->note.about && j->note.about < s.room ? s.frames[j->note.about]
						       : NULL;
}

const struct judged *session_frame(tvbuff_t *tvb, packet_info *pinfo)
{
	struct packet *p = decoded(tvb, pinfo);

	if (!p)
		return NULL;
	if (!PINFO_FD_VISITED(pinfo) && pinfo->num > s.last && !s.finished)
		feed(tvb, pinfo, p);
	return pinfo->num < s.room ? s.frames[pinfo->num] : NULL;
}

/* The opposite direction, NULL while unknown. */
static const struct known_flow *other(const struct judged *j)
{
	uint32_t peer = 0;

	if (j->note.flow < s.room_flows)
		peer = s.flows[j->note.flow].peer;
	return peer && peer < s.room_flows ? &s.flows[peer] : NULL;
}

/* A queue pair's packets name where they go, a context's where they come from;
 * the rest is what the other direction says of itself. */
struct ends session_ends(const struct judged *j, const struct packet *p)
{
	const struct known_flow *o = other(j);
	uint32_t known = o && o->number ? o->number - 1 : ENDS_UNKNOWN;
	struct ends e = { known, p->dst_qp };

	if (p->kind == PACKET_UET) {
		e.from = p->uet.spdcid ? p->uet.spdcid : ENDS_UNKNOWN;
		e.to = p->uet.dpdcid ? p->uet.dpdcid : known;
	} else if (p->flags & PACKET_HAS_DETH) {
		e.from = p->src_qp;
	}
	return e;
}

void session_register(void)
{
	register_cleanup_routine(forget);
	register_postseq_cleanup_routine(finish);
}

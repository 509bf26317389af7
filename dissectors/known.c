/* SPDX-License-Identifier: GPL-2.0-or-later
 * What is known of each frame of the open capture. */
#include "dissectors/known.h"
#include "wire/wire.h"

#include <string.h>

enum { FIRST_ROOM = 1 << 12 };

struct known_flow {
	/* + 1: the queue pair its packets are sent to, or the context that
	 * they come from */
	uint32_t number;
	uint32_t peer;
	uint32_t marked; /* the last frame with CE */
	int64_t marked_ns;
	const char *mode; /* UET: of its requests; NULL: none seen */
};

static struct {
	struct judged **frames; /* by number */
	uint32_t room;
	struct known_flow *flows; /* by id */
	uint32_t room_flows;
	uint32_t now, last; /* frame: that is followed, the highest so far */
	bool ended;
	struct flow_sink rows; /* what the store gets as well */
} k;

void *known_grown(void *old, uint32_t *room, uint32_t need, size_t each)
{
	uint32_t n = *room ? *room : FIRST_ROOM;
	char *p;

	if (need < *room)
		return old;
	while (n <= need)
		n *= 2;
	p = wmem_realloc(wmem_file_scope(), old, n * each);
	memset(p + *room * each, 0, (n - *room) * each);
	*room = n;
	return p;
}

static struct judged *judged_of(uint32_t frame)
{
	k.frames = known_grown(k.frames, &k.room, frame, sizeof *k.frames);
	if (!k.frames[frame]) {
		k.frames[frame] = wmem_new0(wmem_file_scope(), struct judged);
		k.frames[frame]->frame = frame;
	}
	return k.frames[frame];
}

static struct known_flow *flow_of(uint32_t id)
{
	k.flows = known_grown(k.flows, &k.room_flows, id, sizeof *k.flows);
	return &k.flows[id];
}

/* ---- what the engine says ---- */

static void on_note(void *ctx, const struct fact_note *n)
{
	(void)ctx;
	judged_of((uint32_t)n->frame)->note = *n;
}

/* A fact that stays, if it is about a frame that was followed. */
static void *keep(const void *fact, size_t size, uint64_t frame)
{
	void *kept;

	if (!frame || frame > k.last)
		return NULL;
	kept = wmem_alloc(wmem_file_scope(), size);
	memcpy(kept, fact, size);
	return kept;
}

static void tell_frames(const struct fact_event *e)
{
	struct judged *about = judged_of((uint32_t)e->frame), *by;
	struct known_event *t =
		wmem_new0(wmem_file_scope(), struct known_event);

	t->event = *e;
	t->next_of_frame = about->events;
	about->events = t;
	if (k.ended)
		return;
	t->decided = k.now;
	if (t->decided == e->frame)
		return;
	by = judged_of(k.now);
	t->next_decided = by->decides;
	by->decides = t;
}

static void on_event(void *ctx, const struct fact_event *e)
{
	if (k.rows.event)
		k.rows.event(ctx, e);
	if (e->frame && e->frame <= k.last)
		tell_frames(e);
}

static void on_flow(void *ctx, const struct fact_flow *f)
{
	if (k.rows.flow)
		k.rows.flow(ctx, f);
	flow_of(f->id)->peer = f->peer;
}

static void on_cnp(void *ctx, const struct fact_cnp *f)
{
	struct fact_cnp *kept = keep(f, sizeof *f, f->frame);

	if (k.rows.cnp)
		k.rows.cnp(ctx, f);
	if (kept)
		judged_of((uint32_t)f->frame)->cnp = kept;
}

static void on_stall(void *ctx, const struct fact_stall *f)
{
	struct fact_stall *kept = keep(f, sizeof *f, f->frame);

	if (k.rows.stall)
		k.rows.stall(ctx, f);
	if (kept)
		judged_of((uint32_t)f->frame)->stall = kept;
}

static void on_recovery(void *ctx, const struct fact_recovery *f)
{
	const uint64_t frames[] = { f->frame_original, f->frame_detect,
				    f->frame_first };

	if (k.rows.recovery)
		k.rows.recovery(ctx, f);
	for (unsigned i = 0; i < array_length(frames); i++) {
		struct fact_recovery *kept = keep(f, sizeof *f, frames[i]);

		if (kept && !judged_of((uint32_t)frames[i])->recovery)
			judged_of((uint32_t)frames[i])->recovery = kept;
	}
}

void known_listen(struct flow_sink *sink)
{
	k.rows = *sink;
	sink->note = on_note;
	sink->event = on_event;
	sink->flow = on_flow;
	sink->cnp = on_cnp;
	sink->stall = on_stall;
	sink->recovery = on_recovery;
}

/* ---- what the packets say ---- */

void known_before(uint32_t frame)
{
	k.now = frame;
	if (frame > k.last)
		k.last = frame;
}

static void keep_tag(struct judged *j, const struct packet *p)
{
	if (!(p->flags & PACKET_CSIG))
		return;
	j->has_csig = true;
	j->csig_signal = p->csig_signal;
	j->csig_value = p->csig_value;
	j->csig_locator = p->csig_locator;
}

static const char *mode_of(const struct packet *p)
{
	switch (p->uet.type) {
	case PDS_ROD_REQ:
	case PDS_ROD_CC_REQ:
		return "ROD";
	case PDS_RUD_REQ:
	case PDS_RUD_CC_REQ:
		return "RUD";
	default:
		return NULL;
	}
}

void known_after(const struct packet *p)
{
	struct judged *j = k.now < k.room ? k.frames[k.now] : NULL;
	struct known_flow *f;

	if (!j || !j->note.frame)
		return;
	keep_tag(j, p);
	f = flow_of(j->note.flow);
	if (p->kind != PACKET_UET)
		f->number = p->dst_qp + 1;
	else if (p->uet.spdcid)
		f->number = p->uet.spdcid + 1u;
	if (p->kind == PACKET_UET && mode_of(p))
		f->mode = mode_of(p);
	f->peer = j->note.peer;
	if ((p->tos & 3) == 3) {
		f->marked = k.now;
		f->marked_ns = p->ns;
	}
	if (p->kind == PACKET_CNP && j->note.peer) {
		f = flow_of(j->note.peer);
		j->marked = f->marked;
		j->marked_ns = f->marked_ns;
	}
}

void known_end(void)
{
	k.ended = true;
}

/* ---- asked ---- */

const struct judged *known_of(uint32_t frame)
{
	return frame < k.room ? k.frames[frame] : NULL;
}

/* The opposite direction, NULL while unknown. */
static const struct known_flow *other(const struct judged *j)
{
	uint32_t peer = 0;

	if (j->note.flow < k.room_flows)
		peer = k.flows[j->note.flow].peer;
	return peer && peer < k.room_flows ? &k.flows[peer] : NULL;
}

/* A queue pair's packets name where they go, a context's where they come from;
 * the rest is what the other direction says of itself. */
struct ends known_ends(const struct judged *j, const struct packet *p)
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

const char *known_mode(const struct judged *j)
{
	const struct known_flow *o = other(j);

	if (j->note.flow < k.room_flows && k.flows[j->note.flow].mode)
		return k.flows[j->note.flow].mode;
	return o ? o->mode : NULL;
}

void known_forget_frame(uint32_t frame)
{
	if (frame < k.room)
		k.frames[frame] = NULL;
}

void known_forget(void)
{
	memset(&k, 0, sizeof k);
}

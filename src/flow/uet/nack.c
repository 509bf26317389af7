/* SPDX-License-Identifier: GPL-2.0-or-later
 * Refusals: what each NACK code asks for, and whether it was done (uet.md
 * 3.8). */
#include <stdlib.h>

#include "base/clamp.h"
#include "base/mem.h"
#include "flow/uet/serial.h"
#include "flow/uet/uet.h"
#include "wire/wire.h"

enum {
	RUN_MAX = 64,        /* looked through packet by packet */
	TWICE_NS = 20 * 1000 /* as late comes what the mirror doubles */
};

enum nack_class {
	NC_OTHER, /* send again */
	NC_TRIMMED,
	NC_BUSY, /* send again later: the receiver has no room */
	NC_LOST, /* the receiver never got it */
	NC_ORDER,
	NC_CLOSING,
	NC_FATAL,
	NC_RESTART, /* from another PSN */
	NC_IGNORE,
};

static const uint8_t class_of[] = {
	[0] = NC_IGNORE,
	[NACK_TRIMMED] = NC_TRIMMED,
	[NACK_TRIMMED_LASTHOP] = NC_TRIMMED,
	[NACK_TRIMMED_ACK] = NC_IGNORE, /* of the other direction */
	[NACK_NO_PDC_AVAIL] = NC_BUSY,
	[NACK_NO_CCC_AVAIL] = NC_BUSY,
	[NACK_NO_BITMAP] = NC_BUSY,
	[NACK_NO_PKT_BUFFER] = NC_BUSY,
	[NACK_NO_GTD_DEL_AVAIL] = NC_BUSY,
	[NACK_NO_SES_MSG_AVAIL] = NC_BUSY,
	[NACK_NO_RESOURCE] = NC_BUSY,
	[NACK_PSN_OOR_WINDOW] = NC_BUSY,
	[NACK_ROD_OOO] = NC_ORDER,
	[NACK_INV_DPDCID] = NC_FATAL,
	[NACK_PDC_HDR_MISMATCH] = NC_FATAL,
	[NACK_CLOSING] = NC_CLOSING,
	[NACK_CLOSING_IN_ERR] = NC_FATAL,
	[NACK_PKT_NOT_RCVD] = NC_LOST,
	[NACK_GTD_RESP_UNAVAIL] = NC_FATAL,
	[NACK_ACK_WITH_DATA] = NC_OTHER,
	[NACK_INVALID_SYN] = NC_FATAL,
	[NACK_PDC_MODE_MISMATCH] = NC_FATAL,
	[NACK_NEW_START_PSN] = NC_RESTART,
	[NACK_RCVD_SES_PROCG] = NC_IGNORE,
	[NACK_UNEXP_EVENT] = NC_FATAL,
	[NACK_RCVR_INFER_LOSS] = NC_LOST,
	[NACK_EXP_NORMAL] = NC_OTHER,
	[NACK_EXP_ERR] = NC_OTHER,
	[NACK_EXP_FATAL] = NC_FATAL,
};

/* What each class means for the packet, and how it is counted. */
static const struct {
	uint64_t evidence; /* 0: nothing is to be retransmitted */
	uint8_t kind;      /* enum event_kind; 0 none that is reported */
	const char *rule;
} meaning[] = {
	[NC_OTHER] = { V(REFUSED), EVENT_NAK_SEQ, "U7: refused" },
	[NC_TRIMMED] = { V(NACK_TRIMMED), EVENT_TRIMMED,
			 "U6: the receiver refused it as trimmed" },
	[NC_BUSY] = { V(REFUSED), EVENT_RNR_NAK,
		      "U7: the receiver had no resources" },
	[NC_LOST] = { V(NAKED), EVENT_NAK_SEQ,
		      "U10: the receiver did not get it" },
	[NC_ORDER] = { 0, EVENT_NAK_SEQ,
		       "U11: too early for an ordered "
		       "context" },
	[NC_CLOSING] = { 0, 0, NULL },
	[NC_FATAL] = { 0, EVENT_NAK_FATAL, "U19: the context is refused" },
	[NC_RESTART] = { 0, 0, NULL },
	[NC_IGNORE] = { 0, 0, NULL },
};

static enum nack_class classify(uint8_t code)
{
	/* Between those that have a name lie reserved ones. */
	return code > NACK_RCVR_INFER_LOSS && code < NACK_EXP_NORMAL
		       ? NC_OTHER
		       : class_of[code];
}

/* NULL: no memory. */
static struct uet_nacks *nacks_of(struct flow *f)
{
	struct uet_sender *s = f->uet.sender;

	if (!s->nacks)
		s->nacks = mem_calloc(1, sizeof *s->nacks);
	return s->nacks;
}

static struct fact_nack *find(struct uet_nacks *n, uint8_t code)
{
	for (unsigned i = 0; i < n->n; i++)
		if (n->by[i].code == code)
			return &n->by[i];
	return NULL;
}

static struct fact_nack *kept(struct uet_nacks *n, uint8_t code)
{
	struct fact_nack *k = find(n, code);

	if (k || n->n == NACK_CODES_KEPT)
		return k;
	n->by[n->n] = (struct fact_nack) { .code = code };
	return &n->by[n->n++];
}

bool uet_had_no_pdc(const struct flow *f, int64_t ns)
{
	struct uet_nacks *n = f->uet.sender->nacks;
	const struct fact_nack *k = n ? find(n, NACK_NO_PDC_AVAIL) : NULL;

	return k && ns && ns < k->first_ns;
}

bool uet_refused_since(const struct flow *f, int64_t ns)
{
	const struct uet_nacks *n = f->uet.sender->nacks;

	return n && n->refused_ns && ns && n->refused_ns >= ns;
}

uint32_t uet_trim_nacks(const struct flow *f)
{
	const struct uet_nacks *n = f->uet.sender->nacks;
	uint32_t sum = 0;

	for (unsigned i = 0; n && i < n->n; i++)
		if (classify(n->by[i].code) == NC_TRIMMED)
			sum += n->by[i].count;
	return sum;
}

static void count_code(struct uet_nacks *n, const struct packet *p)
{
	struct fact_nack *k = kept(n, p->uet.nack.code);

	n->total++;
	if (!k)
		return;
	if (!k->count++) {
		k->first_ns = p->ns;
		k->frame = p->frame;
	}
}

void uet_nack_answered(struct flow *f, struct pending_psn *d, int64_t ns)
{
	struct uet_nacks *n = nacks_of(f);
	struct fact_nack *k;

	if (!d->refused || !n)
		return;
	d->refused = false;
	ns -= d->nack_ns;
	if (!f->rtt_s || ns < f->rtt_s)
		f->rtt_s = ns > 0 ? ns : 1;
	k = (d->evidence & V(ROD_RUN)) ? kept(n, NACK_ROD_OOO)
				       : kept(n, d->code);
	if (!k)
		return;
	if (!k->retransmitted++ || ns < k->react_min_ns)
		k->react_min_ns = ns;
	k->react_sum_ns = clamp_add(k->react_sum_ns, ns);
	if (ns > k->react_max_ns)
		k->react_max_ns = ns;
}

/* The newest packet with |psn| that what is here at |ns| may answer; NULL.  No
 * round trip is a quarter shorter than the shortest of the flow (F15). */
static const struct recent_packet *answered_at(const struct engine *e,
					       const struct flow *f,
					       uint32_t psn, int64_t ns)
{
	const struct recent_packet *r = NULL;

	while ((r = recent_find(&e->recent, uet_key(f), psn, r)))
		if (r->flow == f->index &&
		    clamp_mul(4, ns - r->ns) >= 3 * f->rtt_r)
			return r->ns >= f->first_ns ? r : NULL;
	return NULL;
}

/* The receiver refused |psn| as too early, as it was sent last. */
static bool was_early(const struct engine *e, const struct flow *f,
		      uint32_t psn, int64_t ns)
{
	const struct recent_packet *r = answered_at(e, f, psn, ns);

	return r && r->early;
}

/* ROD: so it did, or the last time that |psn| was seen here was before the last
 * time of the one before it.  Then it was not taken, which the receiver may
 * call not received; or its retransmission was never seen here. */
static bool came_too_early(const struct engine *e, const struct flow *f,
			   uint32_t psn, int64_t ns)
{
	const struct recent_packet *r = uet_recent(e, f, psn, false);
	const struct recent_packet *before = answered_at(e, f, psn - 1, ns);

	return uet_ordered(f) && uet_was_seen(f, psn) &&
	       (was_early(e, f, psn, ns) ||
		(before && (!r || r->frame < before->frame)));
}

/* What refuses |psn| may be to a transmission before the last one of |d|. */
static bool may_be_older(const struct engine *e, const struct flow *f,
			 const struct pending_psn *d, uint32_t psn)
{
	const struct recent_packet *r = NULL;

	while ((r = recent_find(&e->recent, uet_key(f), psn, r)))
		if (r->flow == f->index && r->ns >= f->first_ns &&
		    r->ns < d->last_ns)
			return true;
	return false;
}

/* Trimmed, corrupted or refused, though not as too early: the receiver did not
 * take it, and what follows is too early for that. */
static bool explains(const struct engine *e, const struct flow *f,
		     const struct pending_psn *d, uint32_t named)
{
	return ((d->evidence | d->again) & UET_NOT_TAKEN) ||
	       (d->cut && may_be_older(e, f, d, named));
}

/* The first PSN before |named|, which is refused, that the receiver did not
 * take, as is known: from there on nothing need have been lost.  |why|: nor
 * before it, as what precedes need not be missing. */
static uint32_t first_refused(const struct engine *e, const struct flow *f,
			      uint32_t named, int64_t ns, bool *why)
{
	const struct uet_recovery *t = f->uet.sender->recovery;
	uint32_t to = named;

	*why = false;
	for (unsigned i = 0; i < t->n; i++) {
		const struct pending_psn *d = &t->d[i];

		if (d->acked_ns || psn32_diff(d->psn, t->order_from) < 0 ||
		    psn32_diff(d->psn, to) >= 0 || !explains(e, f, d, named))
			continue;
		to = d->psn;
		*why = true;
	}
	for (uint32_t psn = t->order_from, n = 0;
	     psn32_diff(psn, to) < 0 && n < RUN_MAX; psn++, n++)
		if (came_too_early(e, f, psn, ns)) {
			to = psn;
			*why = false;
		}
	return to;
}

/* Packets are refused in the order in which they come: |p| refuses what was
 * sent before another one, and refused after it.  They were reordered behind
 * the tap. */
static void note_early(struct engine *e, struct flow *f, const struct packet *p)
{
	struct uet_recovery *t = f->uet.sender->recovery;
	const struct recent_packet *r = answered_at(e, f, p->psn, p->ns);
	const struct recent_packet *last =
		t->order_ns ? answered_at(e, f, t->order_last, t->order_ns)
			    : NULL;

	if (!r || r->early)
		return;
	recent_set_early(&e->recent, r);
	if (last && last->early && r->ns < last->ns)
		uet_note_late(f, p->ns - r->ns);
	t->order_last = p->psn;
}

/* Was any of |t|'s run seen here only behind what was refused for it? */
static bool came_behind(const struct engine *e, const struct flow *f,
			const struct uet_recovery *t)
{
	if (!f->reordered || !t->order_seen_ns)
		return false;
	for (uint32_t psn = t->order_from, n = 0;
	     psn32_diff(psn, t->order_to) < 0 && n < RUN_MAX; psn++, n++) {
		const struct recent_packet *r =
			answered_at(e, f, psn, t->order_ns);

		if (!r) /* too late for that, too */
			r = uet_recent(e, f, psn, false);
		if (r && r->ns > t->order_seen_ns)
			return true;
	}
	return false;
}

/* Something before |p|'s PSN had not arrived.  A hole that is visible here
 * explains it, or was when it passed. */
static void too_early(struct engine *e, struct flow *f, const struct packet *p)
{
	struct uet_dir *u = &f->uet;
	struct uet_recovery *t = uet_recovery(f);
	const struct recent_packet *r = answered_at(e, f, p->psn, p->ns);
	uint32_t from, to;
	bool why;

	if (!t || !f->req_valid)
		return;
	from = u->una_valid ? f->una : f->first;
	/* Who refuses what is too early has all before what it answered, though
	 * CACK may be held back. */
	if (psn32_diff(u->sender->named, from) >= 0)
		from = u->sender->named + 1;
	/* Of the same that is missing: it may have come since, too early. */
	if (!t->order_ns || psn32_diff(from, t->order_from) < 0 ||
	    psn32_diff(from, t->order_to) >= 0)
		t->order_since_ns = p->ns;
	if (t->order_from != from) {
		t->order_told = false;
		t->order_seen_ns = 0;
	}
	t->order_from = from;
	to = first_refused(e, f, p->psn, p->ns, &why);
	/* Some name the packet that was expected; but this may be the mirror's
	 * second refusal of what was too early then. */
	if (psn32_diff(p->psn, t->order_from) <= 0)
		to = was_early(e, f, p->psn, p->ns) ? t->order_from
						    : p->psn + 1;
	else
		note_early(e, f, p);
	/* What is missing may be before all that was seen here. */
	if (!u->una_valid && t->order_from == f->first &&
	    !(u->start_known && u->sender->start_psn == f->first))
		to = f->first;
	t->order_to = to;
	t->order_at = why ? to : t->order_from;
	t->order_ns = p->ns;
	/* What explained the first refusal explains those behind it. */
	if (r && (r->copy || !t->order_seen_ns || r->ns < t->order_seen_ns))
		t->order_seen_ns = r->ns;
	t->order_frame = p->frame;
	t->order_open =
		t->order_at == t->order_from &&
		psn32_diff(u->seen.low, to) >= 0 && !came_behind(e, f, t) &&
		!(t->forgets && psn32_diff(t->order_from, t->forgotten) < 0);
}

/* What comes a round trip after a copy is about that copy; but who has got
 * neither has not got the original. */
static void note_why(const struct flow *f, struct pending_psn *d, uint64_t why,
		     int64_t ns)
{
	if (!d->copies || (ns - d->copy_ns < f->rtt_r && !(why & V(NAKED))))
		d->evidence |= why;
	else if (why & V(NAKED))
		d->evidence |= V(STILL_MISSED);
	if (d->copies && (!(why & V(NAKED)) || ns - d->last_ns > 2 * f->rtt_r))
		d->again |= why;
}

static void refuse(struct engine *e, struct flow *f, const struct packet *p,
		   uint64_t why)
{
	struct pending_psn *d = pending_psn(e, f, p->psn);
	const struct recent_packet *r;

	if (!d)
		return;
	r = uet_recent(e, f, p->psn, true);
	if (r && !d->orig_ns) {
		d->orig_ns = r->ns;
		d->frame_orig = r->frame;
		d->ev = r->ip_id;
		d->ev_known = true;
	}
	if ((why & V(NAKED)) && came_too_early(e, f, p->psn, p->ns))
		why = V(ROD_BEHIND);
	note_why(f, d, why, p->ns);
	d->cut |= why & (V(NACK_TRIMMED) | V(REFUSED));
	if (why & V(NAKED))
		d->missed_ns = p->ns;
	d->busy |= classify(p->uet.nack.code) == NC_BUSY;
	d->code = p->uet.nack.code;
	d->nack_ns = p->ns;
	d->refused = true;
	d->frame_nack = p->frame;
}

/* The ring knows of those that are in no doubt any more, and forgets those that
 * was seen long ago. */
static bool seen_trimmed(struct engine *e, const struct flow *f, uint32_t psn,
			 const struct pending_psn *d)
{
	const struct recent_packet *r = NULL;
	bool knows = false;

	while ((r = recent_find(&e->recent, uet_key(f), psn, r))) {
		if (r->flow != f->index || r->ns < f->first_ns)
			continue;
		knows = true;
		if (!r->trimmed)
			continue;
		recent_set_trimmed(&e->recent, r, false);
		return true;
	}
	return !knows && d && (d->evidence & V(TRIMMED));
}

/* Something was sent since |d| was refused that |p| may refuse, however soon.
 * Where the mirror doubles, the second of a refusal may follow the copy that
 * the first one asked for; but sooner than the answer to that. */
static bool refused_anew(const struct engine *e, const struct flow *f,
			 const struct pending_psn *d, const struct packet *p)
{
	return !d->refused &&
	       !(tap_has_repeats(e, p->tap) && p->ns - d->last_ns < f->rtt_r);
}

/* By the mirror, or by a receiver that says again what nothing new asked for.
 */
static bool reported_twice(const struct engine *e, const struct flow *f,
			   const struct pending_psn *d, const struct packet *p)
{
	if (classify(d->code) != NC_TRIMMED || refused_anew(e, f, d, p))
		return false;
	return d->refused || p->ns - d->nack_ns < TWICE_NS;
}

static void note_trimmed(struct pending_psn *d)
{
	if (d)
		*(d->copies ? &d->again : &d->evidence) |= V(TRIMMED);
}

static void trim(struct engine *e, struct flow *f, const struct packet *p)
{
	struct uet_dir *u = &f->uet;
	struct pending_psn *d = pending_psn_find(f, p->psn);

	if (d && reported_twice(e, f, d, p))
		return;
	uet_cc_trimmed(e, f, p);
	u->sender->fact.trimmed_lasthop +=
		p->uet.nack.code == NACK_TRIMMED_LASTHOP;
	if (seen_trimmed(e, f, p->psn, d)) {
		note_trimmed(pending_psn(e, f, p->psn));
		return; /* counted there */
	}
	/* No length tells of a cut inside the payload; but the CRC was cut
	 * off as well. */
	if (d && (d->evidence & V(BAD_ICRC))) {
		d->evidence = (d->evidence & ~V(BAD_ICRC)) | V(TRIMMED);
		u->sender->fact.trimmed_upstream++;
		return;
	}
	u->sender->fact.trimmed_downstream++;
	/* Answers carry the entropy value of what they answer. */
	uet_ev_note(e, f, p->sport, EV_TRIMMED);
}

static void count(struct engine *e, struct flow *f, const struct packet *p,
		  enum nack_class class)
{
	if (class == NC_TRIMMED)
		trim(e, f, p);
	f->rnr_nak += class == NC_BUSY;
	if (class == NC_BUSY || class == NC_TRIMMED)
		nacks_of(f)->refused_ns = p->ns;
	f->nak_seq +=
		class == NC_LOST || class == NC_ORDER || class == NC_OTHER;
	f->nak_fatal += class == NC_FATAL;
	if (meaning[class].kind)
		emit_packet(e, f, p, meaning[class].kind, p->uet.nack.code,
			    0.99, meaning[class].rule);
}

/* The mirror doubled it. */
static bool same_again(const struct engine *e, const struct flow *f,
		       struct uet_nacks *n, const struct packet *p)
{
	const struct pending_psn *d;
	bool same = n->psn == p->psn && n->code == p->uet.nack.code &&
		    p->ns - n->ns < TWICE_NS && n->ns;

	n->psn = p->psn;
	n->code = p->uet.nack.code;
	n->ns = p->ns;
	if (!same)
		return false;
	d = pending_psn_find(f, p->psn);
	return !d || !refused_anew(e, f, d, p);
}

/* The direction that |p| refuses packets of. */
static struct flow *refused(struct engine *e, struct flow *g,
			    const struct packet *p)
{
	const struct recent_packet *r;
	struct flow *f = flow_peer(e, g);

	if (p->uet.flags & UET_RUDI) {
		f = uet_rudi_asker(e, g->route, p->psn, &r);
		if (f)
			uet_rudi_pair(f, g);
	} else if (!f || !p->uet.spdcid) {
		/* A target without a context names only the other end. */
		f = uet_reverse(e, p, g->place, p->uet.dpdcid);
	}
	return f && f->uet.begun && uet_sender(e, f) ? f : NULL;
}

void uet_nack(struct engine *e, struct flow *g, const struct packet *p)
{
	enum nack_class class = classify(p->uet.nack.code);
	struct flow *f = refused(e, g, p);
	struct uet_nacks *n = f ? nacks_of(f) : NULL;

	if (!n || !(p->uet.flags & UET_PDS) || same_again(e, f, n, p))
		return;
	f->last_rsp_seen_ns = p->ns;
	count_code(n, p);
	count(e, f, p, class);
	if (p->uet.flags & UET_M)
		uet_ev_note(e, f, p->sport, EV_MARKED);
	if (class != NC_LOST)
		uet_round_trip_of(e, f, p);
	if (class == NC_ORDER)
		too_early(e, f, p);
	if (class == NC_FATAL || class == NC_CLOSING)
		pdc_refused(e, f, class == NC_FATAL);
	if (class == NC_FATAL)
		f->died = true;
	if (meaning[class].evidence)
		refuse(e, f, p, meaning[class].evidence);
}

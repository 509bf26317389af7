/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which records of a damaged pcap file can be believed.
 *
 * A record header has no mark, so the only witness is its neighbour.
 * 1. An odd record (empty, too long, impossible fraction) is believed when
 *    the record behind it is possible and of about the same time, or when the
 *    lengths of the next few lead exactly to the end of the stream.
 * 2. In the search for the next record only plain ones count, and only with
 *    plain ones behind them: one, if the time fits the last packet before the
 *    damage, else three whose times fit each other, for there may be a gap of
 *    years.  Runs of small numbers and of zeros, which look like records, are
 *    of 1970 and fit neither. */
#include "capture/pcap.h"

enum {
	NEAR_SECONDS = 10 * 365 * 86400,
	EARLIEST = 100 * 1000 * 1000, /* 1973: seconds of a real clock */
	CHAIN_NEAR = 2,
	CHAIN_FAR = 4,
	ODD_RUN = 64,
};
#define NANO INT64_C(1000000000)

static bool near(uint32_t a, uint32_t b)
{
	return (a > b ? a - b : b - a) < NEAR_SECONDS;
}

/* Is it of the time of the packets so far?  |none| if there were none. */
static bool timely(const struct pcap *f, uint32_t sec, bool none)
{
	const struct capture_tap *t;
	int64_t ns = sec * NANO;

	if (f->tap == TAP_NONE)
		return none;
	t = &f->base.taps->v[f->tap].pub;
	return ns > t->first_ns - NEAR_SECONDS * NANO &&
	       ns < t->last_ns + NEAR_SECONDS * NANO;
}

/* Padding rather than an empty packet of 1970? */
static bool padding(const struct pcap *f, const struct pcap_record *r)
{
	return !(r->sec | r->frac | r->caplen | r->wirelen) &&
	       !timely(f, 0, true);
}

/* Can |next| follow the odd record |r|?  It may be odd in the same way. */
static bool possible_next(const struct pcap *f, const struct pcap_record *r,
			  const struct pcap_record *next)
{
	if (next->caplen > PCAP_OVERSIZE || next->wirelen > PCAP_OVERSIZE)
		return false;
	if (next->caplen > PCAP_PLAIN_MAX && next->caplen > next->wirelen)
		return false;
	if (next->frac >= f->unit && r->frac < f->unit)
		return false;
	if (!next->caplen && !next->wirelen)
		return false;
	return near(next->sec, r->sec) || timely(f, next->sec, false);
}

static enum pcap_verdict doubted(struct pcap *f, const struct pcap_record *r)
{
	uint64_t claim = 0;

	if (r->caplen <= PCAP_OVERSIZE && r->frac < f->unit)
		claim = (uint64_t)f->header + r->caplen;
	reader_lose(&f->base, claim, true, "no packet record");
	return PCAP_DOUBTED;
}

static enum pcap_verdict need(struct pcap *f, size_t n)
{
	f->base.want = n;
	return PCAP_UNDECIDED;
}

enum pcap_verdict pcap_confirm(struct pcap *f, const struct pcap_record *r)
{
	const struct window *w = f->base.window;
	size_t unread = window_unread(w), at = 0;
	struct pcap_record next = *r;
	int steps;

	for (steps = 0; steps < ODD_RUN; steps++) {
		if (next.caplen > PCAP_PACKET_MAX || padding(f, &next))
			break;
		at += f->header + next.caplen;
		if (at + f->header > WINDOW_RESERVE)
			break;
		if (unread < at + f->header) {
			if (!w->ended)
				return need(f, at + f->header);
			return unread < at ? doubted(f, r) : PCAP_BELIEVED;
		}
		next = pcap_load(f, w->p + at);
		if (possible_next(f, r, &next))
			return PCAP_BELIEVED;
	}
	return doubted(f, r);
}

/* Are the octets at |p| the beginning of a chain of records? */
static enum pcap_verdict chain(struct pcap *f, const uint8_t *p)
{
	const struct window *w = f->base.window;
	size_t left = (size_t)(w->end - p), at = 0;
	uint32_t sec = 0;
	int links, enough = CHAIN_FAR;

	for (links = 0; links < enough; links++) {
		struct pcap_record r;

		if (left - at < f->header) {
			if (w->ended)
				return links ? PCAP_BELIEVED : PCAP_DOUBTED;
			if (at + f->header > WINDOW_RESERVE)
				return PCAP_BELIEVED;
			return need(f, at + f->header);
		}
		r = pcap_load(f, p + at);
		if (!pcap_plain(f, &r) || (links && !near(r.sec, sec)))
			return PCAP_DOUBTED;
		sec = r.sec;
		if (timely(f, sec, false))
			enough = CHAIN_NEAR;
		else if (sec < EARLIEST)
			return PCAP_DOUBTED;
		at += f->header + r.caplen;
		if (at > left) {
			if (w->ended)
				return links ? PCAP_BELIEVED : PCAP_DOUBTED;
			if (at > WINDOW_RESERVE)
				return PCAP_BELIEVED;
			return need(f, at);
		}
	}
	return PCAP_BELIEVED;
}

/* One long record behind another: it stands where the first one ends. */
static bool ends_long_record(const struct pcap *f, const struct pcap_record *r)
{
	return window_offset(f->base.window) == f->base.lost.claim &&
	       r->caplen > PCAP_PLAIN_MAX && r->caplen <= PCAP_OVERSIZE &&
	       r->wirelen - r->caplen < PCAP_WIRE_EXTRA && r->frac < f->unit &&
	       timely(f, r->sec, true);
}

void pcap_search(struct pcap *f)
{
	struct window *w = f->base.window;

	for (; window_unread(w) >= f->header; w->p++) {
		const uint8_t *p = w->p;
		struct pcap_record r = pcap_load(f, p);

		if (!pcap_plain(f, &r)) {
			if (!ends_long_record(f, &r))
				continue;
			reader_found(&f->base);
			return;
		}
		switch (chain(f, p)) {
		case PCAP_BELIEVED:
			reader_found(&f->base);
			return;
		case PCAP_UNDECIDED:
			return;
		case PCAP_DOUBTED:
			break;
		}
	}
	f->base.want = f->header;
	if (w->ended)
		reader_lost_end(&f->base);
}

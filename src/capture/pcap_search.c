/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which records of a corrupted pcap file can be believed.
 *
 * A record header has no mark, so the only witness is its neighbour.
 * 1. An odd record (empty, too long, impossible fraction, years from all
 *    others) is believed when the record behind it is possible and of the time
 *    of the capture, or when it begins a chain of plain records of about the
 *    same time, for there may be a gap of years and clocks are reset, or when
 *    the lengths of the next few lead exactly to the end of the stream.  An
 *    odd length is not believed if there are records within it, or if more
 *    has been searched for such than a file of odd records needs.
 * 2. In the search for the next record only plain ones count, and only with
 *    plain ones behind them: one, if the time fits the capture, else three
 *    whose times fit each other.  Runs of zeros and of small numbers, which
 *    look like records, are of 1970. */
#include "capture/pcap.h"

enum {
	EARLIEST = 100 * 1000 * 1000, /* 1973: seconds of a real clock */
	CHAIN_NEAR = 2,
	CHAIN_FAR = 4,
	ODD_RUN = 64,
	SCAN_TIMES = 8, /* what an odd record's packet may be searched */
	SCAN_FREE = 1 << 20,
	MINUTE = 60,
	HOUR = 3600,
};

static uint32_t apart(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

static bool near(uint32_t a, uint32_t b)
{
	return apart(a, b) < PCAP_NEAR_SECONDS;
}

/* Padding rather than an empty packet of 1970? */
static bool padding(const struct pcap *f, const struct pcap_record *r)
{
	return !(r->sec | r->frac | r->caplen | r->wirelen) &&
	       !pcap_timely(f, 0);
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
	if (near(next->sec, r->sec))
		return pcap_timely(f, r->sec);
	return f->tap != TAP_NONE && pcap_timely(f, next->sec);
}

/* A record too long to hold, or for the stream, may be one all the same. */
static enum pcap_verdict doubted(struct pcap *f, const struct pcap_record *r)
{
	const struct window *w = f->base.window;
	uint64_t length = (uint64_t)f->header + r->caplen;
	bool claims = r->caplen > PCAP_PACKET_MAX ||
		      (w->ended && length > window_unread(w));

	if (r->caplen > PCAP_OVERSIZE || r->frac >= f->unit)
		claims = false;
	reader_lose(&f->base, claims ? length : 0, true, "no packet record");
	return PCAP_DOUBTED;
}

static enum pcap_verdict need(struct pcap *f, size_t n)
{
	f->base.want = n;
	return PCAP_UNDECIDED;
}

/* Can |sec| be the time of the next link of a chain?  A clock that was reset
 * counts on in small steps. */
static bool links_up(uint32_t sec, uint32_t before)
{
	return sec < EARLIEST ? apart(sec, before) < MINUTE : near(sec, before);
}

/* Are the bytes at |p| the beginning of a chain of records? */
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
		if (!pcap_plain(f, &r) || (links && !links_up(r.sec, sec)))
			return PCAP_DOUBTED;
		sec = r.sec;
		if (f->tap != TAP_NONE && pcap_timely(f, sec))
			enough = CHAIN_NEAR;
		else if (sec < EARLIEST && f->base.lost.on)
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

/* Records that overlap could have the same bytes searched again and again. */
static bool may_scan(const struct pcap *f)
{
	uint64_t read = window_offset(f->base.window);

	return f->scanned <= SCAN_FREE + SCAN_TIMES * read;
}

/* Are there records within what |r|, at the window's start, says is its packet?
 * Then its length is wrong, wherever it leads.  They are of about its time: of
 * what only looks like a record most is of another year. */
static enum pcap_verdict holds_records(struct pcap *f,
				       const struct pcap_record *r)
{
	const uint8_t *p = f->base.window->p;
	const uint8_t *end = p + r->caplen;
	enum pcap_verdict v = PCAP_DOUBTED;

	if (r->caplen <= f->plain_max && r->caplen <= r->wirelen)
		return PCAP_DOUBTED; /* not its length is odd */
	if (!may_scan(f))
		return PCAP_BELIEVED;
	while (v == PCAP_DOUBTED && ++p <= end) {
		struct pcap_record inner = pcap_load(f, p);

		f->scanned++;
		if (!pcap_plain(f, &inner) || !pcap_timely(f, inner.sec) ||
		    (pcap_timely(f, r->sec) && apart(inner.sec, r->sec) > HOUR))
			continue;
		v = chain(f, p);
	}
	return v;
}

enum pcap_verdict pcap_confirm(struct pcap *f, const struct pcap_record *r)
{
	const struct window *w = f->base.window;
	size_t unread = window_unread(w), at = 0;
	struct pcap_record next = *r;
	enum pcap_verdict v = PCAP_DOUBTED;
	int steps;

	if (pcap_plain(f, r))
		v = chain(f, w->p);
	if (v != PCAP_DOUBTED)
		return v;
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
		if (!possible_next(f, r, &next))
			continue;
		v = holds_records(f, r);
		if (v == PCAP_UNDECIDED)
			return v;
		return v == PCAP_BELIEVED ? doubted(f, r) : PCAP_BELIEVED;
	}
	return doubted(f, r);
}

/* One long record behind another: it stands where the first one ends. */
static bool ends_long_record(const struct pcap *f, const struct pcap_record *r)
{
	return window_offset(f->base.window) == f->base.lost.stated_end &&
	       r->caplen > PCAP_PLAIN_MAX && r->caplen <= PCAP_OVERSIZE &&
	       r->wirelen - r->caplen < PCAP_WIRE_EXTRA && r->frac < f->unit &&
	       pcap_timely(f, r->sec);
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

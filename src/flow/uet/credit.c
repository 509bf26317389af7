/* SPDX-License-Identifier: GPL-2.0-or-later
 * How long a sender must have waited for credit (uet.md 6.9), as far as one
 * place can know.
 *
 * That is time in which
 *
 *   1. it had something to send: it had asked for more than it was granted,
 *   2. it had no credit left,
 *   3. nothing else can have stalled it,
 *   4. it sent nothing, for longer than its packets take one after the other.
 *
 * 1 is on the wire.  2 is not, for how much may be sent without credit is not
 * carried, nor is the unit.  But a sender that credit stalls uses each grant
 * at once: what is granted and not sent yet, the surplus, comes back to the
 * same level again and again.  So it has none left where the surplus is no more
 * than one grant (and one packet) above the lowest of the last 8 to 16 grants.
 * Who is slower than the grants is above that after a few of them, and soon has
 * all that he asked for.  What the capture lost is forgotten as fast.
 *
 * 3: a window that is full looks the same, for ACK and grant come together.  So
 * one of these has to be so:
 *
 *   - it asks by a packet of its own, as it may send no other;
 *   - it had more packets under way before, by an eighth at least;
 *   - the receiver hands out credit more slowly than it is asked for it: what
 *     it was asked for four round trips ago it has not granted yet, and all
 *     grants of late were used at once.
 *
 * 4 is what goes beyond the usual time of a byte, the median of the last 16
 * gaps that began with credit left.  What came closer than that (behind a
 * queue) is owed, and taken off the next gaps.  None is reported up to a packet
 * before which numbers are missing: they may have gone meanwhile.
 *
 * A wait begins with a data packet, or with what asks for more.  It ends with
 * the grant that is more than is used at once or all that was asked for, as it
 * is seen here, or with the next data packet; it is reported when that comes.
 * How long grant and data still travel is not reported, for that is not known:
 * near the receiver it is only what the receiver took, near the sender all of
 * it.
 *
 * A credit is as many bytes as are sent for one, a power of two: 256 at least,
 * which is the unit of UET's other counters, unless far less is sent for one.
 *
 * Frequency: per packet of a sender that asks for credit. */
#include "flow/uet/credit.h"

#include "flow/core/flow.h"
#include "flow/uet/serial.h"

enum {
	COUNTER_MASK = 0xffffff,
	WINDOW = 8, /* grants */
	ROUND_TRIPS = 4,
	UNIT_LEAST = 8,
	UNIT_MOST = 24,
	SCALE = 1 << 16, /* of ns a byte */
	ENOUGH = 4,      /* samples */
	BETWEEN = 24,    /* bytes between two packets, and FCS */
	OWED_MOST = 16,  /* gaps */
	COARSE_NS = 1000
};

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

void uet_credit_init(struct uet_credit *c)
{
	*c = (struct uet_credit) { .unit = UNIT_LEAST };
}

/* How far counter |a| is ahead of |b|; 0 not. */
static uint32_t ahead(uint32_t a, uint32_t b)
{
	uint32_t n = (a - b) & COUNTER_MASK;

	return n <= COUNTER_MASK / 2 ? n : 0;
}

uint32_t uet_credit_backlog(const struct uet_credit *c)
{
	return c->wanted.known && c->granted.known
		       ? ahead(c->wanted.last, c->granted.last)
		       : 0;
}

/* ---- is there any left? ---- */

static int64_t low(const struct uet_credit *c)
{
	return least(c->now.low, c->before.low);
}

static int64_t step_most(const struct uet_credit *c)
{
	return most(c->now.step, c->before.step);
}

static bool is_dry(const struct uet_credit *c)
{
	return c->spacing && uet_credit_backlog(c) &&
	       c->surplus - low(c) <= step_most(c) + c->payload_most;
}

static void end_dry(struct uet_credit *c, int64_t ns)
{
	if (!c->dry_ns)
		return;
	c->dried_ns += ns - c->dry_ns;
	c->dry_until = ns;
	c->dry_ns = 0;
}

/* What was asked for is granted; what has been asked for since counts from now
 * on.  |now|: it was not asked for before. */
static void answer(struct uet_credit *c, bool now, int64_t ns)
{
	if (c->asked && !ahead(c->asked_for, c->granted.last))
		c->asked = false;
	if (c->asked || !uet_credit_backlog(c))
		return;
	c->asked = true;
	c->asked_now = now;
	c->asked_for = c->wanted.last;
	c->asked_ns = ns;
}

/* More packets under way, before?  Where the capture misses packets it misses
 * answers, too, and it looks as if: then it has to be four times as many. */
static bool had_more_open(const struct uet_credit *c, const struct flow *f,
			  uint32_t open)
{
	return f->missing ? (uint64_t)open * 4 < c->open_most
			  : open + c->open_most / 8 < c->open_most;
}

/* Slower than it is asked for?  Grants under way here may be one more or one
 * less. */
static bool is_rationed(const struct uet_credit *c, const struct flow *f,
			int64_t ns)
{
	return c->asked && c->before.step && f->rtt_r &&
	       ns - c->asked_ns > ROUND_TRIPS * f->rtt_r &&
	       most(c->now.high, c->before.high) - low(c) <=
		       2 * step_most(c) + c->payload_most;
}

/* A grant at |ns| that was waited for: did the receiver hold it back?  Not if
 * it took about a round trip since it was asked for. */
static bool came_late(const struct uet_credit *c, const struct flow *f,
		      int64_t ns)
{
	return !c->asked || !c->asked_now || !f->rtt_r ||
	       ns - c->asked_ns > f->rtt_r + f->rtt_r / 4 + COARSE_NS;
}

/* ---- what is asked for, and granted ---- */

/* In the long run as much is sent as was granted: the power of two that is
 * nearest. */
static void measure_unit(struct uet_credit *c)
{
	uint64_t sent = c->payload - c->payload_first;
	/* So many are not left over: it is no unit of 256 bytes. */
	uint8_t unit = sent < c->granted.sum << UNIT_LEAST / 2 ? 0 : UNIT_LEAST;

	while (unit < UNIT_MOST && sent * 2 > c->granted.sum * 3 << unit)
		unit++;
	if (unit == c->unit)
		return;
	c->unit = unit;
	c->surplus = 0;
	c->before = (struct credit_window) { 0 };
}

static void next_window(struct uet_credit *c)
{
	c->grants = 0;
	c->before = c->now;
	measure_unit(c);
	c->now = (struct credit_window) { .low = c->surplus,
					  .high = c->surplus };
}

void uet_credit_granted(struct uet_credit *c, const struct flow *f,
			uint32_t step, int64_t ns)
{
	int64_t bytes = (int64_t)step << c->unit;

	if (c->dry_ns && came_late(c, f, ns)) {
		/* Several may come before data goes on. */
		if (c->relieved_ns <= c->data_ns)
			c->wanted_ns = c->dry_ns;
		c->relieved_ns = ns;
	}
	if (!c->granted.sum)
		c->payload_first = f->payload;
	answer(c, false, ns);
	c->surplus += bytes;
	c->now.step = most(c->now.step, bytes);
	c->now.high = most(c->now.high, c->surplus);
	if (step && ++c->grants == WINDOW)
		next_window(c);
	if (!is_dry(c))
		end_dry(c, ns);
}

void uet_credit_wanted(struct uet_credit *c, const struct flow *f,
		       uint32_t open, int64_t ns)
{
	answer(c, true, ns);
	if (open > c->open_most)
		c->open_most = open;
	if (!is_dry(c))
		end_dry(c, ns);
	else if (!c->dry_ns &&
		 (had_more_open(c, f, open) || is_rationed(c, f, ns)))
		c->dry_ns = ns;
}

/* ---- data ---- */

static int64_t usual(const struct uet_credit *c, uint64_t bytes)
{
	return (int64_t)((c->spacing * bytes + SCALE - 1) / SCALE);
}

static uint32_t median(const struct uet_credit *c)
{
	uint32_t n = c->samples < CREDIT_SAMPLES ? c->samples : CREDIT_SAMPLES;
	uint32_t s[CREDIT_SAMPLES];

	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = i, value = c->sample[i];

		for (; at && s[at - 1] > value; at--)
			s[at] = s[at - 1];
		s[at] = value;
	}
	return s[(n - 1) / 2];
}

static void sample(struct uet_credit *c, int64_t gap, uint64_t bytes)
{
	uint64_t each = ((uint64_t)gap * SCALE + bytes - 1) / bytes;

	c->sample[c->samples++ % CREDIT_SAMPLES] =
		each < UINT32_MAX ? (uint32_t)each : UINT32_MAX;
	if (c->samples == ENOUGH || c->samples % (CREDIT_SAMPLES / 2) == 0)
		c->spacing = median(c);
}

/* How much of |gap| is more than usual, and than the times may be wrong by. */
static int64_t beyond(struct uet_credit *c, int64_t gap, uint64_t bytes)
{
	int64_t more = gap - usual(c, bytes) - c->owed_ns;

	c->owed_ns = least(most(-more, 0), OWED_MOST * usual(c, bytes));
	return most(more - (c->fine ? 1 : COARSE_NS), 0);
}

static int64_t waited(struct uet_credit *c, int64_t gap, uint64_t bytes)
{
	if (gap < 0)
		return 0;
	if (c->supplied)
		sample(c, gap, bytes);
	return least(beyond(c, gap, bytes), c->dried_ns);
}

int64_t uet_credit_data(struct uet_credit *c, const struct flow *f,
			uint32_t psn, int64_t ns, int64_t *until)
{
	/* All that this end sends takes time, its answers as well. */
	uint64_t wire = f->bytes + BETWEEN * f->packets;
	int64_t payload = (int64_t)(f->payload - c->payload), wait = 0;

	/* What is missing before it may have been sent meanwhile. */
	c->broken |= psn32_diff(psn, f->nxt) > 0;
	if (!payload)
		return 0; /* it only asks for data */
	end_dry(c, ns);
	c->fine |= ns % COARSE_NS != 0;
	if (c->data_ns) {
		if (!c->broken)
			wait = waited(c, ns - c->data_ns, wire - c->wire);
		c->payload_most = most(c->payload_most, payload);
		c->surplus -= payload;
	}
	c->now.low = least(c->now.low, c->surplus);
	/* Before the first grant it needs none. */
	c->supplied = !step_most(c) || c->surplus - low(c) >= c->payload_most;
	c->dried_ns = 0;
	c->broken = false;
	c->data_ns = ns;
	c->payload = f->payload;
	c->wire = wire;
	c->waits += wait > 0;
	c->wait_ns += wait;
	*until = c->dry_until;
	return wait;
}

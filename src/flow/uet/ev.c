/* SPDX-License-Identifier: GPL-2.0-or-later
 * What becomes of packets by entropy value: between two hosts, a path. */
#include "flow/uet/ev.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* At most half full. */
enum {
	LINES_MIN = 1 << 8,
	LINES_MAX = 1 << 15,
	HALF = UET_EV_LINE / 2,
	MOST = 3 << 14,
	LOTS = 1 << 24,
};

static void release(const struct uet_evs *s)
{
	free(s->line);
	free(s->fate);
}

static bool make(struct uet_evs *s, uint32_t lines)
{
	*s = (struct uet_evs) {
		.line = aligned_alloc(_Alignof(struct uet_ev_line),
				      lines * sizeof *s->line),
		.fate = mem_calloc(lines, UET_EV_LINE * sizeof *s->fate),
		.lines = lines,
		.shift = (uint32_t)__builtin_clz(lines) + 33,
	};
	if (s->line && s->fate) {
		memset(s->line, 0, lines * sizeof *s->line);
		return true;
	}
	if (!s->line)
		mem_deny();
	release(s);
	return false;
}

bool uet_evs_init(struct engine *e)
{
	struct uet_evs *s = mem_calloc(1, sizeof *s);

	if (!s)
		return false;
	if (!make(s, LINES_MIN)) {
		free(s);
		return false;
	}
	e->evs = s;
	return true;
}

void uet_evs_fini(struct engine *e)
{
	if (!e->evs)
		return;
	release(e->evs);
	free(e->evs);
	e->evs = NULL;
}

static uint64_t *key_at(const struct uet_evs *s, uint32_t at)
{
	return (uint64_t *)s->line[at / UET_EV_LINE].key + at % UET_EV_LINE;
}

static uint64_t *seen_at(const struct uet_evs *s, uint32_t at)
{
	return &s->line[at / UET_EV_LINE].seen[at % UET_EV_LINE];
}

/* A free place within reach of |key|'s line: lines fill from their start. */
static uint32_t vacant(const struct uet_evs *s, uint64_t key)
{
	uint32_t line = uet_ev_home(s, key);

	for (unsigned k = 0; k < UET_EV_REACH * UET_EV_LINE; k++) {
		uint32_t at =
			(line * UET_EV_LINE + k) & (s->lines * UET_EV_LINE - 1);

		if (!*key_at(s, at))
			return at;
	}
	return UET_EV_NONE;
}

static void move(struct uet_evs *to, const struct uet_evs *from, uint32_t i)
{
	uint64_t key = *key_at(from, i);
	uint32_t at = uet_ev_kept(to, uet_ev_route(key)) ? vacant(to, key)
							 : UET_EV_NONE;

	/* None: out, or chosen to meet others in one place. */
	if (at == UET_EV_NONE) {
		to->dropped += (uint32_t)*seen_at(from, i);
		return;
	}
	to->n++;
	*key_at(to, at) = key;
	*seen_at(to, at) = *seen_at(from, i);
	to->fate[at] = from->fate[i];
}

/* All that is not in |out|, in so many lines. */
static bool make_anew(struct uet_evs *s, uint32_t lines, uint32_t out)
{
	struct uet_evs new;

	if (lines > LINES_MAX || !make(&new, lines))
		return false;
	new.dropped = s->dropped;
	new.out = out;
	for (uint32_t i = 0; i < s->lines * UET_EV_LINE; i++)
		if (*key_at(s, i))
			move(&new, s, i);
	release(s);
	*s = new;
	return true;
}

/* How many stay when |out| is out. */
static uint32_t kept(const struct uet_evs *s, uint32_t out)
{
	const struct uet_evs then = { .out = out };
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->lines * UET_EV_LINE; i++) {
		uint64_t key = *key_at(s, i);

		n += key && uet_ev_kept(&then, uet_ev_route(key));
	}
	return n;
}

/* Room for some at the cost of others. */
static bool draw(struct uet_evs *s)
{
	uint32_t out = s->out, n = s->n, lines = LINES_MIN;

	while (out < LOTS - 1 && n == s->n) {
		out = 2 * out + 1;
		n = kept(s, out);
	}
	while (lines * HALF < n + 1)
		lines *= 2;
	s->full = !n || n == s->n || !make_anew(s, lines, out);
	return !s->full;
}

/* A place for |key|, whatever it takes. */
static uint32_t place(struct uet_evs *s, uint64_t key)
{
	uint32_t at;

	do {
		if (s->n >= MOST && (s->full || !draw(s)))
			return UET_EV_NONE;
		if (!uet_ev_kept(s, uet_ev_route(key)))
			return UET_EV_NONE;
		at = s->n < s->lines * HALF ? vacant(s, key) : UET_EV_NONE;
	} while (at == UET_EV_NONE && make_anew(s, 2 * s->lines, s->out));
	return at;
}

uint32_t uet_ev_add(struct engine *e, uint64_t key, uint32_t tap)
{
	struct uet_evs *s = e->evs;
	uint32_t at = place(s, key);

	if (at == UET_EV_NONE) {
		s->dropped++;
		return at;
	}
	s->n++;
	*key_at(s, at) = key;
	*seen_at(s, at) = 0;
	s->fate[at] = (struct uet_ev_fate) { .tap = (uint16_t)tap };
	return at;
}

void uet_ev_note(struct engine *e, const struct flow *f, uint16_t ev,
		 enum uet_ev_what what)
{
	uint32_t at = UET_EV_NONE;
	struct uet_ev_fate *fate;

	if (e->evs)
		at = uet_ev_find(e->evs, uet_ev_spot(e->evs, f->route, ev));
	if (at == UET_EV_NONE)
		return;
	fate = &e->evs->fate[at];
	fate->marked += what == EV_MARKED;
	fate->trimmed += what == EV_TRIMMED;
	fate->retransmitted += what == EV_RETRANSMITTED;
	fate->lost += what == EV_LOST;
}

static void emit(struct engine *e, uint32_t at)
{
	uint64_t key = *key_at(e->evs, at);
	uint64_t seen = *seen_at(e->evs, at);
	const struct uet_ev_fate *fate = &e->evs->fate[at];
	uint32_t route = uet_ev_route(key);
	const struct route_pair *r = &e->routes[route / 2];
	const struct fact_entropy out = {
		.tap = fate->tap,
		.src = route & 1 ? r->hi : r->lo,
		.dst = route & 1 ? r->lo : r->hi,
		.ev = (uint16_t)key,
		.packets = (uint32_t)seen,
		.bytes = (uint64_t)fate->wraps << 32 | seen >> 32,
		.ce = fate->ce,
		.marked = fate->marked,
		.trimmed = fate->trimmed,
		.retransmitted = fate->retransmitted,
		.lost = fate->lost,
	};

	e->sink.entropy(e->sink.ctx, &out);
}

void uet_evs_emit(struct engine *e)
{
	const struct uet_evs *s = e->evs;

	if (!s || !e->sink.entropy)
		return;
	for (uint32_t i = 0; i < s->lines * UET_EV_LINE; i++)
		if (*key_at(s, i))
			emit(e, i);
	emit_left_out(e, "entropy", s->dropped);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * What one iteration needed, the others needed, too: they do the same work.
 * A path that goes through what was lost, late or paused says what that took,
 * and not that another path, just as long, would have been there without it.
 * So of a phase that was otherwise as long as usual only what comes on top
 * counts. */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "phase/path_int.h"

enum {
	COMPARED = 3, /* phases that have something usual */
	SEVERAL = 2, /* phases without a loss that make doubtful what it cost */
};

static const double MOST = 0.75;

/* What three of four are not below. */
static int64_t quartile(int64_t *v, size_t n)
{
	sort_int64(v, n);
	return v[(n - 1) / 4];
}

/* The middle, less how far the upper ones are from it: what is lost shortens
 * what seems to be needed, and never makes it longer. */
static int64_t least_usual(int64_t *v, size_t n)
{
	int64_t middle = phase_median(v, n);

	return 2 * middle - v[3 * (n - 1) / 4];
}

static bool has_side(enum phase_share s, const char *side)
{
	return !strcmp(phase_share_sides[s], side);
}

bool path_is_needed(enum phase_share s)
{
	return has_side(s, "needed");
}

bool settle_new(struct settled *s, size_t phases)
{
	size_t n = phases + 1;

	s->phases = phases;
	s->begin = calloc(n, sizeof *s->begin);
	s->end = calloc(n, sizeof *s->end);
	s->back = calloc(n, sizeof *s->back);
	s->unsure = calloc(n, sizeof *s->unsure);
	s->repaired = calloc(n, sizeof *s->repaired);
	s->late = calloc(n, sizeof *s->late);
	s->later = calloc(n, sizeof *s->later);
	s->stalled = calloc(n, sizeof *s->stalled);
	return s->begin && s->end && s->back && s->unsure && s->repaired &&
	       s->late && s->later && s->stalled;
}

void settle_free(struct settled *s)
{
	free(s->cells);
	free(s->begin);
	free(s->end);
	free(s->back);
	free(s->unsure);
	free(s->repaired);
	free(s->late);
	free(s->later);
	free(s->stalled);
}

bool settle_keep(struct settled *s, size_t phase, const struct cell *cells,
		 size_t n)
{
	if (s->n + n > s->room) {
		size_t room = 2 * (s->n + n) + 64;
		struct cell *more = realloc(s->cells, room * sizeof *more);

		if (!more)
			return false;
		s->cells = more;
		s->room = room;
	}
	memcpy(s->cells + s->n, cells, n * sizeof *cells);
	s->begin[phase] = s->n;
	s->n += n;
	s->end[phase] = s->n;
	return true;
}

int64_t settle_sum(const struct settled *s, size_t phase, const char *side)
{
	int64_t sum = strcmp(side, "needed")
			      ? 0
			      : s->back[phase][false] + s->back[phase][true];

	for (size_t i = s->begin[phase]; i < s->end[phase]; i++)
		if (has_side(s->cells[i].share, side))
			sum += s->cells[i].ns;
	return sum;
}

static int64_t alike_in(const struct settled *s, size_t phase,
			enum phase_share share)
{
	int64_t sum = 0;

	for (size_t i = s->begin[phase]; i < s->end[phase]; i++)
		if (s->cells[i].share == share)
			sum += s->cells[i].ns;
	return sum;
}

/* Takes |*lack| of the cells of one side, from each its part, and adds it to
 * what was needed. */
static void back(struct settled *s, size_t phase, const char *side,
		 int64_t *lack, int64_t of)
{
	int64_t want = *lack < of ? *lack : of;

	for (size_t i = s->begin[phase]; i < s->end[phase]; i++) {
		struct cell *c = &s->cells[i];
		int64_t ns;

		if (!has_side(c->share, side) || !of)
			continue;
		ns = (int64_t)((double)c->ns * (double)want / (double)of);
		ns = ns < c->ns ? ns : c->ns;
		c->ns -= ns;
		*lack -= ns;
		s->back[phase][c->gap] += ns;
	}
}

static void settle_phase(struct settled *s, size_t phase, int64_t lack)
{
	int64_t network = settle_sum(s, phase, "network");
	int64_t host = settle_sum(s, phase, "host");
	int64_t unknown = settle_sum(s, phase, "unknown");
	int64_t rest;

	if (lack <= 0)
		return;
	back(s, phase, "unknown", &lack, unknown);
	/* Both sides alike. */
	if (lack <= 0 || network + host <= 0)
		return;
	lack = lack < network + host ? lack : network + host;
	rest = (int64_t)((double)lack * (double)host /
			 (double)(network + host));
	lack -= rest;
	back(s, phase, "network", &lack, network);
	back(s, phase, "host", &rest, host);
}

/* How long a phase was, without the silence before it; |lost| gets what of that
 * was lost to losses. */
static int64_t length_of(const struct settled *s, size_t phase, int64_t *lost)
{
	int64_t sum = s->back[phase][false];

	*lost = 0;
	for (size_t i = s->begin[phase]; i < s->end[phase]; i++) {
		const struct cell *c = &s->cells[i];

		if (c->gap)
			continue;
		sum += c->ns;
		if (!strcmp(phase_share_classes[c->share], "loss"))
			*lost += c->ns;
	}
	return sum;
}

/* Phases in which nothing was repaired took as long: then nobody knows that
 * this one would have been over sooner without its loss. */
static void settle_losses(struct settled *s, const struct job *j, size_t kind,
			  size_t kinds, int64_t *v)
{
	int64_t usual, lost;
	size_t n = 0;

	for (size_t i = kind; i < s->phases; i += kinds)
		if (!s->repaired[i] && !j->bursts[i].cut)
			v[n++] = length_of(s, i, &lost);
	if (n < SEVERAL)
		return;
	usual = least_usual(v, n);
	for (size_t i = kind; i < s->phases; i += kinds) {
		int64_t lack = usual - length_of(s, i, &lost) + lost;
		int64_t all = lost;

		for (size_t k = s->begin[i]; lack > 0 && k < s->end[i]; k++) {
			struct cell *c = &s->cells[k];
			int64_t ns;

			if (c->gap ||
			    strcmp(phase_share_classes[c->share], "loss"))
				continue;
			ns = lack >= all
				     ? c->ns
				     : (int64_t)((double)c->ns * (double)lack /
						 (double)all);
			c->ns -= ns;
			s->unsure[i] += ns;
		}
	}
}

static bool is_class(const struct cell *c, const char *class)
{
	return !c->gap && !strcmp(phase_share_classes[c->share], class);
}

static int64_t class_in(const struct settled *s, size_t phase,
			const char *class)
{
	int64_t sum = 0;

	for (size_t i = s->begin[phase]; i < s->end[phase]; i++)
		if (is_class(&s->cells[i], class))
			sum += s->cells[i].ns;
	return sum;
}

/* Up to |ns| of what phase |i| was on the wire is the loss that most was lost
 * to. */
static void wire_to_loss(struct settled *s, size_t i, int64_t ns)
{
	int64_t wire = class_in(s, i, "wire"), part;
	struct cell *most = NULL;

	for (size_t k = s->begin[i]; k < s->end[i]; k++)
		if (is_class(&s->cells[k], "loss") &&
		    (!most || s->cells[k].ns > most->ns))
			most = &s->cells[k];
	for (size_t k = s->begin[i]; most && k < s->end[i]; k++) {
		struct cell *c = &s->cells[k];

		if (!is_class(c, "wire"))
			continue;
		part = (int64_t)((double)c->ns * (double)ns / (double)wire);
		c->ns -= part;
		most->ns += part;
	}
}

/* Behind what was lost data piles up, and then goes on the wire all at once:
 * what that took longer than in any phase without a repair is due to the loss,
 * as far as that was as long. */
static void settle_piled_up(struct settled *s, const struct job *j, size_t kind,
			    size_t kinds)
{
	int64_t most = 0;
	size_t n = 0;

	for (size_t i = kind; i < s->phases; i += kinds) {
		int64_t wire = class_in(s, i, "wire") + s->back[i][false];

		if (s->repaired[i] || j->bursts[i].cut)
			continue;
		most = wire > most ? wire : most;
		n++;
	}
	for (size_t i = kind; n >= SEVERAL && i < s->phases; i += kinds) {
		int64_t lost = class_in(s, i, "loss");
		int64_t over = class_in(s, i, "wire") - most;

		over = over < lost ? over : lost;
		if (s->repaired[i] && !j->bursts[i].cut && over > 0)
			wire_to_loss(s, i, over);
	}
}

/* Nobody computed meanwhile what the phase took longer than usual to compute,
 * where that is how long all were stalled by one repair or pause. */
static void settle_stalled(struct settled *s, const struct job *j, size_t kind,
			   size_t kinds, int64_t *v)
{
	int64_t usual;
	size_t n = 0;

	for (size_t i = kind; i < s->phases; i += kinds)
		v[n++] = class_in(s, i, "compute");
	if (n < COMPARED || !s->stalled)
		return;
	usual = phase_median(v, n);
	for (size_t i = kind; i < s->phases; i += kinds) {
		const struct still *w = &s->stalled[i];
		struct cell *most = NULL;
		int64_t ns;

		for (size_t k = s->begin[i]; w->to && k < s->end[i]; k++)
			if (is_class(&s->cells[k], "compute") &&
			    (!most || s->cells[k].ns > most->ns))
				most = &s->cells[k];
		if (!most || (double)(most->ns - usual) < MOST * (double)w->to)
			continue;
		ns = most->ns - usual < w->to ? most->ns - usual : w->to;
		s->back[i][false] += most->ns - ns;
		*most = (struct cell) {
			.flow = w->flow,
			.rank = j->rank_of[j->in->flows[w->flow].src],
			.share = w->share,
			.ns = ns,
		};
	}
}

/* Silence that no rank stands out with, and that is as long in nearly all
 * phases, is how the job works; so are acknowledgements that receivers hold
 * back as long in nearly all of them (coalescing). */
static void settle_alike(struct settled *s, enum phase_share share, size_t kind,
			 size_t kinds, int64_t *v)
{
	size_t n = 0;
	int64_t usual;

	for (size_t i = kind; i < s->phases; i += kinds)
		v[n++] = alike_in(s, i, share);
	if (n < COMPARED)
		return;
	usual = quartile(v, n);
	for (size_t i = kind; i < s->phases; i += kinds) {
		int64_t all = alike_in(s, i, share);

		for (size_t k = s->begin[i]; all > 0 && k < s->end[i]; k++) {
			struct cell *c = &s->cells[k];
			int64_t ns = all <= usual ? c->ns
						  : (int64_t)((double)c->ns *
							      (double)usual /
							      (double)all);

			if (c->share != share)
				continue;
			c->ns -= ns;
			s->back[i][c->gap] += ns;
		}
	}
}

/* What phase |i| needed but for the silence before it. */
static int64_t needed_inside(const struct settled *s, size_t i)
{
	int64_t sum = s->back[i][false];

	for (size_t k = s->begin[i]; k < s->end[i]; k++)
		if (!s->cells[k].gap && has_side(s->cells[k].share, "needed"))
			sum += s->cells[k].ns;
	return sum;
}

/* Phases |kind| of each iteration: what most of them needed, this one needed,
 * too.  |needed| by phase; where the capture begins with a phase, the silence
 * before that is not in it, and not looked at in the others either. */
static void settle_kind(struct settled *s, const struct job *j, size_t kind,
			size_t kinds, const int64_t *needed, int64_t *v)
{
	for (int inside = 0; inside < 2; inside++) {
		size_t n = 0;
		int64_t usual;

		for (size_t i = kind; i < s->phases; i += kinds)
			if (i && !j->bursts[i].cut)
				v[n++] = inside ? needed_inside(s, i)
						: needed[i];
		if (n < COMPARED)
			return;
		usual = least_usual(v, n);
		for (size_t i = kind; i < s->phases; i += kinds)
			if (i && !j->bursts[i].cut &&
			    inside == (j->bursts[i - 1].cut &&
				       phase_touches(j, i)))
				settle_phase(
					s, i,
					usual - (inside ? needed_inside(s, i)
							: needed[i]));
	}
}

bool settle(struct settled *s, const struct job *j, size_t kinds)
{
	int64_t *needed = calloc(s->phases + 1, sizeof *needed);
	int64_t *v = calloc(s->phases + 1, sizeof *v);

	for (size_t kind = 0; needed && v && kind < kinds; kind++) {
		settle_stalled(s, j, kind, kinds, v);
		settle_alike(s, SHARE_ALIKE, kind, kinds, v);
		settle_alike(s, SHARE_HELD_ACK, kind, kinds, v);
	}
	for (size_t i = 0; needed && i < s->phases; i++)
		needed[i] = settle_sum(s, i, "needed");
	for (size_t kind = 0; needed && v && kind < kinds; kind++)
		settle_kind(s, j, kind, kinds, needed, v);
	for (size_t kind = 0; needed && v && kind < kinds; kind++)
		settle_losses(s, j, kind, kinds, v);
	for (size_t kind = 0; needed && v && kind < kinds; kind++)
		settle_piled_up(s, j, kind, kinds);
	free(v);
	free(needed);
	return needed && v;
}

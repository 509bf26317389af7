/* SPDX-License-Identifier: GPL-2.0-or-later
 * Words of a scenario: what happens on links, and who watches. */
#include "simulate/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/cbfc.h"
#include "simulate/line.h"
#include "simulate/mem.h"
#include "simulate/port.h"
#include "simulate/qp.h"
#include "simulate/tap.h"
#include "simulate/world.h"

struct port *build_direction(const struct sim *s, const char *w, bool *is_one)
{
	char from[NAME_MAX_TEXT], to[NAME_MAX_TEXT];
	unsigned nth = 0;
	int end = 0;
	struct node *a, *b;

	*is_one = sscanf(w, "%31[^-]->%31[^#]%n#%u%n", from, to, &end, &nth,
			 &end) >= 2 &&
		  !w[end];
	a = *is_one ? world_node(s, from) : NULL;
	b = *is_one ? world_node(s, to) : NULL;
	return a && b ? world_port(a, b, nth) : NULL;
}

static struct port *direction(struct sim *s, struct line *l)
{
	const char *w = line_word(l, "a direction like h1->leaf1");
	bool is_one;
	struct port *p = build_direction(s, w, &is_one);

	if (!is_one)
		line_fail(l, "'%s' is no direction like h1->leaf1", w);
	else if (!p)
		line_fail(l, "there is no link '%s'", w);
	return p;
}

/* --- faults --------------------------------------------------------------- */

static const struct {
	const char *name;
	uint32_t classes;
	bool naks;
} kinds_of_packet[] = {
	{ "data", 1 << PKT_REQUEST | 1 << PKT_RESPONSE, false },
	{ "requests", 1 << PKT_REQUEST, false },
	{ "responses", 1 << PKT_RESPONSE, false },
	{ "acks", 1 << PKT_ACK, false },
	{ "naks", 1 << PKT_ACK, true },
	{ "cnps", 1 << PKT_CNP, false },
	{ "controls", 1 << PKT_CONTROL, false },
	{ "all",
	  1 << PKT_REQUEST | 1 << PKT_RESPONSE | 1 << PKT_ACK | 1 << PKT_CNP |
		  1 << PKT_CM | 1 << PKT_CONTROL,
	  false },
};

static void what_packets(struct line *l, struct fault *f)
{
	const char *of = line_text(l, "of", "data");

	for (size_t i = 0; i < sizeof kinds_of_packet / sizeof *kinds_of_packet;
	     i++)
		if (!strcmp(of, kinds_of_packet[i].name)) {
			f->classes = kinds_of_packet[i].classes;
			f->naks = kinds_of_packet[i].naks;
			return;
		}
	line_fail(l,
		  "of=%s is none of data, requests, responses, acks, naks, "
		  "cnps, controls, all",
		  of);
}

/* at=100 or at=100..104: packets counted from the first PSN. */
static void what_psns(struct line *l, struct fault *f)
{
	const char *at = line_text(l, "at", NULL);
	const char *dots;
	char first[32];

	if (!at)
		return;
	f->psns = true;
	dots = strstr(at, "..");
	snprintf(first, sizeof first, "%.*s",
		 dots ? (int)(dots - at) : (int)strlen(at), at);
	if (!parse_count(first, &f->first) ||
	    !parse_count(dots ? dots + 2 : first, &f->last))
		line_fail(l, "at=%s is neither N nor N..M", at);
	f->every = 1;
	f->originals = true;
}

void build_fault(struct sim *s, struct line *l)
{
	static const char *const kinds[] = { "drop", "corrupt", "fcs", "delay",
					     NULL };
	struct port *port = direction(s, l);
	const char *kind = line_word(l, "drop, damage, fcs or delay");
	const char *qp = line_text(l, "qp", NULL);
	struct fault f = { .burst = 1 }, **end;
	unsigned k = 0;

	while (kinds[k] && strcmp(kinds[k], kind))
		k++;
	if (!kinds[k])
		line_fail(l, "'%s' is none of drop, damage, fcs, delay", kind);
	f.kind = (enum fault_kind)k;
	what_packets(l, &f);
	what_psns(l, &f);
	f.originals = line_flag(l, "originals", f.originals);
	f.tail = line_flag(l, "tail", false);
	f.every = line_count(l, "every", f.every, UINT64_MAX);
	f.chance = line_share(l, "chance", 0);
	f.limit = line_count(l, "limit", 0, UINT64_MAX);
	f.burst = (uint32_t)line_count(l, "burst", 1, UINT32_MAX);
	f.from = line_time(l, "from", 0);
	f.to = line_time(l, "to", 0);
	f.by = line_time(l, "by", 0);
	f.jitter = line_time(l, "jitter", 0);
	f.rng = rng_fork(s->seed, "fault", s->n_faults);
	if (qp && !(f.qp = qp_find(s, qp)))
		line_fail(l, "there is no qp '%s'", qp);
	if (!f.every && f.chance <= 0)
		line_fail(l, "when? at=, every= or chance=");
	if (f.to && f.to <= f.from)
		line_fail(l, "to= is not after from=");
	if (!f.burst || (f.kind == FAULT_DELAY && f.by + f.jitter <= 0))
		line_fail(l, "burst= and by= must not be 0");
	if (l->failed)
		return;
	for (end = &port->faults; *end; end = &(*end)->next)
		;
	*end = mem_new(sizeof f);
	**end = f;
	s->faults = mem_room(s->faults, s->n_faults, &s->cap_faults,
			     sizeof *s->faults);
	s->faults[s->n_faults++] = *end;
}

static void go_down(struct sim *s, void *object, uint64_t argument)
{
	port_set_down(s, object, argument);
}

void build_down(struct sim *s, struct line *l)
{
	struct port *port = direction(s, l);
	int64_t from = line_time(l, "from", 0), to = line_time(l, "to", 0);

	if (to && to <= from)
		line_fail(l, "to= is not after from=");
	if (l->failed)
		return;
	events_add(&s->events, from, go_down, port, true);
	if (to)
		events_add(&s->events, to, go_down, port, false);
}

/* --- what one direction of a link has of its own -------------------------- */

static void credits(struct sim *s, struct line *l, struct port *port)
{
	uint64_t limit = line_count(l, "cbfc", 0, UINT32_MAX);
	uint64_t cell = line_size(l, "cell", 256);
	int64_t period = line_time(l, "cbfc_period", 256 * PS_PER_US);

	if (!limit)
		return;
	if (limit >= 1 << 19 || cell < 32 || cell > 2048 || period <= 0 ||
	    limit * cell < 8192)
		line_fail(l, "cbfc: below 2^19 credits of 32 to 2048 bytes, "
			     "at least 8 KiB of them");
	else if (port->cbfc)
		line_fail(l, "has credits already");
	else
		cbfc_start(s, port, (uint32_t)limit, (uint32_t)cell, period);
}

void build_port(struct sim *s, struct line *l)
{
	struct port *port = direction(s, l);
	uint64_t dscp = line_count(l, "dscp", 64, DSCP_MOST);

	if (l->failed)
		return;
	port->no_ecn = !line_flag(l, "ecn", !port->no_ecn);
	if (dscp <= DSCP_MOST)
		port->remark = (int16_t)dscp;
	credits(s, l, port);
}

/* --- taps ----------------------------------------------------------------- */

static void mirror_settings(struct line *l, struct tap_config *c)
{
	static const char *const wraps[] = { "none", "erspan2", "erspan3",
					     "vxlan", NULL };

	c->wrap = line_choice(l, "wrap", wraps, WRAP_NONE);
	c->session = (uint16_t)line_count(l, "session", 1, 1023);
	c->loss = line_share(l, "loss", 0);
	c->loss_burst = (uint32_t)line_count(l, "loss_burst", 1, UINT32_MAX);
	c->lost_before_numbering = line_flag(l, "unnumbered", false);
	c->doubled = line_share(l, "double", 0);
	c->double_after = line_time(l, "double_after", 2 * PS_PER_US);
	c->double_hop = line_flag(l, "double_hop", false);
	c->rate = line_rate(l, "rate", 0);
	c->buffer = line_size(l, "buffer", 1 << 20);
	if (!c->loss_burst)
		line_fail(l, "loss_burst= must not be 0");
}

static void clock_settings(struct line *l, struct tap_config *c)
{
	bool early = line_flag(l, "early", false);

	c->jitter = line_time(l, "jitter", 0);
	c->resolution = line_time(l, "resolution", PS_PER_NS);
	c->offset = line_time(l, "offset", 0);
	if (early)
		c->offset = -c->offset;
	c->drift = line_real(l, "drift", 0, -DRIFT_MOST, DRIFT_MOST);
	c->from = line_time(l, "from", 0);
	c->to = line_time(l, "to", 0);
	if (c->to && c->to <= c->from)
		line_fail(l, "to= is not after from=");
}

static struct tap *one_tap(struct sim *s, struct line *l, const char *name,
			   struct port *p, bool rx, const struct tap_config *c)
{
	struct err e = { 0 };
	struct tap *t = tap_new(s, name, p, rx, c, &e);

	if (!t)
		line_fail(l, "%s", e.text);
	return t;
}

static struct tap *tap_named(const struct sim *s, const char *name)
{
	for (size_t i = 0; i < s->n_taps; i++)
		if (!strcmp(s->taps[i]->name, name))
			return s->taps[i];
	return NULL;
}

/* side= says where on the link; both=yes taps the other direction too, at
 * the same end, as NAME and NAME.back: one mirror session and one interface,
 * unless split=yes; with=TAP, those of another one. */
void build_tap(struct sim *s, struct line *l)
{
	static const char *const sides[] = { "tx", "rx", NULL };
	const char *name = line_word(l, "a name");
	struct port *p = direction(s, l);
	bool rx = line_choice(l, "side", sides, 1) == 1;
	bool both = line_flag(l, "both", false);
	bool split = line_flag(l, "split", false);
	const char *mirror = line_text(l, "with", NULL);
	struct tap *t, *other, *with = mirror ? tap_named(s, mirror) : NULL;
	struct tap_config c = { .snaplen = 0 };
	char back[2 * NAME_MAX_TEXT];

	c.snaplen = line_bytes(l, "snaplen", 0);
	c.link_control = line_flag(l, "pfc", false);
	mirror_settings(l, &c);
	clock_settings(l, &c);
	if (mirror && !s->twin.is_twin && (!with || with->with != with))
		line_fail(l, "there is no tap '%s' to share", mirror);
	if (strlen(name) > 24)
		line_fail(l, "name '%s' is too long", name);
	if (l->failed)
		return;
	if (s->twin.is_twin) /* only the run itself is captured */
		return;
	t = one_tap(s, l, name, p, rx, &c);
	if (t && with)
		t->with = with;
	if (!both || !t)
		return;
	snprintf(back, sizeof back, "%s.back", name);
	other = one_tap(s, l, back, p->peer, !rx, &c);
	if (other && !split)
		other->with = with ? with : t;
}

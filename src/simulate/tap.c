/* SPDX-License-Identifier: GPL-2.0-or-later
 * Taps. */
#include "simulate/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/pcapng_write.h"
#include "simulate/frame.h"
#include "simulate/mem.h"
#include "simulate/mirror.h"
#include "simulate/port.h"
#include "simulate/truth.h"
#include "simulate/world.h"

enum { LINKTYPE_ETH = 1 };

struct tap *tap_new(struct sim *s, const char *name, struct port *port,
		    bool at_rx, const struct tap_config *c, struct err *err)
{
	struct tap **list = at_rx ? &port->peer->rx_taps : &port->tx_taps;
	struct tap *t;

	for (size_t i = 0; i < s->n_taps; i++)
		if (!strcmp(s->taps[i]->name, name)) {
			err_set(err, ERR_FORMAT, "tap '%s' exists already",
				name);
			return NULL;
		}
	t = mem_new(sizeof *t);
	snprintf(t->name, sizeof t->name, "%s", name);
	t->index = (uint32_t)s->n_taps;
	t->port = port;
	t->at_rx = at_rx;
	t->config = *c;
	t->rng = rng_fork(s->seed, name, 0x7a9);
	t->with = t;
	t->seconds_end = &t->seconds;
	t->next = *list;
	*list = t;
	s->taps = mem_room(s->taps, s->n_taps, &s->cap_taps, sizeof *s->taps);
	s->taps[s->n_taps++] = t;
	return t;
}

/* --- files ---------------------------------------------------------------- */

/* "dir/out.pcapng" and "leaf" make "dir/out.leaf.pcapng". */
static char *file_of(const char *path, const char *tap)
{
	const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
	size_t n = strlen(path) + strlen(tap) + 2;
	char *name = mem_new(n);

	if (!dot || (slash && dot < slash))
		dot = path + strlen(path);
	snprintf(name, n, "%.*s.%s%s", (int)(dot - path), path, tap, dot);
	return name;
}

static int add_interface(struct tap *t, struct err *err)
{
	struct pcapng_interface i = {
		.name = t->name,
		.speed_bps = t->port->bps,
		.snaplen = t->config.snaplen,
		.linktype = LINKTYPE_ETH,
	};
	char link[80], text[128];

	port_name(t->port, link);
	snprintf(text, sizeof text, "%s mirror of %s%s",
		 t->at_rx ? "ingress" : "egress", link,
		 t->config.link_control ? ", link control seen" : "");
	i.description = text;
	t->interface = pcapng_writer_interface(t->writer, &i, err);
	return t->interface < 0 ? -1 : 0;
}

static struct pcapng_writer *open_file(struct sim *s, const char *path,
				       const char *comment, struct err *err)
{
	const char *name = products_add(&s->products, path, err);

	return name ? pcapng_writer_new(name, comment, err) : NULL;
}

static struct pcapng_writer *open_own(struct sim *s, const struct tap *t,
				      const char *path, const char *comment,
				      struct err *err)
{
	char *name = file_of(path, t->name);
	struct pcapng_writer *w = open_file(s, name, comment, err);

	free(name);
	return w;
}

int taps_open(struct sim *s, const char *path, bool each, const char *comment,
	      struct err *err)
{
	struct pcapng_writer *one = NULL;

	if (!each) {
		one = open_file(s, path, comment, err);
		if (!one)
			return -1;
	}
	for (size_t i = 0; i < s->n_taps; i++) {
		struct tap *t = s->taps[i];

		if (t->with != t) {
			t->writer = t->with->writer;
			t->interface = t->with->interface;
			continue;
		}
		t->own_file = each || i == 0;
		t->writer = each ? open_own(s, t, path, comment, err) : one;
		if (!t->writer || add_interface(t, err))
			return -1;
	}
	return 0;
}

/* --- copies --------------------------------------------------------------- */

bool tap_running(const struct tap *t, int64_t ps)
{
	return ps >= t->config.from && (!t->config.to || ps < t->config.to);
}

tapset taps_running(struct sim *s, const struct tap *t, tapset set)
{
	for (; t; t = t->next)
		if (tap_running(t, s->now))
			set = tapset_with(s, set, t->index);
	return set;
}

static int64_t stamp(struct sim *s, struct tap *t)
{
	const struct tap_config *c = &t->config;
	int64_t ps = s->now + c->offset +
		     (int64_t)((double)s->now * c->drift / 1e6),
		ns;

	if (c->jitter)
		ps += (int64_t)rng_below(&t->rng, (uint64_t)c->jitter);
	ns = sim_ns(s, ps);
	if (c->resolution > PS_PER_NS)
		ns -= ns % (c->resolution / PS_PER_NS);
	return ns;
}

static void write_copy(struct sim *s, struct tap *t, uint8_t *frame,
		       uint32_t len)
{
	uint8_t out[MIRROR_MAX + FRAME_MAX];
	uint32_t head = mirror_bytes(t), snap = t->config.snaplen;
	struct pcapng_packet p = { .ns = stamp(s, t),
				   .interface = (uint32_t)t->interface };

	mirror_write(t, out, len, p.ns, t->with->numbered++);
	p.wirelen = head + len;
	p.caplen = snap && snap < p.wirelen ? snap : p.wirelen;
	if (head && p.caplen > head)
		memcpy(out + head, frame, p.caplen - head);
	p.data = head ? out : frame;
	if (pcapng_writer_packet(t->writer, &p, s->err))
		s->failed = true;
}

/* Doubles come after a time that is the same for all of a tap: oldest first. */
struct second {
	struct second *next;
	uint32_t len;
	uint8_t frame[FRAME_MAX];
};

static void write_second(struct sim *s, void *object, uint64_t argument)
{
	struct tap *t = object;
	struct second *c = t->seconds;

	(void)argument;
	t->seconds = c->next;
	if (!t->seconds)
		t->seconds_end = &t->seconds;
	write_copy(s, t, c->frame, c->len);
	free(c);
}

static uint32_t wanted(const struct tap *t)
{
	return t->config.snaplen ? t->config.snaplen : FRAME_MAX;
}

static void plan_second(struct sim *s, struct tap *t, const struct pkt *p)
{
	struct second *c = mem_new(sizeof *c);
	struct pkt hop = *p;

	if (t->config.double_hop) {
		hop.ttl--;
		hop.mac[0] += 0x1000;
		hop.mac[1] += 0x1000;
	}
	c->len = frame_write(s, &hop, c->frame, wanted(t));
	*t->seconds_end = c;
	t->seconds_end = &c->next;
	sim_after(s, t->config.double_after, write_second, t, 0);
}

/* Is this copy lost on its way to the collector? */
static bool mirror_loses(struct sim *s, struct tap *t, uint32_t len)
{
	const struct tap_config *c = &t->config;

	if (c->rate) {
		int64_t takes = wire_ps(len, c->rate);

		int64_t *until = &t->with->busy_until;

		if (*until < s->now)
			*until = s->now;
		if (*until - s->now > wire_ps((uint32_t)c->buffer, c->rate))
			return true;
		*until += takes;
	}
	if (t->burst) {
		t->burst--;
		return true;
	}
	if (!rng_chance(&t->rng, c->loss))
		return false;
	t->burst = c->loss_burst - 1;
	return true;
}

static void pass(struct sim *s, struct tap *t, struct pkt *p)
{
	uint8_t frame[FRAME_MAX];
	unsigned copies = 1;
	uint32_t len;

	t->passed++;
	if (mirror_loses(s, t, p->bytes + mirror_bytes(t))) {
		copies = 0;
		t->missed++;
		t->with->numbered += !t->config.lost_before_numbering;
	} else {
		if (rng_chance(&t->rng, t->config.doubled)) {
			copies = 2;
			t->doubled++;
			plan_second(s, t, p);
		}
		t->captured++;
		p->captured = tapset_with(s, p->captured, t->index);
		len = frame_write(s, p, frame, wanted(t));
		write_copy(s, t, frame, len);
	}
	truth_tap_pass(s, t, p, copies);
	p->taps = tapset_with(s, p->taps, t->index);
}

void taps_pass(struct sim *s, struct tap *t, struct pkt *p)
{
	for (; t; t = t->next) {
		if (p->class == PKT_PAUSE && !t->config.link_control)
			continue;
		if (tap_running(t, s->now))
			pass(s, t, p);
		else
			t->outside++;
	}
}

int taps_close(struct sim *s, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < s->n_taps && !s->failed; i++)
		while (s->taps[i]->seconds)
			write_second(s, s->taps[i], 0);
	for (size_t i = 0; i < s->n_taps; i++) {
		struct tap *t = s->taps[i];

		if (t->writer && t->own_file &&
		    pcapng_writer_close(t->writer, rc ? NULL : err))
			rc = -1;
		t->writer = NULL;
	}
	return rc;
}

void tap_free(struct tap *t)
{
	while (t->seconds) {
		struct second *c = t->seconds;

		t->seconds = c->next;
		free(c);
	}
	free(t);
}

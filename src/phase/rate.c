/* SPDX-License-Identifier: GPL-2.0-or-later
 * How fast the links of a job are, and when a sender was slower because
 * it received CNPs. */
#include <math.h>
#include <stdlib.h>

#include "base/search.h"
#include "base/sort.h"
#include "phase/path_int.h"

enum {
	SAMPLE = 4, /* packets that have a rate, at least */
	PIECE = 32, /* ... if there are so many, rather that */
	WINDOW = 8, /* stretches of data */
	LONG = 16,  /* times what a time stamp may be wrong */
	BRIEF = 4,  /* likewise, where that makes the rate no more than lower */
	PMTU_MOST = 4096,
	SIDE_MAX = 256,  /* flows of a host that are compared */
	BEFORE_MAX = 64, /* stretches that tell how fast a sender was */
	BEFORE_LEAST = 4,
	AGREE = 3,                      /* senders, at least */
	RECOVER_NS = 100 * 1000 * 1000, /* from a CNP back to full rate */
};

static const double FULL = 0.93, FAST = 0.9, SURE = 0.8, ALIKE = 0.95;

/* Links have one of these speeds (IEEE 802.3; those of InfiniBand are among
 * them), bit/s. */
static const double speeds[] = { 1e9,   10e9,  25e9,  40e9,  50e9,
				 100e9, 200e9, 400e9, 800e9, 1600e9 };

/* Of a difference of two time stamps in microseconds one is by chance.  When
 * something came may be an estimate between two of them. */
static int64_t microseconds(const struct phase_input *in)
{
	const int64_t us = 1000;

	for (size_t f = 0; f < in->n_flows; f++)
		for (size_t k = 0; k < in->flows[f].n; k++) {
			const struct phase_activity *a = &in->flows[f].a[k];

			if (a->from % us || a->sent % us ||
			    (!a->guessed && a->came % us))
				return 0;
		}
	return us;
}

/* ... or of two that step by more. */
static int64_t grain_of(const struct job *j)
{
	const struct phase_input *in = j->in;
	int64_t most = j->us;

	for (size_t f = 0; f < in->n_flows; f++) {
		const struct phase_flow *g = &in->flows[f];

		most = g->near_step > most ? g->near_step : most;
		most = g->far_step > most ? g->far_step : most;
	}
	return most;
}

static double rate(double bytes, int64_t ns)
{
	return ns > 0 ? bytes * 8e9 / (double)ns : 0;
}

/* The first activity that is not over at |ns|. */
static size_t seek(const struct phase_flow *f, int64_t ns)
{
	return search_below(struct phase_activity, f->a, f->n, sent, ns);
}

static double bytes_between(const struct phase_input *in, const uint32_t *flows,
			    size_t n, int64_t from, int64_t to)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		const struct phase_flow *f = &in->flows[flows[i]];

		for (size_t k = seek(f, from); k < f->n && f->a[k].from < to;
		     k++) {
			const struct phase_activity *a = &f->a[k];
			int64_t x = a->from > from ? a->from : from;
			int64_t y = a->sent < to ? a->sent : to;
			double span = (double)(a->sent - a->from) + 1;

			sum += f->wire * (double)a->bytes *
			       ((double)(y - x) + 1) / span;
		}
	}
	return sum;
}

/* Of the flows of |r| those to the same host as |f|. */
static double pair_bytes(const struct job *j, const struct rank *r,
			 const struct phase_flow *f, int64_t from, int64_t to)
{
	double sum = 0;

	for (uint32_t i = 0; i < r->n_out; i++)
		if (j->in->flows[r->out[i]].dst == f->dst)
			sum += bytes_between(j->in, &r->out[i], 1, from, to);
	return sum;
}

/* The last packet takes time too. */
static int64_t length(const struct phase_activity *a)
{
	int64_t ns = a->sent - a->from;

	return a->psns > 1 ? ns + ns / (int64_t)(a->psns - 1) : ns;
}

/* Since when a sender is slower than it was before, after a CNP. */
struct cut {
	int64_t ns;    /* PHASE_UNKNOWN: it is not */
	size_t next;   /* CNP */
	double before; /* payload bit/s */
};

static bool has_rate(const struct phase_activity *a)
{
	return a->sent > a->from && (!a->psns || a->psns >= SAMPLE);
}

static int by_rate(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* How fast |f| was before its first CNP, three times of four; 0: that happened
 * too rarely. */
static double before_cnps(const struct phase_flow *f)
{
	double v[BEFORE_MAX];
	size_t n = 0;

	for (size_t k = f->n_cnps ? seek(f, f->cnps[0]) : 0;
	     k-- > 0 && n < BEFORE_MAX;)
		if (has_rate(&f->a[k]))
			v[n++] = rate((double)f->a[k].bytes, length(&f->a[k]));
	if (n < BEFORE_LEAST)
		return 0;
	qsort(v, n, sizeof *v, by_rate);
	return v[n / 4];
}

/* The fastest that any flow ever was, in pieces that no queue makes much
 * faster. */
static double ever(const struct phase_input *in)
{
	double best = 0;

	for (size_t i = 0; i < in->n_flows; i++)
		for (size_t k = 0; k < in->flows[i].n; k++) {
			const struct phase_activity *a = &in->flows[i].a[k];

			if (a->psns >= PIECE)
				best = fmax(best,
					    rate((double)a->bytes, length(a)));
		}
	return best;
}

/* How fast |f| is without CNPs, payload bit/s: as it was before the first; or,
 * without the link of its sender to compare with, what its reaction to a CNP
 * shows, or what senders of the job |reached|.  0: not known. */
static double uncut(const struct job *j, const struct phase_flow *f,
		    double reached)
{
	double before = before_cnps(f);

	if (before > 0 || (j->link > 0 && f->src_seen))
		return before;
	return fmax(f->cut_rate, reached);
}

/* All that |r| sends meanwhile. */
static double sends(const struct job *j, const struct rank *r,
		    const struct phase_activity *a)
{
	return rate(bytes_between(j->in, r->out, r->n_out, a->from, a->sent),
		    length(a));
}

/* Was |a| sent slower because its sender received CNPs?  A cut that has no rate
 * to compare with shows in the link: where neither the pair nor its host fills
 * it. */
static bool is_cut(const struct job *j, const struct phase_flow *f,
		   const struct phase_activity *a, struct cut *cut)
{
	const struct rank *s = &j->ranks[j->rank_of[f->src]];
	const struct rank *d = &j->ranks[j->rank_of[f->dst]];
	double link = phase_link_of(j, f);
	bool known = link > 0 && f->src_seen && s->n_out <= SIDE_MAX &&
		     d->n_in <= SIDE_MAX;
	double own;
	bool slow;

	for (; cut->next < f->n_cnps && f->cnps[cut->next] < a->sent;
	     cut->next++)
		cut->ns = f->cnps[cut->next];
	if (cut->ns == PHASE_UNKNOWN || !has_rate(a))
		return cut->ns != PHASE_UNKNOWN;
	own = rate((double)a->bytes, length(a));
	if (cut->before > 0)
		slow = own < FAST * cut->before;
	else
		slow = known &&
		       rate(pair_bytes(j, s, f, a->from, a->sent), length(a)) <
			       FAST * link &&
		       sends(j, s, a) < FULL * phase_link(j, f->src);
	if (a->from - cut->ns < RECOVER_NS && slow)
		return true;
	/* What was mostly sent before a CNP shows no recovery from it. */
	if (a->from >= cut->ns)
		cut->ns = PHASE_UNKNOWN;
	return false;
}

/* Answers to READs have no PSNs; they are at least so many. */
static uint64_t packets_of(const struct phase_activity *a)
{
	return a->psns ? a->psns : a->bytes / PMTU_MOST;
}

bool phase_has_rate(const struct phase_activity *a)
{
	return packets_of(a) >= SAMPLE && a->sent > a->from;
}

/* How long |a| took to send, at most: of a short one the stamps may say too
 * little. */
static int64_t at_most(const struct job *j, const struct phase_activity *a)
{
	return length(a) + (a->sent - a->from > LONG * j->grain ? 0 : j->grain);
}

/* The fastest that two hosts were, in pieces of at least |packets| packets. */
static double fastest_in(const struct job *j, uint64_t packets)
{
	double best = 0;

	for (size_t i = 0; i < j->in->n_flows; i++) {
		const struct phase_flow *f = &j->in->flows[i];
		const struct rank *r = &j->ranks[j->rank_of[f->src]];

		for (size_t k = 0; k < f->n && r->n_out <= SIDE_MAX; k++) {
			const struct phase_activity *a = &f->a[k];
			double bytes;

			if (packets_of(a) < (f->src_seen ? SAMPLE : packets) ||
			    a->sent <= a->from)
				continue;
			bytes = pair_bytes(j, r, f, a->from, a->sent);
			best = fmax(best, rate(bytes, at_most(j, a)));
		}
	}
	return best;
}

/* What a link can do where nobody says.  The longer a piece, the less it says
 * that packets came close together behind a queue; at the link of its sender
 * there is none. */
static double fastest(const struct job *j)
{
	double best = 0;

	for (uint64_t packets = PIECE; best <= 0 && packets >= SAMPLE;
	     packets /= 2)
		best = fastest_in(j, packets);
	return best;
}

/* ---- what a link carried ---- */

/* Data that passed a link. */
struct passage {
	int64_t from, to; /* first packet, last packet */
	double bytes;     /* on the wire */
	double last;      /* of them those of the last packet */
};

/* Was it not even estimated when |a| came?  Then it is said to have come as it
 * was sent. */
static bool not_seen_there(const struct phase_activity *a)
{
	return a->guessed && a->there <= a->sent;
}

/* What passed the link of |r|, out of it or |in|, where that is seen.  Returns
 * how many.  When something came that other data passed just before is an
 * estimate, and may be too late, which would make the link too fast: what is
 * sure is that it had been sent. */
static size_t passages(const struct job *j, const struct rank *r, bool in,
		       struct passage *v)
{
	const uint32_t *flows = in ? r->in : r->out;
	uint32_t n_flows = in ? r->n_in : r->n_out;
	size_t n = 0;

	for (uint32_t i = 0; i < n_flows; i++) {
		const struct phase_flow *f = &j->in->flows[flows[i]];
		bool seen = in ? f->dst_seen : f->src_seen;

		for (size_t k = 0; k < f->n && seen; k++) {
			const struct phase_activity *a = &f->a[k];
			uint64_t packets = packets_of(a);
			double bytes = f->wire * (double)a->bytes;

			if (!a->bytes || (in && not_seen_there(a)))
				continue;
			v[n] = (struct passage) {
				in && !a->guessed ? a->came : a->from,
				in ? a->there : a->sent, bytes,
				bytes / (double)(packets ? packets : 1)
			};
			/* Clocks may say that it came before it was sent. */
			if (v[n].to < v[n].from)
				v[n].to = v[n].from;
			n++;
		}
	}
	return n;
}

/* The most bit/s of the link of |host| from one of |n| passages until WINDOW
 * such later, or longer.  The time between two stamps may be longer by their
 * error, and is that of the first packet, or of the last. */
static double busiest(const struct job *j, uint32_t host, bool in,
		      const struct passage *v, size_t n)
{
	double best = 0, bytes;
	int64_t from, to;

	for (size_t i = 0, end = 0; i < n; i++) {
		while (end < n && (end - i < WINDOW ||
				   v[end].from - v[i].from < LONG * j->grain))
			end++;
		if (end == n)
			break;
		from = v[i].from;
		to = v[end].from;
		bytes = fmin(
			loads_between(j->loads, host, in, from, to),
			loads_between(j->loads, host, in, from + 1, to + 1));
		best = fmax(best, rate(bytes, to - from + j->grain));
	}
	return best;
}

/* The most bit/s between two moments at which nothing passed.  No passage is
 * cut then, and however unevenly the packets of each came, so many did.  The
 * last packet takes time too, and the error of the stamps is added to that
 * between them: the link is at least as fast. */
static double between_idle(const struct job *j, const struct passage *v,
			   size_t n)
{
	double best = 0;

	for (size_t i = 0; i < n;) {
		struct passage all = v[i];
		size_t packets = 0;

		for (; i < n && v[i].from <= all.to; i++) {
			all.bytes += packets ? v[i].bytes : 0;
			all.last = v[i].to >= all.to ? v[i].last : all.last;
			all.to = v[i].to > all.to ? v[i].to : all.to;
			packets += (size_t)(v[i].bytes / v[i].last + 0.5);
		}
		if (packets >= PIECE / 2 &&
		    all.to - all.from >= BRIEF * j->grain)
			best = fmax(best, rate(all.bytes - all.last,
					       all.to - all.from + j->grain));
	}
	return best;
}

/* What several flows together brought over the link of a host. */
struct carried {
	double busiest;      /* also where they were not over */
	double between_idle; /* bit/s both; 0 unknown */
};

/* Of rank i what it sent, |all|[2 * i], and got.  False: no memory. */
static bool carried(const struct job *j, struct carried *all)
{
	const struct phase_input *in = j->in;
	struct passage *v;
	size_t most = 0;
	bool ok;

	for (size_t i = 0; i < in->n_flows; i++)
		most += in->flows[i].n;
	v = calloc(most + 1, sizeof *v);
	ok = v;
	for (uint32_t r = 0; ok && r < 2 * j->n_ranks; r++) {
		const struct rank *k = &j->ranks[r / 2];
		size_t n = passages(j, k, r % 2, v);

		ok = sort_by(struct passage, v, n, from);
		all[r].busiest = busiest(j, k->host, r % 2, v, n);
		all[r].between_idle = between_idle(j, v, n);
	}
	free(v);
	return ok;
}

/* What a link of about |rate| can carry; 0: there is none.  How many bytes a
 * packet has on the wire is known on average. */
static double link_speed(double rate)
{
	double speed = 0;

	for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++)
		if (rate >= ALIKE * speeds[i] && ALIKE * rate <= speeds[i])
			speed = fmin(rate, speeds[i]);
	return speed;
}

static double reached(const struct carried *c)
{
	return fmax(c->busiest, c->between_idle);
}

/* Where no flow alone shows how fast a link is: what most senders reached, and
 * none exceeded, if links are as fast as that.  0: it is not. */
static double agreed(const struct job *j, const struct carried *all)
{
	double best = 0;
	size_t known = 0, alike = 0;

	for (uint32_t r = 0; r < j->n_ranks; r++)
		best = fmax(best, reached(&all[2 * r]));
	for (uint32_t r = 0; r < j->n_ranks; r++) {
		known += reached(&all[2 * r]) > 0;
		alike += best > 0 && reached(&all[2 * r]) >= ALIKE * best;
	}
	return alike >= AGREE && 2 * alike > known ? link_speed(best) : 0;
}

/* What a link carried for sure.  Where it began and ended idle that is
 * counted, and no estimate: a speed that links have is its own, and what it
 * seems to have carried beyond that between two moments at which flows were
 * under way came before or after. */
static double carries(const struct carried *c)
{
	if (link_speed(c->between_idle) > 0)
		return c->between_idle;
	return fmax(SURE * c->busiest, c->between_idle);
}

/* Two hosts were as fast as |rate|, as far as flows that were under way
 * meanwhile tell.  Where that is no speed that links have, and most senders
 * carried one between idle moments, it is that. */
static double no_more(const struct job *j, const struct carried *all,
		      double rate)
{
	double best = 0, speed;
	size_t alike = 0, known = 0;

	for (uint32_t r = 0; r < j->n_ranks; r++)
		best = fmax(best, all[2 * r].between_idle);
	for (uint32_t r = 0; r < j->n_ranks; r++) {
		known += all[2 * r].between_idle > 0;
		alike += all[2 * r].between_idle >= ALIKE * best;
	}
	speed = link_speed(best);
	return alike >= AGREE && 2 * alike > known && speed > 0 &&
			       rate > speed && link_speed(rate) <= 0
		       ? speed
		       : rate;
}

/* A link that carries as much both ways, again and again no more, and less than
 * those of the others, is so fast: what an adapter sends more slowly than its
 * link comes to it faster.  What it is, of the speeds that links have; 0: not
 * known. */
static double own_speed(const struct job *j, const struct carried *out,
			const struct carried *in)
{
	double a = out->between_idle, b = in->between_idle, most = fmax(a, b);

	return a > 0 && b > 0 && fmin(a, b) >= ALIKE * most &&
			       most < SURE * j->link
		       ? link_speed(most)
		       : 0;
}

/* The speed of the links of a job where nobody gives it: a link can carry what
 * it carried, less what the first and last packets of flows that were not over
 * may be wrong by.  False: no memory. */
static bool seen_rate(struct job *j)
{
	struct carried *all = calloc(2 * (size_t)j->n_ranks + 1, sizeof *all);
	bool ok = all && carried(j, all);

	j->link = fastest(j);
	if (ok)
		j->link = no_more(j, all, j->link);
	if (ok && j->link <= 0)
		j->link = agreed(j, all);
	for (uint32_t r = 0; ok && j->link > 0 && r < 2 * j->n_ranks; r++)
		j->link = fmax(j->link, carries(&all[r]));
	for (uint32_t r = 0; ok && r < j->n_ranks; r++)
		j->speed[j->ranks[r].host] =
			own_speed(j, &all[2 * r], &all[2 * r + 1]);
	free(all);
	return ok;
}

bool find_rates(struct job *j)
{
	const struct phase_input *in = j->in;
	double best = ever(in);

	j->loads = loads_new(in->flows, in->n_flows, in->n_hosts);
	j->speed = calloc(in->n_hosts + 1, sizeof *j->speed);
	if (!j->loads || !j->speed)
		return false;
	j->us = microseconds(in);
	j->grain = grain_of(j);
	j->link = (double)in->link_bps;
	j->row.rate_source = "link";
	if (!in->link_bps) {
		if (!seen_rate(j))
			return false;
		j->row.rate_source = "seen";
	}
	for (size_t h = 0; h < in->n_hosts; h++)
		if (in->hosts[h].bps)
			j->speed[h] = (double)in->hosts[h].bps;
	j->row.rate_bps = j->link > 0 ? (int64_t)j->link : PHASE_UNKNOWN;
	if (j->link <= 0)
		j->row.rate_source = NULL;
	for (size_t i = 0; i < in->n_flows; i++) {
		const struct phase_flow *f = &in->flows[i];
		struct cut cut = { .ns = PHASE_UNKNOWN };

		j->uncut[i] = f->n_cnps ? uncut(j, f, best) : 0;
		cut.before = j->uncut[i];
		j->cut[i] = calloc(f->n + 1, sizeof **j->cut);
		if (!j->cut[i])
			return false;
		for (size_t k = 0; f->n_cnps && k < f->n; k++)
			j->cut[i][k] = is_cut(j, f, &f->a[k], &cut);
	}
	return true;
}

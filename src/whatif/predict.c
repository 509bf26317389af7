/* SPDX-License-Identifier: GPL-2.0-or-later
 * Runs of the model, and what follows from them.
 *
 * Which of equal paths a flow takes depends on hashes that nobody knows; each
 * seed draws others.  Seeds with which the model of today comes near to what
 * was captured are kept, and count the more the more alike the times of their
 * flows are: flows that share a link take longer.  Their spread, with how far
 * they are from the capture, is the range of the prediction. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/outfile.h"
#include "base/progress.h"
#include "base/regular.h"
#include "base/text.h"
#include "base/units.h"
#include "simulate/simulate.h"
#include "store/store.h"
#include "whatif/whatif_int.h"

/* Runs that are farther than that from what was captured do not count. */
static const double worst_error = 0.25;

/* How far it usually is with the paths that flows really took. */
static const double usual_error = 0.02;

/* Times of flows that are so near to those captured are as near as can be. */
static const double alike_enough = 0.05;

/* So many runs count at least, as the sum of their weights. */
static const double least_runs = 3;

/* Runs that count less than that are not asked for packets out of order. */
static const double least_weight = 0.05;

/* A prediction that is off by more than that is not one, and so much of the
 * weight of all runs has to be no farther from it. */
static const double most_off = 0.15, least_agreed = 0.8;

enum {
	SEEDS_MOST = 64,
	SEEDS_FEW = 6, /* where fewer are kept, more are drawn */
};

/* A run, as times of jobs: communication and span, ns. */
struct run {
	double *comm, *span; /* by job, all traffic last */
	double *flow;        /* messages under way, by flow */
	uint64_t marked, pauses, lost, missing, ahead;
	struct simulate_link *links;
	size_t n_links;
};

struct predicting {
	struct wi_world *w;
	struct whatif_answer *a;
	struct run real, now[SEEDS_MOST], then[SEEDS_MOST];
	unsigned seeds;
	unsigned kept[SEEDS_MOST];
	double weight[SEEDS_MOST]; /* of those kept, 1 at most */
	unsigned n_kept;
	double error; /* of the model, in the run that comes nearest */
};

static void run_free(struct run *r)
{
	free(r->comm);
	free(r->span);
	free(r->flow);
	free(r->links);
}

/* ---- times ---- */

struct interval {
	int64_t first, last;
};

static int by_first(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

/* Time in which any of them was under way. */
static double communicated(struct interval *v, size_t n)
{
	double sum = 0;

	qsort(v, n, sizeof *v, by_first);
	for (size_t i = 0; i < n;) {
		int64_t first = v[i].first, last = v[i].last;

		for (i++; i < n && v[i].first <= last; i++)
			last = v[i].last > last ? v[i].last : last;
		sum += (double)(last - first);
	}
	return sum;
}

static void times_of(const struct wi_world *w, size_t job, const int64_t *first,
		     const int64_t *last, struct interval *v, struct run *r)
{
	int64_t id = job < w->n_jobs ? w->jobs[job] : 0;
	int64_t from = INT64_MAX, to = 0;
	size_t n = 0;

	for (size_t k = 0; k < w->n_sends; k++) {
		const struct wi_send *s = &w->sends[k];
		int64_t a = first ? first[k] : s->first;
		int64_t b = last ? last[k] : s->last;

		if ((id && s->job != id) || a < 0 || b < 0)
			continue;
		v[n++] = (struct interval) { a, b };
		from = a < from ? a : from;
		to = b > to ? b : to;
	}
	r->comm[job] = communicated(v, n);
	r->span[job] = n ? (double)(to - from) : 0;
}

static void times_of_flows(const struct wi_world *w, const int64_t *first,
			   const int64_t *last, struct run *r)
{
	for (size_t k = 0; k < w->n_sends; k++) {
		const struct wi_send *s = &w->sends[k];
		int64_t a = first ? first[k] : s->first;
		int64_t b = last ? last[k] : s->last;

		if (a >= 0 && b > a)
			r->flow[s->flow] += (double)(b - a);
	}
}

/* NULL: as captured. */
static bool times(const struct wi_world *w, const int64_t *first,
		  const int64_t *last, struct run *r)
{
	struct interval *v = calloc(w->n_sends + 1, sizeof *v);
	bool room;

	r->comm = calloc(w->n_jobs + 1, sizeof *r->comm);
	r->span = calloc(w->n_jobs + 1, sizeof *r->span);
	r->flow = calloc(w->n_flows + 1, sizeof *r->flow);
	room = v && r->comm && r->span && r->flow;
	for (size_t j = 0; room && j <= w->n_jobs; j++)
		times_of(w, j, first, last, v, r);
	if (room)
		times_of_flows(w, first, last, r);
	free(v);
	return room;
}

/* The capture has messages where they pass capture points, the model has them
 * at the hosts: between lie links and NICs of both. */
static void at_taps(const struct wi_world *w, int64_t *last)
{
	for (size_t k = 0; k < w->n_sends; k++)
		if (last[k] >= 0)
			last[k] -= w->nodes[wi_receiver(w, &w->sends[k])]
					   .answer_ns;
}

/* The scenario is ours: where in it a setting stands says nothing. */
static int without_line(struct err *err)
{
	char text[sizeof err->text];
	int at = 0;

	snprintf(text, sizeof text, "%s", err->text);
	if (sscanf(text, "scenario:%*d: %n", &at) == 0 && at)
		err_set(err, err->code, "%s", text + at);
	return -1;
}

static int simulate(struct predicting *p, const char *scenario, unsigned seed,
		    struct run *r, struct err *err)
{
	struct simulate_measured m;
	int rc = 0;

	if (simulate_measure(scenario, seed, "r", &m, err))
		return without_line(err);
	r->missing = m.missing;
	r->ahead = m.ahead;
	for (size_t i = 0; i < m.n_links; i++) {
		r->marked += m.links[i].marked;
		r->lost += m.links[i].dropped;
		r->pauses += m.links[i].pauses;
	}
	r->links = m.links;
	r->n_links = m.n_links;
	m.links = NULL;
	at_taps(p->w, m.last_ns);
	if (!times(p->w, m.first_ns, m.last_ns, r))
		rc = err_set(err, ERR_MEMORY, "out of memory");
	simulate_measured_fini(&m);
	progress_step();
	return rc;
}

/* ---- which runs count ---- */

/* All jobs together, or all traffic where there are none. */
static double whole(const struct predicting *p, const struct run *r)
{
	double sum = 0;

	for (size_t j = 0; j < p->w->n_jobs; j++)
		sum += r->comm[j];
	return sum > 0 ? sum : r->comm[p->w->n_jobs];
}

static double off(double model, double real)
{
	return real > 0 ? fabs(model / real - 1) : 0;
}

/* How far the model is from what was captured, in this run. */
static double error_of(const struct predicting *p, unsigned i)
{
	double comm = off(whole(p, &p->now[i]), whole(p, &p->real));
	double span =
		off(p->now[i].span[p->w->n_jobs], p->real.span[p->w->n_jobs]);

	return comm > span ? comm : span;
}

/* How far the times of its flows are from those captured, as a ratio's log. */
static double unlike(const struct predicting *p, unsigned i)
{
	double sum = 0;
	size_t n = 0;

	for (size_t f = 0; f < p->w->n_flows; f++) {
		double a = p->now[i].flow[f], b = p->real.flow[f];

		if (a > 0 && b > 0) {
			sum += log(a / b) * log(a / b);
			n++;
		}
	}
	return n ? sqrt(sum / (double)n) : 0;
}

/* As normal distributions have it, of times of flows |wide| times as wide as
 * |best|, and of the whole; returns all of it. */
static double weigh_within(struct predicting *p, double best, double wide)
{
	double flows = wide * fmax(best, alike_enough), sum = 0;
	double whole_off = wide * alike_enough;

	for (unsigned i = 0; i < p->n_kept; i++) {
		double d = unlike(p, p->kept[i]);
		double e = error_of(p, p->kept[i]) / whole_off;

		p->weight[i] = exp((best * best - d * d) / (2 * flows * flows) -
				   e * e / 2);
		sum += p->weight[i];
	}
	return sum;
}

/* As wide as the nearest run is far, or until a few of them count: one alone
 * may have times as captured, and other paths. */
static void weigh(struct predicting *p)
{
	double best = INFINITY, wide = 1, few = fmin(p->n_kept, least_runs);

	for (unsigned i = 0; i < p->n_kept; i++)
		best = fmin(best, unlike(p, p->kept[i]));
	while (weigh_within(p, best, wide) < few * 0.9)
		wide *= 1.1;
}

static void keep(struct predicting *p)
{
	p->n_kept = 0;
	p->error = INFINITY;
	for (unsigned i = 0; i < p->seeds; i++) {
		double e = error_of(p, i);

		if (p->now[i].missing)
			continue;
		p->error = fmin(p->error, e);
		if (e <= worst_error)
			p->kept[p->n_kept++] = i;
	}
}

static void check_kept(struct predicting *p)
{
	if (isinf(p->error))
		wi_refuse(p->a, "with the settings as they are some messages "
				"never end in the model");
	else if (!p->n_kept)
		wi_refuse(
			p->a,
			"the model does not come out as it was captured: "
			"communication takes %.2f times as long there, all "
			"together %.2f (--now says what the fabric is set to)",
			whole(p, &p->now[0]) / whole(p, &p->real),
			p->now[0].span[p->w->n_jobs] /
				p->real.span[p->w->n_jobs]);
}

/* ---- what follows ---- */

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, size_t n)
{
	qsort(v, n, sizeof *v, by_size);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* The value below which half of the weight is. */
struct weighed {
	double value, weight;
};

static double weighed_median(struct weighed *v, size_t n)
{
	double all = 0, sum = 0;

	qsort(v, n, sizeof *v, by_size); /* |value| is first */
	for (size_t i = 0; i < n; i++)
		all += v[i].weight;
	for (size_t i = 0; i < n; i++) {
		double next = sum + v[i].weight;

		if (next > all / 2 * (1 + 1e-9) || i + 1 == n)
			return v[i].value;
		if (next > all / 2 * (1 - 1e-9))
			return (v[i].value + v[i + 1].value) / 2;
		sum = next;
	}
	return 0;
}

/* How much of what separates the capture from a run of today stays with the
 * settings that are asked about: log then = ... + part * (log real - log now).
 * All of an error of the model does; of the luck with paths as much as the
 * slope of |then| over |now| says, in all runs: few that happen to come near
 * to the capture show no slope.  How large both usually are divides the
 * difference. */
static double part_of(const struct predicting *p, size_t job, bool span)
{
	double n = 0, x = 0, y = 0, xx = 0, xy = 0, luck, slope, error;

	for (unsigned i = 0; i < p->seeds; i++) {
		const struct run *a = &p->now[i];
		const struct run *b = &p->then[i];
		double now = log(span ? a->span[job] : a->comm[job]);
		double then = log(span ? b->span[job] : b->comm[job]);

		if (a->missing || b->missing)
			continue;
		if (!isfinite(now) || !isfinite(then))
			return 1;
		n++;
		x += now;
		y += then;
		xx += now * now;
		xy += now * then;
	}
	luck = n > 0 ? xx / n - x / n * (x / n) : 0;
	slope = luck > 1e-12 ? (xy / n - x / n * (y / n)) / luck : 1;
	slope = fmin(1, fmax(0, slope));
	error = usual_error * usual_error / (usual_error * usual_error + luck);
	return error + slope * (1 - error);
}

/* The part of the weight that is near |value|. */
static double agreed(const struct weighed *v, size_t n, double value)
{
	double all = 0, near = 0;

	for (size_t i = 0; i < n; i++) {
		all += v[i].weight;
		if (off(v[i].value, value) <= most_off)
			near += v[i].weight;
	}
	return all > 0 ? near / all : 1;
}

/* The time |real|, when it takes so much in runs |now| and |then|. */
static struct whatif_time predict_time(const struct predicting *p, size_t job,
				       bool span)
{
	double model[SEEDS_MOST];
	struct weighed v[SEEDS_MOST];
	struct wi_guess g[SEEDS_MOST];
	double part = part_of(p, job, span);
	double real = span ? p->real.span[job] : p->real.comm[job];
	struct whatif_time t = { .id = job < p->w->n_jobs ? p->w->jobs[job] : 0,
				 .measured = (int64_t)real };

	for (unsigned i = 0; i < p->n_kept; i++) {
		const struct run *a = &p->now[p->kept[i]];
		const struct run *b = &p->then[p->kept[i]];
		double x = span ? a->span[job] : a->comm[job];
		double y = span ? b->span[job] : b->comm[job];

		model[i] = x;
		v[i] = (struct weighed) { x > 0 ? y * pow(real / x, part)
						: real,
					  p->weight[i] };
		g[i] = (struct wi_guess) { real > 0 ? log(v[i].value / real)
						    : 0,
					   p->weight[i] };
	}
	t.replayed = (int64_t)median(model, p->n_kept);
	t.predicted = (int64_t)weighed_median(v, p->n_kept);
	wi_spread(g, p->n_kept, p->error, &t);
	t.agreed = agreed(v, p->n_kept, (double)t.predicted);
	return t;
}

static uint64_t median_of(const struct predicting *p, const struct run *runs,
			  size_t member)
{
	double v[SEEDS_MOST];

	for (unsigned i = 0; i < p->n_kept; i++)
		v[i] = (double)*(
			const uint64_t *)((const char *)&runs[p->kept[i]] +
					  member);
	return (uint64_t)median(v, p->n_kept);
}

/* The most of all runs that count. */
static uint64_t most_ahead(const struct predicting *p, const struct run *runs)
{
	uint64_t most = 0;

	for (unsigned i = 0; i < p->n_kept; i++)
		if (p->weight[i] >= least_weight &&
		    runs[p->kept[i]].ahead > most)
			most = runs[p->kept[i]].ahead;
	return most;
}

/* The name of |node| of the scenario, into |out|. */
static void name_of(const struct predicting *p, const char *node,
		    char out[static WHATIF_NAME])
{
	size_t i = strtoul(node + 1, NULL, 10);
	char *text =
		text_printable(i < p->w->n_nodes ? p->w->nodes[i].name : node);

	snprintf(out, WHATIF_NAME, "%s", text ? text : node);
	free(text);
}

/* The deepest queues of the run that is most alike. */
static void deepest(struct predicting *p)
{
	unsigned best = 0;
	const struct run *a, *b;

	for (unsigned i = 1; i < p->n_kept; i++)
		if (p->weight[i] > p->weight[best])
			best = i;
	a = &p->now[p->kept[best]];
	b = &p->then[p->kept[best]];

	for (size_t n = 0; n < WHATIF_LINKS; n++) {
		struct whatif_link *l = &p->a->link[n];
		uint64_t most = 0;
		size_t at = 0;

		for (size_t i = 0; i < b->n_links && i < a->n_links; i++) {
			uint64_t d = a->links[i].depth > b->links[i].depth
					     ? a->links[i].depth
					     : b->links[i].depth;

			if (d > most && a->links[i].bps) {
				most = d;
				at = i;
			}
		}
		if (!most)
			return;
		name_of(p, a->links[at].from, l->from);
		name_of(p, a->links[at].to, l->to);
		l->depth_now = a->links[at].depth;
		l->depth = b->links[at].depth;
		p->a->n_links = n + 1;
		a->links[at].depth = b->links[at].depth = 0;
	}
}

/* Runs that come out as captured, and differ with the new settings: between
 * them nothing in the capture decides. */
static void check_agreed(struct predicting *p)
{
	char low[UNITS_TEXT], high[UNITS_TEXT], now[UNITS_TEXT];
	struct whatif_answer *a = p->a;

	for (size_t j = 0; j < a->n_times; j++) {
		const struct whatif_time *t = &a->span[j];

		if (t->agreed >= least_agreed || (a->n_times > 1 && !t->id))
			continue;
		a->too_wide = true;
		wi_refuse(a,
			  "runs that come out as captured do not agree on the "
			  "new settings, and which paths flows take is not in "
			  "the capture: first to last packet %s to %s "
			  "(captured: %s), %s, %.0f %%",
			  units_ns(t->low, low), units_ns(t->high, high),
			  units_ns(t->measured, now), whatif_direction(t),
			  100 * whatif_sure(t));
	}
}

/* Nobody is to read a direction into it. */
static void note_direction(struct predicting *p)
{
	for (size_t j = 0; j < p->a->n_times; j++) {
		if (strcmp(whatif_direction(&p->a->span[j]), "unclear") != 0)
			continue;
		wi_assume(p->a,
			  "unclear: faster, slower and unchanged are "
			  "each less likely than %.0f %%",
			  100 * WHATIF_LEAST_SURE);
		return;
	}
}

static int conclude(struct predicting *p, struct err *err)
{
	struct whatif_answer *a = p->a;
	size_t n = p->w->n_jobs + 1;
	uint64_t unfinished = 0;

	a->comm = calloc(n, sizeof *a->comm);
	a->span = calloc(n, sizeof *a->span);
	if (!a->comm || !a->span)
		return err_set(err, ERR_MEMORY, "out of memory");
	a->seeds = p->n_kept;
	for (size_t j = 0; j < n; j++) {
		if (!(p->real.span[j] > 0))
			continue; /* a job whose messages are another's, too */
		a->comm[a->n_times] = predict_time(p, j, false);
		a->span[a->n_times++] = predict_time(p, j, true);
	}
#define MEDIAN(of, member) median_of(p, of, offsetof(struct run, member))
	a->marked_now = p->w->marked;
	a->pauses_now = p->w->pauses;
	a->lost_now = p->w->lost;
	a->marked_model = MEDIAN(p->now, marked);
	a->pauses_model = MEDIAN(p->now, pauses);
	a->lost_model = MEDIAN(p->now, lost);
	a->marked = MEDIAN(p->then, marked);
	a->pauses = MEDIAN(p->then, pauses);
	a->lost = MEDIAN(p->then, lost);
	unfinished = MEDIAN(p->then, missing);
#undef MEDIAN
	a->ahead_model = most_ahead(p, p->now);
	a->ahead = most_ahead(p, p->then);
	deepest(p);
	check_agreed(p);
	note_direction(p);
	if (unfinished)
		wi_refuse(a,
			  "with these settings %llu messages have not ended "
			  "when the model stops, at many times the captured "
			  "time: it would take longer than that",
			  (unsigned long long)unfinished);
	return 0;
}

/* ---- the whole ---- */

/* What was seen and cannot be in the model, unless it is known why. */
static void check_settings(struct predicting *p)
{
	const struct whatif_settings *now = &p->a->now;

	if (p->w->marked && !whatif_get(now, "wred.kmax"))
		wi_refuse(p->a, "packets are marked, and at which queue length "
				"is not known: --now wred.kmin=,kmax=,pmax=, "
				"or --evidence for analyze");
	if (p->w->pauses && !whatif_get(now, "pfc.xoff"))
		wi_refuse(p->a, "there are pauses, and at which buffer use is "
				"not known: --now pfc.xoff=,xon=,headroom=, or "
				"--evidence for analyze");
	wi_assume(p->a, "all switches are set alike, links of one pair of "
			"nodes are one link, and delays of links and switches "
			"are those of fabscope simulate");
	for (size_t i = 0; i < p->a->set.n; i++)
		if (!strncmp(p->a->set.s[i].name, "dcqcn.", 6)) {
			wi_assume(p->a,
				  "NICs run DCQCN as published, with the other "
				  "constants of fabscope simulate");
			break;
		}
	if (whatif_get(&p->a->set, "lb") &&
	    !wi_setting(now, &p->a->set, "nic.receiver"))
		wi_assume(p->a, "receivers accept packets out of order where "
				"the fabric sprays (--set nic.receiver=)");
	if (whatif_get(&p->a->set, "wred.kmax") && !p->w->marked)
		wi_assume(p->a, "senders whose packets are ECN-capable reduce "
				"their rate as DCQCN does");
}

static int run_all(struct predicting *p, const char *now, const char *then,
		   struct err *err)
{
	progress_phase("simulating", 0, 2 * p->seeds);
	for (unsigned i = 0; i < p->seeds; i++)
		if (simulate(p, now, i + 1, &p->now[i], err))
			return -1;
	keep(p);
	while (p->n_kept && p->n_kept < SEEDS_FEW && p->seeds < SEEDS_MOST) {
		if (simulate(p, now, p->seeds + 1, &p->now[p->seeds], err))
			return -1;
		p->seeds++;
		keep(p);
	}
	check_kept(p);
	if (p->a->n_refused)
		return 0;
	weigh(p);
	for (unsigned i = 0; i < p->seeds; i++)
		if (simulate(p, then, i + 1, &p->then[i], err))
			return -1;
	return conclude(p, err);
}

/* A scenario in memory, to be freed: those of |set| count where it is not
 * NULL. */
static char *scenario(const struct predicting *p,
		      const struct whatif_settings *set, struct err *err)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	int rc = -1;

	if (f) {
		rc = wi_write_scenario(p->w, &p->a->now, set, f, err);
		if (fclose(f) && !rc)
			rc = err_set(err, ERR_MEMORY, "out of memory");
	} else {
		err_set(err, ERR_MEMORY, "out of memory");
	}
	if (!rc)
		return text;
	free(text);
	return NULL;
}

static int keep_scenario(const struct predicting *p, const char *path,
			 struct err *err)
{
	struct outfile *o = outfile_begin(path, NULL, "scenario", err);
	FILE *f = o ? regular_create(outfile_temp(o)) : NULL;
	int rc = -1;

	if (o && !f)
		err_errno(err, "%s", path);
	if (f) {
		rc = wi_write_scenario(p->w, &p->a->now, &p->a->set, f, err);
		wi_write_taps(p->w, f);
		if (fclose(f) && !rc)
			rc = err_errno(err, "%s", path);
	}
	if (!rc)
		rc = outfile_commit(o, err);
	outfile_free(o);
	return rc;
}

static int predict(struct predicting *p, const struct whatif_options *o,
		   struct err *err)
{
	char *now, *then;
	int rc = -1;

	if (wi_causes(p->w, err))
		return -1;
	if (!times(p->w, NULL, NULL, &p->real))
		return err_set(err, ERR_MEMORY, "out of memory");
	if (!(whole(p, &p->real) > 0)) {
		wi_refuse(p->a, "no message takes time");
		return 0;
	}
	if (o->scenario && keep_scenario(p, o->scenario, err))
		return -1;
	now = scenario(p, NULL, err);
	then = now ? scenario(p, &p->a->set, err) : NULL;
	if (then)
		rc = run_all(p, now, then, err);
	free(now);
	free(then);
	return rc;
}

int whatif_ask(struct store *s, const struct whatif_options *o,
	       struct whatif_answer *a, struct err *err)
{
	struct wi_world w = { 0 };
	struct predicting *p = calloc(1, sizeof *p);
	int rc = -1;

	*a = (struct whatif_answer) { .now = o->now, .set = o->set };
	if (!p)
		return err_set(err, ERR_MEMORY, "out of memory");
	p->w = &w;
	p->a = a;
	p->seeds = o->seeds < SEEDS_MOST ? o->seeds : SEEDS_MOST;
	if (!wi_load(s, &w, a, err)) {
		check_settings(p);
		a->messages = w.n_sends;
		a->flows = w.n_flows;
		rc = a->n_refused ? 0 : predict(p, o, err);
	}
	for (unsigned i = 0; i < p->seeds; i++) {
		run_free(&p->now[i]);
		run_free(&p->then[i]);
	}
	run_free(&p->real);
	free(p);
	wi_world_fini(&w);
	return rc;
}

void whatif_fini(struct whatif_answer *a)
{
	free(a->comm);
	free(a->span);
}

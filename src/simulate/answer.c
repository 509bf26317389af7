/* SPDX-License-Identifier: GPL-2.0-or-later
 * What each problem, and each part of the fabric, cost a job.
 *
 * The players are the problems of the scenario and the fabric as a whole, with
 * whoever else is in it.  Each gets the mean of what it adds to the time of
 * the job, over all orders in which they may come (Shapley's value), so that
 * the parts add up to the whole; the fabric no more than it would cost without
 * problems, for what they cost through it is theirs.  What the fabric cost is
 * then parted as the contract of the answer has it: first queues, then what
 * pauses, marks and losses cost more than these. */
#include <stdlib.h>

#include "base/err.h"
#include "simulate/collective.h"
#include "simulate/mem.h"
#include "simulate/truth_int.h"
#include "simulate/twin.h"
#include "simulate/world.h"

enum { SETS = 1 << PROBLEMS };

/* All there is to compare, for one job or all of them. */
struct runs {
	struct twin_times real[SETS];    /* by problems that are there */
	struct twin_times part[FABRICS]; /* with none of them */
};

/* What a fabric costs more than the one before it. */
static const enum answer_class class_of[] = {
	[FABRIC_QUEUES] = CLASS_QUEUEING,
	[FABRIC_PAUSES] = CLASS_PAUSE,
	[FABRIC_MARKS] = CLASS_RATE_CUT,
	[FABRIC_REAL] = CLASS_LOSS,
};

static void add(struct twin_answer *a, enum answer_class class, enum side side,
		int64_t ps, const struct problem *problem)
{
	if (ps > 0)
		a->part[a->n_parts++] =
			(struct part) { class, side, ps, problem };
}

/* --- the runs ------------------------------------------------------------- */

static uint32_t all_of(const struct sim *s)
{
	return (1u << s->n_problems) - 1;
}

static int run_shared(struct sim *s, const char *path, struct runs *r,
		      struct err *err)
{
	uint32_t all = all_of(s);

	twin_measure(s, &r->real[all]);
	for (uint32_t set = 0; set < all; set++) {
		struct twin t = { FABRIC_REAL, all & ~set, NULL, true };

		if (twin_run(s, path, &t, &r->real[set], NULL, err))
			return -1;
	}
	for (enum fabric f = FABRIC_QUEUES; f < FABRIC_REAL; f++) {
		struct twin t = { f, all, NULL, true };

		if (twin_run(s, path, &t, &r->part[f], NULL, err))
			return -1;
	}
	return 0;
}

/* The job alone in a fabric that blocks nothing, by problems. */
static int run_ideal(struct sim *s, const char *path, size_t job,
		     struct twin_answer *a, int64_t ideal[static SETS],
		     int64_t *instant, struct err *err)
{
	uint32_t all = all_of(s);
	struct twin_times times;

	for (uint32_t set = 0; set <= all; set++) {
		struct twin t = { FABRIC_IDEAL, all & ~set, a->work->name,
				  true };

		if (twin_run(s, path, &t, &times, set ? NULL : a->took_ideal,
			     err))
			return -1;
		ideal[set] = times.span[job];
		free(times.span);
	}
	struct twin t = { FABRIC_INSTANT, all, a->work->name, true };

	if (twin_run(s, path, &t, &times, NULL, err))
		return -1;
	*instant = times.span[job];
	free(times.span);
	return 0;
}

/* --- shares --------------------------------------------------------------- */

/* Orders in which |before| of |players| come first, then one, then the rest,
 * as a share of all orders. */
static double weight(unsigned before, unsigned players)
{
	double w = 1.0 / players;

	for (unsigned i = 1; i <= before; i++)
		w *= (double)i / (players - i);
	return w;
}

/* |time| by set of players. */
static double value(const int64_t *time, unsigned player, unsigned players)
{
	double sum = 0;

	for (uint32_t set = 0; set < 1u << players; set++)
		if (!(set >> player & 1))
			sum += weight((unsigned)__builtin_popcount(set),
				      players) *
			       (double)(time[set | 1u << player] - time[set]);
	return sum;
}

/* |cost| is that of all problems; |time| by set of them and the fabric. */
static void part_problems(const struct sim *s, const int64_t *time, double cost,
			  struct twin_answer *a)
{
	unsigned k = (unsigned)s->n_problems;
	double worth[PROBLEMS], sum = 0;

	for (unsigned i = 0; i < k; i++) {
		worth[i] = value(time, i, k + 1);
		worth[i] = worth[i] > 0 ? worth[i] : 0;
		sum += worth[i];
	}
	for (unsigned i = 0; i < k && sum > 0 && cost > 0; i++)
		add(a, s->problems[i].class, s->problems[i].side,
		    (int64_t)(cost * worth[i] / sum), &s->problems[i]);
}

/* |cost| is the fabric's; |from| what the job took in an ideal one, both
 * without problems. */
static void part_fabric(const struct runs *r, size_t job, double cost,
			int64_t from, struct twin_answer *a)
{
	double more[FABRICS] = { 0 }, sum = 0;

	for (enum fabric f = FABRIC_QUEUES; f < FABRICS; f++) {
		int64_t to = (f == FABRIC_REAL ? &r->real[0] : &r->part[f])
				     ->span[job];

		if (to > from) {
			more[f] = (double)(to - from);
			sum += more[f];
			from = to;
		}
	}
	for (enum fabric f = FABRIC_QUEUES; f < FABRICS; f++)
		if (more[f] > 0)
			add(a, class_of[f], SIDE_NETWORK,
			    (int64_t)(cost * more[f] / sum), NULL);
}

/* Parts that are noise are left out: what is left is the whole excess. */
static void balance(struct twin_answer *a)
{
	double sum = 0, excess = (double)(a->total - a->ideal);

	for (unsigned i = 0; i < a->n_parts; i++)
		if (a->part[i].side != SIDE_NEEDED)
			sum += (double)a->part[i].ps;
	for (unsigned i = 0; i < a->n_parts; i++)
		if (a->part[i].side != SIDE_NEEDED)
			a->part[i].ps =
				excess <= 0 ? 0
					    : (int64_t)((double)a->part[i].ps *
							(excess / sum));
}

static int check(int64_t time, const struct twin_answer *a, struct err *err)
{
	if (time >= 0)
		return 0;
	return err_set(
		err, ERR_FORMAT,
		"'%s' is not finished when the run ends: run for= longer",
		a->work->name);
}

static int share(struct sim *s, const struct runs *r, size_t job,
		 const int64_t ideal[static SETS], int64_t instant,
		 struct twin_answer *a, struct err *err)
{
	unsigned k = (unsigned)s->n_problems;
	int64_t time[2 * SETS];
	double fabric;

	if (check(instant, a, err))
		return -1;
	for (uint32_t set = 0; set <= all_of(s); set++) {
		time[set] = ideal[set];
		time[set | 1u << k] = r->real[set].span[job];
		if (check(time[set], a, err) ||
		    check(time[set | 1u << k], a, err))
			return -1;
	}
	for (enum fabric f = FABRIC_QUEUES; f < FABRIC_REAL; f++)
		if (check(r->part[f].span[job], a, err))
			return -1;
	a->total = time[(2u << k) - 1];
	a->ideal = time[0];
	if (instant > a->ideal)
		instant = a->ideal;
	add(a, CLASS_COMPUTE, SIDE_NEEDED, instant, NULL);
	add(a, CLASS_WIRE, SIDE_NEEDED, a->ideal - instant, NULL);
	fabric = value(time, k, k + 1);
	if (fabric > (double)(time[1u << k] - time[0]))
		fabric = (double)(time[1u << k] - time[0]);
	part_problems(s, time, (double)(a->total - a->ideal) - fabric, a);
	part_fabric(r, job, fabric, a->ideal, a);
	balance(a);
	return 0;
}

static int make_one(struct sim *s, const char *path, const struct runs *r,
		    size_t job, struct twin_answer *a, struct err *err)
{
	int64_t ideal[SETS], instant;

	a->iterations = collective_iterations(a->work);
	a->took = mem_new(a->iterations * sizeof *a->took);
	a->took_ideal = mem_new(a->iterations * sizeof *a->took_ideal);
	twin_iterations(s, a->work, a->took);
	if (run_ideal(s, path, job, a, ideal, &instant, err))
		return -1;
	return share(s, r, job, ideal, instant, a, err);
}

static int make_all(struct sim *s, const char *path, const struct runs *r,
		    struct err *err)
{
	s->answers = mem_new((s->n_works + 1) * sizeof *s->answers);
	for (size_t i = 0; i < s->n_works; i++) {
		struct twin_answer *a = &s->answers[s->n_answers];

		if (!is_collective(s->works[i]))
			continue;
		a->work = s->works[i];
		if (make_one(s, path, r, s->n_answers++, a, err))
			return -1;
	}
	return 0;
}

int answers_make(struct sim *s, const char *path, struct err *err)
{
	struct runs r = { 0 };
	int rc = run_shared(s, path, &r, err);

	if (!rc)
		rc = make_all(s, path, &r, err);
	for (size_t i = 0; i < SETS; i++)
		free(r.real[i].span);
	for (size_t i = 0; i < FABRICS; i++)
		free(r.part[i].span);
	return rc;
}

void answers_free(struct sim *s)
{
	for (size_t i = 0; i < s->n_answers; i++) {
		free(s->answers[i].took);
		free(s->answers[i].took_ideal);
	}
	free(s->answers);
}

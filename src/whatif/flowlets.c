/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which flowlet timer would be fastest, and reorder nothing?  The one that the
 * longest wait of the capture advises and some others are predicted, one after
 * another: flowlets make queues shallower, so that a shorter one may do. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

#include "base/err.h"
#include "base/units.h"
#include "store/query.h"
#include "store/store.h"
#include "views/rows.h"
#include "whatif/whatif_int.h"

/* That which is advised first: another must be clearly faster than it. */
static const double factors[] = { 1, 0.25, 0.5, 2, 4 };

/* The timer, or 0: |a| says why there is none. */
static int advised(struct store *s, struct whatif_trials *x, int64_t *timer,
		   struct err *err)
{
	struct catalogue *c = catalogue_builtin();
	struct rows r = { 0 };
	int rc = c ? rows_ask(&r, s, c, "flowlet-timer", NULL, err)
		   : err_set(err, ERR_MEMORY, "out of memory");

	*timer = rc ? 0 : rows_int(&r, 0, "flowlet_ns", 0);
	x->wait_ns = rc ? 0 : rows_int(&r, 0, "wait_ns", 0);
	if (!rc && *timer <= 0)
		wi_refuse(&x->of[0].answer, "no flowlet timer: %s",
			  rows_text(&r, 0, "why"));
	rows_fini(&r);
	catalogue_free(c);
	return rc;
}

/* Where packets would overtake others, speed is not asked. */
static bool keeps_order(const struct whatif_trial *t)
{
	return !t->answer.n_refused && t->answer.ahead <= t->answer.ahead_model;
}

static int ask(struct store *s, const struct whatif_options *o,
	       struct whatif_trials *x, double factor, int64_t timer,
	       struct err *err)
{
	struct whatif_trial *t = &x->of[x->n];
	struct whatif_options with = { .now = o->now, .seeds = o->seeds };
	char text[64];

	t->factor = factor;
	snprintf(text, sizeof text, "lb=flowlet,gap=%.0fns",
		 factor * (double)timer);
	if (factor > 0 && whatif_set(&t->set, text, err))
		return -1;
	with.set = t->set;
	x->n++;
	return whatif_ask(s, &with, &t->answer, err);
}

int whatif_flowlets(struct store *s, const struct whatif_options *o,
		    struct whatif_trials *x, struct err *err)
{
	int64_t timer;

	*x = (struct whatif_trials) { .n = 0 };
	if (advised(s, x, &timer, err))
		return -1;
	if (!timer) {
		x->of[0].answer.now = o->now;
		x->n = 1;
		return 0;
	}
	if (ask(s, o, x, 0, timer, err))
		return -1;
	if (x->of[0].answer.n_refused)
		return 0;
	for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
		const struct whatif_trial *t = &x->of[x->n];

		if (ask(s, o, x, factors[i], timer, err))
			return -1;
		if (keeps_order(t) &&
		    whatif_is_faster(t, x->best ? x->best : x->of))
			x->best = t;
	}
	return 0;
}

static void trial_line(const struct whatif_trial *t, FILE *out)
{
	const struct whatif_answer *a = &t->answer;
	const char *gap = whatif_get(&t->set, "lb.gap");
	char time[UNITS_TEXT], low[UNITS_TEXT], high[UNITS_TEXT],
		ahead[UNITS_TEXT], range[2 * UNITS_TEXT + 4];

	fprintf(out, "  %-10s", gap ? gap : "as now");
	if (a->n_refused && !a->too_wide) {
		fprintf(out, " does not end in the model: far slower\n");
		return;
	}
	snprintf(range, sizeof range, "%s to %s",
		 units_ns(whatif_whole(a)->low, low),
		 units_ns(whatif_whole(a)->high, high));
	fprintf(out, " %10s  %-22s %-8s %12s\n",
		a->too_wide ? "open"
			    : units_ns(whatif_whole(a)->predicted, time),
		range, gap ? whatif_direction(whatif_whole(a)) : "",
		units_count(a->ahead, ahead));
}

void whatif_print_flowlets(const struct whatif_trials *x, FILE *out)
{
	const struct whatif_answer *today = &x->of[0].answer;
	char wait[UNITS_TEXT];

	if (today->n_refused) {
		whatif_print(today, out);
		return;
	}
	fprintf(out,
		"Longest wait of a packet in the capture: %s\n"
		"  timer       first to last  range                  "
		"         out of order\n",
		units_ns(x->wait_ns, wait));
	for (size_t i = 0; i < x->n; i++)
		trial_line(&x->of[i], out);
	if (x->best)
		fprintf(out,
			"Suggested: lb=flowlet,gap=%s, predicted %.1f %% "
			"faster (%s, %.0f %%)\n",
			whatif_get(&x->best->set, "lb.gap"),
			100 - 100.0 *
					(double)whatif_whole(&x->best->answer)
						->predicted /
					(double)whatif_whole(today)->predicted,
			whatif_direction(whatif_whole(&x->best->answer)),
			100 * whatif_sure(whatif_whole(&x->best->answer)));
	else
		fprintf(out, "Suggested: no flowlets. None of these timers "
			     "keeps the order and is predicted to be 3 %% "
			     "faster\n");
}

static json_t *settings_of(const struct whatif_trial *t)
{
	const char *gap = whatif_get(&t->set, "lb.gap");

	return gap ? json_pack("{ssss}", "lb", "flowlet", "lb.gap", gap)
		   : json_object();
}

static json_t *trial(const struct whatif_trial *t)
{
	const struct whatif_time *w = whatif_whole(&t->answer);

	return json_pack("{so sI sI sI ss sI}", "set", settings_of(t),
			 "predicted_ns", (json_int_t)w->predicted, "low_ns",
			 (json_int_t)w->low, "high_ns", (json_int_t)w->high,
			 "direction", whatif_direction(w), "out_of_order",
			 (json_int_t)t->answer.ahead);
}

int whatif_json_flowlets(const struct whatif_trials *x, FILE *out,
			 struct err *err)
{
	json_t *list, *document;
	int rc;

	if (x->of[0].answer.n_refused)
		return whatif_json(&x->of[0].answer, out, err);
	list = json_array();
	for (size_t i = 0; i < x->n; i++)
		if (!x->of[i].answer.n_refused)
			json_array_append_new(list, trial(&x->of[i]));
	document =
		json_pack("{sb sI so so}", "predicted", 1, "wait_ns",
			  (json_int_t)x->wait_ns, "timers", list, "suggested",
			  x->best ? settings_of(x->best) : json_null());
	rc = document ? json_dumpf(document, out, JSON_INDENT(2)) : -1;
	json_decref(document);
	if (rc || fputc('\n', out) == EOF)
		return err_set(err, ERR_MEMORY, "cannot write JSON");
	return 0;
}

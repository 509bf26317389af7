/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which ECN thresholds would be faster?  Those of today times some factors are
 * predicted, one after another. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

#include "base/err.h"
#include "base/units.h"
#include "simulate/line.h"
#include "whatif/whatif_int.h"

static const double factors[] = { 1, 0.25, 0.5, 2, 4 };

const struct whatif_time *whatif_whole(const struct whatif_answer *a)
{
	size_t i = 0;

	while (i + 1 < a->n_times && a->span[i].id)
		i++;
	return &a->span[i];
}

/* Both are of the same draws and have the same error of the model, so their
 * ranges overlap and say nothing here; what is small may be rounding. */
bool whatif_is_faster(const struct whatif_trial *t,
		      const struct whatif_trial *than)
{
	static const double least = 0.03;

	return !t->answer.n_refused &&
	       (double)whatif_whole(&t->answer)->predicted <
		       (1 - least) *
			       (double)whatif_whole(&than->answer)->predicted;
}

static int scaled(struct whatif_trial *t, const struct whatif_settings *now,
		  struct err *err)
{
	static const char *const names[] = { "wred.kmin", "wred.kmax" };
	char text[64];

	for (int i = 0; i < 2; i++) {
		const char *v = whatif_get(now, names[i]);
		uint64_t bytes;

		if (!v || !parse_size(v, &bytes))
			continue;
		snprintf(text, sizeof text, "%s=%.0f", names[i],
			 t->factor * (double)bytes);
		if (whatif_set(&t->set, text, err))
			return -1;
	}
	return 0;
}

int whatif_thresholds(struct store *s, const struct whatif_options *o,
		      struct whatif_trials *x, struct err *err)
{
	struct whatif_trial *today = x->of;

	*x = (struct whatif_trials) { .n = 0 };
	for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
		struct whatif_trial *t = &x->of[i];
		struct whatif_options with = { .now = o->now,
					       .seeds = o->seeds };

		t->factor = factors[i];
		if (i && scaled(t, &today->answer.now, err))
			return -1;
		with.set = t->set;
		x->n++;
		if (whatif_ask(s, &with, &t->answer, err))
			return -1;
		if (!i && !t->answer.n_refused &&
		    !whatif_get(&t->answer.now, "wred.kmax"))
			wi_refuse(
				&t->answer,
				"the thresholds of today are not known: --now "
				"wred.kmin=,kmax=,pmax=, or --evidence for "
				"analyze");
		if (!i && t->answer.n_refused)
			return 0;
		if (i && whatif_is_faster(t, today) &&
		    (!x->best || whatif_is_faster(t, x->best)))
			x->best = t;
	}
	return 0;
}

void whatif_trials_fini(struct whatif_trials *x)
{
	for (size_t i = 0; i < x->n; i++)
		whatif_fini(&x->of[i].answer);
}

static void trial_line(const struct whatif_trial *t, FILE *out)
{
	const struct whatif_answer *a = &t->answer;
	char time[UNITS_TEXT], low[UNITS_TEXT], high[UNITS_TEXT],
		marked[UNITS_TEXT], pauses[UNITS_TEXT], lost[UNITS_TEXT],
		range[2 * UNITS_TEXT + 4];

	if (a->n_refused && !a->too_wide) {
		fprintf(out, "  x %-6g does not end in the model: far slower\n",
			t->factor);
		return;
	}
	snprintf(range, sizeof range, "%s to %s",
		 units_ns(whatif_whole(a)->low, low),
		 units_ns(whatif_whole(a)->high, high));
	fprintf(out, "  x %-6g %10s  %-22s %10s %8s %8s\n", t->factor,
		a->too_wide ? "open"
			    : units_ns(whatif_whole(a)->predicted, time),
		range, units_count(a->marked, marked),
		units_count(a->pauses, pauses), units_count(a->lost, lost));
}

void whatif_print_thresholds(const struct whatif_trials *x, FILE *out)
{
	const struct whatif_answer *today = &x->of[0].answer;

	if (x->of[0].answer.n_refused) {
		whatif_print(&x->of[0].answer, out);
		return;
	}
	fprintf(out,
		"Thresholds of today: wred.kmin=%s,kmax=%s\n"
		"  times     first to last  range                      marked"
		"   pauses     lost\n",
		whatif_get(&today->now, "wred.kmin"),
		whatif_get(&today->now, "wred.kmax"));
	for (size_t i = 0; i < x->n; i++)
		trial_line(&x->of[i], out);
	if (x->best)
		fprintf(out,
			"Suggested: wred.kmin=%s,kmax=%s, predicted %.1f %% "
			"faster\n",
			whatif_get(&x->best->set, "wred.kmin"),
			whatif_get(&x->best->set, "wred.kmax"),
			100 - 100.0 *
					(double)whatif_whole(&x->best->answer)
						->predicted /
					(double)whatif_whole(today)->predicted);
	else
		fprintf(out, "Suggested: keep them. None of the others is "
			     "predicted to be 3 %% faster\n");
}

static json_t *settings_of(const struct whatif_settings *t)
{
	json_t *o = json_object();

	for (size_t i = 0; i < t->n; i++)
		json_object_set_new(o, t->s[i].name,
				    json_string(t->s[i].value));
	return o;
}

int whatif_json_thresholds(const struct whatif_trials *x, FILE *out,
			   struct err *err)
{
	json_t *list = json_array(), *document;
	int rc;

	if (x->of[0].answer.n_refused) {
		json_decref(list);
		return whatif_json(&x->of[0].answer, out, err);
	}
	for (size_t i = 0; i < x->n; i++) {
		const struct whatif_answer *a = &x->of[i].answer;

		if (a->n_refused)
			continue;
		json_array_append_new(
			list,
			json_pack("{sf so sI sI sI sI sI sI}", "times",
				  x->of[i].factor, "set",
				  settings_of(&x->of[i].set), "predicted_ns",
				  (json_int_t)whatif_whole(a)->predicted,
				  "low_ns", (json_int_t)whatif_whole(a)->low,
				  "high_ns", (json_int_t)whatif_whole(a)->high,
				  "marked", (json_int_t)a->marked, "pauses",
				  (json_int_t)a->pauses, "lost",
				  (json_int_t)a->lost));
	}
	document =
		json_pack("{sb so so so}", "predicted", 1, "now",
			  settings_of(&x->of[0].answer.now), "thresholds", list,
			  "suggested",
			  x->best ? settings_of(&x->best->set) : json_null());
	rc = document ? json_dumpf(document, out, JSON_INDENT(2)) : -1;
	json_decref(document);
	if (rc || fputc('\n', out) == EOF)
		return err_set(err, ERR_MEMORY, "cannot write JSON");
	return 0;
}

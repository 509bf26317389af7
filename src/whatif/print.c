/* SPDX-License-Identifier: GPL-2.0-or-later
 * A prediction for people, and as JSON. */
#include <jansson.h>

#include "base/err.h"
#include "base/units.h"
#include "views/text_writer.h"
#include "whatif/whatif.h"

enum { DOCUMENT_VERSION = 1 };

static void settings(struct text_writer *w, const char *head,
		     const struct whatif_settings *t)
{
	char text[WHATIF_SETTINGS * 64] = "the defaults of fabscope simulate";
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%s=%s",
				      i ? " " : "", t->s[i].name,
				      t->s[i].value);
	writer_text(w, 0, head, 12, text);
}

static void time_line(const struct whatif_time *t, const char *what, FILE *out)
{
	char measured[UNITS_TEXT], predicted[UNITS_TEXT], low[UNITS_TEXT],
		high[UNITS_TEXT], range[2 * UNITS_TEXT + 4],
		name[32] = "all traffic";

	if (t->id)
		snprintf(name, sizeof name, "job %lld", (long long)t->id);
	snprintf(range, sizeof range, "%s to %s", units_ns(t->low, low),
		 units_ns(t->high, high));
	fprintf(out, "  %-12s %-14s %10s %10s  %+6.1f %%  %-20s %s, %.0f %%\n",
		name, what, units_ns(t->measured, measured),
		units_ns(t->predicted, predicted),
		t->measured ? 100.0 * (double)(t->predicted - t->measured) /
				      (double)t->measured
			    : 0.0,
		range, whatif_direction(t), 100 * whatif_sure(t));
}

static void count_line(const char *what, uint64_t seen, uint64_t model,
		       uint64_t then, FILE *out)
{
	char a[UNITS_TEXT], b[UNITS_TEXT], c[UNITS_TEXT];

	fprintf(out, "  %-27s %10s %10s %10s\n", what, units_count(seen, a),
		units_count(model, b), units_count(then, c));
}

static void reasons(struct text_writer *w, const char *head,
		    const char (*list)[WHATIF_REASON], size_t n)
{
	if (n)
		fprintf(w->out, "%s\n", head);
	for (size_t i = 0; i < n; i++)
		writer_text(w, 2, "-", 4, list[i]);
}

static void links(const struct whatif_answer *a, FILE *out)
{
	if (a->n_links)
		fprintf(out, "\nDeepest queues                   model now "
			     " predicted\n");
	for (size_t i = 0; i < a->n_links; i++) {
		const struct whatif_link *l = &a->link[i];
		char now[UNITS_TEXT], then[UNITS_TEXT], name[80];

		snprintf(name, sizeof name, "%s->%s", l->from, l->to);
		fprintf(out, "  %-28s %11s %10s\n", name,
			units_bytes((double)l->depth_now, now),
			units_bytes((double)l->depth, then));
	}
}

static void prediction(const struct whatif_answer *a, FILE *out)
{
	fprintf(out,
		"%-12s%zu messages of %zu flows, replayed; %u runs that "
		"come out as captured\n\n",
		"Model", a->messages, a->flows, a->seeds);
	fprintf(out, "Time                            captured  predicted"
		     "            range, nine times in ten\n");
	for (size_t i = 0; i < a->n_times; i++) {
		if (a->n_times > 1 && !a->comm[i].id)
			continue;
		time_line(&a->comm[i], "communication", out);
		time_line(&a->span[i], "first to last", out);
	}
	fprintf(out, "\nPackets                         captured  model now  "
		     "predicted\n");
	count_line("marked ECN CE", a->marked_now, a->marked_model, a->marked,
		   out);
	count_line("pause frames", a->pauses_now, a->pauses_model, a->pauses,
		   out);
	count_line("lost", a->lost_now, a->lost_model, a->lost, out);
	links(a, out);
}

void whatif_print(const struct whatif_answer *a, FILE *out)
{
	struct text_writer w;

	writer_init(&w, out);
	settings(&w, "Now", &a->now);
	settings(&w, "What if", &a->set);
	if (a->n_refused) {
		fputc('\n', out);
		reasons(&w, "No prediction", a->refused, a->n_refused);
		return;
	}
	prediction(a, out);
	fputc('\n', out);
	reasons(&w, "Assumed", a->assumed, a->n_assumed);
}

/* ---- JSON ---- */

static json_t *json_settings(const struct whatif_settings *t)
{
	json_t *o = json_object();

	for (size_t i = 0; i < t->n; i++)
		json_object_set_new(o, t->s[i].name,
				    json_string(t->s[i].value));
	return o;
}

static json_t *json_reasons(const char (*list)[WHATIF_REASON], size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(array, json_string(list[i]));
	return array;
}

static json_t *json_times(const struct whatif_time *t, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(
			array,
			json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:s, s:f}",
				  "job",
				  t[i].id ? json_integer(t[i].id) : json_null(),
				  "captured_ns", (json_int_t)t[i].measured,
				  "model_ns", (json_int_t)t[i].replayed,
				  "predicted_ns", (json_int_t)t[i].predicted,
				  "low_ns", (json_int_t)t[i].low, "high_ns",
				  (json_int_t)t[i].high, "direction",
				  whatif_direction(&t[i]), "probability",
				  whatif_sure(&t[i])));
	return array;
}

static json_t *json_count(uint64_t seen, uint64_t model, uint64_t then)
{
	return json_pack("{s:I, s:I, s:I}", "captured", (json_int_t)seen,
			 "model", (json_int_t)model, "predicted",
			 (json_int_t)then);
}

static json_t *json_links(const struct whatif_answer *a)
{
	json_t *array = json_array();

	for (size_t i = 0; i < a->n_links; i++)
		json_array_append_new(
			array, json_pack("{s:s, s:s, s:I, s:I}", "from",
					 a->link[i].from, "to", a->link[i].to,
					 "model_bytes",
					 (json_int_t)a->link[i].depth_now,
					 "predicted_bytes",
					 (json_int_t)a->link[i].depth));
	return array;
}

int whatif_json(const struct whatif_answer *a, FILE *out, struct err *err)
{
	json_t *o = json_pack("{s:s, s:i, s:b, s:o, s:o, s:o, s:o}", "format",
			      "fabscope-whatif", "version", DOCUMENT_VERSION,
			      "predicted", !a->n_refused, "refused",
			      json_reasons(a->refused, a->n_refused), "assumed",
			      json_reasons(a->assumed, a->n_assumed), "now",
			      json_settings(&a->now), "set",
			      json_settings(&a->set));
	int rc = -1;

	if (o && !a->n_refused) {
		json_object_set_new(o, "runs", json_integer(a->seeds));
		json_object_set_new(o, "communication",
				    json_times(a->comm, a->n_times));
		json_object_set_new(o, "span", json_times(a->span, a->n_times));
		json_object_set_new(
			o, "marked",
			json_count(a->marked_now, a->marked_model, a->marked));
		json_object_set_new(
			o, "pauses",
			json_count(a->pauses_now, a->pauses_model, a->pauses));
		json_object_set_new(
			o, "lost",
			json_count(a->lost_now, a->lost_model, a->lost));
		json_object_set_new(o, "queues", json_links(a));
	}
	if (o && !json_dumpf(o, out, JSON_INDENT(1)) && fputc('\n', out) > 0)
		rc = 0;
	json_decref(o);
	return rc ? err_set(err, ERR_MEMORY, "cannot write JSON") : 0;
}

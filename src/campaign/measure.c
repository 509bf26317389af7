/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the runs of a campaign measured: by the questions that one result
 * answers, so that a number is the same there. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/progress.h"
#include "base/regular.h"
#include "base/topology.h"
#include "campaign/campaign.h"
#include "capture/capture.h"
#include "run/run.h"
#include "store/anonymous.h"
#include "store/query.h"
#include "store/store.h"
#include "views/rows.h"

struct measuring {
	struct campaign *c;
	struct catalogue *catalogue;
	struct topology *topology;
	FILE *progress;
	const struct anonymous_key *key; /* or NULL */
};

static int no_memory(struct err *err)
{
	err_set(err, ERR_MEMORY, "out of memory");
	return -1;
}

/* ---- questions */

/* As KPIs call the service of a run; NULL: it is not said. */
static const char *service_of(const struct campaign_run *r)
{
	static const char *const names[][2] = {
		{ "rc", "RoCEv2 RC" }, { "uc", "RoCEv2 UC" }, { "rod", "ROD" },
		{ "rud", "RUD" },      { "rudi", "RUDI" },    { "uud", "UUD" },
	};
	const char *word = r->params[PARAM_SERVICE].text;

	for (size_t i = 0; word && i < sizeof names / sizeof *names; i++)
		if (!strcasecmp(word, names[i][0]))
			return names[i][1];
	return NULL;
}

static void miss(struct campaign_run *r, enum campaign_metric m,
		 const char *why)
{
	free(r->missing[m]);
	r->missing[m] = strdup(why);
}

static void take_kpi(struct campaign_run *r, enum campaign_metric m,
		     const struct rows *kpis)
{
	const char *name = campaign_metrics[m].kpi, *by = strstr(name, "%s");
	const char *service = service_of(r);
	char full[128];

	if (*name == '=')
		return;
	if (by && !service) {
		miss(r, m, "the service of the run");
		return;
	}
	if (by)
		snprintf(full, sizeof full, "%.*s%s", (int)(by - name), name,
			 service);
	else
		snprintf(full, sizeof full, "%s", name);
	for (size_t i = 0; i < kpis->n_rows; i++) {
		if (strcmp(rows_text(kpis, i, "name"), full))
			continue;
		r->metric[m] = rows_real(kpis, i, "value", NAN);
		if (isnan(r->metric[m]))
			miss(r, m, rows_text(kpis, i, "missing"));
		if (m == METRIC_JCT)
			r->iterations = rows_int(kpis, i, "samples", 0);
		return;
	}
	miss(r, m, "a result that has this KPI");
}

static int ask_kpis(struct measuring *w, struct campaign_run *r,
		    struct store *s, struct err *err)
{
	struct rows kpis = { 0 };
	int rc = rows_ask(&kpis, s, w->catalogue, "kpis", NULL, err);

	if (!rc)
		for (size_t m = 0; m < METRICS; m++)
			take_kpi(r, (enum campaign_metric)m, &kpis);
	rows_fini(&kpis);
	return rc;
}

/* The roofline needs what only the operator knows. */
static int ask_ratio(struct measuring *w, struct campaign_run *r,
		     struct store *s, struct err *err)
{
	const struct campaign_dut *d = campaign_dut_of(w->c, r);
	const struct campaign_value *c = &r->params[PARAM_COMPUTE];
	const struct campaign_value *size = &r->params[PARAM_SIZE];
	char compute[48], bytes[48], rate[48];
	const char *params[] = { compute, bytes, rate, NULL };
	struct rows jobs = { 0 };
	int rc;

	if (!c->text || !size->text || !d || !(d->rate_bps > 0)) {
		miss(r, METRIC_JCT_RATIO,
		     "compute and message-size of the run, and "
		     "accelerator-rate of its DUT");
		return 0;
	}
	snprintf(compute, sizeof compute, "compute=%.0f", c->number);
	snprintf(bytes, sizeof bytes, "size=%.0f", size->number);
	snprintf(rate, sizeof rate, "rate=%.0f", d->rate_bps);
	rc = rows_ask(&jobs, s, w->catalogue, "jct", params, err);
	for (size_t i = 0; !rc && i < jobs.n_rows; i++)
		if (isnan(r->metric[METRIC_JCT_RATIO]))
			r->metric[METRIC_JCT_RATIO] =
				rows_real(&jobs, i, "jct_ratio", NAN);
	if (isnan(r->metric[METRIC_JCT_RATIO]))
		miss(r, METRIC_JCT_RATIO, "iterations of a job");
	rows_fini(&jobs);
	return rc;
}

static void efficiency(const struct campaign *c, struct campaign_run *r)
{
	const struct campaign_dut *d = campaign_dut_of(c, r);

	if (!d || !(d->rate_bps > 0))
		miss(r, METRIC_BUSBW_EFFICIENCY, "accelerator-rate of the DUT");
	else if (isnan(r->metric[METRIC_BUSBW]))
		miss(r, METRIC_BUSBW_EFFICIENCY, "bus bandwidth");
	else
		r->metric[METRIC_BUSBW_EFFICIENCY] =
			100 * r->metric[METRIC_BUSBW] * 1e9 / d->rate_bps;
}

static int ask_delays(struct measuring *w, struct campaign_run *r,
		      struct store *s, struct err *err)
{
	struct rows steps = { 0 };
	int rc =
		rows_ask(&steps, s, w->catalogue, "campaign/delays", NULL, err);

	if (!rc) {
		r->steps = calloc(steps.n_rows + 1, sizeof *r->steps);
		rc = r->steps ? 0 : no_memory(err);
	}
	for (size_t i = 0; !rc && i < steps.n_rows; i++)
		r->steps[r->n_steps++] = (struct campaign_step) {
			.from_ns = rows_int(&steps, i, "from_ns", 0),
			.to_ns = rows_int(&steps, i, "to_ns", 0),
			.n = rows_int(&steps, i, "count", 0),
		};
	rows_fini(&steps);
	return rc;
}

static int ask_run(struct measuring *w, struct campaign_run *r, struct store *s,
		   struct err *err)
{
	struct rows about = { 0 };
	int rc = rows_ask(&about, s, w->catalogue, "campaign/run", NULL, err);

	if (!rc && about.n_rows) {
		r->first_ns = rows_int(&about, 0, "first_ns", 0);
		r->damaged = rows_int(&about, 0, "damaged", 0);
		r->answer = strdup(rows_text(&about, 0, "verdict"));
		r->reason = strdup(rows_text(&about, 0, "reason"));
		r->transports = strdup(rows_text(&about, 0, "transports"));
		if (!r->answer || !r->reason || !r->transports)
			rc = no_memory(err);
	}
	rows_fini(&about);
	return rc;
}

static int ask(struct measuring *w, struct campaign_run *r, struct store *s,
	       struct err *err)
{
	int rc = ask_kpis(w, r, s, err);

	if (!rc)
		rc = ask_ratio(w, r, s, err);
	if (!rc)
		efficiency(w->c, r);
	if (!rc)
		rc = ask_delays(w, r, s, err);
	return rc ? rc : ask_run(w, r, s, err);
}

/* ---- runs */

static struct store *analyze(struct measuring *w, const struct campaign_run *r,
			     struct err *err)
{
	struct capture_input inputs[CAMPAIGN_FILES] = { 0 };
	const struct run_options o = { .inputs = inputs,
				       .n_inputs = r->n_files,
				       .topology = w->topology,
				       .database = STORE_PRIVATE,
				       .progress = w->progress };
	struct store *s = NULL;

	for (size_t i = 0; i < r->n_files; i++)
		inputs[i].path = r->files[i];
	return run_analyze(&o, &s, err) < 0 ? NULL : s;
}

static struct store *open_run(struct measuring *w, const struct campaign_run *r,
			      struct err *err)
{
	bool database = store_is_ours(r->files[0]);

	for (size_t i = 1; i < r->n_files; i++)
		if (database || store_is_ours(r->files[i])) {
			err_set(err, ERR_USAGE,
				"several captures, or one database");
			return NULL;
		}
	return database ? store_open(r->files[0], err) : analyze(w, r, err);
}

static int measure(struct measuring *w, struct campaign_run *r, struct err *err)
{
	struct err why = { 0 };
	struct store *s = open_run(w, r, &why);
	int rc;

	if (s && w->key) {
		struct store *named = s;

		s = store_anonymous(named, w->key, NULL, &why);
		store_free(named);
	}
	rc = s ? ask(w, r, s, &why) : -1;

	store_free(s);
	if (rc)
		err_set(err, why.code, "%s: [run %s] %s", w->c->path, r->name,
			why.text);
	return rc;
}

/* Without a word of theirs, samples of a soak test are as late as their
 * captures. */
static void find_hours(struct campaign *c)
{
	int64_t first = INT64_MAX;

	for (size_t i = 0; i < c->n_runs; i++)
		if (c->runs[i].first_ns && c->runs[i].first_ns < first)
			first = c->runs[i].first_ns;
	for (size_t i = 0; i < c->n_runs; i++)
		if (isnan(c->runs[i].hour) && c->runs[i].first_ns)
			c->runs[i].hour =
				(double)(c->runs[i].first_ns - first) / 3.6e12;
}

/* ---- memory of switches: CSV of hours, process, bytes */

static int memory_line(struct campaign *c, char *line, int number,
		       struct err *err)
{
	struct campaign_memory *m = &c->samples[c->n_samples];
	char *save, *hour = strtok_r(line, ",", &save), *end = NULL;
	char *process = strtok_r(NULL, ",", &save);
	char *bytes = strtok_r(NULL, ",\r\n", &save), *last = NULL;

	if (hour)
		m->hour = strtod(hour, &end);
	if (bytes)
		m->bytes = strtod(bytes, &last);
	if (!process || !bytes || end == hour || *end || last == bytes ||
	    *last || !(fabs(m->hour) <= CAMPAIGN_HOURS) ||
	    !isfinite(m->bytes)) {
		/* a head */
		if (number == 1 && process && bytes)
			return 0;
		return err_set(err, ERR_FORMAT,
			       "%s:%d: not HOURS,PROCESS,BYTES", c->memory,
			       number);
	}
	m->process = strdup(process);
	if (!m->process)
		return no_memory(err);
	c->n_samples++;
	return 0;
}

static int read_memory(struct campaign *c, struct err *err)
{
	enum { SAMPLES = 65536 };
	FILE *f = c->memory ? regular_open(c->memory, err) : NULL;
	char line[256];
	int number = 0, rc = 0;

	if (!c->memory)
		return 0;
	if (!f)
		return -1;
	c->samples = calloc(SAMPLES, sizeof *c->samples);
	if (!c->samples)
		rc = no_memory(err);
	while (!rc && fgets(line, sizeof line, f)) {
		number++;
		if (c->n_samples == SAMPLES)
			rc = err_set(err, ERR_FORMAT,
				     "%s: more than 65536 samples", c->memory);
		else if (line[strspn(line, " \r\n")])
			rc = memory_line(c, line, number, err);
	}
	if (!rc && ferror(f))
		rc = err_errno(err, "%s", c->memory);
	fclose(f);
	return rc;
}

int campaign_measure(struct campaign *c, const struct anonymous_key *key,
		     FILE *progress, struct err *err)
{
	struct measuring w = { .c = c, .key = key, .progress = progress };
	int rc = read_memory(c, err);

	w.catalogue = catalogue_builtin();
	if (!rc && !w.catalogue)
		rc = no_memory(err);
	if (!rc && c->topology &&
	    !(w.topology = topology_read(c->topology, err)))
		rc = -1;
	for (size_t i = 0; !rc && i < c->n_runs; i++)
		rc = measure(&w, &c->runs[i], err);
	if (!rc)
		find_hours(c);
	topology_free(w.topology);
	catalogue_free(w.catalogue);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * One run: the scenario is read, simulated, and reported. */
#include "simulate/simulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/regular.h"
#include "simulate/devices.h"
#include "simulate/mem.h"
#include "simulate/port.h"
#include "simulate/record.h"
#include "simulate/scenario.h"
#include "simulate/tap.h"
#include "simulate/truth.h"
#include "simulate/work.h"
#include "simulate/world.h"

/* "out.pcapng" is "out" and |end|. */
static char *beside(const char *out, const char *end)
{
	const char *slash = strrchr(out, '/');
	const char *dot = strrchr(out, '.');
	size_t n = strlen(out) + strlen(end) + 1;
	char *name = mem_new(n);

	if (!dot || (slash && dot < slash))
		dot = out + strlen(out);
	snprintf(name, n, "%.*s%s", (int)(dot - out), out, end);
	return name;
}

static char *truth_name(const struct simulate_job *job)
{
	return job->truth ? mem_text(job->truth)
			  : beside(job->out, ".truth.json");
}

static int write_records(struct sim *s, const struct simulate_job *job,
			 struct err *err)
{
	char *stem = beside(job->out, "");
	int rc = job->records ? records_write(s, stem, err) : 0;

	free(stem);
	return rc;
}

static int write_truth(struct sim *s, const struct simulate_job *job,
		       struct err *err)
{
	char *name = truth_name(job);
	const char *temp = products_add(&s->products, name, err);
	FILE *f = temp ? regular_create(temp) : NULL;
	int rc = f ? truth_write(s, job->scenario, f) : -1;

	if (f && fclose(f))
		rc = -1;
	if (rc && temp)
		err_errno(err, "%s", temp);
	free(name); /* which |temp| may be */
	return rc;
}

/* Standard output has no name that others could be made of. */
static int check_names(const struct simulate_job *job, struct err *err)
{
	if (strcmp(job->out, "-") != 0)
		return 0;
	if (job->each || job->records)
		return err_set(
			err, ERR_USAGE,
			"several files need a file name, not standard output");
	return 0;
}

static void finish(struct sim *s)
{
	for (size_t i = 0; i < s->n_ports; i++)
		port_finish(s, s->ports[i]);
}

static int run(struct sim *s, const struct simulate_job *job, struct err *err)
{
	char comment[512];
	const char *slash = strrchr(job->scenario, '/');

	if (check_names(job, err) || scenario_read(s, job->scenario, err))
		return -1;
	snprintf(comment, sizeof comment,
		 "fabscope simulate, scenario %s, seed %llu",
		 slash ? slash + 1 : job->scenario,
		 (unsigned long long)job->seed);
	world_route(s);
	if (taps_open(s, job->out, job->each, comment, err)) {
		taps_close(s, NULL);
		return -1;
	}
	if (job->evidence &&
	    devices_begin(s, job->evidence, job->lies, job->n_lies, err)) {
		taps_close(s, NULL);
		return -1;
	}
	work_start(s);
	sim_run(s);
	finish(s);
	if (taps_close(s, s->failed ? NULL : err) || s->failed)
		return -1;
	if (s->twins && answers_make(s, job->scenario, err))
		return -1;
	if (write_records(s, job, err) ||
	    (job->evidence && devices_write(s, err)))
		return -1;
	return !job->truth && !strcmp(job->out, "-") ? 0
						     : write_truth(s, job, err);
}

int simulate_run(const struct simulate_job *job, struct simulate_result *r,
		 struct err *err)
{
	struct sim s;
	int rc;

	sim_init(&s, job->seed, err);
	rc = products_finish(&s.products, run(&s, job, err), err);
	*r = (struct simulate_result) {
		.packets = s.pool.ids,
		.events = s.handled,
		.seconds = (double)s.now / (double)PS_PER_S,
	};
	for (size_t i = 0; i < s.n_taps; i++)
		r->captured += s.taps[i]->captured + s.taps[i]->doubled;
	if (!rc)
		r->unbalanced = truth_check(&s, stderr);
	sim_fini(&s);
	return rc;
}

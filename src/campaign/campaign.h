/* SPDX-License-Identifier: GPL-2.0-or-later
 * A benchmark campaign: many runs, what each was made with, and the report that
 * draft-calabria-bmwg-ai-fabric-training-bench asks for.
 *
 * read.c reads the file, measure.c the runs, cells.c puts repetitions
 * together; page.c and csv.c write. */
#ifndef FABSCOPE_CAMPAIGN_CAMPAIGN_H
#define FABSCOPE_CAMPAIGN_CAMPAIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "campaign/statistics.h"

struct anonymous_key;

enum {
	CAMPAIGN_RUNS = 2048, /* at most */
	CAMPAIGN_FILES = 64,  /* of a run */
	CAMPAIGN_HOURS = 1000000,
	CAMPAIGN_METRICS = 10 /* of a test */
};

enum campaign_kind { KIND_WORD, KIND_COUNT, KIND_BYTES, KIND_DURATION };

enum campaign_param {
#define PARAM(id, key, title, kind, words) PARAM_##id,
#include "campaign/params.def"
#undef PARAM
	CAMPAIGN_PARAMS
};

struct campaign_param_info {
	const char *key, *title, *words;
	enum campaign_kind kind;
};
extern const struct campaign_param_info campaign_params[CAMPAIGN_PARAMS];

enum campaign_metric {
#define METRIC(id, kpi, unit) METRIC_##id,
#include "campaign/metrics.def"
#undef METRIC
	METRICS
};

struct campaign_metric_info {
	const char *kpi, *unit; /* |kpi| begins with = where it is made here */
};
extern const struct campaign_metric_info campaign_metrics[METRICS];

/* As people read it. */
const char *campaign_metric_title(enum campaign_metric m);
/* What stands behind the title: "" where the title ends with it. */
const char *campaign_metric_unit(enum campaign_metric m);

enum campaign_plot { PLOT_NONE, PLOT_LINES, PLOT_BARS, PLOT_HOURS };

/* A factor that the draft asks for: the same with another value of |param|,
 * over what it is with |baseline|. */
struct campaign_factor {
	const char *title;
	enum campaign_param param;
	const char *baseline;
};

struct campaign_test {
	const char *section, *title;
	enum campaign_param x;
	enum campaign_plot plot;
	size_t repetitions; /* that the draft asks for; 0: a number is not */
	size_t iterations;  /* of the collective in a run; 0 likewise */
	bool latency;       /* a distribution over all repetitions */
	const struct campaign_factor *factor; /* of the first metric; or NULL */
	enum campaign_metric metrics[CAMPAIGN_METRICS]; /* first: primary */
	size_t n_metrics;
};
extern const struct campaign_test campaign_tests[];
extern const size_t campaign_n_tests; /* at most 64 */

struct campaign_value {
	char *text; /* NULL: not given */
	double number;
};

struct campaign_step { /* of a histogram of delays */
	int64_t from_ns, to_ns, n;
};

struct campaign_run {
	char *name;
	char *files[CAMPAIGN_FILES]; /* as they are opened */
	size_t n_files;
	uint64_t tests; /* bit: index in campaign_tests */
	struct campaign_value params[CAMPAIGN_PARAMS];
	int64_t repetition; /* 0: not given */
	double hour;        /* since the test began; NAN: by the capture */

	/* measure.c */
	double metric[METRICS];      /* NAN: not known */
	char *missing[METRICS];      /* and then why, or NULL */
	int64_t iterations;          /* of the job; 0: not known */
	int64_t first_ns;            /* of the capture */
	int64_t damaged;             /* stretches of files that were not read */
	char *answer, *reason;       /* "network", and why */
	char *transports;            /* of its flows: "RC,UET-RUD" */
	struct campaign_step *steps; /* one-way delays, ascending */
	size_t n_steps;
};

/* What the operator says of a device under test. */
enum campaign_sheet {
#define FACT(id, part, key, title) SHEET_##id,
#include "base/sheet.def"
#undef FACT
	CAMPAIGN_SHEET
};

struct campaign_sheet_info {
	int part; /* of section 13 */
	const char *key, *title;
};
extern const struct campaign_sheet_info campaign_sheet[CAMPAIGN_SHEET];

struct campaign_dut {
	char *name; /* "" when there is one without a name */
	char *facts[CAMPAIGN_SHEET];
	double rate_bps; /* of an accelerator: B_acc; 0 not given */
};

/* A sample of a process of a switch: section 12.2. */
struct campaign_memory {
	char *process;
	double hour, bytes;
};

struct campaign {
	char *path;
	char *title, *notes; /* or NULL */
	struct campaign_dut *duts;
	size_t n_duts;
	struct campaign_run *runs;
	size_t n_runs;
	char *topology, *memory; /* files, or NULL */
	struct campaign_memory *samples;
	size_t n_samples;
};

/* NULL and |err|, which names file, line and key. */
struct campaign *campaign_read(const char *path, struct err *err);
void campaign_free(struct campaign *c); /* NULL is fine */

/* Asks each run; captures are analyzed first, into a database that goes again.
 * |key|: asks anonymous copies of them; or NULL.  |progress|: a terminal, or
 * NULL. */
int campaign_measure(struct campaign *c, const struct anonymous_key *key,
		     FILE *progress, struct err *err);
/* Pseudonyms for what the file itself names; after it is measured. */
int campaign_anonymize(struct campaign *c, const struct anonymous_key *key,
		       struct err *err);

/* The fabric a run was made on. */
const struct campaign_dut *campaign_dut_of(const struct campaign *c,
					   const struct campaign_run *r);

/* ---- repetitions */

struct campaign_cell {
	const struct campaign_run **runs; /* that are alike */
	size_t n_runs;
};

struct campaign_cells {
	struct campaign_cell *cells; /* by all but x, then by x */
	size_t n;
	bool varied[CAMPAIGN_PARAMS]; /* not the same in all of them */
	bool given[CAMPAIGN_PARAMS];
};

/* Of the runs of |test|; -1: no memory. */
int campaign_cells(const struct campaign *c, size_t test,
		   struct campaign_cells *to);
void campaign_cells_free(struct campaign_cells *c);

/* Values of |m| in the cell, into |v| of n_runs; their number. */
size_t campaign_values(const struct campaign_cell *c, enum campaign_metric m,
		       double *v);
bool campaign_summary(const struct campaign_cell *c, enum campaign_metric m,
		      struct summary *s); /* false: no run has it */
/* Is this run an outlier of its cell? */
bool campaign_outlier(const struct campaign_cell *c, enum campaign_metric m,
		      const struct campaign_run *r);
/* Why |m| is not known, of the first run that lacks it; NULL: all have it. */
const char *campaign_missing(const struct campaign_cell *c,
			     enum campaign_metric m);
bool campaign_alike(const struct campaign_run *a, const struct campaign_run *b,
		    enum campaign_param but); /* CAMPAIGN_PARAMS: in all */

/* Medians of |m|: of |cell| over that of the one that is alike but for the
 * factor's parameter; false: there is none. */
struct campaign_ratio {
	double value, low, high, coverage; /* coverage 0: no interval */
};
bool campaign_factor_of(const struct campaign_cells *all,
			const struct campaign_cell *cell,
			const struct campaign_factor *f, enum campaign_metric m,
			struct campaign_ratio *r);

/* ---- what is written */

int campaign_page(struct campaign *c, const char *path, struct err *err);
int campaign_csv(struct campaign *c, const char *path, struct err *err);

#endif

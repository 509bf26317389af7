/* SPDX-License-Identifier: GPL-2.0-or-later
 * A result database as OpenMetrics text, which Prometheus and others read.
 *
 * Each query of queries/export/metrics is a metric: its file's name with
 * "fabscope_" before it and "_" for "-", a counter when that ends in "_total",
 * else a gauge.  The column "value" is the value, all others are labels.  What
 * is not known has no sample; it is never 0. */
#ifndef FABSCOPE_VIEWS_METRICS_H
#define FABSCOPE_VIEWS_METRICS_H

#include <stdio.h>

#include "base/err.h"

struct store;

/* At most so many samples of one metric: the others are counted in
 * fabscope_samples_left_out. */
enum { METRICS_SAMPLES = 500 };

#define METRICS_TYPE \
	"application/openmetrics-text; version=1.0.0; charset=utf-8"

int metrics_write(struct store *s, FILE *out, struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The KPIs of the BMWG draft in the parts that its reporting format (section
 * 13) asks for.  Nothing is computed here. */
#ifndef FABSCOPE_VIEWS_KPI_H
#define FABSCOPE_VIEWS_KPI_H

#include <stdio.h>

#include "base/err.h"

struct store;

/* The newest revision that could be found, of 12 August 2026. */
#define BMWG_DRAFT "draft-calabria-bmwg-ai-fabric-training-bench-04"

/* For people.  |program| is how to call fabscope. */
int kpi_print(struct store *s, const char *program, FILE *out, struct err *err);

/* For programs: docs/kpi.schema.json. */
int kpi_json(struct store *s, FILE *out, struct err *err);

#endif

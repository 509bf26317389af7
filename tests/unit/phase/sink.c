/* SPDX-License-Identifier: GPL-2.0-or-later
 * Hearing nothing. */
#include "sink.h"

static void no_job(void *ctx, const struct phase_job *row)
{
	(void)ctx;
	(void)row;
}

static void no_rank(void *ctx, const struct phase_rank *row)
{
	(void)ctx;
	(void)row;
}

static void no_phase(void *ctx, const struct phase *row)
{
	(void)ctx;
	(void)row;
}

static void no_phase_rank(void *ctx, const struct phase_rank_row *row)
{
	(void)ctx;
	(void)row;
}

static void no_phase_flow(void *ctx, const struct phase_flow_row *row)
{
	(void)ctx;
	(void)row;
}

static void no_group(void *ctx, const struct phase_group *row)
{
	(void)ctx;
	(void)row;
}

static void no_share(void *ctx, const struct phase_share_row *row)
{
	(void)ctx;
	(void)row;
}

struct phase_sink deaf_sink(void *ctx)
{
	return (struct phase_sink) {
		.ctx = ctx,
		.job = no_job,
		.rank = no_rank,
		.phase = no_phase,
		.phase_rank = no_phase_rank,
		.phase_flow = no_phase_flow,
		.group = no_group,
		.share = no_share,
	};
}

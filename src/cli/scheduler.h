/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a scheduler is asked to do with a plan: all of its partials, each as a
 * task of one array job, and behind them the merge. */
#ifndef FABSCOPE_CLI_SCHEDULER_H
#define FABSCOPE_CLI_SCHEDULER_H

#include "base/err.h"
#include "run/plan.h"

struct schedule {
	const struct plan *plan;
	const char *program; /* as the nodes call it */
	const char *folder;  /* where the words of the plan are right */
	const char *output;  /* of the merge, or NULL */
	const char *image;   /* of containers */
};

/* A shell script that submits to Slurm; a manifest for Kubernetes.  -1 and
 * |err|: |path| is somebody else's, or cannot be written. */
int schedule_slurm(const struct schedule *s, const char *path, struct err *err);
int schedule_kubernetes(const struct schedule *s, const char *path,
			struct err *err);

#endif

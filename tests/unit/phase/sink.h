/* SPDX-License-Identifier: GPL-2.0-or-later
 * A sink of phase_job() for tests that listen to a part of it. */
#ifndef SINK_H
#define SINK_H

#include "phase/phase.h"

/* Hears nothing: what a test wants to hear it puts in. */
struct phase_sink deaf_sink(void *ctx);

#endif

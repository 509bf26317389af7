/* SPDX-License-Identifier: GPL-2.0-or-later
 * A BPF expression, compiled by libpcap for each link type that turns up. */
#ifndef FABSCOPE_CAPTURE_FILTER_H
#define FABSCOPE_CAPTURE_FILTER_H

#include "base/err.h"
#include "capture/capture.h"

struct filter;

/* NULL and |err| when the expression makes sense on no common link type. */
struct filter *filter_new(const char *expression, struct err *err);

/* A link type on which the expression has no meaning matches nothing. */
bool filter_match(struct filter *f, const struct frame *frame);

void filter_free(struct filter *f); /* NULL is fine */

#endif

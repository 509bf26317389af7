/* SPDX-License-Identifier: GPL-2.0-or-later
 * JSON, a key at a time: commas and quotes are seen to. */
#ifndef FABSCOPE_SIMULATE_JSON_OUT_H
#define FABSCOPE_SIMULATE_JSON_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "simulate/tapset.h"

struct host;
struct port;
struct sim;

struct out {
	FILE *f;
	const struct sim *s;
	bool first; /* nothing in this list or object yet */
};

void out_comma(struct out *o);
void out_key(struct out *o, const char *k);
void out_num(struct out *o, const char *k, uint64_t v);
void out_nonzero(struct out *o, const char *k, uint64_t v);
void out_text(struct out *o, const char *k, const char *v);
void out_when(struct out *o, const char *k, int64_t ps);
void out_span(struct out *o, const char *k, int64_t ps);
void out_open(struct out *o, const char *k, char bracket);
void out_shut(struct out *o, char bracket);
void out_row(struct out *o);
void out_taps(struct out *o, const char *k, tapset taps);
void out_place(struct out *o, uint16_t at);
/* As texts have it. */
const char *host_address(const struct sim *s, const struct host *h,
			 char out[static 64]);
void out_address(struct out *o, const char *k, const struct host *h);
void out_mac(struct out *o, const char *k, uint32_t port);

#endif

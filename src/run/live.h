/* SPDX-License-Identifier: GPL-2.0-or-later
 * An analysis that goes on: interfaces in, a database that others read out.
 *
 *	capture process --ring--> analysis --fork--> refresh --> database
 *	  CAP_NET_RAW    |          engine             a copy of the engine
 *	                 '--> recorder: files           is finished as if the
 *	                                                capture ended now
 *
 * The analysis never waits for the database: once a second it forks, and the
 * copy finishes its engine, writes all of it in one transaction and ends.  So a
 * live and a recorded capture are finished by the same code. */
#ifndef FABSCOPE_RUN_LIVE_H
#define FABSCOPE_RUN_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "capture/port.h"

struct topology;

struct live_options {
	const char *const *interfaces;
	size_t n_interfaces;
	const char *database;
	const char *filter; /* BPF expression, NULL for none */
	const char *user;   /* to become, NULL */
	const struct topology *topology;
	unsigned snaplen;
	size_t buffer; /* bytes of the kernel's ring, each interface */
	size_t memory; /* bytes of ours, each interface */
	bool promiscuous, adapter_time;
	enum port_xdp xdp;
	int64_t refresh_ns;
	/* files with all packets; NULL none */
	const char *ring_prefix;
	uint64_t ring_bytes;
	int64_t ring_ns;
	uint32_t ring_files;
	/* flight recorder: the last seconds before a finding; 0 none */
	int64_t record_ns;
	uint32_t record_files;
	/* what is kept */
	int64_t idle_ns, keep_ns, history_ns;
	uint32_t max_flows;
	int64_t rows; /* of a table */
	/* Called between refreshes, at least once a second; may be NULL. */
	void (*say)(void *ctx, bool warning, const char *text);
	void *ctx;
};

void live_defaults(struct live_options *o);

struct live;

/* Opens everything and gives up what is not needed any more.  NULL and
 * |err|. */
struct live *live_start(const struct live_options *o, struct err *err);

/* Analyzes until live_stop(), which a signal handler may call; so may it
 * live_rotate(), which begins the next file. */
int live_run(struct live *l, struct err *err);
void live_stop(void);
void live_rotate(void);

void live_free(struct live *l); /* NULL is fine */

#endif

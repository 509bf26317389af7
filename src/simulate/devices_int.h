/* SPDX-License-Identifier: GPL-2.0-or-later
 * Between the files that write evidence. */
#ifndef FABSCOPE_SIMULATE_DEVICES_INT_H
#define FABSCOPE_SIMULATE_DEVICES_INT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "simulate/devices.h"
#include "simulate/world.h"

/* What a port counts; of a host's NIC also what its transport counts. */
#define COUNTS(X)        \
	X(TX_PACKETS)    \
	X(RX_PACKETS)    \
	X(TX_BYTES)      \
	X(TX_DROPS)      \
	X(RX_DROPS)      \
	X(RX_ERRORS)     \
	X(TX_PAUSES)     \
	X(RX_PAUSES)     \
	X(MARKED)        \
	X(CNPS_SENT)     \
	X(CNPS_HANDLED)  \
	X(NAKS)          \
	X(IMPLIED)       \
	X(RNRS)          \
	X(TIMEOUTS)      \
	X(RETRANSMITTED) \
	X(ICRC_ERRORS)

enum count {
#define X(name) COUNT_##name,
	COUNTS(X)
#undef X
		COUNT_COUNT
};

struct counts {
	uint64_t n[COUNT_COUNT];
	/* by priority */
	uint64_t rx_pfc[PRIORITIES], tx_pfc[PRIORITIES];
	uint64_t paused_us[PRIORITIES];
	uint64_t storms[PRIORITIES], storms_over[PRIORITIES];
	uint64_t storm_drops[PRIORITIES];
};

struct pcapng_writer;

struct devices {
	const char *folder;
	char *path;            /* of the newest file */
	struct counts *counts; /* by port id */
	struct counts nothing; /* of what does not move */
	struct pcapng_writer *collector;
	uint64_t *left;     /* by port id: packets, for samples */
	uint32_t *sequence; /* by node: of its datagrams */
	/* lies */
	bool *stuck;       /* by node */
	bool *blames;      /* by node: reports drops that were none */
	uint64_t *storms;  /* by node: more than there were */
	uint32_t *told_as; /* by port id: whose counts it tells */
	int64_t clock;     /* ps that readings and reports are off */
};

/* Who tells: a host's first port is its NIC. */
static inline const char *port_title(const struct port *p, char out[static 24])
{
	snprintf(out, 24, p->node->is_switch ? "Ethernet%u" : "eth%u",
		 p->index * (p->node->is_switch ? 4 : 1));
	return out;
}

/* What |p| tells, at the end or (|over| false) at the beginning. */
const struct counts *devices_counts(const struct sim *s, const struct port *p,
				    bool over);

/* The name to write to in place of |name| of the folder, or NULL and |err|. */
const char *devices_file(struct sim *s, const char *name, struct err *err);

/* A file of the folder; NULL and |err|.  devices_shut() ends it with |rc|. */
FILE *devices_open(struct sim *s, struct err *err, const char *name, ...)
	__attribute__((format(printf, 3, 4)));
int devices_shut(FILE *f, int rc, struct err *err);

/* The address that a switch has for management, as in reports. */
void devices_agent(const struct sim *s, const struct node *n,
		   uint8_t out[static 4]);

int lies_read(struct sim *s, const char *const *lies, size_t n,
	      struct err *err);
void counts_take(struct sim *s);
int counters_write(struct sim *s, bool over, struct err *err);
int series_write(struct sim *s, struct err *err);
int configuration_write(struct sim *s, struct err *err);
int topology_write(struct sim *s, struct err *err);
int reports_begin(struct sim *s, struct err *err);
void reports_counters(struct sim *s, bool over);
int reports_end(struct sim *s, struct err *err);

#endif

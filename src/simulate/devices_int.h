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
enum count {
	COUNT_TX_PACKETS,
	COUNT_RX_PACKETS,
	COUNT_TX_BYTES,
	COUNT_TX_DROPS,
	COUNT_RX_DROPS,
	COUNT_RX_ERRORS,
	COUNT_TX_PAUSES,
	COUNT_RX_PAUSES,
	COUNT_MARKED,
	COUNT_CNPS_SENT,
	COUNT_CNPS_HANDLED,
	COUNT_NAKS,
	COUNT_IMPLIED,
	COUNT_RNRS,
	COUNT_TIMEOUTS,
	COUNT_RETRANSMITTED,
	COUNT_ICRC_ERRORS,
	COUNT_RX_GLOBAL,
	COUNT_TX_GLOBAL,
	COUNT_GLOBAL_PAUSED_US,
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

enum device_lie {
	LIE_STUCK = 1,  /* its counters do not move */
	LIE_STORMS = 2, /* more storms than there were */
	LIE_DROPS = 4   /* reports drops that were none */
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
	uint8_t *lies;    /* by node: enum device_lie */
	uint32_t *origin; /* by port id: the port whose counts it tells */
	int64_t clock;    /* ps that readings and reports are off */
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

bool devices_lie(const struct sim *s, const struct node *n,
		 enum device_lie lie);

/* A file of the folder, one at a time; NULL or -1 and |err|. */
FILE *devices_open(struct sim *s, struct err *err, const char *name, ...)
	__attribute__((format(printf, 3, 4)));
int devices_shut(struct sim *s, FILE *f, struct err *err);

/* The address that a switch has for management, as in reports. */
void devices_agent(const struct sim *s, const struct node *n,
		   uint8_t out[static 4]);

void counts_take(struct sim *s);
int counters_write(struct sim *s, bool over, struct err *err);
int series_write(struct sim *s, struct err *err);
int configuration_write(struct sim *s, struct err *err);
int topology_write(struct sim *s, struct err *err);
int reports_begin(struct sim *s, struct err *err);
void reports_counters(struct sim *s, bool over);
int reports_end(struct sim *s, struct err *err);

#endif

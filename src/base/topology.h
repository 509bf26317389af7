/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a person knows of the fabric and no packet says: names, wiring, rails,
 * link speeds, where the taps sit, which numbers protocols use there.
 *
 * Read from an INI file (docs/topology.md).  Everything works without it. */
#ifndef FABSCOPE_BASE_TOPOLOGY_H
#define FABSCOPE_BASE_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/addr.h"
#include "base/err.h"
#include "base/sheet.h"

enum { TOPOLOGY_UNKNOWN = -1, TOPOLOGY_NUMBERS = 4 };

struct topology_node {
	char *name;
	bool is_switch;
	int64_t device;  /* its number in telemetry; TOPOLOGY_UNKNOWN */
	int64_t unit;    /* bytes it counts occupancy of queues in; likewise */
	int64_t rail;    /* of a host; TOPOLOGY_UNKNOWN */
	int64_t storage; /* 1: of a host that is a storage server; likewise */
	char *attached;  /* the switch of a host, or NULL */
	char *server;    /* of which a host is one NIC, or NULL */
	char *pod;       /* of a host, or NULL */
	char *agent;     /* of a switch: whom its reports come from, or NULL */
	struct addr *addr; /* of a host */
	size_t n_addr;
};

struct topology_port {
	const char *node; /* borrowed from the node */
	uint32_t number;  /* as telemetry has it */
	char *name;
};

struct topology_link {
	char *a, *b;
	char *a_port, *b_port; /* what counters call its ends, or NULL */
	uint64_t speed_bps;    /* 0 unknown */
};

enum topology_role {
	ROLE_UNKNOWN,
	ROLE_INGRESS, /* a mirror of what comes in: before the queue */
	ROLE_EGRESS,  /* a mirror of what goes out: behind the queue */
	ROLE_TAP,     /* in the cable: all of it, pauses too */
};

struct topology_tap {
	char *name;                /* as in the capture */
	char *from, *to;           /* the link, or NULL */
	char *from_port, *to_port; /* of parallel links, or NULL */
	bool both;                 /* it shows both directions */
	enum topology_role role;
	uint64_t speed_bps; /* its own, or its link's; 0 unknown */
};

/* Parallel links: a packet may take any of them. */
struct topology_group {
	char *name;
	char **members; /* "A->B", or names of taps */
	size_t n_members;
};

/* Lists end with a 0 or are full; empty: what is usual. */
struct topology_numbers {
	uint16_t roce_ports[TOPOLOGY_NUMBERS], vxlan_ports[TOPOLOGY_NUMBERS];
	uint16_t int_ports[TOPOLOGY_NUMBERS];
	uint16_t csig_tpids[TOPOLOGY_NUMBERS];
	uint16_t csig_wide_tpids[TOPOLOGY_NUMBERS];
	uint16_t ifa_protocols[TOPOLOGY_NUMBERS];
	uint16_t ifa_dnx[TOPOLOGY_NUMBERS]; /* name spaces, plus one */
	uint16_t int_dscp, int_dscp_mask;   /* mask 0: none */
	uint16_t int_gre[TOPOLOGY_NUMBERS]; /* the first one counts */
	uint16_t csig_port_bits;            /* of the locator; 0: not known */
	uint16_t uet_ports[TOPOLOGY_NUMBERS];
	uint16_t uet_protocols[TOPOLOGY_NUMBERS];
	uint16_t uet_trimmed_dscps[TOPOLOGY_NUMBERS];
	uint16_t uet_clear; /* bytes behind a TSS that are not encrypted */
	/* networks whose addresses are lists of SRv6 segments */
	struct {
		struct addr address;
		uint16_t bits;
	} srv6_blocks[TOPOLOGY_NUMBERS];
};

struct topology {
	struct topology_node *nodes;
	struct topology_port *ports;
	struct topology_link *links;
	struct topology_tap *taps;
	struct topology_group *groups;
	size_t n_nodes, n_ports, n_links, n_taps, n_groups;
	struct topology_numbers numbers;
	struct sheet sheet;        /* what the report says of the devices */
	struct topology_index *by; /* names */
};

/* NULL and |err|, which names file, line and key. */
struct topology *topology_read(const char *path, struct err *err);
/* The same of |n| bytes; |name| is for errors. */
struct topology *topology_parse(const char *name, const char *text, size_t n,
				struct err *err);
void topology_free(struct topology *t); /* NULL is fine */

/* The group that has the tap called |name|, by that or by its link; NULL:
 * none. */
const struct topology_group *topology_group_of(const struct topology *t,
					       const char *name);
/* Slots of tables that reading it and asking it has looked at. */
uint64_t topology_steps(const struct topology *t);

/* How a group may name |tap| besides its name; false: its link is not known. */
enum { TOPOLOGY_LINK_TEXT = 512, TOPOLOGY_ARROWS = 2 };
extern const char *const topology_arrows[TOPOLOGY_ARROWS];
bool topology_link_text(const struct topology_tap *tap, const char *arrow,
			char text[static TOPOLOGY_LINK_TEXT]);

/* What it says of the tap called |name|, or NULL. */
const struct topology_tap *topology_tap(const struct topology *t,
					const char *name);

#endif

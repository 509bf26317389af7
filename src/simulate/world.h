/* SPDX-License-Identifier: GPL-2.0-or-later
 * The simulated fabric: hosts, switches and the links between their ports.
 *
 * A link is two ports that are each other's peer.  What goes from a port to
 * its peer is one link direction; faults, taps and link truth belong to one
 * direction and hang on the port that transmits.  A frame on its way meets, in
 * this order:
 *
 *   queue -> transmitted -> taps with side=tx -> faults -> delay
 *         -> taps with side=rx -> the node at the other end
 */
#ifndef FABSCOPE_SIMULATE_WORLD_H
#define FABSCOPE_SIMULATE_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "simulate/dcqcn.h"
#include "simulate/events.h"
#include "simulate/pkt.h"
#include "simulate/products.h"
#include "simulate/qp_index.h"
#include "simulate/rng.h"
#include "simulate/tapset.h"
#include "simulate/twin.h"

enum {
	PRIORITIES = 8,
	NAME_MAX_TEXT = 32,
	MAX_HOSTS = 4096,
	HOST_PORTS = 2, /* of one adapter with one address: a bond (MLAG) */
	SWITCH_ID = 0x1000
};

struct cbfc;
struct devices;
struct fault;
struct pdc;
struct qp;
struct sim;
struct tap;
struct truth;
struct work;

struct port {
	struct node *node;
	struct port *peer;
	uint32_t id, index; /* of all ports; of its node's */
	uint64_t bps;
	int64_t delay;           /* ps to the peer */
	struct pkt_fifo control; /* pause frames: first, never paused */
	struct pkt_fifo queue[PRIORITIES];
	uint8_t waiting; /* bit per priority: its queue is not empty */
	int64_t paused_until[PRIORITIES];
	int64_t paused_since[PRIORITIES]; /* -1 not paused */
	uint64_t sent_bytes[PRIORITIES];  /* since the last watchdog poll */
	bool busy, down;
	int64_t side_by_side; /* ps: when what leaves side by side has left */
	struct cbfc *cbfc;    /* credits of what is sent here, or NULL */
	bool no_ecn;          /* never marks (its threshold is not set) */
	int16_t remark;       /* DSCP written into data, -1: left alone */
	struct fault *faults;
	struct tap *tx_taps; /* copies of what leaves here */
	struct tap *rx_taps; /* copies of what arrives here */
	struct link_truth *truth;
	uint16_t
		waits; /* truth: its name where ranks wait; 0: not needed yet */

	/* what this side asks of its peer (PFC), per priority */
	uint64_t held[PRIORITIES]; /* bytes that came in here, still stored */
	bool off[PRIORITIES];      /* XOFF stands */
	struct pause_truth *pause[PRIORITIES]; /* the open interval */

	/* egress load for telemetry: busy ps in the running window */
	int64_t load_from, load_busy;
	uint32_t load_pm;

	/* PFC watchdog, per priority */
	int64_t stuck_since[PRIORITIES];
	bool dropping[PRIORITIES];
};

struct route {
	struct port **port; /* equal-cost choices */
	uint32_t n;
};

struct node {
	char name[NAME_MAX_TEXT];
	uint32_t id;
	bool is_switch;
	struct port **ports;
	size_t n_ports, cap_ports;
	struct route *routes; /* by host number */
	struct route *fixed;  /* "route" lines: by host number, or NULL */
};

/* Adapters are hosts here: a server with eight is eight hosts, and so is one
 * whose ports have addresses of their own. */
struct host {
	struct node node;
	uint32_t number;       /* 0.. among hosts */
	uint32_t server, rail; /* 1..; 0: a server of its own */
	uint8_t v4[4], v6[16];
	uint16_t ip_id;
	uint64_t secured; /* packets of it that were encrypted */
	struct nic *nic;
};

enum balance { BALANCE_ECMP, BALANCE_SPRAY, BALANCE_FLOWLET, BALANCE_ADAPTIVE };

struct switch_config {
	uint64_t buffer;     /* bytes shared by all ports */
	uint64_t kmin, kmax; /* bytes; kmax 0: no ECN */
	double pmax;
	uint8_t lossless;             /* bit per priority */
	uint64_t xoff, xon, headroom; /* bytes per ingress port, priority */
	uint16_t quanta;              /* in an XOFF */
	bool global_pause;            /* 802.3x: it stops all priorities */
	double alpha; /* share of the free buffer for a lossy queue */
	enum balance balance;
	bool hash_qp;              /* ECMP looks at the destination QP too */
	int64_t salt;              /* of its hash; -1: by chance */
	int64_t flowlet_gap;       /* ps */
	int64_t watchdog, restore; /* ps; 0: none */
	int64_t latency;           /* ps through the pipeline */
	bool ifa, csig, int_md;    /* stamps */
	uint32_t int_unit; /* bytes that INT counts occupancy in; 0: not */
	uint32_t trim;     /* bytes of IP payload left of UET data, 0: none */
	uint8_t trim_prio, trim_dscp, trim_last_dscp;
};

struct flowlet {
	uint32_t hash;
	uint32_t choice;
	int64_t last;
};

enum { FLOWLETS = 4096 };

struct switch_node {
	struct node node;
	struct switch_config config;
	uint64_t used, peak;
	uint32_t salt; /* of its hash */
	struct rng rng;
	struct flowlet *flowlets; /* FLOWLETS of them; NULL: not needed yet */
	bool watched;             /* a watchdog poll is planned */
};

enum sport_rule { SPORT_LINUX, SPORT_RANDOM, SPORT_FIXED };
enum ipid_rule { IPID_HOST, IPID_QP, IPID_ZERO };

/* Host settings that are the same everywhere. */
struct host_config {
	enum sport_rule sport;
	uint16_t sport_fixed;
	enum ipid_rule ipid;
	bool ipv6;
	uint16_t vlan; /* 0: untagged */
	uint8_t dscp, cnp_dscp, cnp_prio;
	bool uet_native;   /* entropy header in place of UDP */
	uint32_t tss;      /* secure domain; 0: nothing is encrypted */
	bool tss_ssi;      /* packets name the source */
	uint32_t tss_roll; /* packets under a key */
	uint8_t uet_dscp, uet_rtx_dscp, uet_control_dscp;
	uint8_t uet_prio;   /* of what is not data */
	int64_t turnaround; /* ps a NIC takes for what arrives */
};

struct sim {
	int64_t now;      /* ps */
	int64_t until;    /* ps: where the run ends */
	int64_t epoch_ns; /* wall clock of ps 0 */
	uint64_t seed;
	struct events events;
	struct pkt_pool pool;
	uint64_t ahead; /* RC packets that came before one in front of them */

	struct host **hosts;
	size_t n_hosts, cap_hosts;
	struct switch_node **switches;
	size_t n_switches, cap_switches;
	struct port **ports; /* all, by id */
	size_t n_ports, cap_ports;
	struct qp **qps;
	size_t n_qps, cap_qps;
	struct qp_index qps_by_name, qps_by_number; /* of a host */
	struct tap **taps;
	size_t n_taps, cap_taps;
	struct tapsets tapsets;
	struct fault **faults;
	size_t n_faults, cap_faults;
	struct work **works;
	size_t n_works, cap_works;
	struct pdc *pdcs; /* all there ever were */

	struct host_config host;
	struct dcqcn_constants dcqcn;
	struct switch_config defaults; /* for switches made from here on */
	int64_t converge; /* ps from a link failure to new routes */
	int64_t bin;      /* ps: width of the truth's time series */
	struct truth *truth;
	struct devices *devices; /* what devices tell, or NULL */
	uint64_t handled;        /* events */
	struct products products;
	struct err *err; /* first thing a writer could not do */
	bool failed;
	bool watching;  /* what ranks wait for is noted */
	uint32_t open;  /* works that end and have not yet */
	bool ends_done; /* the run ends when all are */

	bool twins; /* this run is to be compared with its twins */
	struct twin twin;
	struct problem problems[PROBLEMS];
	size_t n_problems;
	struct twin_answer *answers; /* by collective */
	size_t n_answers;
};

void sim_init(struct sim *s, uint64_t seed, struct err *err);
void sim_fini(struct sim *s);

/* Handles events until |until| or none is left, or something failed. */
void sim_run(struct sim *s);

static inline void sim_after(struct sim *s, int64_t delay, event_fn *fn,
			     void *object, uint64_t argument)
{
	events_add(&s->events, s->now + delay, fn, object, argument);
}

static inline int64_t sim_ns(const struct sim *s, int64_t ps)
{
	return s->epoch_ns + ps / PS_PER_NS;
}

/* Building.  Names are unique; NULL or -1 and |err| when that cannot be. */
struct host *world_host(struct sim *s, const char *name, struct err *err);
struct switch_node *world_switch(struct sim *s, const char *name,
				 struct err *err);
int world_link(struct sim *s, struct node *a, struct node *b, uint64_t bps,
	       int64_t delay, struct err *err);
struct node *world_node(const struct sim *s, const char *name);
struct host *world_find_host(const struct sim *s, const char *name);

/* The n-th (0..) port of |from| whose peer is on |to|, or NULL. */
struct port *world_port(const struct node *from, const struct node *to,
			unsigned n);

/* Nodes as one numbered row: hosts first, then switches. */
static inline size_t world_slot(const struct sim *s, const struct node *n)
{
	return n->is_switch ? s->n_hosts + n->id - SWITCH_ID : n->id - 1;
}

static inline struct node *world_at(const struct sim *s, size_t slot)
{
	return slot < s->n_hosts ? &s->hosts[slot]->node
				 : &s->switches[slot - s->n_hosts]->node;
}

/* Shortest-path routes over links that are up, from every node to all. */
void world_route(struct sim *s);

/* Ports a packet may leave |n| by, with what a "route" line said first. */
const struct route *world_choices(const struct node *n, const struct host *h);

/* ps it takes to send a frame of |bytes| (without FCS) at |bps|: FCS,
 * preamble and gap included, short frames padded. */
int64_t wire_ps(uint32_t bytes, uint64_t bps);

#endif

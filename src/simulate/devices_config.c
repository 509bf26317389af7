/* SPDX-License-Identifier: GPL-2.0-or-later
 * What devices are set to: config_db.json of SONiC switches, mlnx_qos of hosts;
 * and the topology file that says whose all of it is. */
#include <inttypes.h>
#include <string.h>

#include "simulate/devices_int.h"
#include "simulate/json_out.h"
#include "simulate/port.h"
#include "simulate/qp.h"
#include "simulate/tap.h"
#include "simulate/truth_int.h"

enum { DSCPS = 64, MTU = 9100, PS_PER_METRE = 5000, BEST_EFFORT = 1 };

/* What class each DSCP is: as packets of this run are queued. */
static void classes(const struct sim *s, uint8_t map[static DSCPS])
{
	const struct host_config *h = &s->host;

	memset(map, BEST_EFFORT, DSCPS);
	map[h->uet_control_dscp % DSCPS] = h->uet_prio;
	for (size_t i = 0; i < s->n_qps; i++) {
		const struct qp_config *c = &s->qps[i]->config;
		int dscp = c->dscp >= 0                 ? c->dscp
			   : service_is_uet(c->service) ? h->uet_dscp
							: h->dscp;

		map[dscp % DSCPS] = c->prio;
		if (service_is_uet(c->service))
			map[h->uet_rtx_dscp % DSCPS] = c->prio;
	}
	map[h->cnp_dscp % DSCPS] = h->cnp_prio;
}

/* ---- switches ------------------------------------------------------------ */

static void number(struct out *o, const char *key, uint64_t v)
{
	char text[24];

	snprintf(text, sizeof text, "%" PRIu64, v);
	out_text(o, key, text);
}

/* "3,4" */
static const char *listed(uint8_t priorities, char out[static 24])
{
	size_t n = 0;

	*out = 0;
	for (unsigned i = 0; i < PRIORITIES; i++)
		if (priorities >> i & 1)
			n += (size_t)snprintf(out + n, 24 - n, "%s%u",
					      n ? "," : "", i);
	return out;
}

static uint8_t protected_by(const struct switch_config *c)
{
	return c->global_pause ? 0 : c->lossless;
}

/* A table, and its only row or the first of them. */
static void begin(struct out *o, const char *table, const char *row)
{
	out_open(o, table, '{');
	out_open(o, row, '{');
}

static void end(struct out *o)
{
	out_shut(o, '}');
	out_shut(o, '}');
}

/* A table with a row for each port. */
static void per_port(struct out *o, const struct node *n, const char *table,
		     void (*row)(struct out *o, const struct port *p,
				 const struct switch_config *c))
{
	char title[24];

	out_open(o, table, '{');
	for (size_t i = 0; i < n->n_ports; i++) {
		out_open(o, port_title(n->ports[i], title), '{');
		row(o, n->ports[i], &((const struct switch_node *)n)->config);
		out_shut(o, '}');
	}
	out_shut(o, '}');
}

static void row_port(struct out *o, const struct port *p,
		     const struct switch_config *c)
{
	(void)c;
	number(o, "speed", p->bps / 1000000);
	number(o, "mtu", MTU);
	out_text(o, "admin_status", "up");
}

static void row_qos(struct out *o, const struct port *p,
		    const struct switch_config *c)
{
	char list[24];

	(void)p;
	out_text(o, "dscp_to_tc_map", "ALL");
	out_text(o, "tc_to_queue_map", "ALL");
	out_text(o, "pfc_enable", listed(protected_by(c), list));
	out_text(o, "pfcwd_sw_enable",
		 listed(c->watchdog ? protected_by(c) : 0, list));
}

static void row_watchdog(struct out *o, const struct port *p,
			 const struct switch_config *c)
{
	(void)p;
	out_text(o, "action", "drop");
	number(o, "detection_time", (uint64_t)(c->watchdog / PS_PER_MS));
	number(o, "restoration_time", (uint64_t)(c->restore / PS_PER_MS));
}

static void cables(struct out *o, const struct node *n)
{
	char title[24], metres[24];

	begin(o, "CABLE_LENGTH", "ALL");
	for (size_t i = 0; i < n->n_ports; i++) {
		snprintf(metres, sizeof metres, "%" PRId64 "m",
			 n->ports[i]->delay / PS_PER_METRE);
		out_text(o, port_title(n->ports[i], title), metres);
	}
	end(o);
}

static void maps(struct out *o)
{
	uint8_t map[DSCPS];
	char key[8];

	classes(o->s, map);
	begin(o, "DSCP_TO_TC_MAP", "ALL");
	for (unsigned i = 0; i < DSCPS; i++) {
		snprintf(key, sizeof key, "%u", i);
		number(o, key, map[i]);
	}
	end(o);
	begin(o, "TC_TO_QUEUE_MAP", "ALL");
	for (unsigned i = 0; i < PRIORITIES; i++) {
		snprintf(key, sizeof key, "%u", i);
		number(o, key, i);
	}
	end(o);
}

/* Queues are served by strict priority; all mark alike. */
static void queues(struct out *o, const struct node *n)
{
	const struct switch_config *c =
		&((const struct switch_node *)n)->config;
	char title[24], key[40];

	begin(o, "SCHEDULER", "strict");
	out_text(o, "type", "STRICT");
	end(o);
	begin(o, "WRED_PROFILE", "ALL");
	out_text(o, "ecn", c->kmax ? "ecn_all" : "ecn_none");
	number(o, "green_min_threshold", c->kmin);
	number(o, "green_max_threshold", c->kmax);
	number(o, "green_drop_probability", (uint64_t)(c->pmax * 100));
	end(o);
	out_open(o, "QUEUE", '{');
	for (size_t i = 0; i < n->n_ports; i++) {
		snprintf(key, sizeof key, "%s|0-7",
			 port_title(n->ports[i], title));
		out_open(o, key, '{');
		out_text(o, "scheduler", "strict");
		if (!n->ports[i]->no_ecn)
			out_text(o, "wred_profile", "ALL");
		out_shut(o, '}');
	}
	out_shut(o, '}');
}

static void hash(struct out *o, const struct switch_config *c)
{
	static const char *const fields[] = {
		"IP_PROTOCOL", "SRC_IP",      "DST_IP",
		"L4_SRC_PORT", "L4_DST_PORT", "RDMA_BTH_DEST_QP"
	};

	begin(o, "SWITCH_HASH", "GLOBAL");
	out_open(o, "ecmp_hash", '[');
	for (size_t i = 0; i < sizeof fields / sizeof *fields - !c->hash_qp;
	     i++) {
		out_comma(o);
		fprintf(o->f, "\"%s\"", fields[i]);
	}
	out_shut(o, ']');
	end(o);
}

static void buffers(struct out *o, const struct node *n)
{
	const struct switch_config *c =
		&((const struct switch_node *)n)->config;
	char title[24], key[40];

	begin(o, "BUFFER_POOL", "ingress_lossless_pool");
	number(o, "size", c->buffer);
	out_text(o, "type", "ingress");
	out_text(o, "mode", "static");
	end(o);
	begin(o, "BUFFER_PROFILE", "lossless");
	out_text(o, "pool", "ingress_lossless_pool");
	number(o, "static_th", c->xoff);
	number(o, "xon", c->xon);
	number(o, "xoff", c->headroom);
	end(o);
	out_open(o, "BUFFER_PG", '{');
	for (size_t i = 0; i < n->n_ports; i++)
		for (unsigned k = 0; k < PRIORITIES; k++) {
			if (!(c->lossless >> k & 1))
				continue;
			snprintf(key, sizeof key, "%s|%u",
				 port_title(n->ports[i], title), k);
			out_open(o, key, '{');
			out_text(o, "profile", "lossless");
			out_shut(o, '}');
		}
	out_shut(o, '}');
}

static int switch_configuration(struct sim *s, const struct switch_node *w,
				struct err *err)
{
	const struct node *n = &w->node;
	FILE *f = devices_open(s, err, "%s.config_db.json", n->name);
	struct out o = { f, s, true };

	if (!f)
		return -1;
	out_open(&o, NULL, '{');
	begin(&o, "DEVICE_METADATA", "localhost");
	out_text(&o, "hostname", n->name);
	end(&o);
	per_port(&o, n, "PORT", row_port);
	per_port(&o, n, "PORT_QOS_MAP", row_qos);
	if (w->config.watchdog)
		per_port(&o, n, "PFC_WD", row_watchdog);
	cables(&o, n);
	maps(&o);
	queues(&o, n);
	hash(&o, &w->config);
	if (w->config.lossless)
		buffers(&o, n);
	out_shut(&o, '}');
	fputc('\n', f);
	return devices_shut(s, f, err);
}

/* ---- hosts --------------------------------------------------------------- */

static void by_priority(FILE *f, const char *head, uint8_t bits)
{
	fputs(head, f);
	for (unsigned i = 0; i < PRIORITIES; i++)
		fprintf(f, "%u   ", bits >> i & 1);
	fputc('\n', f);
}

/* mlnx_qos: NICs obey pauses of what their switch protects. */
static int host_configuration(struct sim *s, const struct host *h,
			      struct err *err)
{
	const struct port *p = h->node.ports[0];
	const struct node *leaf = p->peer->node;
	uint8_t map[DSCPS], pfc = 0;
	FILE *f = devices_open(s, err, "%s.qos.txt", h->node.name);

	if (!f)
		return -1;
	if (leaf->is_switch)
		pfc = protected_by(&((const struct switch_node *)leaf)->config);
	classes(s, map);
	fprintf(f,
		"# host=%s port=eth0\nDCBX mode: OS controlled\n"
		"Priority trust state: dscp\ndscp2prio mapping:\n",
		h->node.name);
	for (unsigned i = 0; i < PRIORITIES; i++) {
		fprintf(f, "\tprio:%u dscp:", i);
		for (unsigned k = 0; k < DSCPS; k++)
			if (map[k] == i)
				fprintf(f, "%02u,", k);
		fputc('\n', f);
	}
	fprintf(f, "Cable len: %" PRId64 "\nPFC configuration:\n",
		p->delay / PS_PER_METRE);
	fputs("\tpriority    0   1   2   3   4   5   6   7\n", f);
	by_priority(f, "\tenabled     ", pfc);
	by_priority(f, "\tbuffer      ", pfc);
	for (unsigned i = 0; i < PRIORITIES; i++)
		fprintf(f,
			"tc: %u ratelimit: unlimited, tsa: strict\n"
			"\t priority:  %u\n",
			i, i);
	return devices_shut(s, f, err);
}

int configuration_write(struct sim *s, struct err *err)
{
	for (size_t i = 0; i < s->n_switches; i++)
		if (switch_configuration(s, s->switches[i], err))
			return -1;
	for (size_t i = 0; i < s->n_hosts; i++)
		if (s->hosts[i]->node.n_ports &&
		    host_configuration(s, s->hosts[i], err))
			return -1;
	return 0;
}

/* ---- topology ------------------------------------------------------------ */

void devices_agent(const struct sim *s, const struct node *n,
		   uint8_t out[static 4])
{
	size_t number = world_slot(s, n) + 1;

	out[0] = 198; /* for tests of devices: RFC 2544 */
	out[1] = 18;
	out[2] = (uint8_t)(number >> 8);
	out[3] = (uint8_t)number;
}

static void nodes(const struct sim *s, FILE *f)
{
	char text[64];
	uint8_t a[4];

	for (size_t i = 0; i < s->n_hosts; i++) {
		fprintf(f, "[host %s]\naddress = %s\n", s->hosts[i]->node.name,
			host_address(s, s->hosts[i], text));
		if (s->hosts[i]->server)
			fprintf(f, "server = server%u\nrail = %u\n",
				s->hosts[i]->server, s->hosts[i]->rail);
	}
	for (size_t i = 0; i < s->n_switches; i++) {
		const struct node *n = &s->switches[i]->node;

		devices_agent(s, n, a);
		fprintf(f, "[switch %s]\ndevice = %u\nagent = %u.%u.%u.%u\n",
			n->name, n->id, a[0], a[1], a[2], a[3]);
		if (s->switches[i]->config.int_unit)
			fprintf(f, "queue-unit = %u\n",
				s->switches[i]->config.int_unit);
		for (size_t k = 0; k < n->n_ports; k++)
			fprintf(f, "port %u = %s\n", n->ports[k]->index,
				port_title(n->ports[k], text));
	}
}

/* How many links two nodes have. */
static unsigned parallel(const struct port *p)
{
	unsigned n = 0;

	for (size_t i = 0; i < p->node->n_ports; i++)
		n += p->node->ports[i]->peer->node == p->peer->node;
	return n;
}

/* Each cable once; parallel ones have one name, and the taps on them ports. */
static void links(const struct sim *s, FILE *f)
{
	char a[24], b[24];

	for (size_t i = 0; i < s->n_ports; i++) {
		const struct port *p = s->ports[i];

		if (p->peer->id < p->id || parallel(p) > 1)
			continue;
		fprintf(f,
			"[link %s--%s]\nspeed = %" PRIu64 "\nports = %s, %s\n",
			p->node->name, p->peer->node->name, p->bps,
			port_title(p, a), port_title(p->peer, b));
	}
}

/* One interface may show both directions of a link; of those that show several
 * links there is no link to name. */
static void tap_section(const struct sim *s, FILE *f, const struct tap *t)
{
	bool both = false;
	char from[24], to[24];

	for (size_t k = 0; k < s->n_taps; k++) {
		const struct tap *u = s->taps[k];

		if (u->with != t)
			continue;
		if (u->port == t->port->peer)
			both = true;
		else if (u->port != t->port)
			return;
	}
	fprintf(f, "[tap %s]\nlink = %s%s%s\n", t->name, t->port->node->name,
		both ? "--" : "->", t->port->peer->node->name);
	if (parallel(t->port) > 1)
		fprintf(f, "ports = %s, %s\n", port_title(t->port, from),
			port_title(t->port->peer, to));
}

int topology_write(struct sim *s, struct err *err)
{
	FILE *f = devices_open(s, err, "topology.ini");

	if (!f)
		return -1;
	fputs("# fabscope simulate: for --topology\n", f);
	nodes(s, f);
	links(s, f);
	for (size_t i = 0; i < s->n_taps; i++)
		if (s->taps[i]->with == s->taps[i])
			tap_section(s, f, s->taps[i]);
	return devices_shut(s, f, err);
}

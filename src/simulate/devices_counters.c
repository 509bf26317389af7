/* SPDX-License-Identifier: GPL-2.0-or-later
 * Counters: of NICs as ethtool -S prints them (mlx5), of switches as SONiC
 * does, of hosts as Prometheus has scraped them.
 *
 * Every counter had START before: what counts is the difference. */
#include <inttypes.h>
#include <string.h>

#include "simulate/devices_int.h"
#include "simulate/host.h"
#include "simulate/json_out.h"
#include "simulate/port.h"
#include "simulate/truth_int.h"

enum { START = 1000, SCRAPES = 50, SCRAPES_AROUND = 20 };

/* ---- counting ------------------------------------------------------------ */

static uint64_t control_frames(const struct link_truth *l)
{
	uint64_t n = l->global_pauses;

	for (unsigned i = 0; i < PRIORITIES; i++)
		n += l->pfc[i];
	return n;
}

/* What left by |p|, and what did not. */
static void take_sent(struct counts *c, const struct port *p)
{
	const struct link_truth *l = p->truth;

	c->n[COUNT_TX_PACKETS] += l->packets - l->pauses;
	c->n[COUNT_TX_BYTES] += l->bytes;
	c->n[COUNT_TX_PAUSES] += control_frames(l);
	c->n[COUNT_MARKED] += l->marked;
	c->n[COUNT_TX_DROPS] += l->refused[DROP_BUFFER];
	c->n[COUNT_RX_DROPS] += l->refused[DROP_HEADROOM] +
				l->refused[DROP_NO_ROUTE] +
				l->refused[DROP_TTL];
	c->n[COUNT_RX_ERRORS] += l->refused[DROP_FCS];
	c->n[COUNT_ICRC_ERRORS] += l->refused[DROP_ICRC];
	c->n[COUNT_TX_GLOBAL] += l->global_pauses;
	/* 802.3x stops all priorities at once */
	if (p->peer->truth->global_pauses)
		c->n[COUNT_GLOBAL_PAUSED_US] +=
			(uint64_t)(l->paused[0] / PS_PER_US);
	for (unsigned i = 0; i < PRIORITIES; i++) {
		c->tx_pfc[i] += l->pfc[i];
		if (!p->peer->truth->global_pauses)
			c->paused_us[i] += (uint64_t)(l->paused[i] / PS_PER_US);
		c->storms[i] += l->storms[i];
		c->storms_over[i] += l->storms_over[i];
		c->storm_drops[i] += l->storm_drops[i];
	}
}

static void take_arrived(struct counts *c, const struct link_truth *from)
{
	c->n[COUNT_RX_PACKETS] += from->delivered - from->pauses_delivered;
	c->n[COUNT_RX_PAUSES] += control_frames(from);
	c->n[COUNT_RX_GLOBAL] += from->global_pauses;
	for (unsigned i = 0; i < PRIORITIES; i++)
		c->rx_pfc[i] += from->pfc[i];
}

static struct counts *nic_counts(const struct sim *s, const struct host *h)
{
	return &s->devices->counts[h->node.ports[0]->id];
}

static void take_stream(const struct sim *s, const struct stream *st)
{
	struct counts *c;

	/* no NIC's counters of UET are published */
	if (!st->src->node.n_ports || service_is_uet(st->service))
		return;
	c = nic_counts(s, st->src);
	c->n[COUNT_NAKS] += st->naks;
	c->n[COUNT_IMPLIED] += st->implied;
	c->n[COUNT_RNRS] += st->rnr_naks;
	c->n[COUNT_TIMEOUTS] += st->timeouts;
	for (unsigned i = 0; i < PKT_CLASSES; i++)
		c->n[COUNT_RETRANSMITTED] += st->count[i].copies;
}

void counts_take(struct sim *s)
{
	const struct truth *t = s->truth;

	for (size_t i = 0; i < s->n_ports; i++) {
		struct counts *c = &s->devices->counts[s->ports[i]->id];

		take_sent(c, s->ports[i]);
		take_arrived(c, s->ports[i]->peer->truth);
	}
	for (size_t i = 0; i < t->streams.n; i++)
		take_stream(s, t->streams.row[i]);
	for (size_t i = 0; i < t->cnps.n; i++) {
		const struct cnp_truth *c = t->cnps.row[i];

		nic_counts(s, c->stream->dst)->n[COUNT_CNPS_SENT]++;
		if (c->arrived >= 0)
			nic_counts(s, c->stream->src)->n[COUNT_CNPS_HANDLED]++;
	}
}

/* ---- NICs ---------------------------------------------------------------- */

/* Linux, Documentation/networking/device_drivers/ethernet/mellanox/mlx5, and
 * Documentation/infiniband of what the transport counts. */
static const struct named {
	const char *name;
	enum count count;
} mlx5[] = {
	{ "tx_vport_rdma_unicast_packets", COUNT_TX_PACKETS },
	{ "rx_vport_rdma_unicast_packets", COUNT_RX_PACKETS },
	{ "tx_pause_ctrl_phy", COUNT_TX_PAUSES },
	{ "rx_pause_ctrl_phy", COUNT_RX_PAUSES },
	{ "tx_global_pause", COUNT_TX_GLOBAL },
	{ "rx_global_pause", COUNT_RX_GLOBAL },
	{ "rx_global_pause_duration", COUNT_GLOBAL_PAUSED_US },
	{ "rx_crc_errors_phy", COUNT_RX_ERRORS },
	{ "rx_icrc_encapsulated", COUNT_ICRC_ERRORS },
	{ "np_cnp_sent", COUNT_CNPS_SENT },
	{ "rp_cnp_handled", COUNT_CNPS_HANDLED },
	{ "packet_seq_err", COUNT_NAKS },
	{ "implied_nak_seq_err", COUNT_IMPLIED },
	{ "rnr_nak_retry_err", COUNT_RNRS },
	{ "local_ack_timeout_err", COUNT_TIMEOUTS },
	{ "tx_rdma_retx_pkts", COUNT_RETRANSMITTED },
};

static void write_nic(FILE *f, const struct counts *c)
{
	fputs("NIC statistics:\n", f);
	for (size_t i = 0; i < sizeof mlx5 / sizeof *mlx5; i++)
		fprintf(f, "     %s: %" PRIu64 "\n", mlx5[i].name,
			START + c->n[mlx5[i].count]);
	for (unsigned i = 0; i < PRIORITIES; i++)
		fprintf(f,
			"     rx_prio%u_pause: %" PRIu64 "\n"
			"     rx_prio%u_pause_duration: %" PRIu64 "\n"
			"     tx_prio%u_pause: %" PRIu64 "\n",
			i, START + c->rx_pfc[i], i, START + c->paused_us[i], i,
			START + c->tx_pfc[i]);
}

static int host_counters(struct sim *s, const struct host *h, bool over,
			 struct err *err)
{
	const char *moment = over ? "after" : "before";
	FILE *f =
		devices_open(s, err, "%s.ethtool.%s.txt", h->node.name, moment);
	char title[24];

	if (!f)
		return -1;
	for (size_t i = 0; i < h->node.n_ports; i++) {
		const struct port *p = h->node.ports[i];

		fprintf(f, "# host=%s port=%s moment=%s\n", h->node.name,
			port_title(p, title), moment);
		write_nic(f, devices_counts(s, p, over));
	}
	return devices_shut(s, f, err);
}

/* ---- switches ------------------------------------------------------------ */

/* "1,024" */
static void out_grouped(struct out *o, const char *name, uint64_t v)
{
	char plain[24], text[32], *to = text;
	int n = snprintf(plain, sizeof plain, "%" PRIu64, v);

	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			*to++ = ',';
		*to++ = plain[i];
	}
	*to = 0;
	out_text(o, name, text);
}

/* show interfaces counters -j */
static void write_ports(const struct sim *s, FILE *f, const struct node *n,
			bool over)
{
	static const struct named names[] = {
		{ "RX_OK", COUNT_RX_PACKETS }, { "RX_ERR", COUNT_RX_ERRORS },
		{ "RX_DRP", COUNT_RX_DROPS },  { "TX_OK", COUNT_TX_PACKETS },
		{ "TX_DRP", COUNT_TX_DROPS },
	};
	struct out o = { f, s, true };
	char title[24];

	out_open(&o, NULL, '{');
	for (size_t i = 0; i < n->n_ports; i++) {
		const struct counts *c = devices_counts(s, n->ports[i], over);

		out_open(&o, port_title(n->ports[i], title), '{');
		for (size_t k = 0; k < sizeof names / sizeof *names; k++)
			out_grouped(&o, names[k].name,
				    START + c->n[names[k].count]);
		out_shut(&o, '}');
	}
	out_shut(&o, '}');
	fputc('\n', f);
}

/* Counters of SAI, as exporters of COUNTERS_DB give them. */
static void write_sai(const struct sim *s, FILE *f, const struct node *n,
		      bool over)
{
	char title[24];

	fputs("# TYPE SAI_PORT_STAT_ECN_MARKED_PACKETS counter\n", f);
	for (size_t i = 0; i < n->n_ports; i++) {
		const struct counts *c = devices_counts(s, n->ports[i], over);

		port_title(n->ports[i], title);
		fprintf(f,
			"SAI_PORT_STAT_ECN_MARKED_PACKETS{interface=\"%s\"} "
			"%" PRIu64 "\n"
			"SAI_PORT_STAT_PAUSE_RX_PKTS{interface=\"%s\"} "
			"%" PRIu64 "\n"
			"SAI_PORT_STAT_PAUSE_TX_PKTS{interface=\"%s\"} "
			"%" PRIu64 "\n",
			title, START + c->n[COUNT_MARKED], title,
			START + c->n[COUNT_RX_GLOBAL], title,
			START + c->n[COUNT_TX_GLOBAL]);
		for (unsigned k = 0; k < PRIORITIES; k++)
			fprintf(f,
				"SAI_PORT_STAT_PFC_%u_RX_PKTS{interface=\"%s\"}"
				" %" PRIu64 "\n"
				"SAI_PORT_STAT_PFC_%u_TX_PKTS{interface=\"%s\"}"
				" %" PRIu64 "\n"
				"SAI_PORT_STAT_PFC_%u_RX_PAUSE_DURATION_US"
				"{interface=\"%s\"} %" PRIu64 "\n",
				k, title, START + c->rx_pfc[k], k, title,
				START + c->tx_pfc[k], k, title,
				START + c->paused_us[k]);
	}
}

/* pfcwd show stats */
static void write_watchdog(const struct sim *s, FILE *f, const struct node *n,
			   bool over)
{
	uint64_t more = over && devices_lie(s, n, LIE_STORMS) ? 7 : 0;
	char title[24];

	fprintf(f,
		"# host=%s\n"
		"QUEUE STATUS STORM DETECTED/RESTORED TX OK/DROP RX OK/DROP\n",
		n->name);
	for (size_t i = 0; i < n->n_ports; i++) {
		const struct counts *c = devices_counts(s, n->ports[i], over);

		for (unsigned k = 0; k < PRIORITIES; k++)
			if (((const struct switch_node *)n)->config.lossless >>
				    k &
			    1)
				fprintf(f,
					"%s:%u operational %" PRIu64 "/%" PRIu64
					" 0/%" PRIu64 " 0/0\n",
					port_title(n->ports[i], title), k,
					c->storms[k] + more,
					c->storms_over[k] + more,
					c->storm_drops[k]);
	}
}

static int switch_file(struct sim *s, const struct node *n, bool over,
		       const char *end,
		       void (*write)(const struct sim *s, FILE *f,
				     const struct node *n, bool over),
		       struct err *err)
{
	char kind[16];
	FILE *f;

	snprintf(kind, sizeof kind, "%.*s", (int)strcspn(end, "."), end);
	f = devices_open(s, err, "%s.%s.%s%s", n->name, kind,
			 over ? "after" : "before", strchr(end, '.'));
	if (!f)
		return -1;
	write(s, f, n, over);
	return devices_shut(s, f, err);
}

static int switch_counters(struct sim *s, const struct switch_node *w,
			   bool over, struct err *err)
{
	const struct node *n = &w->node;

	if (switch_file(s, n, over, "ports.json", write_ports, err) ||
	    switch_file(s, n, over, "sai.prom", write_sai, err))
		return -1;
	return w->config.watchdog ? switch_file(s, n, over, "pfcwd.txt",
						write_watchdog, err)
				  : 0;
}

int counters_write(struct sim *s, bool over, struct err *err)
{
	for (size_t i = 0; i < s->n_hosts; i++)
		if (s->hosts[i]->node.n_ports &&
		    host_counters(s, s->hosts[i], over, err))
			return -1;
	for (size_t i = 0; i < s->n_switches; i++)
		if (switch_counters(s, s->switches[i], over, err))
			return -1;
	return 0;
}

/* ---- as Prometheus scrapes hosts ----------------------------------------- */

struct reader {
	const struct link_truth *l;
	size_t at;      /* the next bin */
	uint64_t value; /* before it */
};

/* Of the link's bins, those that are over at |ps|. */
static uint64_t until(struct reader *r, const struct sim *s, int64_t ps,
		      bool delivered)
{
	while (r->at < r->l->n_bins &&
	       (r->l->bins[r->at].number + 1) * s->bin <= ps) {
		const struct link_bin *b = &r->l->bins[r->at++];

		r->value += delivered ? b->delivered : b->packets - b->pauses;
	}
	return r->value;
}

static void scrape(const struct sim *s, struct out *o, int64_t ps, uint64_t v)
{
	int64_t ns = sim_ns(s, ps + s->devices->clock);

	out_comma(o);
	fprintf(o->f, "[%" PRId64 ".%09" PRId64 ",\"%" PRIu64 "\"]",
		ns / 1000000000, ns % 1000000000, START + v);
}

/* Once a second, and many times while the capture runs. */
static void scrapes(const struct sim *s, struct out *o,
		    const struct link_truth *l, bool delivered, bool stuck)
{
	int64_t step =
		s->now / SCRAPES > PS_PER_MS ? s->now / SCRAPES : PS_PER_MS;
	struct reader r = { .l = l };
	uint64_t all;

	for (int i = SCRAPES_AROUND; i; i--)
		scrape(s, o, -i * PS_PER_S, 0);
	for (int64_t ps = 0; ps < s->now; ps += step)
		scrape(s, o, ps, stuck ? 0 : until(&r, s, ps, delivered));
	all = stuck ? 0 : until(&r, s, INT64_MAX, delivered);
	for (int i = 0; i < SCRAPES_AROUND; i++)
		scrape(s, o, s->now + i * PS_PER_S, all);
}

static void series(const struct sim *s, struct out *o, const struct port *p,
		   bool delivered)
{
	const struct port *from = s->ports[s->devices->origin[p->id]];
	char title[24];

	out_row(o);
	out_open(o, "metric", '{');
	out_text(o, "__name__",
		 delivered ? "rx_vport_rdma_unicast_packets"
			   : "tx_vport_rdma_unicast_packets");
	out_text(o, "instance", p->node->name);
	out_text(o, "interface", port_title(p, title));
	out_shut(o, '}');
	out_open(o, "values", '[');
	scrapes(s, o, delivered ? from->peer->truth : from->truth, delivered,
		devices_lie(s, p->node, LIE_STUCK));
	out_shut(o, ']');
	out_shut(o, '}');
}

int series_write(struct sim *s, struct err *err)
{
	FILE *f = devices_open(s, err, "scraped.json");
	struct out o = { f, s, true };

	if (!f)
		return -1;
	out_open(&o, NULL, '{');
	out_text(&o, "status", "success");
	out_open(&o, "data", '{');
	out_text(&o, "resultType", "matrix");
	out_open(&o, "result", '[');
	for (size_t i = 0; i < s->n_ports; i++)
		if (!s->ports[i]->node->is_switch) {
			series(s, &o, s->ports[i], false);
			series(s, &o, s->ports[i], true);
		}
	out_shut(&o, ']');
	out_shut(&o, '}');
	out_shut(&o, '}');
	fputc('\n', f);
	return devices_shut(s, f, err);
}

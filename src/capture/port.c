/* SPDX-License-Identifier: GPL-2.0-or-later
 * Interfaces that packets are captured from, by libpcap or by XDP.
 *
 * Drops are asked for before packets are taken: what the kernel drops now it
 * drops behind all that waits in its ring, so the times are known before the
 * packets that come after the hole. */
#include "capture/port.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <pcap/pcap.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "capture/capture.h"
#include "capture/linktype.h"
#include "capture/xdp.h"

enum {
	BLOCK_MS = 10, /* how long the kernel collects packets */
	ROUNDS = 16,   /* of one interface before it is the next one's turn */
	STATS_NS = 1000000,
	ALL_STATS_NS = 50000000, /* of the driver, or while nothing comes */
	RETRY_NS = 500000000,
	LINK_NS = 50000000,
	DRIVER_NS = 2000000000,
	WAIT_MS = 10,
	SETTLE_NS = 3 * BLOCK_MS * 1000000,
	/* XDP wakes nobody: a turn that brought fewer packets is followed by
	 * a rest, so that they come in batches. */
	XDP_BUSY = 4096,
	ETHERNET = 1, /* as a link type */
};

struct port {
	const char *name;
	struct ring *ring;
	pcap_t *pcap;    /* NULL: down, or by XDP */
	struct xdp *xdp; /* NULL: by libpcap */
	int fd;
	bool socket;           /* of packets: the kernel is asked itself */
	uint32_t drop, ifdrop; /* by pcap_stats() */
	uint32_t received;
	uint64_t xdp_drop, missed;      /* by XDP and by the adapter */
	int64_t stats_ns, all_stats_ns; /* when */
	int64_t link_ns;                /* the link was looked at */
	int64_t down_ns, retry_ns;
	int64_t last_ns; /* of a packet */
	bool fresh;      /* no packet since the drops were asked for */
	bool removed;    /* and XDP with it, which we may not attach again */
};

struct ports {
	struct port *port;
	size_t n;
	struct port_options o;
	bool removed; /* one of them, for good */
};

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* ---- opening ---- */

static void choose_time(const struct port *p, pcap_t *pcap,
			const struct port_options *o)
{
	int *types,
		n = o->adapter_time ? pcap_list_tstamp_types(pcap, &types) : 0;
	bool adapter = false;

	for (int i = 0; i < n; i++)
		adapter |= types[i] == PCAP_TSTAMP_ADAPTER;
	if (n > 0)
		pcap_free_tstamp_types(types);
	if (adapter && !pcap_set_tstamp_type(pcap, PCAP_TSTAMP_ADAPTER))
		atomic_store(&p->ring->report.adapter, 1);
	pcap_set_tstamp_precision(pcap, PCAP_TSTAMP_PRECISION_NANO);
}

/* Without an expression as well: its program returns the snaplen, so that the
 * kernel copies no more of a packet. */
static int set_filter(pcap_t *pcap, const char *expression, struct err *err)
{
	const char *filter = expression ? expression : "";
	struct bpf_program program;

	if (pcap_compile(pcap, &program, filter, 1, PCAP_NETMASK_UNKNOWN))
		return err_set(err, ERR_USAGE, "filter \"%s\": %s", filter,
			       pcap_geterr(pcap));
	if (pcap_setfilter(pcap, &program)) {
		pcap_freecode(&program);
		return err_set(err, ERR_INTERNAL, "filter \"%s\": %s", filter,
			       pcap_geterr(pcap));
	}
	pcap_freecode(&program);
	return 0;
}

/* Packets of RDMA pass no packet socket, and libpcap's way to them is seldom
 * built. */
static const char *hint(const char *name, int rc)
{
	char path[128];

	snprintf(path, sizeof path, "/sys/class/infiniband/%s", name);
	if (!access(path, F_OK))
		return " (an RDMA device: capturing from it needs a libpcap "
		       "that was built with rdmasniff)";
	return rc == PCAP_ERROR_PERM_DENIED ? " (capturing needs CAP_NET_RAW)"
					    : "";
}

static int activate(const struct port *p, pcap_t *pcap,
		    const struct port_options *o, struct err *err)
{
	char why[PCAP_ERRBUF_SIZE];
	int rc;

	pcap_set_snaplen(pcap, (int)o->snaplen);
	pcap_set_promisc(pcap, o->promiscuous);
	pcap_set_timeout(pcap, BLOCK_MS);
	pcap_set_buffer_size(pcap, (int)o->buffer);
	choose_time(p, pcap, o);
	rc = pcap_activate(pcap);
	if (rc < 0)
		return err_set(err, ERR_IO, "%s: %s%s", p->name,
			       *pcap_geterr(pcap) ? pcap_geterr(pcap)
						  : pcap_statustostr(rc),
			       hint(p->name, rc));
	if (set_filter(pcap, o->filter, err))
		return -1;
	if (pcap_setnonblock(pcap, 1, why))
		return err_set(err, ERR_INTERNAL, "%s: %s", p->name, why);
	return 0;
}

/* A number that the kernel has of |name|; 0 if it has none. */
static uint64_t number_of(const char *name, const char *what)
{
	char path[128], text[32] = "";
	long long number;
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "/sys/class/net/%s/%s", name, what);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	number = n > 0 ? strtoll(text, NULL, 10) : 0;
	return number > 0 ? (uint64_t)number : 0;
}

static uint64_t link_speed(const char *name)
{
	return capture_speed(number_of(name, "speed") * 1000000);
}

static uint64_t missed_by_adapter(const char *name)
{
	return number_of(name, "statistics/rx_missed_errors") +
	       number_of(name, "statistics/rx_fifo_errors");
}

static bool is_packet_socket(int fd)
{
	int domain = AF_UNSPEC;
	socklen_t size = sizeof domain;

	return !getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) &&
	       domain == AF_PACKET;
}

static void is_open(struct port *p, const struct port_options *o,
		    uint16_t linktype, enum ring_source source)
{
	struct ring_report *report = &p->ring->report;

	p->stats_ns = p->all_stats_ns = now_ns();
	atomic_store(&report->linktype, linktype);
	atomic_store(&report->snaplen, o->snaplen);
	atomic_store(&report->speed_bps, link_speed(p->name));
	atomic_store(&report->source, source);
	atomic_store(&report->state, PORT_UP);
}

static int open_pcap(struct port *p, const struct port_options *o,
		     struct err *err)
{
	char why[PCAP_ERRBUF_SIZE];
	pcap_t *pcap = pcap_create(p->name, why);

	if (!pcap)
		return err_set(err, ERR_IO, "%s: %s", p->name, why);
	if (activate(p, pcap, o, err)) {
		pcap_close(pcap);
		return -1;
	}
	p->pcap = pcap;
	p->fd = pcap_get_selectable_fd(pcap);
	p->drop = p->ifdrop = p->received = 0;
	p->socket = is_packet_socket(p->fd);
	is_open(p, o, linktype_from_dlt(pcap_datalink(pcap)), SOURCE_PCAP);
	return 0;
}

static int open_xdp(struct port *p, const struct port_options *o,
		    struct err *err)
{
	const struct xdp_options x = { .snaplen = o->snaplen,
				       .buffer = o->buffer,
				       .drop = o->xdp == PORT_XDP_DROP,
				       .promiscuous = o->promiscuous };

	p->xdp = xdp_open(p->name, &x, err);
	if (!p->xdp)
		return -1;
	p->fd = xdp_socket(p->xdp);
	p->missed = missed_by_adapter(p->name);
	is_open(p, o, ETHERNET,
		xdp_native(p->xdp) ? SOURCE_XDP : SOURCE_XDP_GENERIC);
	return 0;
}

static int open_port(struct port *p, const struct port_options *o,
		     struct err *err)
{
	return o->xdp ? open_xdp(p, o, err) : open_pcap(p, o, err);
}

struct ports *ports_open(const char *const *names, struct ring *const *rings,
			 size_t n, const struct port_options *o,
			 struct err *err)
{
	struct ports *p = calloc(1, sizeof *p);

	if (!p || !(p->port = calloc(n, sizeof *p->port))) {
		free(p);
		err_set(err, ERR_MEMORY, "out of memory");
		return NULL;
	}
	p->o = *o;
	for (; p->n < n; p->n++) {
		p->port[p->n].name = names[p->n];
		p->port[p->n].ring = rings[p->n];
		if (open_port(&p->port[p->n], o, err)) {
			ports_free(p);
			return NULL;
		}
	}
	return p;
}

void ports_free(struct ports *p)
{
	for (size_t i = 0; p && i < p->n; i++) {
		if (p->port[i].pcap)
			pcap_close(p->port[i].pcap);
		xdp_close(p->port[i].xdp);
	}
	if (p)
		free(p->port);
	free(p);
}

/* ---- drops ---- */

/* Also when the clock was set back. */
static bool is_due(int64_t now, int64_t before, int64_t interval)
{
	return now < before || now - before >= interval;
}

static void tell_drops(struct port *p, enum ring_who who, uint32_t n,
		       int64_t from, int64_t to)
{
	if (!n)
		return;
	atomic_fetch_add(&p->ring->report.dropped[who], n);
	ring_put_drops(p->ring, who, from, to, n);
}

/* By libpcap, which counts in 32 bits, which wrap; a dozen system calls. */
static void ask_all(struct port *p, int64_t ns)
{
	struct pcap_stat s;

	if (pcap_stats(p->pcap, &s))
		return;
	tell_drops(p, DROPS_KERNEL, s.ps_drop - p->drop, p->stats_ns - STATS_NS,
		   ns);
	/* Drivers look at their counters every second or two. */
	tell_drops(p, DROPS_INTERFACE, s.ps_ifdrop - p->ifdrop,
		   p->all_stats_ns - DRIVER_NS, ns);
	atomic_fetch_add(&p->ring->report.received, s.ps_recv - p->received);
	p->drop = s.ps_drop;
	p->ifdrop = s.ps_ifdrop;
	p->received = s.ps_recv;
	p->stats_ns = p->all_stats_ns = ns;
}

/* What the kernel's ring had no room for, in one call.  Reading these counts
 * sets them to 0, so that libpcap does not see them as well. */
static void ask_kernel(struct port *p, int64_t ns)
{
	struct tpacket_stats_v3 s;
	socklen_t size = sizeof s;

	if (getsockopt(p->fd, SOL_PACKET, PACKET_STATISTICS, &s, &size))
		return;
	tell_drops(p, DROPS_KERNEL, s.tp_drops, p->stats_ns - STATS_NS, ns);
	atomic_fetch_add(&p->ring->report.received, s.tp_packets);
	p->stats_ns = ns;
}

/* By the program, and every now and then by the adapter. */
static void ask_xdp(struct port *p, int64_t ns)
{
	uint64_t n = xdp_dropped(p->xdp), missed;

	tell_drops(p, DROPS_KERNEL, (uint32_t)(n - p->xdp_drop),
		   p->stats_ns - STATS_NS, ns);
	p->xdp_drop = n;
	p->stats_ns = ns;
	if (!is_due(ns, p->all_stats_ns, ALL_STATS_NS))
		return;
	missed = missed_by_adapter(p->name);
	tell_drops(p, DROPS_INTERFACE, (uint32_t)(missed - p->missed),
		   p->all_stats_ns - DRIVER_NS, ns);
	p->missed = missed;
	p->all_stats_ns = ns;
}

/* libpcap waits for an interface that is down as if it were quiet. */
static bool link_is_up(struct port *p)
{
	struct ifreq r = { 0 };

	snprintf(r.ifr_name, sizeof r.ifr_name, "%s", p->name);
	if (ioctl(p->fd, SIOCGIFFLAGS, &r)) {
		p->removed = p->xdp && errno == ENODEV;
		return errno != ENODEV;
	}
	return (r.ifr_flags & IFF_UP) && (r.ifr_flags & IFF_RUNNING);
}

static void look_at_link(struct port *p, int64_t ns)
{
	_Atomic uint32_t *state = &p->ring->report.state;
	bool was = atomic_load(state) == PORT_UP, up;

	if (ns >= p->link_ns && ns - p->link_ns < LINK_NS)
		return;
	p->link_ns = ns;
	up = link_is_up(p);
	if (up == was)
		return;
	if (up)
		ring_put_drops(p->ring, DROPS_DOWN, p->down_ns, ns, 0);
	else
		p->down_ns = ns;
	atomic_store(state, up ? PORT_UP : PORT_DOWN);
}

static void ask_when_due(struct port *p, int64_t ns)
{
	if (!is_due(ns, p->stats_ns, p->fresh ? ALL_STATS_NS : STATS_NS))
		return;
	if (!p->socket || is_due(ns, p->all_stats_ns, ALL_STATS_NS))
		ask_all(p, ns);
	else
		ask_kernel(p, ns);
	p->fresh = true;
}

/* ---- packets ---- */

static void on_packet(u_char *user, const struct pcap_pkthdr *h,
		      const u_char *data)
{
	struct port *p = (struct port *)(void *)user;

	/* opened for nanoseconds: that is what tv_usec holds */
	p->last_ns = h->ts.tv_sec * INT64_C(1000000000) + h->ts.tv_usec;
	p->fresh = false;
	ring_put(p->ring, p->last_ns, data, h->caplen,
		 h->len > h->caplen ? h->len : h->caplen);
}

static void went_down(struct port *p, int64_t ns)
{
	pcap_close(p->pcap);
	p->pcap = NULL;
	p->down_ns = ns;
	p->retry_ns = ns + RETRY_NS;
	atomic_store(&p->ring->report.state, PORT_DOWN);
}

static void try_again(struct port *p, const struct port_options *o, int64_t ns)
{
	struct err err;

	atomic_store(&p->ring->report.complete_ns, ns);
	if (ns < p->retry_ns && p->retry_ns - ns <= RETRY_NS)
		return;
	p->retry_ns = ns + RETRY_NS;
	if (!open_port(p, o, &err))
		ring_put_drops(p->ring, DROPS_DOWN, p->down_ns, now_ns(), 0);
}

static void on_xdp(void *ctx, int64_t ns, const uint8_t *data, uint32_t caplen,
		   uint32_t wirelen)
{
	struct port *p = ctx;

	p->last_ns = ns;
	ring_put(p->ring, ns, data, caplen, wirelen);
}

/* Takes what is there; false: little was. */
static bool take_xdp(struct port *p)
{
	struct ring_report *report = &p->ring->report;
	int64_t ns = now_ns();
	uint64_t n;

	look_at_link(p, ns);
	ask_xdp(p, ns);
	n = xdp_take(p->xdp, on_xdp, p);
	atomic_fetch_add(&report->received, n);
	if (!n)
		ring_flush(p->ring);
	atomic_store(&report->complete_ns, ns - SETTLE_NS);
	return n >= XDP_BUSY;
}

/* Takes what is there; false: nothing was. */
static bool take_waiting(struct port *p)
{
	bool any = false;

	for (int i = 0; i < ROUNDS; i++) {
		int64_t ns = now_ns();
		int n;

		ask_when_due(p, ns);
		look_at_link(p, ns);
		n = pcap_dispatch(p->pcap, -1, on_packet, (u_char *)p);
		if (n < 0) {
			went_down(p, ns);
			return any;
		}
		if (!n) {
			ring_flush(p->ring);
			atomic_store(&p->ring->report.complete_ns,
				     ns - SETTLE_NS);
			return any;
		}
		any = true;
	}
	atomic_store(&p->ring->report.complete_ns, p->last_ns);
	return any;
}

static bool take_all(struct ports *p)
{
	bool any = false;

	for (size_t i = 0; i < p->n; i++) {
		struct port *port = &p->port[i];

		if (!port->pcap && !port->xdp)
			try_again(port, &p->o, now_ns());
		if (port->pcap)
			any |= take_waiting(port);
		else if (port->xdp)
			any |= take_xdp(port);
		if (port->removed) {
			atomic_store(&port->ring->report.state, PORT_GONE);
			p->removed = true;
		}
	}
	return any;
}

static void wait_for_packets(const struct ports *p, struct pollfd *fds)
{
	for (size_t i = 0; i < p->n; i++)
		fds[i] = (struct pollfd) {
			.fd = p->port[i].pcap ? p->port[i].fd : -1,
			.events = POLLIN,
		};
	poll(fds, (nfds_t)p->n, WAIT_MS);
}

void ports_run(struct ports *p, const volatile sig_atomic_t *stop, int wake,
	       _Atomic unsigned *asleep)
{
	struct pollfd *fds = calloc(p->n, sizeof *fds);
	const uint64_t one = 1;

	while (fds && !*stop && !p->removed) {
		bool any = take_all(p);

		if (atomic_exchange(asleep, 0) &&
		    write(wake, &one, sizeof one) < 0 && errno != EAGAIN)
			break;
		if (!any)
			wait_for_packets(p, fds);
	}
	free(fds);
}

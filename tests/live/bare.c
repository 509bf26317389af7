/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a capture costs that does nothing:
 *	bare IFACE [--snaplen N] [--threads N] [--xdp pass|drop]
 *
 * Counts packets and reads one byte of each, until a signal: from the kernel's
 * ring (TPACKET_V3; --threads share the packets in turns, PACKET_FANOUT), or
 * from the memory that XDP writes.  Beside it rate.py measures live. */
#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "capture/xdp.h"
#include "sender.h"

enum {
	BLOCK = 1 << 20,
	BLOCKS = 64,
	FRAME = 2048,
	RETIRE_MS = 10,
	BYTE_AT = 50, /* of a PSN */
	THREADS_MOST = 16,
	BUSY = 4096,
};

struct reader {
	int fd;
	uint8_t *ring;
	pthread_t thread;
	uint64_t packets, dropped, sum;
};

/* ---- the kernel's ring ---- */

static void open_ring(struct reader *r, const char *name, uint32_t snaplen,
		      bool shared)
{
	const struct tpacket_req3 size = { .tp_block_size = BLOCK,
					   .tp_block_nr = BLOCKS,
					   .tp_frame_size = FRAME,
					   .tp_frame_nr =
						   BLOCK / FRAME * BLOCKS,
					   .tp_retire_blk_tov = RETIRE_MS };
	const struct sockaddr_ll at = { .sll_family = AF_PACKET,
					.sll_protocol = htons(ETH_P_ALL),
					.sll_ifindex =
						(int)if_nametoindex(name) };
	struct sock_filter code = { .code = BPF_RET | BPF_K, .k = snaplen };
	const struct sock_fprog filter = { 1, &code };
	int version = TPACKET_V3;
	int fanout = (getpid() & 0xffff) | PACKET_FANOUT_LB << 16;

	r->fd = socket(AF_PACKET, SOCK_RAW, 0);
	if (r->fd < 0 ||
	    setsockopt(r->fd, SOL_PACKET, PACKET_VERSION, &version,
		       sizeof version) ||
	    setsockopt(r->fd, SOL_PACKET, PACKET_RX_RING, &size, sizeof size) ||
	    setsockopt(r->fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter,
		       sizeof filter) ||
	    bind(r->fd, (const struct sockaddr *)(const void *)&at, sizeof at))
		die(name);
	if (shared && setsockopt(r->fd, SOL_PACKET, PACKET_FANOUT, &fanout,
				 sizeof fanout))
		die("fanout");
	r->ring = mmap(NULL, (size_t)BLOCK * BLOCKS, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_POPULATE, r->fd, 0);
	if (r->ring == MAP_FAILED)
		die("ring");
}

static void read_block(struct reader *r, struct tpacket_block_desc *b)
{
	const uint8_t *at = (const uint8_t *)b + b->hdr.bh1.offset_to_first_pkt;

	for (uint32_t i = 0; i < b->hdr.bh1.num_pkts; i++) {
		const struct tpacket3_hdr *h = (const void *)at;

		r->sum += at[h->tp_mac + BYTE_AT];
		r->packets++;
		at += h->tp_next_offset;
	}
}

static void *read_ring(void *ctx)
{
	struct reader *r = ctx;
	struct tpacket_stats_v3 s;
	socklen_t size = sizeof s;

	for (size_t i = 0; !sender_stop;) {
		struct tpacket_block_desc *b = (void *)(r->ring + i * BLOCK);
		uint32_t *status = &b->hdr.bh1.block_status;

		if (!(__atomic_load_n(status, __ATOMIC_ACQUIRE) &
		      TP_STATUS_USER)) {
			poll(&(struct pollfd) { r->fd, POLLIN, 0 }, 1,
			     RETIRE_MS);
			continue;
		}
		read_block(r, b);
		__atomic_store_n(status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
		i = (i + 1) % BLOCKS;
	}
	if (!getsockopt(r->fd, SOL_PACKET, PACKET_STATISTICS, &s, &size))
		r->dropped = s.tp_drops;
	return NULL;
}

/* ---- XDP's memory ---- */

static void on_packet(void *ctx, int64_t ns, const uint8_t *data,
		      uint32_t caplen, uint32_t wirelen)
{
	struct reader *r = ctx;

	(void)ns, (void)wirelen;
	if (caplen > BYTE_AT)
		r->sum += data[BYTE_AT];
	r->packets++;
}

static void read_xdp(struct reader *r, const char *name, uint32_t snaplen,
		     bool drop)
{
	const struct xdp_options o = { .snaplen = snaplen,
				       .buffer = (size_t)BLOCK * BLOCKS,
				       .drop = drop };
	struct err err = { 0 };
	struct xdp *x = xdp_open(name, &o, &err);

	if (!x) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	fprintf(stderr, "listening\n");
	while (!sender_stop)
		if (xdp_take(x, on_packet, r) < BUSY)
			poll(NULL, 0, RETIRE_MS);
	r->dropped = xdp_dropped(x);
	xdp_close(x);
}

int main(int argc, char **argv)
{
	struct reader r[THREADS_MOST] = { { 0 } };
	unsigned long threads = number(argv, "--threads", 1);
	uint32_t snaplen = (uint32_t)number(argv, "--snaplen", 256);
	const char *xdp = NULL;

	for (int i = 2; i + 1 < argc; i++)
		if (!strcmp(argv[i], "--xdp"))
			xdp = argv[i + 1];
	if (argc < 2 || !threads || threads > THREADS_MOST) {
		fputs("bare IFACE [--snaplen N] [--threads N]"
		      " [--xdp pass|drop]\n",
		      stderr);
		return 2;
	}
	sender_until_signal();
	if (xdp) {
		read_xdp(r, argv[1], snaplen, !strcmp(xdp, "drop"));
		threads = 1;
	} else {
		for (size_t i = 0; i < threads; i++)
			open_ring(&r[i], argv[1], snaplen, threads > 1);
		fprintf(stderr, "listening\n");
		for (size_t i = 1; i < threads; i++)
			if (pthread_create(&r[i].thread, NULL, read_ring,
					   &r[i]))
				die("thread");
		read_ring(&r[0]);
		for (size_t i = 1; i < threads; i++)
			pthread_join(r[i].thread, NULL);
	}
	for (size_t i = 1; i < threads; i++) {
		r[0].packets += r[i].packets;
		r[0].dropped += r[i].dropped;
	}
	printf("%llu packets, %llu packets dropped by kernel\n",
	       (unsigned long long)r[0].packets,
	       (unsigned long long)r[0].dropped);
	return 0;
}

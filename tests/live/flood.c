/* SPDX-License-Identifier: GPL-2.0-or-later
 * Sends clean RoCE traffic as fast as an interface takes it, or as fast as it
 * is told: flood IFACE [--packets N] [--rate PER_SECOND] [--pairs N]
 *
 * Queue pairs write messages of 16 packets of 1 KiB, and each message is
 * acknowledged.  Every packet number comes once and in order, so whatever a
 * capture of it misses, it dropped itself.  Packets are handed over in memory
 * that the kernel shares (PACKET_TX_RING): only headers are written anew.
 *
 * Says what it sent, in how many seconds. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sender.h"

enum {
	SLOTS = 4096,
	SLOT = 2048,
	BLOCK = 1 << 20,
	BATCH = 32, /* handed over at once */
	MESSAGE = 16,
	PAYLOAD = 1024,
	ICRC = 4,
	ETH = 14,
	IP = 20,
	UDP = 8,
	BTH = 12,
	RETH = 16,
	AETH = 4,
	FIRST = 6,
	MIDDLE = 7,
	LAST = 8,
	ACK = 17,
	PAIRS_MOST = 65536,
};

struct pair {
	uint32_t psn, at; /* at: of the message; MESSAGE: its answer */
};

struct flood {
	int fd;
	uint8_t *ring;
	size_t slot;
	struct pair *pairs;
	size_t n_pairs, turn;
};

/* ---- packets ---- */

static uint8_t *put_ip(uint8_t *to, uint32_t from, uint32_t dst, size_t length)
{
	uint8_t *begin = to;

	to = put(to, 0x4502, 2);
	to = put(to, length, 2);
	to = put(to, 0x00004000, 4);
	to = put(to, 0x40110000, 4);
	to = put(to, from, 4);
	to = put(to, dst, 4);
	put_checksum(begin);
	return to;
}

static size_t body_of(int opcode)
{
	return BTH + (opcode == ACK ? AETH : PAYLOAD) +
	       (opcode == FIRST ? RETH : 0) + ICRC;
}

/* The next packet of |pair|, number |i|; returns its length. */
static size_t write_packet(uint8_t *to, struct pair *pair, size_t i)
{
	bool answer = pair->at == MESSAGE;
	int opcode = answer                    ? ACK
		     : !pair->at               ? FIRST
		     : pair->at == MESSAGE - 1 ? LAST
					       : MIDDLE;
	uint32_t host = 0x0a000000 + ((uint32_t)i << 1 & 0xfffe);
	size_t body = body_of(opcode);
	uint32_t psn = answer ? pair->psn - 1 : pair->psn++;
	uint8_t *at = to;

	at = put(at, 0x02fab5000000 + answer, 6);
	at = put(at, 0x02fab5000000 + !answer, 6);
	at = put(at, ETHERTYPE_IP, 2);
	at = put_ip(at, host + answer, host + !answer, IP + UDP + body);
	at = put(at, 49152 + i % 16384, 2);
	at = put(at, 4791, 2);
	at = put(at, UDP + body, 2);
	at = put(at, 0, 2);
	at = put(at, (uint64_t)opcode << 24 | 0xffff, 4);
	at = put(at, (answer ? 0x100000 : 0x200000) + i, 4);
	at = put(at, (opcode == LAST ? 0x80000000U : 0) | (psn & 0xffffff), 4);
	if (opcode == FIRST) {
		at = put(at, 0x10000000, 8);
		at = put(at, 0x1234, 4);
		put(at, MESSAGE * PAYLOAD, 4);
	} else if (answer) {
		put(at, pair->psn / MESSAGE & 0xffffff, 4);
	}
	pair->at = answer ? 0 : pair->at + 1;
	return ETH + IP + UDP + body;
}

/* ---- handing over ---- */

static void open_ring(struct flood *f, const char *name)
{
	const struct tpacket_req r = { .tp_block_size = BLOCK,
				       .tp_block_nr = SLOTS / (BLOCK / SLOT),
				       .tp_frame_size = SLOT,
				       .tp_frame_nr = SLOTS };
	const struct sockaddr_ll at = { .sll_family = AF_PACKET,
					.sll_ifindex =
						(int)if_nametoindex(name) };
	int version = TPACKET_V2, yes = 1;

	/* protocol 0: nothing is received */
	f->fd = socket(AF_PACKET, SOCK_RAW, 0);
	if (f->fd < 0 ||
	    setsockopt(f->fd, SOL_PACKET, PACKET_VERSION, &version,
		       sizeof version) ||
	    setsockopt(f->fd, SOL_PACKET, PACKET_QDISC_BYPASS, &yes,
		       sizeof yes) ||
	    setsockopt(f->fd, SOL_PACKET, PACKET_TX_RING, &r, sizeof r) ||
	    bind(f->fd, (const struct sockaddr *)(const void *)&at, sizeof at))
		die(name);
	f->ring = mmap(NULL, (size_t)SLOTS * SLOT, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_POPULATE, f->fd, 0);
	if (f->ring == MAP_FAILED)
		die("ring");
}

static void hand_over(struct flood *f)
{
	while (send(f->fd, NULL, 0, 0) < 0 && !sender_stop)
		if (errno != EINTR && errno != ENOBUFS && errno != EAGAIN)
			die("send");
}

/* |n| packets into the ring, then to the kernel. */
static void send_some(struct flood *f, size_t n)
{
	while (n-- && !sender_stop) {
		struct tpacket2_hdr *h = (void *)(f->ring + f->slot * SLOT);
		uint8_t *data = (uint8_t *)h + TPACKET2_HDRLEN -
				sizeof(struct sockaddr_ll);

		while (__atomic_load_n(&h->tp_status, __ATOMIC_ACQUIRE) !=
			       TP_STATUS_AVAILABLE &&
		       !sender_stop)
			hand_over(f);
		h->tp_len = (uint32_t)write_packet(data, &f->pairs[f->turn],
						   f->turn);
		__atomic_store_n(&h->tp_status, TP_STATUS_SEND_REQUEST,
				 __ATOMIC_RELEASE);
		f->slot = (f->slot + 1) % SLOTS;
		f->turn = (f->turn + 1) % f->n_pairs;
	}
	hand_over(f);
}

/* ---- the whole ---- */

int main(int argc, char **argv)
{
	struct flood f = { .fd = -1 };
	unsigned long packets, rate, sent = 0;
	int64_t begin, took;

	if (argc < 2) {
		fputs("flood IFACE [--packets N] [--rate N] [--pairs N]\n",
		      stderr);
		return 2;
	}
	packets = number(argv, "--packets", ~0UL);
	rate = number(argv, "--rate", 0);
	f.n_pairs = number(argv, "--pairs", 64);
	if (!f.n_pairs || f.n_pairs > PAIRS_MOST)
		f.n_pairs = PAIRS_MOST;
	f.pairs = calloc(f.n_pairs, sizeof *f.pairs);
	if (!f.pairs)
		die("memory");
	sender_until_signal();
	open_ring(&f, argv[1]);
	begin = now_ns();
	while (sent < packets && !sender_stop) {
		unsigned long n =
			packets - sent < BATCH ? packets - sent : BATCH;

		while (rate && !sender_stop &&
		       (double)(now_ns() - begin) * 1e-9 * (double)rate <
			       (double)sent)
			;
		send_some(&f, n);
		sent += n;
	}
	took = now_ns() - begin;
	sender_say(sent, took);
	free(f.pairs);
	return 0;
}

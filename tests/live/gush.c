/* SPDX-License-Identifier: GPL-2.0-or-later
 * Sends RoCE packets from inside the kernel, several times as fast as a program
 * hands them over: gush IFACE PEER [--seconds N] [--rate PER_SECOND]
 * [--pairs N]
 *
 * A few instructions of BPF, run again and again on pages that go around
 * (BPF_PROG_TEST_RUN with BPF_F_TEST_XDP_LIVE_FRAMES), write the next packet
 * number of the next queue pair into a packet and send it from IFACE, one end
 * of a veth pair, or drop it while it is too early.  Each is a whole message of
 * 1 KiB in one packet; numbers come once and in order, so whatever a capture
 * misses, it dropped itself.
 *
 * Says how many arrived at PEER, in how many seconds. */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sender.h"

enum {
	BATCH = 64, /* packets between two turns of the receiver */
	IP_AT = 14,
	UDP_AT = 34,
	BTH_AT = 42,
	PAYLOAD = 1024,
	LENGTH = BTH_AT + 12 + 16 + PAYLOAD + 4,
	WRITE_ONLY = 10,
	DROP = 40, /* where in the program */
};

static int bpf(int command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof *attr);
}

/* ---- the packet ---- */

static void write_packet(uint8_t *p)
{
	put(p, 0x02fab5000001, 6);
	put(p + 6, 0x02fab5000000, 6);
	put(p + 12, 0x0800, 2);
	put(p + IP_AT, 0x4502, 2);
	put(p + IP_AT + 2, LENGTH - IP_AT, 2);
	put(p + IP_AT + 4, 0x0000400040110000, 8);
	put(p + IP_AT + 12, 0x0a0000000a000001, 8);
	put_checksum(p + IP_AT);
	put(p + UDP_AT, 49152, 2);
	put(p + UDP_AT + 2, 4791, 2);
	put(p + UDP_AT + 4, LENGTH - UDP_AT, 2);
	put(p + BTH_AT, WRITE_ONLY << 24 | 0xffff, 4);
	put(p + BTH_AT + 4, 0x200000, 4);
	put(p + BTH_AT + 12, 0x10000000, 8);
	put(p + BTH_AT + 20, 0x1234, 4);
	put(p + BTH_AT + 24, PAYLOAD, 4);
}

/* ---- the program ---- */

#define I(op, to, from, offset, value)                            \
	{                                                         \
		.code = (op), .dst_reg = (to), .src_reg = (from), \
		.off = (offset), .imm = (int32_t)(value)          \
	}
#define MOVE(to, from)            I(BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0)
#define SET(to, value)            DO(BPF_MOV, to, value)
#define DO(op, to, value)         I(BPF_ALU64 | (op) | BPF_K, to, 0, 0, value)
#define SWAP16(to)                I(BPF_ALU | BPF_END | BPF_TO_BE, to, 0, 0, 16)
#define LOAD(size, to, from, at)  I(BPF_LDX | (size) | BPF_MEM, to, from, at, 0)
#define STORE(size, to, at, from) I(BPF_STX | (size) | BPF_MEM, to, from, at, 0)
#define CALL(function)            I(BPF_JMP | BPF_CALL, 0, 0, 0, function)

/* What the program is told by being written for it. */
struct told {
	int map, interface;
	uint32_t pairs;
	uint32_t spacing; /* of packets, in 1/1024 ns */
	uint64_t begin;   /* ns of the kernel's clock */
};

#define FAR(to, kind, value)                                \
	I(BPF_LD | BPF_DW | BPF_IMM, to, kind, 0, (value)), \
		I(0, 0, 0, 0, (value) >> 32)

/* Registers: 6 the count, 7 since when, 8 where it is kept, 9 the packet. */
static int load_program(const struct told *t)
{
	static char log[65536];
	const struct bpf_insn code[] = {
		LOAD(BPF_W, 9, 1, offsetof(struct xdp_md, data)),
		LOAD(BPF_W, 3, 1, offsetof(struct xdp_md, data_end)),
		MOVE(2, 9),
		DO(BPF_ADD, 2, BTH_AT + 12),
		I(BPF_JMP | BPF_JGT | BPF_X, 2, 3, DROP - 5, 0),
		CALL(BPF_FUNC_ktime_get_ns),
		MOVE(7, 0),
		FAR(1, 0, t->begin),
		I(BPF_ALU64 | BPF_SUB | BPF_X, 7, 1, 0, 0),
		DO(BPF_LSH, 7, 10),
		I(BPF_ST | BPF_W | BPF_MEM, 10, 0, -4, 0),
		FAR(1, BPF_PSEUDO_MAP_FD, (uint64_t)t->map),
		MOVE(2, 10),
		DO(BPF_ADD, 2, -4),
		CALL(BPF_FUNC_map_lookup_elem),
		I(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, DROP - 18, 0),
		MOVE(8, 0),
		LOAD(BPF_DW, 6, 8, 0),
		MOVE(1, 6),
		DO(BPF_MUL, 1, t->spacing),
		I(BPF_JMP | BPF_JGT | BPF_X, 1, 7, DROP - 23, 0),
		MOVE(1, 6),
		DO(BPF_ADD, 1, 1),
		STORE(BPF_DW, 8, 0, 1),
		MOVE(1, 6),
		DO(BPF_MOD, 1, t->pairs),
		SWAP16(1),
		STORE(BPF_H, 9, BTH_AT + 6, 1),
		DO(BPF_DIV, 6, t->pairs),
		MOVE(1, 6),
		DO(BPF_RSH, 1, 16),
		STORE(BPF_B, 9, BTH_AT + 9, 1),
		SWAP16(6),
		STORE(BPF_H, 9, BTH_AT + 10, 6),
		SET(1, t->interface),
		SET(2, 0),
		CALL(BPF_FUNC_redirect),
		I(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
		SET(0, XDP_DROP),
		I(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	union bpf_attr a = { .prog_type = BPF_PROG_TYPE_XDP,
			     .insns = (uintptr_t)code,
			     .insn_cnt = sizeof code / sizeof *code,
			     .license = (uintptr_t) "GPL",
			     .log_buf = (uintptr_t)log,
			     .log_size = sizeof log,
			     .log_level = 1 };
	int fd = bpf(BPF_PROG_LOAD, &a);

	if (fd < 0)
		fputs(log, stderr);
	return fd;
}

static int load(struct told *t)
{
	union bpf_attr a = { .map_type = BPF_MAP_TYPE_ARRAY,
			     .key_size = 4,
			     .value_size = 8,
			     .max_entries = 1 };
	int fd;

	t->map = bpf(BPF_MAP_CREATE, &a);
	if (t->map < 0)
		die("BPF map");
	fd = load_program(t);
	if (fd < 0)
		die("BPF program");
	return fd;
}

/* ---- sending ---- */

/* A veth takes such packets only when its peer collects them (GRO). */
static void collect(const char *peer)
{
	struct ethtool_value v = { .cmd = ETHTOOL_SGRO, .data = 1 };
	struct ifreq r = { .ifr_data = (void *)&v };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	snprintf(r.ifr_name, sizeof r.ifr_name, "%s", peer);
	if (fd < 0 || ioctl(fd, SIOCETHTOOL, &r))
		die(peer);
	close(fd);
}

static unsigned long arrived(const char *peer)
{
	unsigned long n = 0;
	char path[128];
	FILE *f;

	snprintf(path, sizeof path, "/sys/class/net/%s/statistics/rx_packets",
		 peer);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%lu", &n) != 1)
		die(path);
	fclose(f);
	return n;
}

/* Until a signal comes: to begin and to end it costs milliseconds. */
static void send_all(int fd, uint8_t *packet)
{
	union bpf_attr a = { .test = { .prog_fd = (uint32_t)fd,
				       .data_in = (uintptr_t)packet,
				       .data_size_in = LENGTH,
				       .repeat = INT32_MAX,
				       .flags = BPF_F_TEST_XDP_LIVE_FRAMES,
				       .batch_size = BATCH } };

	while (!sender_stop)
		if (bpf(BPF_PROG_TEST_RUN, &a) && errno != EINTR)
			die("BPF run");
}

int main(int argc, char **argv)
{
	unsigned long rate = number(argv, "--rate", 0), before, came;
	uint8_t packet[LENGTH] = { 0 };
	struct told t = { .pairs = (uint32_t)number(argv, "--pairs", 64) };
	int64_t took;
	int fd;

	if (argc < 3 || !t.pairs || t.pairs > 65536) {
		fputs("gush IFACE PEER [--seconds N] [--rate N] [--pairs N]\n",
		      stderr);
		return 2;
	}
	t.interface = (int)if_nametoindex(argv[1]);
	t.spacing = rate ? (uint32_t)(1024e9 / (double)rate) : 0;
	sender_until_signal();
	collect(argv[2]);
	write_packet(packet);
	t.begin = (uint64_t)now_ns();
	fd = load(&t);
	before = arrived(argv[2]);
	alarm((unsigned)number(argv, "--seconds", 0));
	send_all(fd, packet);
	took = now_ns() - (int64_t)t.begin;
	came = arrived(argv[2]) - before;
	sender_say(came, took);
	return 0;
}

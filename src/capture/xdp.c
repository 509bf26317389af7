/* SPDX-License-Identifier: GPL-2.0-or-later
 * Packets of an interface before the kernel makes anything of them. */
#include "capture/xdp.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* One packet, as the program writes it. */
struct record {
	int64_t ns; /* international atomic time */
	uint32_t wirelen, caplen;
	uint8_t data[];
};

/* Before each record, by the kernel. */
struct head {
	uint32_t length; /* with its bits */
	uint32_t page;
};

struct xdp {
	int socket, memory, count, program, link; /* files */
	bool native;
	size_t size, page;
	unsigned long at;
	_Atomic unsigned long *consumed;
	uint8_t *produced; /* a page, then |size| bytes twice */
	const uint64_t *dropped;
};

#define SECOND INT64_C(1000000000)

enum {
	SIZE_MIN = 1 << 20,
	SIZE_MAX_LOG = 30,
	NOT_OPEN = -1,
	LOG = 4096,
	COUNT_KEY_AT = -4, /* on the stack of the program */
};

static int bpf(int command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof *attr);
}

/* ---- the program ---- */

#define I(op, to, from, offset, value)                            \
	{                                                         \
		.code = (op), .dst_reg = (to), .src_reg = (from), \
		.off = (offset), .imm = (int32_t)(value)          \
	}
#define MOVE(to, from)            I(BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0)
#define SET(to, n)                I(BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, n)
#define ADD(to, n)                I(BPF_ALU64 | BPF_ADD | BPF_K, to, 0, 0, n)
#define STORE(size, to, at, from) I(BPF_STX | (size) | BPF_MEM, to, from, at, 0)
#define CALL(function)            I(BPF_JMP | BPF_CALL, 0, 0, 0, function)
#define SKIP_IF(op, a, b, n)      I(BPF_JMP | (op) | BPF_K, a, 0, n, b)
#define EXIT()                    I(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
#define MAP(to, fd)                                                 \
	I(BPF_LD | BPF_DW | BPF_IMM, to, BPF_PSEUDO_MAP_FD, 0, fd), \
		I(0, 0, 0, 0, 0)
#define AT(member) offsetof(struct record, member)

/* Registers: 6 the context, 7 the record, 8 the packet's length. */
static int load_program(const struct xdp *x, uint32_t snaplen, int verdict,
			char log[LOG])
{
	const struct bpf_insn code[] = {
		MOVE(6, 1),
		CALL(BPF_FUNC_xdp_get_buff_len),
		MOVE(8, 0),
		MAP(1, x->memory),
		SET(2, sizeof(struct record) + snaplen),
		SET(3, 0),
		CALL(BPF_FUNC_ringbuf_reserve),
		SKIP_IF(BPF_JEQ, 0, 0, 20),
		MOVE(7, 0),
		CALL(BPF_FUNC_ktime_get_tai_ns),
		STORE(BPF_DW, 7, AT(ns), 0),
		STORE(BPF_W, 7, AT(wirelen), 8),
		MOVE(4, 8),
		SKIP_IF(BPF_JLE, 4, snaplen, 1),
		SET(4, snaplen),
		/* for the verifier: no packet is empty */
		SKIP_IF(BPF_JGT, 4, 0, 1),
		SET(4, 1),
		STORE(BPF_W, 7, AT(caplen), 4),
		MOVE(1, 6),
		SET(2, 0),
		MOVE(3, 7),
		ADD(3, AT(data)),
		CALL(BPF_FUNC_xdp_load_bytes),
		MOVE(1, 7),
		SET(2, BPF_RB_NO_WAKEUP),
		CALL(BPF_FUNC_ringbuf_submit),
		SET(0, verdict),
		EXIT(),
		/* no room: it is counted */
		I(BPF_ST | BPF_W | BPF_MEM, 10, 0, COUNT_KEY_AT, 0),
		MAP(1, x->count),
		MOVE(2, 10),
		ADD(2, COUNT_KEY_AT),
		CALL(BPF_FUNC_map_lookup_elem),
		SKIP_IF(BPF_JEQ, 0, 0, 2),
		SET(1, 1),
		I(BPF_STX | BPF_DW | BPF_ATOMIC, 0, 1, 0, BPF_ADD),
		SET(0, verdict),
		EXIT(),
	};
	union bpf_attr a = { .prog_type = BPF_PROG_TYPE_XDP,
			     .insns = (uintptr_t)code,
			     .insn_cnt = sizeof code / sizeof *code,
			     .license = (uintptr_t) "GPL",
			     .log_buf = (uintptr_t)log,
			     .log_size = LOG,
			     .log_level = 1,
			     .prog_flags = BPF_F_XDP_HAS_FRAGS };

	return bpf(BPF_PROG_LOAD, &a);
}

/* ---- opening ---- */

static int refused(struct err *err, const char *name, const char *what)
{
	const char *hint = "";

	if (errno == EPERM)
		hint = " (XDP needs CAP_NET_ADMIN and CAP_BPF)";
	else if (errno == EINVAL)
		hint = " (XDP needs Linux 6.1)";
	return err_set(err, ERR_IO, "%s: %s: %s%s", name, what, strerror(errno),
		       hint);
}

static size_t size_of(size_t buffer)
{
	size_t size = SIZE_MIN;

	while (size < buffer && size < (size_t)1 << SIZE_MAX_LOG)
		size *= 2;
	return size;
}

static int make_maps(struct xdp *x, const char *name, struct err *err)
{
	union bpf_attr memory = { .map_type = BPF_MAP_TYPE_RINGBUF,
				  .max_entries = (uint32_t)x->size };
	union bpf_attr count = { .map_type = BPF_MAP_TYPE_ARRAY,
				 .key_size = sizeof(uint32_t),
				 .value_size = sizeof(uint64_t),
				 .max_entries = 1,
				 .map_flags = BPF_F_MMAPABLE };

	x->memory = bpf(BPF_MAP_CREATE, &memory);
	if (x->memory >= 0)
		x->count = bpf(BPF_MAP_CREATE, &count);
	return x->count < 0 ? refused(err, name, "memory for packets") : 0;
}

static void *map_file(size_t size, int protection, int fd, size_t offset)
{
	void *at = mmap(NULL, size, protection, MAP_SHARED, fd, (off_t)offset);

	return at == MAP_FAILED ? NULL : at;
}

static int map_memory(struct xdp *x, const char *name, struct err *err)
{
	x->consumed = map_file(x->page, PROT_READ | PROT_WRITE, x->memory, 0);
	x->produced =
		map_file(x->page + 2 * x->size, PROT_READ, x->memory, x->page);
	x->dropped = map_file(x->page, PROT_READ, x->count, 0);
	return x->consumed && x->produced && x->dropped
		       ? 0
		       : refused(err, name, "memory for packets");
}

/* By the driver where it can, else by the kernel. */
static int attach(struct xdp *x, const char *name, unsigned interface,
		  struct err *err)
{
	static const uint32_t modes[] = { XDP_FLAGS_DRV_MODE,
					  XDP_FLAGS_SKB_MODE };

	for (size_t i = 0; i < 2 && x->link < 0; i++) {
		union bpf_attr a = { .link_create = {
					     .prog_fd = (uint32_t)x->program,
					     .target_ifindex = interface,
					     .attach_type = BPF_XDP,
					     .flags = modes[i] } };

		x->link = bpf(BPF_LINK_CREATE, &a);
		x->native = modes[i] == XDP_FLAGS_DRV_MODE;
		if (x->link < 0 && errno != EOPNOTSUPP && errno != EINVAL)
			break;
	}
	return x->link < 0 ? refused(err, name,
				     "its driver takes no XDP "
				     "program")
			   : 0;
}

/* A socket that receives nothing: by it we ask for the interface's kind, and
 * for the packets that are for others. */
static int look_at_interface(struct xdp *x, const char *name, bool promiscuous,
			     struct err *err)
{
	const struct packet_mreq all = { .mr_ifindex =
						 (int)if_nametoindex(name),
					 .mr_type = PACKET_MR_PROMISC };
	struct ifreq r = { 0 };

	snprintf(r.ifr_name, sizeof r.ifr_name, "%s", name);
	x->socket = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (x->socket < 0 || ioctl(x->socket, SIOCGIFHWADDR, &r))
		return err_errno(err, "%s", name);
	if (r.ifr_hwaddr.sa_family != ARPHRD_ETHER)
		return err_set(err, ERR_USAGE, "%s: XDP is for Ethernet", name);
	if (promiscuous && setsockopt(x->socket, SOL_PACKET,
				      PACKET_ADD_MEMBERSHIP, &all, sizeof all))
		return err_errno(err, "%s: promiscuous mode", name);
	return 0;
}

static int open_all(struct xdp *x, const char *name,
		    const struct xdp_options *o, struct err *err)
{
	char log[LOG] = "";

	if (look_at_interface(x, name, o->promiscuous, err) ||
	    make_maps(x, name, err) || map_memory(x, name, err))
		return -1;
	x->program =
		load_program(x, o->snaplen, o->drop ? XDP_DROP : XDP_PASS, log);
	if (x->program < 0)
		return refused(err, name, "the kernel takes no XDP program");
	return attach(x, name, if_nametoindex(name), err);
}

struct xdp *xdp_open(const char *name, const struct xdp_options *o,
		     struct err *err)
{
	struct xdp *x = calloc(1, sizeof *x);

	if (!x) {
		err_set(err, ERR_MEMORY, "out of memory");
		return NULL;
	}
	x->socket = x->memory = x->count = x->program = x->link = NOT_OPEN;
	x->size = size_of(o->buffer);
	x->page = (size_t)sysconf(_SC_PAGESIZE);
	if (!open_all(x, name, o, err))
		return x;
	xdp_close(x);
	return NULL;
}

static void close_file(int fd)
{
	if (fd >= 0)
		close(fd);
}

static void unmap(const void *at, size_t size)
{
	if (at)
		munmap((void *)(uintptr_t)at, size);
}

void xdp_close(struct xdp *x)
{
	if (!x)
		return;
	close_file(x->link);
	close_file(x->program);
	unmap((const void *)(uintptr_t)x->consumed, x->page);
	unmap(x->produced, x->page + 2 * x->size);
	unmap(x->dropped, x->page);
	close_file(x->count);
	close_file(x->memory);
	close_file(x->socket);
	free(x);
}

int xdp_socket(const struct xdp *x)
{
	return x->socket;
}

bool xdp_native(const struct xdp *x)
{
	return x->native;
}

/* ---- packets ---- */

uint64_t xdp_dropped(const struct xdp *x)
{
	return __atomic_load_n(x->dropped, __ATOMIC_RELAXED);
}

static int64_t look_at(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * SECOND + t.tv_nsec;
}

/* How far the clock is behind atomic time, which is set together with it: whole
 * seconds, so they need not be looked at in the same moment, but nearly. */
static int64_t behind_atomic(void)
{
	int64_t before, now, after;

	do {
		before = look_at(CLOCK_TAI);
		now = look_at(CLOCK_REALTIME);
		after = look_at(CLOCK_TAI);
	} while (after - before > SECOND / 8);
	return (after - now + SECOND / 2) / SECOND * SECOND;
}

uint64_t xdp_take(struct xdp *x, xdp_packet_fn fn, void *ctx)
{
	const _Atomic unsigned long *produced =
		(const _Atomic unsigned long *)(const void *)x->produced;
	unsigned long end =
		atomic_load_explicit(produced, memory_order_acquire);
	int64_t offset = x->at == end ? 0 : behind_atomic();
	uint64_t n = 0;

	while (x->at < end) {
		const struct head *h = (const void *)(x->produced + x->page +
						      (x->at & (x->size - 1)));
		const struct record *r = (const void *)(h + 1);
		uint32_t length = __atomic_load_n(&h->length, __ATOMIC_ACQUIRE);

		/* another processor is still writing it */
		if (length & BPF_RINGBUF_BUSY_BIT)
			break;
		fn(ctx, r->ns - offset, r->data, r->caplen, r->wirelen);
		x->at += (sizeof *h + (length & ~BPF_RINGBUF_DISCARD_BIT) + 7) &
			 ~7UL;
		n++;
	}
	atomic_store_explicit(x->consumed, x->at, memory_order_release);
	return n;
}

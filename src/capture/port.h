/* SPDX-License-Identifier: GPL-2.0-or-later
 * Interfaces that packets are captured from, by libpcap or XDP, into rings.
 *
 * For a process of its own: it knows nothing but packets and counts. */
#ifndef FABSCOPE_CAPTURE_PORT_H
#define FABSCOPE_CAPTURE_PORT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "capture/ring.h"

enum port_xdp {
	PORT_XDP_NOT,
	PORT_XDP_PASS, /* the host gets the packets as well */
	PORT_XDP_DROP, /* it does not: behind a mirror port */
};

struct port_options {
	const char *filter; /* BPF expression, NULL for none */
	unsigned snaplen;   /* bytes of each packet */
	size_t buffer;      /* bytes of the kernel's ring, each interface */
	bool promiscuous;
	bool adapter_time; /* the adapter's time stamps, where it has any */
	enum port_xdp xdp; /* instead of libpcap; knows no filter */
};

struct ports;

/* Opens all of them, or says which cannot be.  Later one may go away and come
 * back. */
struct ports *ports_open(const char *const *names, struct ring *const *rings,
			 size_t n, const struct port_options *o,
			 struct err *err);

/* Puts packets into the rings until |*stop|, or an interface with XDP is gone
 * for good; writes to |wake| when there are
 * new ones and |*asleep|.  The system calls it makes: SYSCALLS in sandbox.c. */
void ports_run(struct ports *p, const volatile sig_atomic_t *stop, int wake,
	       _Atomic unsigned *asleep);

void ports_free(struct ports *p); /* NULL is fine */

#endif

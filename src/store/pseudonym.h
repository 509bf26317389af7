/* SPDX-License-Identifier: GPL-2.0-or-later
 * Other names for what identifies a customer: addresses, numbers, names.
 *
 * A pseudonym is a function of a key and the value, so that the same host has
 * the same pseudonym wherever it is named, in every output made with that key.
 * Addresses and numbers are permuted within their kind (a Feistel network of
 * SipHash), so that two hosts never share one; names are hashed to 40 bits.
 *
 * What is kept, because it tells what kind of thing it is and not which:
 *
 *	IPv4	the block of special use (RFC 6890: 10/8, 192.168/16, link
 *		local, multicast, documentation), and whether the last byte is
 *		0 or 255; loopback, broadcast, 0/8 and 224.0.0/24 altogether
 *	IPv6	unique local, link local, multicast with its scope; other
 *		addresses become ones of 2001:db8::/32 (documentation)
 *	MAC	whether it is a group address; the rest becomes locally
 *		administered.  01:80:c2:* (bridges, PFC) and broadcast are kept
 *	QP	0, 1 and 0xffffff
 *	PDC, job	0
 *	LID	0 and 0xffff; whether it is of multicast
 *	device	0; whether it has 20, 28 or 32 bits, as in telemetry
 *	file	"-" and what it is: .pcapng.gz
 *
 * Subnets are not kept: an address plan is part of what must not be shown, and
 * what the analysis makes of one (rails, link groups) has tables of its own. */
#ifndef FABSCOPE_STORE_PSEUDONYM_H
#define FABSCOPE_STORE_PSEUDONYM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/addr.h"
#include "store/anonymous.h"

/* Numbers that identify, with how many bits each has. */
#define PSEUDONYM_NUMBERS(X) \
	X(QP, 24)            \
	X(PDC, 16)           \
	X(JOB, 24)           \
	X(LID, 16)           \
	X(DEVICE, 32)

enum pseudonym_number {
#define X(id, bits) NUMBER_##id,
	PSEUDONYM_NUMBERS(X)
#undef X
		NUMBER_KINDS
};

enum { PSEUDONYM_TEXT = 64 };

struct addr pseudonym_addr(const struct anonymous_key *k, struct addr a);
uint64_t pseudonym_mac(const struct anonymous_key *k, uint64_t mac);

/* -1 for what is too large to be such a number. */
int64_t pseudonym_of_number(const struct anonymous_key *k,
			    enum pseudonym_number kind, int64_t n);

/* Each writes into |buf| and returns it. */
char *pseudonym_name(const struct anonymous_key *k, const char *name, size_t n,
		     char buf[static PSEUDONYM_TEXT]);
char *pseudonym_path(const struct anonymous_key *k, const char *path,
		     char buf[static PSEUDONYM_TEXT]);

/* "x.pcap": what a tap without a name is called. */
bool pseudonym_is_file(const char *name);

/* A number that tells bytes from others, and nothing else of them. */
uint64_t pseudonym_of_bytes(const struct anonymous_key *k, const void *p,
			    size_t n);

/* "02:00:00:00:00:01" */
bool pseudonym_is_mac(const char *text, uint64_t *mac);

#endif

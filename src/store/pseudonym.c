/* SPDX-License-Identifier: GPL-2.0-or-later
 * Other names for addresses, numbers and names. */
#include "store/pseudonym.h"

#include <stdio.h>
#include <string.h>

#include "base/siphash.h"

/* What is hashed says first what it is for: a
 * number is never found by the pseudonym of another kind of thing. */
enum purpose {
	FOR_NAME,
	FOR_PATH,
	FOR_IPV4,
	FOR_IPV6,
	FOR_MAC,
	FOR_BYTES,
	FOR_NUMBER, /* and those behind it: + enum pseudonym_number */
};

static uint64_t hash(const struct anonymous_key *k, unsigned purpose,
		     unsigned round, uint64_t v)
{
	uint8_t in[10] = { (uint8_t)purpose, (uint8_t)round };

	memcpy(in + 2, &v, sizeof v);
	return siphash(k->bytes, in, sizeof in);
}

/* A permutation of the numbers of |bits| bits: halves that change each other
 * in turn (the Feistel construction). */
static uint64_t permute(const struct anonymous_key *k, unsigned purpose,
			unsigned bits, uint64_t v)
{
	enum { ROUNDS = 10 };
	unsigned low = bits / 2, high = bits - low;

	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t l = v & ((UINT64_C(1) << low) - 1), h = v >> low;

		h ^= hash(k, purpose, i, l) & ((UINT64_C(1) << high) - 1);
		/* the halves change places, and with them their widths */
		v = l << high | h;
		low = bits - low;
		high = bits - low;
	}
	return v;
}

/* ---- IPv4 ---- */

static const struct block {
	uint32_t prefix;
	uint8_t length;
	bool kept;
} blocks[] = {
	{ 0x00000000, 8, true },   { 0x7f000000, 8, true },
	{ 0xe0000000, 24, true },  { 0xffffffff, 32, true },
	{ 0x0a000000, 8, false },  { 0x64400000, 10, false },
	{ 0xa9fe0000, 16, false }, { 0xac100000, 12, false },
	{ 0xc0000200, 24, false }, { 0xc0a80000, 16, false },
	{ 0xc6120000, 15, false }, { 0xc6336400, 24, false },
	{ 0xcb007100, 24, false }, { 0xe0000000, 4, false },
	{ 0xf0000000, 4, false },
};

enum { ANYWHERE = sizeof blocks / sizeof blocks[0] };

static size_t block_of(uint32_t a)
{
	size_t i = 0;

	while (i < ANYWHERE &&
	       (a ^ blocks[i].prefix) >> (32 - blocks[i].length))
		i++;
	return i;
}

static bool is_edge(uint32_t a)
{
	return (a & 0xff) == 0 || (a & 0xff) == 0xff;
}

/* Goes on until it is an address of the same kind: that is a permutation of
 * the addresses of each kind, since the way back is as certain. */
static uint32_t pseudonym_v4(const struct anonymous_key *k, uint32_t a)
{
	size_t block = block_of(a);
	unsigned bits = block == ANYWHERE ? 32 : 32u - blocks[block].length;
	uint32_t fixed = block == ANYWHERE ? 0 : blocks[block].prefix;
	uint64_t v = a ^ fixed;

	if (block < ANYWHERE && blocks[block].kept)
		return a;
	do
		v = permute(k, FOR_IPV4, bits, v);
	while (block_of(fixed | (uint32_t)v) != block ||
	       is_edge((uint32_t)v) != is_edge(a));
	return fixed | (uint32_t)v;
}

/* ---- IPv6 ---- */

/* Bytes from |from| on become a hash of the whole address. */
static void hash_tail(const struct anonymous_key *k, uint8_t b[16], int from)
{
	uint8_t in[18] = { FOR_IPV6 }, out[16];
	uint64_t h;

	memcpy(in + 2, b, 16);
	for (int i = 0; i < 2; i++) {
		in[1] = (uint8_t)i;
		h = siphash(k->bytes, in, sizeof in);
		memcpy(out + 8 * i, &h, sizeof h);
	}
	memcpy(b + from, out + from, (size_t)(16 - from));
}

static bool is_well_known(const uint8_t b[16])
{
	static const uint8_t zero[15];
	/* ::, ::1, and groups such as ff02::1 */
	return (!memcmp(b, zero, 15) && b[15] <= 1) ||
	       (b[0] == 0xff && !memcmp(b + 2, zero, 13));
}

static void pseudonym_v6(const struct anonymous_key *k, uint8_t b[16])
{
	static const uint8_t documentation[4] = { 0x20, 0x01, 0x0d, 0xb8 };

	if (is_well_known(b))
		return;
	if (b[0] == 0xff) {
		hash_tail(k, b, 2);
	} else if ((b[0] & 0xfe) == 0xfc) {
		hash_tail(k, b, 1);
	} else if (b[0] == 0xfe && (b[1] & 0xc0) == 0x80) {
		hash_tail(k, b, 8);
	} else {
		hash_tail(k, b, 4);
		memcpy(b, documentation, sizeof documentation);
	}
}

struct addr pseudonym_addr(const struct anonymous_key *k, struct addr a)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	int lid = addr_lid(a);
	uint8_t b[16];
	uint32_t v;

	if (lid >= 0)
		return addr_from_lid(
			(uint16_t)pseudonym_of_number(k, NUMBER_LID, lid));
	memcpy(b, &a, sizeof b);
	if (memcmp(b, mapped, sizeof mapped) != 0) {
		pseudonym_v6(k, b);
		return addr_from_v6(b);
	}
	v = (uint32_t)b[12] << 24 | (uint32_t)b[13] << 16 |
	    (uint32_t)b[14] << 8 | b[15];
	v = pseudonym_v4(k, v);
	for (int i = 0; i < 4; i++)
		b[12 + i] = (uint8_t)(v >> (24 - 8 * i));
	return addr_from_v4(b + 12);
}

/* ---- MAC ---- */

uint64_t pseudonym_mac(const struct anonymous_key *k, uint64_t mac)
{
	enum { LOW = 40 }; /* bytes behind the first */
	const uint64_t group = UINT64_C(1) << LOW, local = group << 1;
	uint64_t low = mac & (group - 1), high = mac >> (LOW + 2), v;

	if (mac >> 24 == 0x0180c2 || mac == UINT64_C(0xffffffffffff))
		return mac;
	/* Whether it was local before goes into the 46 bits as well: it is what
	 * two addresses may differ in. */
	v = permute(k, FOR_MAC, 46, high << LOW | low);
	if (mac & local)
		v ^= 1;
	return (v >> LOW) << (LOW + 2) | (v & (group - 1)) | local |
	       (mac & group);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool pseudonym_is_mac(const char *text, uint64_t *mac)
{
	*mac = 0;
	for (int i = 0; i < MAC_TEXT - 1; i++) {
		int digit = hex_digit(text[i]);

		if (i % 3 == 2 ? text[i] != ':' && text[i] != '-' : digit < 0)
			return false;
		if (i % 3 != 2)
			*mac = *mac << 4 | (unsigned)digit;
	}
	return true;
}

/* ---- numbers ---- */

/* A pseudonym has to fit into the field its number came from: IFA's two, and
 * INT's. */
static const unsigned device_widths[] = { 20, 28, 32 };

enum { DEVICE_WIDTHS = sizeof device_widths / sizeof device_widths[0] };

int64_t pseudonym_of_number(const struct anonymous_key *k,
			    enum pseudonym_number kind, int64_t n)
{
	static const unsigned bits[NUMBER_KINDS] = {
#define X(id, width) [NUMBER_##id] = (width),
		PSEUDONYM_NUMBERS(X)
#undef X
	};
	/* the queue pairs of management and of multicast, the permissive LID */
	int64_t first = kind == NUMBER_QP ? 2 : 1;
	int64_t end = INT64_C(1) << bits[kind];
	bool all_ones = kind != NUMBER_QP && kind != NUMBER_LID;
	int64_t last = end - (all_ones ? 1 : 2);
	unsigned width = bits[kind];
	const int64_t multicast = 0xc000; /* the first such LID */

	if (n < 0 || n >= end)
		return -1;
	if (n < first || n > last)
		return n;
	for (size_t i = 0; kind == NUMBER_DEVICE && i < DEVICE_WIDTHS; i++) {
		width = device_widths[i];
		last = (INT64_C(1) << width) - 1;
		if (n <= last)
			break;
		first = last + 1;
	}
	if (kind == NUMBER_LID && n < multicast)
		last = multicast - 1;
	else if (kind == NUMBER_LID)
		first = multicast;
	do
		n = (int64_t)permute(k, FOR_NUMBER + kind, width, (uint64_t)n);
	while (n < first || n > last);
	return n;
}

/* ---- names ---- */

/* 40 bits as eight letters and digits. */
static void letters(uint64_t v, char out[static 9])
{
	static const char set[] = "abcdefghijkmnpqrstuvwxyz23456789";

	for (int i = 0; i < 8; i++, v >>= 5)
		out[i] = set[v & 31];
	out[8] = 0;
}

static uint64_t hash_text(const struct anonymous_key *k, enum purpose purpose,
			  const char *text, size_t n)
{
	return hash(k, purpose, 0, siphash(k->bytes, text, n));
}

uint64_t pseudonym_of_bytes(const struct anonymous_key *k, const void *p,
			    size_t n)
{
	return hash_text(k, FOR_BYTES, p, n);
}

char *pseudonym_name(const struct anonymous_key *k, const char *name, size_t n,
		     char buf[static PSEUDONYM_TEXT])
{
	char code[9];

	if (n == 0) {
		*buf = 0;
		return buf;
	}
	letters(hash_text(k, FOR_NAME, name, n), code);
	snprintf(buf, PSEUDONYM_TEXT, "name-%s", code);
	return buf;
}

/* The known endings of |path|: ".pcapng.gz" */
static const char *ending(const char *path)
{
	static const char *const known[] = { ".pcap", ".pcapng", ".cap", ".gz",
					     ".zst",  ".lz4",    ".db",  ".ini",
					     ".erf",  ".snoop" };
	const char *end = path + strlen(path);

	for (const char *at = end; at > path && *at != '/'; at--) {
		bool is_known = false;
		size_t n;

		if (*at != '.')
			continue;
		n = strcspn(at + 1, ".") + 1;
		for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
			is_known |= strlen(known[i]) == n &&
				    !strncmp(at, known[i], n);
		if (!is_known)
			break;
		end = at;
	}
	return end;
}

bool pseudonym_is_file(const char *name)
{
	return *ending(name) != 0;
}

char *pseudonym_path(const struct anonymous_key *k, const char *path,
		     char buf[static PSEUDONYM_TEXT])
{
	const char *name = strrchr(path, '/');
	const char *tail = ending(path);
	char code[9];

	name = name ? name + 1 : path;
	if (!strcmp(name, "-") || !*name) {
		snprintf(buf, PSEUDONYM_TEXT, "%s", name);
		return buf;
	}
	/* by its last part: a tap may have that for a name */
	letters(hash_text(k, FOR_PATH, name, strlen(name)), code);
	snprintf(buf, PSEUDONYM_TEXT, "file-%s%.30s", code, tail);
	return buf;
}

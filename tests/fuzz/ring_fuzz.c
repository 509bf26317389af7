/* SPDX-License-Identifier: GPL-2.0-or-later
 * libFuzzer target: the ring between the processes of live, against a list.
 *
 * An input is a sequence of what its writer, its reader and one that is not
 * waited for do.  What the reader gets is what the writer put, in order, with
 * nothing missing but what was told as dropped. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "capture/ring.h"

enum { PACKETS = 4096, LONGEST = 9000, ROOM = 1 << 16 };

struct put {
	uint32_t caplen;
	uint8_t seed;
};

static struct put puts_[PACKETS];
static uint8_t bytes[LONGEST];

static void promise(bool kept)
{
	if (!kept)
		abort();
}

static const uint8_t *content(const struct put *p)
{
	for (uint32_t i = 0; i < p->caplen; i++)
		bytes[i] = (uint8_t)(p->seed + i * 31);
	return bytes;
}

/* Numbers of packets go up; those between were dropped. */
static void see(const struct ring_record *r, uint64_t *last)
{
	promise(r->size % 16 == 0 &&
		r->size >= sizeof *r + r->caplen * (r->kind == RING_FRAME));
	if (r->kind != RING_FRAME)
		return;
	promise(r->number > *last && r->number <= PACKETS);
	*last = r->number;
	promise(r->caplen == puts_[r->number - 1].caplen);
	promise(!memcmp(ring_data(r), content(&puts_[r->number - 1]),
			r->caplen));
}

/* The same of a copy, whose alignment is that of its record. */
static void look(struct ring *r, uint64_t *at, uint64_t *last)
{
	static struct {
		struct ring_record head;
		uint8_t data[ROOM];
	} copy;
	int got = ring_copy(r, at, &copy, sizeof copy);

	promise(got >= -1 && got <= 1);
	if (got < 0)
		*last = 0;
	if (got == 1)
		see(&copy.head, last);
}

static void run(struct ring *r, const uint8_t *p, const uint8_t *end)
{
	uint64_t put = 0, tail = 0, read = 0, got = 0, at = 0, seen = 0;

	for (; end - p >= 3; p += 3) {
		const struct ring_record *next;
		struct put *new = &puts_[put];

		switch (p[0] % 6) {
		case 0:
		case 1:
			if (put == PACKETS)
				return;
			new->caplen = (p[1] | (uint32_t)p[2] << 8) % LONGEST;
			new->seed = p[2];
			put++;
			ring_put(r, (int64_t)put, content(new), new->caplen,
				 new->caplen);
			break;
		case 2:
			next = ring_at(r, &read);
			if (next) {
				see(next, &got);
				read += next->size;
			}
			break;
		case 3:
			promise(read >= tail);
			tail = read;
			ring_release(r, tail);
			break;
		case 4:
			look(r, &at, &seen);
			break;
		case 5:
			if (p[1] & 1)
				ring_put_drops(r, p[2] % DROPS, (int64_t)put,
					       (int64_t)put + 1, p[1]);
			else
				ring_flush(r);
			break;
		}
		promise(ring_oldest(r) <= tail || !tail);
		promise(ring_waiting(r) <= r->size);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ring *r = ring_new(1 << 14, NULL);

	promise(r != NULL);
	run(r, data, data + size);
	ring_free(r);
	return 0;
}

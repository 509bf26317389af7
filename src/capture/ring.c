/* SPDX-License-Identifier: GPL-2.0-or-later
 * A ring of packets in shared memory. */
#include "capture/ring.h"

#include <string.h>
#include <sys/mman.h>

enum { ALIGN = 16, SIZE_MIN = 1 << 20 };

struct ring *ring_new(size_t size, struct err *err)
{
	size_t room = SIZE_MIN, mapped;
	struct ring *r;

	while (room < size)
		room *= 2;
	mapped = sizeof *r + room;
	r = mmap(NULL, mapped, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (r == MAP_FAILED) {
		err_errno(err, "cannot allocate memory for captured packets");
		return NULL;
	}
	r->size = room;
	r->mapped = mapped;
	return r;
}

void ring_free(struct ring *r)
{
	if (r)
		munmap(r, r->mapped);
}

static struct ring_record *record(struct ring *r, uint64_t at)
{
	return (struct ring_record *)(void *)(r->data + (at & (r->size - 1)));
}

/* ---- the writer ---- */

static uint64_t load(_Atomic uint64_t *v)
{
	return atomic_load_explicit(v, memory_order_relaxed);
}

/* Room for |n| bytes at |head|: what the reader has read is given up, oldest
 * first. */
static bool make_room(struct ring *r, uint64_t n)
{
	uint64_t head = load(&r->head), keep = load(&r->keep);
	uint64_t tail;

	if (head - keep + n <= r->size)
		return true;
	tail = atomic_load_explicit(&r->tail, memory_order_acquire);
	while (head - keep + n > r->size) {
		if (keep >= tail)
			return false;
		keep += record(r, keep)->size;
	}
	/* Readers that are not waited for see this before new data. */
	atomic_store(&r->keep, keep);
	atomic_thread_fence(memory_order_seq_cst);
	return true;
}

/* A record is never split: the rest of the memory becomes padding. */
static struct ring_record *reserve(struct ring *r, uint32_t payload,
				   uint64_t *head)
{
	uint64_t size = (sizeof(struct ring_record) + payload + ALIGN - 1) &
			~(uint64_t)(ALIGN - 1);
	uint64_t left;

	*head = load(&r->head);
	left = r->size - (*head & (r->size - 1));
	if (size > r->size / 4 ||
	    !make_room(r, left < size ? left + size : size))
		return NULL;
	if (left < size) {
		struct ring_record *pad = record(r, *head);

		pad->size = (uint32_t)left;
		pad->kind = RING_PAD;
		*head += left;
	}
	record(r, *head)->size = (uint32_t)size;
	return record(r, *head);
}

static void publish(struct ring *r, uint64_t head)
{
	atomic_store_explicit(&r->head, head, memory_order_release);
}

static bool put_drops(struct ring *r, enum ring_who who, int64_t from,
		      int64_t to, uint32_t n)
{
	uint64_t head;
	struct ring_record *f = reserve(r, 0, &head);

	if (!f)
		return false;
	f->kind = RING_DROPS;
	f->who = (uint16_t)who;
	f->ns = from;
	f->until = to;
	f->caplen = n;
	f->wirelen = 0;
	publish(r, head + f->size);
	return true;
}

static void note_own(struct ring *r, int64_t from, int64_t to, uint64_t n)
{
	if (!r->own_packets || from < r->own_from)
		r->own_from = from;
	if (!r->own_packets || to > r->own_to)
		r->own_to = to;
	r->own_packets += n;
}

/* What was dropped for lack of room is reported as soon as there is some. */
static bool tell_own(struct ring *r)
{
	uint64_t n = r->own_packets;

	if (!n)
		return true;
	if (!put_drops(r, DROPS_OWN, r->own_from, r->own_to,
		       n < UINT32_MAX ? (uint32_t)n : UINT32_MAX))
		return false;
	r->own_packets = 0;
	return true;
}

bool ring_put(struct ring *r, int64_t ns, const uint8_t *data, uint32_t caplen,
	      uint32_t wirelen)
{
	struct ring_record *f = NULL;
	uint64_t head;

	if (tell_own(r))
		f = reserve(r, caplen, &head);
	if (!f) {
		note_own(r, ns, ns, 1);
		atomic_fetch_add(&r->report.dropped[DROPS_OWN], 1);
		return false;
	}
	f->kind = RING_FRAME;
	f->ns = ns;
	f->number = ++r->number;
	f->caplen = caplen;
	f->wirelen = wirelen;
	memcpy(f + 1, data, caplen);
	publish(r, head + f->size);
	return true;
}

void ring_put_drops(struct ring *r, enum ring_who who, int64_t from, int64_t to,
		    uint32_t n)
{
	/* Without room it is counted as dropped by fabscope: nobody can say
	 * more. */
	if (!tell_own(r) || !put_drops(r, who, from, to, n))
		note_own(r, from, to, n);
}

void ring_flush(struct ring *r)
{
	tell_own(r);
}

/* ---- the reader ---- */

const struct ring_record *ring_at(struct ring *r, uint64_t *at)
{
	uint64_t head = atomic_load_explicit(&r->head, memory_order_acquire);

	while (*at != head) {
		const struct ring_record *f = record(r, *at);

		if (f->kind != RING_PAD)
			return f;
		*at += f->size;
	}
	return NULL;
}

/* ---- those that are not waited for ---- */

uint64_t ring_oldest(struct ring *r)
{
	return atomic_load(&r->keep);
}

static bool overrun(struct ring *r, uint64_t *at)
{
	uint64_t keep;

	atomic_thread_fence(memory_order_seq_cst);
	keep = ring_oldest(r);
	if (keep <= *at)
		return false;
	*at = keep;
	return true;
}

int ring_copy(struct ring *r, uint64_t *at, void *to, size_t room)
{
	uint64_t end = atomic_load_explicit(&r->head, memory_order_acquire);
	struct ring_record head;
	const struct ring_record *f;
	size_t n;

	if (overrun(r, at))
		return -1;
	/* What a record says counts when it still stands behind reading it. */
	for (;; *at += head.size) {
		if (*at == end)
			return 0;
		f = record(r, *at);
		head = *f;
		if (overrun(r, at))
			return -1;
		if (head.kind != RING_PAD)
			break;
	}
	n = sizeof head + (head.kind == RING_FRAME ? head.caplen : 0);
	memcpy(to, f, n < room ? n : room);
	if (overrun(r, at))
		return -1;
	*at += head.size;
	return 1;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which messages a pair sends, for bench.c.
 *
 * Storage, parameter servers and collectives side by side: most messages are
 * short, most packets belong to long ones.  Where in the cycle a packet is says
 * which message it is part of, so going back needs no memory of them. */
#include <stdlib.h>

#include "simulate/bench.h"
#include "simulate/mem.h"

static const struct bench_message usual[] = {
	{ BENCH_SEND, 1, 64, 0, 0 },      { BENCH_WRITE, 64, 4096, 0, 0 },
	{ BENCH_WRITE_IMM, 1, 8, 0, 0 },  { BENCH_READ, 8, 4096, 0, 0 },
	{ BENCH_WRITE, 16, 512, 0, 0 },   { BENCH_SEND, 2, 1024, 0, 0 },
	{ BENCH_WRITE, 256, 4096, 0, 0 }, { BENCH_WRITE_IMM, 4, 2048, 0, 0 },
	{ BENCH_WRITE, 1, 64, 0, 0 },     { BENCH_READ, 32, 4096, 0, 0 },
	{ BENCH_SEND, 1, 256, 0, 0 },     { BENCH_WRITE_IMM, 128, 4096, 0, 0 },
	{ BENCH_WRITE, 1, 4096, 0, 0 },   { BENCH_READ, 1, 512, 0, 0 },
	{ BENCH_WRITE, 512, 4096, 0, 0 }, { BENCH_WRITE_IMM, 32, 4096, 0, 0 },
};
enum { USUAL = sizeof usual / sizeof usual[0] };

void bench_mix_init(struct bench_mix *m, uint32_t packets, bool reads)
{
	struct bench_message same = { BENCH_WRITE, (uint16_t)packets, BENCH_MTU,
				      0, 0 };

	m->messages = packets ? 1 : USUAL;
	m->message = mem_new(m->messages * sizeof *m->message);
	m->packets = 0;
	m->bytes = 0;
	for (uint32_t i = 0; i < m->messages; i++) {
		m->message[i] = packets ? same : usual[i];
		if (m->message[i].kind == BENCH_READ && !reads)
			m->message[i].kind = BENCH_WRITE;
		m->message[i].first = m->packets;
		m->message[i].before = m->bytes;
		m->packets += m->message[i].packets;
		m->bytes += bench_message_bytes(&m->message[i]);
	}
	m->at = mem_new(m->packets);
	for (uint32_t i = 0; i < m->messages; i++)
		for (uint32_t k = 0; k < m->message[i].packets; k++)
			m->at[m->message[i].first + k] = (uint8_t)i;
}

void bench_mix_fini(struct bench_mix *m)
{
	free(m->message);
	free(m->at);
}

struct bench_place bench_place(const struct bench_mix *m, uint64_t packet)
{
	uint32_t at = (uint32_t)(packet % m->packets), i = m->at[at];
	const struct bench_message *found = &m->message[i];
	bool last = at - found->first == found->packets - 1u;

	return (struct bench_place) {
		.message = found,
		.number = packet / m->packets * m->messages + i,
		.at = at - found->first,
		.payload = last ? found->tail : BENCH_MTU,
		.last = last,
	};
}

uint32_t bench_message_bytes(const struct bench_message *m)
{
	return (m->packets - 1u) * BENCH_MTU + m->tail;
}

/* Of the cycles from the first on. */
static uint64_t bytes_before(const struct bench_mix *m, uint64_t packet)
{
	struct bench_place w = bench_place(m, packet);

	return packet / m->packets * m->bytes + w.message->before +
	       (uint64_t)w.at * BENCH_MTU;
}

uint64_t bench_bytes(const struct pair *p, uint64_t index)
{
	return bytes_before(p->mix, p->phase + index) -
	       bytes_before(p->mix, p->phase);
}

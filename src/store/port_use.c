/* SPDX-License-Identifier: GPL-2.0-or-later
 * Table temp.port_use: grouping by two addresses and a capture point takes
 * SQLite as long as a tenth of the whole analysis of many flows.
 *
 * Only how many there are is asked for, so hosts need no names: two pairs of
 * them have one number with probability 2^-64. */
#include "store/port_use.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/sort.h"

/* Pairs of hosts with fewer flows say nothing. */
enum { FLOWS_MIN = 4 };

struct noted {
	int64_t pair; /* of hosts, at a capture point */
	int64_t port;
};

struct counts {
	uint64_t pairs, flows, ports;
	uint64_t one, several; /* pairs with one port, with more */
};

static bool counts_for(const struct fact_flow *f)
{
	return (f->transport == FLOW_RC || f->transport == FLOW_XRC ||
		f->transport == FLOW_UC) &&
	       f->requests > 0 && f->epoch == 0;
}

bool port_use_note(struct port_use *u, const struct fact_flow *f)
{
	if (!counts_for(f))
		return true;
	if (u->n == u->room) {
		size_t room = u->room ? 2 * u->room : 64;
		struct noted *list = reallocarray(u->list, room, sizeof *list);

		if (!list)
			return false;
		u->list = list;
		u->room = room;
	}
	u->list[u->n++] = (struct noted) {
		(int64_t)hash6(f->src.w[0], f->src.w[1], f->dst.w[0],
			       f->dst.w[1], f->tap, 0),
		f->udp_sport,
	};
	return true;
}

/* By pair, and of each by port. */
static bool sort(struct port_use *u)
{
	return sort_by(struct noted, u->list, u->n, port) &&
	       sort_by(struct noted, u->list, u->n, pair);
}

static struct counts count(const struct port_use *u)
{
	struct counts c = { 0 };

	for (size_t i = 0, n; i < u->n; i += n) {
		const struct noted *v = u->list + i;
		uint64_t ports = 1;

		for (n = 1; i + n < u->n && v[n].pair == v[0].pair; n++)
			ports += v[n].port != v[n - 1].port;
		if (n < FLOWS_MIN)
			continue;
		c.pairs++;
		c.flows += n;
		c.ports += ports;
		c.one += ports == 1;
		c.several += ports > 1;
	}
	return c;
}

int port_use_write(struct port_use *u, struct store *s, struct err *err)
{
	struct counts c;
	char sql[512];

	if (!sort(u))
		return err_set(err, ERR_MEMORY, "out of memory");
	c = count(u);
	snprintf(sql, sizeof sql,
		 "DROP TABLE IF EXISTS temp.port_use;"
		 "CREATE TEMP TABLE port_use AS SELECT"
		 " %" PRIu64 " AS pairs, %" PRIu64 " AS flows,"
		 " %" PRIu64 " AS ports, %" PRIu64 " AS one,"
		 " %" PRIu64 " AS several",
		 c.pairs, c.flows, c.ports, c.one, c.several);
	return db_run(s, sql, err);
}

void port_use_free(struct port_use *u)
{
	free(u->list);
	*u = (struct port_use) { 0 };
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Why a switch paused: the link of a host that was full meanwhile. */
#include <stdlib.h>

#include "store/phase.h"

/* So many ports, those that paused longest. */
#define PORTS_MAX "64"

struct cause {
	struct store *s;
	const struct phase_facts *f;
	struct phase_span *spans;
	size_t n, room;
	sqlite3_stmt *set;
};

static bool add_span(struct cause *c, int64_t from, int64_t to)
{
	if (c->n == c->room) {
		size_t room = c->room ? 2 * c->room : 64;
		struct phase_span *v = reallocarray(c->spans, room, sizeof *v);

		if (!v)
			return false;
		c->spans = v;
		c->room = room;
	}
	c->spans[c->n++] = (struct phase_span) { .from = from,
						 .to = to,
						 .class = CLASS_PAUSED };
	return true;
}

/* The pauses of port |row| are known. */
static bool one_port(struct cause *c, int64_t row)
{
	const struct phase_facts *f = c->f;
	size_t flow;

	if (!phase_full_link(f->flows, f->n_flows, f->hosts, f->n_hosts,
			     c->spans, c->n, &flow))
		return false;
	c->n = 0;
	if (flow == SIZE_MAX)
		return true;
	sqlite3_bind_int64(c->set, 1, f->flows[flow].id);
	sqlite3_bind_int64(c->set, 2, row);
	sqlite3_step(c->set);
	return sqlite3_reset(c->set) == SQLITE_OK;
}

static bool every_port(struct cause *c, sqlite3_stmt *q)
{
	int64_t row = 0;

	while (sqlite3_step(q) == SQLITE_ROW) {
		int64_t next = sqlite3_column_int64(q, 0);

		if (c->n && next != row && !one_port(c, row))
			return false;
		row = next;
		if (!add_span(c, sqlite3_column_int64(q, 1),
			      sqlite3_column_int64(q, 2)))
			return false;
	}
	return !c->n || one_port(c, row);
}

int phase_pauses(struct store *s, const struct phase_facts *f, struct err *err)
{
	static const char ports[] =
		"SELECT r.id, p.first_ns, p.last_ns"
		"  FROM (SELECT rowid AS id, tap_id, source_mac, priority"
		"    FROM pause_sender /*scan*/"
		"   WHERE role = 'switch' AND NOT deadlock AND NOT ignored"
		"     AND paused_ns > 0"
		"   ORDER BY paused_ns DESC, rowid LIMIT " PORTS_MAX ") r"
		"  JOIN pause p ON p.tap_id = r.tap_id"
		"   AND p.source_mac = r.source_mac"
		"   AND p.priority IS r.priority"
		" WHERE p.last_ns > p.first_ns"
		" ORDER BY r.id, p.first_ns";
	static const char set[] =
		"UPDATE pause_sender SET full_flow = ? WHERE rowid = ?";
	struct cause c = { .s = s, .f = f };
	sqlite3_stmt *p = NULL;
	int rc = -1;

	if (!db_integer(s, "SELECT EXISTS (SELECT 1 FROM pause_sender)", 0))
		return 0;
	if ((c.set = db_prepare(s, set, "pauses", err)) &&
	    (p = db_prepare(s, ports, "pauses", err)))
		rc = every_port(&c, p)
			     ? 0
			     : err_set(err, ERR_MEMORY, "out of memory");
	sqlite3_finalize(c.set);
	sqlite3_finalize(p);
	free(c.spans);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Why a switch paused: the link of a host that was full meanwhile.  What hosts
 * paused, and what that left in queues. */
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

/* ---- of hosts ---- */

/* Spans in order of their begin, those that overlap as one.  Returns how many
 * there are. */
size_t phase_join_spans(struct phase_span *v, size_t n)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		if (!k || v[i].from > v[k - 1].to)
			v[k++] = v[i];
		else if (v[i].to > v[k - 1].to)
			v[k - 1].to = v[i].to;
	}
	return k;
}

/* The host has them when all are there. */
static bool own_pause_row(struct phase_facts *f, sqlite3_stmt *q)
{
	const struct phase_host *h =
		phase_host_sorted(f, (const char *)sqlite3_column_text(q, 0));
	struct phase_span *p = h ? ANOTHER(f, own_pauses) : NULL;

	if (!p)
		return !h;
	*p = (struct phase_span) { sqlite3_column_int64(q, 1),
				   sqlite3_column_int64(q, 2),
				   CLASS_PAUSED_HOST, false };
	f->hosts[h - f->hosts].n_pauses++;
	return true;
}

static void hand_out_pauses(struct phase_facts *f)
{
	size_t at = 0;

	for (size_t i = 0; i < f->n_hosts; i++) {
		struct phase_host *h = &f->hosts[i];
		struct phase_span *v =
			f->own_pauses ? f->own_pauses + at : NULL;

		at += h->n_pauses;
		h->pauses = v;
		h->n_pauses = phase_join_spans(v, h->n_pauses);
	}
}

int phase_own_pauses(struct store *s, struct phase_facts *f, struct err *err)
{
	/* A host has all its pauses one after the other. */
	static const char own[] =
		"SELECT r.host, p.first_ns, p.last_ns"
		"  FROM pause_sender r /*scan*/"
		"  JOIN pause p ON p.tap_id = r.tap_id"
		"   AND p.source_mac = r.source_mac"
		"   AND p.priority IS r.priority"
		" WHERE r.role = 'host' AND NOT r.ignored"
		"   AND p.last_ns > p.first_ns"
		" ORDER BY length(r.host), r.host, p.first_ns";

	if (phase_each(s, own, f, own_pause_row, err))
		return -1;
	hand_out_pauses(f);
	return 0;
}

bool phase_paused_queues(struct phase_facts *f)
{
	bool ok = true;

	for (uint32_t i = 0; ok && i < f->n_hosts; i++) {
		struct phase_host *h = &f->hosts[i];

		if (h->n_pauses)
			ok = phase_paused_queue(f->flows, f->n_flows, i, h,
						h->bps ? h->bps : f->link_bps,
						&h->queue);
	}
	return ok;
}

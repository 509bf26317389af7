/* SPDX-License-Identifier: GPL-2.0-or-later
 * Hosts of phases: a number for each address, and which of them are ranks of a
 * rail, NICs of a server, or have a tap of their own. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/siphash.h"
#include "store/phase.h"

enum { SLOTS_MIN = 64 };

struct phase_names {
	uint8_t key[SIPHASH_KEY]; /* nobody shall choose what collides */
	size_t n;                 /* power of two, more than twice the hosts */
	uint32_t slots[];         /* index + 1; 0 free */
};

/* The slot in which |address| is, or would be. */
static uint32_t *slot_of(const struct phase_facts *f, struct phase_names *names,
			 const char *address)
{
	uint64_t h = siphash(names->key, address, strlen(address));

	for (size_t i = h & (names->n - 1);; i = (i + 1) & (names->n - 1)) {
		uint32_t *slot = &names->slots[i];

		if (!*slot || !strcmp(f->hosts[*slot - 1].address, address))
			return slot;
	}
}

/* As many slots as there must be for one host more. */
static bool make_slots(struct phase_facts *f)
{
	size_t n = f->names ? f->names->n : SLOTS_MIN / 2;
	struct phase_names *names;

	if (f->names && 2 * (f->n_hosts + 1) < n)
		return true;
	names = calloc(1, sizeof *names + 2 * n * sizeof names->slots[0]);
	if (!names)
		return false;
	names->n = 2 * n;
	if (getentropy(names->key, sizeof names->key))
		memset(names->key, 0, sizeof names->key);
	for (uint32_t i = 0; i < f->n_hosts; i++)
		*slot_of(f, names, f->hosts[i].address) = i + 1;
	free(f->names);
	f->names = names;
	return true;
}

static bool make_room(struct phase_facts *f)
{
	size_t more = f->room_hosts ? 2 * f->room_hosts : SLOTS_MIN;
	struct phase_host *v;

	if (f->n_hosts < f->room_hosts)
		return true;
	v = reallocarray(f->hosts, more, sizeof *v);
	if (!v)
		return false;
	f->hosts = v;
	f->room_hosts = more;
	return true;
}

bool phase_host_number(struct phase_facts *f, const char *address, uint32_t *n)
{
	uint32_t *slot;
	char *own;

	if (!address || !make_slots(f))
		return false;
	slot = slot_of(f, f->names, address);
	if (!*slot) {
		own = strdup(address);
		if (!own || !make_room(f)) {
			free(own);
			return false;
		}
		f->hosts[f->n_hosts++] =
			(struct phase_host) { .address = own, .rail = -1 };
		*slot = (uint32_t)f->n_hosts;
	}
	*n = *slot - 1;
	return true;
}

struct phase_host *phase_host_known(const struct phase_facts *f,
				    const char *address)
{
	uint32_t n = f->names && address ? *slot_of(f, f->names, address) : 0;

	return n ? &f->hosts[n - 1] : NULL;
}

struct sorted {
	struct phase_host host;
	uint32_t was;
};

static int compare(const char *x, const char *y)
{
	size_t n = strlen(x), m = strlen(y);

	return n != m ? (n > m) - (n < m) : strcmp(x, y);
}

static int by_address(const void *a, const void *b)
{
	return compare(((const struct sorted *)a)->host.address,
		       ((const struct sorted *)b)->host.address);
}

static int at_address(const void *address, const void *host)
{
	return compare(address, ((const struct phase_host *)host)->address);
}

const struct phase_host *phase_host_sorted(const struct phase_facts *f,
					   const char *address)
{
	return address && f->n_hosts ? bsearch(address, f->hosts, f->n_hosts,
					       sizeof *f->hosts, at_address)
				     : NULL;
}

bool phase_hosts_sort(struct phase_facts *f)
{
	struct sorted *v = calloc(f->n_hosts + 1, sizeof *v);
	uint32_t *now = calloc(f->n_hosts + 1, sizeof *now);
	bool ok = v && now;

	for (uint32_t i = 0; ok && i < f->n_hosts; i++)
		v[i] = (struct sorted) { f->hosts[i], i };
	if (ok)
		qsort(v, f->n_hosts, sizeof *v, by_address);
	for (uint32_t i = 0; ok && i < f->n_hosts; i++) {
		f->hosts[i] = v[i].host;
		now[v[i].was] = i;
	}
	for (size_t i = 0; ok && i < f->n_flows; i++) {
		f->flows[i].src = now[f->flows[i].src];
		f->flows[i].dst = now[f->flows[i].dst];
	}
	free(v);
	free(now);
	/* The slots tell the numbers from before. */
	free(f->names);
	f->names = NULL;
	return ok;
}

void phase_hosts_free(struct phase_facts *f)
{
	for (size_t i = 0; i < f->n_hosts; i++) {
		free(f->hosts[i].address);
		free(f->hosts[i].queue);
	}
	free(f->hosts);
	free(f->names);
}

static struct phase_host *host_of(struct phase_facts *f, sqlite3_stmt *q)
{
	return phase_host_known(f, (const char *)sqlite3_column_text(q, 0));
}

static bool rail_row(struct phase_facts *f, sqlite3_stmt *q)
{
	struct phase_host *h = host_of(f, q);

	if (h && sqlite3_column_type(q, 1) != SQLITE_NULL)
		h->rail = sqlite3_column_int(q, 1);
	return true;
}

static bool server_row(struct phase_facts *f, sqlite3_stmt *q)
{
	struct phase_host *h = host_of(f, q);

	if (h)
		h->server = (uint32_t)sqlite3_column_int64(q, 1);
	return true;
}

static bool leaf_row(struct phase_facts *f, sqlite3_stmt *q)
{
	struct phase_host *h = host_of(f, q);

	if (h)
		h->leaf = (uint32_t)sqlite3_column_int64(q, 1);
	return true;
}

static bool link_row(struct phase_facts *f, sqlite3_stmt *q)
{
	struct phase_host *h = host_of(f, q);

	if (!h)
		return true;
	h->link = true;
	h->bps = (uint64_t)sqlite3_column_int64(q, 1);
	return true;
}

int phase_hosts_load(struct store *s, struct phase_facts *f, struct err *err)
{
	static const char rails[] =
		"SELECT x.address, n.rail FROM node_address x /*scan*/"
		"  JOIN node n ON n.name = x.node";
	static const char servers[] =
		"SELECT address, dense_rank() OVER (ORDER BY server)"
		"  FROM host_server /*scan*/";
	static const char leaves[] =
		"SELECT x.address, dense_rank() OVER (ORDER BY n.attached)"
		"  FROM node_address x /*scan*/"
		"  JOIN node n ON n.name = x.node"
		" WHERE n.attached IS NOT NULL";
	static const char links[] =
		"SELECT l.address, t.speed_bps FROM phase_link l /*scan*/"
		"  JOIN tap t ON t.id = l.tap_id";

	return phase_each(s, rails, f, rail_row, err) ||
			       phase_each(s, servers, f, server_row, err) ||
			       phase_each(s, leaves, f, leaf_row, err) ||
			       phase_each(s, links, f, link_row, err)
		       ? -1
		       : 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * See kept.h. */
#include "store/kept.h"

#include <stdlib.h>
#include <string.h>

static const size_t sizes[KEPT_KINDS] = {
	[KEPT_BURST] = sizeof(struct fact_burst),
	[KEPT_BIN] = sizeof(struct fact_bin),
	[KEPT_CNP] = sizeof(struct kept_cnp),
};

bool kept_add(struct store *s, enum kept_kind kind, const void *fact)
{
	struct kept *k = &s->kept[kind];

	if (s->live)
		return true;
	if (k->n == k->room) {
		size_t room = k->room ? k->room + k->room / 2 : 1024;
		void *facts = reallocarray(k->facts, room, sizes[kind]);

		if (!facts)
			return false;
		k->facts = facts;
		k->room = room;
	}
	memcpy((char *)k->facts + k->n++ * sizes[kind], fact, sizes[kind]);
	return true;
}

static void let_go(struct kept *k)
{
	free(k->facts);
	*k = (struct kept) { 0 };
}

static int no_memory(struct err *err)
{
	return err_set(err, ERR_MEMORY, "out of memory");
}

static int use_rows(struct store *s, const struct kept_use *u, struct err *err)
{
	union {
		struct fact_burst burst;
		struct fact_bin bin;
		struct kept_cnp cnp;
	} fact;
	sqlite3_stmt *q = db_prepare(s, u->sql, "rows", err);
	int rc = SQLITE_DONE;

	if (!q)
		return -1;
	while ((rc = sqlite3_step(q)) == SQLITE_ROW) {
		u->read(q, &fact);
		if (!u->take(u->ctx, &fact))
			break;
	}
	sqlite3_finalize(q);
	if (rc == SQLITE_ROW)
		return no_memory(err);
	return rc == SQLITE_DONE ? 0 : db_error(s, err, "rows");
}

int kept_use(struct store *s, enum kept_kind kind, const struct kept_use *u,
	     struct err *err)
{
	struct kept *k = &s->kept[kind];
	bool done = true;

	if (!k->n)
		return use_rows(s, u, err);
	for (size_t i = 0; done && i < k->n; i++)
		done = u->take(u->ctx,
			       (const char *)k->facts + i * sizes[kind]);
	let_go(k);
	return done ? 0 : no_memory(err);
}

void kept_free(struct store *s)
{
	for (int i = 0; i < KEPT_KINDS; i++)
		let_go(&s->kept[i]);
}

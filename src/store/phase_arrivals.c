/* SPDX-License-Identifier: GPL-2.0-or-later
 * When data came: what the last tap on its way says of what the first sent. */
#include <stdlib.h>

#include "store/phase.h"

/* The views of the last taps, in order of flow and time: when it had brought
 * what the first one had sent.  PSNs count what the mirror lost too,
 * unless that is the end of a stretch: at most SLACK of them, and the lesser
 * part of it. */
struct far {
	int64_t near, first, last;
	uint64_t bytes, psns;
	int64_t skip; /* PSNs missed before its first; < 0: by the near one */
	uint64_t missing; /* and elsewhere, at most */
	int64_t acked;    /* as in phase_activity */
};

struct fars {
	struct far *list;
	size_t n_list, room_list;
	struct phase_facts *facts;
};

enum { SLACK = 4, LESSER = 4, BARE = 64 };

/* Answers to READs have no PSNs of their own: where a good part of the |all|
 * bytes of a flow passed without any, |bare| of them, PSNs do not count what it
 * sent. */
static bool counts_by_psns(uint64_t bare, uint64_t all)
{
	return bare <= all / BARE;
}

void phase_drop_psns(struct phase_facts *f)
{
	for (size_t i = 0; i < f->n_flows; i++) {
		struct phase_flow *g = &f->flows[i];
		uint64_t all = 0, bare = 0;

		for (size_t k = 0; k < g->n; k++) {
			all += g->a[k].bytes;
			bare += g->a[k].psns ? 0 : g->a[k].bytes;
		}
		for (size_t k = 0; !counts_by_psns(bare, all) && k < g->n; k++)
			g->a[k].psns = 0;
	}
}

static uint64_t amount(uint64_t bytes, uint64_t psns, bool numbered)
{
	return numbered ? psns : bytes;
}

/* The data of an activity: how much was sent with it, and |own|; when what
 * follows it was sent. */
struct wanted {
	uint64_t up_to, own;
	int64_t next;
	bool numbered;
};

/* When what |w| wants was there; PHASE_UNKNOWN: the mirror missed all of it.
 * The last of it that follows what was sent behind it is missing, as far as the
 * mirror misses so many. */
static int64_t arrival(const struct far *v, size_t n, size_t *k, uint64_t *sum,
		       const struct wanted *w, uint64_t *missing)
{
	uint64_t own = w->own, want = w->up_to, b = 0, gone;
	uint64_t slack = own / LESSER < SLACK ? own / LESSER : SLACK;

	if (n && slack > v[0].missing)
		slack = v[0].missing;

	for (; *k < n; *sum += b, ++*k) {
		b = amount(v[*k].bytes, v[*k].psns, w->numbered);
		if (*sum + b >= want)
			break;
	}
	if (*k == n)
		return n ? v[n - 1].last : 0;
	gone = want - *sum;
	if (*k && w->numbered && gone <= slack)
		return v[*k - 1].last;
	if (*k && w->numbered && gone <= own && gone <= SLACK &&
	    gone <= *missing && v[*k].first >= w->next) {
		*missing -= gone;
		return gone < own ? v[*k - 1].last : PHASE_UNKNOWN;
	}
	return v[*k].first +
	       (int64_t)((double)(want - *sum) / (double)(b + !b) *
			 (double)(v[*k].last - v[*k].first));
}

/* When the first of what follows |before| came.  |*guessed|: in the middle of a
 * stretch. */
static int64_t first_arrival(const struct far *v, size_t n, size_t *k,
			     uint64_t *sum, uint64_t before, bool numbered,
			     bool *guessed)
{
	uint64_t b = 0;

	for (; *k < n; *sum += b, ++*k) {
		b = amount(v[*k].bytes, v[*k].psns, numbered);
		if (*sum + b > before)
			break;
	}
	*guessed = *k == n || before > *sum;
	if (*k == n)
		return n ? v[n - 1].last : 0;
	if (!*guessed)
		return v[*k].first;
	return v[*k].first + (int64_t)((double)(before - *sum) / (double)b *
				       (double)(v[*k].last - v[*k].first));
}

/* When the last acknowledgement of |a| began its way back, if its last packet
 * came at |there|.  Where data went on before all was acknowledged, the last
 * near the sender may be another than near the receiver. */
static int64_t returned(const struct phase_activity *a, const struct far *v,
			size_t n, size_t at, int64_t there)
{
	int64_t ns = at < n && v[at].last == there   ? v[at].acked
		     : at && v[at - 1].last == there ? v[at - 1].acked
						     : PHASE_UNKNOWN;

	return a->unacked == 0 && a->acked != PHASE_UNKNOWN && ns >= there &&
			       ns <= a->acked
		       ? ns
		       : PHASE_UNKNOWN;
}

/* When what is at |at| of all that |g| carried was sent, from activity |*k| on,
 * before which it had sent |*sum|. */
static int64_t sent_at(const struct phase_flow *g, size_t *k, uint64_t *sum,
		       uint64_t at, bool numbered)
{
	const struct phase_activity *a;
	uint64_t b = 0;

	for (; *k < g->n; *sum += b, ++*k) {
		b = amount(g->a[*k].bytes, g->a[*k].psns, numbered);
		if (*sum + b > at)
			break;
	}
	if (*k == g->n)
		return g->n ? g->a[g->n - 1].sent : 0;
	a = &g->a[*k];
	return at <= *sum
		       ? a->from
		       : a->from + (int64_t)((double)(at - *sum) / (double)b *
					     (double)(a->sent - a->from));
}

/* |sent| and |sum| before the first of |n| stretches. */
static bool pass(struct phase_facts *f, const struct phase_flow *g,
		 const struct far *v, size_t n, uint64_t sent, uint64_t sum,
		 bool numbered)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		struct phase_passage *p = ANOTHER(f, passages);
		uint64_t b = amount(v[i].bytes, v[i].psns, numbered);
		int64_t first, last;

		if (!p)
			return false;
		first = v[i].first - sent_at(g, &k, &sent, sum, numbered);
		sum += b;
		last = v[i].last -
		       sent_at(g, &k, &sent, sum - (b > 0), numbered);
		*p = (struct phase_passage) {
			.flow = (size_t)(g - f->flows),
			.from = v[i].first,
			.to = v[i].last,
			.sent = v[i].first - first,
			.longest = first > last ? first : last,
			.shortest = first < last ? first : last,
			.bytes = v[i].bytes,
			.psns = v[i].psns,
		};
	}
	return true;
}

/* What no copy shows when it came took as long as what was fastest. */
static void arrive_unseen(struct phase_flow *g)
{
	int64_t least = INT64_MAX;

	for (size_t k = 0; k < g->n; k++) {
		const struct phase_activity *a = &g->a[k];

		if (a->arrived != PHASE_UNKNOWN && a->arrived > a->sent &&
		    a->arrived - a->sent < least)
			least = a->arrived - a->sent;
	}
	for (size_t k = 0; k < g->n; k++) {
		struct phase_activity *a = &g->a[k];

		if (a->arrived != PHASE_UNKNOWN)
			continue;
		a->guessed = true;
		a->arrived = a->sent + (least < INT64_MAX ? least : 0);
		a->came = a->from + (least < INT64_MAX ? least : 0);
	}
}

static bool arrivals(struct phase_facts *f, struct phase_flow *g,
		     const struct far *v, size_t n)
{
	uint64_t sent = 0, sum = 0, first_sum = 0, all = 0, bare = 0;
	bool near = false, far = false;
	uint64_t missing = n ? v[0].missing : 0;
	size_t at = 0, first_at = 0;

	for (size_t k = 0; k < g->n; k++)
		near = near || g->a[k].psns;
	for (size_t k = 0; k < n; k++) {
		far = far || v[k].psns;
		all += v[k].bytes;
		bare += v[k].psns ? 0 : v[k].bytes;
	}
	far = far && counts_by_psns(bare, all);
	/* What one of them missed at the begin counts with what it saw. */
	if (near && far && n && v[0].skip > 0)
		sum = first_sum = (uint64_t)v[0].skip;
	else if (near && far && n)
		sent = (uint64_t)-v[0].skip;
	if (!pass(f, g, v, n, sent, sum, near && far))
		return false;
	for (size_t k = 0; k < g->n; k++) {
		struct phase_activity *a = &g->a[k];
		struct wanted w;
		int64_t there = first_arrival(v, n, &first_at, &first_sum, sent,
					      near && far, &a->guessed);

		/* The near mirror may have missed what came first. */
		a->guessed = a->guessed || (!g->whole && there < a->from);
		a->came = there > a->from ? there : a->from;
		sent += amount(a->bytes, a->psns, near && far);
		if (near && far && n && v[0].skip > 0 &&
		    sent <= (uint64_t)v[0].skip) {
			a->guessed = true;
			a->came = a->from;
			a->arrived = a->sent;
			continue;
		}
		w = (struct wanted) {
			.up_to = sent,
			.own = amount(a->bytes, a->psns, near && far),
			.next = k + 1 < g->n ? a[1].from : PHASE_FAR,
			.numbered = near && far,
		};
		there = arrival(v, n, &at, &sum, &w, &missing);
		a->returned = returned(a, v, n, at, there);
		a->arrived = there == PHASE_UNKNOWN || there > a->sent
				     ? there
				     : a->sent;
	}
	arrive_unseen(g);
	return true;
}

static bool far_row(struct phase_facts *facts, sqlite3_stmt *q)
{
	struct fars *f = (struct fars *)facts;
	struct far *v = ANOTHER(f, list);

	if (!v)
		return false;
	*v = (struct far) { sqlite3_column_int64(q, 0),
			    sqlite3_column_int64(q, 1),
			    sqlite3_column_int64(q, 2),
			    (uint64_t)sqlite3_column_int64(q, 3),
			    (uint64_t)sqlite3_column_int64(q, 4),
			    sqlite3_column_int64(q, 5),
			    (uint64_t)sqlite3_column_int64(q, 6),
			    db_number(q, 7) };
	return true;
}

int phase_arrivals(struct store *s, struct phase_facts *f, struct err *err)
{
	static const char sql[] =
		"SELECT i.near, b.first_ns, b.last_ns, b.bytes, b.psns,"
		"       ifnull((z.first_psn - a.first_psn + 0x1800000)"
		"              % 0x1000000 - 0x800000, 0),"
		"       ifnull(z.capture_missing, b.psns), b.acked_ns"
		"  FROM (SELECT count(DISTINCT place) AS places FROM tap"
		"        HAVING places > 1)"
		" CROSS JOIN phase_flow_in i"
		"  JOIN burst b ON b.flow_id = i.far"
		"  JOIN flow a ON a.id = i.near JOIN flow z ON z.id = i.far"
		" WHERE i.near <> i.far ORDER BY i.near, b.first_ns";
	struct fars all = { .facts = f };
	int rc = phase_each(s, sql, (struct phase_facts *)&all, far_row, err);

	for (size_t i = 0, n; !rc && i < all.n_list; i += n) {
		struct phase_flow *g = phase_flow_of(f, all.list[i].near);

		for (n = 1; i + n < all.n_list &&
			    all.list[i + n].near == all.list[i].near;)
			n++;
		if (g && !arrivals(f, g, all.list + i, n))
			rc = err_set(err, ERR_MEMORY, "out of memory");
	}
	free(all.list);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The clocks of hosts that wrote records, against that of the capture.
 *
 * Whose record it is: the address given with the file; the name of the host,
 * if that is an address or a name of the topology file; another record of the
 * same rank that is known.  It is not guessed from times: in a collective all
 * ranks look alike.
 *
 * Where in the capture a record belongs is found by joblog/fit.h in a stretch
 * so short that no clock drifts much in it; from there on the stretches beside
 * it, each no longer than what is known, say for which offsets their packets
 * lie inside of operations, and the line of the offset over time lies between
 * these bounds (flow/multitap/clock_fit.h, with its error bar). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "flow/multitap/clock_fit.h"
#include "joblog/fit.h"
#include "joblog/joblog.h"
#include "store/store_int.h"

enum {
	READ_MAX = 200000,
	HALVES = 7,        /* of all packets, until they fit */
	PARTS = 4,         /* of the first stretch */
	FINE_PARTS = 64,   /* of all, in the end ... */
	ROUNDS = 8,        /* ... so often */
	POINTS_MAX = 4096, /* each stretch has two */
	PAIRS_LEAST = 3,   /* operations that two ranks share */
	SLACK_NS = 1000,
};

static const double NS = 1e9;

/* What is known of a clock.  offset(t) = offset + drift * (t - at). */
struct known {
	int64_t at, offset, error; /* by the clock of the capture; ns */
	double drift, low, high;   /* ns/s */
	size_t packets, inside;
	const char *by;
};

struct clocks {
	struct store *s;
	struct span *record;
	size_t n_record;
	int64_t *packets, *moved;
	size_t n_packets;
	char *address; /* whose they are */
	struct clock_point *points;
	size_t n_points;
};

/* ---- what is read ---- */

/* Logs are longer than captures: only what may be of that time, if clocks are
 * right to a minute; else all. */
static const char record_sql[] =
	"WITH t AS (SELECT min(first_ns) - 60000000000 AS a,"
	" max(last_ns) + 60000000000 AS b FROM tap WHERE packets > 0),"
	" o AS (SELECT begin_ns, end_ns, end_ns >= t.a AND begin_ns <= t.b"
	" AS near FROM collective, t WHERE job_log_id = ?1"
	" AND begin_ns IS NOT NULL AND end_ns IS NOT NULL)"
	" SELECT begin_ns, end_ns FROM o WHERE near = (SELECT max(near) FROM o)"
	" ORDER BY 1";

/* Of what it gets only data counts: descriptors (CTS) of 64 bytes or so come
 * as soon as its neighbours are ready. */
static const char packets_sql[] =
	"SELECT CASE WHEN f.src = ?1 THEN b.first_ns ELSE b.last_ns END"
	" FROM flow f JOIN burst b ON b.flow_id = f.id"
	" WHERE f.src = ?1 OR (f.dst = ?1 AND b.bytes > 512 * b.psns)"
	" ORDER BY 1";

static int load_record(struct clocks *c, int64_t id, struct err *err)
{
	sqlite3_stmt *q = db_prepare(c->s, record_sql, "clocks", err);

	if (!q)
		return -1;
	sqlite3_bind_int64(q, 1, id);
	for (c->n_record = 0;
	     c->n_record < READ_MAX && sqlite3_step(q) == SQLITE_ROW;)
		c->record[c->n_record++] =
			(struct span) { sqlite3_column_int64(q, 0),
					sqlite3_column_int64(q, 1) };
	sqlite3_finalize(q);
	return 0;
}

/* Records of one host come one after another: its packets are read once. */
static int load_packets(struct clocks *c, const char *address, struct err *err)
{
	sqlite3_stmt *q;

	if (c->address && !strcmp(c->address, address))
		return 0;
	free(c->address);
	c->address = strdup(address);
	if (!c->address)
		return err_set(err, ERR_MEMORY, "out of memory");
	q = db_prepare(c->s, packets_sql, "clocks", err);
	if (!q)
		return -1;
	sqlite3_bind_text(q, 1, address, -1, SQLITE_STATIC);
	for (c->n_packets = 0;
	     c->n_packets < READ_MAX && sqlite3_step(q) == SQLITE_ROW;)
		c->packets[c->n_packets++] = sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	return 0;
}

/* ---- the line ---- */

/* A capture may have any time stamps, centuries apart as well. */
static double seconds(int64_t ns, int64_t origin)
{
	int64_t v;

	return __builtin_sub_overflow(ns, origin, &v)
		       ? ((double)ns - (double)origin) / NS
		       : (double)v / NS;
}

static int64_t drifted(int64_t ns, int64_t origin, double drift)
{
	int64_t v;

	return __builtin_sub_overflow(
		       ns, (int64_t)(drift * seconds(ns, origin)), &v)
		       ? ns
		       : v;
}

static void add_point(struct clocks *c, double t, double d, int sign)
{
	if (c->n_points < POINTS_MAX)
		c->points[c->n_points++] = (struct clock_point) { t, d, sign };
}

/* What packets |a| to |b| say of the clock, which is known within |within| ns
 * there.  Times of |k| are the origin of the points. */
static void stretch(struct clocks *c, const struct known *k,
		    const struct clock_line *line, size_t a, size_t b,
		    double within)
{
	int64_t middle = c->packets[a] / 2 + c->packets[b - 1] / 2;
	double t = seconds(middle, k->at);
	double here = line->offset + line->drift * (t - line->at);
	int64_t guess = k->offset + (int64_t)here, low, high;
	struct fit fit;

	for (size_t i = a; i < b; i++)
		c->moved[i] = drifted(c->packets[i], middle, line->drift);
	low = guess - (int64_t)within - SLACK_NS;
	high = guess + (int64_t)within + SLACK_NS;
	if (!fit_near(c->record, c->n_record, c->moved + a, b - a, low, high,
		      &fit))
		return;
	/* At the edge of what was looked at it may go on. */
	if (fit.offset + fit.error < high)
		add_point(c, t, (double)(fit.offset + fit.error - k->offset),
			  1);
	if (fit.offset - fit.error > low)
		add_point(c, t, (double)(fit.offset - fit.error - k->offset),
			  -1);
}

/* How far the lines that fit are from the best one between |a| and |b|. */
static double apart(const struct clocks *c, const struct known *k,
		    const struct clock_line *line, size_t a, size_t b)
{
	double t = fabs(seconds(c->packets[a], k->at) - line->at);
	double u = fabs(seconds(c->packets[b - 1], k->at) - line->at);
	double drift = fmax(line->drift_high - line->drift,
			    line->drift - line->drift_low);

	return line->error + fmin(drift, CLOCK_DRIFT_USUAL) * fmax(t, u);
}

/* The line between the points, if they bound it from both sides. */
static bool bounded(struct clocks *c, struct clock_line *line)
{
	return clock_fit_least(c->points, c->n_points, CLOCK_DRIFT_USUAL,
			       line) &&
	       line->above && line->below;
}

static void take_line(const struct clock_line *line, struct known *k)
{
	k->at += (int64_t)(line->at * NS);
	k->offset += (int64_t)line->offset;
	k->error = (int64_t)line->error + 1;
	k->drift = line->drift;
	k->low = line->drift_low;
	k->high = line->drift_high;
}

/* Packets by which the drift was not known blur what a stretch says: again, now
 * that it is known better. */
static void refine(struct clocks *c, const struct known *k,
		   struct clock_line *line)
{
	size_t parts = c->n_packets / FIT_PACKETS_MIN;

	parts = parts < FINE_PARTS ? parts : FINE_PARTS;
	for (int round = 0; round < ROUNDS && parts; round++) {
		struct clock_line better = *line;

		c->n_points = 0;
		for (size_t i = 0; i < parts; i++) {
			size_t from = c->n_packets * i / parts;
			size_t to = c->n_packets * (i + 1) / parts;

			stretch(c, k, line, from, to,
				apart(c, k, line, from, to));
		}
		if (!bounded(c, &better) || better.margin < 0 ||
		    better.error >= line->error)
			return;
		*line = better;
	}
}

/* From packets |a| to |b|, whose offset is known, to all. */
static void follow(struct clocks *c, size_t a, size_t b, struct known *k)
{
	struct clock_line line = { .error = (double)k->error };
	bool whole = !a && b == c->n_packets;

	c->n_points = 0;
	for (size_t i = 0; i < PARTS; i++) {
		size_t from = a + (b - a) * i / PARTS;
		size_t to = a + (b - a) * (i + 1) / PARTS;

		if (to > from)
			stretch(c, k, &line, from, to, 2 * (double)k->error);
	}
	if (!bounded(c, &line))
		return;
	while ((a > 0 || b < c->n_packets) && c->n_points < POINTS_MAX) {
		size_t step = (b - a) / 2 + FIT_PACKETS_MIN;
		size_t low = a > step ? a - step : 0;
		size_t high = c->n_packets - b > step ? b + step : c->n_packets;

		if (low < a)
			stretch(c, k, &line, low, a,
				apart(c, k, &line, low, a));
		if (high > b)
			stretch(c, k, &line, b, high,
				apart(c, k, &line, b, high));
		a = low;
		b = high;
		if (!bounded(c, &line))
			return;
	}
	refine(c, k, &line);
	k->low = line.drift_low;
	k->high = line.drift_high;
	/* One offset fits all: that is more certain than what parts say. */
	if (line.drift != 0 || !whole)
		take_line(&line, k);
}

/* All of it, or a part in the middle that is short enough.  NULL: it fits; or
 * why not. */
static const char *place(struct clocks *c, struct known *k)
{
	const char *why = NULL;
	struct fit fit;

	for (size_t n = c->n_packets, tries = 0;
	     !tries || (n >= 4 * FIT_PACKETS_MIN && tries < HALVES);
	     n /= 2, tries++) {
		size_t a = (c->n_packets - n) / 2;
		const char *no = fit_find(c->record, c->n_record,
					  c->packets + a, n, &fit);

		why = why ? why : no;
		if (no)
			continue;
		*k = (struct known) { .offset = fit.offset,
				      .error = fit.error,
				      .packets = fit.packets,
				      .inside = fit.inside,
				      .by = fit.own ? "clock" : "packets" };
		k->at = c->packets[a] / 2 + c->packets[a + n - 1] / 2;
		if (!fit.own)
			follow(c, a, a + n, k);
		return NULL;
	}
	return why;
}

/* ---- rows ---- */

static int step_row(struct store *s, sqlite3_stmt *q, struct err *err)
{
	int rc = sqlite3_step(q) == SQLITE_DONE ? 0 : db_error(s, err, "write");

	sqlite3_finalize(q);
	return rc;
}

static int write_why(struct store *s, int64_t id, const char *why,
		     struct err *err)
{
	sqlite3_stmt *q =
		db_prepare(s, "UPDATE job_log SET why_not = ?2 WHERE id = ?1",
			   "clocks", err);

	if (!q)
		return -1;
	sqlite3_bind_int64(q, 1, id);
	sqlite3_bind_text(q, 2, why, -1, SQLITE_STATIC);
	return step_row(s, q, err);
}

static int write_known(struct store *s, int64_t id, const struct known *k,
		       struct err *err)
{
	sqlite3_stmt *q = db_prepare(
		s,
		"UPDATE job_log SET offset_ns = ?2, error_ns = ?3, at_ns = ?4,"
		" drift_ppb = ?5, drift_low_ppb = ?6, drift_high_ppb = ?7,"
		" bursts = nullif(?8, 0), bursts_inside = iif(?8, ?9, NULL),"
		" aligned_by = ?10, why_not = NULL WHERE id = ?1",
		"clocks", err);
	bool drift = k->high > k->low;

	if (!q)
		return -1;
	sqlite3_bind_int64(q, 1, id);
	sqlite3_bind_int64(q, 2, k->offset);
	sqlite3_bind_int64(q, 3, k->error);
	sqlite3_bind_int64(q, 4, k->at);
	sqlite3_bind_int64(q, 5, (int64_t)k->drift);
	if (drift && k->high - k->low < 2 * CLOCK_DRIFT_USUAL) {
		sqlite3_bind_int64(q, 6, (int64_t)floor(k->low));
		sqlite3_bind_int64(q, 7, (int64_t)ceil(k->high));
	}
	sqlite3_bind_int64(q, 8, (int64_t)k->packets);
	sqlite3_bind_int64(q, 9, (int64_t)k->inside);
	sqlite3_bind_text(q, 10, k->by, -1, SQLITE_STATIC);
	return step_row(s, q, err);
}

/* ---- by its packets ---- */

static int by_packets(struct clocks *c, sqlite3_stmt *row, struct err *err)
{
	int64_t id = sqlite3_column_int64(row, 0);
	struct known k;
	const char *why;

	if (load_record(c, id, err) ||
	    load_packets(c, (const char *)sqlite3_column_text(row, 1), err))
		return -1;
	why = place(c, &k);
	return why ? write_why(c->s, id, why, err)
		   : write_known(c->s, id, &k, err);
}

/* ---- by other ranks ---- */

/* No collective of these kinds ends on any rank before it has begun on all.
 * Numbers that repeat make many pairs: they come in the order of the index, so
 * that no more are made than are read. */
static const char pairs_sql[] =
	"SELECT y.first_ns, y.last_ns, x.begin_ns, x.end_ns"
	" FROM collective x CROSS JOIN collective y ON y.job_log_id = ?2"
	" AND y.seq = x.seq AND y.op = x.op"
	" WHERE x.job_log_id = ?1"
	" AND y.first_ns IS NOT NULL AND y.last_ns IS NOT NULL"
	" AND x.begin_ns IS NOT NULL AND x.end_ns IS NOT NULL"
	" AND x.op IN ('AllReduce', 'AllGather', 'ReduceScatter', 'AlltoAll')"
	" ORDER BY x.seq";

/* How much more than |offset| lies between |a| and |b|; false: centuries, these
 * are no times. */
static bool behind(int64_t a, int64_t b, int64_t offset, double *ns)
{
	int64_t v;

	if (__builtin_sub_overflow(a, b, &v) ||
	    __builtin_sub_overflow(v, offset, &v))
		return false;
	*ns = (double)v;
	return true;
}

static int load_pairs(struct clocks *c, int64_t id, int64_t other,
		      struct known *k, struct err *err)
{
	sqlite3_stmt *q = db_prepare(c->s, pairs_sql, "clocks", err);

	if (!q)
		return -1;
	sqlite3_bind_int64(q, 1, id);
	sqlite3_bind_int64(q, 2, other);
	for (c->n_points = 0;
	     c->n_points + 1 < POINTS_MAX && sqlite3_step(q) == SQLITE_ROW;) {
		int64_t y = sqlite3_column_int64(q, 0);
		int64_t y_end = sqlite3_column_int64(q, 1);
		int64_t x = sqlite3_column_int64(q, 2);
		int64_t x_end = sqlite3_column_int64(q, 3);

		double t, low, high;

		if (!c->n_points) {
			k->at = y;
			if (__builtin_sub_overflow(y, x, &k->offset))
				continue;
		}
		if (!behind(y, k->at, 0, &t) ||
		    !behind(y, x_end, k->offset, &low) ||
		    !behind(y_end, x, k->offset, &high))
			continue;
		add_point(c, t / NS, low, -1);
		add_point(c, t / NS, high, 1);
	}
	sqlite3_finalize(q);
	return 0;
}

/* A clock that was taken as it is stays so, unless that cannot be. */
static int by_ranks(struct clocks *c, sqlite3_stmt *row, struct err *err)
{
	int64_t id = sqlite3_column_int64(row, 0);
	bool as_it_is = sqlite3_column_int(row, 3);
	struct known k = { .by = "ranks" };
	struct clock_line line;

	if (load_pairs(c, id, sqlite3_column_int64(row, 1), &k, err))
		return -1;
	if (c->n_points < 2 * PAIRS_LEAST || !bounded(c, &line) ||
	    line.margin < 0)
		return 0;
	take_line(&line, &k);
	k.error += sqlite3_column_int64(row, 2);
	if (as_it_is && llabs(k.offset) <= k.error)
		return 0;
	return write_known(c->s, id, &k, err);
}

/* ---- all ---- */

static const char index_sql[] =
	"CREATE INDEX collective_by_log ON collective(job_log_id, seq, op);"
	"CREATE INDEX collective_timed ON collective(job_log_id, seq, op)"
	" WHERE first_ns IS NOT NULL AND last_ns IS NOT NULL;"
	"CREATE INDEX job_log_by_communicator ON job_log(communicator, format)";

/* Whose a record is, as far as that is said somewhere. */
static const char whose_sql[] =
	"UPDATE job_log SET address = host, address_by = 'host'"
	" WHERE address IS NULL AND (host IN (SELECT src FROM flow)"
	" OR host IN (SELECT dst FROM flow));"
	"UPDATE job_log SET address = v.address, address_by = 'topology'"
	" FROM (SELECT node, min(address) AS address FROM node_address"
	" WHERE address IN (SELECT src FROM flow UNION SELECT dst FROM flow)"
	" GROUP BY node) v"
	" WHERE job_log.address IS NULL AND (v.node = job_log.host OR"
	" job_log.host LIKE v.node || '.%');"
	"UPDATE job_log SET address = v.address, address_by = 'rank'"
	" FROM (SELECT rank, ranks, min(address) AS address FROM job_log"
	" WHERE address IS NOT NULL AND rank IS NOT NULL AND ranks IS NOT NULL"
	" GROUP BY rank, ranks HAVING count(DISTINCT address) = 1) v"
	" WHERE job_log.address IS NULL AND v.rank = job_log.rank"
	" AND v.ranks = job_log.ranks;"
	"UPDATE job_log SET why_not = 'which host of the capture wrote it is"
	" not known: give --job-log ADDRESS=FILE, or a topology file with"
	" the names of hosts' WHERE address IS NULL;";

/* Records of one host are by one clock: one that says little is known by one
 * that says more. */
static const char host_sql[] =
	"UPDATE job_log SET offset_ns = v.offset_ns, error_ns = v.error_ns,"
	" at_ns = v.at_ns, drift_ppb = v.drift_ppb,"
	" drift_low_ppb = v.drift_low_ppb, drift_high_ppb = v.drift_high_ppb,"
	" bursts = NULL, bursts_inside = NULL, aligned_by = 'host',"
	" why_not = NULL"
	" FROM (SELECT *, min(error_ns) FROM job_log"
	" WHERE aligned_by = 'packets' GROUP BY address) v"
	" WHERE job_log.address = v.address AND (job_log.offset_ns IS NULL"
	" OR job_log.aligned_by = 'clock')";

static const char times_sql[] =
	"UPDATE collective SET"
	" last_ns = end_ns + v.offset_ns + CAST((end_ns + v.offset_ns"
	" - v.at_ns) * v.drift_ppb / 1e9 AS INTEGER),"
	" first_ns = ifnull(begin_ns, end_ns - exec_ns) + v.offset_ns"
	" + CAST((ifnull(begin_ns, end_ns - exec_ns) + v.offset_ns"
	" - v.at_ns) * v.drift_ppb / 1e9 AS INTEGER)"
	" FROM (SELECT * FROM job_log WHERE offset_ns IS NOT NULL) v"
	" WHERE v.id = collective.job_log_id";

static const char addressed_sql[] =
	"SELECT id, address FROM job_log WHERE address IS NOT NULL"
	" ORDER BY address, id";

/* One is the reference, that which is known best: others may be of another
 * capture point, with another clock. */
static const char unplaced_sql[] =
	"SELECT l.id, r.id, r.error_ns, l.offset_ns IS NOT NULL FROM job_log l"
	" JOIN job_log r ON r.id = (SELECT o.id FROM job_log o"
	" WHERE o.communicator = l.communicator AND o.format = l.format"
	" AND o.ranks IS l.ranks AND o.aligned_by IN ('packets', 'host')"
	" ORDER BY o.error_ns, o.id LIMIT 1)"
	" WHERE l.offset_ns IS NULL OR l.aligned_by = 'clock'";

/* Hands every row of |sql| to |one|. */
static int each(struct clocks *c, const char *sql,
		int (*one)(struct clocks *, sqlite3_stmt *, struct err *),
		struct err *err)
{
	sqlite3_stmt *q = db_prepare(c->s, sql, "clocks", err);
	int rc = q ? 0 : -1;

	while (!rc && sqlite3_step(q) == SQLITE_ROW)
		rc = one(c, q, err);
	sqlite3_finalize(q);
	return rc;
}

static int align_all(struct clocks *c, struct err *err)
{
	return db_run(c->s, index_sql, err) || db_run(c->s, whose_sql, err) ||
			       each(c, addressed_sql, by_packets, err) ||
			       db_run(c->s, host_sql, err) ||
			       db_run(c->s, times_sql, err) ||
			       each(c, unplaced_sql, by_ranks, err) ||
			       db_run(c->s, times_sql, err)
		       ? -1
		       : 0;
}

int store_align(struct store *s, struct err *err)
{
	struct clocks c = { .s = s };
	int rc;

	if (!db_integer(s, "SELECT count(*) FROM job_log", 0))
		return 0;
	c.record = calloc(READ_MAX, sizeof *c.record);
	c.packets = calloc(READ_MAX, sizeof *c.packets);
	c.moved = calloc(READ_MAX, sizeof *c.moved);
	c.points = calloc(POINTS_MAX, sizeof *c.points);
	rc = c.record && c.packets && c.moved && c.points
		     ? align_all(&c, err)
		     : err_set(err, ERR_MEMORY, "out of memory");
	free(c.address);
	free(c.record);
	free(c.packets);
	free(c.moved);
	free(c.points);
	return rc;
}

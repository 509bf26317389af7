/* SPDX-License-Identifier: GPL-2.0-or-later
 * A folder of its own and a store to write facts into, for tests. */
#define _GNU_SOURCE
#include "lab.h"

#include <dirent.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/store_int.h"

void lab_begin(struct lab *l)
{
	const char *tmp = getenv("TMPDIR");

	memset(l, 0, sizeof *l);
	snprintf(l->folder, sizeof l->folder, "%s/fabscope-XXXXXX",
		 tmp && strlen(tmp) < 40 ? tmp : P_tmpdir);
	assert_non_null(mkdtemp(l->folder));
	snprintf(l->path, sizeof l->path, "%s/out.db", l->folder);
	setenv("FABSCOPE_QUERIES", "", 1);
	setenv("XDG_DATA_HOME", l->folder, 1);
	l->s = store_create(l->path, &l->err);
	if (!l->s)
		fail_msg("%s", l->err.text);
	l->sink = store_sink(l->s);
}

void lab_reopen(struct lab *l)
{
	if (store_commit(l->s, &l->err))
		fail_msg("%s", l->err.text);
	store_free(l->s);
	l->s = store_open(l->path, &l->err);
	if (!l->s)
		fail_msg("%s", l->err.text);
}

void lab_derived(struct lab *l)
{
	if (db_run(l->s,
		   "PRAGMA query_only = 0;"
		   "CREATE TEMP TABLE phase_link(tap_id INTEGER, address TEXT,"
		   " PRIMARY KEY(tap_id, address)) WITHOUT ROWID;"
		   "PRAGMA query_only = 1",
		   &l->err))
		fail_msg("%s", l->err.text);
}

void lab_reopen_derived(struct lab *l)
{
	lab_reopen(l);
	lab_derived(l);
}

static void each_file(const struct lab *l, void (*f)(const char *, int *),
		      int *n)
{
	DIR *d = opendir(l->folder);
	struct dirent *e;
	char path[400];

	while (d && (e = readdir(d))) {
		snprintf(path, sizeof path, "%s/%s", l->folder, e->d_name);
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			f(path, n);
	}
	if (d)
		closedir(d);
}

static void remove_one(const char *path, int *n)
{
	(void)n;
	remove(path);
}

static void count_one(const char *path, int *n)
{
	(void)path;
	++*n;
}

int lab_files(const struct lab *l)
{
	int n = 0;

	each_file(l, count_one, &n);
	return n;
}

void lab_end(struct lab *l)
{
	store_free(l->s);
	each_file(l, remove_one, NULL);
	rmdir(l->folder);
}

struct addr host(uint8_t last)
{
	const uint8_t v4[4] = { 10, 0, 0, last };

	return addr_from_v4(v4);
}

struct capture_file good_file(void)
{
	static char path[] = "a.pcap";

	return (struct capture_file) {
		.path = path,
		.format = "pcap",
		.packets = 2000,
		.bytes = 200000,
		.first_ns = T0,
		.last_ns = T0 + 10 * MS,
	};
}

struct capture_tap good_tap(void)
{
	static char name[] = "pa";

	return (struct capture_tap) {
		.name = name,
		.linktype = 1,
		.snaplen = 128,
		.packets = 2000,
		.received = UINT64_MAX,
		.dropped = UINT64_MAX,
		.first_ns = T0,
		.last_ns = T0 + 10 * MS,
	};
}

struct fact_tap good_fact_tap(uint32_t tap)
{
	return (struct fact_tap) {
		.tap = tap,
		.packets = 2000,
		.by_kind = { [1] = 2000 }, /* PACKET_ROCE */
		.icrc_good = 1000,
		.icrc_unchecked = 1000,
		.ect = 2000,
		.place = (int)tap,
	};
}

struct fact_flow good_flow(uint32_t id, uint8_t src, uint8_t dst, uint32_t qp)
{
	return (struct fact_flow) {
		.id = id,
		.transport = FLOW_RC,
		.src = host(src),
		.dst = host(dst),
		.dst_qp = qp,
		.src_qp = FACT_UNKNOWN,
		.spdcid = FACT_UNKNOWN,
		.dpdcid = FACT_UNKNOWN,
		.job_id = FACT_UNKNOWN,
		.visibility = VISIBLE_BOTH,
		.pairing = PAIRING_ACK,
		.pairing_confidence = 0.9,
		.udp_sports = 1,
		.udp_sport = 49152 + id,
		.pmtu = 1024,
		.first_ns = T0,
		.last_ns = T0 + 10 * MS,
		.packets = 1000,
		.bytes = 1082000,
		.payload_bytes = 1024000,
		.goodput_bytes = 1024000,
		.requests = 1000,
		.messages = 10,
		.messages_completed = 10,
		.expected = 1000,
		.ect = 1000,
		.icrc_good = FACT_UNKNOWN,
		.icrc_bad = FACT_UNKNOWN,
		.latency_min_ns = 10 * US,
		.latency_mean_ns = 12 * US,
		.latency_max_ns = 20 * US,
		.rtt_sender_ns = FACT_UNKNOWN,
		.rtt_receiver_ns = 8 * US,
		.ack_timeout_code = FACT_UNKNOWN,
		.retry_count = FACT_UNKNOWN,
		.rnr_retry = FACT_UNKNOWN,
	};
}

void lab_one_tap(struct lab *l)
{
	struct capture_file f = good_file();
	struct capture_tap t = good_tap();
	struct fact_tap ft = good_fact_tap(0);

	store_capture(l->s, 0, &f);
	store_tap(l->s, 0, &t);
	l->sink.tap(l->sink.ctx, &ft);
}

void lab_pair(struct lab *l, struct fact_flow *f)
{
	struct fact_flow back = good_flow(f->id + 1, 0, 0, f->dst_qp + 1);

	f->peer = f->id + 1;
	f->src_qp = f->dst_qp + 1;
	back.peer = f->id;
	back.src = f->dst;
	back.dst = f->src;
	back.src_qp = f->dst_qp;
	back.visibility = f->visibility;
	back.expected = back.messages = back.messages_completed = 0;
	back.requests = 0;
	back.responses = back.packets;
	l->sink.flow(l->sink.ctx, f);
	l->sink.flow(l->sink.ctx, &back);
}

static void drop_returns(char *text)
{
	char *to = text;

	for (; *text; text++)
		if (*text != '\r')
			*to++ = *text;
	*to = 0;
}

char *lab_ask(struct lab *l, const char *name, const char *const *params)
{
	const struct format_options o = { .kind = FORMAT_CSV };
	struct catalogue *c = catalogue_builtin();
	const struct query *q = catalogue_find(c, name);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct format *f = format_new(out, &o);
	struct query_sink sink = format_sink(f);

	if (!q)
		fail_msg("no query %s", name);
	if (query_run(l->s, q, params, &sink, &l->err))
		fail_msg("%s", l->err.text);
	assert_int_equal(format_end(f, NULL), 0);
	fclose(out);
	catalogue_free(c);
	drop_returns(text);
	return text;
}

void lab_rows(const struct lab *l, const char *sql, const char *want)
{
	char have[4000] = "";
	sqlite3_stmt *stmt;
	sqlite3 *db;
	size_t n = 0;

	assert_int_equal(sqlite3_open(l->path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL),
			 SQLITE_OK);
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(stmt); i++) {
			const unsigned char *t = sqlite3_column_text(stmt, i);

			n += (size_t)snprintf(have + n, sizeof have - n, "%s%s",
					      i ? "|" : "",
					      t ? (const char *)t : "-");
		}
		n += (size_t)snprintf(have + n, sizeof have - n, "\n");
	}
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	assert_string_equal(have, want);
}

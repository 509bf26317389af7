/* SPDX-License-Identifier: GPL-2.0-or-later
 * Rows of every shipped query: of an empty database, and of a written one. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab.h"

static struct lab filled;

static void hand_event(uint32_t flow, int64_t ns, enum event_kind kind,
		       uint32_t psn, uint32_t count, int64_t value,
		       const char *detail)
{
	const struct fact_event e = {
		.ns = T0 + ns,
		.frame = (uint64_t)(ns / US),
		.flow = flow,
		.kind = kind,
		.psn = psn,
		.count = count,
		.value = value,
		.confidence = 0.5,
		.detail = detail,
	};

	filled.sink.event(filled.sink.ctx, &e);
}

static void hand_events(void)
{
	hand_event(1, 2 * MS, EVENT_LOSS_UPSTREAM, 500, 3, FACT_UNKNOWN, "R3");
	hand_event(1, 1 * MS, EVENT_NAK_SEQ, 500, 1, FACT_UNKNOWN, NULL);
	hand_event(1, 3 * MS, EVENT_RETRANSMIT_NAK, 500, 20, 1030, "R3");
	hand_event(1, 4 * MS, EVENT_CAPTURE_MISSING, 600, 1, FACT_UNKNOWN,
		   "R7");
	hand_event(3, 5 * MS, EVENT_RNR_NAK, 9, 1, 640 * US, NULL);
	hand_event(3, 6 * MS, EVENT_DUPLICATE, 10, 2, FACT_UNKNOWN, "R25");
	hand_event(3, 7 * MS, EVENT_EPOCH, 0, 1, 1, "restart");
}

static void hand_flows(void)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);

	f.lost_upstream = 3;
	f.retransmitted = 20;
	f.recovery_ns = 100 * US;
	f.recoveries = f.nak_seq = f.capture_missing = 1;
	f.ce = f.ce_data = 10;
	f.ect = f.ect_data = 990;
	f.latency_max_ns = 90 * US;
	lab_pair(&filled, &f);
	f = good_flow(3, 3, 2, 0x33);
	f.pairing = PAIRING_CM;
	f.pairing_confidence = 1;
	f.epoch = 1;
	f.rnr_nak = 1;
	f.reordered = 5;
	f.reorder_events = 2;
	f.reorder_extent_max = 4;
	f.reorder_late_ns_max = 9 * US;
	f.retransmitted = 2;
	f.recoveries = 1;
	f.recovery_ns = 67 * MS;
	f.ack_timeout_code = 14;
	lab_pair(&filled, &f);
	f = good_flow(5, 9, 8, 0x55);
	f.transport = FLOW_UD;
	f.visibility = VISIBLE_FWD;
	f.pairing = PAIRING_NONE;
	f.pairing_confidence = 0;
	f.lost_upstream = f.lost_downstream_min = FACT_UNKNOWN;
	f.spray_suspect = true;
	filled.sink.flow(filled.sink.ctx, &f);
}

static void hand_messages(void)
{
	struct fact_message m = {
		.flow = 1,
		.op = MESSAGE_WRITE,
		.status = MESSAGE_COMPLETE,
		.first_ns = T0 + 1 * MS,
		.last_ns = T0 + 1 * MS + 50 * US,
		.completed_ns = T0 + 1 * MS + 80 * US,
		.bytes = 100000,
		.psn_first = 490,
		.psn_last = 587,
	};

	filled.sink.message(filled.sink.ctx, &m);
	m.first_ns += 2 * MS;
	m.last_ns = m.first_ns + 60 * US;
	m.completed_ns = m.first_ns + 90 * US;
	filled.sink.message(filled.sink.ctx, &m);
	m.flow = 3;
	m.op = MESSAGE_READ;
	m.status = MESSAGE_CUT;
	m.first_ns = T0;
	m.last_ns = T0 + 5 * US;
	m.completed_ns = FACT_UNKNOWN;
	filled.sink.message(filled.sink.ctx, &m);
}

static void hand_recoveries(void)
{
	struct fact_recovery r = {
		.flow = 1,
		.trigger = TRIGGER_NAK,
		.cause = CAUSE_LOSS_UPSTREAM,
		.psn = 500,
		.lost_min = 3,
		.lost_max = 3,
		.first_ns = T0 + MS,
		.detect_ns = T0 + MS + 20 * US,
		.resend_ns = T0 + MS + 50 * US,
		.last_ns = T0 + MS + 100 * US,
		.silence_ns = FACT_UNKNOWN,
		.frame_detect = 1000,
		.frame_first = 1010,
		.frame_last = 1030,
		.retransmitted_packets = 20,
		.retransmitted_bytes = 21640,
		.confidence = 0.95,
		.rule = "R3",
	};

	filled.sink.recovery(filled.sink.ctx, &r);
	r.flow = 3;
	r.trigger = TRIGGER_TIMEOUT;
	r.cause = CAUSE_ACK_LOSS;
	r.psn = 10;
	r.lost_min = r.lost_max = 0;
	r.detect_ns = T0 + 68 * MS;
	r.resend_ns = T0 + 68 * MS;
	r.last_ns = T0 + 68 * MS + 500 * US;
	r.silence_ns = 67 * MS;
	r.frame_detect = 0;
	r.frame_first = 1500;
	r.retransmitted_packets = 2;
	r.retransmitted_bytes = 2164;
	r.rule = "R11";
	filled.sink.recovery(filled.sink.ctx, &r);
}

static void hand_rest(void)
{
	const struct fact_cm cm = {
		.ns = T0,
		.frame = 3,
		.src = host(3),
		.dst = host(2),
		.attribute = 0x10,
		.local_comm_id = 0xabc,
		.qpn = 0x34,
		.psn = 77,
		.service_id = 0x1060001,
		.reason = -1,
	};
	struct fact_bin b = {
		.scope = BIN_TAP,
		.start_ns = T0,
		.width_ns = MS,
		.packets = 100,
		.bytes = 125000,
		.ect = 100,
	};

	filled.sink.cm(filled.sink.ctx, &cm);
	filled.sink.bin(filled.sink.ctx, &b);
	b.start_ns += 5 * MS;
	b.ce = 10;
	filled.sink.bin(filled.sink.ctx, &b);
	b.scope = BIN_FLOW;
	b.scope_id = 1;
	filled.sink.bin(filled.sink.ctx, &b);
	filled.sink.capped(filled.sink.ctx, "event", 30);
	filled.sink.capped(filled.sink.ctx, "event", 12);
	store_meta(filled.s, "version", "0.1");
}

/* 10.0.0.2 pauses priority 3 twice, a storm; the longer one stalls flow 1. */
static void hand_pauses(void)
{
	const struct flow_sink *k = &filled.sink;
	struct fact_pause p = { .mac = 0xa2,
				.priority = 3,
				.first_ns = T0 + 1000000,
				.last_ns = T0 + 1100000,
				.paused_ns = 100000,
				.xoff = 1,
				.xon = 1,
				.ended_by = PAUSE_XON,
				.quanta = 65535,
				.frame = 77 };
	const struct fact_pauser port = { .mac = 0xa2,
					  .priority = 3,
					  .link_bps = 10000000000,
					  .first_ns = T0 + 1000000,
					  .last_ns = T0 + 9000000,
					  .pauses = 2,
					  .xoff = 6,
					  .xon = 2,
					  .refreshes = 4,
					  .by_xon = 2,
					  .quanta = 393210,
					  .quanta_max = 65535,
					  .paused_ns = 8000000,
					  .longest_ns = 7900000,
					  .seen = 12,
					  .frame = 77,
					  .role = PORT_HOST,
					  .has_host = true,
					  .host = host(2) };

	k->pause(k->ctx, &p);
	p.first_ns = T0 + 1100000;
	p.last_ns = T0 + 9000000;
	p.paused_ns = 7900000;
	p.xoff = 5;
	p.refreshes = 4;
	p.frame = 80;
	k->pause(k->ctx, &p);
	k->pauser(k->ctx, &port);
	k->storm(k->ctx, &(struct fact_storm) { .mac = 0xa2,
						.priority = 3,
						.level = STORM_SUSPECT,
						.first_ns = T0 + 1000000,
						.last_ns = T0 + 11000000,
						.paused_ns = 8000000,
						.longest_ns = 7900000,
						.xoff = 6,
						.frame = 77,
						.frozen = true });
	k->stall(k->ctx, &(struct fact_stall) { .flow = 1,
						.mac = 0xa2,
						.priority = 3,
						.first_ns = T0 + 1099000,
						.last_ns = T0 + 9001000,
						.paused_ns = 7901000,
						.frame = 90 });
	k->paused_flow(k->ctx,
		       &(struct fact_paused_flow) { .flow = 1,
						    .mac = 0xa2,
						    .priority = 3,
						    .ttl = 64,
						    .governed = true,
						    .stalls = 1,
						    .stalled_ns = 7902000,
						    .longest_ns = 7902000 });
}

/* Both ends of the link say what they have; and one uses 1000 credits in 10 ms,
 * none of them in 2 ms. */
static void hand_control(void)
{
	const struct flow_sink *k = &filled.sink;
	struct fact_lldp l = { .mac = 0xa2,
			       .first_ns = T0,
			       .last_ns = T0 + 9000000,
			       .frames = 2,
			       .frame = 5,
			       .port = "eth0",
			       .ttl_s = 120,
			       .dcbx = "ieee",
			       .pfc_willing = 0,
			       .pfc_cap = 8,
			       .pfc_enabled = 0x10,
			       .ets_willing = 0,
			       .ets_classes = 8,
			       .ets_tc = "[0,0,0,1,0,0,0,0]",
			       .ets_bandwidth = "[50,50,0,0,0,0,0,0]",
			       .ets_selection = "[2,0,0,0,0,0,0,0]",
			       .applications =
				       "[{\"sel\":\"udp\",\"proto\":4791,"
				       "\"prio\":3}]" };

	k->lldp(k->ctx, &l);
	l = (struct fact_lldp) { .mac = 0xb2,
				 .first_ns = T0,
				 .last_ns = T0,
				 .frames = 1,
				 .frame = 6,
				 .system = "leaf1",
				 .port = "Ethernet0",
				 .ttl_s = 120,
				 .dcbx = "cee",
				 .pfc_willing = 0,
				 .pfc_cap = 8,
				 .pfc_enabled = 0x18,
				 .ets_willing = FACT_UNKNOWN,
				 .ets_classes = FACT_UNKNOWN };
	k->lldp(k->ctx, &l);
	k->uec_credit(k->ctx,
		      &(struct fact_uec_credit) { .mac = 0xb2,
						  .channel = 3,
						  .first_ns = T0,
						  .last_ns = T0 + 10000000,
						  .updates = 40,
						  .credits = 1000,
						  .standstills = 1,
						  .standstill_ns = 2000000,
						  .longest_ns = 2000000 });
	k->uec_credit_bin(k->ctx,
			  &(struct fact_uec_credit_bin) { .mac = 0xb2,
							  .channel = 3,
							  .start_ns = T0,
							  .width_ns = 10000000,
							  .updates = 40,
							  .credits = 1000 });
	k->stall(k->ctx, &(struct fact_stall) { .flow = 3,
						.cause = STALL_CREDIT,
						.mac = 0xb2,
						.priority = 3,
						.first_ns = T0 + 2000000,
						.last_ns = T0 + 4000000,
						.paused_ns = 1900000,
						.frame = 91 });
}

static int fill_lab(void **state)
{
	struct capture_file file = good_file();
	struct capture_tap t = good_tap();
	struct fact_tap ft = good_fact_tap(0);

	(void)state;
	lab_begin(&filled);
	file.damage_count = 1;
	file.damage[0] = (struct capture_damage) { 100, 250, "bad length" };
	store_capture(filled.s, 0, &file);
	t.speed_bps = 10000000000;
	t.dropped = 4;
	store_tap(filled.s, 0, &t);
	ft.mirror_duplicates = 20;
	ft.ce = 10;
	filled.sink.tap(filled.sink.ctx, &ft);
	hand_events();
	hand_flows();
	hand_messages();
	hand_recoveries();
	hand_rest();
	hand_pauses();
	hand_control();
	lab_reopen_derived(&filled);
	return 0;
}

static int empty_lab(void **state)
{
	(void)state;
	lab_end(&filled);
	return 0;
}

/* --- all queries --- */

/* "... NAME --param a=b --param c=d": the parameters, split in |line|. */
static void example_params(char *line, const char *params[16])
{
	size_t n = 0;
	char *save = NULL;

	for (char *w = strtok_r(line, " ", &save); w;
	     w = strtok_r(NULL, " ", &save))
		if (strchr(w, '=') && n < 15)
			params[n++] = w;
	params[n] = NULL;
}

/* Columns are those of the header, in its order. */
static int compare_head(void *ctx, const struct query_column *c, size_t n)
{
	const struct query *q = ctx;

	if (n != q->n_columns)
		fail_msg("%s: %zu columns, the header names %zu", q->name, n,
			 q->n_columns);
	for (size_t i = 0; i < n; i++)
		if (strcmp(c[i].name, q->columns[i].name))
			fail_msg("%s: column %s, the header says %s", q->name,
				 c[i].name, q->columns[i].name);
	return 0;
}

static int any_row(void *ctx, const struct query_value *v, size_t n)
{
	(void)ctx;
	(void)v;
	(void)n;
	return 0;
}

static void run_all(struct lab *l)
{
	struct catalogue *c = catalogue_builtin();

	for (size_t i = 0; i < catalogue_size(c); i++) {
		const struct query *q = catalogue_at(c, i);
		const struct query_sink sink = { (void *)(uintptr_t)q,
						 q->n_columns ? compare_head
							      : NULL,
						 any_row };
		const char *params[16] = { NULL };
		char *line;

		if (query_in(q, "incident"))
			continue; /* read and write the same temporary table */
		for (size_t p = 0; p < q->n_params && !q->example; p++)
			if (q->params[p].required) {
				params[0] = "id=1";
				assert_string_equal(q->params[p].name, "id");
			}
		line = strdup(q->example ? q->example : "");
		if (q->example)
			example_params(line, params);
		if (query_run(l->s, q, params, &sink, &l->err))
			fail_msg("%s", l->err.text);
		free(line);
	}
	catalogue_free(c);
}

static void every_query_and_example_runs(void **state)
{
	(void)state;
	run_all(&filled);
}

static void every_query_runs_on_an_empty_database(void **state)
{
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_reopen_derived(&l);
	run_all(&l);
	lab_end(&l);
}

static void headers_are_complete(void **state)
{
	struct catalogue *c = catalogue_builtin();

	(void)state;
	assert_true(catalogue_size(c) > 60);
	for (size_t i = 0; i < catalogue_size(c); i++) {
		const struct query *q = catalogue_at(c, i);

		assert_null(q->broken);
		if (q->question[strlen(q->question) - 1] != '?')
			fail_msg("%s: its first line is no question", q->name);
		if (!query_in(q, ""))
			continue;
		if (!q->example || !q->n_columns)
			fail_msg("%s: no example or no columns", q->name);
		if (!strstr(q->example, q->name))
			fail_msg("%s: the example is of another", q->name);
	}
	catalogue_free(c);
}

/* style.md 4, practice 11 */
static void full_scans_are_on_purpose(void **state)
{
	struct catalogue *c = catalogue_builtin();
	char why[200];
	int bad = 0;

	(void)state;
	for (size_t i = 0; i < catalogue_size(c); i++) {
		const struct query *q = catalogue_at(c, i);

		if (!query_unmarked_scan(filled.s, q, why, sizeof why))
			continue;
		bad++;
		print_error("%s: %s\n", q->name, why);
	}
	assert_int_equal(bad, 0);
	catalogue_free(c);
}

static void unmarked_scan_is_noticed(void **state)
{
	static const struct {
		const char *sql;
		int want;
	} cases[] = {
		{ "-- Q?\nSELECT * FROM flow", 1 },
		{ "-- Q?\nSELECT * FROM flow /*scan*/", 0 },
		{ "-- Q?\nSELECT * FROM flow f", 1 },
		{ "-- Q?\nSELECT * FROM flow f /*scan*/", 0 },
		{ "-- Q?\nSELECT * FROM flow /*scan*/ f", 0 },
		{ "-- Q?\nSELECT * FROM event /*scan*/ e"
		  " JOIN flow f ON f.src = e.detail",
		  1 },
		{ "-- Q?\nSELECT * FROM flow WHERE id = 3", 0 },
		{ "-- Q?\nSELECT id FROM flow WHERE impaired = 1", 0 },
		{ "-- Q?\nSELECT count(kind) FROM event", 1 },
		{ "-- Q?\nSELECT * FROM nothing", -1 },
	};
	char why[200];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct query *q = query_new("q", NULL, cases[i].sql);
		int have = query_unmarked_scan(filled.s, q, why, sizeof why);

		if (have != cases[i].want)
			fail_msg("%s: %d", cases[i].sql, have);
		query_free(q);
	}
}

/* --- rows --- */

struct expected {
	const char *query;
	const char *params[6];
	const char *rows; /* without the head */
};

#define T "17952192000"

static const struct expected expectations[] = {
	{ "captures",
	  { NULL },
	  "1,a.pcap,pcap,2000,200000," T "00000000," T "10000000,1,0,0,0\n" },
	{ "corrupted-ranges", { NULL }, "a.pcap,100,250,bad length\n" },
	{ "taps",
	  { NULL },
	  "1,pa,a.pcap,10000000000,128,2000,2000,0,0,0,0," T "00000000," T
	  "10000000,0,0,,,,,0\n" },
	{ "coverage",
	  { NULL },
	  /* 4 of 5 flows are connected and all of these are seen both ways */
	  "1,pa,5000,5,1,4,0,0,0,1,3000,3000,1,0.0003333333333333333,0,0\n" },
	{ "capture-quality",
	  { NULL },
	  "1,pa,2000,3000,1,0.0003333333333333333,4,,20,0,0,0,0,0,0.5,0\n" },
	{ "row-limits", { NULL }, "event,42\n" },
	/* tests/live has those that do have rows */
	{ "live", { NULL }, "" },
	{ "live-findings", { NULL }, "" },
	{ "live-log", { NULL }, "" },
	{ "recordings", { NULL }, "" },
	{ "flows",
	  { "src=10.0.0.1" },
	  "1,RC,10.0.0.1,10.0.0.2,17,18,0,both," T
	  "00000000,10000000,1000,1082000,10,3,20,100000,0,0,0,10,0,,"
	  "1024000,,,,\"[0,0,0,0,0,0,104167,20833,0,0,0,0]\",\n" },
	{ "flows",
	  { "sprayed=1" },
	  "5,UD,10.0.0.9,10.0.0.8,85,,0,fwd," T
	  "00000000,10000000,1000,1082000,10,,0,0,0,0,0,0,0,,1024000,,,,,\n" },
	{ "flows",
	  { "qp=0x34", "host=10.0.0.3" },
	  "4,RC,10.0.0.2,10.0.0.3,52,51,0,both," T
	  "00000000,10000000,1000,1082000,0,0,0,0,0,0,0,0,0,,1024000,,,,,\n" },
	{ "worst-flows",
	  { NULL },
	  "3,10.0.0.3,10.0.0.2,51,67000000,1,0,0,2,0,0,0,1,5,0\n"
	  "1,10.0.0.1,10.0.0.2,17,100000,1,3,0,20,0,0,1,0,0,0\n" },
	{ "losses",
	  { NULL },
	  T "02000000,1,1,10.0.0.1,10.0.0.2,17,2000,500,"
	    "loss_upstream,3,0.5,R3\n" T
	    "04000000,1,1,10.0.0.1,10.0.0.2,17,4000,600,"
	    "capture_missing,1,0.5,R7\n" },
	{ "losses",
	  { "kind=capture_missing" },
	  T "04000000,1,1,10.0.0.1,10.0.0.2,17,4000,600,"
	    "capture_missing,1,0.5,R7\n" },
	{ "retransmissions",
	  { "trigger=nak" },
	  T "03000000,1,1,10.0.0.1,10.0.0.2,17,3000,500,nak,20,1030,0.5,"
	    "R3\n" },
	{ "recoveries",
	  { NULL },
	  "3,10.0.0.3,10.0.0.2,51," T
	  "01000000,67500000,67000000,,timeout,ack_loss,10,0,0,2,2164,1,,"
	  "1500,0.95,R11,,2\n"
	  "1,10.0.0.1,10.0.0.2,17," T
	  "01000000,100000,20000,30000,nak,loss_upstream,500,3,3,20,21640,1,"
	  "1000,1010,0.95,R3,,1\n" },
	{ "recoveries", { "trigger=nak", "cause=rnr" }, "" },
	{ "timeouts",
	  { NULL },
	  /* 4.096 us x 2^14 */
	  "3,10.0.0.3,10.0.0.2,51," T
	  "01000000,67000000,67108864,ack_loss,10,2,1,1500,0.95\n" },
	{ "reordering",
	  { NULL },
	  "3,10.0.0.3,10.0.0.2,51,1000,5,0.00501002004008016,2,4,9000,0,\n" },
	{ "naks",
	  { NULL },
	  T "01000000,1,1,10.0.0.1,10.0.0.2,17,,1000,500,nak_seq,1,,,\n" T
	    "05000000,1,3,10.0.0.3,10.0.0.2,51,,5000,9,rnr_nak,1,640000,,\n" },
	{ "rnr",
	  { NULL },
	  T "05000000,1,3,10.0.0.3,10.0.0.2,51,,5000,9,640000,\n" },
	{ "duplicates",
	  { NULL },
	  T "06000000,1,3,10.0.0.3,10.0.0.2,51,6000,10,duplicate,2,R25\n" },
	{ "epochs",
	  { NULL },
	  T "07000000,1,3,10.0.0.3,10.0.0.2,51,7000,0,1,restart\n" },
	{ "events",
	  { "flow=3", "to=+6ms" },
	  "5," T "05000000,1,3,10.0.0.3,10.0.0.2,51,5000,9,rnr_nak,1,640000,"
	  "0.5,,\n"
	  "6," T "06000000,1,3,10.0.0.3,10.0.0.2,51,6000,10,duplicate,2,,0.5,"
	  "R25,\n" },
	{ "events",
	  { "from=2026-11-21T00:00:00.007Z" },
	  "7," T "07000000,1,3,10.0.0.3,10.0.0.2,51,7000,0,epoch,1,1,0.5,"
	  "restart,\n" },
	{ "messages",
	  { "op=read" },
	  "3,3,10.0.0.3,10.0.0.2,read," T
	  "00000000,,5000,100000,,490,587,cut\n" },
	{ "slow-messages",
	  { NULL },
	  /* 100000 octets in 90 us and in 80 us */
	  "2,1,10.0.0.1,10.0.0.2,write," T
	  "03000000,90000,60000,100000,8888888888,490,587,complete\n"
	  "1,1,10.0.0.1,10.0.0.2,write," T
	  "01000000,80000,50000,100000,10000000000,490,587,complete\n" },
	{ "incomplete-messages",
	  { NULL },
	  "3,3,10.0.0.3,10.0.0.2,read," T
	  "00000000,,5000,100000,,490,587,cut\n" },
	{ "pairs",
	  { NULL },
	  "1,2,RC,10.0.0.1,18,10.0.0.2,17,ack,0.9,1000,1000,10000,12000,90000,"
	  ",8000\n"
	  "3,4,RC,10.0.0.3,52,10.0.0.2,51,cm,1,1000,1000,10000,12000,20000,"
	  ",8000\n" },
	{ "mirror-duplicates", { NULL }, "1,pa,2000,20,0.01\n" },
	{ "load",
	  { NULL },
	  /* 125000 octets in 1 ms are 1 Gb/s of 10 */
	  T "00000000,1000000,100,125000,1000000000,0.1,0,0,0,\n" T
	    "05000000,1000000,100,125000,1000000000,0.1,10,0,0,\n" },
	{ "load",
	  { "scope=flow", "id=1" },
	  T "05000000,1000000,100,125000,1000000000,,10,0,0,\n" },
	{ "ecn", { NULL }, "1,10.0.0.1,10.0.0.2,17,1000,990,10,0.01,0,0,\n" },
	{ "cm",
	  { "message=REQ" },
	  T "00000000,1,3,10.0.0.3,10.0.0.2,REQ,2748,0,52,77,"
	    "0x0000000001060001,\n" },
	{ "hosts",
	  { "limit=2" },
	  "10.0.0.2,2,2,2164000,2164000,0,0,1,0\n"
	  "10.0.0.1,1,1,1082000,1082000,3,20,0,100000\n" },
	{ "incidents",
	  { NULL },
	  "1,ack_loss,\"10.0.0.3 > 10.0.0.2, QP 0x000033\",1,1,0,0,2,67500000,"
	  "67500000,3," T "01000000,"
	  "1795219200068500000,0.95,0\n"
	  "3,loss_upstream,\"10.0.0.1 > 10.0.0.2, QP 0x000011\",1,1,2,3,20,"
	  "100000,100000,1," T "01000000," T "01100000,0.95,0\n"
	  "2,duplicated,\"10.0.0.3 > 10.0.0.2, QP 0x000033\",2,1,,,,,,3," T
	  "06000000," T "06000000,0.5,0\n"
	  "4,reorder_tolerated,\"10.0.0.3 > 10.0.0.2, QP 0x000033\",5,1,,,,,,"
	  "3," T "00000000," T "10000000,0.9,0\n" },
	{ "pause-senders",
	  { NULL },
	  /* 8 of 10 ms */
	  "1,00:00:00:00:00:a2,host 10.0.0.2,3,2,6,2,4,0,8000000,0.8,7900000,"
	  "12,0,\n" },
	{ "pauses",
	  { "limit=1" },
	  T "01000000,1,00:00:00:00:00:a2,3,100000,xon,1,0,65535,77\n" },
	{ "pauses",
	  { "priority=3", "from=" T "05000000" },
	  T "01100000,1,00:00:00:00:00:a2,3,7900000,xon,5,4,65535,80\n" },
	{ "pauses", { "priority=4" }, "" },
	/* two steps of 5 ms: paused from 1 to 9 ms, with a break at 1.1 */
	{ "pause-timeline",
	  { "steps=2", "from=" T "00000000", "to=" T "09999999" },
	  "p3 host 10.0.0.2 at pa,0," T "00000000,5000000,0.8,2,1,"
	  "00:00:00:00:00:a2,3\n"
	  "p3 host 10.0.0.2 at pa,1," T "05000000,5000000,0.8,1,1,"
	  "00:00:00:00:00:a2,3\n" },
	/* 125 kB in each; of the link's 10 Gb/s */
	{ "link-timeline",
	  { "steps=2", "from=" T "00000000", "to=" T "09999999" },
	  "pa,0," T "00000000,5000000,0.02,200000000,1\n"
	  "pa,1," T "05000000,5000000,0.02,200000000,1\n" },
	{ "timeline",
	  { "steps=2", "from=" T "02500000", "to=" T "05499999", "id=1" },
	  "0," T "02500000,1500000,0,0,0,,0,0,20,0,0,,0,,0\n"
	  "1," T "04000000,1500000,50,62500,333333333,,5,0,0,0,1,,0,,0\n" },
	/* half of a bin of 1 ms in each of the steps, and of its 125 kB */
	{ "timeline",
	  { "steps=2", "from=" T "05000000", "to=" T "05999999", "scope=flow" },
	  "0," T "05000000,500000,50,62500,1000000000,,5,0,0,0,1,,0,,0\n"
	  "1," T "05500000,500000,50,62500,1000000000,,5,0,0,0,0,,0,,0\n" },
	{ "ladder",
	  { "flow=1", "to=" T "03000000" },
	  T "01000000,,back,NAK,500,1,1000,1,(50.0 % confidence),1\n" T
	    "01099000,99000,at-sender,stalled,,,90,1,\"7.90 ms, pause by "
	    "00:00:00:00:00:a2\",\n" T
	    "02000000,901000,before,lost,500,3,2000,1,it had not been seen "
	    "here when a NAK named it (50.0 % confidence),\n" T
	    "03000000,1000000,over,retransmitted,500,20,3000,1,NAK: it had not "
	    "been seen here when a NAK named it (50.0 % confidence),\n" },
	{ "storms",
	  { NULL },
	  "1," T "01000000," T "11000000,1,00:00:00:00:00:a2,host 10.0.0.2,3,"
	  "suspect,0.8,7900000,0,1,host 10.0.0.2,0,\n" },
	{ "stalled-flows",
	  { NULL },
	  "1,10.0.0.1,10.0.0.2,17,contributor,host 10.0.0.2,3,1,1,7902000,"
	  "7902000,1,90\n" },
	{ "stalled-flows", { "part=victim" }, "" },
	{ "stalls",
	  { NULL },
	  T "01099000,7902000,7901000,1,1,10.0.0.1,10.0.0.2,17,pause,"
	    "00:00:00:00:00:a2,3,90\n" T
	    "02000000,2000000,1900000,1,3,10.0.0.3,10.0.0.2,51,uec-cbfc,"
	    "00:00:00:00:00:b2,3,91\n" },
	{ "lldp",
	  { NULL },
	  T "00000000," T "09000000,1,00:00:00:00:00:a2,,eth0,ieee,4,0,"
	    "\"[0,0,0,1,0,0,0,0]\",\"[50,50,0,0,0,0,0,0]\","
	    "\"[2,0,0,0,0,0,0,0]\",\"[{\"\"sel\"\":\"\"udp\"\","
	    "\"\"proto\"\":4791,\"\"prio\"\":3}]\",,5\n" T "00000000," T
	    "00000000,1,00:00:00:00:00:b2,leaf1,Ethernet0,cee,"
	    "3 4,0,,,,,,6\n" },
	{ "uec-credits",
	  { NULL },
	  "1,00:00:00:00:00:b2,3," T "00000000," T "10000000,40,1000,100000,1,"
	  "2000000,2000000\n" },
	{ "uec-credits-over-time",
	  { "channel=3" },
	  T "00000000,10000000,1,00:00:00:00:00:b2,3,40,1000\n" },
	{ "uec-credits-over-time", { "channel=4" }, "" },
	{ "kpis",
	  { "section=13.7" },
	  "13.7,Repeatability,Coefficient of variation of the iteration time,,"
	  "%,NT,,three iterations or more: they cannot be identified in this "
	  "capture,,\n" },
	/* two writes that took 90 and 80 us, both while their priority was
	 * paused */
	{ "message-causes",
	  { NULL },
	  "2,1,write,100000," T "03000000,90000,pause,host,90000\n"
	  "1,1,write,100000," T "01000000,80000,pause,host,80000\n" },
	{ "job-logs", { NULL }, "" },
	{ "benchmark-setup",
	  { NULL },
	  "1 DUT identification,Switches,leaf1,\n"
	  "1 DUT identification,\"Switch model, ASIC, NOS version\",,"
	  "[dut] of --topology\n"
	  "1 DUT identification,Port speed,10.0 Gb/s,\n"
	  "1 DUT identification,\"Buffers, optics and cables\",,[dut] of "
	  "--topology\n"
	  "1 DUT identification,NIC model and firmware,,[host] of --topology\n"
	  "2 Test topology,Fabric,,a topology file (--topology)\n"
	  "2 Test topology,Capture points,pa,\n"
	  "2 Test topology,Hosts seen,5,\n"
	  "3 Test configuration,Load balancing,,taps at parallel links\n"
	  "3 Test configuration,Service class,DSCP 0 on priority 0,\n"
	  "3 Test configuration,ECN at the hosts,on,\n"
	  "3 Test configuration,\"PFC, as advertised\",\"priorities 3, 4\",\n"
	  "3 Test configuration,\"ECN thresholds, PFC headroom, DCQCN\",,"
	  "\"configuration (--evidence), or [dut] of --topology\"\n"
	  "4 Host configuration,Transport,\"RC (4 flows), UD (1 flow)\",\n"
	  "4 Host configuration,Path MTU,1024,\n"
	  "4 Host configuration,Loss recovery,,losses and their recovery\n"
	  "4 Host configuration,\"ACK timeout, retries\",\"code 14, ? "
	  "retries\",\n"
	  "4 Host configuration,\"Driver, collective library, BIOS\",,"
	  "[host] of --topology\n" },
	{ "summary",
	  { NULL },
	  "1,1,2000,2000,0," T "00000000,10000000,5,4,5410000,3000,1,3,22,5,0,"
	  "1,67100000,1,7,undetermined\n" },
	{ "finding", { "id=99" }, "" },
	{ "evidence",
	  { "id=1" },
	  "frame,,1500,1500,1,a.pcap,1500\n"
	  "flow,,3,,,,3\n"
	  "number,flows,1,,,,1\nnumber,occurrences,1,,,,1\n"
	  "number,lost_min,0,,,,0\nnumber,lost_max,0,,,,0\n"
	  "number,retransmitted_packets,2,,,,2\n"
	  "number,retransmitted_bytes,2.16 kB,,,,2164\n"
	  "number,idle_ns,67.0 ms,,,,67000000\n"
	  "number,cost_ns,67.5 ms,,,,67500000\n"
	  "number,worst_ns,67.5 ms,,,,67500000\n"
	  "number,expected,\"1,000\",,,,1000\n"
	  "number,missing_share,0.03 %,,,,0.000333333333333333\n"
	  "query,,fabscope query DB recoveries --param incident=1 --param "
	  "cause=ack_loss,,,,fabscope query DB recoveries --param incident=1 "
	  "--param cause=ack_loss\n" },
};

static void rows_are_as_computed_by_hand(void **state)
{
	int bad = 0;

	(void)state;
	for (size_t i = 0; i < sizeof expectations / sizeof expectations[0];
	     i++) {
		const struct expected *e = &expectations[i];
		char *have = lab_ask(&filled, e->query, e->params);
		const char *rows = strchr(have, '\n') + 1;

		if (strcmp(rows, e->rows)) {
			print_error("%s\nwant %s\nhave %s\n", e->query, e->rows,
				    rows);
			bad++;
		}
		free(have);
	}
	assert_int_equal(bad, 0);
}

static void every_question_has_expected_rows(void **state)
{
	/* uet/tss.py, golden/cli, tui/behave, softroce, twins, scenarios */
	static const char elsewhere[] =
		"uet-congestion-over-time telemetry-in-window flow-everywhere "
		"latency-percentiles telemetry-packets collective-causes hops "
		"unanswered-marks slow-collectives counter-sources cnp-pacing "
		"entropy-spread flow-in-window counter-checks observability "
		"balance-flows tap-in-window job-ambiguity record-causes csig "
		"pdc-timeline events-dedup worst-phases interference findings "
		"cnp-latency convergence trim-events trim-places marks-dedup "
		"job-causes stragglers rank-bytes job-groups error-logs links "
		"reactions flow-once uet-nacks unmatched two-ended qp-errors "
		"flow-load job-notes fairness pdc-rate uet-roce job-load cnps "
		"segments counters samples clocks paths rails trims audit psn "
		"pdcs jobs tss jct why traffic-matrix srv6-paths queue-depth "
		"transfers flowlet-timer mrc recovery-once trims-by-tap ";
	struct catalogue *c = catalogue_builtin();

	(void)state;
	for (size_t i = 0; i < catalogue_size(c); i++) {
		const struct query *q = catalogue_at(c, i);
		size_t n = sizeof expectations / sizeof expectations[0], k = 0;

		while (k < n && strcmp(expectations[k].query, q->name))
			k++;
		if (query_in(q, "") && k == n && !strstr(elsewhere, q->name))
			fail_msg("%s: no rows are expected of it", q->name);
	}
	catalogue_free(c);
}

/* The command a finding names shows at least one row. */
static int run_shown(void *ctx, const struct query_value *v, size_t n)
{
	const char *at = strstr(v[n - 1].text, "fabscope query DB ");
	struct lab *l = ctx;
	const char *params[16];
	char line[200], *rows;

	assert_non_null(at);
	at += strlen("fabscope query DB ");
	snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\""), at);
	example_params(line, params); /* ends the name as well */
	rows = lab_ask(l, line, params);
	assert_true(strlen(strchr(rows, '\n')) > 1);
	free(rows);
	return 0;
}

static void evidence_commands_show_something(void **state)
{
	struct query *q =
		query_new("all", NULL, "-- All?\nSELECT evidence FROM finding");
	const struct query_sink sink = { &filled, NULL, run_shown };

	(void)state;
	assert_int_equal(query_run(filled.s, q, NULL, &sink, NULL), 0);
	query_free(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_query_and_example_runs),
		cmocka_unit_test(every_query_runs_on_an_empty_database),
		cmocka_unit_test(headers_are_complete),
		cmocka_unit_test(full_scans_are_on_purpose),
		cmocka_unit_test(unmarked_scan_is_noticed),
		cmocka_unit_test(rows_are_as_computed_by_hand),
		cmocka_unit_test(every_question_has_expected_rows),
		cmocka_unit_test(evidence_commands_show_something),
	};

	return cmocka_run_group_tests(tests, fill_lab, empty_lab);
}

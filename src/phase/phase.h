/* SPDX-License-Identifier: GPL-2.0-or-later
 * From stretches of data to iterations, and to what their time was spent on
 *.  Plain arrays in, plain rows out; nothing is read or written.
 *
 * Times are ns, within 2^62 of 0.  A flow here is one direction of a queue
 * pair, seen once: where several taps saw it, the caller has put their views
 * together. */
#ifndef FABSCOPE_PHASE_PHASE_H
#define FABSCOPE_PHASE_PHASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PHASE_UNKNOWN INT64_MIN
/* All times lie within. */
#define PHASE_FAR ((int64_t)1 << 62)

/* Evidence that something else than its sender decided about a flow, in order
 * of precedence: the first that applies has the time.  By its
 * class and part in queries/derive/41-attribution. */
#define PHASE_CLASSES(X)                      \
	X(PAUSED_HOST, "paused", "host")      \
	X(PAUSED_NET, "paused", "network")    \
	X(PAUSED, "paused", "")               \
	X(ADAPTER, "recovery", "adapter")     \
	X(DETECTION, "recovery", "detection") \
	X(TIMEOUT, "recovery", "timeout")     \
	X(REPLAY, "recovery", "replay")       \
	X(LINK, "recovery", "link")           \
	X(TRIMMED, "recovery", "trimmed")     \
	X(REORDER, "recovery", "reorder")     \
	X(EITHER, "recovery", "either")       \
	X(ACKS, "recovery", "acks")           \
	X(EARLY, "recovery", "early")         \
	X(TIMER, "recovery", "timer")         \
	X(RNR_WAIT, "rnr_wait", "")           \
	X(REPAIR, "recovery", "unknown")      \
	X(CREDIT_WAIT, "credit_wait", "")     \
	X(UNKNOWN, "unknown", "")

enum phase_class {
#define X(id, name, part) CLASS_##id,
	PHASE_CLASSES(X)
#undef X
		PHASE_CLASS_COUNT
};
extern const char *const phase_class_names[PHASE_CLASS_COUNT];
extern const char *const phase_class_parts[PHASE_CLASS_COUNT];

/* Classes of the critical path, and what the answer calls them: class, side,
 * and how it was measured.  Public. */
#define PHASE_SHARES(X)                                                     \
	X(COMPUTE, "compute", "needed", "model of undisturbed iterations")  \
	X(IDLE, "compute", "needed", "silence")                             \
	X(WIRE, "wire", "needed", "link load")                              \
	X(WAY, "wire", "needed", "shortest delay")                          \
	X(TURN, "wire", "needed", "model of undisturbed iterations")        \
	X(NEEDED, "wire", "needed", "model of undisturbed iterations")      \
	X(SHARED, "wire", "needed", "link load of the same job")            \
	X(ASKING, "wire", "needed", "link load of the same job")            \
	X(QUEUE, "queueing", "network", "one-way delay between taps")       \
	X(BEHIND, "queueing", "network", "link load")                       \
	X(CROWDED, "queueing", "network", "idle links of the same job")     \
	X(LOSS, "loss", "network", "loss events")                           \
	X(TRIMMED, "loss", "network", "trimming")                           \
	X(REORDER, "loss", "network", "reordering")                         \
	X(EITHER, "loss", "network", "loss or reordering")                  \
	X(ACKS, "loss", "network", "ACKs lost or late")                     \
	X(TIMER, "loss", "network", "timeouts")                             \
	X(CUT, "rate-cut", "network", "CNPs")                               \
	X(PAUSE_NET, "pause", "network", "pause frames")                    \
	X(PAUSE_HOST, "pause", "host", "pause frames")                      \
	X(PAUSE, "pause", "unknown", "pause frames")                        \
	X(LATE, "host-late", "host", "silence")                             \
	X(LATER, "host-late", "host", "ranks that do the same")             \
	X(RECEIVER, "host-receiver", "host", "credit messages")             \
	X(ADAPTER, "host-receiver", "host", "reordering")                   \
	X(NIC, "host-nic", "host", "link load")                             \
	X(EARLY, "host-nic", "host", "timers that are too short")           \
	X(REPAIR, "unknown", "unknown", "retransmissions")                  \
	X(LINK, "unknown", "unknown", "losses behind the receiver's link")  \
	X(LATE_ACK, "unknown", "unknown", "acknowledgement timing")         \
	X(HELD, "unknown", "unknown", "idle link of the receiver")          \
	X(DRAIN, "host-receiver", "host", "ACKs later than of other hosts") \
	X(HELD_ACK, "unknown", "unknown", "ACKs delayed by the receiver")   \
	X(FULL, "queueing", "network", "delay of data against ACKs")        \
	X(STANDING, "unknown", "unknown", "delay of data against ACKs")     \
	X(ALIKE, "unknown", "unknown", "silence")                           \
	X(UNKNOWN, "unknown", "unknown", "rest")

enum phase_share {
#define X(id, class, side, measured) SHARE_##id,
	PHASE_SHARES(X)
#undef X
		SHARE_COUNT
};
extern const char *const phase_share_classes[SHARE_COUNT];
extern const char *const phase_share_sides[SHARE_COUNT];
extern const char *const phase_share_measures[SHARE_COUNT];

enum phase_pattern {
	PATTERN_NONE, /* not recognized */
	PATTERN_RING,
	PATTERN_DOUBLE_RING, /* both ways round */
	PATTERN_TREE,
	PATTERN_ALL_TO_ALL,
	PATTERN_BROADCAST,
	PATTERN_REDUCE,
	PATTERN_PIPELINE,
	PATTERN_EXCHANGE, /* two ranks, both ways */
	PHASE_PATTERNS
};
extern const char *const phase_pattern_names[PHASE_PATTERNS];

/* Time that belongs to a class. */
struct phase_span {
	int64_t from, to;
	enum phase_class class;
	bool replays; /* retransmissions, up to the last; of a halt: nothing but
		       * that it was so long says that it was one */
};

/* A stretch of data of a flow, and the silence behind it. */
struct phase_activity {
	int64_t from, sent;   /* first and last packet, near the sender */
	int64_t over;         /* it has arrived, or the next begins */
	int64_t arrived;      /* it has arrived, as far as can be seen */
	int64_t came, there;  /* first and last packet near the receiver; where
			       * that is not seen, |from| and |arrived| */
	uint64_t bytes, psns; /* without copies: 0 when all is retransmitted */
	int64_t acked, asked; /* in the silence; PHASE_UNKNOWN: none */
	int64_t returned;     /* |acked|, near the receiver; likewise */
	int64_t granted;      /* credit it had waited for; likewise ... */
	int64_t wanted;       /* ... since then */
	int64_t unacked;      /* PSNs, when data went on; likewise */
	bool inside;          /* the silence lies inside a message */
	bool guessed;         /* |came|: other data passed there just before */
};

struct phase_flow {
	int64_t id;        /* flow.id */
	uint32_t src, dst; /* hosts: any numbers below n_hosts */
	bool driven;       /* its receiver asks for each message (CTS, READ) */
	bool far;          /* two places saw it */
	bool whole;        /* the capture misses none of its packets */
	int routers;       /* between the two (TTL); -1 unknown */
	int64_t near_step; /* what time stamps of its first tap, which step by
			    * that, may be wrong by; 0 nothing ... */
	int64_t far_step;  /* ... those of its last */
	bool src_seen;     /* first seen at the link of its sender ... */
	bool dst_seen;     /* ... last seen at that of its receiver */
	int64_t rtt_s;     /* round trip tap, sender, tap; 0 unknown */
	int64_t rtt_r;     /* last tap, receiver, tap; likewise */
	int64_t rtt_f;     /* first tap, receiver, tap; likewise */
	double wire;       /* bytes on the wire for one of payload */
	uint64_t messages; /* 0 unknown */
	struct phase_activity *a; /* in order, not overlapping */
	size_t n;
	int64_t asked; /* before the first of them; PHASE_UNKNOWN: not seen */
	const struct phase_span *evidence; /* of CLASS_PAUSED .. CREDIT_WAIT */
	size_t n_evidence;
	const struct phase_span *held; /* the same of what its receiver asks */
	size_t n_held;
	int64_t held_up; /* what asks was queued by on its way, at most; ns */
	const int64_t *cnps; /* when its sender received a CNP */
	size_t n_cnps;
	double cut_rate; /* payload bit/s before it did so first; 0 unknown */
};

/* A stretch of data of a flow as its last tap saw it. */
struct phase_passage {
	size_t flow;               /* of all of them */
	int64_t from, to;          /* first and last packet */
	int64_t sent;              /* the first, near the sender */
	int64_t longest, shortest; /* what these two were on their way */
	uint64_t bytes, psns;      /* as in phase_activity */
};

/* When the receiver of |g| asked for activity |k| of it, behind the one before;
 * PHASE_UNKNOWN: it did not, or that was not seen. */
static inline int64_t phase_asked(const struct phase_flow *g, size_t k)
{
	return k ? g->a[k - 1].asked : g->asked;
}

struct phase_queue;

struct phase_host {
	char *address;
	int rail;        /* -1 unknown */
	uint32_t server; /* that it is a NIC of: from 1; 0 unknown */
	uint32_t leaf;   /* switch that it hangs on: likewise */
	bool link;       /* a tap sees its link, and nothing else */
	uint64_t bps;    /* speed of that; 0 unknown */
	const struct phase_span *pauses; /* that it asked for: in order,
					  * apart */
	size_t n_pauses;
	struct phase_queue *queue;      /* before its port; NULL not known */
	const struct phase_span *halts; /* halts.c: as |pauses| */
	size_t n_halts;
};

/* A message whose time is asked for. */
struct phase_message {
	int64_t id; /* message.id */
	size_t flow;
	int64_t from, to;
};

/* What a host recorded of an operation, whose time is asked for: |length| of it
 * lies somewhere in from..to. */
struct phase_window {
	int64_t id; /* collective.id */
	uint32_t host;
	int64_t from, to;
	int64_t length;
};

struct loads;

/* The flows of one job. */
struct phase_input {
	struct phase_flow *flows;
	size_t n_flows;
	const struct phase_host *hosts;
	size_t n_hosts;
	const struct loads *all; /* of the links of all hosts: every job; NULL:
				  * there is no other */
	const uint32_t *in_all;  /* by host, its number there; NULL: the same */
	const struct phase_span *host_pauses; /* some host asked for one: in
					       * order, apart */
	size_t n_host_pauses;
	const struct phase_span *net_pauses; /* likewise: only switches did */
	size_t n_net_pauses;
	const struct phase_span *open_pauses; /* likewise: somebody did, and it
					       * may have been for a host */
	size_t n_open_pauses;
	struct phase_message *messages;
	size_t n_messages;
	struct phase_window *windows; /* in order of |from| */
	size_t n_windows;
	int64_t first_ns, last_ns; /* of the capture */
	uint64_t link_bps;         /* 0 unknown */
	int64_t job;               /* job.id */
	int64_t uet_job;           /* PHASE_UNKNOWN */
	bool whole;                /* no stretch of data was left out */
};

struct phase_job {
	int64_t id, uet_job;
	uint32_t ranks, ranks_tapped;
	uint32_t rails; /* parts with no flow between them */
	uint32_t flows;
	uint64_t bytes;
	int64_t first_ns, last_ns;
	bool whole;
	int64_t iterations;  /* PHASE_UNKNOWN: not identifiable ... */
	const char *why_not; /* ... because */
	double confidence;
	int64_t idle_threshold_ns; /* PHASE_UNKNOWN: no two kinds of silence */
	int64_t period_ns;         /* likewise: no period */
	double period_peak;
	int64_t phases;
	enum phase_pattern pattern;
	double pattern_confidence;
	const char *collective; /* what may have been asked for; NULL unknown */
	double collective_confidence;
	/* PHASE_UNKNOWN without iterations: */
	int64_t jct_ns, comm_ns, phase_p50_ns, compute_ns, rank_bytes;
	int64_t rate_bps;
	const char *rate_source;
	int64_t busbw_p50_bps;
	int64_t links_seen;
	int64_t stamp_ns; /* what coarse time stamps may hide of all its time */
	/* Without iterations: how much longer than usual it computed, all times
	 * together; PHASE_UNKNOWN: no host both sends and gets
	 * data */
	int64_t uneven_ns;
};

struct phase_rank {
	int64_t job, rank;
	const char *address;
	int64_t rail; /* PHASE_UNKNOWN */
	bool tapped;
	uint64_t bytes_out, bytes_in;
	uint32_t flows;
	int64_t phases;
	int64_t residual_ns, spread_ns; /* PHASE_UNKNOWN */
	int64_t late_phases, late_ns;
	bool straggler;   /* late by itself, again and again */
	int64_t stage_ns; /* PHASE_UNKNOWN: no stage of a pipeline */
};

struct phase {
	int64_t id, job, iteration;
	int64_t first_ns, last_ns, gap_ns;
	enum phase_pattern pattern;
	double confidence;
	uint64_t bytes;
	uint32_t ranks;
	int64_t busbw_bps;
	bool cut, slow;
	int64_t late_rank, late_ns; /* PHASE_UNKNOWN: none */
};

struct phase_rank_row {
	int64_t phase, rank;
	int64_t start_ns, end_ns;
	uint64_t bytes_out, bytes_in;
	int64_t late_start_ns, late_end_ns, residual_ns;
	int64_t input_ns; /* it had got all; PHASE_UNKNOWN */
	bool fed;         /* something came to it before it began */
};

struct phase_flow_row {
	int64_t phase, flow;
	enum phase_share share;
	int64_t time_ns;
};

struct phase_message_row {
	int64_t message;
	enum phase_share share;
	int64_t time_ns;
};

/* What the ranks of a group are to each other: data, pipeline, expert and
 * tensor parallelism.  Public. */
enum phase_group_kind {
	GROUP_DP,
	GROUP_PP,
	GROUP_EP,
	GROUP_TP,
	PHASE_GROUP_KINDS
};
extern const char *const phase_group_kinds[PHASE_GROUP_KINDS];

/* One rank in one group. */
struct phase_group {
	int64_t job, group; /* from 1 in each job */
	enum phase_group_kind kind;
	const char *address;
};

/* A part of the critical path of a job.  The parts of a phase add up to its
 * length, and those with |gap| to the silence before it; without phases all
 * parts add up to the length of the job. */
struct phase_share_row {
	int64_t job, phase; /* phase: PHASE_UNKNOWN without */
	enum phase_share share;
	bool gap;
	int64_t flow;  /* stalled; PHASE_UNKNOWN: none */
	int64_t rank;  /* waited for; likewise */
	int64_t other; /* flow in the way; likewise */
	int64_t time_ns;
};

struct phase_window_row {
	int64_t window, job;
	int64_t flow, rank; /* as in phase_share_row */
	enum phase_share share;
	int64_t time_ns;
};

struct phase_sink {
	void *ctx;
	void (*job)(void *ctx, const struct phase_job *);
	void (*rank)(void *ctx, const struct phase_rank *);
	void (*phase)(void *ctx, const struct phase *);
	void (*phase_rank)(void *ctx, const struct phase_rank_row *);
	void (*phase_flow)(void *ctx, const struct phase_flow_row *);
	void (*group)(void *ctx, const struct phase_group *);
	void (*share)(void *ctx, const struct phase_share_row *);
	void (*message)(void *ctx, const struct phase_message_row *);
	void (*window)(void *ctx, const struct phase_window_row *);
};

/* Rows of one job; |next_phase| is the id of its next phase.  False: no
 * memory. */
bool phase_job(const struct phase_input *in, const struct phase_sink *sink,
	       int64_t *next_phase);

/* Which flows belong together: |job[i]| of flow i is its number, most bytes
 * first.  Hosts whose data can go round (each reaches each) and the flows among
 * them are a job; flows that are on no such way are one with all they hang
 * together with.  Jobs on NICs of the same servers, and in step, are one.  With
 * |uet[i]| (may be NULL) not PHASE_UNKNOWN that JobID decides instead.  Returns
 * how many jobs there are; 0 also without memory. */
size_t phase_jobs(const struct phase_flow *flows, size_t n,
		  const struct phase_host *hosts, size_t n_hosts,
		  const int64_t *uet, uint32_t *job);

/* ---- paused.c ---- */

/* What was queued for |h|, host number |host|, which sent pauses: |*queue|, for
 * free(), NULL if it is not seen when that was sent.  |bps|: of its link.
 * False: no memory. */
bool phase_paused_queue(const struct phase_flow *flows, size_t n, uint32_t host,
			const struct phase_host *h, uint64_t bps,
			struct phase_queue **queue);

/* ---- halts.c ---- */

/* When data waited for each host although its link was idle and nothing that
 * was queued passed anywhere else: sets |halts| of it, in |*spans|, for free().
 * |seen|: of each flow in order.  False: no memory. */
bool phase_halts(const struct phase_flow *flows, size_t n,
		 const struct phase_passage *seen, size_t n_seen,
		 struct phase_host *hosts, size_t n_hosts,
		 struct phase_span **spans);

/* ---- load.c ---- */

/* What the links of all hosts carried; NULL: no memory. */
struct loads *loads_new(const struct phase_flow *flows, size_t n,
			size_t n_hosts);
void loads_free(struct loads *l); /* may be NULL */

/* ---- steps.c ---- */

/* Stretches of time in each of which every flow carries the same share of what
 * it carries in all. */
struct phase_steps {
	size_t n;            /* 0: there are none */
	int64_t *from, *to;  /* first data and last arrival; may overlap */
	int64_t first, last; /* all data: before the steps and behind as well */
	bool *in;            /* by flow: has such steps, in step with others */
	double share;        /* bytes of these, of all but the small ones */
	bool sure;           /* these are no parts of steps */
};

/* The largest set of flows with the same steps, and the shortest steps they
 * have.  False: no memory. */
bool phase_steps(const struct phase_flow *const *flows, size_t n,
		 struct phase_steps *out);
void phase_steps_free(struct phase_steps *s);

/* ---- series.c ---- */

/* Middle of |n| > 0 values, which are sorted by it. */
int64_t phase_median(int64_t *v, size_t n);
/* ... and of those that are. */
int64_t phase_middle(const int64_t *v, size_t n);
/* Likewise, of these values the one up to which half of their sum is reached:
 * many that are short do not count more than few that are long. */
int64_t phase_half_in(int64_t *v, size_t n);
/* Median distance from |middle|; |v| is overwritten. */
int64_t phase_deviation(int64_t *v, size_t n, int64_t middle);
/* ... of values that are sorted, and stay. */
int64_t phase_spread(const int64_t *v, size_t n, int64_t middle);

/* |ns| >= 0, |n| times, as far as that can be said. */
static inline int64_t phase_times(int64_t ns, int n)
{
	return ns > INT64_MAX / n ? INT64_MAX : ns * n;
}

/* Lengths of silence that tell two kinds apart: each the middle, by logarithm,
 * of a gap between lengths with at least |least| above it, the widest gap
 * first, at most |room|.  |idle| is sorted by it.  Returns how many; 0: there
 * are no two kinds. */
enum { PHASE_KINDS_MAX = 8 };
size_t phase_idle_thresholds(int64_t *idle, size_t n, size_t least, int64_t *at,
			     size_t room);

/* The highest peak of the autocorrelation of |x| behind its first fall below
 * half, at lags with five periods in |n|: its lag, 0 when there is none, and
 * its height. */
size_t phase_period(const double *x, size_t n, double *peak);

/* ---- shape.c ---- */

/* |bytes[src * n + dst]|.  |order[i]|, when it is a ring: the rank after which
 * i sends to order[i]; else untouched. */
enum phase_pattern phase_shape(const uint64_t *bytes, size_t n,
			       double *confidence, uint32_t *order);
/* The same where ranks are in |parts| parts, |part[i]| < |parts|, with nothing
 * between them: the shape that all have. */
enum phase_pattern phase_shape_in_parts(const uint64_t *bytes, size_t n,
					const uint32_t *part, size_t parts,
					double *confidence, uint32_t *order);

/* ---- full.c ---- */

/* Of pauses of a switch, |spans| in order and apart: the flow with most of what
 * was queued for the link that was full meanwhile, if that was a good part of
 * all.  |*flow|: SIZE_MAX none.  False: no memory. */
bool phase_full_link(const struct phase_flow *flows, size_t n,
		     const struct phase_host *hosts, size_t n_hosts,
		     const struct phase_span *spans, size_t n_spans,
		     size_t *flow);

/* ---- split.c ---- */

/* Cuts |from|..|to| by |spans| (any order, overlapping) into pieces of one
 * class each, by precedence; what no span covers is CLASS_UNKNOWN.  |piece| is
 * called in order of time; the pieces add up to |to| - |from|.  False: no
 * memory. */
bool phase_split(const struct phase_span *spans, size_t n, int64_t from,
		 int64_t to,
		 void (*piece)(void *ctx, const struct phase_span *),
		 void *ctx);

#endif

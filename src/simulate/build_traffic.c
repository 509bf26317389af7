/* SPDX-License-Identifier: GPL-2.0-or-later
 * Words of a scenario: QPs and what they carry. */
#include "simulate/build.h"

#include <stdio.h>
#include <string.h>

#include "simulate/line.h"
#include "simulate/qp.h"
#include "simulate/replay.h"
#include "simulate/work.h"
#include "simulate/world.h"

enum { QPN_LIMIT = 1 << 24, FIRST_QPN = 0x100, MOST_QPS = 16384 };
enum { MOST_DEPTH = 65536, JOB_MOST = (1 << 24) - 1 };

static const char *const services[] = { "rc",  "uc",   "ud",  "rod",
					"rud", "rudi", "uud", NULL };
static const char *const receivers[] = { "strict", "select", "orderless",
					 NULL };

/* What is kept of answers, and how a sender asks for those that are missing. */
static void answer_settings(struct line *l, struct uet_config *c)
{
	static const char *const gtds[] = { "fetch", "none", "all", NULL };

	c->gtd = line_choice(l, "gtd", gtds, c->gtd);
	c->held = (uint32_t)line_count(l, "held", c->held, UINT32_MAX);
	c->clear_at =
		(uint32_t)line_count(l, "clear_at", c->clear_at, UINT32_MAX);
	c->ack_data = line_bytes(l, "ack_data", c->ack_data);
	c->probe = line_time(l, "probe", c->probe);
	c->negotiate = line_flag(l, "negotiate", c->negotiate);
	if (!c->held || !c->clear_at || c->clear_at > c->held)
		line_fail(l, "clear_at= is from 1 to held=");
}

static void uet_settings(struct line *l, struct uet_config *c)
{
	static const char *const ccs[] = { "none", "nscc", "rccc", NULL };
	static const char *const forms[] = { "std", "medium", "small", NULL };

	c->job = (uint32_t)line_count(l, "job", c->job, JOB_MOST);
	c->evs = (uint32_t)line_count(l, "evs", c->evs, 4096);
	c->cc = line_choice(l, "cc", ccs, c->cc);
	c->form = line_choice(l, "ses", forms, c->form);
	c->close_after = (uint32_t)line_count(l, "close_after", c->close_after,
					      UINT32_MAX);
	c->ack_bytes = line_bytes(l, "ack_bytes", c->ack_bytes);
	c->sack_gap =
		(uint32_t)line_count(l, "sack_gap", c->sack_gap, UINT32_MAX);
	c->unsolicited = line_bytes(l, "unsolicited", c->unsolicited);
	c->psn = line_count(l, "first_psn", c->psn, UINT32_MAX);
	c->delay = line_time(l, "queue_delay", c->delay);
	c->tagged = line_flag(l, "tagged", c->tagged);
	c->eager = line_bytes(l, "eager", c->eager);
	c->defer_every = (uint32_t)line_count(l, "defer_every", c->defer_every,
					      UINT32_MAX);
	c->defer_for = line_time(l, "defer_for", c->defer_for);
	answer_settings(l, c);
	if (!c->evs)
		line_fail(l, "evs= must not be 0");
}

static void qp_settings(struct line *l, struct qp_config *c)
{
	static const char *const refusals[] = { "invalid", "access",
						"operation", NULL };

	c->service = line_choice(l, "service", services, c->service);
	c->receiver = line_choice(l, "receiver", receivers, c->receiver);
	c->mtu = line_bytes(l, "mtu", c->mtu);
	c->window = (uint32_t)line_count(l, "window", c->window, 1 << 22);
	c->reads = (uint32_t)line_count(l, "reads", c->reads, UINT32_MAX);
	c->ackreq_every =
		(uint32_t)line_count(l, "ackreq", c->ackreq_every, UINT32_MAX);
	c->coalesce =
		(uint32_t)line_count(l, "coalesce", c->coalesce, UINT32_MAX);
	c->ack_delay = line_time(l, "ack_delay", c->ack_delay);
	c->patience = line_time(l, "patience", c->patience);
	c->timeout = line_time(l, "timeout", c->timeout);
	c->retries = (uint32_t)line_count(l, "retries", c->retries, 7);
	c->rnr_retries =
		(uint32_t)line_count(l, "rnr_retries", c->rnr_retries, 7);
	c->rnr_code = (uint8_t)line_count(l, "rnr_code", c->rnr_code, 31);
	c->rnr_every =
		(uint32_t)line_count(l, "rnr_every", c->rnr_every, UINT32_MAX);
	c->rnr_for = line_time(l, "rnr_for", c->rnr_for);
	c->prio = (uint8_t)line_count(l, "prio", c->prio, PRIO_MOST);
	if (line_has(l, "dscp"))
		c->dscp = (int16_t)line_count(l, "dscp", 0, DSCP_MOST);
	c->rate = line_rate(l, "rate", c->rate);
	c->cm = line_flag(l, "cm", c->cm);
	c->cm_port = (uint16_t)line_count(l, "cm_port", c->cm_port, UINT16_MAX);
	c->ecn = line_flag(l, "ecn", c->ecn);
	c->dcqcn = line_flag(l, "dcqcn", c->dcqcn);
	c->ignores_cnp = line_flag(l, "ignores_cnp", c->ignores_cnp);
	c->no_cnp = line_flag(l, "no_cnp", c->no_cnp);
	c->fatal_at =
		(uint32_t)line_count(l, "fatal_at", c->fatal_at, UINT32_MAX);
	c->fatal_with =
		(uint8_t)line_choice(l, "fatal_with", refusals, c->fatal_with);
	uet_settings(l, &c->uet);
}

static void check_uet(struct line *l, const struct qp_config *c)
{
	if (!service_is_uet(c->service))
		return;
	if (c->window > 4096)
		line_fail(l, "a window of UET is up to 4096 packets");
	if (c->cm || c->dcqcn)
		line_fail(l, "cm= and dcqcn= are not for UET");
	if (c->uet.cc == UET_CC_RCCC && c->uet.unsolicited < c->mtu)
		line_fail(l, "unsolicited= is below the mtu");
	if (c->uet.cc != UET_CC_NONE && c->service >= SERVE_RUDI)
		line_fail(l, "cc= is for rud and rod");
	if ((c->uet.probe || c->uet.negotiate) && c->service >= SERVE_RUDI)
		line_fail(l, "probe= and negotiate= are for rud and rod");
	if (c->uet.defer_every && c->uet.gtd == UET_GTD_NONE)
		line_fail(l, "defer_every= needs responses that are kept: "
			     "gtd=fetch or all");
}

static void check_qp(struct line *l, const struct qp_config *c)
{
	uint32_t m = c->mtu;

	if (m < 256 || m > 4096 || (m & (m - 1)))
		line_fail(l, "mtu is 256, 512, 1024, 2048 or 4096");
	if (!c->window || !c->reads || !c->coalesce)
		line_fail(l, "window, reads and coalesce must not be 0");
	if (c->timeout <= 0 || c->patience <= 0)
		line_fail(l, "timeout and patience must not be 0");
	check_uet(l, c);
}

/* "a:b" into two numbers below 2^24. */
static void two_numbers(struct line *l, const char *key, uint64_t *a,
			uint64_t *b)
{
	const char *v = line_text(l, key, NULL), *colon;
	char first[32];

	if (!v)
		return;
	colon = strchr(v, ':');
	if (!colon || (size_t)(colon - v) >= sizeof first) {
		line_fail(l, "%s=A:B wants two numbers", key);
		return;
	}
	memcpy(first, v, (size_t)(colon - v));
	first[colon - v] = 0;
	if (!parse_count(first, a) || !parse_count(colon + 1, b) ||
	    *a >= QPN_LIMIT || *b >= QPN_LIMIT)
		line_fail(l, "%s=A:B wants two numbers below 2^24", key);
}

static struct host *host_named(struct sim *s, struct line *l, const char *name)
{
	struct host *h = world_find_host(s, name);

	if (!h)
		line_fail(l, "there is no host '%s'", name);
	else if (!h->node.n_ports)
		line_fail(l, "host '%s' has no link yet", name);
	return h;
}

static void add_host(struct sim *s, struct line *l, const char *name,
		     struct host_row *row)
{
	struct host *h = host_named(s, l, name);

	if (row->n == ROW_HOSTS)
		line_fail(l, "more than %d hosts in a row", ROW_HOSTS);
	else if (h)
		row->host[row->n++] = h;
}

void build_hosts(struct sim *s, struct line *l, const char *word,
		 struct host_row *row)
{
	struct name_row names = line_row(l, word);
	char name[64];

	while (!l->failed && line_row_next(&names, name))
		add_host(s, l, name, row);
}

/* PSNs by chance unless said otherwise, as out-of-band set-up does it. */
static void names_of(struct sim *s, struct line *l, const char *name,
		     struct qp_names *n)
{
	uint64_t qpn[2], psn[2];
	struct rng r = rng_fork(s->seed, name, 0x9);

	qpn[0] = FIRST_QPN + 2 * s->n_qps + rng_below(&r, 2);
	qpn[1] = qpn[0] + 0x10000;
	psn[0] = rng_below(&r, 1 << 23);
	psn[1] = rng_below(&r, 1 << 23);
	if (n->reuse) {
		qpn[0] = n->reuse->qpn;
		qpn[1] = n->reuse->peer->qpn;
	}
	two_numbers(l, "qpn", &qpn[0], &qpn[1]);
	two_numbers(l, "psn", &psn[0], &psn[1]);
	n->name = name;
	n->qpn[0] = (uint32_t)qpn[0];
	n->qpn[1] = (uint32_t)qpn[1];
	/* far from 0, so that nothing goes below it */
	n->psn[0] = psn[0] + QPN_LIMIT;
	n->psn[1] = psn[1] + QPN_LIMIT;
}

static void one_qp(struct sim *s, struct line *l, struct host *a,
		   struct host *b, struct qp_names *n,
		   const struct qp_config *c)
{
	if (qp_find(s, n->name))
		line_fail(l, "'%s' exists already", n->name);
	if (a == b)
		line_fail(l, "both ends are '%s'", a->node.name);
	names_of(s, l, n->name, n);
	if (!n->reuse && !l->failed &&
	    (qp_taken(s, a, n->qpn[0]) || qp_taken(s, b, n->qpn[1])))
		line_fail(l, "a QP number is taken");
	if (!l->failed)
		qp_pair(s, a, b, n, c);
}

/* The nodes of "via=", several with commas between. */
static void read_via(struct sim *s, struct line *l, struct qp_config *c)
{
	char text[LINE_MOST];
	char *save = NULL, *w;
	size_t n = 0;

	snprintf(text, sizeof text, "%s", line_text(l, "via", ""));
	for (w = strtok_r(text, ",", &save); w; w = strtok_r(NULL, ",", &save))
		if (n == QP_VIA)
			line_fail(l, "via= has more than %d nodes", QP_VIA);
		else
			c->via[n++] = build_known(s, l, w);
}

/* qp NAME A B, A a host or a row of them; with a row or count= the QPs are
 * NAME.1, NAME.2 and so on. */
void build_qp(struct sim *s, struct line *l)
{
	const char *name = line_word(l, "a name");
	struct host_row from = { 0 }, to = { 0 };
	struct qp_config c = qp_defaults();
	struct qp_names n = { .name = name };
	const char *reuse = line_text(l, "reuse", NULL);
	uint64_t count = line_count(l, "count", 1, MOST_QPS);
	char each[2 * NAME_MAX_TEXT];

	build_hosts(s, l, line_word(l, "a host"), &from);
	build_hosts(s, l, line_word(l, "a second host"), &to);
	qp_settings(l, &c);
	read_via(s, l, &c);
	check_qp(l, &c);
	if (reuse && !(n.reuse = qp_find(s, reuse)))
		line_fail(l, "there is no qp '%s'", reuse);
	if (strlen(name) + 8 >= NAME_MAX_TEXT)
		line_fail(l, "name '%s' is too long", name);
	if (to.n > 1)
		line_fail(l, "a row of QPs goes to one host");
	count *= from.n;
	if (count > 1 && (line_has(l, "qpn") || reuse))
		line_fail(l, "more than one goes with neither qpn= nor reuse=");
	for (uint64_t i = 0; i < count && !l->failed; i++) {
		if (count > 1)
			snprintf(each, sizeof each, "%s.%u", name,
				 (unsigned)i + 1);
		else
			snprintf(each, sizeof each, "%s", name);
		n.name = each;
		one_qp(s, l, from.host[i % from.n], to.host[0], &n, &c);
	}
}

/* --- flows ---------------------------------------------------------------- */

static void read_ops(struct line *l, struct flow_work *f)
{
	static const char *const names[] = {
		"send", "write",  "writeimm",   "read",       "cas",
		"add",  "atomic", "rendezvous", "deferrable", NULL
	};
	char text[LINE_MOST];
	char *save = NULL, *w;

	snprintf(text, sizeof text, "%s", line_text(l, "op", "write"));
	for (w = strtok_r(text, ",", &save); w;
	     w = strtok_r(NULL, ",", &save)) {
		unsigned i = 0;

		while (names[i] && strcmp(names[i], w))
			i++;
		if (!names[i] || f->n_ops == WORK_OPS) {
			line_fail(l,
				  "op=%s: send, write, writeimm, read, cas, "
				  "add, atomic, rendezvous and deferrable, up "
				  "to %d of them",
				  w, WORK_OPS);
			return;
		}
		f->op[f->n_ops++] = (enum msg_op)i;
	}
	if (!f->n_ops)
		line_fail(l, "op= names nothing to do");
}

static void check_ops(struct line *l, const struct flow_work *f)
{
	const struct qp_config *c = &f->qp->config;

	for (uint32_t i = 0; i < f->n_ops; i++) {
		if (c->service == SERVE_UD && f->op[i] != MSG_SEND)
			line_fail(l, "UD can only send");
		if (c->service == SERVE_UC && f->op[i] >= MSG_READ)
			line_fail(l, "UC can only send and write");
		if (!service_is_uet(c->service) && f->op[i] >= MSG_ATOMIC)
			line_fail(l, "atomic, rendezvous and deferrable are "
				     "of UET");
		if (c->service >= SERVE_RUDI && f->op[i] >= MSG_READ)
			line_fail(l, "rudi and uud only send and write");
	}
	if ((c->service == SERVE_UD || c->service == SERVE_UUD) &&
	    f->size_max > c->mtu)
		line_fail(l, "a datagram must fit in the mtu");
}

static void new_name(struct sim *s, struct line *l, const char *name)
{
	if (strlen(name) >= NAME_MAX_TEXT)
		line_fail(l, "name '%s' is too long", name);
	for (size_t i = 0; i < s->n_works; i++)
		if (!strcmp(s->works[i]->name, name))
			line_fail(l, "'%s' exists already", name);
}

static void one_flow(struct sim *s, struct line *l, const char *name,
		     struct flow_work *f, const char *qp, bool reverse)
{
	struct qp *q = qp_find(s, qp);

	if (!q) {
		line_fail(l, "there is no qp '%s'", qp);
		return;
	}
	f->qp = reverse ? q->peer : q;
	check_ops(l, f);
	if (!l->failed)
		flow_new(s, name, f);
}

static void flow_settings(struct line *l, struct flow_work *f)
{
	read_ops(l, f);
	f->size = line_size(l, "size", 65536);
	f->size_max = line_size(l, "to", f->size);
	f->count = line_count(l, "count", 0, UINT64_MAX);
	f->depth = (uint32_t)line_count(l, "depth", 2, MOST_DEPTH);
	f->gap = line_time(l, "gap", 0);
	f->gap_to = line_time(l, "gap_to", f->gap);
	f->every = line_time(l, "every", 0);
	f->work.start = line_time(l, "start", 10 * PS_PER_US);
	f->stop = line_time(l, "stop", 0);
	if (!f->depth)
		line_fail(l, "depth= must not be 0");
	if (f->size_max < f->size)
		line_fail(l, "to= is below size=");
	if (f->size_max >= UINT64_C(1) << 31)
		line_fail(l, "a message is shorter than 2 GiB");
}

/* qp=NAME, or qp=NAME.* for all that "count=" made; |stagger| apart. */
void build_flow(struct sim *s, struct line *l)
{
	const char *name = line_word(l, "a name");
	const char *qp = line_text(l, "qp", "qp=");
	int64_t stagger = line_time(l, "stagger", 0);
	bool reverse = line_flag(l, "reverse", false);
	size_t n = strlen(qp);
	struct flow_work f = { 0 };
	char each[2 * NAME_MAX_TEXT];
	bool all = n > 2 && n < NAME_MAX_TEXT && !strcmp(qp + n - 2, ".*");

	new_name(s, l, name);
	flow_settings(l, &f);
	if (!all) {
		one_flow(s, l, name, &f, qp, reverse);
		return;
	}
	for (unsigned i = 1; !l->failed; i++) {
		snprintf(each, sizeof each, "%.*s.%u", (int)n - 2, qp, i);
		if (!qp_find(s, each)) {
			if (i == 1)
				line_fail(l, "there is no qp '%s'", each);
			return;
		}
		one_flow(s, l, name, &f, each, reverse);
		f.work.start += stagger;
	}
}

static void close_now(struct sim *s, void *object, uint64_t argument)
{
	(void)argument;
	qp_close(s, object);
}

void build_close(struct sim *s, struct line *l)
{
	const char *name = line_word(l, "a qp");
	struct qp *q = qp_find(s, name);
	int64_t at = line_time(l, "at", 0);

	if (!q)
		line_fail(l, "there is no qp '%s'", name);
	else
		events_add(&s->events, at, close_now, q, 0);
}

/* --- replays -------------------------------------------------------------- */

void build_replay(struct sim *s, struct line *l)
{
	const char *name = line_word(l, "a name");

	new_name(s, l, name);
	if (!l->failed)
		replay_new(s, name);
}

/* got=N,N,... or acked=N,..., counted from 1. */
static void after(struct line *l, struct work *w, const char *key, size_t most)
{
	char text[LINE_MOST];
	char *save = NULL, *word;
	uint64_t of;

	snprintf(text, sizeof text, "%s", line_text(l, key, ""));
	for (word = strtok_r(text, ",", &save); word;
	     word = strtok_r(NULL, ",", &save)) {
		if (!parse_count(word, &of) || !of || of > most)
			line_fail(l, "%s= has numbers of earlier sends", key);
		else
			replay_after(w, of - 1, !strcmp(key, "acked"));
	}
}

void build_send(struct sim *s, struct line *l)
{
	static const char *const ops[] = { "send", "write", "writeimm", "read",
					   NULL };
	const char *name = line_word(l, "a replay"),
		   *qp = line_text(l, "qp", "qp=");
	struct work *w = replay_named(s, name);
	struct qp *q = qp_find(s, qp);
	struct replay_send c = { 0 };

	if (!w)
		line_fail(l, "there is no replay '%s'", name);
	if (!q)
		line_fail(l, "there is no qp '%s'", qp);
	if (l->failed)
		return;
	c.qp = line_flag(l, "reverse", false) ? q->peer : q;
	c.op = line_choice(l, "op", ops, MSG_WRITE);
	c.bytes = line_size(l, "size", 65536);
	c.wait = line_time(l, "wait", 0);
	if (c.bytes >= UINT64_C(1) << 31)
		line_fail(l, "a message is shorter than 2 GiB");
	if (l->failed)
		return;
	replay_add(w, &c);
	after(l, w, "got", replay_count(w) - 1);
	after(l, w, "acked", replay_count(w) - 1);
}

/* --- collectives ---------------------------------------------------------- */

/* "h1,h2,h5" or "h1..h8", or both. */
static void read_ranks(struct sim *s, struct line *l, struct host_row *row)
{
	char text[LINE_MOST];
	char *save = NULL, *w;

	snprintf(text, sizeof text, "%s", line_text(l, "ranks", ""));
	for (w = strtok_r(text, ",", &save); w; w = strtok_r(NULL, ",", &save))
		build_hosts(s, l, w, row);
	if (row->n < 2)
		line_fail(l, "ranks= names at least two hosts");
	for (uint32_t i = 0; i < row->n; i++)
		for (uint32_t k = 0; k < i; k++)
			if (row->host[i] == row->host[k])
				line_fail(l, "'%s' is two ranks",
					  row->host[i]->node.name);
}

/* Replicas, each a chain of stages, each spread over experts. */
static void parallel_settings(struct line *l, struct collective_config *c)
{
	c->dp = (uint32_t)line_count(l, "dp", 1, ROW_HOSTS);
	c->pp = (uint32_t)line_count(l, "pp", 1, ROW_HOSTS);
	c->ep = (uint32_t)line_count(l, "ep", 1, ROW_HOSTS);
	c->activations = line_size(l, "activations", 65536);
	c->experts = line_size(l, "experts", 65536);
	if (c->pattern == PATTERN_PARALLEL && c->dp * c->pp * c->ep != c->n)
		line_fail(l, "dp= times pp= times ep= is the number of ranks");
}

static void collective_settings(struct line *l, struct collective_config *c)
{
	static const char *const patterns[] = {
#define X(id, name) name,
		PATTERNS(X)
#undef X
			NULL
	};

	c->pattern = line_choice(l, "pattern", patterns, PATTERN_RING);
	c->size = line_size(l, "size", 1 << 20);
	c->size_to = line_size(l, "size_to", c->size);
	c->iterations = (uint32_t)line_count(l, "iterations", 10, UINT32_MAX);
	c->qps = (uint32_t)line_count(l, "qps", 1, 64);
	c->slices = (uint32_t)line_count(l, "slices", 1, 64);
	c->compute = line_time(l, "compute", 200 * PS_PER_US);
	c->compute_to = line_time(l, "compute_to", c->compute);
	c->jitter = line_time(l, "compute_jitter", 0);
	c->nccl = line_flag(l, "nccl", false);
	c->adaptive = line_flag(l, "adaptive", false);
	c->serial = line_flag(l, "serial", false);
	c->same_order = line_flag(l, "same_order", false);
	c->server = (uint32_t)line_count(l, "server", 1, UINT32_MAX);
	c->micro = (uint32_t)line_count(l, "micro", 4, 1024);
	c->stage = line_time(l, "stage", 20 * PS_PER_US);
	parallel_settings(l, c);
	if (!c->server || c->n % c->server || c->n < 2 * c->server)
		line_fail(l, "server= parts the ranks into machines, at least "
			     "two");
	if (!c->micro || !c->slices)
		line_fail(l, "micro= and slices= must not be 0");
}

/* Ranks that are slower than the others. */
static void late_settings(struct line *l, struct collective_config *c)
{
	uint64_t last = c->n - 1;

	c->late_rank = (uint32_t)line_count(l, "late_rank", 0, last);
	c->late_ranks = (uint32_t)line_count(l, "late_ranks", 1, last + 1);
	c->late = line_time(l, "late", 0);
	c->late_from = (uint32_t)line_count(l, "late_from", 0, UINT32_MAX);
	c->alternate_late = line_flag(l, "late_alternate", false);
	c->recv_rank = (uint32_t)line_count(l, "recv_rank", 0, last);
	c->recv_late = line_time(l, "recv_late", 0);
	c->recv_from = (uint32_t)line_count(l, "recv_from", 0, UINT32_MAX);
	c->rnr_only = line_has(l, "rnr_rank");
	c->rnr_rank = (uint32_t)line_count(l, "rnr_rank", 0, last);
	if (c->recv_late && !c->nccl)
		line_fail(l, "recv_late= goes with nccl=yes");
}

/* The machines that it names are servers, and their NICs rails. */
static void name_servers(const struct collective_config *c)
{
	for (uint32_t r = 0; c->server > 1 && r < c->n; r++) {
		c->ranks[r]->server = r / c->server + 1;
		c->ranks[r]->rail = r % c->server + 1;
	}
}

void build_collective(struct sim *s, struct line *l)
{
	struct host_row row = { 0 };
	struct collective_config c = { .ranks = row.host };
	struct qp_config q = qp_defaults();
	const char *name = line_word(l, "a name");
	uint64_t qpn;

	new_name(s, l, name);
	read_ranks(s, l, &row);
	c.n = row.n;
	collective_settings(l, &c);
	if (!l->failed)
		late_settings(l, &c);
	qpn = line_count(l, "qpn", 0x4000 + 0x1000 * s->n_works,
			 QPN_LIMIT / 2 - 1);
	qp_settings(l, &q);
	check_qp(l, &q);
	if (!c.iterations || !c.qps || (uint64_t)c.iterations * c.n > 1000000)
		line_fail(l, "iterations and qps must not be 0, ranks times "
			     "iterations is up to a million");
	if (c.nccl && q.service != SERVE_RC)
		line_fail(l, "nccl=yes is for service=rc");
	if (q.service != SERVE_RC && q.service != SERVE_RUD &&
	    q.service != SERVE_ROD)
		line_fail(l, "a collective needs service=rc, rud or rod");
	if (l->failed)
		return;
	name_servers(&c);
	collective_new(s, name, &c, &q, (uint32_t)qpn,
		       line_time(l, "start", 10 * PS_PER_US));
}

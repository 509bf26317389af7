/* SPDX-License-Identifier: GPL-2.0-or-later
 * An analysis that goes on: its processes, and what is to be done when. */
#include "run/live.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "capture/port.h"
#include "capture/ring.h"
#include "run/live_int.h"
#include "run/sandbox.h"
#include "run/topology.h"
#include "store/query.h"

#define SECOND INT64_C(1000000000)

enum {
	TICK_NS = 20 * 1000 * 1000,
	WAIT_MS = 20,
	FACT_QUEUE_MAX = 64 << 20,
	/* A refresh takes no more than one part in so many; fewer when packets
	 * had to wait meanwhile in more than such a part of their memory. */
	RESTS = 2,
	RESTS_BEHIND = 5,
	BEHIND_PART = 8,
	LOOK_FLOWS = 1024,
	/* Clocks are looked at as one when it takes no longer than that, or it
	 * is tried again. */
	LOOK_NS = 100 * 1000,
	LOOKS = 4,
	FULL_MS = 1000,   /* between two looks whether there is room */
	LOCK_WAIT_S = 30, /* for the last refresh of a run that was killed */
};

static const int64_t RETAIN_NS = 60 * SECOND;

static volatile sig_atomic_t stop, rotate;

void live_stop(void)
{
	stop = 1;
}

void live_rotate(void)
{
	rotate = 1;
}

int64_t live_monotonic(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * SECOND + t.tv_nsec;
}

int64_t live_realtime(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * SECOND + t.tv_nsec;
}

void live_clocks(int64_t *realtime, int64_t *monotonic)
{
	int64_t least = INT64_MAX;

	for (int i = 0; i < LOOKS && least > LOOK_NS; i++) {
		int64_t before = live_monotonic();
		int64_t now = live_realtime();
		int64_t took = live_monotonic() - before;

		if (took >= least)
			continue;
		least = took;
		*realtime = now;
		*monotonic = before + took / 2;
	}
}

void live_defaults(struct live_options *o)
{
	*o = (struct live_options) {
		.snaplen = 256,
		.buffer = 64 << 20,
		.memory = 64 << 20,
		.promiscuous = true,
		.refresh_ns = SECOND,
		.ring_bytes = UINT64_C(1) << 30,
		.ring_files = 16,
		.record_ns = 10 * SECOND,
		.record_files = 32,
		.idle_ns = 900 * SECOND,
		.keep_ns = 3600 * SECOND,
		.history_ns = 14 * 86400 * SECOND,
		.max_flows = 1 << 18,
		.rows = 200000,
	};
}

void live_say(struct live *l, bool warning, int tap, const char *format, ...)
{
	struct live_pending *p = &l->pending;
	struct live_note *n;
	va_list ap;

	/* The last place is that of what comes when there are too many. */
	n = &p->line[p->n_lines < LINES_KEPT ? p->n_lines++ : LINES_KEPT - 1];
	*n = (struct live_note) { .ns = live_realtime(),
				  .warning = warning,
				  .tap_id = tap < 0 ? 0 : l->tap[tap].id };
	va_start(ap, format);
	vsnprintf(n->text, sizeof n->text, format, ap);
	va_end(ap);
	if (l->o.say)
		l->o.say(l->o.ctx, warning, n->text);
}

/* ---- processes ---- */

static void on_usr1(int number)
{
	(void)number;
	stop = 1;
}

static void on_usr2(int number)
{
	(void)number;
	rotate = 1;
}

/* A child of ours ends when we say so, or are gone; keys pressed at the
 * terminal are for us to act on. */
static void be_child(pid_t parent)
{
	const struct sigaction usr1 = { .sa_handler = on_usr1 };
	const struct sigaction usr2 = { .sa_handler = on_usr2 };

	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	sigaction(SIGUSR1, &usr1, NULL);
	sigaction(SIGUSR2, &usr2, NULL);
	stop = rotate = 0;
	prctl(PR_SET_PDEATHSIG, SIGUSR1);
	if (getppid() != parent)
		stop = 1;
}

/* Says over |to| that it is ready, or why not. */
static void capture_process(struct live *l, int to)
{
	const struct port_options o = {
		.filter = l->o.filter,
		.snaplen = l->o.snaplen,
		.buffer = l->o.buffer,
		.promiscuous = l->o.promiscuous,
		.adapter_time = l->o.adapter_time,
		.xdp = l->o.xdp,
	};
	struct sandbox box = { .needs = SANDBOX_CAPTURE };
	struct ring *rings[LIVE_TAPS];
	struct sandbox_report report = { .lacking = false };
	struct err err = { 0 };
	struct ports *p;

	for (size_t i = 0; i < l->n; i++)
		rings[i] = l->tap[i].ring;
	p = ports_open(l->o.interfaces, rings, l->n, &o, &err);
	if (l->o.adapter_time)
		box.needs |= SANDBOX_ADMIN;
	sandbox_allow(&box, "/sys", SANDBOX_READS);
	if (p && !sandbox_user(l->o.user, &err))
		sandbox_enter(&box, &report);
	sandbox_fini(&box);
	if (!err.code)
		snprintf(err.text, sizeof err.text, "%s", report.text);
	if (write(to, &err, sizeof err) != sizeof err || err.code)
		_exit(1);
	close(to);
	ports_run(p, &stop, l->wake, &l->shared->asleep);
	_exit(0);
}

static void say_sources(struct live *l)
{
	static const char *const how[] = {
		[SOURCE_XDP] = "XDP in its driver",
		[SOURCE_XDP_GENERIC] =
			"XDP in the kernel, as its driver has none (slower)",
	};

	for (size_t i = 0; i < l->n; i++) {
		uint32_t s = atomic_load(&l->tap[i].ring->report.source);

		if (s != SOURCE_PCAP)
			live_say(l, false, (int)i, "%s: %s", l->tap[i].name,
				 how[s]);
	}
}

static int start_capture(struct live *l, struct err *err)
{
	pid_t parent = getpid();
	struct err said;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return err_errno(err, "pipe");
	l->capture = fork();
	if (l->capture < 0)
		return err_errno(err, "cannot start the capture process");
	if (!l->capture) {
		close(ends[0]);
		be_child(parent);
		capture_process(l, ends[1]);
	}
	close(ends[1]);
	if (read(ends[0], &said, sizeof said) != sizeof said)
		err_set(&said, ERR_INTERNAL, "the capture process ended");
	close(ends[0]);
	if (!said.code) {
		live_say(l, false, -1, "capture process: %s", said.text);
		say_sources(l);
		return 0;
	}
	*err = said;
	waitpid(l->capture, NULL, 0);
	l->capture = 0;
	return -1;
}

static int start_recorder(struct live *l, struct err *err)
{
	const struct row_options o = { .prefix = l->o.ring_prefix,
				       .bytes = l->o.ring_bytes,
				       .ns = l->o.ring_ns,
				       .files = l->o.ring_files };
	pid_t parent = getpid();
	int ends[2];

	l->report = -1;
	if (!o.prefix)
		return 0;
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return err_errno(err, "pipe");
	l->recorder = fork();
	if (l->recorder < 0)
		return err_errno(err, "cannot start the recorder");
	if (!l->recorder) {
		close(ends[0]);
		close(l->lock);
		be_child(parent);
		record_row(&o, l->tap, l->n, &stop, &rotate, ends[1]);
		_exit(0);
	}
	close(ends[1]);
	l->report = ends[0];
	return 0;
}

void live_folder_of(const char *path, char *out, size_t size)
{
	const char *slash = strrchr(path, '/');

	snprintf(out, size, "%.*s", slash ? (int)(slash - path) + 1 : 1,
		 slash ? path : ".");
}

/* One analysis writes a database.  Its refreshes hold the lock as well: what
 * is left of a run that was killed is waited for. */
static int lock_database(struct live *l, struct err *err)
{
	int most = LOCK_WAIT_S * 1000 / WAIT_MS;
	struct stat st;

	l->lock = open(l->o.database,
		       O_RDONLY | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
		       0666);
	if (l->lock < 0 || fstat(l->lock, &st))
		return err_errno(err, "%s", l->o.database);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_EXISTS, "%s: is not a regular file",
			       l->o.database);
	for (int tries = 0; flock(l->lock, LOCK_EX | LOCK_NB); tries++) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return 0; /* a file system without locks */
		if (!tries)
			live_say(l, false, -1, "%s: waiting for who writes it",
				 l->o.database);
		if (tries == most)
			return err_set(err, ERR_IO,
				       "%s: another analysis writes it",
				       l->o.database);
		poll(NULL, 0, WAIT_MS);
	}
	return 0;
}

/* A full disk is waited for, as it is later on. */
static int begin_database(struct live *l, struct err *err)
{
	for (bool said = false; lock_database(l, err) || refresh_first(l, err);
	     said = true) {
		if (err->code != ERR_FULL || stop)
			return -1;
		if (!said)
			live_say(l, true, -1, "%s (waiting for room)",
				 err->text);
		if (l->lock >= 0)
			close(l->lock);
		l->lock = -1;
		*err = (struct err) { 0 };
		poll(NULL, 0, FULL_MS);
	}
	return 0;
}

/* Made when it is not there; what does not work is reported at once, and not by
 * the first packet. */
static int look_at_folder(const struct live *l, struct err *err)
{
	char folder[512];

	if (!l->o.ring_prefix)
		return 0;
	live_folder_of(l->o.ring_prefix, folder, sizeof folder);
	for (char *slash = folder + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		if (mkdir(folder, 0777) && errno != EEXIST)
			return err_errno(err, "%s", folder);
		*slash = '/';
	}
	return access(folder, W_OK | X_OK) ? err_errno(err, "%s", folder) : 0;
}

/* Findings of the user's own. */
static void allow_queries(void *box, const char *folder)
{
	sandbox_allow(box, folder, SANDBOX_READS);
}

static void give_up(struct live *l)
{
	struct sandbox box = { .needs = SANDBOX_FILES | SANDBOX_PROCESSES };
	struct sandbox_report report;
	char folder[512];

	live_folder_of(l->o.database, folder, sizeof folder);
	sandbox_allow(&box, folder, SANDBOX_WRITES);
	if (l->o.ring_prefix) {
		live_folder_of(l->o.ring_prefix, folder, sizeof folder);
		sandbox_allow(&box, folder, SANDBOX_WRITES);
	}
	(void)catalogue_folders(allow_queries, &box);
	sandbox_enter(&box, &report);
	sandbox_fini(&box);
	live_say(l, false, -1, "analysis process: %s", report.text);
}

static int shared_memory(struct live *l, struct err *err)
{
	l->shared = mmap(NULL, sizeof *l->shared, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (l->shared == MAP_FAILED) {
		l->shared = NULL;
		return err_errno(err, "shared memory");
	}
	l->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (l->wake < 0)
		return err_errno(err, "eventfd");
	for (; l->n < l->o.n_interfaces; l->n++) {
		l->tap[l->n].name = l->o.interfaces[l->n];
		l->tap[l->n].ring = ring_new(l->o.memory, err);
		if (!l->tap[l->n].ring)
			return -1;
	}
	return 0;
}

static int start(struct live *l, struct err *err)
{
	int64_t realtime, monotonic;

	l->began_ns = live_realtime();
	if (shared_memory(l, err) || start_capture(l, err) ||
	    sandbox_user(l->o.user, err) || look_at_folder(l, err) ||
	    begin_database(l, err))
		return -1;
	give_up(l);
	run_decode_options(l->o.topology, &l->decode);
	fact_queue_init(&l->pending.fact_queue, FACT_QUEUE_MAX);
	l->pending.fact_queue.capped = live_capped;
	l->pending.fact_queue.ctx = l;
	live_clocks(&realtime, &monotonic);
	clockwatch_look(&l->clock, realtime, monotonic);
	if (!start_recorder(l, err) && !live_engine(l, err))
		return 0;
	store_live_end(l->o.database);
	return -1;
}

struct live *live_start(const struct live_options *o, struct err *err)
{
	struct live *l = calloc(1, sizeof *l);

	if (!l) {
		err_set(err, ERR_MEMORY, "out of memory");
		return NULL;
	}
	l->o = *o;
	l->wake = l->report = l->answer = l->lock = -1;
	if (o->n_interfaces > LIVE_TAPS)
		err_set(err, ERR_USAGE, "more than %d interfaces", LIVE_TAPS);
	else if (!start(l, err))
		return l;
	live_free(l);
	return NULL;
}

static void end_process(pid_t *pid)
{
	if (*pid <= 0)
		return;
	kill(*pid, SIGUSR1);
	while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
		;
	*pid = 0;
}

void live_free(struct live *l)
{
	if (!l)
		return;
	end_process(&l->capture);
	end_process(&l->recorder);
	engine_free(l->engine);
	fact_queue_fini(&l->pending.fact_queue);
	for (size_t i = 0; i < l->n; i++)
		ring_free(l->tap[i].ring);
	if (l->shared)
		munmap(l->shared, sizeof *l->shared);
	if (l->wake >= 0)
		close(l->wake);
	if (l->report >= 0)
		close(l->report);
	if (l->lock >= 0)
		close(l->lock);
	free(l);
}

/* ---- refreshes ---- */

static void refresh_child(struct live *l, int to, int64_t now)
{
	struct refresh_result r;

	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	l->o.say = NULL;
	refresh_write(l, false, now, &r);
	_exit(write(to, &r, sizeof r) != sizeof r);
}

static void mark_given(struct live *l)
{
	const struct live_pending *p = &l->pending;

	l->given_queue = p->fact_queue.n;
	l->given_lines = p->n_lines;
	l->given_gaps = p->n_gaps;
	l->given_files = p->n_files;
	l->given_epoch = *p->epoch_why ? p->epoch_ns : 0;
}

static void refresh_begin(struct live *l, int64_t now)
{
	/* Not when the child runs at last: what comes until then is not in it,
	 * and the next refresh starts where this one says that it ends. */
	const int64_t clock = live_realtime();
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return;
	l->refresh_began = now;
	l->refreshed_fed = l->fed;
	l->alive_next = now + 5 * SECOND;
	mark_given(l);
	l->retains = now >= l->retain_next;
	l->refresh = fork();
	if (!l->refresh) {
		close(ends[0]);
		refresh_child(l, ends[1], clock);
	}
	close(ends[1]);
	l->answer = ends[0];
	if (l->refresh > 0)
		return;
	l->refresh = 0;
	close(l->answer);
	l->refresh_next = now + SECOND;
	live_say(l, true, -1, "cannot start a refresh: %s", strerror(errno));
}

static void cut(void *list, size_t *n, size_t given, size_t size)
{
	*n -= given;
	memmove(list, (char *)list + given * size, *n * size);
}

/* What was written need not be kept. */
static void written(struct live *l)
{
	struct live_pending *p = &l->pending;

	fact_queue_cut(&p->fact_queue, l->given_queue);
	cut(p->line, &p->n_lines, l->given_lines, sizeof *p->line);
	cut(p->gap, &p->n_gaps, l->given_gaps, sizeof *p->gap);
	cut(p->file, &p->n_files, l->given_files, sizeof *p->file);
	if (l->given_epoch == p->epoch_ns)
		*p->epoch_why = 0;
	l->given_gaps = 0;
}

static void refreshed(struct live *l, const struct refresh_result *r)
{
	if (r->ok) {
		written(l);
		if (l->failures)
			live_say(l, false, -1,
				 "%s: can be written again, after %u refreshes "
				 "that could not",
				 l->o.database, l->failures);
		l->failures = 0;
		if (l->retains)
			l->retain_next = l->refresh_began + RETAIN_NS;
	} else if (!l->failures++) {
		live_say(l, true, -1, "%s (the analysis goes on)",
			 *r->text ? r->text : "a refresh did not end well");
	}
	if (r->ok && r->recorded)
		live_say(l, false, -1, "%s: packets of %u new finding%s",
			 r->text, r->findings, r->findings == 1 ? "" : "s");
	else if (r->ok && *r->text)
		live_say(l, true, -1, "no recording: %s", r->text);
}

/* Does the analysis keep up while a refresh runs beside it? */
static void refresh_costs(struct live *l)
{
	for (size_t i = 0; l->refresh && i < l->n; i++)
		if (ring_waiting(l->tap[i].ring) >
		    l->tap[i].ring->size / BEHIND_PART)
			l->behind = true;
}

/* When the next one begins, and how long this one took. */
static void refresh_ended(struct live *l, int64_t now)
{
	int64_t took = now - l->refresh_began;
	int64_t rest = took * ((l->behind ? RESTS_BEHIND : RESTS) - 1);

	l->refresh_took = took;
	l->refresh_next = l->refresh_began + l->o.refresh_ns;
	if (l->refresh_next < now + rest)
		l->refresh_next = now + rest;
	l->behind = false;
}

/* Did the refresh end?  |wait|: until it has. */
static void refresh_poll(struct live *l, bool wait)
{
	struct pollfd fd = { .fd = l->answer, .events = POLLIN };
	struct refresh_result r = { .ok = false };
	int64_t now;

	if (!l->refresh || (!wait && poll(&fd, 1, 0) <= 0))
		return;
	if (read(l->answer, &r, sizeof r) != sizeof r)
		r.ok = false;
	close(l->answer);
	l->answer = -1;
	waitpid(l->refresh, NULL, 0);
	l->refresh = 0;
	now = live_monotonic();
	refresh_ended(l, now);
	refreshed(l, &r);
}

static bool refresh_due(const struct live *l, int64_t now)
{
	if (l->refresh || now < l->refresh_next)
		return false;
	return l->fed != l->refreshed_fed || l->pending.n_lines ||
	       l->pending.n_gaps || l->pending.n_files || now >= l->alive_next;
}

/* ---- what is to be done now and then ---- */

static void take_reports(struct live *l)
{
	struct recorded r;

	while (l->report >= 0 && read(l->report, &r, sizeof r) == sizeof r) {
		if (*r.error)
			live_say(l, true, -1, "%s (packets are not recorded)",
				 r.error);
		if (l->pending.n_files < FILES_KEPT)
			l->pending.file[l->pending.n_files++] = r;
	}
}

static void look_at_ports(struct live *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct ring_report *report = &l->tap[i].ring->report;
		uint32_t state = atomic_load(&report->state);

		if (state == l->seen[i].state)
			continue;
		l->seen[i].state = state;
		if (state == PORT_UP)
			engine_set_speed(l->engine, l->engine_tap[i],
					 live_speed(l, i));
		live_say(l, state != PORT_UP, (int)i, "%s: %s", l->tap[i].name,
			 state == PORT_UP     ? "is back"
			 : state == PORT_GONE ? "is gone"
					      : "is down; waiting for it");
	}
}

/* Flows that were silent for long go; when there are too many, sooner. */
static void let_go(struct live *l)
{
	uint32_t flows = engine_flows(l->engine), room = l->o.max_flows;
	int64_t idle = l->o.idle_ns;

	for (int i = 4; i >= 1 && flows > room - room / 16 * (uint32_t)i; i--)
		idle /= 8;
	if (idle < l->o.idle_ns && !l->crowded)
		live_say(l, true, -1,
			 "%u of %u flows: flows idle for %.1f s are closed",
			 flows, room, (double)idle / 1e9);
	l->crowded = idle < l->o.idle_ns;
	engine_retire(l->engine, l->fed_ns - idle, LOOK_FLOWS);
}

/* Of stretches of data the newest stay: phases are made of these. */
static void look_at_bursts(struct live *l)
{
	bool full = engine_bursts_from(l->engine) != INT64_MIN;

	if (full && !l->bursts_full)
		live_say(l, true, -1,
			 "more bursts of data than there is room for: phases "
			 "are found in the newest, the oldest are dropped");
	l->bursts_full = full;
}

static void now_and_then(struct live *l, int64_t now)
{
	int64_t realtime, monotonic;
	struct err err;

	let_go(l);
	live_clocks(&realtime, &monotonic);
	clockwatch_steer(&l->clock, realtime, monotonic);
	if (now < l->caps_reset_next)
		return;
	l->caps_reset_next = now + 60 * SECOND;
	engine_reset_caps(l->engine);
	engine_forget_load(l->engine, l->fed_ns - l->o.keep_ns);
	look_at_bursts(l);
	if (engine_table_full(l->engine) &&
	    live_epoch(l, "memory", "its tables are full", &err))
		abort();
	/* What was not remembered may have been a loss. */
	if (mem_denied() != l->denied &&
	    live_epoch(l, "memory", "the system was out of memory", &err))
		abort();
	l->denied = mem_denied();
}

static int capture_ended(const struct live *l, struct err *err)
{
	for (size_t i = 0; i < l->n; i++)
		if (atomic_load(&l->tap[i].ring->report.state) == PORT_GONE)
			return err_set(err, ERR_IO,
				       "%s: the interface is gone, and its XDP "
				       "program with it",
				       l->tap[i].name);
	return err_set(err, ERR_INTERNAL, "the capture process ended");
}

static int children(struct live *l, struct err *err)
{
	if (l->recorder && waitpid(l->recorder, NULL, WNOHANG) > 0) {
		l->recorder = 0;
		live_say(l, true, -1, "the recorder ended");
	}
	if (waitpid(l->capture, NULL, WNOHANG) <= 0)
		return 0;
	l->capture = 0;
	return capture_ended(l, err);
}

static int tick(struct live *l, int64_t now, struct err *err)
{
	l->tick_next = now + TICK_NS;
	if (rotate && l->recorder)
		kill(l->recorder, SIGUSR2);
	rotate = 0;
	take_reports(l);
	look_at_ports(l);
	refresh_costs(l);
	refresh_poll(l, false);
	now_and_then(l, now);
	if (refresh_due(l, now))
		refresh_begin(l, now);
	return children(l, err);
}

static void sleep_for_packets(struct live *l)
{
	struct pollfd fd = { .fd = l->wake, .events = POLLIN };
	uint64_t n;

	atomic_store(&l->shared->asleep, 1);
	poll(&fd, 1, WAIT_MS);
	if (read(l->wake, &n, sizeof n) < 0 && errno != EAGAIN)
		return;
}

/* All that was captured is analyzed, and all of it is final. */
static int finish(struct live *l, struct err *err)
{
	struct refresh_result r;

	refresh_poll(l, true);
	end_process(&l->capture);
	for (size_t i = 0; i < l->n; i++)
		atomic_store(&l->tap[i].ring->report.complete_ns, INT64_MAX);
	while (live_feed(l))
		;
	end_process(&l->recorder);
	take_reports(l);
	live_say(l, false, -1, "ended");
	refresh_write(l, true, live_realtime(), &r);
	return r.ok ? 0 : err_set(err, ERR_IO, "%s", r.text);
}

int live_run(struct live *l, struct err *err)
{
	int rc = 0;

	while (!stop && !rc) {
		bool any = live_feed(l);
		int64_t now = live_monotonic();

		if (now >= l->tick_next)
			rc = tick(l, now, err);
		if (!any)
			sleep_for_packets(l);
	}
	return finish(l, rc ? NULL : err) || rc ? -1 : 0;
}

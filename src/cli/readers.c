/* SPDX-License-Identifier: GPL-2.0-or-later
 * Those who read the database that live writes. */
#include "cli/readers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/confine.h"
#include "cli/say.h"
#include "run/sandbox.h"
#include "store/store.h"
#include "tui/tui.h"
#include "views/findings_log.h"
#include "views/metrics_http.h"

enum { EVERY_MS = 1000 };

static volatile sig_atomic_t reopen, ended;

static void on_hangup(int number)
{
	(void)number;
	reopen = 1;
}

static void on_end(int number)
{
	(void)number;
	ended = 1;
}

/* A refresh may be under way, or the disk full: another time, then. */
static void tell_findings(struct findings_log *l, const char *database)
{
	struct store *s = store_open(database, NULL);
	struct err err = { 0 };

	if (reopen) {
		reopen = 0;
		if (findings_log_reopen(l, &err))
			say_warning(&err);
	}
	if (s && findings_log_update(l, s, &err))
		say_warning(&err);
	store_free(s);
}

/* Until |until| has something to read, or has ended. */
static void watch(const char *database, struct findings_log *l, int until)
{
	struct pollfd fd = { .fd = until, .events = POLLIN };

	while (!ended && poll(&fd, 1, EVERY_MS) <= 0)
		if (l)
			tell_findings(l, database);
	if (l)
		tell_findings(l, database);
}

/* The log beside the dashboard. */
struct beside {
	const char *database;
	struct findings_log *log;
	int until[2];
	pthread_t thread;
	bool running;
};

static void *watch_beside(void *ctx)
{
	struct beside *b = ctx;

	watch(b->database, b->log, b->until[0]);
	return NULL;
}

/* Signals are for the dashboard. */
static void beside_start(struct beside *b)
{
	sigset_t all, before;

	if (!b->log || pipe(b->until))
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	b->running = !pthread_create(&b->thread, NULL, watch_beside, b);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void beside_end(struct beside *b)
{
	if (!b->running)
		return;
	close(b->until[1]);
	pthread_join(b->thread, NULL);
	close(b->until[0]);
}

static int open_log(const struct readers_options *o, struct findings_log **l,
		    struct err *err)
{
	struct store *s;

	*l = NULL;
	if (!o->findings)
		return 0;
	s = store_open(o->database, NULL);
	*l = findings_log_open(o->findings, s, err);
	store_free(s);
	return *l ? 0 : -1;
}

static int work(const struct readers_options *o, int parent)
{
	const struct tui_options screen = { .database = o->database,
					    .program = o->program,
					    .live = true };
	struct findings_log *l;
	struct beside beside;
	struct err err = { 0 };
	int rc;

	if (open_log(o, &l, &err)) {
		say_error(NULL, &err);
		kill(getppid(), SIGTERM);
		return 1;
	}
	if (!o->dashboard) {
		watch(o->database, l, parent);
		findings_log_free(l);
		return 0;
	}
	beside = (struct beside) { .database = o->database, .log = l };
	beside_start(&beside);
	rc = tui_run(&screen, &err);
	beside_end(&beside);
	findings_log_free(l);
	if (rc < 0)
		say_error(NULL, &err);
	kill(getppid(), SIGTERM);
	return rc < 0;
}

static void give_up(const struct readers_options *o)
{
	struct sandbox box = { .needs = SANDBOX_FILES | SANDBOX_PROCESSES };
	struct sandbox_report report;

	confine_output(&box, o->findings);
	if (o->dashboard)
		confine_here(&box, o->database);
	confine_database(&box, o->database, true);
	sandbox_enter(&box, &report);
	sandbox_fini(&box);
}

/* |from|: the parent says go, and later its death; |to|: whether we can. */
static int watch_process(const struct readers_options *o, int from, int to)
{
	const struct sigaction hangup = { .sa_handler = on_hangup };
	const struct sigaction end = { .sa_handler = on_end };
	struct err err = { 0 };
	char go;

	sigaction(SIGHUP, &hangup, NULL);
	sigaction(SIGTERM, &end, NULL);
	signal(SIGINT, SIG_IGN);
	if (!sandbox_user(o->user, &err))
		give_up(o);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (write(to, &err, sizeof err) != sizeof err || err.code)
		return 1;
	close(to);
	if (read(from, &go, 1) != 1)
		return 1;
	return work(o, from);
}

/* The database is there: is it for everybody to read, or does it take the
 * capability to read what is not? */
static int become_nobody(const struct readers_options *o, struct err *err)
{
	struct sandbox box = { .needs = SANDBOX_SERVE };
	struct sandbox_report report;

	if (sandbox_user(o->user, err) || sandbox_nobody(err))
		return -1;
	confine_folder_of(&box, o->database, SANDBOX_READS);
	sandbox_enter(&box, &report);
	sandbox_fini(&box);
	return 0;
}

static int metrics_process(const struct readers_options *o, int from, int to)
{
	struct err err = { 0 };
	struct metrics_http *h;
	char go;

	signal(SIGHUP, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	h = metrics_http_open(o->metrics, o->database, &err);
	if (write(to, &err, sizeof err) != sizeof err || err.code)
		return 1;
	close(to);
	if (read(from, &go, 1) != 1)
		return 1;
	if (become_nobody(o, &err))
		return say_error(NULL, &err);
	/* nobody else's signals reach us now: the pipe ends with live */
	metrics_http_serve(h, from);
	metrics_http_free(h);
	return 0;
}

static void reader_end(struct reader *r)
{
	if (r->go >= 0)
		close(r->go);
	r->go = -1;
	if (r->pid <= 0)
		return;
	kill(r->pid, SIGTERM);
	while (waitpid(r->pid, NULL, 0) < 0 && errno == EINTR)
		;
	r->pid = 0;
}

static int reader_start(struct reader *r, const struct readers_options *o,
			int (*process)(const struct readers_options *o,
				       int from, int to),
			struct err *err)
{
	int down[2], up[2];
	struct err said;

	if (pipe2(down, O_CLOEXEC) || pipe2(up, O_CLOEXEC))
		return err_errno(err, "pipe");
	r->pid = fork();
	if (r->pid < 0)
		return err_errno(err, "cannot start a process");
	if (!r->pid) {
		close(down[1]);
		close(up[0]);
		_exit(process(o, down[0], up[1]));
	}
	close(down[0]);
	close(up[1]);
	r->go = down[1];
	if (read(up[0], &said, sizeof said) != sizeof said)
		err_set(&said, ERR_INTERNAL, "a process ended at once");
	close(up[0]);
	if (said.code)
		*err = said;
	return said.code ? -1 : 0;
}

int readers_start(struct readers *r, const struct readers_options *o,
		  struct err *err)
{
	*r = (struct readers) { { .go = -1 }, { .go = -1 } };
	if (o->dashboard && o->findings && !strcmp(o->findings, "-"))
		return err_set(err, ERR_USAGE,
			       "findings and dashboard cannot both go to "
			       "standard output: --headless");
	if (o->metrics && reader_start(&r->metrics, o, metrics_process, err))
		return -1;
	if (o->dashboard || o->findings)
		return reader_start(&r->watch, o, watch_process, err);
	return 0;
}

static void reader_go(const struct reader *r)
{
	if (r->go >= 0 && write(r->go, "", 1) < 0)
		return; /* it ended, and printed the reason */
}

void readers_go(struct readers *r)
{
	reader_go(&r->metrics);
	reader_go(&r->watch);
}

void readers_end(struct readers *r)
{
	reader_end(&r->watch);
	reader_end(&r->metrics);
}

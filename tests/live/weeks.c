/* SPDX-License-Identifier: GPL-2.0-or-later
 * Weeks of live in seconds: weeks DB CAPTURE BEGIN STEPS [--set-at STEP]
 *
 * The analysis is the program's own; the clock and the capture are not.  Each
 * step the clock jumps, all of it, by half an hour, and the packets of CAPTURE
 * come as if their last one came now.  In between it goes as fast as any.  At
 * STEP the wall clock alone is set forward by a day.
 *
 * Says when it ended by that clock, and how much memory was the analysis's own
 * in the middle and at the end, in KiB. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "capture/port.h"
#include "run/live_int.h"
#include "sender.h"

#define SECOND INT64_C(1000000000)
#define STEP   (1800 * SECOND)
#define DAY    (86400 * SECOND)

enum {
	FILE_HEAD = 24, /* of a pcap file, then of a record */
	RECORD_HEAD = 16,
	NS_MAGIC = 0xa1b23c4d - 0x100000000, /* as an int */
	PACKETS_MOST = 4096,
	REST_MS = 3, /* of the machine's own time, a step */
	STEPS_A_REFRESH = 6,
	TURN_MS = 1,
};

/* With the capture process. */
struct shared {
	_Atomic int64_t jumped, set; /* of both clocks, of the wall clock */
	_Atomic uint64_t steps, looks;
	_Atomic bool refreshing, done;
};

static struct shared *shared;
static int64_t begin_ns; /* the wall clock's first time */
static long long n_steps, set_at;
static const uint8_t *capture;
static size_t capture_size;

/* ---- the clock ---- */

static int64_t really(void)
{
	struct timespec t;

	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
	return t.tv_sec * SECOND + t.tv_nsec;
}

/* In place of the C library's. */
__attribute__((visibility("default"))) int clock_gettime(clockid_t id,
							 struct timespec *t)
{
	static int64_t first;
	int64_t ns;

	if (!shared || (id != CLOCK_REALTIME && id != CLOCK_MONOTONIC))
		return (int)syscall(SYS_clock_gettime, id, t);
	if (!first)
		first = really();
	ns = really() - first + shared->jumped + DAY;
	if (id == CLOCK_REALTIME)
		ns += begin_ns + shared->set;
	t->tv_sec = ns / SECOND;
	t->tv_nsec = ns % SECOND;
	return 0;
}

/* ---- the capture ---- */

struct ports {
	struct ring *ring;
};

struct record {
	uint32_t s, fraction, caplen, wirelen;
};

/* Records begin anywhere. */
static struct record record_at(const uint8_t *at)
{
	struct record r;

	memcpy(&r, at, sizeof r);
	return r;
}

static int64_t ns_of(const struct record *r)
{
	return r->s * SECOND + r->fraction;
}

/* The records of the file: where each begins. */
static size_t records(const uint8_t *at[PACKETS_MOST])
{
	size_t n = 0, i = FILE_HEAD;

	while (n < PACKETS_MOST && i + RECORD_HEAD <= capture_size) {
		const struct record r = record_at(capture + i);

		at[n++] = capture + i;
		i += RECORD_HEAD + r.caplen;
	}
	return n;
}

struct ports *ports_open(const char *const *names, struct ring *const *rings,
			 size_t n, const struct port_options *o,
			 struct err *err)
{
	struct ports *p = calloc(1, sizeof *p);

	(void)names, (void)n, (void)err;
	if (!p)
		die("memory");
	p->ring = rings[0];
	atomic_store(&p->ring->report.linktype, 1);
	atomic_store(&p->ring->report.snaplen, o->snaplen);
	return p;
}

void ports_free(struct ports *p)
{
	free(p);
}

static void put_all(struct ring *ring, const uint8_t *const *at, size_t n)
{
	const struct record last = record_at(at[n - 1]);
	int64_t shift;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	shift = now.tv_sec * SECOND + now.tv_nsec - ns_of(&last);
	for (size_t i = 0; i < n; i++) {
		const struct record r = record_at(at[i]);

		while (!ring_put(ring, ns_of(&r) + shift, at[i] + RECORD_HEAD,
				 r.caplen, r.wirelen))
			poll(NULL, 0, TURN_MS);
	}
}

/* For this clock a refresh takes hours; what comes meanwhile waits for the next
 * one, so that it must not be a week.  On a busy machine whoever looks whether
 * one runs may be late. */
static void let_refresh(const volatile sig_atomic_t *stop, unsigned *steps)
{
	const uint64_t looks = shared->looks;

	while (!*stop && shared->looks < looks + 2)
		poll(NULL, 0, TURN_MS);
	while (!*stop && shared->refreshing && *steps >= STEPS_A_REFRESH)
		poll(NULL, 0, TURN_MS);
	*steps = shared->refreshing ? *steps + 1 : 0;
}

void ports_run(struct ports *p, const volatile sig_atomic_t *stop, int wake,
	       _Atomic unsigned *asleep)
{
	const uint8_t *at[PACKETS_MOST];
	size_t n = records(at);
	const uint64_t one = 1;
	unsigned steps = 0;

	while (!*stop && shared->steps < (uint64_t)n_steps) {
		if (shared->steps == (uint64_t)set_at)
			shared->set += DAY;
		shared->jumped += STEP;
		put_all(p->ring, at, n);
		while (!*stop && ring_waiting(p->ring)) {
			atomic_store(asleep, 0);
			if (write(wake, &one, sizeof one) < 0)
				break;
			poll(NULL, 0, TURN_MS);
		}
		poll(NULL, 0, REST_MS);
		let_refresh(stop, &steps);
		shared->steps++;
	}
	shared->done = true;
	while (!*stop)
		poll(NULL, 0, TURN_MS);
}

/* ---- the analysis ---- */

static void say(void *ctx, bool warning, const char *text)
{
	(void)ctx;
	fprintf(stderr, "%s%s\n", warning ? "warning: " : "", text);
}

/* Allocates nothing: the analysis forks meanwhile, and what held the lock of an
 * allocator then holds it in the child for ever. */
static long anonymous_kib(void)
{
	static const char name[] = "RssAnon:";
	char text[4096];
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	const char *at;

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	at = strstr(text, name);
	return at ? strtol(at + sizeof name - 1, NULL, 10) : 0;
}

static long kib_half, kib_end;
/* A thread that begins or ends allocates; the analysis forks in between. */
static _Atomic bool watching, ended;

/* Ends the analysis when the capture has. */
static void *watch(void *ctx)
{
	const volatile struct live *l = ctx;

	watching = true;
	while (!shared->done) {
		shared->refreshing = l->refresh > 0;
		shared->looks++;
		if (!kib_half && shared->steps >= (uint64_t)n_steps / 2)
			kib_half = anonymous_kib();
		poll(NULL, 0, TURN_MS);
	}
	kib_end = anonymous_kib();
	live_stop();
	while (!ended)
		poll(NULL, 0, TURN_MS);
	return NULL;
}

static void read_capture(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st))
		die(path);
	capture_size = (size_t)st.st_size;
	capture = mmap(NULL, capture_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (capture == MAP_FAILED || capture_size < FILE_HEAD ||
	    *(const int *)(const void *)capture != NS_MAGIC)
		die(path);
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "weeks0" };
	struct live_options o;
	struct err err = { 0 };
	struct timespec end;
	pthread_t watcher;
	struct live *l;

	if (argc < 5)
		return 2;
	read_capture(argv[2]);
	begin_ns = strtoll(argv[3], NULL, 0) - DAY;
	n_steps = strtoll(argv[4], NULL, 0);
	set_at = (long long)number(argv, "--set-at", ~0UL);
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	live_defaults(&o);
	o.interfaces = names;
	o.n_interfaces = 1;
	o.database = argv[1];
	o.keep_ns = DAY;
	/* A whole capture that waits is not an analysis that is behind: its
	 * refreshes would rest for half a day of this clock. */
	o.memory = 8 << 20;
	o.record_ns = 0;
	o.say = say;
	l = live_start(&o, &err);
	if (l && !pthread_create(&watcher, NULL, watch, l))
		while (!watching)
			poll(NULL, 0, TURN_MS);
	if (!watching || live_run(l, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	ended = true;
	pthread_join(watcher, NULL);
	live_free(l);
	clock_gettime(CLOCK_REALTIME, &end);
	printf("%lld %ld %ld\n", (long long)(end.tv_sec * SECOND + end.tv_nsec),
	       kib_half, kib_end);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Captures cut in each packet and behind each, through the whole of analyze, in
 * one process; made to be run under sanitizers.  As capture-cut shows, what
 * follows the reader is the same wherever in a packet the cut is: so these are
 * all places.  All whole packets are in the database and no other, the status
 * says whether the file was cut, and each run ends in time.
 * usage: analyze-cut FIRST STEP MOST FILE [bytes]: at most MOST places from
 * byte FIRST on, of each STEPth packet, or with "bytes" each STEPth byte;
 * prints how many, and where it would go on.  Of a compressed file, which can
 * be cut by bytes only, a longer piece has no fewer packets. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "cli/command.h"
#include "cuts.h"

enum { SECONDS = 60, STATUS_NONE = 1, STATUS_CUT = 3 };

static char folder[] = P_tmpdir "/analyze-cut-XXXXXX";

static int remove_all(void)
{
	return unlink("cut") | unlink("cut.db") | rmdir(folder);
}

/* -1: there is no result. */
static long packets_in(const char *path)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *s = NULL;
	long n = -1;

	if (!sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) &&
	    !sqlite3_prepare_v2(db, "SELECT sum(packets) FROM capture", -1, &s,
				NULL) &&
	    sqlite3_step(s) == SQLITE_ROW)
		n = (long)sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	sqlite3_close(db);
	return n;
}

/* What "cut" is now: the exit status. */
static int analyze(long *got)
{
	char *words[] = { (char[]) { "fabscope" }, (char[]) { "analyze" },
			  (char[]) { "-o" },       (char[]) { "cut.db" },
			  (char[]) { "--brief" },  (char[]) { "cut" } };
	int status;

	unlink("cut.db");
	alarm(SECONDS);
	status = command_main(sizeof words / sizeof *words, words);
	alarm(0);
	*got = packets_in("cut.db");
	return status;
}

/* |at| bytes of a capture that has |want| whole packets before. */
static int try_cut(FILE *out, size_t at, long want, bool cut)
{
	long got;
	int status = analyze(&got);

	if (got == want && status == (cut ? STATUS_CUT : 0))
		return 0;
	fprintf(out, "cut at %zu: %ld packets of %ld, status %d\n", at, got,
		want, status);
	return 1;
}

/* What is before |at| is in |fd|; |have| of it are already. */
static bool grow(int fd, const struct whole *w, size_t *have, size_t at)
{
	ssize_t n = (ssize_t)(at - *have);

	if (n > 0 && pwrite(fd, w->p + *have, (size_t)n, (off_t)*have) != n)
		return false;
	*have = at;
	return true;
}

/* Anywhere in it, and not always at the same place. */
static size_t inside(const struct whole *w, size_t k)
{
	const size_t a = w->v[k].at, b = w->v[k + 1].at;

	return a + 1 + k * 7919 % (b - a - 1);
}

struct work {
	size_t first, step, most, tried, next;
	int bad;
};

static void try_all(const struct whole *w, struct work *o, int fd, FILE *out)
{
	size_t have = 0;
	long packets = 0;

	for (size_t k = 0; k + 1 < w->n_places; k++) {
		const size_t at = w->v[k].at;

		packets += w->v[k].packet;
		if (at < o->first || k % o->step)
			continue;
		o->next = at;
		if (o->tried >= o->most || !grow(fd, w, &have, at))
			return;
		o->bad += try_cut(out, at, packets, false);
		if (!grow(fd, w, &have, inside(w, k)))
			return;
		o->bad += try_cut(out, have, packets, true);
		o->tried += 2;
	}
	o->next = w->n;
}

/* Packets that are whole before |at|, and whether something is cut there. */
static long whole_before(const struct whole *w, size_t at, bool *cut)
{
	long n = 0;

	*cut = true;
	for (size_t k = 0; k < w->n_places && w->v[k].at <= at; k++) {
		n += w->v[k].packet;
		*cut = w->v[k].at != at;
	}
	return n;
}

/* Where nobody knows what must be there, as in the head of a file, or in one
 * that is compressed: a status that says so, and not fewer than |least|. */
static int try_unknown(FILE *out, size_t at, long *least)
{
	long got;
	int status = analyze(&got);

	if ((status == STATUS_NONE && got < 0) ||
	    ((!status || status == STATUS_CUT) && got >= *least)) {
		*least = got > 0 ? got : 0;
		return 0;
	}
	fprintf(out, "cut at %zu: %ld packets after %ld, status %d\n", at, got,
		*least, status);
	return 1;
}

static void try_bytes(const struct whole *w, bool known, struct work *o, int fd,
		      FILE *out)
{
	size_t have = 0;
	long least = 0, want;
	bool cut;

	for (o->next = o->first; o->next <= w->n; o->next += o->step) {
		if (o->tried >= o->most || !grow(fd, w, &have, o->next))
			return;
		want = whole_before(w, o->next, &cut);
		if (known && o->next >= w->head)
			o->bad += try_cut(out, o->next, want, cut);
		else
			o->bad += try_unknown(out, o->next, &least);
		o->tried++;
	}
}

int main(int argc, char **argv)
{
	struct work o = { 0 };
	struct whole w;
	FILE *out = fdopen(dup(STDOUT_FILENO), "w");
	bool known = argc > 4 && cuts_load(&w, argv[4]);
	bool bytes = argc == 6 && !strcmp(argv[5], "bytes");
	int fd;

	if (argc < 5 || argc > 6 || !out || (!known && !bytes) || !w.n) {
		fprintf(stderr,
			"usage: analyze-cut FIRST STEP MOST FILE [bytes]\n");
		return 2;
	}
	o.first = strtoul(argv[1], NULL, 10);
	o.step = strtoul(argv[2], NULL, 10);
	o.most = strtoul(argv[3], NULL, 10);
	if (!mkdtemp(folder) || chdir(folder) ||
	    !freopen("/dev/null", "w", stdout))
		return 2;
	fd = open("cut", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return 2;
	if (bytes)
		try_bytes(&w, known, &o, fd, out);
	else
		try_all(&w, &o, fd, out);
	fprintf(out, "%zu places, next %zu of %zu\n", o.tried, o.next, w.n);
	fclose(out);
	close(fd);
	cuts_free(&w);
	remove_all();
	return o.bad > 0;
}

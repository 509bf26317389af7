/* SPDX-License-Identifier: GPL-2.0-or-later
 * Captures cut in each packet and behind each, through the whole of analyze, in
 * one process; made to be run under sanitizers.  As capture-cut shows, what
 * follows the reader is the same wherever in a packet the cut is: so these are
 * all places.  All whole packets are in the database and no other, the status
 * says whether the file was cut, and each run ends in time.
 * usage: analyze-cut FIRST STEP MOST FILE: at most MOST places from byte FIRST
 * on, of each STEPth packet; prints how many, and where it would go on. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "cli/command.h"
#include "cuts.h"

enum { SECONDS = 60, STATUS_CUT = 3 };

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

/* |at| bytes of a capture that has |want| whole packets before. */
static int try_cut(FILE *out, size_t at, long want, bool cut)
{
	char *words[] = { (char[]) { "fabscope" }, (char[]) { "analyze" },
			  (char[]) { "-o" },       (char[]) { "cut.db" },
			  (char[]) { "--brief" },  (char[]) { "cut" } };
	int status;
	long got;

	unlink("cut.db");
	alarm(SECONDS);
	status = command_main(sizeof words / sizeof *words, words);
	alarm(0);
	got = packets_in("cut.db");
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

int main(int argc, char **argv)
{
	struct work o = { 0 };
	struct whole w;
	FILE *out = fdopen(dup(STDOUT_FILENO), "w");
	int fd;

	if (argc != 5 || !out || !cuts_load(&w, argv[4])) {
		fprintf(stderr, "usage: analyze-cut FIRST STEP MOST FILE\n");
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
	try_all(&w, &o, fd, out);
	fprintf(out, "%zu places, next %zu of %zu\n", o.tried, o.next, w.n);
	fclose(out);
	close(fd);
	cuts_free(&w);
	remove_all();
	return o.bad > 0;
}

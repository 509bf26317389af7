/* SPDX-License-Identifier: GPL-2.0-or-later
 * Pipes that are to be read twice. */
#include "run/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/tempname.h"

/* The names of other files begin with 0. */
enum { CHUNK = 1 << 16, FIRST = 1000 };

struct spooled {
	int from, to;  /* the pipe, the file; -1: none */
	char path[32]; /* of the file, for ourselves */
};

static bool is_pipe(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISFIFO(st.st_mode);
}

static bool names_pipe(const char *path)
{
	struct stat st;

	return !strcmp(path, "-") ? is_pipe(STDIN_FILENO)
				  : !stat(path, &st) && S_ISFIFO(st.st_mode);
}

/* Without a name from the beginning: nothing of it can be left. */
static int open_file(const char *beside, unsigned number)
{
	char *name = tempname_new(beside, number);
	int fd = name ? open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)
		      : -1;

	if (fd >= 0)
		unlink(name);
	free(name);
	return fd;
}

static int write_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t done = write(fd, p, n);

		if (done < 0 && errno != EINTR)
			return -1;
		p += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
	return 0;
}

/* What |k| has ready.  A pipe that fails has ended. */
static int copy_some(struct spooled *k, char *room)
{
	ssize_t n = read(k->from, room, CHUNK);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 0;
	if (n > 0)
		return write_all(k->to, room, (size_t)n);
	if (k->from != STDIN_FILENO)
		close(k->from);
	k->from = -1;
	return 0;
}

/* All at the same time: one writer may serve them in turn. */
static int copy_all(struct run_spool *s, struct pollfd *p, char *room)
{
	size_t open = 1;

	while (open) {
		open = 0;
		for (size_t i = 0; i < s->n; i++) {
			p[i] = (struct pollfd) { .fd = s->kept[i].from,
						 .events = POLLIN };
			open += s->kept[i].from >= 0;
		}
		if (!open || (poll(p, s->n, -1) < 0 && errno != EINTR))
			break;
		for (size_t i = 0; i < s->n; i++)
			if (s->kept[i].from >= 0 && p[i].revents &&
			    copy_some(&s->kept[i], room))
				return (int)i;
	}
	return -1;
}

static int fill(struct run_spool *s, struct err *err)
{
	struct pollfd *p = calloc(s->n, sizeof *p);
	char *room = malloc(CHUNK);
	int bad = -1, rc = 0;

	if (!p || !room)
		rc = err_set(err, ERR_MEMORY, "out of memory");
	else
		bad = copy_all(s, p, room);
	if (bad >= 0)
		rc = err_errno(err, "%s: cannot read it twice",
			       s->inputs[bad].path);
	free(p);
	free(room);
	return rc;
}

/* What cannot be opened is left to who reads it, to say why. */
static void keep(struct run_spool *s, size_t i, const char *beside)
{
	struct spooled *k = &s->kept[i];
	const char *path = s->inputs[i].path;

	if (!names_pipe(path) ||
	    (k->to = open_file(beside, FIRST + (unsigned)i)) < 0)
		return;
	snprintf(k->path, sizeof k->path, "/proc/self/fd/%d", k->to);
	if (!access(k->path, R_OK))
		k->from = !strcmp(path, "-") ? STDIN_FILENO
					     : open(path, O_RDONLY | O_CLOEXEC);
	if (k->from >= 0) {
		s->inputs[i].kept = k->path;
		return;
	}
	close(k->to);
	k->to = -1;
}

int run_spool_start(struct run_spool *s, const struct capture_input *inputs,
		    size_t n, const char *beside, struct err *err)
{
	bool any = false;

	s->inputs = calloc(n + 1, sizeof *s->inputs);
	s->kept = calloc(n + 1, sizeof *s->kept);
	if (!s->inputs || !s->kept)
		return err_set(err, ERR_MEMORY, "out of memory");
	memcpy(s->inputs, inputs, n * sizeof *inputs);
	s->n = n;
	for (size_t i = 0; i < n; i++)
		s->kept[i].from = s->kept[i].to = -1;
	for (size_t i = 0; i < n && n > 1; i++) {
		keep(s, i, beside);
		any = any || s->kept[i].to >= 0;
	}
	return any ? fill(s, err) : 0;
}

void run_spool_fini(struct run_spool *s)
{
	for (size_t i = 0; s->kept && i < s->n; i++) {
		if (s->kept[i].from > STDIN_FILENO)
			close(s->kept[i].from);
		if (s->kept[i].to >= 0)
			close(s->kept[i].to);
	}
	free(s->inputs);
	free(s->kept);
	*s = (struct run_spool) { 0 };
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Files, pipes and memory as streams of bytes. */
#define _GNU_SOURCE /* strerrordesc_np() */
#include "capture/source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/progress.h"

struct file_source {
	struct source base;
	int fd;
};

/* A descriptor someone made non-blocking is waited for all the same. */
static size_t file_read(struct source *s, uint8_t *to, size_t n)
{
	struct file_source *f = (struct file_source *)s;
	ssize_t got;

	while ((got = read(f->fd, to, n)) < 0) {
		struct pollfd wait = { .fd = f->fd, .events = POLLIN };

		if (errno == EAGAIN || errno == EWOULDBLOCK) {
			poll(&wait, 1, -1);
		} else if (errno != EINTR) {
			s->failure = strerrordesc_np(errno);
			if (!s->failure)
				s->failure = "read error";
			s->cut = true;
			return 0;
		}
	}
	progress_bytes((uint64_t)got);
	return (size_t)got;
}

static bool file_ready(struct source *s)
{
	struct file_source *f = (struct file_source *)s;
	struct pollfd look = { .fd = f->fd, .events = POLLIN };

	return poll(&look, 1, 0) != 0;
}

static void file_free(struct source *s)
{
	struct file_source *f = (struct file_source *)s;

	if (f->fd != STDIN_FILENO)
		close(f->fd);
	free(f);
}

static int open_path(const char *path, struct stat *st, struct err *err)
{
	int fd = STDIN_FILENO;

	if (strcmp(path, "-"))
		fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, st) < 0) {
		err_errno(err, "%s", path);
	} else if (S_ISDIR(st->st_mode)) {
		err_set(err, ERR_FORMAT, "%s: is a folder, not a capture",
			path);
	} else {
		return fd;
	}
	if (fd > STDIN_FILENO)
		close(fd);
	return -1;
}

struct source *source_open(const char *path, struct err *err)
{
	struct file_source *f;
	struct stat st;
	int fd = open_path(path, &st, err);

	if (fd < 0)
		return NULL;
	f = calloc(1, sizeof *f);
	if (!f) {
		if (fd != STDIN_FILENO)
			close(fd);
		err_set(err, ERR_MEMORY, "%s: out of memory", path);
		return NULL;
	}
	f->base.read = file_read;
	f->base.ready = file_ready;
	f->base.free = file_free;
	f->fd = fd;
	f->base.patient = S_ISREG(st.st_mode);
	if (f->base.patient)
		posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	return &f->base;
}

struct bytes_source {
	struct source base;
	const uint8_t *p;
	size_t left;
};

static size_t bytes_read(struct source *s, uint8_t *to, size_t n)
{
	struct bytes_source *b = (struct bytes_source *)s;

	if (n > b->left)
		n = b->left;
	if (n)
		memcpy(to, b->p, n);
	b->p += n;
	b->left -= n;
	return n;
}

static void bytes_free(struct source *s)
{
	free(s);
}

struct source *source_bytes(const void *bytes, size_t n)
{
	static const uint8_t none[1];
	struct bytes_source *b = calloc(1, sizeof *b);

	if (!b)
		return NULL;
	b->base.read = bytes_read;
	b->base.patient = true;
	b->base.free = bytes_free;
	b->p = n ? bytes : none;
	b->left = n;
	return &b->base;
}

void source_free(struct source *s)
{
	if (s)
		s->free(s);
}

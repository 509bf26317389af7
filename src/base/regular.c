/* SPDX-License-Identifier: GPL-2.0-or-later
 * Regular files, and nothing else. */
#include "base/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *regular_open(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	FILE *f = NULL;
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		err_errno(err, "%s", path);
	} else if (!S_ISREG(st.st_mode)) {
		err_set(err, ERR_FORMAT, "%s: is not a regular file", path);
	} else {
		f = fdopen(fd, "rb");
		if (!f)
			err_errno(err, "%s", path);
	}
	if (!f && fd >= 0)
		close(fd);
	return f;
}

/* No file is made and none is made shorter. */
static int open_stream(const char *path)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || (!fstat(fd, &st) && !S_ISREG(st.st_mode)))
		return fd;
	close(fd);
	errno = ELOOP;
	return -1;
}

FILE *regular_create(const char *path)
{
	int fd = open(path,
		      O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
		      0666);
	FILE *f;

	if (fd < 0 && errno == ELOOP)
		fd = open_stream(path);
	f = fd >= 0 ? fdopen(fd, "wb") : NULL;
	if (!f && fd >= 0)
		close(fd);
	return f;
}

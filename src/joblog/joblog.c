/* SPDX-License-Identifier: GPL-2.0-or-later
 * Files of jobs: which form they have, and where what they say is kept. */
#include "joblog/joblog.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/outfile.h"
#include "joblog/joblog_int.h"

enum { FILES_MAX = 4096, PICKLE = 0x80 };

/* --- members --- */

int64_t member_int(json_t *o, const char *name, int64_t otherwise)
{
	const json_t *v = json_object_get(o, name);

	if (json_is_integer(v))
		return json_integer_value(v);
	if (json_is_real(v) && fabs(json_real_value(v)) < 9e18)
		return (int64_t)json_real_value(v);
	return otherwise;
}

double member_real(json_t *o, const char *name, double otherwise)
{
	const json_t *v = json_object_get(o, name);

	return json_is_number(v) ? json_number_value(v) : otherwise;
}

void member_text(json_t *o, const char *name, char *to, size_t size)
{
	const char *text = json_string_value(json_object_get(o, name));
	size_t n;

	to[0] = 0;
	if (!text)
		return;
	n = strnlen(text, size); /* it may be megabytes, and asked for often */
	if (n >= size) {
		n = size - 1;
		while (n && ((unsigned char)text[n] & 0xc0) == 0x80)
			n--; /* not inside a character */
	}
	memcpy(to, text, n);
	to[n] = 0;
}

int64_t scaled(int64_t n, int64_t unit)
{
	int64_t v;

	return n < 0 || __builtin_mul_overflow(n, unit, &v) ? JOBLOG_UNKNOWN
							    : v;
}

uint64_t members_unknown(json_t *o, const char *const *known)
{
	const char *name;
	json_t *v;
	uint64_t n = 0;

	json_object_foreach(o, name, v)
	{
		size_t i = 0;

		while (known[i] && strcmp(known[i], name))
			i++;
		n += !known[i];
	}
	return n;
}

/* --- what is kept --- */

struct joblog *joblog_new(void)
{
	return calloc(1, sizeof(struct joblog));
}

void joblog_free(struct joblog *j)
{
	if (!j)
		return;
	for (size_t i = 0; i < j->n_streams; i++)
		free(j->streams[i].path);
	free(j->streams);
	free(j->ops);
	free(j);
}

static bool streams_grow(struct joblog *j)
{
	size_t room = j->streams_room ? 2 * j->streams_room : 16;
	struct joblog_stream *more;

	if (j->n_streams < j->streams_room)
		return true;
	more = reallocarray(j->streams, room, sizeof *more);
	if (!more)
		return false;
	j->streams = more;
	j->streams_room = room;
	return true;
}

static struct joblog_stream *stream_new(struct joblog_file *file,
					const struct joblog_stream *like)
{
	struct joblog *j = file->log;
	struct joblog_stream *more;

	if (j->n_streams >= JOBLOG_STREAMS_MAX || !streams_grow(j))
		return NULL;
	more = &j->streams[j->n_streams];
	*more = *like;
	more->path = strdup(file->path);
	if (!more->path)
		return NULL;
	if (file->address)
		strncpy(more->address, file->address, JOBLOG_TEXT - 1);
	j->n_streams++;
	return more;
}

struct joblog_stream *joblog_stream_of(struct joblog_file *file,
				       const struct joblog_stream *like)
{
	struct joblog_stream *s;
	char key[JOBLOG_TEXT + 24];
	size_t i;

	snprintf(key, sizeof key, "%" PRId64 " %s", like->rank,
		 like->communicator);
	i = names_find(&file->by, key);
	if (i != NAMES_NONE)
		return &file->log->streams[i];
	s = stream_new(file, like);
	if (s)
		names_add(&file->by, key, (size_t)(s - file->log->streams));
	return s;
}

void joblog_add(struct joblog_file *file, struct joblog_stream *stream,
		const struct joblog_op *op)
{
	struct joblog *j = file->log;

	if (j->n_ops == j->room && j->n_ops < JOBLOG_OPS_MAX) {
		size_t room = j->room ? 2 * j->room : 256;
		struct joblog_op *more =
			reallocarray(j->ops, room, sizeof *more);

		if (more) {
			j->ops = more;
			j->room = room;
		}
	}
	file->found++;
	if (j->n_ops >= JOBLOG_OPS_MAX || j->n_ops == j->room) {
		stream->dropped++;
		return;
	}
	j->ops[j->n_ops] = *op;
	j->ops[j->n_ops++].stream = (uint32_t)(stream - j->streams);
	stream->ops++;
}

/* --- files --- */

static void read_record(struct joblog_file *file, json_t *o)
{
	if (!inspector_take(file, o) && !flight_take(file, o))
		file->skipped++;
}

static int read_pickle(struct joblog_file *file, FILE *f, struct err *err)
{
	json_t *o = pickle_read(f, file->path, err);

	if (!o)
		return -1;
	read_record(file, o);
	json_decref(o);
	return 0;
}

int joblog_read_open(struct joblog_file *file, FILE *f, struct err *err)
{
	int first = getc(f);
	json_t *o;

	ungetc(first, f);
	if (first == PICKLE && read_pickle(file, f, err)) {
		names_fini(&file->by);
		return -1;
	}
	if (first != PICKLE)
		while ((o = documents_next(f, file))) {
			read_record(file, o);
			json_decref(o);
		}
	names_fini(&file->by);
	if (ferror(f))
		return err_errno(err, "%s", file->path);
	if (!file->found)
		return err_set(err, ERR_FORMAT,
			       "%s: holds no records of NCCL Inspector or of "
			       "the PyTorch Flight Recorder",
			       file->path);
	return 0;
}

static int read_file(struct joblog *j, const char *path, const char *address,
		     struct err *err)
{
	struct joblog_file file = { .log = j,
				    .path = path,
				    .address = address,
				    .first_stream = j->n_streams };
	FILE *f = fopen(path, "rbe");
	int rc;

	if (!f)
		return err_errno(err, "%s", path);
	outfile_input(path);
	rc = joblog_read_open(&file, f, err);
	fclose(f);
	if (file.skipped && j->n_streams > file.first_stream) {
		j->streams[file.first_stream].skipped = file.skipped;
		j->part = true;
	}
	return rc;
}

static int is_plain(const struct dirent *d)
{
	return *d->d_name != '.';
}

/* Nobody asked for a FIFO or a device that lies in a folder. */
static bool may_block(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static int read_folder(struct joblog *j, const char *path, const char *address,
		       struct err *err)
{
	struct dirent **list = NULL;
	int n = scandir(path, &list, is_plain, alphasort), rc = 0;

	if (n < 0)
		return err_errno(err, "%s", path);
	if (n > FILES_MAX)
		rc = err_set(err, ERR_FORMAT, "%s: has more than %d files",
			     path, FILES_MAX);
	else if (!n)
		rc = err_set(err, ERR_FORMAT, "%s: is empty", path);
	for (int i = 0; i < n; i++) {
		char *name = NULL;

		if (!rc && asprintf(&name, "%s/%s", path, list[i]->d_name) < 0)
			rc = err_set(err, ERR_MEMORY, "out of memory");
		else if (!rc && !may_block(name))
			rc = read_file(j, name, address, err);
		free(name);
		free(list[i]);
	}
	free(list);
	return rc;
}

int joblog_read(struct joblog *j, const char *path, const char *address,
		struct err *err)
{
	struct stat st;

	if (stat(path, &st))
		return err_errno(err, "%s", path);
	if (S_ISDIR(st.st_mode))
		return read_folder(j, path, address, err);
	return read_file(j, path, address, err);
}

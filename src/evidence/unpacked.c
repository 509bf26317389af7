/* SPDX-License-Identifier: GPL-2.0-or-later
 * Compressed files: logs are rotated, and counters archived. */
#include <stdlib.h>

#include "capture/unpack.h"
#include "evidence/evidence_int.h"

/* What |s| delivers, up to one byte more than a file may have. */
static char *read_source(struct source *s, size_t *n)
{
	size_t room = 65536, got = 1;
	char *text = malloc(room);

	*n = 0;
	while (text && got && *n <= EVIDENCE_FILE_MAX) {
		if (*n + 1 == room) {
			char *more = realloc(text, room *= 2);

			if (!more) {
				free(text);
				return NULL;
			}
			text = more;
		}
		got = s->read(s, (uint8_t *)text + *n, room - *n - 1);
		*n += got;
	}
	if (text)
		text[*n] = 0;
	return text;
}

static struct source *open_packed(const struct codec *codec, const char *packed,
				  size_t n)
{
	struct source *bytes = source_bytes(packed, n), *s;
	struct window w = { 0 };

	if (!bytes)
		return NULL;
	if (window_init(&w, bytes, WINDOW_CHUNK, WINDOW_RESERVE) < 0) {
		source_free(bytes);
		return NULL;
	}
	s = unpack_new(codec, &w);
	if (!s)
		window_fini(&w);
	return s;
}

int evidence_unpack(char **text, size_t *n, const char *path, struct err *err)
{
	const struct codec *codec = unpack_codec((const uint8_t *)*text, *n);
	struct source *s;
	char *plain;
	int rc = 0;

	if (!codec)
		return 0;
	s = open_packed(codec, *text, *n);
	plain = s ? read_source(s, n) : NULL;
	if (!plain)
		rc = err_set(err, ERR_MEMORY, "out of memory");
	else if (s->failure)
		rc = err_set(err, ERR_FORMAT, "%s: %s", path, s->failure);
	else if (*n > EVIDENCE_FILE_MAX)
		rc = err_set(err, ERR_FORMAT,
			     "%s: is larger than %d MiB when unpacked", path,
			     EVIDENCE_FILE_MAX >> 20);
	source_free(s);
	free(*text);
	*text = plain;
	return rc;
}

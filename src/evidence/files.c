/* SPDX-License-Identifier: GPL-2.0-or-later
 * Files and folders, and which kind each is. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/addr.h"
#include "base/outfile.h"
#include "base/siphash.h"
#include "evidence/evidence_int.h"
#include "evidence/samples.h"

enum { TOKENS_MAX = 2000000, FOLDERS_DEEP = 24 };

/* ---- what the name of a file says ---- */

static bool is_moment(const char *word, size_t n, enum evidence_moment *moment)
{
	static const struct {
		const char *word;
		enum evidence_moment moment;
	} known[] = { { "before", MOMENT_BEFORE },
		      { "pre", MOMENT_BEFORE },
		      { "after", MOMENT_AFTER },
		      { "post", MOMENT_AFTER } };

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strlen(known[i].word) == n &&
		    !strncasecmp(known[i].word, word, n)) {
			*moment = known[i].moment;
			return true;
		}
	return false;
}

/* Is |name|, up to its first dot, what is in a file, and not whose it is: a
 * kind, or what the commands of docs/evidence.md call their files? */
static bool is_content(const char *name, size_t n)
{
	static const char *const known[] = {
		"counter",    "counters", "db",     "dcqcn",  "device",
		"discards",   "dmesg",    "drops",  "err",    "error",
		"errors",     "evidence", "gids",   "hw",     "interfaces",
		"job",        "journal",  "kernel", "link",   "log",
		"logs",       "messages", "net",    "output", "ports",
		"queues",     "ras",      "rdma",   "sflow",  "statistics",
		"stats",      "stderr",   "stdout", "syslog", "train",
		"watermarks",
	};
	static const char *const begins[] = { "ethtool-", "qos-", "dcb-",
					      "config_", "counters_" };

	enum evidence_moment moment;

	n = strcspn(name, ".") < n ? strcspn(name, ".") : n;
	for (size_t i = 1; i < n; i++)
		if (strchr("_-", name[i - 1]) &&
		    is_moment(name + i, n - i, &moment))
			n = i - 1;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strlen(known[i]) == n && !strncasecmp(known[i], name, n))
			return true;
	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
		if (!strncasecmp(begins[i], name, strlen(begins[i])))
			return true;
	for (const struct evidence_reader *r = evidence_readers; r->kind; r++)
		if (strlen(r->kind) == n && !strncasecmp(r->kind, name, n))
			return true;
	return false;
}

/* As many bytes of |name| as an IPv4 address of four numbers has; or 0. */
static size_t ipv4_at(const char *name, size_t n)
{
	char text[ADDR_TEXT];
	struct addr a;
	size_t dots = 0, end = 0;

	while (end < n && (isdigit((unsigned char)name[end]) ||
			   (name[end] == '.' && dots < 3)))
		dots += name[end++] == '.';
	if (end && name[end - 1] == '.')
		end--;
	if (end >= sizeof text)
		return 0;
	memcpy(text, name, end);
	text[end] = 0;
	return addr_parse(text, &a) ? end : 0;
}

/* What one part of the path has before its first dot, or an address in front,
 * is the device, but for the moment, which any of its words may be, and for
 * what says only what it is. */
static void read_component(struct evidence_part *part, const char *name,
			   size_t n)
{
	enum evidence_moment moment;
	size_t from = 0, to = 0; /* the device */
	bool first = !is_content(name, n);

	for (size_t i = 0; i < n;) {
		size_t end = i + (first && to == from ? ipv4_at(name + i, n - i)
						      : 0);

		while (end < n && !strchr("._-", name[end]))
			end++;
		if (is_moment(name + i, end - i, &moment)) {
			part->moment = moment;
		} else if (first) {
			from = to > from ? from : i;
			to = end;
		}
		first = first && end < n && name[end] != '.';
		i = end + 1;
	}
	if (to > from && to - from < EVIDENCE_TEXT) {
		memcpy(part->device, name + from, to - from);
		part->device[to - from] = 0;
	}
}

/* The last two parts: HOST/before.txt, before/HOST.txt, HOST.before.txt. */
void name_of_path(struct evidence_part *part, size_t n)
{
	const char *path = part->path, *end = path + n, *file = end, *folder;

	while (file > path && file[-1] != '/')
		file--;
	folder = file > path ? file - 1 : path;
	while (folder > path && folder[-1] != '/')
		folder--;
	*part->device = 0;
	if (file > path + 1)
		read_component(part, folder, (size_t)(file - 1 - folder));
	read_component(part, file, (size_t)(end - file));
}

/* ---- header lines ---- */

static void header_member(struct evidence_part *part, const char *key,
			  const char *value)
{
	if (!strcmp(key, "host") && part->device_by != DEVICE_GIVEN) {
		text_keep(part->device, value);
		part->device_by = DEVICE_CONTENT;
	} else if (!strcmp(key, "port")) {
		text_keep(part->port, value);
	} else if (!strcmp(key, "address")) {
		text_keep(part->address, value);
	} else if (!strcmp(key, "time")) {
		part->at_ns = value_time(value);
	} else if (!strcmp(key, "moment")) {
		is_moment(value, strlen(value), &part->moment);
	}
}

static bool is_header(const char *line)
{
	static const char *const first[] = { "host=", "port=", "address=",
					     "time=", "moment=" };

	if (line[0] != '#')
		return false;
	line += 1 + strspn(line + 1, " \t");
	for (size_t i = 0; i < sizeof first / sizeof *first; i++)
		if (!strncmp(line, first[i], strlen(first[i])))
			return true;
	return false;
}

static void read_header(struct evidence_part *part, char *line)
{
	char *rest = NULL;

	for (char *word = strtok_r(line + 1, " \t\r", &rest); word;
	     word = strtok_r(NULL, " \t\r", &rest)) {
		char *equals = strchr(word, '=');

		if (!equals)
			continue;
		*equals = 0;
		header_member(part, word, equals + 1);
	}
}

/* ---- kinds ---- */

static bool read_document(struct evidence_part *part, json_t *o)
{
	for (const struct evidence_reader *r = evidence_readers; r->kind; r++) {
		part->kind = r->kind;
		if (r->read_json && r->read_json(part, o))
			return true;
	}
	return false;
}

static bool too_many_tokens(const char *text, size_t n)
{
	size_t tokens = 0;

	for (size_t i = 0; i < n; i++)
		tokens += text[i] == ',' || text[i] == '{' || text[i] == '[';
	return tokens > TOKENS_MAX;
}

/* The elements of a list that was not finished, as who writes it was killed;
 * NULL where there are none.  |*at| is behind the last. */
static json_t *unfinished_list(const char **at, const char *end)
{
	json_t *list = json_array(), *o;
	json_error_t why;

	for (++*at; (o = json_loadb(*at, (size_t)(end - *at),
				    JSON_DISABLE_EOF_CHECK, &why));) {
		json_array_append_new(list, o);
		*at += why.position;
		*at += strspn(*at, " \t\r\n");
		if (**at != ',')
			break;
		++*at;
	}
	if (json_array_size(list))
		return list;
	json_decref(list);
	return NULL;
}

/* One document behind the other, as tools that stream print them. */
static bool read_documents(struct evidence_part *part, const char *text)
{
	const char *end = text + strlen(text);
	bool any = false, cut = false;

	if (too_many_tokens(text, (size_t)(end - text)))
		return false;
	while (*(text += strspn(text, " \t\r\n"))) {
		json_error_t why;
		json_t *o = json_loadb(text, (size_t)(end - text),
				       JSON_DISABLE_EOF_CHECK, &why);

		if (o) {
			text += why.position;
		} else if (*text == '[' && !cut) {
			o = unfinished_list(&text, end);
			cut = true;
		}
		if (!o)
			break;
		if (read_document(part, o))
			any = true;
		else
			part->evidence->skipped++;
		json_decref(o);
	}
	part->evidence->skipped += any && *text;
	return any;
}

static bool read_lines(struct evidence_part *part, char *text)
{
	bool any = false;

	for (const struct evidence_reader *r = evidence_readers; r->kind; r++) {
		part->kind = r->kind;
		if (!r->read_text || !r->read_text(part, text))
			continue;
		any = true;
		if (!r->among_others)
			break;
	}
	return any;
}

/* portstat and queuestat of SONiC write, above JSON as well, since when they
 * count ("Last cached time was 2026-01-01T00:00:00"). */
static char *below_remark(char *text)
{
	static const char remark[] = "Last cached time was ";
	char *at = text + strspn(text, " \t\r\n");
	char *end = strncmp(at, remark, sizeof remark - 1) != 0
			    ? NULL
			    : strchr(at, '\n');

	return end ? end + 1 : text;
}

static void read_part(struct evidence_part *part, char *text)
{
	const char *at = text = below_remark(text);
	uint64_t skipped = part->evidence->skipped;
	bool known = false;

	at += strspn(at, " \t\r\n");
	if (!*at)
		return;
	if (*at == '{' || *at == '[')
		known = read_documents(part, text);
	/* A time in brackets looks like a document as well. */
	if (!known) {
		part->evidence->skipped = skipped;
		known = read_lines(part, text);
	}
	part->evidence->skipped += !known;
}

static void learn_templates(struct evidence_part *part,
			    const struct datagram *d)
{
	ipfix_message(part, d);
}

/* Packets in |file|.  False: it is no capture. */
static bool read_capture(struct evidence_part *whole, struct bytes file)
{
	struct ipfix *x = ipfix_new();
	bool known;

	/* Templates come every few minutes: those of the whole file first. */
	whole->kind = "samples";
	whole->ipfix = x;
	ipfix_learn(x, true);
	known = read_packets(whole, file, learn_templates);
	ipfix_learn(x, false);
	if (known)
		read_packets(whole, file, read_datagram);
	whole->ipfix = NULL;
	ipfix_free(x);
	return known;
}

/* Splits at header lines; what is above the first has none. */
uint64_t evidence_read_text(struct evidence *e, const char *path,
			    const char *device, char *text, size_t n)
{
	static const uint8_t no_key[SIPHASH_KEY];
	struct evidence_part whole = { .evidence = e,
				       .path = path,
				       .at_ns = EVIDENCE_UNKNOWN,
				       .digest = siphash(no_key, text, n) };
	struct evidence_part part;
	char *at = text;

	whole.device_by = DEVICE_PATH;
	name_of_path(&whole, strlen(path));
	if (device) {
		text_keep(whole.device, device);
		whole.device_by = DEVICE_GIVEN;
	}
	if (read_capture(&whole, (struct bytes) { (uint8_t *)text, n, true }))
		return whole.readings;
	if (memchr(text, 0, n))
		return 0; /* no text */
	part = whole;
	while (at) {
		char *line = at, *end;

		for (end = at; end && !is_header(end); whole.line++) {
			end = strchr(end, '\n');
			end = end ? end + 1 : NULL;
		}
		if (end && end > line)
			end[-1] = 0;
		if (!end || end > line)
			read_part(&part, line);
		whole.readings += part.readings;
		if (!end)
			break;
		at = end;
		line = text_line_raw(&at);
		part = whole;
		part.readings = 0;
		read_header(&part, line);
		part.line = ++whole.line;
	}
	return whole.readings;
}

/* ---- files ---- */

/* All of |fd| with a 0 behind it; NULL and |err|. */
static char *read_all(int fd, const char *path, size_t *n, struct err *err)
{
	size_t room = 0;
	char *text = NULL;
	ssize_t got = 1;

	*n = 0;
	while (got > 0 && *n <= EVIDENCE_FILE_MAX) {
		if (*n + 1 >= room) {
			char *more =
				realloc(text, room = room ? 2 * room : 8192);

			if (!more) {
				free(text);
				err_set(err, ERR_MEMORY, "out of memory");
				return NULL;
			}
			text = more;
		}
		got = read(fd, text + *n, room - *n - 1);
		*n += got > 0 ? (size_t)got : 0;
	}
	if (got < 0)
		err_errno(err, "%s", path);
	else if (*n > EVIDENCE_FILE_MAX)
		err_set(err, ERR_FORMAT, "%s: is larger than %d MiB", path,
			EVIDENCE_FILE_MAX >> 20);
	if (got < 0 || *n > EVIDENCE_FILE_MAX) {
		free(text);
		return NULL;
	}
	text[*n] = 0;
	return text;
}

/* A file of a folder that says nothing: who gave the folder may miss it. */
static void keep_unknown(struct evidence *e, const char *path, uint64_t digest)
{
	struct evidence_part part = { .evidence = e,
				      .path = path,
				      .kind = EVIDENCE_UNKNOWN_KIND,
				      .digest = digest };

	e->skipped++;
	e->strange++;
	put_address(&part, &(struct evidence_of) { .priority = -1 }, NULL,
		    NULL);
}

/* One of a folder must not keep the others from being read. */
static int read_file(struct evidence *e, int fd, const char *path,
		     const char *device, bool alone, struct err *err)
{
	static const uint8_t key[SIPHASH_KEY] = { 1 };
	struct err why = { 0 };
	uint64_t readings = 0, digest = 0;
	size_t n;
	char *text;

	if (fd < 0)
		return err_errno(err, "%s", path);
	text = read_all(fd, path, &n, &why);
	close(fd);
	e->files++;
	if (text)
		digest = siphash(key, text, n);
	if (text && !evidence_unpack(&text, &n, path, &why))
		readings = evidence_read_text(e, path, device, text, n);
	free(text);
	if (readings) {
		outfile_input(path);
		return 0;
	}
	if (why.code && (alone || why.code != ERR_FORMAT))
		return err_set(err, why.code, "%s", why.text);
	if (alone)
		return err_set(err, ERR_FORMAT,
			       "%s: has no evidence in a known format", path);
	keep_unknown(e, path, digest);
	return 0;
}

static int read_below(struct evidence *e, const char *path, const char *device,
		      int depth, struct err *err);

static int is_plain(const struct dirent *d)
{
	return *d->d_name != '.';
}

void evidence_apart(struct evidence *e, const char *path)
{
	struct stat st;

	if (e->n_apart == EVIDENCE_APART_MAX || stat(path, &st))
		return;
	e->apart[e->n_apart].device = st.st_dev;
	e->apart[e->n_apart++].file = st.st_ino;
}

static bool is_apart(const struct evidence *e, const struct stat *st)
{
	for (size_t i = 0; i < e->n_apart; i++)
		if (e->apart[i].device == st->st_dev &&
		    e->apart[i].file == st->st_ino)
			return true;
	return false;
}

/* Inside of folders only files and folders: a link may lead in a circle. */
static int read_entry(struct evidence *e, const char *path, const char *device,
		      int depth, struct err *err)
{
	struct stat st;

	if (lstat(path, &st))
		return err_errno(err, "%s", path);
	if (S_ISDIR(st.st_mode))
		return read_below(e, path, device, depth + 1, err);
	if (!S_ISREG(st.st_mode) || is_apart(e, &st))
		return 0;
	if (e->files >= EVIDENCE_FILES_MAX)
		return err_set(err, ERR_FORMAT, "%s: more than %d files", path,
			       EVIDENCE_FILES_MAX);
	/* It may have become a FIFO just now. */
	return read_file(
		e, open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK),
		path, device, false, err);
}

static int read_below(struct evidence *e, const char *path, const char *device,
		      int depth, struct err *err)
{
	struct dirent **list = NULL;
	int n, rc = 0;

	if (depth > FOLDERS_DEEP)
		return err_set(err, ERR_FORMAT, "%s: too deep", path);
	n = scandir(path, &list, is_plain, alphasort);
	if (n < 0)
		return err_errno(err, "%s", path);
	for (int i = 0; i < n; i++) {
		char *name = NULL;

		if (!rc && asprintf(&name, "%s/%s", path, list[i]->d_name) < 0)
			rc = err_set(err, ERR_MEMORY, "out of memory");
		else if (!rc)
			rc = read_entry(e, name, device, depth, err);
		free(name);
		free(list[i]);
	}
	free(list);
	return rc;
}

static size_t kept(const struct evidence *e)
{
	return e->n_readings + e->n_errors + e->n_settings + e->n_samples +
	       e->n_notes;
}

int evidence_read(struct evidence *e, const char *path, const char *device,
		  struct err *err)
{
	size_t before = kept(e);
	struct stat st;

	if (stat(path, &st))
		return err_errno(err, "%s", path);
	if (!S_ISDIR(st.st_mode))
		return read_file(e, open(path, O_RDONLY | O_CLOEXEC), path,
				 device, true, err);
	if (read_below(e, path, device, 0, err))
		return -1;
	if (kept(e) > before || e->dropped)
		return 0;
	return err_set(err, ERR_FORMAT, "%s: has no evidence in a known format",
		       path);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The text of a plan, and what belongs to it. */
#define _GNU_SOURCE /* asprintf() */
#include "run/plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/outfile.h"
#include "base/regular.h"
#include "base/siphash.h"
#include "capture/reduced.h"

#define PROGRAM "fabscope " FABSCOPE_VERSION

enum {
	TEXT_MAX = 64 << 20,
	SAMPLE = 1 << 16, /* bytes read at once of a file ... */
	SAMPLES = 64,     /* ... so often; a smaller one is read whole */
};

static const char first_line[] = "fabscope-plan 1";

/* No secret: it only has to be the same everywhere. */
static const uint8_t key[SIPHASH_KEY] = "fabscope-plan-1";

/* ---- what is in a file ---- */

/* |sum| and what stands at |at|. */
static int add_sample(FILE *f, off_t at, uint64_t *sum)
{
	struct {
		uint64_t sum;
		uint8_t bytes[SAMPLE];
	} *s = malloc(sizeof *s);
	size_t n;

	if (!s)
		return -1;
	s->sum = *sum;
	if (fseeko(f, at, SEEK_SET)) {
		free(s);
		return -1;
	}
	n = fread(s->bytes, 1, SAMPLE, f);
	*sum = siphash(key, s, sizeof s->sum + n);
	free(s);
	return ferror(f) ? -1 : 0;
}

int plan_content(const char *path, uint64_t *bytes, uint64_t *content,
		 struct err *err)
{
	FILE *f = regular_open(path, err);
	struct stat st;
	off_t step;
	int rc;

	if (!f)
		return -1;
	rc = fstat(fileno(f), &st);
	if (rc)
		st.st_size = 0;
	*bytes = (uint64_t)st.st_size;
	*content = siphash(key, bytes, sizeof *bytes);
	step = st.st_size / SAMPLES > SAMPLE ? st.st_size / SAMPLES : SAMPLE;
	for (off_t at = 0; !rc && at < st.st_size; at += step)
		rc = add_sample(f, at, content);
	if (!rc && st.st_size > SAMPLE)
		rc = add_sample(f, st.st_size - SAMPLE, content);
	if (rc)
		err_errno(err, "%s", path);
	fclose(f);
	return rc;
}

int plan_unchanged(const struct plan *p, size_t input, const char *path,
		   struct err *err)
{
	uint64_t bytes, content;

	if (plan_content(path, &bytes, &content, err) < 0)
		return -1;
	if (bytes == p->inputs[input].bytes &&
	    content == p->inputs[input].content)
		return 0;
	return err_set(err, ERR_FORMAT, "%s: changed since %s was written",
		       path, p->path);
}

/* ---- shards ---- */

static const struct plan *divided; /* qsort() has no context */

static int by_size(const void *a, const void *b)
{
	const size_t i = *(const size_t *)a, k = *(const size_t *)b;
	uint64_t x = divided->inputs[i].bytes, y = divided->inputs[k].bytes;

	return x != y ? (x < y) - (x > y) : (i > k) - (i < k);
}

/* One by one into the lightest; with few inputs and shards, that is quick. */
void plan_divide(struct plan *p)
{
	uint64_t *load = calloc(p->shards + 1, sizeof *load);
	size_t *order = calloc(p->n_inputs + 1, sizeof *order);

	for (size_t i = 0; order && i < p->n_inputs; i++)
		order[i] = i;
	divided = p;
	if (order)
		qsort(order, p->n_inputs, sizeof *order, by_size);
	for (size_t i = 0; load && order && i < p->n_inputs; i++) {
		uint32_t lightest = 0;

		for (uint32_t s = 1; s < p->shards; s++)
			if (load[s] < load[lightest])
				lightest = s;
		p->inputs[order[i]].shard = lightest;
		load[lightest] += p->inputs[order[i]].bytes + 1;
	}
	free(load);
	free(order);
}

/* ---- out ---- */

static void body(const struct plan *p, FILE *to)
{
	fprintf(to, "%s\nprogram %s\nshards %" PRIu32 "\n", first_line, PROGRAM,
		p->shards);
	fprintf(to, "topology %016" PRIx64 "\n", p->topology);
	for (size_t i = 0; i < p->n_words; i++)
		fprintf(to, "word %s\n", p->words[i]);
	for (size_t i = 0; i < p->n_inputs; i++)
		fprintf(to, "input %" PRIu32 " %" PRIu64 " %016" PRIx64 "\n",
			p->inputs[i].shard, p->inputs[i].bytes,
			p->inputs[i].content);
}

static bool is_plan(const char *path)
{
	char line[sizeof first_line];
	FILE *f = fopen(path, "r");
	bool yes =
		f && fgets(line, sizeof line, f) && !strcmp(line, first_line);

	if (f)
		fclose(f);
	return yes;
}

static int write_text(const struct plan *p, const char *text, size_t n,
		      struct err *err)
{
	struct outfile *o =
		outfile_begin(p->path, is_plan, "plan of fabscope", err);
	FILE *f = o ? regular_create(outfile_temp(o)) : NULL;
	int rc = -1;

	if (o && !f)
		err_errno(err, "%s", p->path);
	if (f) {
		fwrite(text, 1, n, f);
		fprintf(f, "id %016" PRIx64 "\n", p->id);
		rc = ferror(f) ? -1 : 0;
		if (fclose(f) || rc)
			rc = err_errno(err, "%s", p->path);
		else
			rc = outfile_commit(o, err);
	}
	outfile_free(o);
	return rc;
}

int plan_write(struct plan *p, struct err *err)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f;
	int rc;

	for (size_t i = 0; i < p->n_words; i++)
		if (strchr(p->words[i], '\n'))
			return err_set(
				err, ERR_USAGE,
				"a file name in a plan cannot have two lines");
	f = open_memstream(&text, &n);
	if (!f)
		return err_set(err, ERR_MEMORY, "out of memory");
	body(p, f);
	if (fclose(f)) {
		free(text);
		return err_set(err, ERR_MEMORY, "out of memory");
	}
	p->id = siphash(key, text, n);
	rc = write_text(p, text, n, err);
	free(text);
	return rc;
}

/* ---- in ---- */

static int load_text(struct plan *p, size_t *n, struct err *err)
{
	FILE *f = regular_open(p->path, err);

	if (!f)
		return -1;
	p->text = malloc(TEXT_MAX + 1);
	*n = p->text ? fread(p->text, 1, TEXT_MAX, f) : 0;
	fclose(f);
	if (!p->text)
		return err_set(err, ERR_MEMORY, "out of memory");
	p->text[*n] = 0;
	return 0;
}

static bool add_input(struct plan *p, const char *line)
{
	struct plan_input in;
	int end = 0;

	if (sscanf(line, "%" SCNu32 " %" SCNu64 " %" SCNx64 "%n", &in.shard,
		   &in.bytes, &in.content, &end) != 3 ||
	    line[end] || in.shard >= p->shards ||
	    p->n_inputs == PLAN_INPUTS_MAX)
		return false;
	p->inputs[p->n_inputs++] = in;
	return true;
}

/* Once, and before any input: these are checked against it. */
static bool set_shards(struct plan *p, const char *line)
{
	uint32_t n;
	int end = 0;

	if (p->shards || sscanf(line, "%" SCNu32 "%n", &n, &end) != 1 ||
	    line[end] || !n || n > PLAN_SHARDS_MAX)
		return false;
	p->shards = n;
	return true;
}

/* The lines but the last. */
static bool read_line(struct plan *p, char *line)
{
	int end = 0;

	if (!strncmp(line, "word ", 5) && p->n_words < PLAN_WORDS_MAX) {
		p->words[p->n_words++] = line + 5;
		return true;
	}
	if (!strncmp(line, "input ", 6))
		return add_input(p, line + 6);
	if (!strncmp(line, "shards ", 7))
		return set_shards(p, line + 7);
	return sscanf(line, "topology %" SCNx64 "%n", &p->topology, &end) ==
		       1 &&
	       !line[end];
}

static bool read_lines(struct plan *p, char *at)
{
	char *next;

	for (; (next = strchr(at, '\n')); at = next + 1) {
		*next = 0;
		if (!read_line(p, at))
			return false;
	}
	return !*at && p->n_words && p->n_inputs && p->shards;
}

/* Its last line is the hash of all before. */
static char *id_line(struct plan *p, size_t n)
{
	static const char id[] = "\nid ";
	const size_t length = sizeof id - 1 + 16 + 1; /* 16 digits */
	char *line = n > length ? p->text + n - length : NULL;

	if (!line || strncmp(line, id, sizeof id - 1) ||
	    sscanf(line + sizeof id - 1, "%" SCNx64, &p->id) != 1)
		return NULL;
	return line + 1;
}

static int understand(struct plan *p, size_t n, struct err *err)
{
	const size_t first = sizeof first_line - 1;
	static const char program[] = "\nprogram " PROGRAM "\n";
	char *id;

	if (n <= first || strncmp(p->text, first_line, first) ||
	    strlen(p->text) != n)
		return err_set(err, ERR_FORMAT, "%s: not a plan", p->path);
	if (strncmp(p->text + first, program, sizeof program - 1))
		return err_set(err, ERR_FORMAT,
			       "%s: planned by another version; this is %s",
			       p->path, PROGRAM);
	id = id_line(p, n);
	if (!id || siphash(key, p->text, (size_t)(id - p->text)) != p->id)
		return err_set(err, ERR_FORMAT,
			       "%s: not complete, or changed by hand", p->path);
	*id = 0;
	p->words = calloc(PLAN_WORDS_MAX + 1, sizeof *p->words);
	p->inputs = calloc(PLAN_INPUTS_MAX, sizeof *p->inputs);
	if (!p->words || !p->inputs)
		return err_set(err, ERR_MEMORY, "out of memory");
	if (!read_lines(p, p->text + first + sizeof program - 1))
		return err_set(err, ERR_FORMAT, "%s: not a plan", p->path);
	return 0;
}

int plan_read(struct plan *p, const char *path, struct err *err)
{
	size_t n = 0;
	int rc;

	*p = (struct plan) { .path = strdup(path) };
	if (!p->path)
		return err_set(err, ERR_MEMORY, "out of memory");
	rc = load_text(p, &n, err);
	return rc < 0 ? rc : understand(p, n, err);
}

void plan_free(struct plan *p)
{
	free(p->path);
	free(p->words);
	free(p->inputs);
	free(p->text);
	*p = (struct plan) { 0 };
}

/* ---- parts ---- */

char *plan_folder(const struct plan *p)
{
	char *name;

	return asprintf(&name, "%s.parts", p->path) < 0 ? NULL : name;
}

char *plan_part(const struct plan *p, size_t input)
{
	char *name;

	return asprintf(&name, "%s.parts/%zu.part", p->path, input) < 0 ? NULL
									: name;
}

struct reduced_head plan_head(const struct plan *p, size_t input)
{
	return (struct reduced_head) {
		.plan = p->id,
		.content = p->inputs[input].content,
		.input = (uint32_t)input,
		.program = PROGRAM,
	};
}

int plan_has(const struct plan *p, size_t input, struct err *err)
{
	const struct reduced_head own = plan_head(p, input);
	struct reduced_head h;
	char *name = plan_part(p, input);
	int rc = 0;

	if (!name)
		return err_set(err, ERR_MEMORY, "out of memory");
	if (!access(name, F_OK)) {
		rc = reduced_read_head(name, &h, err) < 0 ? -1 : 1;
		if (rc > 0 && strcmp(h.program, own.program))
			rc = err_set(err, ERR_FORMAT,
				     "%s: written by another version", name);
		else if (rc > 0 &&
			 (h.plan != own.plan || h.input != own.input ||
			  h.content != own.content))
			rc = err_set(err, ERR_FORMAT,
				     "%s: belongs to another plan", name);
	}
	free(name);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The file of a campaign: an INI file (docs/campaign.md). */
#include <ini.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/outfile.h"
#include "base/regular.h"
#include "campaign/campaign.h"
#include "store/param.h"

enum {
	LINE_MOST_BYTES = 190,
	NAME_MOST_BYTES = 40,
	WORD_MOST_BYTES = 40,
	FILE_MOST_BYTES = 4 << 20,
	TEXT_MOST_BYTES = 8192, /* of one value over all its lines */
	DUTS_MOST = 64
};

enum section {
	SECTION_NONE,
	SECTION_CAMPAIGN,
	SECTION_DEFAULT,
	SECTION_DUT,
	SECTION_RUN
};

struct reading {
	struct campaign *c;
	const char *text, *end;
	char *folder; /* of the file, with its slash, or "" */
	int line;
	enum section section;
	char name[NAME_MOST_BYTES + 1]; /* of the section */
	struct campaign_run defaults;
	bool failed; /* |err| says why */
	struct err *err;
};

static int wrong(struct reading *r, const char *key, const char *why)
{
	if (!r->failed)
		err_set(r->err, ERR_FORMAT, "%s:%d: %s%s%s", r->c->path,
			r->line, key ? key : "", key ? ": " : "", why);
	r->failed = true;
	return 0;
}

static int no_memory(struct reading *r)
{
	if (!r->failed)
		err_set(r->err, ERR_MEMORY, "out of memory");
	r->failed = true;
	return 0;
}

/* ---- sections */

static void run_fini(struct campaign_run *run)
{
	free(run->name);
	for (size_t i = 0; i < run->n_files; i++)
		free(run->files[i]);
	for (size_t i = 0; i < CAMPAIGN_PARAMS; i++)
		free(run->params[i].text);
	for (size_t i = 0; i < METRICS; i++)
		free(run->missing[i]);
	free(run->answer);
	free(run->reason);
	free(run->transports);
	free(run->steps);
}

static void dut_fini(struct campaign_dut *d)
{
	free(d->name);
	for (size_t i = 0; i < CAMPAIGN_SHEET; i++)
		free(d->facts[i]);
}

static bool copy_run(struct campaign_run *to, const struct campaign_run *from)
{
	*to = (struct campaign_run) { .tests = from->tests,
				      .repetition = from->repetition,
				      .hour = from->hour };
	for (size_t i = 0; i < METRICS; i++)
		to->metric[i] = NAN;
	for (size_t i = 0; i < CAMPAIGN_PARAMS; i++) {
		if (!from->params[i].text)
			continue;
		to->params[i] = from->params[i];
		to->params[i].text = strdup(from->params[i].text);
		if (!to->params[i].text)
			return false;
	}
	return true;
}

static int new_run(struct reading *r)
{
	struct campaign *c = r->c;
	struct campaign_run *run;

	for (size_t i = 0; i < c->n_runs; i++)
		if (!strcmp(c->runs[i].name, r->name))
			return wrong(r, NULL, "two runs have this name");
	if (c->n_runs == CAMPAIGN_RUNS)
		return wrong(r, NULL, "more than 2048 runs");
	if (!(c->n_runs & (c->n_runs - 1))) {
		size_t room = c->n_runs ? 2 * c->n_runs : 1;

		run = reallocarray(c->runs, room, sizeof *run);
		if (!run)
			return no_memory(r);
		c->runs = run;
	}
	run = &c->runs[c->n_runs++];
	if (!copy_run(run, &r->defaults) || !(run->name = strdup(r->name)))
		return no_memory(r);
	return 1;
}

static int new_dut(struct reading *r)
{
	struct campaign *c = r->c;
	struct campaign_dut *d;

	for (size_t i = 0; i < c->n_duts; i++)
		if (!strcasecmp(c->duts[i].name, r->name))
			return wrong(r, NULL, "two DUTs have this name");
	if (c->n_duts == DUTS_MOST)
		return wrong(r, NULL, "more than 64 DUTs");
	if (!c->duts)
		c->duts = calloc(DUTS_MOST, sizeof *c->duts);
	if (!c->duts)
		return no_memory(r);
	d = &c->duts[c->n_duts++];
	d->name = strdup(r->name);
	return d->name ? 1 : no_memory(r);
}

static int begin_default(struct reading *r)
{
	run_fini(&r->defaults);
	r->defaults = (struct campaign_run) { .hour = NAN };
	return 1;
}

static int begin_campaign(struct reading *r)
{
	(void)r;
	return 1;
}

static const struct {
	const char *word;
	bool named; /* it takes a name; a DUT may go without */
	int (*begin)(struct reading *r);
	enum section section;
} sections[] = {
	{ "campaign", false, begin_campaign, SECTION_CAMPAIGN },
	{ "default", false, begin_default, SECTION_DEFAULT },
	{ "dut", true, new_dut, SECTION_DUT },
	{ "run", true, new_run, SECTION_RUN },
};

static void begin_section(struct reading *r, const char *line)
{
	const char *end = strchr(line, ']'), *name;
	size_t word = strcspn(line + 1, " ]");

	if (!end) {
		wrong(r, NULL, "neither [section] nor key = value");
		return;
	}
	name = line + 1 + word;
	name += strspn(name, " ");
	if ((size_t)(end - name) > NAME_MOST_BYTES) {
		wrong(r, NULL, "a name of more than 40 characters");
		return;
	}
	snprintf(r->name, sizeof r->name, "%.*s", (int)(end - name), name);
	r->section = SECTION_NONE;
	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
		if (strlen(sections[i].word) != word ||
		    strncmp(line + 1, sections[i].word, word) ||
		    (*r->name && !sections[i].named))
			continue;
		if (!*r->name && sections[i].section == SECTION_RUN) {
			wrong(r, NULL, "a run needs a name: [run NAME]");
			return;
		}
		r->section = sections[i].section;
		sections[i].begin(r);
		return;
	}
	wrong(r, NULL, "unknown section");
}

/* ---- values */

static int append(struct reading *r, const char *key, char **to,
		  const char *value)
{
	char *text;
	size_t n = *to ? strlen(*to) : 0;

	if (n + strlen(value) > TEXT_MOST_BYTES)
		return wrong(r, key, "more than 8192 characters");
	if (asprintf(&text, "%s%s%s", *to ? *to : "", n ? " " : "", value) < 0)
		return no_memory(r);
	free(*to);
	*to = text;
	return 1;
}

/* A FIFO or a device would be waited for. */
static int path_value(struct reading *r, const char *key, char **to,
		      const char *value)
{
	struct stat st;

	free(*to);
	*to = NULL;
	if (asprintf(to, "%s%s", *value == '/' ? "" : r->folder, value) < 0) {
		*to = NULL;
		return no_memory(r);
	}
	if (!stat(*to, &st) && !S_ISREG(st.st_mode))
		return wrong(r, key, "is not a regular file");
	outfile_input(*to);
	return 1;
}

/* The next word of a list "a, b, c" into |word|; false: there is none. */
static bool next_word(const char **list, char word[static LINE_MOST_BYTES + 1])
{
	size_t n;

	*list += strspn(*list, ", \t");
	n = strcspn(*list, ",");
	if (!n)
		return false;
	snprintf(word, LINE_MOST_BYTES + 1, "%.*s", (int)n, *list);
	*list += n;
	while (n && (word[n - 1] == ' ' || word[n - 1] == '\t'))
		word[--n] = 0;
	return true;
}

/* |word| as |words| spell it, or NULL. */
static const char *in_words(const char *words, const char *word)
{
	size_t n = strlen(word);

	for (const char *w = words; *w; w += strspn(w, " ")) {
		size_t k = strcspn(w, " ");

		if (k == n && !strncasecmp(w, word, n))
			return w;
		w += k;
	}
	return NULL;
}

static bool number_of(enum campaign_kind kind, const char *text, double *to)
{
	static const enum query_unit units[] = { [KIND_COUNT] = UNIT_COUNT,
						 [KIND_BYTES] = UNIT_BYTES,
						 [KIND_DURATION] =
							 UNIT_DURATION };
	char head[WORD_MOST_BYTES + 1];
	size_t n = strlen(text);
	struct query_value v;

	/* an incast of 8:1 */
	if (kind == KIND_COUNT && n > 2 && !strcmp(text + n - 2, ":1"))
		n -= 2;
	snprintf(head, sizeof head, "%.*s", (int)n, text);
	if (param_parse(units[kind], head, 0, &v) || v.type != VALUE_INT ||
	    v.i < 0)
		return false;
	*to = (double)v.i;
	return true;
}

/* There is no run with none of them. */
static bool is_from_one(enum campaign_param p)
{
	return p == PARAM_SIZE || p == PARAM_QPS || p == PARAM_INCAST ||
	       p == PARAM_ACCELERATORS;
}

static int param_value(struct reading *r, struct campaign_run *run,
		       enum campaign_param p, const char *value)
{
	const struct campaign_param_info *info = &campaign_params[p];
	struct campaign_value *v = &run->params[p];
	const char *spelt = value;

	if (strlen(value) > WORD_MOST_BYTES || !*value)
		return wrong(r, info->key, "needs 1 to 40 characters");
	if (info->kind != KIND_WORD &&
	    !number_of(info->kind, value, &v->number))
		return wrong(r, info->key,
			     "takes a number, as in 8, 64K (bytes) or 10ms "
			     "(durations)");
	if (info->words && !(spelt = in_words(info->words, value)))
		return wrong(r, info->key, info->words);
	if (is_from_one(p) && v->number < 1)
		return wrong(r, info->key, "takes a number from 1 up");
	free(v->text);
	v->text = strndup(spelt, strlen(value));
	return v->text ? 1 : no_memory(r);
}

static int test_values(struct reading *r, struct campaign_run *run,
		       const char *value)
{
	char word[LINE_MOST_BYTES + 1];
	size_t i;

	run->tests = 0;
	while (next_word(&value, word)) {
		for (i = 0; i < campaign_n_tests; i++)
			if (!strcmp(campaign_tests[i].section, word))
				break;
		if (i == campaign_n_tests)
			return wrong(r, "test",
				     "no section of the draft's tests, such as "
				     "5.1 or 9.1");
		run->tests |= (uint64_t)1 << i;
	}
	return 1;
}

static int file_values(struct reading *r, struct campaign_run *run,
		       const char *value)
{
	char word[LINE_MOST_BYTES + 1];

	while (next_word(&value, word)) {
		if (run->n_files == CAMPAIGN_FILES)
			return wrong(r, "file", "more than 64 files");
		if (!path_value(r, "file", &run->files[run->n_files++], word))
			return 0;
	}
	return 1;
}

static int hour_value(struct reading *r, const char *key, const char *value,
		      double *to)
{
	char *end;

	*to = strtod(value, &end);
	if (end == value || *end || !(fabs(*to) <= CAMPAIGN_HOURS))
		return wrong(r, key, "takes hours, at most 1000000");
	return 1;
}

static int run_key(struct reading *r, struct campaign_run *run, const char *key,
		   const char *value)
{
	double n;

	if (!strcmp(key, "file") && run != &r->defaults)
		return file_values(r, run, value);
	if (!strcmp(key, "test"))
		return test_values(r, run, value);
	if (!strcmp(key, "hour"))
		return hour_value(r, key, value, &run->hour);
	if (!strcmp(key, "repetition")) {
		if (!number_of(KIND_COUNT, value, &n) || n < 1 || n > 1e9)
			return wrong(r, key, "takes a number from 1 up");
		run->repetition = (int64_t)n;
		return 1;
	}
	for (size_t i = 0; i < CAMPAIGN_PARAMS; i++)
		if (!strcmp(key, campaign_params[i].key))
			return param_value(r, run, (enum campaign_param)i,
					   value);
	return wrong(r, key, "unknown key");
}

static int dut_key(struct reading *r, struct campaign_dut *d, const char *key,
		   const char *value)
{
	struct query_value v;

	for (size_t i = 0; i < CAMPAIGN_SHEET; i++) {
		if (strcmp(key, campaign_sheet[i].key))
			continue;
		if (i == SHEET_RATE) {
			if (param_parse(UNIT_RATE, value, 0, &v) ||
			    v.type != VALUE_INT || v.i <= 0)
				return wrong(r, key, "takes a rate: 400G");
			d->rate_bps = (double)v.i;
		}
		return append(r, key, &d->facts[i], value);
	}
	return wrong(r, key, "unknown key");
}

static int campaign_key(struct reading *r, const char *key, const char *value)
{
	struct campaign *c = r->c;

	if (!strcmp(key, "title"))
		return append(r, key, &c->title, value);
	if (!strcmp(key, "notes"))
		return append(r, key, &c->notes, value);
	if (!strcmp(key, "topology"))
		return path_value(r, key, &c->topology, value);
	if (!strcmp(key, "memory"))
		return path_value(r, key, &c->memory, value);
	return wrong(r, key, "unknown key");
}

static int on_key(void *ctx, const char *section, const char *key,
		  const char *value)
{
	struct reading *r = ctx;
	struct campaign *c = r->c;

	(void)section; /* cut by the library: begin_section() has it */
	if (r->failed)
		return 0;
	switch (r->section) {
	case SECTION_CAMPAIGN:
		return campaign_key(r, key, value);
	case SECTION_DEFAULT:
		return run_key(r, &r->defaults, key, value);
	case SECTION_DUT:
		return dut_key(r, &c->duts[c->n_duts - 1], key, value);
	case SECTION_RUN:
		return run_key(r, &c->runs[c->n_runs - 1], key, value);
	default:
		return wrong(r, key, "comes before the first section");
	}
}

/* fgets() over memory, which counts lines. */
static char *next_line(char *to, int room, void *ctx)
{
	struct reading *r = ctx;
	const char *end;
	size_t n;

	if (r->text == r->end || r->failed)
		return NULL;
	end = memchr(r->text, '\n', (size_t)(r->end - r->text));
	n = (size_t)((end ? end + 1 : r->end) - r->text);
	r->line++;
	if (n > LINE_MOST_BYTES + 1 || (int)n >= room ||
	    memchr(r->text, 0, n)) {
		wrong(r, NULL,
		      n > LINE_MOST_BYTES ? "a line of more than 190 characters"
					  : "not text");
		return NULL;
	}
	memcpy(to, r->text, n);
	to[n] = 0;
	r->text += n;
	if (*to == '[')
		begin_section(r, to);
	return to;
}

/* ---- the whole */

const struct campaign_dut *campaign_dut_of(const struct campaign *c,
					   const struct campaign_run *r)
{
	const char *name = r->params[PARAM_DUT].text;

	for (size_t i = 0; i < c->n_duts; i++)
		if (!strcasecmp(c->duts[i].name, name ? name : ""))
			return &c->duts[i];
	return !name && c->n_duts == 1 ? c->duts : NULL;
}

static int one_twice(const struct campaign *c, size_t i, struct err *err)
{
	const struct campaign_run *run = &c->runs[i];

	for (size_t k = 0; run->repetition && k < i; k++)
		if (c->runs[k].repetition == run->repetition &&
		    (c->runs[k].tests & run->tests) && isnan(run->hour) &&
		    campaign_alike(&c->runs[k], run, CAMPAIGN_PARAMS))
			return err_set(err, ERR_FORMAT,
				       "%s: runs \"%s\" and \"%s\" are both "
				       "repetition %lld of the same",
				       c->path, c->runs[k].name, run->name,
				       (long long)run->repetition);
	return 0;
}

/* Services of UET, and those of RoCE. */
static bool contradicts(const struct campaign_run *r)
{
	const char *transport = r->params[PARAM_TRANSPORT].text;
	const char *service = r->params[PARAM_SERVICE].text;

	return transport && service &&
	       !in_words("rc uc", service) == !in_words("uet", transport);
}

static int complete(const struct campaign *c, struct err *err)
{
	if (!c->n_runs)
		return err_set(err, ERR_FORMAT, "%s: no [run NAME]", c->path);
	for (size_t i = 0; i < c->n_runs; i++) {
		const struct campaign_run *run = &c->runs[i];
		const char *why = NULL;

		if (!run->n_files)
			why = "needs a file";
		else if (!run->tests)
			why = "needs a test, such as test = 5.1";
		else if (run->params[PARAM_DUT].text &&
			 !campaign_dut_of(c, run))
			why = "dut: there is no such [dut NAME]";
		else if (contradicts(run))
			why = "service: not one of this transport";
		if (why)
			return err_set(err, ERR_FORMAT, "%s: [run %s] %s",
				       c->path, run->name, why);
		if (one_twice(c, i, err))
			return -1;
	}
	return 0;
}

static int parse(struct reading *r, struct err *err)
{
	int line = ini_parse_stream(next_line, r, on_key, r);

	if (!r->failed && line)
		err_set(err, ERR_FORMAT,
			"%s:%d: neither [section] nor key = value", r->c->path,
			line);
	return r->failed || line ? -1 : complete(r->c, err);
}

static char *read_file(const char *path, size_t *n, struct err *err)
{
	FILE *f = regular_open(path, err);
	char *text = NULL;

	if (!f)
		return NULL;
	text = malloc(FILE_MOST_BYTES + 1);
	if (!text) {
		err_set(err, ERR_MEMORY, "out of memory");
	} else {
		*n = fread(text, 1, FILE_MOST_BYTES + 1, f);
		if (ferror(f))
			err_errno(err, "%s", path);
		else if (*n > FILE_MOST_BYTES)
			err_set(err, ERR_FORMAT, "%s: larger than 4 MiB", path);
		if (ferror(f) || *n > FILE_MOST_BYTES) {
			free(text);
			text = NULL;
		}
	}
	fclose(f);
	return text;
}

struct campaign *campaign_read(const char *path, struct err *err)
{
	struct reading r = { .err = err, .defaults.hour = NAN };
	const char *slash = strrchr(path, '/');
	size_t n = 0;
	char *text = read_file(path, &n, err);
	int rc = -1;

	if (!text)
		return NULL;
	r.c = calloc(1, sizeof *r.c);
	r.folder = strndup(path, slash ? (size_t)(slash + 1 - path) : 0);
	if (r.c)
		r.c->path = strdup(path);
	if (!r.c || !r.folder || !r.c->path) {
		err_set(err, ERR_MEMORY, "out of memory");
	} else {
		r.text = text;
		r.end = text + n;
		rc = parse(&r, err);
	}
	run_fini(&r.defaults);
	free(r.folder);
	free(text);
	if (!rc)
		return r.c;
	campaign_free(r.c);
	return NULL;
}

void campaign_free(struct campaign *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n_runs; i++)
		run_fini(&c->runs[i]);
	for (size_t i = 0; i < c->n_duts; i++)
		dut_fini(&c->duts[i]);
	for (size_t i = 0; i < c->n_samples; i++)
		free(c->samples[i].process);
	free(c->samples);
	free(c->runs);
	free(c->duts);
	free(c->title);
	free(c->notes);
	free(c->topology);
	free(c->memory);
	free(c->path);
	free(c);
}

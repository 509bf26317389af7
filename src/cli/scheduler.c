/* SPDX-License-Identifier: GPL-2.0-or-later
 * A plan as a script for Slurm, and as a manifest for Kubernetes. */
#include "cli/scheduler.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/outfile.h"
#include "base/regular.h"
#include "base/text.h"

/* What is asked for.  A partial needs its buffers, whatever it reads; the merge
 * up to 1 KiB for a flow, and there are at most a million.  Both are many
 * times as fast as this: docs/scale.md. */
enum {
	PARTIAL_MIB = 256,
	MERGE_MIB = 3072,
	PARTIAL_BYTES_PER_S = 20 * 1000 * 1000,
	MERGE_BYTES_PER_S = 100 * 1000 * 1000,
	LEAST_MINUTES = 10,
};

static const char marks[][40] = { "# Written by fabscope plan: ",
				  "{ \"by\": \"fabscope plan\"," };

static bool is_schedule(const char *path)
{
	char text[160];
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;

	if (f)
		fclose(f);
	text[n] = 0;
	return strstr(text, marks[0]) || strstr(text, marks[1]);
}

/* The heaviest shard, and all of them. */
static void loads(const struct plan *p, uint64_t *most, uint64_t *all)
{
	uint64_t *of = calloc(p->shards, sizeof *of);

	*most = *all = 0;
	for (size_t i = 0; of && i < p->n_inputs; i++) {
		uint64_t *one = &of[p->inputs[i].shard];

		*one += p->inputs[i].bytes;
		*all += p->inputs[i].bytes;
		if (*one > *most)
			*most = *one;
	}
	free(of);
}

static uint64_t minutes(uint64_t bytes, uint64_t per_s)
{
	return LEAST_MINUTES + bytes / per_s / 60;
}

typedef void write_schedule(const struct schedule *s, FILE *to);

static int write_file(const struct schedule *s, const char *path,
		      write_schedule *how, struct err *err)
{
	struct outfile *o =
		outfile_begin(path, is_schedule, "schedule of fabscope", err);
	FILE *f = o ? regular_create(outfile_temp(o)) : NULL;
	bool failed = !f;

	if (o && !f)
		err_errno(err, "%s", path);
	if (f) {
		how(s, f);
		failed = ferror(f);
		failed |= fclose(f) != 0;
		if (failed)
			err_errno(err, "%s", path);
	}
	failed = failed || outfile_commit(o, err) < 0;
	outfile_free(o);
	outfile_input(path); /* a second schedule has another name */
	return failed ? -1 : 0;
}

/* ---- Slurm ---- */

/* As one word of a shell. */
static void word(FILE *to, const char *text)
{
	char *quoted = text_shell(text);

	if (quoted)
		fputs(quoted, to);
	free(quoted);
}

static void sbatch(const struct schedule *s, FILE *to, const char *name,
		   unsigned mib, uint64_t most_minutes)
{
	fprintf(to,
		"sbatch --parsable --job-name=fabscope-%s --requeue \\\n"
		"\t--open-mode=append --cpus-per-task=1 --mem=%uM \\\n"
		"\t--time=%" PRIu64 " --output=",
		name, mib, most_minutes);
	word(to, s->plan->path);
	fprintf(to, ".parts/%s%s.log", name,
		strcmp(name, "partial") ? "" : "-%a");
}

static void script(const struct schedule *s, FILE *to, const char *name)
{
	fputs(" <<'END_OF_SCRIPT'\n#!/bin/sh\nexec ", to);
	word(to, s->program);
	fprintf(to, " %s ", name);
	word(to, s->plan->path);
	if (!strcmp(name, "merge") && s->output) {
		fputs(" --output=", to);
		word(to, s->output);
	}
	fputs("\nEND_OF_SCRIPT\n", to);
}

static void slurm(const struct schedule *s, FILE *to)
{
	uint64_t most, all;

	loads(s->plan, &most, &all);
	fprintf(to,
		"#!/bin/sh\n%ssh FILE [OPTION OF THE LAST SBATCH]\n"
		"set -eu\ncd ",
		marks[0]);
	word(to, s->folder);
	fputs("\nmkdir -p ", to);
	word(to, s->plan->path);
	fputs(".parts\npartials=$(", to);
	sbatch(s, to, "partial", PARTIAL_MIB,
	       minutes(most, PARTIAL_BYTES_PER_S));
	fprintf(to, " \\\n\t--array=0-%" PRIu32, s->plan->shards - 1);
	script(s, to, "partial");
	fputs(")\n", to);
	sbatch(s, to, "merge", MERGE_MIB, minutes(all, MERGE_BYTES_PER_S));
	fputs(" \\\n\t--dependency=\"afterok:${partials%%;*}\" "
	      "--kill-on-invalid-dep=yes \"$@\"",
	      to);
	script(s, to, "merge");
}

int schedule_slurm(const struct schedule *s, const char *path, struct err *err)
{
	return write_file(s, path, slurm, err);
}

/* ---- Kubernetes ---- */

static void json(FILE *to, const char *text)
{
	putc('"', to);
	for (; *text; text++)
		if (*text == '"' || *text == '\\')
			fprintf(to, "\\%c", *text);
		else if ((unsigned char)*text < ' ')
			fprintf(to, "\\u%04x", (unsigned)*text);
		else
			putc(*text, to);
	putc('"', to);
}

/* The job |name|; |indexed|: one pod for each shard. */
static void job(const struct schedule *s, FILE *to, const char *name,
		unsigned mib, bool indexed)
{
	fprintf(to,
		"    { \"apiVersion\": \"batch/v1\", \"kind\": \"Job\",\n"
		"      \"metadata\": { \"name\": \"fabscope-%s\" },\n"
		"      \"spec\": {\n",
		name);
	if (indexed)
		fprintf(to,
			"        \"completionMode\": \"Indexed\",\n"
			"        \"completions\": %" PRIu32
			", \"parallelism\": %" PRIu32 ",\n",
			s->plan->shards, s->plan->shards);
	else
		fputs("        \"suspend\": true,\n", to);
	fprintf(to,
		"        \"backoffLimit\": %" PRIu32 ",\n"
		"        \"template\": { \"spec\": {\n"
		"          \"restartPolicy\": \"Never\",\n"
		"          \"containers\": [ {\n"
		"            \"name\": \"fabscope\", \"image\": ",
		indexed ? 3 * s->plan->shards : 3);
	json(to, s->image);
	fputs(",\n            \"workingDir\": ", to);
	json(to, s->folder);
	fprintf(to, ",\n            \"command\": [ \"fabscope\", \"%s\", ",
		name);
	json(to, s->plan->path);
	if (!indexed && s->output) {
		fputs(", \"--output\", ", to);
		json(to, s->output);
	}
	fprintf(to,
		" ],\n            \"resources\": {\n"
		"              \"requests\": "
		"{ \"cpu\": \"1\", \"memory\": \"%uMi\" },\n"
		"              \"limits\": { \"memory\": \"%uMi\" } },\n"
		"            \"volumeMounts\": "
		"[ { \"name\": \"captures\", \"mountPath\": ",
		mib, mib);
	json(to, s->folder);
	fputs(" } ] } ],\n"
	      "          \"volumes\": [ { \"name\": \"captures\",\n"
	      "            \"persistentVolumeClaim\": "
	      "{ \"claimName\": \"captures\" } } ] } } } }",
	      to);
}

static void kubernetes(const struct schedule *s, FILE *to)
{
	fputs("{ \"apiVersion\": \"v1\", \"kind\": \"List\",\n"
	      "  \"metadata\": ",
	      to);
	fprintf(to, "%s \"plan\": ", marks[1]);
	json(to, s->plan->path);
	fputs(" },\n  \"items\": [\n", to);
	job(s, to, "partial", PARTIAL_MIB, true);
	fputs(",\n", to);
	job(s, to, "merge", MERGE_MIB, false);
	fputs("\n  ] }\n", to);
}

int schedule_kubernetes(const struct schedule *s, const char *path,
			struct err *err)
{
	return write_file(s, path, kubernetes, err);
}

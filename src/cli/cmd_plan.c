/* SPDX-License-Identifier: GPL-2.0-or-later
 * fabscope plan: an analysis that many machines do together. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/outfile.h"
#include "cli/analyze.h"
#include "cli/args.h"
#include "cli/command.h"
#include "cli/fabric.h"
#include "cli/inputs.h"
#include "cli/planned.h"
#include "cli/say.h"
#include "cli/scheduler.h"
#include "run/plan.h"
#include "store/param.h"
#include "store/store.h"

enum { LOCAL_MAX = 1024, SHARDS_USUAL = 64 };

/* Those of its own; all others are analyze's. */
static const char *const own[] = { "write",      "shards", "slurm",
				   "kubernetes", "image",  "local",
				   "output",     "force",  NULL };

static bool is_own(const char *name)
{
	for (size_t i = 0; own[i]; i++)
		if (!strcmp(own[i], name))
			return true;
	return false;
}

/* Takes |word|, which may be NULL. */
static int add_word(struct plan *p, char *word)
{
	if (!word)
		return -1;
	p->words[p->n_words++] = word;
	return 0;
}

static int add_option(struct plan *p, const char *name, const char *value)
{
	char *word;

	return asprintf(&word, "--%s=%s", name, value) < 0 ? -1
							   : add_word(p, word);
}

/* The words of analyze. */
static int add_words(struct plan *p, const struct args *a)
{
	int rc = 0;

	p->words = calloc(a->n_given + a->n_operands + 2, sizeof *p->words);
	if (!p->words)
		return -1;
	for (size_t i = 0; !rc && i < a->n_given; i++)
		if (!is_own(a->given[i].option->name))
			rc = add_option(p, a->given[i].option->name,
					a->given[i].value);
	if (!rc && a->n_operands)
		rc = add_word(p, strdup("--"));
	for (size_t i = 0; !rc && i < a->n_operands; i++)
		rc = add_word(p, strdup(a->operands[i]));
	return rc;
}

static int count_of(const struct args *a, const char *name, uint32_t most,
		    uint32_t *out, struct err *err)
{
	const char *text = args_value(a, name);
	struct query_value v;

	if (!text)
		return 0;
	if (param_parse(UNIT_COUNT, text, 0, &v) < 0 || v.type != VALUE_INT ||
	    v.i < 1 || v.i > most)
		return err_set(err, ERR_USAGE,
			       "--%s: \"%s\" is not from 1 to %u", name, text,
			       most);
	*out = (uint32_t)v.i;
	return 0;
}

static int look_at_inputs(struct plan *p, const struct args *a, struct err *err)
{
	struct inputs in = { 0 };
	int rc = inputs_find(&in, a, err);

	if (!rc && in.n > PLAN_INPUTS_MAX)
		rc = err_set(err, ERR_USAGE, "a plan has at most %d captures",
			     PLAN_INPUTS_MAX);
	if (!rc && !(p->inputs = calloc(in.n, sizeof *p->inputs)))
		rc = err_set(err, ERR_MEMORY, "out of memory");
	for (size_t i = 0; !rc && i < in.n; i++)
		rc = plan_content(in.v[i].path, &p->inputs[i].bytes,
				  &p->inputs[i].content, err);
	p->n_inputs = in.n;
	inputs_fini(&in);
	return rc;
}

/* The file is right, and stays what it is. */
static int look_at_fabric(struct plan *p, const struct args *a, struct err *err)
{
	const char *file = args_value(a, "topology");
	struct topology *t = NULL;
	uint64_t bytes;
	int rc = fabric_read(a, &t, err);

	topology_free(t);
	if (!rc && file)
		rc = plan_content(file, &bytes, &p->topology, err);
	return rc;
}

static uint32_t least(size_t a, uint32_t b)
{
	return a < b ? (uint32_t)a : b;
}

static int make_plan(struct plan *p, const struct args *a, struct err *err)
{
	const char *path = args_value(a, "write");

	if (!path)
		return err_set(err, ERR_USAGE, "needs --write PLAN");
	p->path = strdup(path);
	if (!p->path || add_words(p, a) < 0)
		return err_set(err, ERR_MEMORY, "out of memory");
	if (look_at_inputs(p, a, err) < 0 || look_at_fabric(p, a, err) < 0)
		return -1;
	p->shards = least(p->n_inputs, SHARDS_USUAL);
	if (count_of(a, "shards", least(p->n_inputs, PLAN_SHARDS_MAX),
		     &p->shards, err) < 0)
		return -1;
	plan_divide(p);
	return plan_write(p, err);
}

/* ---- for others ---- */

static int write_schedules(const struct plan *p, const struct args *a,
			   struct err *err)
{
	const char *slurm = args_value(a, "slurm");
	const char *kubernetes = args_value(a, "kubernetes");
	const char *image = args_value(a, "image");
	char program[PATH_MAX], folder[PATH_MAX];
	struct schedule s = {
		.plan = p,
		.program = program,
		.folder = folder,
		.output = args_value(a, "output"),
		.image = image ? image : "fabscope:" FABSCOPE_VERSION,
	};
	ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);

	if (n < 0 || !getcwd(folder, sizeof folder))
		return err_errno(err, "cannot find the current folder");
	program[n] = 0;
	if (slurm && schedule_slurm(&s, slurm, err) < 0)
		return -1;
	return kubernetes ? schedule_kubernetes(&s, kubernetes, err) : 0;
}

/* ---- here ---- */

/* |what| of the plan, as if it had been called so; |more| may be NULL. */
static int call(const struct plan *p, const char *what, char *more)
{
	char *words[] = { (char *)(uintptr_t)command_program,
			  (char *)(uintptr_t)what, p->path, more, NULL };

	return command_main(more ? 4 : 3, words);
}

/* It ends with its parent, by the signal that takes its file away. */
static pid_t start(const struct plan *p, uint32_t shard)
{
	const pid_t parent = getpid();
	char number[16];
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	snprintf(number, sizeof number, "%u", shard);
	_exit(call(p, "partial", number));
}

/* Not more than |processes| at a time.  How many did not succeed. */
static uint32_t partials(const struct plan *p, uint32_t processes)
{
	uint32_t running = 0, failed = 0, next = 0;
	int status;

	while (next < p->shards || running) {
		if (next < p->shards && running < processes) {
			if (start(p, next++) > 0)
				running++;
			else
				failed++;
		} else if (wait(&status) > 0) {
			running--;
			failed += !WIFEXITED(status) || WEXITSTATUS(status);
		} else if (errno == ECHILD) {
			failed += running;
			running = 0;
		}
	}
	return failed;
}

/* What the merge could not write is no reason to work for hours before it. */
static int try_output(const struct args *a, struct err *err)
{
	struct inputs in = { 0 };
	struct store *s = NULL;
	char *name = NULL;
	int rc;

	if (!inputs_find(&in, a, err))
		name = analyze_output(a, &in, err);
	for (size_t i = 0; name && i < in.n; i++)
		outfile_input(in.v[i].path);
	if (name)
		s = store_create(name, err);
	rc = s ? 0 : -1;
	store_free(s);
	free(name);
	inputs_fini(&in);
	return rc;
}

static int run_here(const struct plan *p, const struct args *a, struct err *err)
{
	const char *to = args_value(a, "output");
	uint32_t processes = 0, failed;
	char *output = NULL;
	int status;

	if (count_of(a, "local", LOCAL_MAX, &processes, err) < 0)
		return -1;
	if (!processes)
		return EXIT_FULL;
	if (try_output(a, err) < 0)
		return -1;
	failed = partials(p, processes);
	if (failed)
		return err_set(err, ERR_IO, "%u of %u partials failed", failed,
			       p->shards);
	if (to && asprintf(&output, "--output=%s", to) < 0)
		return err_set(err, ERR_MEMORY, "out of memory");
	status = call(p, "merge", output);
	free(output);
	return status;
}

static int plan_run(const struct args *a)
{
	struct plan p = { 0 };
	struct err err = { 0 };
	int status = make_plan(&p, a, &err);

	if (!status)
		status = write_schedules(&p, a, &err);
	if (!status)
		status = run_here(&p, a, &err);
	for (size_t i = 0; i < p.n_words; i++)
		free(p.words[i]);
	plan_free(&p);
	return status < 0 ? say_error(&cmd_plan, &err) : status;
}

static const struct option options[] = {
	{ .name = "write",
	  .letter = 'w',
	  .value = "PLAN",
	  .complete = COMPLETE_FILE,
	  .help = "The plan to write; partial results go to PLAN.parts" },
	{ .name = "shards",
	  .value = "N",
	  .help = "Number of shards (default: one for each capture, at most "
		  "64)" },
	{ .name = "slurm",
	  .value = "FILE",
	  .complete = COMPLETE_FILE,
	  .help = "Also write a script that submits all of it to Slurm" },
	{ .name = "kubernetes",
	  .value = "FILE",
	  .complete = COMPLETE_FILE,
	  .help = "Also write a manifest with an Indexed Job and its merge" },
	{ .name = "image",
	  .value = "IMAGE",
	  .help = "With --kubernetes: the container image (default: "
		  "fabscope:VERSION)" },
	{ .name = "local",
	  .value = "N",
	  .help = "Also do all of it here, with N processes" },
	{ .name = "output",
	  .letter = 'o',
	  .value = "DB",
	  .complete = COMPLETE_FILE,
	  .help = "Result database of the merge (default: "
		  "CAPTURE.fabscope.db in the current folder)" },
	ANALYZE_OPTIONS,
	{ .name = NULL },
};

const struct command cmd_plan = {
	.name = "plan",
	.operands = "CAPTURE...",
	.help = "Divide an analysis among processes or machines",
	.manual = true,
	.confine = CONFINE_NAMED,
	.max_operands = -1,
	.complete = COMPLETE_FILE,
	.complete_next = COMPLETE_FILE,
	.options = options,
	.run = plan_run,
};

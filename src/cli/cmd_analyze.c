/* SPDX-License-Identifier: GPL-2.0-or-later
 * fabscope analyze: captures in, database and verdict out. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/addr.h"
#include "base/huge.h"
#include "cli/analyze.h"
#include "cli/args.h"
#include "cli/command.h"
#include "cli/fabric.h"
#include "cli/inputs.h"
#include "cli/pager.h"
#include "cli/result.h"
#include "cli/say.h"
#include "cli/signals.h"
#include "cli/witness.h"
#include "evidence/evidence.h"
#include "joblog/joblog.h"
#include "run/run.h"
#include "store/param.h"
#include "store/store.h"
#include "views/verdict.h"

struct work {
	struct inputs inputs;
	char *database;
	int anonymous; /* 1: what is written is */
	struct anonymous_key key;
	struct topology *topology;
	struct joblog *job_log;
	struct evidence *evidence;
};

static const char *base_name(const char *path)
{
	const char *slash;

	assert(path); /* every input has one */
	slash = strrchr(path, '/');
	if (!strcmp(path, "-"))
		return "stdin";
	return slash ? slash + 1 : path;
}

char *analyze_output(const struct args *a, const struct inputs *in,
		     struct err *err)
{
	const char *given = args_value(a, "output");
	char *name;
	int n;

	if (!given && result_is_anonymous(a))
		given = ANONYMOUS_NAME;
	n = given ? asprintf(&name, "%s", given)
		  : asprintf(&name, "%s.fabscope.db", base_name(in->v[0].path));
	if (n >= 0)
		return name;
	err_set(err, ERR_MEMORY, "out of memory");
	return NULL;
}

static int name_database(struct work *w, const struct args *a, struct err *err)
{
	w->anonymous = result_key(a, &w->key, err);
	if (w->anonymous < 0)
		return -1;
	w->database = analyze_output(a, &w->inputs, err);
	return w->database ? 0 : -1;
}

/* --job-log FILE or ADDRESS=FILE */
static int read_job_log(struct joblog *j, const char *text, struct err *err)
{
	const char *equals = strchr(text, '=');
	char address[ADDR_TEXT] = "";
	struct addr a;

	if (equals && (size_t)(equals - text) < sizeof address) {
		memcpy(address, text, (size_t)(equals - text));
		if (addr_parse(address, &a))
			return joblog_read(j, equals + 1, addr_text(a, address),
					   err);
	}
	return joblog_read(j, text, NULL, err);
}

static int read_job_logs(struct work *w, const struct args *a, struct err *err)
{
	const char *text;
	size_t at = 0;

	while ((text = args_next(a, "job-log", &at))) {
		if (!w->job_log && !(w->job_log = joblog_new()))
			return err_set(err, ERR_MEMORY, "out of memory");
		if (read_job_log(w->job_log, text, err) < 0)
			return -1;
	}
	return 0;
}

static int read_evidence(struct work *w, const struct args *a, struct err *err)
{
	const char *text;
	size_t at = 0;

	if (!args_has(a, "evidence"))
		return args_has(a, "counter-names")
			       ? err_set(err, ERR_USAGE,
					 "--counter-names needs --evidence")
			       : 0;
	w->evidence = witness_new(a, err);
	if (!w->evidence)
		return -1;
	while ((text = args_next(a, "evidence", &at)))
		if (witness_read(w->evidence, text, err) < 0)
			return -1;
	return 0;
}

static int read_threads(struct run_options *o, const struct args *a,
			struct err *err)
{
	enum { MOST = 1024 };
	const char *text = args_value(a, "threads");
	struct query_value v;

	if (!text)
		return 0;
	if (param_parse(UNIT_COUNT, text, 0, &v) < 0 || v.type != VALUE_INT ||
	    v.i < 1 || v.i > MOST)
		return err_set(err, ERR_USAGE,
			       "--threads: \"%s\" is not from 1 to %d", text,
			       MOST);
	o->threads = (unsigned)v.i;
	return 0;
}

static bool reads_stdin(const struct work *w)
{
	size_t i;

	for (i = 0; i < w->inputs.n; i++)
		if (!strcmp(w->inputs.v[i].path, "-"))
			return true;
	return false;
}

/* The database gets its name when it is what its name may be given to. */
static int disguise(const struct work *w, struct store **s, struct err *err)
{
	struct store *other;

	if (!w->anonymous)
		return 0;
	other = store_anonymous(*s, &w->key, w->database, err);
	store_free(*s);
	*s = other;
	return other ? 0 : -1;
}

static int show(struct store *s, const struct args *a, struct err *err)
{
	enum verdict_detail detail = args_has(a, "brief")     ? VERDICT_BRIEF
				     : args_has(a, "verbose") ? VERDICT_ALL
							      : VERDICT_USUAL;

	pager_start();
	if (args_has(a, "json"))
		return verdict_json(s, stdout, err);
	return verdict_print(s, command_program, detail, stdout, err);
}

static int work(struct work *w, const struct args *a, const struct plan *p,
		struct err *err)
{
	struct run_options options = { .filter = args_value(a, "filter") };
	struct err shown = { 0 };
	struct store *s;
	int outcome, rc;

	if (inputs_find(&w->inputs, a, err) < 0 ||
	    (p && inputs_reduced(&w->inputs, p, err) < 0) ||
	    name_database(w, a, err) < 0 ||
	    fabric_read(a, &w->topology, err) < 0 ||
	    read_job_logs(w, a, err) < 0 || read_evidence(w, a, err) < 0 ||
	    read_threads(&options, a, err) < 0)
		return -1;
	options.all_messages = args_has(a, "all-messages");
	options.topology = w->topology;
	options.job_log = w->job_log;
	options.evidence = w->evidence;
	options.inputs = w->inputs.v;
	options.n_inputs = w->inputs.n;
	options.database = w->anonymous ? STORE_PRIVATE : w->database;
	options.progress = say_progress();
	options.interruptible = true;
	if (reads_stdin(w))
		signals_spare_one();
	huge_heap();
	outcome = run_analyze(&options, &s, err);
	if (outcome < 0)
		return -1;
	rc = disguise(w, &s, &shown);
	if (!rc)
		rc = show(s, a, &shown);
	if (!rc && args_has(a, "fail-on"))
		rc = alarm_raised(s, args_value(a, "fail-on"), &shown);
	store_free(s);
	if (rc < 0) {
		*err = shown;
		return -1;
	}
	if (rc > 0)
		return EXIT_FOUND;
	return outcome == RUN_PART ? EXIT_PART : EXIT_FULL;
}

int analyze_by(const struct command *c, const struct args *a,
	       const struct plan *p)
{
	struct work w = { 0 };
	struct err err = { 0 };
	int status = work(&w, a, p, &err);

	if (status < 0)
		status = say_error(c, &err);
	inputs_fini(&w.inputs);
	free(w.database);
	topology_free(w.topology);
	joblog_free(w.job_log);
	evidence_free(w.evidence);
	return status;
}

static int analyze_run(const struct args *a)
{
	return analyze_by(&cmd_analyze, a, NULL);
}

static const struct option options[] = {
	VERDICT_OPTIONS,
	ANALYZE_OPTIONS,
	{ .name = "all-messages",
	  .help = "Store each message (default: of each flow the first, the "
		  "slow and the failed ones); whatif needs it" },
	{ .name = "threads",
	  .value = "N",
	  .help = "Threads: N - 1 read and decompress captures ahead; the "
		  "result is the same for any N (default 1)" },
	RESULT_OPTIONS,
	{ .name = NULL },
};

const struct command cmd_analyze = {
	.name = "analyze",
	.also = "analyse",
	.operands = "CAPTURE...",
	.help = "Analyze captures: was it the network?",
	.manual = true,
	.confine = CONFINE_NAMED,
	.max_operands = -1,
	.complete = COMPLETE_FILE,
	.complete_next = COMPLETE_FILE,
	.options = options,
	.run = analyze_run,
};

/* SPDX-License-Identifier: GPL-2.0-or-later
 * fabscope live: an analysis of what passes an interface, for weeks. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/args.h"
#include "cli/command.h"
#include "cli/fabric.h"
#include "cli/readers.h"
#include "cli/say.h"
#include "run/live.h"
#include "store/live.h"
#include "store/param.h"
#include "store/store.h"
#include "views/verdict.h"

struct work {
	struct live_options o;
	const char **interfaces;
	char *database;
	struct topology *topology;
	struct readers readers;
	bool quiet;
};

/* ---- options ---- */

enum { MIB = 1 << 20 };

/* Numbers: where they go, in which unit, and what is allowed. */
static const struct number {
	const char *option;
	enum query_unit unit;
	size_t offset, size;
	int64_t times, least, most;
} numbers[] = {
#define N(name, unit, member, times, least, most)                          \
	{                                                                  \
		name, unit, offsetof(struct live_options, member),         \
			sizeof(((struct live_options *)0)->member), times, \
			least, most                                        \
	}
	N("snaplen", UNIT_COUNT, snaplen, 1, 64, 262144),
	N("buffer", UNIT_COUNT, buffer, MIB, 1, 2047),
	N("memory", UNIT_COUNT, memory, MIB, 1, 65536),
	N("refresh", UNIT_DURATION, refresh_ns, 1, 100000000, INT64_MAX),
	N("ring-size", UNIT_COUNT, ring_bytes, MIB, 0, INT32_MAX),
	N("ring-time", UNIT_DURATION, ring_ns, 1, 0, INT64_MAX),
	N("ring-files", UNIT_COUNT, ring_files, 1, 0, 100000),
	N("record", UNIT_DURATION, record_ns, 1, 0, INT64_MAX),
	N("recordings", UNIT_COUNT, record_files, 1, 1, 100000),
	N("idle", UNIT_DURATION, idle_ns, 1, 1000000, INT64_MAX),
	N("keep", UNIT_DURATION, keep_ns, 1, 1000000000, INT64_MAX),
	N("history", UNIT_DURATION, history_ns, 1, 1000000000, INT64_MAX),
	N("max-flows", UNIT_COUNT, max_flows, 1, 64, 1 << 24),
	N("rows", UNIT_COUNT, rows, 1, 1000, INT32_MAX),
#undef N
};

static int read_number(struct live_options *o, const struct number *n,
		       const char *text, struct err *err)
{
	struct query_value v;
	int64_t value;

	if (param_parse(n->unit, text, 0, &v) < 0 || v.type != VALUE_INT ||
	    v.i < n->least || v.i > n->most)
		return err_set(err, ERR_USAGE, "--%s: \"%s\" is not possible",
			       n->option, text);
	value = v.i * n->times;
	/* the integers of this machine, whatever their size */
	if (n->size == sizeof(uint32_t))
		*(uint32_t *)(void *)((char *)o + n->offset) = (uint32_t)value;
	else
		*(int64_t *)(void *)((char *)o + n->offset) = value;
	return 0;
}

static int read_numbers(struct live_options *o, const struct args *a,
			struct err *err)
{
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		const char *text = args_value(a, numbers[i].option);

		if (text && read_number(o, &numbers[i], text, err))
			return -1;
	}
	return 0;
}

static int find_interfaces(struct work *w, const struct args *a,
			   struct err *err)
{
	const char **list = calloc(a->n_given + 1, sizeof *list), *name;
	size_t i, n = 0;

	w->interfaces = list;
	if (!list)
		return err_set(err, ERR_MEMORY, "out of memory");
	for (i = 0; (name = args_next(a, "interface", &i));) {
		for (size_t k = 0; k < n; k++)
			if (!strcmp(list[k], name))
				return err_set(err, ERR_USAGE,
					       "%s is given twice", name);
		list[n++] = name;
	}
	w->o.interfaces = list;
	w->o.n_interfaces = n;
	return n ? 0 : err_set(err, ERR_USAGE, "needs an interface (-i)");
}

static int name_database(struct work *w, const struct args *a, struct err *err)
{
	const char *given = args_value(a, "output");
	int n = given ? asprintf(&w->database, "%s", given)
		      : asprintf(&w->database, "%s.fabscope.db",
				 w->interfaces[0]);

	if (n < 0) {
		w->database = NULL;
		return err_set(err, ERR_MEMORY, "out of memory");
	}
	w->o.database = w->database;
	return 0;
}

/* One of the option's words. */
static int read_xdp(struct live_options *o, const struct args *a,
		    struct err *err)
{
	const char *text = args_value(a, "xdp");

	if (!text)
		return 0;
	o->xdp = strcmp(text, "drop") ? PORT_XDP_PASS : PORT_XDP_DROP;
	return o->filter || o->adapter_time
		       ? err_set(err, ERR_USAGE,
				 "--xdp goes with neither --filter nor "
				 "--adapter-time")
		       : 0;
}

static int read_options(struct work *w, const struct args *a, struct err *err)
{
	live_defaults(&w->o);
	if (find_interfaces(w, a, err) || name_database(w, a, err) ||
	    read_numbers(&w->o, a, err))
		return -1;
	w->o.filter = args_value(a, "filter");
	w->o.user = args_value(a, "user");
	w->o.ring_prefix = args_value(a, "write");
	w->o.promiscuous = !args_has(a, "no-promiscuous");
	w->o.adapter_time = args_has(a, "adapter-time");
	if (read_xdp(&w->o, a, err) || fabric_read(a, &w->topology, err) < 0)
		return -1;
	w->o.topology = w->topology;
	return 0;
}

/* ---- running ---- */

static void on_end(int number)
{
	(void)number;
	live_stop();
}

static pid_t reader; /* it gets the signal as well */

static void on_hangup(int number)
{
	if (reader > 0)
		kill(reader, number);
	live_rotate();
}

static void catch_signals(bool headless)
{
	const struct sigaction end = { .sa_handler = on_end };
	const struct sigaction hangup = { .sa_handler = on_hangup };

	sigaction(SIGTERM, &end, NULL);
	sigaction(SIGINT, &end, NULL);
	/* without a terminal it starts the next file */
	sigaction(SIGHUP, headless ? &hangup : &end, NULL);
}

static void say(void *ctx, bool warning, const char *text)
{
	const struct work *w = ctx;
	char *clean = w->quiet ? NULL : text_printable(text);

	if (clean)
		fprintf(stderr, "fabscope: %s%s\n", warning ? "warning: " : "",
			clean);
	free(clean);
}

static int run(struct work *w, const struct args *a, struct err *err)
{
	const struct readers_options readers = {
		.database = w->database,
		.program = command_program,
		.user = w->o.user,
		.metrics = args_value(a, "metrics"),
		.findings = args_value(a, "findings-log"),
		.dashboard = !args_has(a, "headless") && isatty(STDIN_FILENO) &&
			     isatty(STDOUT_FILENO),
	};
	struct live *l = NULL;
	int rc = -1;

	w->o.say = say;
	w->o.ctx = w;
	w->quiet = readers.dashboard;
	if (!readers_start(&w->readers, &readers, err)) {
		reader = w->readers.watch.pid;
		catch_signals(!readers.dashboard);
		l = live_start(&w->o, err);
	}
	if (l) {
		readers_go(&w->readers);
		rc = live_run(l, err);
	}
	readers_end(&w->readers);
	if (l)
		store_live_end(w->database);
	live_free(l);
	return rc;
}

/* What it all came to; a log of findings has standard output for itself. */
static int close_with_verdict(const struct work *w, const struct args *a,
			      struct err *err)
{
	const char *log = args_value(a, "findings-log");
	struct store *s;
	int rc;

	if (log && !strcmp(log, "-"))
		return 0;
	s = store_open(w->database, err);
	rc = s ? verdict_print(s, command_program, VERDICT_BRIEF, stdout, err)
	       : -1;
	store_free(s);
	return rc;
}

static int live_run_command(const struct args *a)
{
	struct work w = { .readers = { { .go = -1 }, { .go = -1 } } };
	struct err err = { 0 };
	int rc = read_options(&w, a, &err);

	if (!rc)
		rc = run(&w, a, &err);
	if (!rc)
		rc = close_with_verdict(&w, a, &err);
	free(w.interfaces);
	free(w.database);
	topology_free(w.topology);
	return rc < 0 ? say_error(&cmd_live, &err) : EXIT_FULL;
}

static const struct option options[] = {
	{ .name = "interface",
	  .letter = 'i',
	  .value = "IFACE",
	  .complete = COMPLETE_INTERFACE,
	  .repeated = true,
	  .help = "Capture from it; each one is a capture point" },
	{ .name = "output",
	  .letter = 'o',
	  .value = "DB",
	  .complete = COMPLETE_FILE,
	  .help = "Result database (default: IFACE.fabscope.db in the current "
		  "folder); an existing one is continued" },
	{ .name = "filter",
	  .letter = 'f',
	  .value = "BPF",
	  .help = "Capture only packets that match, as in tcpdump" },
	{ .name = "snaplen",
	  .letter = 's',
	  .value = "N",
	  .help = "Bytes kept of each packet (default 256)" },
	{ .name = "write",
	  .letter = 'w',
	  .value = "PREFIX",
	  .complete = COMPLETE_FILE,
	  .help = "Write all packets to pcapng files PREFIX...; PREFIX/ is a "
		  "folder" },
	{ .name = "ring-size",
	  .value = "MIB",
	  .help = "Size of a file of -w, in MiB (default 1024)" },
	{ .name = "ring-time",
	  .value = "TIME",
	  .help = "Duration of a file of -w (default: no limit)" },
	{ .name = "ring-files",
	  .value = "N",
	  .help = "Number of files of -w that are kept (default 16; 0: all)" },
	{ .name = "record",
	  .value = "TIME",
	  .help = "Write the packets of this time before a finding to a file "
		  "(default 10s; 0: none)" },
	{ .name = "recordings",
	  .value = "N",
	  .help = "Number of files of --record that are kept (default 32)" },
	{ .name = "headless",
	  .help = "No dashboard; SIGHUP starts a new file of -w" },
	{ .name = "metrics",
	  .value = "ADDR:PORT",
	  .help = "Serve OpenMetrics over HTTP (a port alone: on loopback)" },
	{ .name = "findings-log",
	  .value = "FILE",
	  .complete = COMPLETE_FILE,
	  .help = "Append findings to FILE as JSON lines, - for standard "
		  "output" },
	{ .name = "topology",
	  .value = "FILE",
	  .complete = COMPLETE_FILE,
	  .help = "Names, link speeds and link groups of the fabric" },
	FABRIC_OPTIONS,
	{ .name = "refresh",
	  .value = "TIME",
	  .help = "Interval between writes of the database (default 1s)" },
	{ .name = "keep",
	  .value = "TIME",
	  .help = "Keep events and fine time steps for this long (default "
		  "1h)" },
	{ .name = "history",
	  .value = "TIME",
	  .help = "Keep findings and coarse time steps for this long (default "
		  "336h)" },
	{ .name = "rows",
	  .value = "N",
	  .help = "Row limit of each table (default 200000)" },
	{ .name = "idle",
	  .value = "TIME",
	  .help = "Close a flow that is idle for this long (default 15min)" },
	{ .name = "max-flows",
	  .value = "N",
	  .help = "Maximum number of flows tracked, 1 KiB each (default "
		  "262144)" },
	{ .name = "buffer",
	  .value = "MIB",
	  .help = "Kernel buffer of each interface, in MiB (default 64)" },
	{ .name = "memory",
	  .value = "MIB",
	  .help = "Packet buffer of each interface in fabscope, in MiB "
		  "(default 64)" },
	{ .name = "no-promiscuous",
	  .help = "Do not set the interface to promiscuous mode" },
	{ .name = "adapter-time",
	  .help = "Use hardware timestamps of the NIC, if it has them" },
	{ .name = "xdp",
	  .value = "MODE",
	  .complete = COMPLETE_WORDS,
	  .words = "pass drop",
	  .help = "Capture by XDP, at higher rates: pass (the host gets the "
		  "packets too) or drop (for a mirror port)" },
	{ .name = "user",
	  .value = "NAME",
	  .help = "Change to that user once all files and interfaces are "
		  "open" },
	{ .name = NULL },
};

const struct command cmd_live = {
	.name = "live",
	.operands = "",
	.help = "Analyze the traffic of interfaces continuously",
	.manual = true,
	.max_operands = 0,
	.options = options,
	.run = live_run_command,
};

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The folder of evidence: what is written when, and lies. */
#include "simulate/devices.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "capture/pcapng_write.h"
#include "simulate/devices_int.h"
#include "simulate/line.h"
#include "simulate/mem.h"

enum { MORE_STORMS = 7 };

/* ---- lies ---------------------------------------------------------------- */

static const struct port *port_of(const struct node *n, const char *title)
{
	char have[24];

	for (size_t i = 0; i < n->n_ports; i++)
		if (!strcmp(port_title(n->ports[i], have), title))
			return n->ports[i];
	return NULL;
}

/* "NODE", or "NODE:PORT"; of a host its port. */
static const struct port *find_port(const struct sim *s, char *who)
{
	char *colon = strchr(who, ':');
	const struct node *n;

	if (colon)
		*colon = 0;
	n = world_node(s, who);
	if (!n || !n->n_ports)
		return NULL;
	if (colon)
		return port_of(n, colon + 1);
	return n->is_switch ? NULL : n->ports[0];
}

static bool lie_stuck(struct sim *s, char *who)
{
	const struct node *n = world_node(s, who);

	if (n)
		s->devices->stuck[world_slot(s, n)] = true;
	return n;
}

static bool lie_swap(struct sim *s, char *who)
{
	char *comma = strchr(who, ',');
	const struct port *a, *b;
	uint32_t id;

	if (!comma)
		return false;
	*comma = 0;
	a = find_port(s, who);
	b = find_port(s, comma + 1);
	if (!a || !b)
		return false;
	id = s->devices->told_as[a->id];
	s->devices->told_as[a->id] = s->devices->told_as[b->id];
	s->devices->told_as[b->id] = id;
	return true;
}

static bool lie_clock(struct sim *s, char *who)
{
	bool early = *who == '-';
	int64_t ps;

	if (!parse_time(who + early, &ps))
		return false;
	s->devices->clock = early ? -ps : ps;
	return true;
}

static bool lie_storms(struct sim *s, char *who)
{
	const struct node *n = world_node(s, who);

	if (!n || !n->is_switch)
		return false;
	s->devices->storms[world_slot(s, n)] = MORE_STORMS;
	return true;
}

static bool lie_drops(struct sim *s, char *who)
{
	const struct node *n = world_node(s, who);

	if (!n || !n->is_switch)
		return false;
	s->devices->blames[world_slot(s, n)] = true;
	return true;
}

static const struct lie {
	const char *kind;
	bool (*tell)(struct sim *s, char *who);
	const char *who;
} kinds[] = {
	{ "stuck", lie_stuck, "a host or switch" },
	{ "swap", lie_swap, "two ports, HOST or SWITCH:PORT, and a comma" },
	{ "clock", lie_clock, "a time, as 5s or -5s" },
	{ "storms", lie_storms, "a switch" },
	{ "drops", lie_drops, "a switch" },
};

static int lie_read(struct sim *s, const char *text, struct err *err)
{
	size_t n = strcspn(text, "=");

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		char *who;
		bool told;

		if (strlen(kinds[i].kind) != n ||
		    strncmp(text, kinds[i].kind, n) != 0)
			continue;
		who = mem_text(text[n] ? text + n + 1 : "");
		told = kinds[i].tell(s, who);
		free(who);
		return told ? 0
			    : err_set(err, ERR_USAGE, "--lie: \"%s\" needs %s",
				      text, kinds[i].who);
	}
	return err_set(err, ERR_USAGE,
		       "--lie: \"%s\" is none of stuck=, swap=, clock=, "
		       "storms=, drops=",
		       text);
}

int lies_read(struct sim *s, const char *const *lies, size_t n, struct err *err)
{
	for (size_t i = 0; i < n; i++)
		if (lie_read(s, lies[i], err))
			return -1;
	return 0;
}

const struct counts *devices_counts(const struct sim *s, const struct port *p,
				    bool over)
{
	const struct devices *e = s->devices;

	if (!over || e->stuck[world_slot(s, p->node)])
		return &e->nothing;
	return &e->counts[e->told_as[p->id]];
}

/* ---- files --------------------------------------------------------------- */

const char *devices_file(struct sim *s, const char *name, struct err *err)
{
	size_t room = strlen(s->devices->folder) + strlen(name) + 2;
	char *path = mem_new(room);

	snprintf(path, room, "%s/%s", s->devices->folder, name);
	free(s->devices->path);
	s->devices->path = path; /* which may be what is written to */
	return products_add(&s->products, path, err);
}

FILE *devices_open(struct sim *s, struct err *err, const char *name, ...)
{
	char file[3 * NAME_MAX_TEXT];
	const char *temp;
	va_list words;
	FILE *f;

	va_start(words, name);
	vsnprintf(file, sizeof file, name, words);
	va_end(words);
	temp = devices_file(s, file, err);
	f = temp ? fopen(temp, "we") : NULL;
	if (temp && !f)
		err_errno(err, "%s", temp);
	return f;
}

int devices_shut(FILE *f, int rc, struct err *err)
{
	bool bad = ferror(f) != 0;

	if (fclose(f) || bad)
		return rc ? rc : err_errno(err, "evidence");
	return rc;
}

/* ---- the whole ----------------------------------------------------------- */

int devices_begin(struct sim *s, const char *folder, const char *const *lies,
		  size_t n_lies, struct err *err)
{
	size_t nodes = s->n_hosts + s->n_switches;
	struct devices *e = mem_new(sizeof *e);

	s->devices = e;
	e->folder = folder;
	e->counts = mem_new((s->n_ports + 1) * sizeof *e->counts);
	e->left = mem_new((s->n_ports + 1) * sizeof *e->left);
	e->told_as = mem_new((s->n_ports + 1) * sizeof *e->told_as);
	e->sequence = mem_new((nodes + 1) * sizeof *e->sequence);
	e->stuck = mem_new((nodes + 1) * sizeof *e->stuck);
	e->blames = mem_new((nodes + 1) * sizeof *e->blames);
	e->storms = mem_new((nodes + 1) * sizeof *e->storms);
	for (size_t i = 0; i < s->n_ports; i++)
		e->told_as[i] = (uint32_t)i;
	if (lies_read(s, lies, n_lies, err))
		return -1;
	if (mkdir(folder, 0777) && errno != EEXIST)
		return err_errno(err, "%s", folder);
	if (counters_write(s, false, err) || reports_begin(s, err))
		return -1;
	reports_counters(s, false);
	return 0;
}

int devices_write(struct sim *s, struct err *err)
{
	counts_take(s);
	reports_counters(s, true);
	return reports_end(s, err) || counters_write(s, true, err) ||
			       series_write(s, err) ||
			       configuration_write(s, err) ||
			       topology_write(s, err)
		       ? -1
		       : 0;
}

void devices_free(struct devices *e)
{
	if (!e)
		return;
	if (e->collector)
		pcapng_writer_close(e->collector, NULL);
	free(e->path);
	free(e->counts);
	free(e->left);
	free(e->told_as);
	free(e->sequence);
	free(e->stuck);
	free(e->blames);
	free(e->storms);
	free(e);
}

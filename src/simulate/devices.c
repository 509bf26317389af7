/* SPDX-License-Identifier: GPL-2.0-or-later
 * The folder of evidence: what is written when, and lies. */
#include "simulate/devices.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/regular.h"
#include "capture/pcapng_write.h"
#include "simulate/devices_int.h"
#include "simulate/line.h"
#include "simulate/mem.h"

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

/* The counters of two ports change places. */
static bool swap(struct sim *s, char *who)
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
	id = s->devices->origin[a->id];
	s->devices->origin[a->id] = s->devices->origin[b->id];
	s->devices->origin[b->id] = id;
	return true;
}

static bool shift(struct sim *s, char *by)
{
	bool early = *by == '-';
	int64_t ps;

	if (!parse_time(by + early, &ps))
		return false;
	s->devices->clock = early ? -ps : ps;
	return true;
}

static const struct lie {
	const char *kind;
	bool (*tell)(struct sim *s, char *who); /* or NULL: ... */
	enum device_lie bit;                    /* ... of a node */
	bool of_switch;
	const char *who;
} kinds[] = {
	{ "stuck", NULL, LIE_STUCK, false, "a host or switch" },
	{ "swap", swap, 0, false,
	  "two ports, HOST or SWITCH:PORT, with a comma between" },
	{ "clock", shift, 0, false, "a time, as 5s or -5s" },
	{ "storms", NULL, LIE_STORMS, true, "a switch" },
	{ "drops", NULL, LIE_DROPS, true, "a switch" },
};

static bool set_lie(struct sim *s, const struct lie *k, const char *text)
{
	const struct node *n;
	bool right;
	char *who;

	if (k->tell) {
		who = mem_text(text);
		right = k->tell(s, who);
		free(who);
		return right;
	}
	n = world_node(s, text);
	if (!n || (k->of_switch && !n->is_switch))
		return false;
	s->devices->lies[world_slot(s, n)] |= (uint8_t)k->bit;
	return true;
}

static int lie_read(struct sim *s, const char *text, struct err *err)
{
	size_t n = strcspn(text, "=");

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strlen(kinds[i].kind) == n &&
		    !strncmp(text, kinds[i].kind, n)) {
			if (set_lie(s, &kinds[i], text + n + (text[n] != 0)))
				return 0;
			return err_set(err, ERR_USAGE, "--lie: \"%s\" needs %s",
				       text, kinds[i].who);
		}
	return err_set(err, ERR_USAGE,
		       "--lie: \"%s\" is none of stuck=, swap=, clock=, "
		       "storms=, drops=",
		       text);
}

bool devices_lie(const struct sim *s, const struct node *n, enum device_lie lie)
{
	return s->devices->lies[world_slot(s, n)] & lie;
}

const struct counts *devices_counts(const struct sim *s, const struct port *p,
				    bool over)
{
	const struct devices *e = s->devices;

	if (!over || devices_lie(s, p->node, LIE_STUCK))
		return &e->nothing;
	return &e->counts[e->origin[p->id]];
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
	f = temp ? regular_create(temp) : NULL;
	if (temp && !f)
		err_errno(err, "%s", temp);
	return f;
}

int devices_shut(struct sim *s, FILE *f, struct err *err)
{
	bool bad = ferror(f) != 0;

	return fclose(f) || bad ? err_errno(err, "%s", s->devices->path) : 0;
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
	e->origin = mem_new((s->n_ports + 1) * sizeof *e->origin);
	e->sequence = mem_new((nodes + 1) * sizeof *e->sequence);
	e->lies = mem_new((nodes + 1) * sizeof *e->lies);
	for (size_t i = 0; i < s->n_ports; i++)
		e->origin[i] = (uint32_t)i;
	for (size_t i = 0; i < n_lies; i++)
		if (lie_read(s, lies[i], err))
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
	free(e->origin);
	free(e->sequence);
	free(e->lies);
	free(e);
}

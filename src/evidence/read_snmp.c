/* SPDX-License-Identifier: GPL-2.0-or-later
 * snmpwalk of IF-MIB (RFC 2863), as net-snmp prints it:
 *	IF-MIB::ifName.3 = STRING: Ethernet3
 *	IF-MIB::ifInDiscards.3 = Counter32: 5
 *	SNMPv2-MIB::sysName.0 = STRING: leaf1
 * Names come before counters, whatever their order in the file. */
#include <stdlib.h>
#include <string.h>

#include "evidence/evidence_int.h"

/* One line, cut in place. */
struct variable {
	const char *name, *index, *type, *value;
};

static bool parse(char *line, struct variable *v)
{
	char *equals = strstr(line, " = "), *dot, *colon, *mib;

	if (!equals)
		return false;
	*equals = 0;
	dot = strrchr(line, '.');
	colon = strstr(equals + 3, ": ");
	mib = strstr(line, "::");
	if (!dot || !colon || !mib || dot < mib)
		return false;
	*dot = 0;
	*colon = 0;
	*v = (struct variable) { .name = mib + 2,
				 .index = dot + 1,
				 .type = equals + 3,
				 .value = text_trim(colon + 2) };
	return true;
}

/* ifName of each ifIndex. */
struct interfaces {
	struct names by_index;
	char (*name)[EVIDENCE_TEXT];
	size_t n, room;
};

static void add_interface(struct interfaces *all, const struct variable *v)
{
	if (all->n == EVIDENCE_SOURCES_MAX ||
	    !evidence_grow((void **)&all->name, all->n, &all->room,
			   sizeof *all->name))
		return;
	text_keep(all->name[all->n], v->value);
	if (names_add(&all->by_index, v->index, all->n))
		all->n++;
}

static void read_names(struct evidence_part *part, const char *text,
		       struct interfaces *all)
{
	char *copy = strdup(text), *rest = copy, *line;
	struct variable v;

	while (copy && (line = text_line(&rest))) {
		if (!parse(line, &v))
			continue;
		if (!strcmp(v.name, "ifName"))
			add_interface(all, &v);
		else if (!strcmp(v.name, "sysName") &&
			 part->device_by != DEVICE_GIVEN) {
			text_keep(part->device, v.value);
			part->device_by = DEVICE_CONTENT;
		}
	}
	free(copy);
}

static void read_counter(struct evidence_part *part, struct interfaces *all,
			 const struct variable *v)
{
	size_t at = names_find(&all->by_index, v->index);
	char port[EVIDENCE_TEXT];
	struct evidence_of of = OF_PORT(port);

	if (strncmp(v->type, "Counter", 7) != 0)
		return;
	if (at == NAMES_NONE)
		text_keep(port, v->index);
	else
		text_keep(port, all->name[at]);
	put_text(part, &of, v->name, v->value);
}

bool read_snmp(struct evidence_part *part, char *text)
{
	struct interfaces all = { 0 };
	struct variable v;
	char *line;

	if (!strstr(text, "-MIB::"))
		return false;
	read_names(part, text, &all);
	while ((line = text_line(&text)))
		if (parse(line, &v))
			read_counter(part, &all, &v);
	names_fini(&all.by_index);
	free(all.name);
	return true;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * snmpwalk of IF-MIB (RFC 2863), and of what HOST-RESOURCES-MIB (RFC 2790),
 * UCD-SNMP-MIB and ENTITY-SENSOR-MIB (RFC 3433) say of a device, as net-snmp
 * prints it:
 *	IF-MIB::ifName.3 = STRING: Ethernet3
 *	IF-MIB::ifInDiscards.3 = Counter32: 5
 *	SNMPv2-MIB::sysName.0 = STRING: leaf1
 *	HOST-RESOURCES-MIB::hrProcessorLoad.1 = INTEGER: 12
 *	UCD-SNMP-MIB::memTotalReal.0 = INTEGER: 16316412 kB
 *	ENTITY-SENSOR-MIB::entPhySensorType.5 = INTEGER: watts(6)
 * and, where it has no MIBs (as Debian installs it) or is asked for numbers:
 *	iso.3.6.1.2.1.31.1.1.1.1.3 = STRING: "Ethernet3"
 *	.1.3.6.1.2.1.2.2.1.13.3 = Counter32: 5
 * Names come before counters, whatever their order in the file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/evidence_int.h"

/* One line, cut in place. */
struct variable {
	const char *name, *index, *type, *value;
};

/* Below 1.3.6.1, by the MIBs above. */
static const struct {
	const char *oid, *name;
} objects[] = {
	{ "2.1.1.5", "sysName" },
	{ "2.1.2.2.1.2", "ifDescr" },
	{ "2.1.2.2.1.13", "ifInDiscards" },
	{ "2.1.2.2.1.14", "ifInErrors" },
	{ "2.1.2.2.1.19", "ifOutDiscards" },
	{ "2.1.2.2.1.20", "ifOutErrors" },
	{ "2.1.31.1.1.1.1", "ifName" },
	{ "2.1.31.1.1.1.6", "ifHCInOctets" },
	{ "2.1.31.1.1.1.7", "ifHCInUcastPkts" },
	{ "2.1.31.1.1.1.10", "ifHCOutOctets" },
	{ "2.1.31.1.1.1.11", "ifHCOutUcastPkts" },
	{ "2.1.25.3.3.1.2", "hrProcessorLoad" },
	{ "2.1.99.1.1.1.1", "entPhySensorType" },
	{ "2.1.99.1.1.1.2", "entPhySensorScale" },
	{ "2.1.99.1.1.1.3", "entPhySensorPrecision" },
	{ "2.1.99.1.1.1.4", "entPhySensorValue" },
	{ "4.1.2021.4.5", "memTotalReal" },
	{ "4.1.2021.4.6", "memAvailReal" },
	{ "4.1.2021.11.11", "ssCpuIdle" },
};

static const char *below_internet(const char *oid)
{
	static const char *const roots[] = { ".1.3.6.1.", "iso.3.6.1.",
					     "1.3.6.1." };

	for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
		if (!strncmp(oid, roots[i], strlen(roots[i])))
			return oid + strlen(roots[i]);
	return NULL;
}

static bool parse_number(const char *oid, struct variable *v)
{
	for (size_t i = 0; oid && i < sizeof objects / sizeof *objects; i++) {
		size_t n = strlen(objects[i].oid);

		if (strncmp(oid, objects[i].oid, n) != 0 || oid[n] != '.')
			continue;
		v->name = objects[i].name;
		v->index = oid + n + 1;
		return true;
	}
	return false;
}

static bool parse_name(char *line, struct variable *v)
{
	char *mib = strstr(line, "::"), *dot = strrchr(line, '.');

	if (!mib || !dot || dot < mib)
		return false;
	*dot = 0;
	v->name = mib + 2;
	v->index = dot + 1;
	return true;
}

/* Without its MIB a text stands in quotes. */
static char *unquoted(char *text)
{
	size_t n = strlen(text);

	if (n < 2 || *text != '"' || text[n - 1] != '"')
		return text;
	text[n - 1] = 0;
	return text + 1;
}

static bool parse(char *line, struct variable *v)
{
	char *equals = strstr(line, " = "), *colon;

	if (!equals || !(colon = strstr(equals + 3, ": ")))
		return false;
	*equals = 0;
	*colon = 0;
	v->type = equals + 3;
	v->value = unquoted(text_trim(colon + 2));
	return parse_number(below_internet(line), v) || parse_name(line, v);
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

/* Those of entPhySensorTable that measure watts. */
struct sensor {
	bool watts;
	int scale, precision; /* 10^(3 * (scale - 9) - precision) of a unit */
};

struct sensors {
	struct names by_index;
	struct sensor *of;
	size_t n, room;
};

enum {
	WATTS = 6, /* EntitySensorDataType */
	UNITS = 9, /* SensorDataScale */
	DIGITS_MAX = 18,
};

static struct sensor *sensor_of(struct sensors *all, const char *index,
				bool add)
{
	size_t at = names_find(&all->by_index, index);

	if (at != NAMES_NONE)
		return &all->of[at];
	if (!add || all->n == EVIDENCE_SOURCES_MAX ||
	    !evidence_grow((void **)&all->of, all->n, &all->room,
			   sizeof *all->of) ||
	    !names_add(&all->by_index, index, all->n))
		return NULL;
	all->of[all->n] = (struct sensor) { .scale = UNITS };
	return &all->of[all->n++];
}

/* "milli(8)": 8; "1": 1. */
static int enumerated(const char *value)
{
	const char *brace = strchr(value, '(');

	return value_small(brace ? brace + 1 : value);
}

static void read_sensor(struct sensors *all, const struct variable *v)
{
	static const char prefix[] = "entPhySensor";
	const char *what = v->name + sizeof prefix - 1;
	struct sensor *s;

	if (strncmp(v->name, prefix, sizeof prefix - 1) != 0 ||
	    (strcmp(what, "Type") != 0 && strcmp(what, "Scale") != 0 &&
	     strcmp(what, "Precision") != 0) ||
	    !(s = sensor_of(all, v->index, true)))
		return;
	if (*what == 'T')
		s->watts = enumerated(v->value) == WATTS;
	else if (*what == 'S')
		s->scale = enumerated(v->value);
	else
		s->precision = enumerated(v->value);
}

static void put_sensor(struct evidence_part *part, struct sensors *all,
		       const struct variable *v)
{
	const struct sensor *s = sensor_of(all, v->index, false);
	char port[EVIDENCE_TEXT];
	struct evidence_of of = OF_PORT(port);
	int64_t mw;
	int digits;

	if (!s || !s->watts)
		return;
	digits = 3 * (s->scale - UNITS) + 3 - s->precision;
	if (digits < -DIGITS_MAX || digits > DIGITS_MAX ||
	    !value_parse(v->value, 1, &mw)) {
		part->evidence->skipped++;
		return;
	}
	for (; digits < 0; digits++)
		mw /= 10;
	for (; digits > 0; digits--)
		if (__builtin_mul_overflow(mw, 10, &mw)) {
			part->evidence->skipped++;
			return;
		}
	snprintf(port, sizeof port, "sensor %.40s", v->index);
	put_value(part, &of, "entPhySensorValue watts", mw);
}

/* What is of the device itself: a processor each has an index. */
static void read_device(struct evidence_part *part, struct sensors *sensors,
			struct variable *v)
{
	static const char *const names[] = { "hrProcessorLoad", "ssCpuIdle",
					     "memTotalReal", "memAvailReal" };
	char port[EVIDENCE_TEXT], value[EVIDENCE_TEXT];
	struct evidence_of of = OF_PORT(NULL);

	if (!strcmp(v->name, "entPhySensorValue")) {
		put_sensor(part, sensors, v);
		return;
	}
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp(v->name, names[i]) != 0)
			continue;
		if (!i) {
			snprintf(port, sizeof port, "processor %.40s",
				 v->index);
			of.port = port;
		}
		text_keep(value, v->value);
		value[strcspn(value, " ")] = 0; /* "kB" */
		put_text(part, &of, v->name, value);
	}
}

/* What is called |name|, of each interface that has none yet. */
static void read_interfaces(const char *text, const char *name,
			    struct interfaces *all)
{
	char *copy = strdup(text), *rest = copy, *line;
	struct variable v;

	while (copy && (line = text_line(&rest)))
		if (parse(line, &v) && !strcmp(v.name, name))
			add_interface(all, &v);
	free(copy);
}

/* True: a line is of one of these MIBs. */
static bool read_names(struct evidence_part *part, const char *text,
		       struct sensors *sensors)
{
	char *copy = strdup(text), *rest = copy, *line;
	struct variable v;
	bool any = false;

	while (copy && (line = text_line(&rest))) {
		if (!parse(line, &v))
			continue;
		any = true;
		read_sensor(sensors, &v);
		if (!strcmp(v.name, "sysName") &&
		    part->device_by != DEVICE_GIVEN) {
			text_keep(part->device, v.value);
			part->device_by = DEVICE_CONTENT;
		}
	}
	free(copy);
	return any;
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
	struct sensors sensors = { 0 };
	struct variable v;
	char *line;
	bool known;

	if (!strstr(text, "-MIB::") && !strstr(text, ".3.6.1."))
		return false;
	known = read_names(part, text, &sensors);
	if (known) {
		read_interfaces(text, "ifName", &all);
		read_interfaces(text, "ifDescr", &all);
	}
	while (known && (line = text_line(&text)))
		if (parse(line, &v)) {
			read_counter(part, &all, &v);
			read_device(part, &sensors, &v);
		}
	names_fini(&all.by_index);
	free(all.name);
	names_fini(&sensors.by_index);
	free(sensors.of);
	return known;
}

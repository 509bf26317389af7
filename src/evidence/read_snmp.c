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
 * Names come before counters, whatever their order in the file. */
#include <stdio.h>
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
		s->watts = !strncmp(v->value, "watts", 5);
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

static void read_names(struct evidence_part *part, const char *text,
		       struct interfaces *all, struct sensors *sensors)
{
	char *copy = strdup(text), *rest = copy, *line;
	struct variable v;

	while (copy && (line = text_line(&rest))) {
		if (!parse(line, &v))
			continue;
		read_sensor(sensors, &v);
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
	struct sensors sensors = { 0 };
	struct variable v;
	char *line;

	if (!strstr(text, "-MIB::"))
		return false;
	read_names(part, text, &all, &sensors);
	while ((line = text_line(&text)))
		if (parse(line, &v)) {
			read_counter(part, &all, &v);
			read_device(part, &sensors, &v);
		}
	names_fini(&all.by_index);
	free(all.name);
	names_fini(&sensors.by_index);
	free(sensors.of);
	return true;
}

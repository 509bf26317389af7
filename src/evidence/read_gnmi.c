/* SPDX-License-Identifier: GPL-2.0-or-later
 * OpenConfig by gNMI, as gnmic get and gnmic subscribe print it:
 *	{"source": "leaf1:6030", "timestamp": 1653401886216521708, "updates": [
 *	 {"Path": "interfaces/interface[name=Ethernet2]/state/counters/in-pkts",
 *	  "values": {"interfaces/interface/state/counters/in-pkts": 424932}}]}
 * A value may be an object with the counters below its path.  What is known
 * of the device itself has a table of paths.  With --format event the keys of
 * paths are tags:
 *	[{"timestamp": 1653401886216521708,
 *	  "tags": {"interface_name": "Ethernet2", "source": "leaf1:6030"},
 *	  "values": {"/interfaces/interface/state/counters/in-pkts": 4249}}] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/evidence_int.h"

enum {
	PATH_TEXT = 256,
	LEVELS = 4, /* of members below a path */
};

/* What stands behind "|element|[...=" up to "]". */
static bool key_of(const char *path, const char *element,
		   char to[static EVIDENCE_TEXT])
{
	const char *at = strstr(path, element);
	const char *from = at ? strchr(at, '=') : NULL;
	const char *end = from ? strchr(from, ']') : NULL;
	char text[PATH_TEXT];

	if (!end || (size_t)(end - from) > sizeof text)
		return false;
	memcpy(text, from + 1, (size_t)(end - from - 1));
	text[end - from - 1] = 0;
	text_keep(to, text);
	return true;
}

static void put_leaf(struct evidence_part *part, const struct evidence_of *of,
		     const char *path, const json_t *v)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	const char *colon = strchr(name, ':');

	if (json_is_string(v) || json_is_number(v))
		put_json(part, of, colon ? colon + 1 : name, v);
}

/* One level of members is enough for counters of a port. */
static void read_value(struct evidence_part *part, const struct evidence_of *of,
		       const char *path, json_t *v)
{
	const char *name;
	json_t *inner;

	if (!json_is_object(v)) {
		if (strstr(path, "/counters/") || strstr(path, "/queue"))
			put_leaf(part, of, path, v);
		return;
	}
	json_object_foreach(v, name, inner) put_leaf(part, of, name, inner);
}

/* The device is called as its source, without the port. */
static void name_device(char to[static EVIDENCE_TEXT], const json_t *source)
{
	text_keep(to, json_is_string(source) ? json_string_value(source) : "");
	to[strcspn(to, ":")] = 0;
}

static int64_t time_of(const json_t *at)
{
	return json_is_integer(at) && json_integer_value(at) > 0
		       ? json_integer_value(at)
		       : EVIDENCE_UNKNOWN;
}

/* Kinds of leaves that are of a device, or a component of one: openconfig-
 * system-cpus, openconfig-system, openconfig-platform. */
static const struct of_device {
	const char *path, *key, *tag, *kind;
} of_device[] = {
	{ "system/cpus/", "cpu[", "cpu_index", "cpu" },
	{ "/cpu/utilization/", "component[", "component_name", "cpu" },
	{ "system/memory/", NULL, NULL, "memory" },
	{ "/state/memory", "component[", "component_name", "memory" },
	{ "/power-supply/state", "component[", "component_name", "power" },
	{ "/state/used-power", "component[", "component_name", "power" },
};

static const struct of_device *device_leaf(const char *path)
{
	for (size_t i = 0; i < sizeof of_device / sizeof *of_device; i++)
		if (strstr(path, of_device[i].path))
			return &of_device[i];
	return NULL;
}

/* ieeefloat32: four bytes, most significant first, in base64. */
static bool read_float(const char *text, double *value)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t bits = 0;
	float real;

	if (strlen(text) != 8 || text[6] != '=' || text[7] != '=')
		return false;
	for (int i = 0; i < 6; i++) {
		const char *at = strchr(digits, text[i]);

		if (!at)
			return false;
		/* of the last one, two bits are of the number */
		bits = i < 5 ? bits << 6 | (uint32_t)(at - digits)
			     : bits << 2 | (uint32_t)(at - digits) >> 4;
	}
	memcpy(&real, &bits, sizeof real);
	*value = (double)real;
	return true;
}

/* Leaves below |v|, which is called |name|, of a device. */
static void read_leaves(struct evidence_part *part,
			const struct evidence_of *of, const char *kind,
			const char *name, json_t *v, int depth)
{
	const char *slash = strrchr(name, '/'), *colon, *below;
	char leaf[EVIDENCE_TEXT];
	double value;
	json_t *inner;

	if (json_is_object(v)) {
		if (depth < LEVELS)
			json_object_foreach(v, below, inner) read_leaves(
				part, of, kind, below, inner, depth + 1);
		return;
	}
	name = slash ? slash + 1 : name;
	colon = strchr(name, ':');
	snprintf(leaf, sizeof leaf, "%s %s", kind, colon ? colon + 1 : name);
	if (json_is_string(v) && read_float(json_string_value(v), &value)) {
		inner = json_real(value);
		put_json(part, of, leaf, inner);
		json_decref(inner);
	} else if (json_is_string(v) || json_is_number(v)) {
		put_json(part, of, leaf, v);
	}
}

static void read_device(struct evidence_part *part, struct evidence_of *of,
			json_t *update, const char *path)
{
	char port[EVIDENCE_TEXT];
	const char *name;
	json_t *v;

	const struct of_device *d = device_leaf(path);

	if (!d)
		return;
	of->port = d->key && key_of(path, d->key, port) ? port : NULL;
	of->priority = -1;
	json_object_foreach(json_object_get(update, "values"), name, v)
		read_leaves(part, of, d->kind, name, v, 0);
}

static void read_update(struct evidence_part *part, struct evidence_of *of,
			json_t *update)
{
	const char *path = json_string_value(json_object_get(update, "Path"));
	char port[EVIDENCE_TEXT], queue[EVIDENCE_TEXT];
	const char *name;
	json_t *v;

	if (!path)
		return;
	if (!key_of(path, "interface[", port) &&
	    !key_of(path, "interface-ref[", port)) {
		read_device(part, of, update, path);
		return;
	}
	of->port = port;
	of->priority = key_of(path, "queue[", queue) && strlen(queue) < 4
			       ? value_small(queue)
			       : -1;
	json_object_foreach(json_object_get(update, "values"), name, v)
		read_value(part, of, name, v);
}

/* The tag |name| of an event; NULL: it has none. */
static const char *tag(const json_t *tags, const char *name)
{
	return json_string_value(json_object_get(tags, name));
}

static bool read_event(struct evidence_part *part, json_t *o)
{
	json_t *tags = json_object_get(o, "tags"), *v;
	json_t *values = json_object_get(o, "values");
	const char *port = tag(tags, "interface_name"), *name;
	const char *queue = tag(tags, "queue_name");
	char device[EVIDENCE_TEXT] = "";
	struct evidence_of of = OF_PORT(port);

	if (!json_is_object(tags) || !json_is_object(values))
		return false;
	name_device(device, json_object_get(tags, "source"));
	of.device = device;
	of.at_ns = time_of(json_object_get(o, "timestamp"));
	if (queue && strlen(queue) < 4)
		of.priority = value_small(queue);
	json_object_foreach(values, name, v)
	{
		const struct of_device *d = port ? NULL : device_leaf(name);

		if (port) {
			read_value(part, &of, name, v);
		} else if (d) {
			of.port = d->tag ? tag(tags, d->tag) : NULL;
			read_leaves(part, &of, d->kind, name, v, 0);
		}
	}
	return true;
}

static bool read_notification(struct evidence_part *part, json_t *o)
{
	json_t *updates = json_object_get(o, "updates"), *update;
	char device[EVIDENCE_TEXT] = "";
	struct evidence_of of = OF_PORT(NULL);
	size_t i;

	if (!json_is_array(updates))
		return json_object_get(o, "sync-response") ||
		       read_event(part, o);
	name_device(device, json_object_get(o, "source"));
	of.device = device;
	of.at_ns = time_of(json_object_get(o, "timestamp"));
	json_array_foreach(updates, i, update) read_update(part, &of, update);
	return true;
}

bool read_gnmi(struct evidence_part *part, json_t *document)
{
	bool any = false;
	json_t *o;
	size_t i;

	if (json_is_object(document))
		return read_notification(part, document);
	json_array_foreach(document, i, o) any |= read_notification(part, o);
	return any;
}

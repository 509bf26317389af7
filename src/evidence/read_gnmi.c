/* SPDX-License-Identifier: GPL-2.0-or-later
 * OpenConfig by gNMI, as gnmic get and gnmic subscribe print it:
 *	{"source": "leaf1:6030", "timestamp": 1653401886216521708, "updates": [
 *	 {"Path": "interfaces/interface[name=Ethernet2]/state/counters/in-pkts",
 *	  "values": {"interfaces/interface/state/counters/in-pkts": 424932}}]}
 * A value may be an object with the counters below its path, and "prefix" is
 * in front of all paths.  With --format event it is flat:
 *	[{"name": "x", "timestamp": 1653401886216521708,
 *	  "tags": {"interface_name": "Ethernet2", "source": "leaf1:6030"},
 *	  "values": {"/interfaces/interface/state/counters/in-pkts": 424932}}]
 * What is known of the device itself has a table of paths. */
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
			const char *prefix, json_t *update)
{
	const char *tail = json_string_value(json_object_get(update, "Path"));
	char port[EVIDENCE_TEXT], queue[EVIDENCE_TEXT], path[2 * PATH_TEXT];
	const char *name;
	json_t *v;

	if (!tail || (size_t)snprintf(path, sizeof path, "%s%s%s", prefix,
				      *prefix ? "/" : "", tail) >= sizeof path)
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

/* Members of |o|: none is "". */
static const char *text_of(const json_t *o, const char *name)
{
	const char *text = json_string_value(json_object_get(o, name));

	return text ? text : "";
}

/* An event: keys of the path are tags ELEMENT_KEY. */
static bool read_event(struct evidence_part *part, struct evidence_of *of,
		       const json_t *o)
{
	json_t *tags = json_object_get(o, "tags"), *v;
	json_t *values = json_object_get(o, "values");
	const char *port = text_of(tags, "interface_name"), *name;
	const char *queue = text_of(tags, "queue_name");
	char device[EVIDENCE_TEXT];

	if (!json_is_object(tags) || !json_is_object(values))
		return false;
	if (!*port)
		port = text_of(tags, "interface-ref_interface");
	text_keep(device, text_of(tags, "source"));
	device[strcspn(device, ":")] = 0;
	of->device = device;
	of->port = port;
	of->priority = *queue && strlen(queue) < 4 ? value_small(queue) : -1;
	json_object_foreach(values, name, v)
	{
		const struct of_device *d = *port ? NULL : device_leaf(name);

		if (*port) {
			read_value(part, of, name, v);
		} else if (d) {
			of->port = d->tag ? text_of(tags, d->tag) : NULL;
			read_leaves(part, of, d->kind, name, v, 0);
		}
	}
	return true;
}

static bool read_notification(struct evidence_part *part, json_t *o)
{
	json_t *updates = json_object_get(o, "updates"), *update;
	const json_t *at = json_object_get(o, "timestamp");
	const char *source = json_string_value(json_object_get(o, "source"));
	char device[EVIDENCE_TEXT] = "";
	struct evidence_of of = OF_PORT(NULL);
	size_t i;

	if (json_is_integer(at) && json_integer_value(at) > 0)
		of.at_ns = json_integer_value(at);
	if (!json_is_array(updates))
		return json_object_get(o, "sync-response") ||
		       read_event(part, &of, o);
	if (source)
		text_keep(device, source);
	device[strcspn(device, ":")] = 0;
	of.device = device;
	json_array_foreach(updates, i, update)
		read_update(part, &of, text_of(o, "prefix"), update);
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

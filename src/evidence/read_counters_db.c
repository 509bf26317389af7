/* SPDX-License-Identifier: GPL-2.0-or-later
 * SONiC: sonic-db-dump -n COUNTERS_DB -y (redis-dump):
 *	{"COUNTERS_PORT_NAME_MAP": {"value": {"Ethernet0": "oid:0x1..."}, ...},
 *	 "COUNTERS:oid:0x1...": {"value": {"SAI_PORT_STAT_...": "0"}, ...}}
 * with maps of queues and priority groups, "Ethernet0:3", likewise.
 * Watermarks are of tables USER_WATERMARKS and PERSISTENT_WATERMARKS. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/evidence_int.h"

/* Members of |document|, with or without what redis-dump puts around. */
static json_t *table(const json_t *document, const char *name)
{
	json_t *o = json_object_get(document, name);
	json_t *value = json_object_get(o, "value");

	return value ? value : o;
}

static void read_object(struct evidence_part *part, json_t *counters,
			const struct evidence_of *of)
{
	const char *name;
	json_t *v;

	json_object_foreach(counters, name, v)
	{
		if (!strncmp(name, "SAI_", 4))
			put_json(part, of, name, v);
	}
}

/* "Ethernet0", "Ethernet0:3" */
static void read_named(struct evidence_part *part, const json_t *document,
		       const char *name, const char *oid)
{
	static const char *const tables[] = { "COUNTERS", "USER_WATERMARKS" };
	char key[2 * EVIDENCE_TEXT], port[EVIDENCE_TEXT];
	struct evidence_of of = OF_PORT(port);
	const char *colon = strrchr(name, ':');

	text_keep(port, name);
	if (colon && strlen(name) < EVIDENCE_TEXT) {
		port[colon - name] = 0;
		of.priority = (int)strtol(colon + 1, NULL, 10) & 0xff;
	}
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		snprintf(key, sizeof key, "%s:%s", tables[i], oid);
		read_object(part, table(document, key), &of);
	}
}

/* Is |oid| of another name already?  An object has one, and must not be read
 * as often as a file names it. */
static bool is_named(struct names *named, const char *oid)
{
	return names_find(named, oid) != NAMES_NONE ||
	       !names_add(named, oid, 0);
}

bool read_counters_db(struct evidence_part *part, json_t *document)
{
	static const char *const maps[] = { "COUNTERS_PORT_NAME_MAP",
					    "COUNTERS_QUEUE_NAME_MAP",
					    "COUNTERS_PG_NAME_MAP" };
	struct names named = { 0 };
	bool any = false;

	for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
		json_t *map = table(document, maps[i]), *oid;
		const char *name;

		any |= json_is_object(map);
		json_object_foreach(map, name, oid)
		{
			if (json_is_string(oid) &&
			    !is_named(&named, json_string_value(oid)))
				read_named(part, document, name,
					   json_string_value(oid));
		}
	}
	names_fini(&named);
	return any;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * SONiC: show interfaces counters -j, show queue counters -j (sonic-utilities,
 * scripts/portstat, scripts/queuestat):
 *	{"Ethernet0": {"RX_OK": "1,024", "RX_DRP": "0", ...}, ...}
 *	{"Ethernet0": {"UC3": {"totalpacket": "7", "droppacket": "0"}}, ...} */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/evidence_int.h"

/* "UC3", "MC10", "ALL2" */
static int queue_number(const char *name)
{
	const char *at = name + strcspn(name, "0123456789");

	return isdigit((unsigned char)*at) && strlen(at) < 4 ? value_small(at)
							     : -1;
}

static void read_queue(struct evidence_part *part, const char *port,
		       const char *queue, json_t *o)
{
	struct evidence_of of = OF_PORT(port);
	const char *name;
	json_t *v;

	of.priority = queue_number(queue);
	json_object_foreach(o, name, v)
	{
		/* of a queue, not of the port */
		if (!strcmp(name, "droppacket"))
			put_json(part, &of, name, v);
	}
}

/* Rates and states are no counters. */
static bool is_count(const char *name)
{
	return strlen(name) > 3 &&
	       (!strncmp(name, "RX_", 3) || !strncmp(name, "TX_", 3)) &&
	       !strstr(name, "BPS") && !strstr(name, "PPS") &&
	       !strstr(name, "UTIL");
}

static void read_port(struct evidence_part *part, const char *port, json_t *o)
{
	struct evidence_of of = OF_PORT(port);
	const char *name;
	json_t *v;

	json_object_foreach(o, name, v)
	{
		if (json_is_object(v))
			read_queue(part, port, name, v);
		else if (is_count(name))
			put_json(part, &of, name, v);
	}
}

static bool is_port(const json_t *o)
{
	const char *name;
	json_t *v;

	if (json_object_get(o, "RX_OK"))
		return true;
	json_object_foreach((json_t *)(uintptr_t)o, name, v)
	{
		if (json_object_get(v, "droppacket"))
			return true;
	}
	return false;
}

bool read_sonic(struct evidence_part *part, json_t *document)
{
	const char *port;
	bool any = false;
	json_t *o;

	json_object_foreach(document, port, o)
	{
		if (!is_port(o))
			continue;
		read_port(part, port, o);
		any = true;
	}
	return any;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * SONiC: show interfaces counters -j, show queue counters -j (sonic-utilities,
 * scripts/portstat, scripts/queuestat):
 *	{"Ethernet0": {"RX_OK": "1,024", "RX_DRP": "0", ...}, ...}
 *	{"Ethernet0": {"UC3": {"totalpacket": "7", "droppacket": "0"}}, ...}
 * show pfc counters (scripts/pfcstat), two tables:
 *	    Port Rx    PFC0    PFC1 ...
 *	-----------  ------  ------
 *	  Ethernet0       0   1,024 ... */
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
	       (!strncmp(name, "RX_", 3) || !strncmp(name, "TX_", 3) ||
		!strcmp(name, "FEC_UNCORR")) &&
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

	/* counters; counters errors; counters fec-stats */
	if (json_object_get(o, "RX_OK") || json_object_get(o, "RX_ERR") ||
	    json_object_get(o, "FEC_UNCORR"))
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

/* ---- show pfc counters ---- */

bool read_pfcstat(struct evidence_part *part, char *text)
{
	static const char *const titles[] = { "Port Rx", "Port Tx" };
	const char *name = NULL;
	char *line;

	text += strspn(text, " \t\r\n");
	if ((strncmp(text, titles[0], strlen(titles[0])) != 0 &&
	     strncmp(text, titles[1], strlen(titles[1])) != 0) ||
	    !strstr(text, "PFC0"))
		return false;
	while ((line = text_line(&text))) {
		char *rest = NULL, *port, *value;
		struct evidence_of of;

		for (size_t i = 0; i < 2; i++)
			if (!strncmp(line, titles[i], strlen(titles[i]))) {
				name = titles[i];
				*line = '-'; /* a heading, no row */
			}
		port = strtok_r(line, " \t", &rest);
		if (!port || *port == '-')
			continue;
		of = OF_PORT(port);
		for (of.priority = 0;
		     of.priority < 8 && (value = strtok_r(NULL, " \t", &rest));
		     of.priority++)
			put_text(part, &of, name, value);
	}
	return true;
}

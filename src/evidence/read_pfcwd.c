/* SPDX-License-Identifier: GPL-2.0-or-later
 * SONiC: pfcwd show stats (sonic-utilities, pfcwd/main.py), a table:
 *	QUEUE        STATUS  STORM DETECTED/RESTORED  TX OK/DROP  RX OK/DROP ...
 *	Ethernet0:3  stormed                     1/0     100/300     100/300
 * and with -j, where there is one, an object of the same rows
 * (utilities_common/netstat.py, table_as_json()):
 *	{"Ethernet0:3": {"STATUS": "stormed", "STORM DETECTED/RESTORED": "1/0",
 *	 "TX OK/DROP": "100/300", ...}, ...} */
#include <stdlib.h>
#include <string.h>

#include "evidence/evidence_int.h"

#define STORM "STORM DETECTED/RESTORED"

/* The second of "100/300", or the first. */
static void put_half(struct evidence_part *part, const struct evidence_of *of,
		     const char *pair, const char *first, const char *second)
{
	char text[EVIDENCE_TEXT];
	char *slash;

	text_keep(text, pair ? pair : "");
	slash = strchr(text, '/');
	if (!slash)
		return;
	*slash = 0;
	if (first)
		put_text(part, of, first, text);
	put_text(part, of, second, slash + 1);
}

/* |queue| is "Ethernet0:3"; each of the others a pair, or NULL. */
static void put_queue(struct evidence_part *part, const char *queue,
		      const char *storm, const char *tx, const char *rx)
{
	const char *colon = strrchr(queue, ':');
	char port[EVIDENCE_TEXT];
	struct evidence_of of = OF_PORT(port);

	if (!colon || (size_t)(colon - queue) >= sizeof port)
		return;
	memcpy(port, queue, (size_t)(colon - queue));
	port[colon - queue] = 0;
	of.priority = value_small(colon + 1) & 0xff;
	put_half(part, &of, storm, "storm detected", "storm restored");
	put_half(part, &of, tx, NULL, "tx drop");
	put_half(part, &of, rx, NULL, "rx drop");
}

static void read_row(struct evidence_part *part, char *line)
{
	char *rest = NULL, *queue = strtok_r(line, " \t", &rest);
	char *status = strtok_r(NULL, " \t", &rest);
	char *storm = strtok_r(NULL, " \t", &rest);
	char *tx = strtok_r(NULL, " \t", &rest);
	char *rx = strtok_r(NULL, " \t", &rest);

	if (queue && status && storm && tx && rx)
		put_queue(part, queue, storm, tx, rx);
}

bool read_pfcwd(struct evidence_part *part, char *text)
{
	const char *title = strstr(text, STORM);
	const char *queue = strstr(text, "QUEUE");
	char *line;

	if (!title || !queue || queue > title)
		return false;
	while ((line = text_line(&text)))
		read_row(part, line);
	return true;
}

bool read_pfcwd_json(struct evidence_part *part, json_t *document)
{
	const char *queue;
	bool any = false;
	json_t *o;

	json_object_foreach(document, queue, o)
	{
		const char *storm =
			json_string_value(json_object_get(o, STORM));

		if (!storm)
			continue;
		put_queue(part, queue, storm,
			  json_string_value(json_object_get(o, "TX OK/DROP")),
			  json_string_value(json_object_get(o, "RX OK/DROP")));
		any = true;
	}
	return any;
}

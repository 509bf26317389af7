/* SPDX-License-Identifier: GPL-2.0-or-later
 * SONiC: pfcwd show stats (sonic-utilities, pfcwd/main.py), a table:
 *	QUEUE        STATUS  STORM DETECTED/RESTORED  TX OK/DROP  RX OK/DROP ...
 *	Ethernet0:3  stormed                     1/0     100/300     100/300 */
#include <stdlib.h>
#include <string.h>

#include "evidence/evidence_int.h"

/* The second of "100/300", or the first. */
static void put_half(struct evidence_part *part, const struct evidence_of *of,
		     const char *pair, const char *first, const char *second)
{
	char text[EVIDENCE_TEXT];
	char *slash;

	text_keep(text, pair);
	slash = strchr(text, '/');
	if (!slash)
		return;
	*slash = 0;
	if (first)
		put_text(part, of, first, text);
	put_text(part, of, second, slash + 1);
}

static void read_row(struct evidence_part *part, char *line)
{
	char *rest = NULL, *queue = strtok_r(line, " \t", &rest);
	char *colon = queue ? strchr(queue, ':') : NULL;
	char *status = strtok_r(NULL, " \t", &rest);
	char *storm = strtok_r(NULL, " \t", &rest);
	char *tx = strtok_r(NULL, " \t", &rest);
	char *rx = strtok_r(NULL, " \t", &rest);
	struct evidence_of of;

	if (!colon || !status || !storm || !tx || !rx)
		return;
	*colon = 0;
	of = OF_PORT(queue);
	of.priority = value_small(colon + 1) & 0xff;
	put_half(part, &of, storm, "storm detected", "storm restored");
	put_half(part, &of, tx, NULL, "tx drop");
	put_half(part, &of, rx, NULL, "rx drop");
}

bool read_pfcwd(struct evidence_part *part, char *text)
{
	const char *title = strstr(text, "STORM DETECTED/RESTORED");
	const char *queue = strstr(text, "QUEUE");
	char *line;

	if (!title || !queue || queue > title)
		return false;
	while ((line = text_line(&text)))
		read_row(part, line);
	return true;
}

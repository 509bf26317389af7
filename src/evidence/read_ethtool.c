/* SPDX-License-Identifier: GPL-2.0-or-later
 * ethtool -S INTERFACE (ethtool.c, do_gstats):
 *	NIC statistics:
 *	     rx_packets: 0
 * The interface is not in it: the header line or the name of the file has it.
 */
#include <string.h>

#include "evidence/evidence_int.h"

bool read_ethtool(struct evidence_part *part, char *text)
{
	static const char title[] = "NIC statistics:";
	const struct evidence_of of = OF_PORT(NULL);
	char *line;

	text += strspn(text, " \t\r\n");
	if (strncmp(text, title, sizeof title - 1) != 0)
		return false;
	while ((line = text_line(&text))) {
		char *colon = strrchr(line, ':');

		if (!colon)
			continue;
		*colon = 0;
		if (colon[1])
			put_text(part, &of, text_trim(line),
				 text_trim(colon + 1));
	}
	return true;
}

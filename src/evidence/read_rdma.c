/* SPDX-License-Identifier: GPL-2.0-or-later
 * rdma statistic show (iproute2, rdma/stat.c), with -j:
 *	[{"ifname":"mlx5_0","port":1,"rx_write_requests":0,...},...]
 * and without:
 *	link mlx5_0/1 rx_write_requests 0 rx_read_requests 0 ... */
#include <string.h>

#include "evidence/evidence_int.h"

static bool is_link(const json_t *o)
{
	return json_is_string(json_object_get(o, "ifname")) &&
	       json_is_integer(json_object_get(o, "port"));
}

static void read_link(struct evidence_part *part, json_t *o)
{
	struct evidence_of of =
		OF_PORT(json_string_value(json_object_get(o, "ifname")));
	const char *name;
	json_t *v;

	json_object_foreach(o, name, v)
	{
		/* counters bound to queue pairs are not those of the port */
		if (strcmp(name, "port") != 0 && strcmp(name, "cntn") != 0 &&
		    json_is_integer(v))
			put_json(part, &of, name, v);
	}
}

bool read_rdma_json(struct evidence_part *part, json_t *document)
{
	json_t *o;
	size_t i;

	if (!json_is_array(document) || !is_link(json_array_get(document, 0)))
		return false;
	json_array_foreach(document, i, o)
	{
		if (is_link(o) && !json_object_get(o, "cntn"))
			read_link(part, o);
	}
	return true;
}

static void read_words(struct evidence_part *part, char *line)
{
	char *rest = NULL, *port = strtok_r(line, " \t", &rest), *name, *value;
	struct evidence_of of;

	if (!port)
		return;
	port[strcspn(port, "/")] = 0;
	of = OF_PORT(port);
	while ((name = strtok_r(NULL, " \t", &rest)) &&
	       (value = strtok_r(NULL, " \t", &rest)))
		put_text(part, &of, name, value);
}

bool read_rdma(struct evidence_part *part, char *text)
{
	char *line;

	text += strspn(text, " \t\r\n");
	if (strncmp(text, "link ", 5) != 0)
		return false;
	while ((line = text_line(&text)))
		if (!strncmp(line, "link ", 5))
			read_words(part, line + 5);
	return true;
}

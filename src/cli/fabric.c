/* SPDX-License-Identifier: GPL-2.0-or-later
 * Options that say what the fabric is like. */
#include "cli/fabric.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"

static bool parse(const char *text, unsigned long most, uint16_t *out)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	*out = (uint16_t)value;
	return *text >= '0' && *text <= '9' && !*end && value && value <= most;
}

/* All of option |name| into |out|, in the place of what stands there. */
static int numbers(const struct args *a, const char *name, unsigned long most,
		   uint16_t out[static TOPOLOGY_NUMBERS], struct err *err)
{
	const char *text;
	uint16_t value;
	size_t i = 0, n = 0;

	while ((text = args_next(a, name, &i))) {
		if (n == TOPOLOGY_NUMBERS)
			return err_set(err, ERR_USAGE, "--%s: at most %d", name,
				       TOPOLOGY_NUMBERS);
		if (!parse(text, most, &value))
			return err_set(
				err, ERR_USAGE,
				"--%s: \"%s\" is not a number from 1 to %lu",
				name, text, most);
		if (!n)
			memset(out, 0, TOPOLOGY_NUMBERS * sizeof *out);
		out[n++] = value;
	}
	return 0;
}

int fabric_read(const struct args *a, struct topology **t, struct err *err)
{
	const char *path = args_value(a, "topology");
	struct topology_numbers *n;

	*t = NULL;
	if (!path && !args_has(a, "uet-port") && !args_has(a, "uet-protocol"))
		return 0;
	*t = path ? topology_read(path, err) : topology_parse("", "", 0, err);
	if (!*t)
		return -1;
	n = &(*t)->numbers;
	if (numbers(a, "uet-port", UINT16_MAX, n->uet_ports, err) < 0)
		return -1;
	return numbers(a, "uet-protocol", UINT8_MAX, n->uet_protocols, err);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * What others counted and logged, as the command line names it. */
#include "cli/witness.h"

#include <string.h>
#include <unistd.h>

struct evidence *witness_new(const struct args *a, struct err *err)
{
	const char *names = args_value(a, "counter-names");
	const char *topology = args_value(a, "topology");
	struct evidence *e = evidence_new();

	if (!e) {
		err_set(err, ERR_MEMORY, "out of memory");
		return NULL;
	}
	if (topology)
		evidence_apart(e, topology);
	if (names)
		evidence_apart(e, names);
	if (!names || !evidence_names(e, names, err))
		return e;
	evidence_free(e);
	return NULL;
}

int witness_read(struct evidence *e, const char *text, struct err *err)
{
	const char *equals = strchr(text, '=');
	char device[EVIDENCE_TEXT] = "";

	if (!equals || equals == text || !access(text, F_OK) ||
	    (size_t)(equals - text) >= sizeof device)
		return evidence_read(e, text, NULL, err);
	memcpy(device, text, (size_t)(equals - text));
	return evidence_read(e, equals + 1, device, err);
}

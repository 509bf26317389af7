/* SPDX-License-Identifier: GPL-2.0-or-later
 * Counters, logs, configuration and samples: all readers.  The first byte
 * chooses a name, for a tree of sysfs says by its path what its files are. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "evidence/evidence.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const paths[] = {
		"h1.before.json",
		"h1/sys/class/infiniband/a/ports/1/hw_counters/np_cnp_sent",
		"h1/infiniband/a/ports/1/gids/0",
		"after/net/eth0/address",
	};
	struct evidence *e = evidence_new();
	char *text = size ? malloc(size) : NULL;

	if (e && text) {
		memcpy(text, data + 1, size - 1);
		text[size - 1] = 0;
		evidence_read_text(e, paths[*data % 4], *data & 8 ? "d" : NULL,
				   text, size - 1);
	}
	free(text);
	evidence_free(e);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Where a capture can be cut. */
#include "cuts.h"

#include <stdio.h>
#include <stdlib.h>

#include "capture/bytes.h"

enum {
	LONGEST = 1 << 26,
	PCAP_HEAD = 24,
	PCAP_RECORD = 16,
	FRAMING = 12,
};

static size_t length_at(const struct whole *w, size_t at, bool ng, bool *packet)
{
	uint32_t type = bytes_u32(w->p + at, false);

	*packet = !ng || type == 6 || type == 3 || type == 2;
	return ng ? bytes_u32(w->p + at + 4, false)
		  : PCAP_RECORD + bytes_u32(w->p + at + 8, false);
}

static bool divide(struct whole *w)
{
	const bool ng = bytes_u32(w->p, false) == 0x0a0d0d0a;
	const size_t least = ng ? FRAMING : PCAP_RECORD;
	size_t at = ng ? 0 : PCAP_HEAD;
	bool packet = false;

	w->v = calloc(w->n / least + 2, sizeof *w->v);
	while (w->v && at + least <= w->n) {
		size_t length = length_at(w, at, ng, &packet);

		if (length < least || length > w->n - at)
			return false;
		if (packet && !w->n_places) {
			w->head = at;
			w->v[w->n_places++] = (struct place) { at, false };
		}
		at += length;
		if (w->n_places)
			w->v[w->n_places++] = (struct place) { at, packet };
	}
	return w->v && w->n_places && at == w->n;
}

bool cuts_load(struct whole *w, const char *path)
{
	FILE *f = fopen(path, "rb");

	*w = (struct whole) { .p = malloc(LONGEST) };
	w->n = f && w->p ? fread(w->p, 1, LONGEST, f) : 0;
	if (f)
		fclose(f);
	return w->n > PCAP_HEAD + FRAMING && w->n < LONGEST && divide(w);
}

void cuts_free(struct whole *w)
{
	free(w->p);
	free(w->v);
}

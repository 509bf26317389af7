/* SPDX-License-Identifier: GPL-2.0-or-later
 * Does the record add up? */
#include <inttypes.h>

#include "simulate/truth_int.h"
#include "simulate/world.h"

static uint64_t in_flight(const struct sim *s, const struct stream *st,
			  unsigned class)
{
	uint64_t n = 0;

	for (const struct pkt *p = s->pool.all; p; p = p->older)
		n += p->live && p->stream == st && p->class == class;
	return n;
}

unsigned truth_check(const struct sim *s, FILE *f)
{
	const struct truth *t = s->truth;
	unsigned wrong = 0;

	for (size_t i = 0; i < t->streams.n; i++) {
		const struct stream *st = t->streams.row[i];

		for (unsigned k = 0; k < PKT_CLASSES; k++) {
			const struct class_count *c = &st->count[k];
			uint64_t flying = c->sent ? in_flight(s, st, k) : 0;

			if (c->sent == c->delivered + c->dropped + flying)
				continue;
			wrong++;
			fprintf(f,
				"flow %u %s: sent %" PRIu64
				" is not delivered %" PRIu64
				" + dropped %" PRIu64 " + in flight %" PRIu64
				"\n",
				st->id, truth_class_names[k], c->sent,
				c->delivered, c->dropped, flying);
		}
	}
	return wrong;
}

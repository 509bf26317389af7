/* SPDX-License-Identifier: GPL-2.0-or-later
 * How do the clocks of the taps go?  Read file by file: their times are not to
 * be trusted yet, so there is no order to merge them in. */
#include "run/clocks.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "decode/packet.h"
#include "flow/multitap/clocks.h"
#include "run/frame.h"
#include "store/store.h"

/* One file that shows one tap after so many packets will hardly show more. */
enum { LOOK_FOR_TAPS = 1 << 12 };

static bool regular(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

static bool all_regular(const struct capture_input *inputs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!regular(inputs[i].kept ? inputs[i].kept : inputs[i].path))
			return false;
	return true;
}

/* Taps of |c|, the only file of which is |file|, under numbers of ours. */
static bool meet_taps(struct run_clocks *r, const struct capture *c,
		      uint32_t file, size_t *met)
{
	for (; *met < capture_taps(c); ++*met) {
		void *more =
			reallocarray(r->taps, r->n_taps + 1, sizeof *r->taps);

		if (!more)
			return false;
		r->taps = more;
		r->taps[r->n_taps].file = file;
		r->taps[r->n_taps].ordinal = capture_tap_ordinal(c, *met);
		clocks_tap(r->clocks, (uint32_t)r->n_taps++, file);
	}
	return true;
}

/* The ICRC is worth its price for what is kept. */
static void look_at(struct run_clocks *r, const struct frame *f,
		    uint32_t first_tap, const struct decode_options *decode,
		    const struct decode_options *quick)
{
	struct packet p;

	frame_decode(f, quick, &p);
	p.tap += first_tap;
	if (!clocks_wants(r->clocks, &p))
		return;
	frame_decode(f, decode, &p);
	p.tap += first_tap;
	clocks_look(r->clocks, &p);
}

static void look_through(struct run_clocks *r, struct capture *c, uint32_t file,
			 bool alone, const struct decode_options *decode)
{
	struct decode_options quick = *decode;
	uint32_t first_tap = (uint32_t)r->n_taps;
	const struct frame *f;
	uint64_t seen = 0;
	size_t met = 0;
	int n;

	quick.skip_icrc = true;
	while ((n = capture_next(c, &f, NULL)) > 0) {
		if (!meet_taps(r, c, file, &met))
			return;
		for (int i = 0; i < n; i++)
			look_at(r, &f[i], first_tap, decode, &quick);
		seen += (uint64_t)n;
		if (alone && seen >= LOOK_FOR_TAPS && met < 2)
			return;
	}
	meet_taps(r, c, file, &met);
}

static void make_shifts(struct run_clocks *r)
{
	r->shifts = calloc(r->n_parts + 1, sizeof *r->shifts);
	for (size_t i = 0; r->shifts && i < r->n_parts; i++) {
		const struct clock_part *p = &r->parts[i];

		if (p->applied)
			r->shifts[r->n_shifts++] = (struct capture_shift) {
				.file = r->taps[p->tap].file,
				.ordinal = r->taps[p->tap].ordinal,
				.from_frame = p->from_frame,
				.at_ns = p->at_ns,
				.offset_ns = p->offset_ns,
				.drift = p->drift
			};
	}
}

void run_clocks_look(struct run_clocks *r, const struct capture_input *inputs,
		     size_t n, const struct capture_options *how,
		     const struct decode_options *decode)
{
	if (!all_regular(inputs, n)) {
		r->once = true;
		return;
	}
	r->clocks = clocks_new();
	for (size_t i = 0; r->clocks && i < n; i++) {
		struct capture *c = capture_open(&inputs[i], 1, how, NULL);

		if (c)
			look_through(r, c, (uint32_t)i, n == 1, decode);
		capture_free(c);
	}
	if (!r->clocks)
		return;
	r->parts = clocks_solve(r->clocks, &r->n_parts);
	make_shifts(r);
}

void run_clocks_fini(struct run_clocks *r)
{
	clocks_free(r->clocks);
	free(r->taps);
	free(r->shifts);
	*r = (struct run_clocks) { 0 };
}

int64_t run_clocks_time(const struct run_clocks *r, uint32_t file,
			uint32_t ordinal, int64_t ns, bool end)
{
	const struct clock_part *found = NULL;

	for (size_t i = 0; i < r->n_parts; i++) {
		const struct clock_part *p = &r->parts[i];

		if (r->taps[p->tap].file == file &&
		    r->taps[p->tap].ordinal == ordinal && (end || !found))
			found = p;
	}
	return found ? clock_correct(found, ns) : ns;
}

/* ---- rows ---- */

static uint32_t tap_of(const struct run_clocks *r, const struct capture *c,
		       uint32_t ours)
{
	for (size_t i = 0; i < capture_taps(c); i++)
		if (capture_tap(c, i)->file == r->taps[ours].file &&
		    capture_tap_ordinal(c, i) == r->taps[ours].ordinal)
			return (uint32_t)i;
	return UINT32_MAX;
}

static int64_t whole(double v)
{
	return fabs(v) < 9e18 ? llround(v) : FACT_UNKNOWN;
}

void run_clocks_tell(const struct run_clocks *r, const struct capture *c,
		     struct store *s)
{
	uint32_t part = 0, last = UINT32_MAX;

	for (size_t i = 0; r->n_parts > 1 && i < r->n_parts; i++) {
		const struct clock_part *p = &r->parts[i];
		bool known = p->method != CLOCK_NONE;
		struct fact_clock f = {
			.tap = tap_of(r, c, p->tap),
			.reference = tap_of(r, c, p->reference),
			.against = tap_of(r, c, p->against),
			.method = clock_method_names[p->method],
			.from_frame = p->from_frame,
			.from_ns = p->from_frame ? p->from_ns : FACT_UNKNOWN,
			.at_ns = p->packets ? p->at_ns : FACT_UNKNOWN,
			.offset_ns = known ? p->offset_ns : FACT_UNKNOWN,
			.drift_ppb = known ? whole(p->drift) : FACT_UNKNOWN,
			.drift_low_ppb =
				p->packets ? whole(p->drift_low) : FACT_UNKNOWN,
			.drift_high_ppb = p->packets ? whole(p->drift_high)
						     : FACT_UNKNOWN,
			.error_ns =
				known ? whole(ceil(p->error_ns)) : FACT_UNKNOWN,
			.against_error_ns =
				known ? whole(ceil(p->against_error_ns))
				      : FACT_UNKNOWN,
			.packets = p->packets,
			.applied = p->applied,
			.why = p->why,
		};

		part = p->tap == last ? part + 1 : 1;
		last = p->tap;
		f.part = part;
		if (f.tap != UINT32_MAX)
			store_clock(s, &f);
	}
}

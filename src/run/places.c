/* SPDX-License-Identifier: GPL-2.0-or-later
 * Looking ahead in capture files: which taps are parallel links of one hop? */
#include "run/places.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "capture/capture.h"
#include "run/frame.h"
#include "run/topology.h"

/* Packets that are looked at. */
enum { LOOK_AHEAD = 1 << 17 };

/* Only what can be read twice. */
static bool all_files(const struct capture_input *inputs, size_t n)
{
	struct stat st;

	for (size_t i = 0; i < n; i++)
		if (stat(inputs[i].kept ? inputs[i].kept : inputs[i].path,
			 &st) < 0 ||
		    !S_ISREG(st.st_mode))
			return false;
	return true;
}

static void look_ahead(struct capture *c, const struct decode_options *decode,
		       struct places *s)
{
	struct packet p;
	const struct frame *f;
	uint64_t seen = 0;
	int n;

	while (seen < LOOK_AHEAD && (n = capture_next(c, &f, NULL)) > 0) {
		for (int i = 0; i < n; i++) {
			frame_decode(&f[i], decode, &p);
			places_look(s, &p, 1);
		}
		seen += (uint64_t)n;
		/* One tap so far, and one file: it will hardly be more. */
		if (seen >= LOOK_AHEAD / 32 && capture_taps(c) < 2)
			break;
	}
}

size_t run_places(const struct capture_input *inputs, size_t n,
		  const struct capture_options *how,
		  const struct decode_options *decode, int place[PLACES_TAPS])
{
	struct capture *c = NULL;
	struct places *s = NULL;
	size_t taps = 0;

	for (int i = 0; i < PLACES_TAPS; i++)
		place[i] = i;
	if (all_files(inputs, n) && (s = places_new()) &&
	    (c = capture_open(inputs, n, how, NULL))) {
		look_ahead(c, decode, s);
		taps = capture_taps(c);
		if (taps > PLACES_TAPS)
			taps = PLACES_TAPS;
		places_decide(s, place, taps);
	}
	capture_free(c);
	places_free(s);
	return taps;
}

void run_group_places(const struct topology *t, const struct capture *c,
		      int *place, size_t n)
{
	size_t taps = capture_taps(c) < n ? capture_taps(c) : n;
	const char **names = t ? calloc(taps + 1, sizeof *names) : NULL;

	for (size_t k = 0; names && k < taps; k++)
		names[k] = capture_tap(c, k)->name;
	if (names)
		run_group_names(t, names, place, taps);
	free(names);
}

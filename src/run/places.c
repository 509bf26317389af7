/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which taps are one place? */
#include "run/places.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "capture/capture.h"
#include "flow/multitap/places.h"
#include "flow/multitap/tap_set.h"
#include "flow/multitap/twice.h"
#include "run/frame.h"
#include "run/topology.h"
#include "store/store.h"

/* Packets that are looked at. */
enum { LOOK_AHEAD = 1 << 17 };

struct look {
	struct places *places;
	struct halves *halves;
	struct twice *twice;
};

void map_init(struct tap_map *m)
{
	*m = (struct tap_map) { 0 };
	for (int i = 0; i < MAP_TAPS; i++) {
		m->place[i] = m->link[i] = i;
		m->half[i].other = -1;
	}
}

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
		       const struct look *l)
{
	struct packet p;
	const struct frame *f;
	uint64_t seen = 0;
	int n;

	while (seen < LOOK_AHEAD && (n = capture_next(c, &f, NULL)) > 0) {
		for (int i = 0; i < n; i++) {
			frame_decode(&f[i], decode, &p);
			places_look(l->places, &p, 1);
			halves_look(l->halves, &p, 1);
			twice_look(l->twice, &p, 1);
		}
		seen += (uint64_t)n;
		/* One tap so far, and one file: it will hardly be more. */
		if (seen >= LOOK_AHEAD / 32 && capture_taps(c) < 2)
			break;
	}
}

/* ---- joining ---- */

/* A place goes by its first tap. */
static void unite(struct tap_map *m, size_t a, size_t b)
{
	int x = m->place[a], y = m->place[b];
	int keep = x < y ? x : y, joined = x < y ? y : x;

	for (size_t i = 0; i < MAP_TAPS; i++)
		if (m->place[i] == joined)
			m->place[i] = keep;
}

void map_join(struct tap_map *m, size_t a, size_t b, enum half_by by)
{
	unite(m, a, b);
	if (m->by[a] || m->by[b])
		return;
	m->link[b] = (int)a;
	m->half[a] = (struct half) { (int)b, HALF_SURE };
	m->half[b] = (struct half) { (int)a, HALF_SURE };
	m->by[a] = m->by[b] = (uint8_t)by;
	m->side[a] = 1;
	m->side[b] = 2;
}

/* The same direction of parallel links is the same side. */
static void turn(struct tap_map *m, const struct places *s, size_t a, size_t b)
{
	for (uint32_t t = 0; t < a; t++) {
		size_t like = places_parallel(s, t, (uint32_t)a)   ? a
			      : places_parallel(s, t, (uint32_t)b) ? b
								   : SIZE_MAX;

		if (like == SIZE_MAX || !m->side[t])
			continue;
		m->side[like] = m->side[t];
		m->side[like == a ? b : a] = (uint8_t)(3 - m->side[t]);
		return;
	}
}

/* Places do not see a packet twice. */
static bool may_unite(const struct tap_map *m, const struct places *s, size_t a,
		      size_t b, size_t n)
{
	for (uint32_t x = 0; x < n; x++)
		for (uint32_t y = 0; y < n; y++)
			if (m->place[x] == m->place[a] &&
			    m->place[y] == m->place[b] && places_apart(s, x, y))
				return false;
	return true;
}

static void join_halves(struct tap_map *m, const struct places *s, size_t n)
{
	for (size_t a = 0; a < n; a++) {
		const struct half h = m->half[a];

		if (h.proof != HALF_SURE || h.other < (int)a ||
		    !may_unite(m, s, a, (size_t)h.other, n))
			continue;
		map_join(m, a, (size_t)h.other, BY_ADDRESSES);
		turn(m, s, a, (size_t)h.other);
	}
}

static void decide(struct tap_map *m, const struct capture *c,
		   const struct look *l)
{
	size_t n = capture_taps(c) < TAPS_COMPARED ? capture_taps(c)
						   : TAPS_COMPARED;
	uint32_t file[TAPS_COMPARED];

	for (size_t k = 0; k < n; k++)
		file[k] = capture_tap(c, k)->file;
	places_decide(l->places, m->place, n);
	halves_decide(l->halves, file, m->half, n);
	join_halves(m, l->places, n);
	twice_decide(l->twice, m->lag, n);
}

void map_look_ahead(struct tap_map *m, const struct capture_input *inputs,
		    size_t n, const struct capture_options *how,
		    const struct decode_options *decode)
{
	const struct look l = { places_new(), halves_new(), twice_new() };
	struct capture *c = NULL;

	if (all_files(inputs, n) && l.places && l.halves && l.twice &&
	    (c = capture_open(inputs, n, how, NULL))) {
		look_ahead(c, decode, &l);
		decide(m, c, &l);
		map_named(m, inputs, NULL, c);
	}
	capture_free(c);
	places_free(l.places);
	halves_free(l.halves);
	twice_free(l.twice);
}

/* ---- what somebody says ---- */

static bool same_name(const struct capture_input *inputs,
		      const struct capture_tap *a, const struct capture_tap *b)
{
	return a->file != b->file && inputs[a->file].tap &&
	       inputs[b->file].tap && !strcmp(a->name, b->name);
}

/* Files that were given one name are one place: directions of a link when that
 * is what they look like, else pieces. */
static void join_names(struct tap_map *m, const struct capture_input *inputs,
		       const struct capture *c, size_t n)
{
	for (size_t b = 1; b < n; b++)
		for (size_t a = 0; a < b; a++) {
			if (!same_name(inputs, capture_tap(c, a),
				       capture_tap(c, b)))
				continue;
			if (m->half[a].other == (int)b)
				map_join(m, a, b, BY_NAME);
			else
				unite(m, a, b);
		}
}

static void join_wires(struct tap_map *m, const struct topology *t,
		       const char *const *names, size_t n)
{
	const struct topology_tap *wires[MAP_TAPS];

	run_wires(t, names, n, wires);
	for (size_t a = 0; t->n_taps && a < n; a++) {
		int b = run_other_way(wires, n, a);

		if (b > (int)a && run_other_way(wires, n, (size_t)b) >= 0)
			map_join(m, a, (size_t)b, BY_TOPOLOGY);
	}
}

void map_topology(struct tap_map *m, const struct topology *t,
		  const char *const *names, size_t n)
{
	run_group_names(t, names, m->place, n);
	/* A group is of links, whichever tap shows their other direction. */
	for (size_t k = 0; k < n; k++)
		if (m->by[k] && m->half[k].other < (int)n)
			unite(m, k, (size_t)m->half[k].other);
	if (t)
		join_wires(m, t, names, n);
}

void map_named(struct tap_map *m, const struct capture_input *inputs,
	       const struct topology *t, const struct capture *c)
{
	size_t n = capture_taps(c) < MAP_TAPS ? capture_taps(c) : MAP_TAPS;
	const char **names = t ? calloc(n + 1, sizeof *names) : NULL;

	if (inputs)
		join_names(m, inputs, c, n);
	for (size_t k = 0; names && k < n; k++)
		names[k] = capture_tap(c, k)->name;
	if (names)
		map_topology(m, t, names, n);
	free(names);
}

/* ---- what there is to say of it ---- */

static const char *const by_names[] = {
	[BY_ADDRESSES] = "addresses",
	[BY_NAME] = "name",
	[BY_TOPOLOGY] = "topology",
};

static const char *const proof_names[] = {
	[HALF_HOSTS] = "hosts",
	[HALF_FILES] = "files",
	[HALF_ORDER] = "order",
	[HALF_SURE] = "order",
};

void map_tell(const struct tap_map *m, size_t n, struct store *s)
{
	for (size_t k = 0; k < n && k < MAP_TAPS; k++) {
		const struct half h = m->half[k];

		if (h.other < 0 || (size_t)h.other >= n)
			continue;
		store_half(s, k,
			   &(struct fact_half) {
				   .other = (uint32_t)h.other,
				   .side = m->side[k],
				   .found_by =
					   m->by[k] ? by_names[m->by[k]] : NULL,
				   .why_not = m->by[k] ? NULL
						       : proof_names[h.proof],
			   });
	}
}

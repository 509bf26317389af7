/* SPDX-License-Identifier: GPL-2.0-or-later
 * A file that is complete. */
#include "dissectors/whole.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/crc32.h"
#include "capture/capture.h"
#include "dissectors/known.h"
#include "dissectors/openfile.h"
#include "dissectors/settings.h"
#include "flow/core/engine.h"
#include "run/run.h"
#include "store/store.h"

/* The first frame is among so many, in order of time, and a
 * frame is recognized by so many of its bytes. */
enum { LOOK_FOR_FIRST = 1 << 16, BYTES = 128 };

/* A frame of the file. */
struct row {
	int64_t ns;     /* FACT_UNKNOWN: not as it stands in the file */
	uint32_t check; /* what is in it; 0: there is no such frame */
	uint32_t here;  /* its number in Wireshark, 0 not shown yet */
};

static struct {
	struct store *store;
	struct row *rows; /* by number in the file */
	uint32_t room, last;
	uint32_t *at; /* by Wireshark's number, the number in the file */
	uint32_t room_at;
	uint32_t next;     /* in the file, most likely */
	uint64_t patience; /* rows that may still be looked through */
	bool renumbered;   /* not all are what they are in the file */
} w;

static uint32_t check_of(const uint8_t *bytes, uint32_t caplen)
{
	uint32_t reg =
		crc32_add(CRC32_START, (const uint8_t *)&caplen, sizeof caplen);

	reg = crc32_add(reg, bytes, caplen < BYTES ? caplen : BYTES);
	return reg ? reg : 1;
}

/* ---- the file ---- */

static void take_row(const struct frame *f)
{
	const uint8_t untold = FRAME_NO_TIME | FRAME_CORRECTED;
	uint32_t n = (uint32_t)f->number;

	known_before(n);
	w.rows = known_grown(w.rows, &w.room, n, sizeof *w.rows);
	w.rows[n].check = check_of(f->data, f->caplen);
	w.rows[n].ns = f->flags & untold ? FACT_UNKNOWN : engine_time(f->ns);
	w.last = n > w.last ? n : w.last;
}

static const struct run_watch watch = { .sink = known_listen,
					.before = take_row,
					.after = known_after,
					.end = known_end };

static bool analyse(const char *path)
{
	const struct capture_input input = { .path = path };
	const struct run_options options = { .inputs = &input,
					     .n_inputs = 1,
					     .topology = settings()->topology,
					     .speed_bps = settings()->speed_bps,
					     .most_bytes =
						     settings()->whole_bytes,
					     .database = ":memory:",
					     .watch = &watch,
					     .uncommitted = true };
	struct err err;

	if (run_analyze(&options, &w.store, &err) < 0)
		return false;
	w.patience = 2 * (uint64_t)w.last;
	w.next = 1;
	return true;
}

/* ---- is it the one that Wireshark shows? ---- */

static struct sight first_shown;

static bool is_shown(const struct frame *f)
{
	return f->caplen == first_shown.caplen &&
	       !memcmp(f->data, first_shown.bytes, f->caplen) &&
	       (f->flags & FRAME_NO_TIME ||
		engine_time(f->ns) == first_shown.ns);
}

/* A read filter may have refused the very first ones. */
static bool begins_like(struct capture *c)
{
	const struct frame *f;
	size_t seen = 0;
	int n;

	while (seen < LOOK_FOR_FIRST && (n = capture_next(c, &f, NULL)) > 0) {
		for (int i = 0; i < n; i++)
			if (is_shown(&f[i]))
				return true;
		seen += (size_t)n;
	}
	return false;
}

static bool is_shown_file(const char *path)
{
	const struct capture_input input = { .path = path };
	struct capture *c =
		capture_open(&input, 1, &(struct capture_options) { 0 }, NULL);
	bool same = c && begins_like(c);

	capture_free(c);
	return same;
}

/* As it is: what is packed may still turn out to be more. */
static bool small_enough(const char *path)
{
	struct stat st;

	return !stat(path, &st) &&
	       (uint64_t)st.st_size <= settings()->whole_bytes;
}

static bool take(const char *path)
{
	if (!small_enough(path) || !is_shown_file(path))
		return false;
	if (analyse(path))
		return true;
	whole_forget();
	known_forget();
	return false;
}

bool whole_begin(const struct sight *first)
{
	first_shown = *first;
	return !openfile_grows() && openfile_offer(take);
}

/* ---- frames ---- */

static bool is_like(uint32_t n, uint32_t check, int64_t ns)
{
	const struct row *r = &w.rows[n];

	return r->check == check && (r->ns == FACT_UNKNOWN || r->ns == ns);
}

/* What a read filter refused is gone when all is dissected anew: the next
 * frame like it. */
static uint32_t search(uint32_t check, int64_t ns)
{
	for (uint32_t n = w.next; n <= w.last; n++) {
		if (is_like(n, check, ns))
			return n;
		if (!w.patience)
			break;
		w.patience--;
	}
	return 0;
}

uint32_t whole_find(const struct sight *f)
{
	uint32_t check = check_of(f->bytes, f->caplen), n;

	w.at = known_grown(w.at, &w.room_at, f->number, sizeof *w.at);
	if (f->first) {
		n = search(check, f->ns);
		w.at[f->number] = n;
		if (n != f->number)
			w.renumbered = true;
		if (n) {
			w.rows[n].here = f->number;
			w.next = n + 1;
		}
	}
	n = w.at[f->number];
	return n && is_like(n, check, f->ns) ? n : 0;
}

uint32_t whole_number(uint64_t frame)
{
	uint32_t here;

	if (!w.renumbered)
		return (uint32_t)frame;
	here = frame <= w.last ? w.rows[frame].here : 0;
	/* It may be another's by now. */
	return here && w.at[here] == frame ? here : 0;
}

struct store *whole_store(void)
{
	return w.store;
}

void whole_forget(void)
{
	store_free(w.store);
	memset(&w, 0, sizeof w);
}

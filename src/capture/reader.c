/* SPDX-License-Identifier: GPL-2.0-or-later
 * What all formats share: names, damage, lost stretches. */
#include "capture/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void reader_init(struct reader *r, const struct reader_ops *ops,
		 const struct reader_input *in)
{
	r->ops = ops;
	r->window = in->window;
	r->file = in->file;
	r->taps = in->taps;
	r->tap_name = in->tap_name;
	r->file_index = in->file_index;
}

char *reader_tap_name(const struct reader *r, long interface)
{
	const char *name = r->tap_name;
	char *made;
	size_t room;

	if (!name) {
		const char *slash = strrchr(r->file->path, '/');

		name = slash ? slash + 1 : r->file->path;
	}
	if (!strcmp(name, "-"))
		name = "stdin";
	if (interface < 0)
		return strdup(name);
	room = strlen(name) + 24;
	made = malloc(room);
	if (made)
		snprintf(made, room, "%s:%ld", name, interface);
	return made;
}

void reader_damage(struct reader *r, uint64_t from, uint64_t to,
		   const char *why)
{
	struct capture_file *f = r->file;
	struct capture_damage *last;

	if (f->damage_count && f->damage_count <= CAPTURE_DAMAGE_KEPT) {
		last = &f->damage[f->damage_count - 1];
		if (last->to == from && last->why == why) {
			last->to = to;
			return;
		}
	}
	if (f->damage_count < CAPTURE_DAMAGE_KEPT)
		f->damage[f->damage_count] =
			(struct capture_damage) { from, to, why };
	f->damage_count++;
}

void reader_lose(struct reader *r, uint64_t length, bool packet,
		 const char *why)
{
	uint64_t from = window_offset(r->window);

	r->lost = (struct lost) { true, packet, from,
				  length ? from + length : 0, why };
	r->window->p++;
}

static void lost_packet(struct reader *r)
{
	r->file->skipped++;
	r->number++;
}

void reader_found(struct reader *r)
{
	uint64_t to = window_offset(r->window);

	r->lost.on = false;
	if (r->lost.stated_end != to)
		reader_damage(r, r->lost.from, to, r->lost.why);
	else if (r->lost.packet)
		lost_packet(r);
}

void reader_cut(struct reader *r, uint64_t from, bool packet)
{
	reader_damage(r, from, r->window->end_offset,
		      packet ? "the file ends inside a packet"
			     : "the file ends inside a record");
	r->file->cut++;
	r->window->p = r->window->end;
	r->done = true;
}

void reader_lost_end(struct reader *r)
{
	uint64_t end = r->window->end_offset;
	const struct lost *l = &r->lost;

	if (l->stated_end > end) {
		reader_cut(r, l->from, l->packet);
	} else {
		r->window->p = r->window->end;
		reader_found(r);
	}
	r->lost.on = false;
	r->done = true;
}

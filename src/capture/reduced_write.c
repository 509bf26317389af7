/* SPDX-License-Identifier: GPL-2.0-or-later
 * Writing a reduced capture. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/outfile.h"
#include "base/regular.h"
#include "capture/reduced.h"

enum { LEVEL = 1, ROOM = 1 << 17 };

struct reduced_writer {
	struct outfile *file;
	FILE *to;
	ZSTD_CCtx *pack;
	uint8_t out[ROOM];
	char *path;
	int error; /* errno of the first that failed */
};

static bool is_ours(const char *path)
{
	struct reduced_head h;

	return !reduced_read_head(path, &h, NULL);
}

static void put(struct reduced_writer *w, const void *p, size_t n)
{
	if (!w->error && fwrite(p, 1, n, w->to) != n)
		w->error = errno ? errno : EIO;
}

static void pack(struct reduced_writer *w, const void *p, size_t n,
		 ZSTD_EndDirective how)
{
	ZSTD_inBuffer in = { p, n, 0 };
	size_t left;

	do {
		ZSTD_outBuffer out = { w->out, sizeof w->out, 0 };

		left = ZSTD_compressStream2(w->pack, &out, &in, how);
		if (ZSTD_isError(left)) {
			w->error = w->error ? w->error : ENOMEM;
			return;
		}
		put(w, w->out, out.pos);
	} while (how == ZSTD_e_end ? left > 0 : in.pos < in.size);
}

static uint32_t rounded(size_t n)
{
	return (uint32_t)((n + 7) & ~(size_t)7);
}

/* A record, what follows it, and nothing up to its end. */
static void record(struct reduced_writer *w, struct reduced_record *r,
		   size_t size, const void *more, size_t n)
{
	static const uint8_t nothing[8];

	r->size = rounded(size + n);
	pack(w, r, size, ZSTD_e_continue);
	pack(w, more, n, ZSTD_e_continue);
	pack(w, nothing, r->size - size - n, ZSTD_e_continue);
}

struct reduced_writer *reduced_begin(const char *path, struct err *err)
{
	static const struct reduced_head later;
	struct reduced_writer *w = calloc(1, sizeof *w);

	if (!w || !(w->path = strdup(path)) || !(w->pack = ZSTD_createCCtx())) {
		err_set(err, ERR_MEMORY, "out of memory");
		reduced_free(w);
		return NULL;
	}
	ZSTD_CCtx_setParameter(w->pack, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(w->pack, ZSTD_c_checksumFlag, 1);
	w->file = outfile_begin(path, is_ours, "partial result", err);
	if (!w->file) {
		reduced_free(w);
		return NULL;
	}
	w->to = regular_create(outfile_temp(w->file));
	if (!w->to) {
		err_errno(err, "%s", path);
		reduced_free(w);
		return NULL;
	}
	put(w, &later, sizeof later);
	return w;
}

void reduced_free(struct reduced_writer *w)
{
	if (!w)
		return;
	if (w->to)
		fclose(w->to);
	ZSTD_freeCCtx(w->pack);
	outfile_free(w->file);
	free(w->path);
	free(w);
}

void reduced_tap(struct reduced_writer *w, const struct capture_tap *t)
{
	size_t n = strlen(t->name);
	struct reduced_tap_record o = {
		.r = { .kind = REDUCED_TAP,
		       .text = (uint16_t)(n < UINT16_MAX ? n : UINT16_MAX) },
		.speed_bps = t->speed_bps,
		.interface = t->interface,
		.snaplen = t->snaplen,
		.linktype = t->linktype,
	};

	record(w, &o.r, sizeof o, t->name, o.r.text);
}

void reduced_frame(struct reduced_writer *w, const struct frame *f,
		   uint32_t tap, bool last, const struct reduced_crc *crc)
{
	struct reduced_frame_record o = {
		.r = { .kind = REDUCED_FRAME, .last = last },
		.ns = f->ns,
		.number = f->number,
		.caplen = f->caplen,
		.wirelen = f->wirelen,
		.tap = tap,
		.drops = f->drops,
		.linktype = f->linktype,
		.fcs_len = f->fcs_len,
		.flags = f->flags,
	};

	if (crc) {
		o.flags |= FRAME_REDUCED;
		o.crc = *crc;
	}
	record(w, &o.r, sizeof o, f->data, f->caplen);
}

static void tap_totals(struct reduced_writer *w, const struct capture_tap *t,
		       uint32_t ordinal)
{
	struct reduced_tap_record o = {
		.r = { .kind = REDUCED_TAP_TOTALS },
		.speed_bps = t->speed_bps,
		.packets = t->packets,
		.regressions = t->regressions,
		.received = t->received,
		.dropped = t->dropped,
		.first_ns = t->first_ns,
		.last_ns = t->last_ns,
		.back_from = t->back_from,
		.back_to = t->back_to,
		.interface = t->interface,
		.snaplen = t->snaplen,
		.linktype = t->linktype,
		.tap = ordinal,
	};

	record(w, &o.r, sizeof o, NULL, 0);
}

static void damage(struct reduced_writer *w, const struct capture_damage *d,
		   bool last)
{
	size_t n = strlen(d->why);
	struct reduced_damage_record o = {
		.r = { .kind = REDUCED_DAMAGE,
		       .last = last,
		       .text = (uint16_t)(n < UINT16_MAX ? n : UINT16_MAX) },
		.from = d->from,
		.to = d->to,
	};

	record(w, &o.r, sizeof o, d->why, o.r.text);
}

void reduced_totals(struct reduced_writer *w, const struct capture *c)
{
	const struct capture_file *f = capture_file(c, 0);
	uint64_t kept = f->damage_count < CAPTURE_DAMAGE_KEPT
				? f->damage_count
				: CAPTURE_DAMAGE_KEPT;
	struct reduced_end_record o = {
		.r = { .kind = REDUCED_END, .last = !kept },
		.packets = f->packets,
		.filtered = f->filtered,
		.bytes = f->bytes,
		.skipped = f->skipped,
		.damage_count = f->damage_count,
		.clamped_times = f->clamped_times,
		.first_ns = f->first_ns,
		.last_ns = f->last_ns,
		.cut = f->cut,
	};

	for (size_t i = 0; i < capture_taps(c); i++)
		tap_totals(w, capture_tap(c, i), capture_tap_ordinal(c, i));
	record(w, &o.r, sizeof o, NULL, 0);
	for (uint64_t i = 0; i < kept; i++)
		damage(w, &f->damage[i], i + 1 == kept);
}

int reduced_commit(struct reduced_writer *w, const struct reduced_head *head,
		   struct err *err)
{
	struct reduced_head h = *head;
	FILE *to = w->to;

	h.magic = REDUCED_MAGIC;
	h.check = reduced_check(&h);
	pack(w, NULL, 0, ZSTD_e_end);
	if (!w->error && fseek(to, 0, SEEK_SET))
		w->error = errno;
	put(w, &h, sizeof h);
	w->to = NULL;
	if (fclose(to) && !w->error)
		w->error = errno;
	if (!w->error)
		return outfile_commit(w->file, err);
	errno = w->error;
	return err_errno(err, "%s", w->path);
}

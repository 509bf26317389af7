/* SPDX-License-Identifier: GPL-2.0-or-later
 * Whatever else libpcap reads, now or in later versions.
 *
 * libpcap pulls bytes out of the window through a stdio stream, so that this
 * works for pipes and compressed files as well. */
#define _GNU_SOURCE /* fopencookie() */
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/linktype.h"
#include "capture/reader.h"

struct foreign {
	struct reader base;
	pcap_t *pcap;
	uint32_t tap;
	uint16_t linktype;
	char format[40];
};

static ssize_t window_read(void *cookie, char *to, size_t n)
{
	struct window *w = cookie;
	size_t unread = window_unread(w);

	if (!unread)
		window_fill(w);
	unread = window_unread(w);
	if (n > unread)
		n = unread;
	memcpy(to, w->p, n);
	w->p += n;
	return (ssize_t)n;
}

static int begin_tap(struct foreign *f)
{
	char *name = reader_tap_name(&f->base, -1);

	f->tap = taps_add(f->base.taps, name, f->base.file_index, f->linktype);
	if (f->tap == TAP_NONE)
		return -1;
	f->base.taps->v[f->tap].pub.snaplen = (uint32_t)pcap_snapshot(f->pcap);
	return 0;
}

static void fill(struct foreign *f, const struct pcap_pkthdr *h,
		 const u_char *data, struct frame *out)
{
	*out = (struct frame) {
		/* opened for nanoseconds: that is what tv_usec holds */
		.ns = h->ts.tv_sec * INT64_C(1000000000) + h->ts.tv_usec,
		.data = data,
		.number = ++f->base.number,
		.caplen = h->caplen,
		.wirelen = h->len,
		.tap = f->tap,
		.linktype = f->linktype,
	};
	if (h->len < h->caplen) {
		out->wirelen = h->caplen;
		out->flags = FRAME_BAD_LENGTH;
	}
}

/* One frame at a time: libpcap has one buffer. */
static int foreign_step(struct reader *r, struct frame *out, int max)
{
	struct foreign *f = (struct foreign *)r;
	struct capture_file *file = r->file;
	struct pcap_pkthdr *h;
	const u_char *data;
	int rc = pcap_next_ex(f->pcap, &h, &data);

	(void)max;
	if (rc == 1) {
		if (f->tap == TAP_NONE && begin_tap(f) < 0)
			return -1;
		fill(f, h, data, out);
		tap_count(&r->taps->v[f->tap], out);
		file->first_ns = r->taps->v[f->tap].pub.first_ns;
		file->last_ns = r->taps->v[f->tap].pub.last_ns;
		return 1;
	}
	r->done = true;
	if (rc == PCAP_ERROR) {
		reader_damage(r, window_offset(r->window),
			      r->window->end_offset, "libpcap reads no more");
		file->cut += r->window->ended;
	}
	return 0;
}

static void foreign_free(struct reader *r)
{
	struct foreign *f = (struct foreign *)r;

	if (f->pcap)
		pcap_close(f->pcap);
	free(f);
}

static const struct reader_ops ops = { .step = foreign_step,
				       .free = foreign_free };

static int open_stream(struct foreign *f, struct err *err)
{
	const cookie_io_functions_t io = { .read = window_read };
	FILE *stream = fopencookie(f->base.window, "r", io);
	char why[PCAP_ERRBUF_SIZE];

	if (!stream)
		return err_set(err, ERR_MEMORY, "out of memory");
	setvbuf(stream, NULL, _IONBF, 0); /* offsets stay exact */
	f->pcap = pcap_fopen_offline_with_tstamp_precision(
		stream, PCAP_TSTAMP_PRECISION_NANO, why);
	if (!f->pcap) {
		fclose(stream);
		return err_set(err, ERR_FORMAT, "not a capture: %s", why);
	}
	return 0;
}

struct reader *foreign_reader_new(const struct reader_input *in,
				  struct err *err)
{
	struct foreign *f = calloc(1, sizeof *f);

	if (!f) {
		err_set(err, ERR_MEMORY, "out of memory");
		return NULL;
	}
	reader_init(&f->base, &ops, in);
	f->tap = TAP_NONE;
	if (open_stream(f, err) < 0) {
		free(f);
		return NULL;
	}
	f->linktype = linktype_from_dlt(pcap_datalink(f->pcap));
	snprintf(f->format, sizeof f->format, "libpcap: version %d.%d",
		 pcap_major_version(f->pcap), pcap_minor_version(f->pcap));
	in->file->format = f->format;
	return &f->base;
}

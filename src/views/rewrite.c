/* SPDX-License-Identifier: GPL-2.0-or-later
 * Packets into a pcapng file. */
#include "views/rewrite.h"

#include <stdlib.h>

#include "capture/capture.h"
#include "capture/pcapng_write.h"
#include "views/frame_anonymizer.h"

struct rewrite {
	struct rewrite_options o;
	struct pcapng_writer *writer;
	int *interfaces; /* of the writer, by tap; -1: none yet */
	size_t n_interfaces;
};

static int no_memory(struct err *err)
{
	err_set(err, ERR_MEMORY, "out of memory");
	return -1; /* said here, so that clang-tidy sees it */
}

struct rewrite *rewrite_new(const struct rewrite_options *o, struct err *err)
{
	struct rewrite *w = calloc(1, sizeof *w);

	if (!w) {
		no_memory(err);
		return NULL;
	}
	w->o = *o;
	w->writer = pcapng_writer_new(o->path, o->comment, err);
	if (w->writer)
		return w;
	free(w);
	return NULL;
}

int rewrite_interface(const struct rewrite *w, uint32_t tap)
{
	return tap < w->n_interfaces ? w->interfaces[tap] : -1;
}

static bool room_for(struct rewrite *w, uint32_t tap)
{
	size_t n = w->n_interfaces, want = (size_t)tap + 64;
	int *more;

	if (tap < n)
		return true;
	more = reallocarray(w->interfaces, want, sizeof *more);
	if (!more)
		return false;
	for (; n < want; n++)
		more[n] = -1;
	w->interfaces = more;
	w->n_interfaces = want;
	return true;
}

/* Made when the first packet of a tap comes. */
int rewrite_tap(struct rewrite *w, uint32_t tap, const struct capture_tap *t,
		struct err *err)
{
	struct pcapng_interface i = { .speed_bps = t->speed_bps,
				      .snaplen = t->snaplen,
				      .linktype = t->linktype };
	char *pseudonym = NULL;

	if (!room_for(w, tap))
		return no_memory(err);
	if (w->interfaces[tap] >= 0)
		return w->interfaces[tap];
	if (w->o.frame_anonymizer &&
	    !(pseudonym = anonymizer_name(w->o.frame_anonymizer, t->name)))
		return no_memory(err);
	if (!w->o.unnamed)
		i.name = pseudonym ? pseudonym : t->name;
	w->interfaces[tap] = pcapng_writer_interface(w->writer, &i, err);
	free(pseudonym);
	return w->interfaces[tap];
}

int rewrite_frame(struct rewrite *w, const struct capture_tap *t,
		  const struct frame *f, const char *comment, struct err *err)
{
	int interface = rewrite_tap(w, f->tap, t, err);
	struct pcapng_packet p = {
		.ns = f->ns,
		.caplen = f->caplen,
		.wirelen = f->wirelen,
		.interface = (uint32_t)interface,
		.dropcount = f->drops,
		.comment = comment,
	};

	if (interface < 0)
		return -1;
	if (w->o.frame_anonymizer &&
	    !(f = anonymizer_frame(w->o.frame_anonymizer, f)))
		return no_memory(err);
	p.data = f->data;
	/* epb_flags: the lowest two bits are the direction */
	p.epb_flags = f->flags & FRAME_IN ? 1 : f->flags & FRAME_OUT ? 2 : 0;
	return pcapng_writer_packet(w->writer, &p, err);
}

int rewrite_remark(struct rewrite *w, int interface, int64_t ns,
		   const char *text, struct err *err)
{
	return pcapng_writer_statistics(w->writer, (uint32_t)interface, ns,
					UINT64_MAX, UINT64_MAX, text, err);
}

int rewrite_close(struct rewrite *w, struct err *err)
{
	int rc = w ? pcapng_writer_close(w->writer, err) : 0;

	if (w)
		free(w->interfaces);
	free(w);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * BPF by libpcap. */
#include "capture/filter.h"

#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>

#include "capture/linktype.h"

enum { LINKTYPES = 256, SNAPLEN = 262144 };
enum { ETHERNET = 1, RAW = 101, RADIOTAP = 127, SLL2 = 276 };

struct program {
	struct bpf_program bpf;
	uint16_t linktype;
	bool usable;
};

struct filter {
	char *expression;
	struct program *programs; /* by first use */
	size_t n;
};

static bool compile(const char *expression, struct program *p, struct err *err)
{
	pcap_t *dead = pcap_open_dead(linktype_dlt(p->linktype), SNAPLEN);

	if (!dead) {
		err_set(err, ERR_MEMORY, "out of memory");
		return false;
	}
	p->usable = !pcap_compile(dead, &p->bpf, expression, 1,
				  PCAP_NETMASK_UNKNOWN);
	if (!p->usable)
		err_set(err, ERR_USAGE, "filter \"%s\": %s", expression,
			pcap_geterr(dead));
	pcap_close(dead);
	return p->usable;
}

/* NULL: too many link types. */
static struct program *program(struct filter *f, uint16_t linktype,
			       struct err *err)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		if (f->programs[i].linktype == linktype)
			return &f->programs[i];
	if (f->n == LINKTYPES)
		return NULL;
	f->programs[f->n].linktype = linktype;
	compile(f->expression, &f->programs[f->n], err);
	return &f->programs[f->n++];
}

struct filter *filter_new(const char *expression, struct err *err)
{
	/* what is captured in a fabric, and one kind of expression that only
	 * means something elsewhere */
	static const uint16_t common[] = { ETHERNET, RAW, SLL2, RADIOTAP };
	struct filter *f = calloc(1, sizeof *f);
	size_t i;

	if (f) {
		f->expression = strdup(expression);
		f->programs = calloc(LINKTYPES, sizeof *f->programs);
	}
	if (!f || !f->expression || !f->programs) {
		err_set(err, ERR_MEMORY, "out of memory");
		filter_free(f);
		return NULL;
	}
	/* the first complaint is the one to show */
	for (i = 0; i < sizeof common / sizeof *common; i++)
		if (program(f, common[i], i ? NULL : err)->usable)
			return f;
	filter_free(f);
	return NULL;
}

bool filter_match(struct filter *f, const struct frame *frame)
{
	struct program *p = program(f, frame->linktype, NULL);
	struct pcap_pkthdr h = { .caplen = frame->caplen,
				 .len = frame->wirelen };

	return p && p->usable &&
	       pcap_offline_filter(&p->bpf, &h, frame->data) != 0;
}

void filter_free(struct filter *f)
{
	size_t i;

	if (!f)
		return;
	for (i = 0; i < f->n; i++)
		if (f->programs[i].usable)
			pcap_freecode(&f->programs[i].bpf);
	free(f->programs);
	free(f->expression);
	free(f);
}

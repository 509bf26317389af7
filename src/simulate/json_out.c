/* SPDX-License-Identifier: GPL-2.0-or-later
 * JSON, a key at a time. */
#include "simulate/json_out.h"

#include <inttypes.h>

#include "simulate/frame.h"
#include "simulate/truth_int.h"
#include "simulate/world.h"

void out_comma(struct out *o)
{
	if (!o->first)
		putc_unlocked(',', o->f);
	o->first = false;
}

void out_key(struct out *o, const char *k)
{
	out_comma(o);
	putc_unlocked('"', o->f);
	while (*k)
		putc_unlocked(*k++, o->f);
	putc_unlocked('"', o->f);
	putc_unlocked(':', o->f);
}

/* Truths are numbers for the most part; printf is slow at them. */
static void digits(struct out *o, uint64_t v)
{
	char text[20];
	int n = 0;

	do
		text[n++] = (char)('0' + v % 10);
	while (v /= 10);
	while (n)
		putc_unlocked(text[--n], o->f);
}

void out_num(struct out *o, const char *k, uint64_t v)
{
	out_key(o, k);
	digits(o, v);
}

void out_nonzero(struct out *o, const char *k, uint64_t v)
{
	if (v)
		out_num(o, k, v);
}

void out_text(struct out *o, const char *k, const char *v)
{
	out_key(o, k);
	fputc('"', o->f);
	for (; *v; v++) {
		if (*v == '"' || *v == '\\')
			fputc('\\', o->f);
		fputc((unsigned char)*v < 0x20 ? ' ' : *v, o->f);
	}
	fputc('"', o->f);
}

/* ps of the run as ns since the epoch; never: null */
void out_when(struct out *o, const char *k, int64_t ps)
{
	out_key(o, k);
	if (ps < 0)
		fputs("null", o->f);
	else
		digits(o, (uint64_t)sim_ns(o->s, ps));
}

void out_span(struct out *o, const char *k, int64_t ps)
{
	out_num(o, k, (uint64_t)(ps / PS_PER_NS));
}

void out_open(struct out *o, const char *k, char bracket)
{
	if (k)
		out_key(o, k);
	else
		out_comma(o);
	fputc(bracket, o->f);
	o->first = true;
}

void out_shut(struct out *o, char bracket)
{
	fputc(bracket, o->f);
	o->first = false;
}

void out_row(struct out *o)
{
	out_comma(o);
	fputs("\n {", o->f);
	o->first = true;
}

void out_taps(struct out *o, const char *k, tapset taps)
{
	if (!taps)
		return;
	out_open(o, k, '[');
	for (uint32_t i = tapset_next(o->s, taps, 0); i < o->s->n_taps;
	     i = tapset_next(o->s, taps, i + 1)) {
		out_comma(o);
		fprintf(o->f, "%" PRIu32, i);
	}
	out_shut(o, ']');
}

void out_place(struct out *o, uint16_t at)
{
	const struct place *p = &o->s->truth->places.row[at];

	if (!at)
		return;
	out_text(o, "place", p->at);
	out_text(o, "reason", p->reason);
}

const char *host_address(const struct sim *s, const struct host *h,
			 char out[static 64])
{
	if (s->host.ipv6)
		snprintf(out, 64, "fd00:10::%x:%x", h->v6[12] << 8 | h->v6[13],
			 h->v6[14] << 8 | h->v6[15]);
	else
		snprintf(out, 64, "%u.%u.%u.%u", h->v4[0], h->v4[1], h->v4[2],
			 h->v4[3]);
	return out;
}

void out_address(struct out *o, const char *k, const struct host *h)
{
	char text[64];

	out_text(o, k, host_address(o->s, h, text));
}

void out_mac(struct out *o, const char *k, uint32_t port)
{
	uint8_t m[6];
	char buf[24];

	frame_mac(m, port);
	snprintf(buf, sizeof buf, "%02x:%02x:%02x:%02x:%02x:%02x", m[0], m[1],
		 m[2], m[3], m[4], m[5]);
	out_text(o, k, buf);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Hand-built captures. */
#include "maker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

void made_free(struct made *m)
{
	free(m->p);
	*m = (struct made) { .big = m->big };
}

void made_bytes(struct made *m, const void *p, size_t n)
{
	if (m->n + n > m->room) {
		m->room = (m->n + n) * 2;
		m->p = realloc(m->p, m->room);
		assert_non_null(m->p);
	}
	if (n)
		memcpy(m->p + m->n, p, n);
	m->n += n;
}

void made_fill(struct made *m, size_t n, uint8_t with)
{
	while (n--)
		made_bytes(m, &with, 1);
}

static void word(struct made *m, uint64_t v, int bytes)
{
	uint8_t b[8];
	int i;

	for (i = 0; i < bytes; i++)
		b[m->big ? bytes - 1 - i : i] = (uint8_t)(v >> 8 * i);
	made_bytes(m, b, (size_t)bytes);
}

void made_u16(struct made *m, uint16_t v)
{
	word(m, v, 2);
}

void made_u32(struct made *m, uint32_t v)
{
	word(m, v, 4);
}

void made_u64(struct made *m, uint64_t v)
{
	word(m, v, 8);
}

void made_set_u32(struct made *m, size_t at, uint32_t v)
{
	size_t n = m->n;

	m->n = at;
	word(m, v, 4);
	m->n = n;
}

uint8_t made_byte(uint32_t seed, size_t k)
{
	return (uint8_t)(seed * 31 + k * 7 + (k >> 8) * 13 + 0x81);
}

void made_payload(struct made *m, uint32_t seed, size_t n)
{
	size_t k;

	for (k = 0; k < n; k++) {
		uint8_t o = made_byte(seed, k);

		made_bytes(m, &o, 1);
	}
}

void made_pcap(struct made *m, uint32_t magic, uint32_t snaplen,
	       uint32_t network)
{
	made_u32(m, magic);
	made_u16(m, 2);
	made_u16(m, 4);
	made_u32(m, 0);
	made_u32(m, 0);
	made_u32(m, snaplen);
	made_u32(m, network);
}

void made_record(struct made *m, uint32_t sec, uint32_t frac, uint32_t caplen,
		 uint32_t wirelen, uint32_t seed)
{
	made_u32(m, sec);
	made_u32(m, frac);
	made_u32(m, caplen);
	made_u32(m, wirelen);
	made_payload(m, seed, caplen);
}

void made_begin(struct made *m, uint32_t type)
{
	m->block = m->n;
	made_u32(m, type);
	made_u32(m, 0);
}

void made_end(struct made *m)
{
	uint32_t length = (uint32_t)(m->n - m->block) + 4;

	made_u32(m, length);
	made_set_u32(m, m->block + 4, length);
}

static void pad(struct made *m, size_t n)
{
	made_fill(m, (4 - n % 4) % 4, 0);
}

void made_option(struct made *m, uint16_t code, const void *value, size_t n)
{
	made_u16(m, code);
	made_u16(m, (uint16_t)n);
	made_bytes(m, value, n);
	pad(m, n);
}

void made_option_u32(struct made *m, uint16_t code, uint32_t v)
{
	made_u16(m, code);
	made_u16(m, 4);
	made_u32(m, v);
}

void made_option_u64(struct made *m, uint16_t code, uint64_t v)
{
	made_u16(m, code);
	made_u16(m, 8);
	made_u64(m, v);
}

void made_section(struct made *m)
{
	made_begin(m, 0x0a0d0d0a);
	made_u32(m, 0x1a2b3c4d);
	made_u16(m, 1);
	made_u16(m, 0);
	made_u64(m, UINT64_MAX);
	made_end(m);
}

void made_interface(struct made *m, uint16_t linktype, uint32_t snaplen,
		    const char *name, int resolution)
{
	uint8_t byte = (uint8_t)resolution;

	made_begin(m, 1);
	made_u16(m, linktype);
	made_u16(m, 0);
	made_u32(m, snaplen);
	if (name)
		made_option(m, 2, name, strlen(name));
	if (resolution >= 0)
		made_option(m, 9, &byte, 1);
	made_u32(m, 0);
	made_end(m);
}

void made_enhanced(struct made *m, uint32_t interface, uint64_t units,
		   uint32_t caplen, uint32_t wirelen, uint32_t seed)
{
	made_begin(m, 6);
	made_u32(m, interface);
	made_u32(m, (uint32_t)(units >> 32));
	made_u32(m, (uint32_t)units);
	made_u32(m, caplen);
	made_u32(m, wirelen);
	made_payload(m, seed, caplen);
	pad(m, caplen);
	made_end(m);
}

static void keep(struct gathered *g, const struct frame *f)
{
	struct seen *s;

	if (!(g->n & (g->n - 1))) {
		g->v = realloc(g->v, (g->n ? g->n * 2 : 1) * sizeof *g->v);
		assert_non_null(g->v);
	}
	s = &g->v[g->n++];
	s->frame = *f;
	s->data = malloc(f->caplen + 1);
	assert_non_null(s->data);
	memcpy(s->data, f->data, f->caplen);
	s->frame.data = s->data;
}

struct gathered gather_capture(struct capture *c, const struct err *err)
{
	struct gathered g = { .capture = c, .err = *err };
	const struct frame *f;
	int i;

	if (!c) {
		assert_int_not_equal(g.err.code, ERR_NONE);
		assert_null(strchr(g.err.text, '\n'));
		g.last = -1;
		return g;
	}
	while ((g.last = capture_next(c, &f, &g.err)) > 0)
		for (i = 0; i < g.last; i++)
			keep(&g, &f[i]);
	return g;
}

struct gathered gather_bytes(const void *p, size_t n)
{
	struct err err = { 0 };
	struct capture *c = capture_open_bytes(p, n, NULL, &err);

	return gather_capture(c, &err);
}

struct gathered gather_made(const struct made *m)
{
	return gather_bytes(m->p, m->n);
}

struct gathered gather_paths(const char *const *paths, size_t n,
			     const struct capture_options *options)
{
	struct capture_input inputs[16] = { 0 };
	struct err err = { 0 };
	struct capture *c;
	size_t i;

	for (i = 0; i < n; i++)
		inputs[i].path = paths[i];
	c = capture_open(inputs, n, options, &err);
	return gather_capture(c, &err);
}

void gathered_free(struct gathered *g)
{
	size_t i;

	for (i = 0; i < g->n; i++)
		free(g->v[i].data);
	free(g->v);
	capture_free(g->capture);
	*g = (struct gathered) { 0 };
}

const struct capture_file *gathered_file(const struct gathered *g)
{
	assert_non_null(g->capture);
	return capture_file(g->capture, 0);
}

void assert_payload(const struct gathered *g, size_t i, uint32_t seed)
{
	const struct frame *f;
	size_t k;

	assert_true(i < g->n);
	f = &g->v[i].frame;
	for (k = 0; k < f->caplen; k++)
		assert_int_equal(f->data[k], made_byte(seed, k));
}

const char *made_path(const char *name)
{
	static char path[512];
	const char *folder = getenv("TMPDIR");

	snprintf(path, sizeof path, "%s/fabscope-%ld-%s",
		 folder ? folder : P_tmpdir, (long)getpid(), name);
	return path;
}

void made_write(const struct made *m, const char *path)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	if (m->n) /* fwrite wants bytes even for none of them */
		assert_int_equal(fwrite(m->p, 1, m->n, f), m->n);
	assert_int_equal(fclose(f), 0);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * One header, field by field, in words. */
#include "wire/show.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/addr.h"

enum {
	RAW_SHOWN = 24, /* bytes of private data that are worth a line */
};

/* Text that grows in a buffer of WIRE_TEXT and is cut where it is full. */
struct text {
	char *buf;
	size_t len;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t,
						      const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(t->buf + t->len, WIRE_TEXT - t->len, fmt, args);
	va_end(args);
	if (n > 0)
		t->len += (size_t)n;
	if (t->len >= WIRE_TEXT)
		t->len = WIRE_TEXT - 1;
}

static void add_bytes(struct text *t, const uint8_t *p, size_t n,
		      const char *between)
{
	for (size_t i = 0; i < n; i++)
		add(t, "%s%02x", i ? between : "", p[i]);
}

static void add_raw(struct text *t, const uint8_t *p, size_t n)
{
	size_t zeros = 0;

	while (zeros < n && !p[zeros])
		zeros++;
	if (zeros == n) {
		add(t, "%zu zeros", n);
		return;
	}
	add_bytes(t, p, n < RAW_SHOWN ? n : RAW_SHOWN, "");
	if (n > RAW_SHOWN)
		add(t, "... (%zu bytes)", n);
}

static void add_addr(struct text *t, struct addr a)
{
	char text[ADDR_TEXT];

	add(t, "%s", addr_text(a, text));
}

/* What stands behind a code, in the unit that needs no zeros. */
static void add_amount(struct text *t, uint64_t number, const char *unit)
{
	if (strcmp(unit, "ns"))
		add(t, " (%" PRIu64 " %s)", number, unit);
	else if (number >= 1000000)
		add(t, " (%g ms)", (double)number / 1e6);
	else
		add(t, " (%g us)", (double)number / 1e3);
}

static void add_meaning(struct text *t, enum wire_list list, uint64_t value)
{
	const struct wire_rows *rows = wire_rows(list);
	const char *name = wire_name(list, value);
	uint64_t number = wire_number(list, value);

	if (name)
		add(t, " (%s)", name);
	else if (rows && number != UINT64_MAX)
		add_amount(t, number, rows->unit);
}

static void add_number(struct text *t, const struct wire_field *f, uint64_t v)
{
	if (f->base == WIRE_HEX)
		add(t, "0x%0*" PRIx64, (f->width + 3) / 4, v);
	else if (f->base == WIRE_SIGN)
		add(t, "%" PRId64, wire_signed(f, v));
	else
		add(t, "%" PRIu64, v);
	add_meaning(t, f->list, v);
}

char *wire_text(const struct wire_field *f, const uint8_t *p, size_t len,
		char buf[static WIRE_TEXT])
{
	struct text t = { buf, 0 };
	const uint8_t *at = p + f->off / 8;

	assert(f->off + f->width <= 8 * len);
	switch (f->base) {
	case WIRE_MAC:
		add_bytes(&t, at, f->width / 8, ":");
		break;
	case WIRE_IP4:
		add_addr(&t, addr_from_v4(at));
		break;
	case WIRE_IP6:
		add_addr(&t, addr_from_v6(at));
		break;
	case WIRE_RAW:
		add_raw(&t, at, f->width / 8);
		break;
	default:
		add_number(&t, f, wire_field_get(f, p, len));
	}
	return buf;
}

unsigned wire_show(enum wire_header id, const uint8_t *p, size_t len,
		   void (*emit)(void *ctx, const struct wire_shown *shown),
		   void *ctx)
{
	const struct wire_layout *l = wire_layout(wire_form(id, p, len));
	char text[WIRE_TEXT];
	struct wire_shown s;
	unsigned i;

	/* offsets only grow: the first field that is cut off ends it */
	for (i = 0; i < l->n_fields; i++) {
		s.field = &l->fields[i];
		if (s.field->off + s.field->width > 8 * len)
			break;
		s.number = s.field->width <= 64
				   ? wire_field_get(s.field, p, len)
				   : 0;
		s.text = wire_text(s.field, p, len, text);
		emit(ctx, &s);
	}
	return l->n_fields - i;
}

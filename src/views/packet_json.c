/* SPDX-License-Identifier: GPL-2.0-or-later
 * One packet as a JSON object. */
#include <inttypes.h>
#include <string.h>

#include <jansson.h>

#include "base/text.h"
#include "decode/explain.h"
#include "flow/core/fact.h"
#include "run/frame.h"
#include "views/packet_names.h"
#include "views/packet_uet.h"
#include "views/packets.h"
#include "wire/show.h"

const char *const packet_status_names[PACKET_STATUSES] = {
	[PACKET_OK] = "ok",
	[PACKET_TRUNCATED] = "truncated",
	[PACKET_MALFORMED] = "malformed",
	[PACKET_FRAGMENT] = "fragment",
	[PACKET_FOREIGN] = "foreign",
};

const char *const packet_kind_names[PACKET_KINDS] = {
	[PACKET_OTHER] = "other",     [PACKET_ROCE] = "roce",
	[PACKET_CNP] = "cnp",         [PACKET_UET] = "uet",
	[PACKET_PAUSE] = "pause",     [PACKET_PFC] = "pfc",
	[PACKET_LLDP] = "lldp",       [PACKET_UEC_CC] = "uec-cbfc",
	[PACKET_NOT_UET] = "not-uet", [PACKET_UNREADABLE] = "unreadable",
};

const char *const icrc_status_names[] = {
	[ICRC_UNCHECKABLE] = "unchecked",
	[ICRC_GOOD] = "good",
	[ICRC_BAD] = "bad",
};

/* Numbers wider than this lose digits in readers that know only doubles. */
enum { NUMBER_BITS = 53 };

static void add_field(void *ctx, const struct wire_shown *shown)
{
	json_t *fields = ctx;
	json_t *value;

	if (shown->field->base == WIRE_FLAG)
		value = json_boolean(shown->number != 0);
	else if (shown->field->base < WIRE_MAC &&
		 shown->field->width <= NUMBER_BITS)
		value = json_integer(wire_signed(shown->field, shown->number));
	else
		value = json_string(shown->text);
	json_object_set_new(fields, shown->field->name, value);
}

static void add_part(void *ctx, const struct explain_part *part)
{
	json_t *parts = ctx;
	json_t *o = json_object(), *fields;

	json_object_set_new(o, "name", json_string(part->name));
	json_object_set_new(o, "offset", json_integer(part->offset));
	json_object_set_new(o, "length", json_integer(part->length));
	if (part->captured < part->length)
		json_object_set_new(o, "captured",
				    json_integer(part->captured));
	if (part->header >= 0) {
		fields = json_object();
		wire_show((enum wire_header)part->header, part->data,
			  part->captured, add_field, fields);
		json_object_set_new(o, "fields", fields);
	}
	json_array_append_new(parts, o);
}

static void add_end(json_t *o, const struct explain_end *end)
{
	json_t *e;

	if (!end->why)
		return;
	e = json_object();
	json_object_set_new(e, "offset", json_integer(end->offset));
	if (end->at)
		json_object_set_new(e, "in", json_string(end->at));
	json_object_set_new(e, "why", json_string(end->why));
	json_object_set_new(o, "stopped", e);
}

static void uet_text(void *ctx, const char *name, const char *text)
{
	json_object_set_new(ctx, name, json_string(text));
}

/* A bitmap of 64 is as large as a number gets. */
static void uet_number(void *ctx, const char *name, uint64_t n)
{
	char hex[2 + 16 + 1];

	if (n >> NUMBER_BITS == 0 && strcmp(name, "sack") != 0) {
		json_object_set_new(ctx, name, json_integer((json_int_t)n));
		return;
	}
	snprintf(hex, sizeof hex, "0x%016" PRIx64, n);
	json_object_set_new(ctx, name, json_string(hex));
}

static void uet_flag(void *ctx, const char *name)
{
	json_array_append_new(json_object_get(ctx, "flags"), json_string(name));
}

static json_t *uet_object(const struct packet *p)
{
	json_t *o = json_object();
	const struct uet_listener object = { o, uet_text, uet_number,
					     uet_flag };

	json_object_set_new(o, "flags", json_array());
	packet_uet(p, &object);
	json_object_set_new(o, "crc",
			    json_string(icrc_status_names[p->icrc_status]));
	return o;
}

static json_t *packet_object(const struct frame *f, const char *tap,
			     const struct decode_options *decode)
{
	const struct decode_input in = frame_input(f);
	json_t *o = json_object(), *parts = json_array();
	struct packet p = { 0 };
	struct explain_end end;

	packet_explain(&in, decode, &p, add_part, parts, &end);
	json_object_set_new(o, "frame", json_integer((json_int_t)f->number));
	json_object_set_new(o, "tap", json_string(tap));
	json_object_set_new(o, "ns", json_integer(f->ns));
	json_object_set_new(o, "length", json_integer(f->wirelen));
	json_object_set_new(o, "captured", json_integer(f->caplen));
	json_object_set_new(o, "kind", json_string(packet_kind_names[p.kind]));
	json_object_set_new(o, "status",
			    json_string(packet_status_names[p.status]));
	if (p.kind == PACKET_ROCE || p.kind == PACKET_CNP)
		json_object_set_new(
			o, "icrc",
			json_string(icrc_status_names[p.icrc_status]));
	if (p.kind == PACKET_UET)
		json_object_set_new(o, "uet", uet_object(&p));
	json_object_set_new(o, "parts", parts);
	add_end(o, &end);
	return o;
}

/* Unknown is null, never 0. */
static void add_number(json_t *o, const char *key, int64_t n)
{
	json_object_set_new(o, key,
			    n == FACT_UNKNOWN ? json_null() : json_integer(n));
}

static json_t *note_object(const struct fact_note *n)
{
	bool sent_again = n->kind == NOTE_RETRANSMISSION ||
			  n->kind == NOTE_RETRANSMISSION_OF_MISSING;
	json_t *o = json_object();

	add_number(o, "flow", n->flow);
	add_number(o, "peer", n->peer ? n->peer : FACT_UNKNOWN);
	add_number(o, "space", n->space ? n->space : FACT_UNKNOWN);
	json_object_set_new(o, "packet", json_string(note_kind_names[n->kind]));
	if (n->kind == NOTE_GAP)
		add_number(o, "missing", n->missing);
	if (sent_again)
		json_object_set_new(
			o, "trigger",
			json_string(recovery_trigger_names[n->trigger]));
	add_number(o, "psn", n->psn);
	add_number(o, "message", n->message);
	add_number(o, "position", n->position);
	add_number(o, "about", n->about ? (int64_t)n->about : FACT_UNKNOWN);
	add_number(o, "since_ns", n->since_ns);
	add_number(o, "pause",
		   n->pause_frame ? (int64_t)n->pause_frame : FACT_UNKNOWN);
	add_number(o, "pause_since_ns", n->pause_since_ns);
	return o;
}

int packets_json(FILE *out, const struct frame *f, const char *tap,
		 const struct decode_options *decode,
		 const struct fact_note *note)
{
	char *name = text_valid(tap);
	json_t *o = name ? packet_object(f, name, decode) : NULL;
	int rc = o ? 0 : -1;

	if (o && note)
		json_object_set_new(o, "verdict", note_object(note));

	/* a failed write is found by ferror() at the end */
	if (o && json_dumpf(o, out, JSON_COMPACT) < 0 && !ferror(out))
		rc = -1;
	fputc('\n', out);
	json_decref(o);
	free(name);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Where readings are kept, and whose they are. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/addr.h"
#include "evidence/evidence_int.h"
#include "evidence/samples.h"

struct evidence *evidence_new(void)
{
	return calloc(1, sizeof(struct evidence));
}

void evidence_free(struct evidence *e)
{
	if (!e)
		return;
	for (size_t i = 0; i < e->n_sources; i++)
		free(e->sources[i].path);
	free(e->sources);
	free(e->readings);
	free(e->errors);
	free(e->settings);
	free(e->samples);
	names_fini(&e->by_packet);
	free(e->notes);
	free(e->add);
	names_fini(&e->by_port);
	names_fini(&e->added);
	free(e->gids);
	names_fini(&e->by_gid);
	free(e);
}

/* ---- ports ---- */

/* A new source.  Nothing is changed when there is no memory. */
static struct evidence_source *add_source(struct evidence_part *part,
					  const char *key, const char *device,
					  enum evidence_by by, const char *port)
{
	struct evidence *e = part->evidence;
	struct evidence_source *s;
	char *path;

	if (e->n_sources == EVIDENCE_SOURCES_MAX ||
	    !evidence_grow((void **)&e->sources, e->n_sources, &e->room_sources,
			   sizeof *e->sources))
		return NULL;
	path = strdup(part->path);
	if (!path || !names_add(&e->by_port, key, e->n_sources)) {
		free(path);
		return NULL;
	}
	s = &e->sources[e->n_sources++];
	*s = (struct evidence_source) { .path = path,
					.kind = part->kind,
					.device_by = by,
					.digest = part->digest };
	text_keep(s->device, device);
	text_keep(s->port, port);
	text_keep(s->address, part->address);
	return s;
}

/* |more|: a source beside the first of the same port, NULL the first. */
static struct evidence_source *source_beside(struct evidence_part *part,
					     const struct evidence_of *of,
					     const char *more)
{
	struct evidence *e = part->evidence;
	bool given = part->device_by == DEVICE_GIVEN && *part->device;
	bool said = !given && of->device && *of->device;
	const char *device = said ? of->device : part->device;
	const char *port = of->port && *of->port ? of->port : part->port;
	struct evidence_source *found = NULL;
	char *key;
	size_t at;

	if (asprintf(&key, "%s\n%s\n%s\n%s%s%s", part->path, part->kind, device,
		     port, more ? "\n" : "", more ? more : "") < 0)
		return NULL;
	at = names_find(&e->by_port, key);
	found = at != NAMES_NONE
			? &e->sources[at]
			: add_source(part, key, device,
				     said ? DEVICE_CONTENT : part->device_by,
				     port);
	free(key);
	return found;
}

static struct evidence_source *source_of(struct evidence_part *part,
					 const struct evidence_of *of)
{
	return source_beside(part, of, NULL);
}

/* Of a link-local address that was made of a MAC address (RFC 4291, appendix
 * A); 0: it is none. */
static uint64_t mac_in(const struct addr *a)
{
	uint8_t b[sizeof a->w];
	uint64_t mac = 0;

	memcpy(b, a->w, sizeof b);
	if (b[0] != 0xfe || b[1] != 0x80 || b[11] != 0xff || b[12] != 0xfe)
		return 0;
	for (int i = 8; i < 16; i++)
		if (i != 11 && i != 12)
			mac = mac << 8 | (i == 8 ? b[i] ^ 2u : b[i]);
	return mac;
}

/* No packet of RoCE has it. */
static bool unspecified(const char *address)
{
	return !strcmp(address, "::") || !strncmp(address, "fe80:", 5);
}

void put_address(struct evidence_part *part, const struct evidence_of *of,
		 const char *address, const char *mac)
{
	struct evidence_source *s = source_of(part, of);
	char text[ADDR_TEXT], mac_buf[MAC_TEXT];
	struct addr a;

	if (!s)
		return;
	if (mac) {
		text_keep(s->mac, mac);
		part->readings++;
	}
	if (!address || !addr_parse(address, &a))
		return;
	if (!*s->mac && mac_in(&a))
		text_keep(s->mac, mac_text(mac_in(&a), mac_buf));
	part->readings++;
	addr_text(a, text);
	if (unspecified(text) || !strcmp(s->address, text))
		return;
	/* A port has several: of VLANs, and of both versions of IP. */
	if (*s->address)
		s = source_beside(part, of, text);
	if (s)
		text_keep(s->address, text);
}

/* ---- GIDs ---- */

struct evidence_gid {
	char address[EVIDENCE_TEXT], netdev[EVIDENCE_TEXT]; /* "" not yet */
};

static struct evidence_gid *gid_of(struct evidence *e, const char *key)
{
	size_t at = names_find(&e->by_gid, key);

	if (at != NAMES_NONE)
		return &e->gids[at];
	if (e->n_gids == EVIDENCE_SOURCES_MAX ||
	    !evidence_grow((void **)&e->gids, e->n_gids, &e->room_gids,
			   sizeof *e->gids) ||
	    !names_add(&e->by_gid, key, e->n_gids))
		return NULL;
	e->gids[e->n_gids] = (struct evidence_gid) { 0 };
	return &e->gids[e->n_gids++];
}

void put_gid(struct evidence_part *part, const struct evidence_of *of,
	     const char *index, const char *address, const char *netdev)
{
	struct evidence_gid *gid;
	char *key;

	if (address)
		put_address(part, of, address, NULL);
	if (asprintf(&key, "%s\n%s\n%s", part->device, of->port, index) < 0)
		return;
	gid = gid_of(part->evidence, key);
	free(key);
	if (!gid)
		return;
	text_keep(gid->address, address ? address : gid->address);
	text_keep(gid->netdev, netdev ? netdev : gid->netdev);
	if (*gid->address && *gid->netdev)
		put_address(part, &OF_PORT(gid->netdev), gid->address, NULL);
}

/* No room for another one, which is counted; nothing else is done for it, as
 * few bytes may say many. */
static bool is_full(struct evidence *e, size_t n, size_t most)
{
	e->dropped += n >= most;
	return n >= most;
}

/* ---- readings ---- */

/* What |name| means to |part|: |r| without a value.  False: there is no room.
 */
static bool begin_reading(struct evidence_part *part,
			  const struct evidence_of *of, const char *name,
			  struct evidence_reading *r, int64_t *scale)
{
	struct evidence *e = part->evidence;
	int priority = of->priority;

	if (is_full(e, e->n_readings, EVIDENCE_READINGS_MAX))
		return false;
	*r = (struct evidence_reading) {
		.meaning = (int16_t)meaning_of(e, name, scale, &priority),
		.moment = part->moment,
		.at_ns =
			of->at_ns != EVIDENCE_UNKNOWN ? of->at_ns : part->at_ns,
	};
	r->priority = (int16_t)priority;
	text_keep(r->name, name);
	return true;
}

static void keep_reading(struct evidence_part *part,
			 const struct evidence_of *of,
			 const struct evidence_reading *r)
{
	struct evidence *e = part->evidence;
	struct evidence_source *s = source_of(part, of);

	if (!s) {
		e->skipped++;
		return;
	}
	if (!evidence_grow((void **)&e->readings, e->n_readings,
			   &e->room_readings, sizeof *e->readings)) {
		e->dropped++;
		return;
	}
	e->readings[e->n_readings] = *r;
	e->readings[e->n_readings++].source = (uint32_t)(s - e->sources);
	s->readings++;
	part->readings++;
}

void put_value(struct evidence_part *part, const struct evidence_of *of,
	       const char *name, int64_t value)
{
	struct evidence_reading r;
	int64_t scale;

	if (!begin_reading(part, of, name, &r, &scale))
		return;
	if (__builtin_mul_overflow(value, scale, &r.value))
		part->evidence->skipped++;
	else
		keep_reading(part, of, &r);
}

void put_text(struct evidence_part *part, const struct evidence_of *of,
	      const char *name, const char *value)
{
	struct evidence_reading r;
	int64_t scale;

	if (!begin_reading(part, of, name, &r, &scale))
		return;
	if (value_parse(value, scale, &r.value))
		keep_reading(part, of, &r);
	else if (strcmp(value, "N/A") != 0 && strcmp(value, "-") != 0)
		part->evidence->skipped++;
}

static void put_real(struct evidence_part *part, const struct evidence_of *of,
		     const char *name, double value)
{
	struct evidence_reading r;
	int64_t scale;

	if (!begin_reading(part, of, name, &r, &scale))
		return;
	if (value_real(value, scale, &r.value))
		keep_reading(part, of, &r);
	else
		part->evidence->skipped++;
}

void put_json(struct evidence_part *part, const struct evidence_of *of,
	      const char *name, const json_t *value)
{
	if (json_is_integer(value) && json_integer_value(value) >= 0)
		put_value(part, of, name, json_integer_value(value));
	else if (json_is_string(value))
		put_text(part, of, name, json_string_value(value));
	else if (json_is_real(value))
		put_real(part, of, name, json_real_value(value));
	else
		part->evidence->skipped++;
}

/* ---- error lines ---- */

void put_error(struct evidence_part *part, const struct evidence_error *error)
{
	struct evidence *e = part->evidence;
	struct evidence_of of = OF_PORT(NULL);
	struct evidence_source *s;

	if (is_full(e, e->n_errors, EVIDENCE_ERRORS_MAX))
		return;
	of.device = error->device;
	s = source_of(part, &of);
	if (!s || !evidence_grow((void **)&e->errors, e->n_errors,
				 &e->room_errors, sizeof *e->errors)) {
		e->dropped++;
		return;
	}
	e->errors[e->n_errors] = *error;
	e->errors[e->n_errors].source = (uint32_t)(s - e->sources);
	if (error->at_ns == EVIDENCE_UNKNOWN)
		e->errors[e->n_errors].at_ns = part->at_ns;
	e->n_errors++;
	s->readings++;
	part->readings++;
}

/* ---- configuration ---- */

const char *evidence_setting_name(enum evidence_setting_id id)
{
	static const char *const names[] = {
#define SETTING(id, name, text) name,
#include "evidence/settings.def"
#undef SETTING
	};

	return names[id];
}

void put_setting(struct evidence_part *part, const struct evidence_of *of,
		 enum evidence_setting_id id, int number, int64_t value)
{
	struct evidence *e = part->evidence;
	struct evidence_source *s;

	if (is_full(e, e->n_settings, EVIDENCE_SETTINGS_MAX))
		return;
	s = source_of(part, of);
	if (!s || !evidence_grow((void **)&e->settings, e->n_settings,
				 &e->room_settings, sizeof *e->settings)) {
		e->dropped++;
		return;
	}
	e->settings[e->n_settings++] = (struct evidence_setting) {
		.source = (uint32_t)(s - e->sources),
		.id = id,
		.number = number,
		.value = value,
	};
	s->readings++;
	part->readings++;
}

/* ---- jobs ---- */

const struct evidence_note evidence_no_note = {
	.number = -1,
	.first_ns = EVIDENCE_UNKNOWN,
	.last_ns = EVIDENCE_UNKNOWN,
	.length_ns = EVIDENCE_UNKNOWN,
	.rate = NAN,
	.loss = NAN,
	.qpn = -1,
	.count = -1,
	.bytes = -1,
};

void put_note(struct evidence_part *part, const struct evidence_note *n)
{
	struct evidence *e = part->evidence;
	const struct evidence_of of = OF_PORT(NULL);
	struct evidence_source *s;

	if (is_full(e, e->n_notes, EVIDENCE_NOTES_MAX))
		return;
	s = source_of(part, &of);
	if (!s || !evidence_grow((void **)&e->notes, e->n_notes, &e->room_notes,
				 sizeof *e->notes)) {
		e->dropped++;
		return;
	}
	e->notes[e->n_notes] = *n;
	e->notes[e->n_notes++].source = (uint32_t)(s - e->sources);
	s->readings++;
	part->readings++;
}

/* ---- samples ---- */

static bool add_sample(struct evidence *e, const char *key,
		       const struct evidence_sample *sample, size_t source)
{
	if (e->n_samples == EVIDENCE_SAMPLES_MAX ||
	    !evidence_grow((void **)&e->samples, e->n_samples, &e->room_samples,
			   sizeof *e->samples) ||
	    !names_add(&e->by_packet, key, e->n_samples))
		return false;
	e->samples[e->n_samples] = *sample;
	e->samples[e->n_samples++].source = (uint32_t)source;
	return true;
}

static void merge_sample(struct evidence_sample *to,
			 const struct evidence_sample *sample)
{
	to->samples += sample->samples;
	to->estimated += sample->estimated;
	to->psn = sample->psn;
	if (sample->first_ns < to->first_ns)
		to->first_ns = sample->first_ns;
	if (sample->last_ns > to->last_ns)
		to->last_ns = sample->last_ns;
}

void put_sample(struct evidence_part *part, const struct evidence_of *of,
		const struct evidence_sample *sample)
{
	struct evidence *e = part->evidence;
	struct evidence_source *s = source_of(part, of);
	char *key;
	size_t at;

	if (!s || asprintf(&key, "%zu %d %lld %lld %lld %s %s %s",
			   (size_t)(s - e->sources), sample->dropped,
			   (long long)sample->input, (long long)sample->output,
			   (long long)sample->dst_qp, sample->src, sample->dst,
			   sample->reason) < 0) {
		e->dropped++;
		return;
	}
	at = names_find(&e->by_packet, key);
	if (at != NAMES_NONE)
		merge_sample(&e->samples[at], sample);
	else if (!add_sample(e, key, sample, (size_t)(s - e->sources)))
		e->dropped++;
	free(key);
	s->readings++;
	part->readings++;
}

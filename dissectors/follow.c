/* SPDX-License-Identifier: GPL-2.0-or-later
 * What is not to be had as a complete file: frame by frame. */
#include "dissectors/follow.h"

#include <string.h>

#include <wiretap/wtap.h>

#include "base/topology.h"
#include "capture/capture.h"
#include "dissectors/known.h"
#include "dissectors/settings.h"
#include "flow/core/engine.h"
#include "run/topology.h"
#include "store/store.h"

enum { TAPS_MAX = 1 << 12 };

/* An interface of a section, and the tap it is. */
struct interface {
	uint32_t section, id, tap;
};

static struct {
	struct engine *engine;
	struct store *store;
	struct err err;
	bool finished, committed, failed;
	uint32_t last; /* frame that was fed */
	int64_t last_ns, first_ns;
	uint64_t packets, bytes;

	struct interface *interfaces;
	uint32_t n_interfaces;
	struct capture_tap *taps; /* what the database gets of them */
	const char **names;       /* of them */
	uint32_t n_taps;
	int place[TAPS_MAX]; /* links of one group are one */
} s;

/* ---- start and end ---- */

static void start(void)
{
	const struct engine_options options = { .place = s.place,
						.n_places = TAPS_MAX };
	struct flow_sink sink = { 0 };

	s.store = store_create(":memory:", &s.err);
	if (s.store)
		sink = store_sink(s.store);
	known_listen(&sink);
	s.engine = engine_new(&options, &sink);
	s.failed = !s.engine;
}

void follow_finish(void)
{
	if (s.finished || !s.engine)
		return;
	s.finished = true;
	known_end();
	engine_finish(s.engine);
	engine_free(s.engine);
	s.engine = NULL;
}

/* Memory of the file scope is freed by Wireshark. */
void follow_forget(void)
{
	engine_free(s.engine);
	store_free(s.store);
	memset(&s, 0, sizeof s);
}

bool follow_finished(void)
{
	return s.finished;
}

/* The database wants to know what was read. */
static void describe(void)
{
	char path[] = "(the open file)";
	struct capture_file file = { .path = path,
				     .format = "Wireshark",
				     .packets = s.packets,
				     .bytes = s.bytes,
				     .first_ns = s.first_ns,
				     .last_ns = s.last_ns };

	store_capture(s.store, 0, &file);
	for (uint32_t i = 0; i < s.n_taps; i++)
		store_tap(s.store, i, &s.taps[i]);
	if (settings()->topology)
		store_topology(s.store, settings()->topology, s.names,
			       s.n_taps);
}

struct store *follow_store(const char **why)
{
	if (!s.last)
		return NULL;
	follow_finish();
	if (s.store && !s.committed) {
		s.committed = true;
		describe();
		s.failed = store_commit(s.store, &s.err) < 0;
	}
	*why = s.err.text;
	return s.failed ? NULL : s.store;
}

/* ---- frames in ---- */

/* What the engine is to know of the last tap. */
static void tell_tap(struct capture_tap *t)
{
	const struct topology *topology = settings()->topology;
	const struct topology_tap *known = topology_tap(topology, t->name);

	t->speed_bps = known && known->speed_bps ? known->speed_bps
						 : settings()->speed_bps;
	s.place[s.n_taps - 1] = (int)s.n_taps - 1;
	run_group_names(topology, s.names, s.place, s.n_taps);
	if (s.engine)
		engine_set_speed(s.engine, s.n_taps - 1, t->speed_bps);
}

static uint32_t new_tap(packet_info *pinfo, uint32_t id, uint16_t linktype)
{
	const char *name = COMPAT_INTERFACE_NAME(pinfo, id);
	struct capture_tap *t;
	uint32_t i;

	name = name ? name : "";
	/* Sections that name an interface alike mean the same place. */
	for (i = 0; i < s.n_taps; i++)
		if (s.taps[i].interface == id && !strcmp(s.taps[i].name, name))
			return i;
	if (s.n_taps == TAPS_MAX)
		return s.n_taps - 1;
	if (!s.taps) {
		s.taps = wmem_alloc0_array(wmem_file_scope(),
					   struct capture_tap, TAPS_MAX);
		s.names = wmem_alloc0_array(wmem_file_scope(), const char *,
					    TAPS_MAX);
	}
	t = &s.taps[s.n_taps];
	t->name = wmem_strdup(wmem_file_scope(), name);
	t->interface = id;
	t->linktype = linktype;
	t->received = t->dropped = UINT64_MAX;
	s.names[s.n_taps++] = t->name;
	tell_tap(t);
	return s.n_taps - 1;
}

static uint32_t tap_of(packet_info *pinfo, uint16_t linktype)
{
	const wtap_rec *rec = pinfo->rec;
	uint32_t id = 0, section = 0;
	struct interface *known;

	if (rec->presence_flags & WTAP_HAS_INTERFACE_ID)
		id = rec->rec_header.packet_header.interface_id;
	if (rec->presence_flags & WTAP_HAS_SECTION_NUMBER)
		section = rec->section_number;
	for (uint32_t i = 0; i < s.n_interfaces; i++)
		if (s.interfaces[i].id == id &&
		    s.interfaces[i].section == section)
			return s.interfaces[i].tap;
	if (s.n_interfaces == TAPS_MAX)
		return s.interfaces[TAPS_MAX - 1].tap;
	if (!s.interfaces)
		s.interfaces = wmem_alloc0_array(wmem_file_scope(),
						 struct interface, TAPS_MAX);
	known = &s.interfaces[s.n_interfaces++];
	*known = (struct interface) { section, id,
				      new_tap(pinfo, id, linktype) };
	return known->tap;
}

static void count(packet_info *pinfo, const struct packet *p, uint32_t bytes)
{
	struct capture_tap *t = &s.taps[p->tap];

	s.last = pinfo->num;
	s.first_ns = s.packets ? s.first_ns : p->ns;
	s.last_ns = p->ns;
	s.packets++;
	s.bytes += bytes;
	t->regressions += t->packets && p->ns < t->last_ns;
	t->first_ns = t->packets ? t->first_ns : p->ns;
	t->last_ns = p->ns;
	t->packets++;
}

void follow_frame(packet_info *pinfo, struct packet *p,
		  const struct decode_input *in)
{
	if (s.finished)
		return;
	if (!s.engine && !s.failed)
		start();
	p->tap = tap_of(pinfo, in->linktype);
	count(pinfo, p, in->caplen);
	if (!s.engine)
		return;
	/* Of a frame that a read filter refused. */
	known_forget_frame(pinfo->num);
	known_before(pinfo->num);
	engine_feed(s.engine, p, 1);
	known_after(p);
}

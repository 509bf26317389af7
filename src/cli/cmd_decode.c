/* SPDX-License-Identifier: GPL-2.0-or-later
 * fabscope decode: one line per packet. */
#include <stdio.h>
#include <stdlib.h>

#include "capture/capture.h"
#include "cli/args.h"
#include "cli/command.h"
#include "cli/fabric.h"
#include "cli/pager.h"
#include "cli/result.h"
#include "cli/say.h"
#include "flow/core/engine.h"
#include "run/frame.h"
#include "run/places.h"
#include "run/topology.h"
#include "views/frame_anonymizer.h"
#include "views/packets.h"

struct printing {
	struct capture *capture;
	struct engine *engine; /* NULL: no verdicts are printed */
	struct fact_note note; /* of |noted|, the last frame of a flow */
	const struct frame *noted;
	const struct frame *now;
	struct topology *topology; /* NULL: none given */
	struct decode_options decode;
	struct frame_anonymizer
		*frame_anonymizer; /* NULL: packets as they are */
	struct tap_map map;
	size_t taps_with_speed;
	bool json;
	bool first_seen;
	int64_t origin_ns;
};

static void take_note(void *ctx, const struct fact_note *note)
{
	struct printing *p = ctx;

	p->note = *note;
	p->noted = p->now;
}

static const struct fact_note *judge(struct printing *p, const struct frame *f)
{
	struct packet packet = { 0 };

	if (!p->engine)
		return NULL;
	p->noted = NULL;
	p->now = f;
	frame_decode(f, &p->decode, &packet);
	engine_feed(p->engine, &packet, 1);
	return p->noted ? &p->note : NULL;
}

static int no_memory(struct err *err)
{
	return err_set(err, ERR_MEMORY, "out of memory");
}

static int print_line(struct printing *p, const struct frame *f,
		      const char *tap, struct err *err)
{
	const struct fact_note *note = judge(p, f);

	if (!p->first_seen) {
		p->first_seen = true;
		p->origin_ns = f->ns;
	}
	if (!p->json)
		packets_line(stdout, f,
			     capture_taps(p->capture) > 1 ? tap : NULL,
			     p->origin_ns, &p->decode, note);
	else if (packets_json(stdout, f, tap, &p->decode, note) < 0)
		return no_memory(err);
	return 0;
}

static int print_frame(struct printing *p, const struct frame *f,
		       struct err *err)
{
	const char *tap = capture_tap(p->capture, f->tap)->name;
	char *other = NULL;
	int rc;

	if (p->frame_anonymizer) {
		f = anonymizer_frame(p->frame_anonymizer, f);
		other = anonymizer_name(p->frame_anonymizer, tap);
		tap = other;
	}
	rc = f && tap ? print_line(p, f, tap, err) : no_memory(err);
	free(other);
	return rc;
}

/* Which are one place; and pauses are printed in units of the link's speed. */
static void tell_taps(struct printing *p)
{
	size_t n = p->engine ? capture_taps(p->capture) : 0;

	if (p->taps_with_speed < n)
		map_named(&p->map, NULL, p->topology, p->capture);
	for (; p->taps_with_speed < n; p->taps_with_speed++) {
		const struct capture_tap *t =
			capture_tap(p->capture, p->taps_with_speed);
		const struct topology_tap *known =
			topology_tap(p->topology, t->name);

		engine_set_speed(p->engine, (uint32_t)p->taps_with_speed,
				 known && known->speed_bps ? known->speed_bps
							   : t->speed_bps);
	}
}

static int print_all(struct printing *p, struct err *err)
{
	const struct frame *frames;
	int n, i;

	pager_start();
	while ((n = capture_next(p->capture, &frames, err)) > 0) {
		tell_taps(p);
		for (i = 0; i < n; i++)
			if (print_frame(p, &frames[i], err) < 0)
				return -1;
		if (ferror(stdout))
			return 0; /* reported when everything is flushed */
	}
	return n;
}

/* Says on stderr what of the input could not be shown. */
static int unshown(const struct capture *c)
{
	int status = EXIT_FULL;
	struct err err;
	size_t i;

	for (i = 0; i < capture_files(c); i++) {
		const struct capture_file *f = capture_file(c, i);

		if (!f->damage_count && !f->cut && !f->skipped)
			continue;
		status = EXIT_PART;
		err_set(&err, ERR_FORMAT, "%s: %s", f->path,
			f->damage_count > f->cut ? "parts are corrupted"
			: f->cut                 ? "cut off at its end"
				 : "some packets could not be read");
		say_warning(&err);
	}
	return status;
}

static int start_engine(struct printing *p, const struct capture_input *inputs,
			size_t n, const struct capture_options *how,
			struct err *err)
{
	const struct flow_sink sink = { .ctx = p, .note = take_note };

	map_init(&p->map);
	map_look_ahead(&p->map, inputs, n, how, &p->decode);
	p->engine =
		engine_new(&(struct engine_options) { .place = p->map.place,
						      .link = p->map.link,
						      .n_places = MAP_TAPS },
			   &sink);
	return p->engine ? 0 : err_set(err, ERR_MEMORY, "out of memory");
}

static int start_anonymizer(struct printing *p, const struct args *a,
			    struct err *err)
{
	struct anonymous_key key;
	int anonymous = result_key(a, &key, err);

	if (anonymous > 0 &&
	    !(p->frame_anonymizer = anonymizer_new(&key, &p->decode)))
		return err_set(err, ERR_MEMORY, "out of memory");
	return anonymous < 0 ? -1 : 0;
}

static int open_inputs(struct printing *p, const struct args *a,
		       struct err *err)
{
	struct capture_input *inputs;
	const struct capture_options how = { .filter =
						     args_value(a, "filter") };
	int rc = 0;
	size_t i;

	if (fabric_read(a, &p->topology, err) < 0)
		return -1;
	run_decode_options(p->topology, &p->decode);
	if (start_anonymizer(p, a, err) < 0)
		return -1;
	inputs = calloc(a->n_operands, sizeof *inputs);
	if (!inputs)
		return err_set(err, ERR_MEMORY, "out of memory");
	for (i = 0; i < a->n_operands; i++)
		inputs[i].path = a->operands[i];
	p->capture = capture_open(inputs, a->n_operands, &how, err);
	if (!p->capture)
		rc = -1;
	else if (args_has(a, "verdicts"))
		rc = start_engine(p, inputs, a->n_operands, &how, err);
	free(inputs);
	return rc;
}

static int decode_run(const struct args *a)
{
	struct printing p = { .json = args_has(a, "json") };
	struct err err = { 0 };
	int status;

	if (open_inputs(&p, a, &err) < 0 || print_all(&p, &err) < 0)
		status = say_error(&cmd_decode, &err);
	else
		status = unshown(p.capture);
	anonymizer_free(p.frame_anonymizer);
	engine_free(p.engine);
	capture_free(p.capture);
	topology_free(p.topology);
	return status;
}

static const struct option options[] = {
	{ .name = "json",
	  .help = "One JSON object per line, with every header and field" },
	{ .name = "verdicts",
	  .help = "Track the flows, and print what each packet is: new, a "
		  "retransmission, out of order, ..." },
	{ .name = "topology",
	  .value = "FILE",
	  .complete = COMPLETE_FILE,
	  .help = "Names, link speeds and link groups of the fabric" },
	FABRIC_OPTIONS,
	{ .name = "filter",
	  .letter = 'f',
	  .value = "BPF",
	  .help = "Only packets that match, as in tcpdump" },
	RESULT_OPTIONS,
	{ .name = NULL },
};

const struct command cmd_decode = {
	.name = "decode",
	.operands = "CAPTURE...",
	.help = "Print the packets of a capture, one per line",
	.manual = true,
	.confine = CONFINE_NAMED,
	.min_operands = 1,
	.max_operands = -1,
	.complete = COMPLETE_FILE,
	.complete_next = COMPLETE_FILE,
	.options = options,
	.run = decode_run,
};

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The public API: thin, so that what is behind it may change. */
#include "fabscope/fabscope.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/addr.h"
#include "base/topology.h"
#include "capture/capture.h"
#include "decode/packet.h"
#include "flow/core/engine.h"
#include "run/run.h"
#include "run/topology.h"

_Static_assert(FABSCOPE_UNKNOWN == FACT_UNKNOWN, /* NOLINT: two macros */
	       "one unknown");
_Static_assert(FABSCOPE_REASON == sizeof(((struct err *)0)->text),
	       "a reason fits");

const char *fabscope_version(void)
{
	return FABSCOPE_VERSION;
}

/* ---- files ---------------------------------------------------------- */

static int public_error(enum err_code code)
{
	static const int errors[] = {
		[ERR_IO] = FABSCOPE_E_IO,
		[ERR_FULL] = FABSCOPE_E_IO,
		[ERR_FORMAT] = FABSCOPE_E_FORMAT,
		[ERR_USAGE] = FABSCOPE_E_USAGE,
		[ERR_MEMORY] = FABSCOPE_E_MEMORY,
		[ERR_EXISTS] = FABSCOPE_E_EXISTS,
		[ERR_INTERNAL] = FABSCOPE_E_INTERNAL,
	};

	return errors[code] ? errors[code] : FABSCOPE_E_INTERNAL;
}

static void give(char reason[FABSCOPE_REASON], const struct err *err)
{
	if (reason)
		snprintf(reason, FABSCOPE_REASON, "%s", err->text);
}

struct fabscope_topology {
	struct topology *t;
};

struct fabscope_topology *fabscope_topology_read(const char *path,
						 char reason[FABSCOPE_REASON])
{
	struct fabscope_topology *t = calloc(1, sizeof *t);
	struct err err = { 0 };

	if (!t)
		err_set(&err, ERR_MEMORY, "out of memory");
	else
		t->t = topology_read(path, &err);
	give(reason, &err);
	if (t && t->t)
		return t;
	free(t);
	return NULL;
}

void fabscope_topology_free(struct fabscope_topology *t)
{
	if (!t)
		return;
	topology_free(t->t);
	free(t);
}

static int analyze(const struct fabscope_topology *t,
		   const char *const *captures, size_t n, const char *database,
		   struct err *err)
{
	struct capture_input *inputs = calloc(n ? n : 1, sizeof *inputs);
	size_t i;
	int rc;

	if (!inputs)
		return err_set(err, ERR_MEMORY, "out of memory");
	for (i = 0; i < n; i++)
		inputs[i].path = captures[i];
	rc = run_analyze(&(struct run_options) { .inputs = inputs,
						 .n_inputs = n,
						 .topology = t ? t->t : NULL,
						 .database = database },
			 NULL, err);
	free(inputs);
	return rc;
}

int fabscope_analyze(const char *const *captures, size_t n,
		     const char *database, char reason[FABSCOPE_REASON])
{
	return fabscope_analyze_in(NULL, captures, n, database, reason);
}

int fabscope_analyze_in(const struct fabscope_topology *t,
			const char *const *captures, size_t n,
			const char *database, char reason[FABSCOPE_REASON])
{
	struct err err = { 0 };
	int rc = -1;

	if (!n)
		err_set(&err, ERR_USAGE, "no capture");
	else
		rc = analyze(t, captures, n, database, &err);
	give(reason, &err);
	if (rc < 0)
		return public_error(err.code);
	return rc == RUN_PART ? FABSCOPE_PART : FABSCOPE_FULL;
}

/* ---- packets -------------------------------------------------------- */

struct fabscope_engine {
	struct fabscope_sink sink;
	struct decode_options decode;
	struct engine *engine;
};

static void tell_event(void *ctx, const struct fact_event *f)
{
	const struct fabscope_engine *e = ctx;
	const struct fabscope_event event = {
		.ns = f->ns,
		.frame = f->frame,
		.tap = f->tap,
		.flow = f->flow,
		.kind = event_kind_names[f->kind],
		.psn = f->psn,
		.count = f->count,
		.value = f->value,
		.confidence = f->confidence,
		.detail = f->detail,
	};

	if (e->sink.event)
		e->sink.event(e->sink.ctx, &event);
}

static void tell_flow(void *ctx, const struct fact_flow *f)
{
	static const char *const transports[] = {
		[FLOW_RC] = "RC",           [FLOW_UC] = "UC",
		[FLOW_UD] = "UD",           [FLOW_XRC] = "XRC",
		[FLOW_DC] = "DC",           [FLOW_UET_ROD] = "UET-ROD",
		[FLOW_UET_RUD] = "UET-RUD", [FLOW_UET_RUDI] = "UET-RUDI",
		[FLOW_UET_UUD] = "UET-UUD", [FLOW_VENDOR] = "vendor",
		[FLOW_UET_TSS] = "UET-TSS", [FLOW_MRC] = "MRC",
	};
	const struct fabscope_engine *e = ctx;
	char src[ADDR_TEXT], dst[ADDR_TEXT];
	const struct fabscope_flow flow = {
		.id = f->id,
		.peer = f->peer,
		.tap = f->tap,
		.transport = transports[f->transport],
		.src = addr_text(f->src, src),
		.dst = addr_text(f->dst, dst),
		.dst_qp = f->dst_qp,
		.src_qp = f->src_qp,
		.first_ns = f->first_ns,
		.last_ns = f->last_ns,
		.packets = f->packets,
		.bytes = f->bytes,
		.payload_bytes = f->payload_bytes,
		.lost_upstream = f->lost_upstream,
		.lost_downstream_min = f->lost_downstream_min,
		.lost_downstream_max = f->lost_downstream_max,
		.capture_missing = f->capture_missing,
		.unresolved = f->unresolved,
		.reordered = f->reordered,
		.retransmitted = f->retransmitted,
		.timeouts = f->timeouts,
		.recovery_ns = f->recovery_ns,
	};

	if (e->sink.flow)
		e->sink.flow(e->sink.ctx, &flow);
}

struct fabscope_engine *fabscope_engine_new(const struct fabscope_sink *sink)
{
	return fabscope_engine_new_in(NULL, sink);
}

struct fabscope_engine *
fabscope_engine_new_in(const struct fabscope_topology *t,
		       const struct fabscope_sink *sink)
{
	struct fabscope_engine *e = calloc(1, sizeof *e);
	struct flow_sink inner = { .ctx = e,
				   .event = tell_event,
				   .flow = tell_flow };

	if (!e)
		return NULL;
	e->sink = *sink;
	run_decode_options(t ? t->t : NULL, &e->decode);
	e->engine = engine_new(&(struct engine_options) { 0 }, &inner);
	if (!e->engine) {
		free(e);
		return NULL;
	}
	return e;
}

void fabscope_engine_feed(struct fabscope_engine *e,
			  const struct fabscope_frame *frames, size_t n)
{
	struct packet p;
	size_t i;

	for (i = 0; i < n; i++) {
		const struct decode_input in = {
			.data = frames[i].data,
			.caplen = frames[i].captured,
			.wirelen = frames[i].length,
			.linktype = frames[i].linktype,
			.fcs_len = frames[i].fcs,
		};

		p.ns = engine_time(frames[i].ns);
		p.frame = frames[i].number;
		p.tap = frames[i].tap;
		packet_decode(&in, &e->decode, &p);
		engine_feed(e->engine, &p, 1);
	}
}

void fabscope_engine_finish(struct fabscope_engine *e)
{
	engine_finish(e->engine);
}

void fabscope_engine_free(struct fabscope_engine *e)
{
	if (!e)
		return;
	engine_free(e->engine);
	free(e);
}

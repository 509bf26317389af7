/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the rooms of src/flow are to its core, which knows none of them.
 *
 * A room that follows something has one struct tracker; engine/trackers.c lists
 * them.  On the way of a packet rooms are called directly: this is for what
 * happens once a flow, or once a capture.  What is NULL is left out. */
#ifndef FABSCOPE_FLOW_CORE_TRACKER_H
#define FABSCOPE_FLOW_CORE_TRACKER_H

#include <stdbool.h>
#include <stdint.h>

struct engine;
struct evidence;
struct fact_event;
struct fact_flow;
struct fact_judge_flow;
struct fact_tap;
struct flow;
struct packet;

struct tracker {
	bool (*init)(struct engine *e); /* false: no memory */
	void (*fini)(struct engine *e); /* also after init() failed */

	/* |f| is new, and complete but for its first packet. */
	void (*flow_new)(struct engine *e, struct flow *f);
	/* No packet of |f| is to come, and at the end of the capture none of
	 * any: nothing is decided about it yet. */
	void (*flow_closed)(struct engine *e, struct flow *f);
	/* |f| is over: what is left to be said before its row. */
	void (*flow_end)(struct engine *e, struct flow *f);
	/* The row of |f|, which is |later|: handed out by who takes it. */
	void (*keep_row)(struct engine *e, struct flow *f,
			 const struct fact_flow *row);
	void (*flow_free)(struct engine *e, struct flow *f);
	/* An event of |f|, also one that no row is left for. */
	void (*event)(struct engine *e, const struct flow *f,
		      const struct fact_event *ev);
	void (*tap_row)(const struct engine *e, struct fact_tap *row);

	/* The capture is over: before its flows are, and after them. */
	void (*last)(struct engine *e);
	void (*finish)(struct engine *e);

	/* Of an engine that runs for weeks: rows are counted anew, what was
	 * before |before| goes, and is something used up? */
	void (*reset_caps)(struct engine *e);
	void (*forget)(struct engine *e, int64_t before);
	bool (*table_full)(const struct engine *e);
};

/* RoCE and Ultra Ethernet: what is different between their flows. */
struct transport {
	/* enum flow_transport of a flow that begins with |p| */
	unsigned (*kind)(const struct packet *p);
	void (*start)(struct engine *e, struct flow *f);
	void (*end)(struct engine *e, struct flow *f);
	void (*free)(struct engine *e, struct flow *f);
	void (*row)(struct engine *e, struct flow *f, struct fact_flow *row);
	/* What it counts otherwise, of what verdicts change; or NULL. */
	void (*counts)(const struct flow *f, struct fact_flow *row);
	/* What verdicts rest on beside |f|: out, and in again; or NULL. */
	void (*statistics)(const struct flow *f, struct fact_judge_flow *s);
	bool (*restore)(struct engine *e, struct flow *f,
			const struct fact_judge_flow *s);
	/* Decides about the evidence that is kept of |f|; returns how many
	 * fills were used up. */
	uint32_t (*decide)(struct engine *e, struct flow *f);
	/* Has |p| a PSN of its own? */
	bool (*numbers)(const struct engine *e, const struct packet *p);
	/* Is the sender in the middle of a message? */
	bool (*in_message)(const struct flow *f);
	/* When it was last granted credit that it had waited for since
	 * |*wanted|; FACT_UNKNOWN. */
	int64_t (*granted_ns)(const struct flow *f, int64_t *wanted);
	/* Does the network behind the capture point reorder it? */
	bool (*reorders)(const struct flow *f);
	/* Is it hardly of this transport: no flow?  Then its packets are
	 * counted as another's by disown(). */
	bool (*not_its_own)(const struct engine *e, const struct flow *f);
	void (*disown)(struct engine *e, const struct flow *f);
	/* Is it too little to accuse anybody? */
	bool (*slight)(const struct engine *e, const struct flow *f);
};

#endif

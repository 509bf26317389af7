/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the engine knows of congestion, at the packet it concerns.
 *
 * Marks that a CNP may answer, marks and tags that an answer carries back, and
 * the pause a packet was sent into are known when it passes, and so the same
 * in every pass.  What the sender made of a CNP, and stalls, are known later.
 *
 * How a receiver writes a congestion signaling tag into its answer is not
 * public.  What can be shown is which tag it got: that of the packet answered,
 * as seen here. */
#include "dissectors/compat.h"
#include "dissectors/plugin.h"
#include "dissectors/session.h"

static int hf_mark = -1, hf_since = -1, hf_flow = -1, hf_least = -1;
static int hf_most = -1, hf_attribution = -1, hf_reaction = -1;
static int hf_stall = -1, hf_stalled = -1, hf_pause = -1, hf_paused = -1;
static int hf_echo = -1, hf_signal = -1, hf_value = -1, hf_locator = -1;

#define FIELD(id, text, name, type, how, blurb)                             \
	{                                                                   \
		&hf_##id,                                                   \
		{                                                           \
			text, "fabscope." name, type,                       \
				(type) == FT_UINT32 ? BASE_DEC : BASE_NONE, \
				how, 0x0, blurb, HFILL                      \
		}                                                           \
	}

static hf_register_info fields[] = {
	FIELD(mark, "Last marked frame", "cnp.mark", FT_FRAMENUM, NULL,
	      "Of the flow that this CNP throttles"),
	FIELD(since, "Time since that mark", "cnp.since", FT_RELATIVE_TIME,
	      NULL, NULL),
	FIELD(flow, "Throttled flow", "cnp.flow", FT_UINT32, NULL, NULL),
	FIELD(least, "Latency, minimum", "cnp.latency_min", FT_RELATIVE_TIME,
	      NULL, "From the last CE mark that may have caused it"),
	FIELD(most, "Latency, maximum", "cnp.latency_max", FT_RELATIVE_TIME,
	      NULL, "From the first CE mark that may have caused it"),
	FIELD(attribution, "Attributed by", "cnp.attribution", FT_STRINGZ, NULL,
	      NULL),
	FIELD(reaction, "The sender", "cnp.reaction", FT_STRINGZ, NULL,
	      "Reaction of the sender to the CNP"),
	FIELD(stall, "Ends a stall", "stall", FT_STRINGZ, NULL,
	      "The flow was stalled before this packet; cause"),
	FIELD(stalled, "Stalled for", "stall.time", FT_RELATIVE_TIME, NULL,
	      NULL),
	FIELD(echo, "Reports the mark of frame", "echo", FT_FRAMENUM, NULL,
	      "Ultra Ethernet: the acknowledged packet was marked"),
	FIELD(signal, "Reflects the tag: signal", "csig.signal", FT_UINT32,
	      NULL, "Of the acknowledged packet, at this capture point"),
	FIELD(value, "Reflects the tag: value", "csig.value", FT_UINT32, NULL,
	      NULL),
	FIELD(locator, "Reflects the tag: locator", "csig.locator", FT_UINT32,
	      NULL, "Of the bottleneck"),
	FIELD(pause, "Sent during a pause, requested in frame", "pause",
	      FT_FRAMENUM, NULL, "By the receiver of this frame"),
	FIELD(paused, "Time since the pause frame", "pause.since",
	      FT_RELATIVE_TIME, NULL, NULL),
};

static void add_time(proto_tree *tree, int hf, tvbuff_t *tvb, int64_t ns)
{
	const nstime_t t = { (time_t)(ns / 1000000000),
			     (int)(ns % 1000000000) };

	if (ns != FACT_UNKNOWN)
		proto_item_set_generated(
			proto_tree_add_time(tree, hf, tvb, 0, 0, &t));
}

static void add_any(proto_tree *tree, int hf, tvbuff_t *tvb, uint32_t n)
{
	proto_item_set_generated(proto_tree_add_uint(tree, hf, tvb, 0, 0, n));
}

/* A frame as facts call it; nothing when Wireshark has no such frame. */
static void add_frame(proto_tree *tree, int hf, tvbuff_t *tvb, uint64_t frame)
{
	uint32_t number = session_number(frame);

	if (number)
		add_any(tree, hf, tvb, number);
}

static void add_text(proto_tree *tree, int hf, tvbuff_t *tvb, const char *text)
{
	if (text)
		proto_item_set_generated(
			proto_tree_add_string(tree, hf, tvb, 0, 0, text));
}

static void show_cnp(proto_tree *tree, tvbuff_t *tvb, const struct judged *j)
{
	const struct fact_cnp *c = j->cnp;

	if (j->marked) {
		add_frame(tree, hf_mark, tvb, j->marked);
		add_time(tree, hf_since, tvb, j->note.ns - j->marked_ns);
	}
	if (!c)
		return;
	if (c->flow)
		add_any(tree, hf_flow, tvb, c->flow);
	add_time(tree, hf_least, tvb, c->latency_min_ns);
	add_time(tree, hf_most, tvb, c->latency_max_ns);
	add_text(tree, hf_attribution, tvb,
		 cnp_attribution_names[c->attribution]);
	add_text(tree, hf_reaction, tvb, cnp_reaction_names[c->reaction]);
}

/* What an answer carries back to who sends. */
static void show_reflection(proto_tree *tree, tvbuff_t *tvb,
			    const struct packet *p, const struct judged *j)
{
	const struct judged *asked = known_of((uint32_t)j->note.about);

	if (!asked)
		return;
	if (p && p->kind == PACKET_UET && p->uet.flags & UET_M)
		add_frame(tree, hf_echo, tvb, j->note.about);
	if (!asked->has_csig)
		return;
	add_any(tree, hf_signal, tvb, asked->csig_signal);
	add_any(tree, hf_value, tvb, asked->csig_value);
	add_any(tree, hf_locator, tvb, asked->csig_locator);
}

void congestion_show(proto_tree *tree, tvbuff_t *tvb, const struct packet *p,
		     const struct judged *j)
{
	if (j->note.kind == NOTE_CNP)
		show_cnp(tree, tvb, j);
	if (j->stall) {
		add_text(tree, hf_stall, tvb,
			 stall_cause_names[j->stall->cause]);
		add_time(tree, hf_stalled, tvb,
			 j->stall->last_ns - j->stall->first_ns);
	}
	if (j->note.kind == NOTE_RESPONSE)
		show_reflection(tree, tvb, p, j);
	add_frame(tree, hf_pause, tvb, j->note.pause_frame);
	if (j->note.pause_frame)
		add_time(tree, hf_paused, tvb, j->note.pause_since_ns);
}

void congestion_register(void)
{
	proto_register_field_array(proto_fabscope, fields,
				   array_length(fields));
}

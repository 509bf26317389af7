/* SPDX-License-Identifier: GPL-2.0-or-later
 * The post-dissector: what the engine makes of each packet, as generated
 * fields, expert information and a word in the Info column.
 *
 * Of a complete file all is known when its first frame is shown.  Of what is
 * analyzed as it is read, a verdict on an earlier frame (a loss, when the NAK
 * comes) is shown at the frame that decided, and at the frame concerned once it
 * is known.  Expert information is raised where it is decided, so that it is
 * the same always; when the end of the capture decided, at the frame itself. */
#include <epan/expert.h>
#include <epan/tap.h>

#include "base/words.h"
#include "dissectors/compat.h"
#include "dissectors/plugin.h"
#include "dissectors/session.h"
#include "flow/recovery/decide.h"
#include "wire/wire.h"

int proto_fabscope = -1;
static int tap_fabscope = -1;
static int ett_fabscope = -1, ett_event = -1, ett_why = -1;

static int hf_flow = -1, hf_peer = -1, hf_psn = -1, hf_packet = -1,
	   hf_missing = -1, hf_trigger = -1;
static int hf_retransmission_of = -1, hf_response_to = -1, hf_since = -1,
	   hf_message = -1, hf_position = -1;
static int hf_verdict = -1, hf_reason = -1, hf_event = -1, hf_rule = -1,
	   hf_confidence = -1, hf_event_psn = -1, hf_count = -1, hf_value = -1;
static int hf_why = -1, hf_remains = -1, hf_ruled_out = -1, hf_because = -1;
static int hf_decided = -1, hf_decides = -1, hf_decides_frame = -1;

#define FIELD(id, text, name, type, base, how, blurb)                        \
	{                                                                    \
		&hf_##id,                                                    \
		{                                                            \
			text, "fabscope." name, type, base, how, 0x0, blurb, \
				HFILL                                        \
		}                                                            \
	}

static hf_register_info fields[] = {
	FIELD(flow, "Flow", "flow", FT_UINT32, BASE_DEC, NULL,
	      "Direction of a queue pair, as in the flow table of fabscope"),
	FIELD(peer, "Other direction", "peer", FT_UINT32, BASE_DEC, NULL,
	      "The flow of the opposite direction, as far as known by now"),
	FIELD(psn, "Relative PSN", "psn", FT_UINT32, BASE_DEC, NULL,
	      "Counted from the first of the requests it belongs to"),
	FIELD(packet, "Packet", "packet", FT_STRINGZ, BASE_NONE, NULL,
	      "What the packet was when it was captured"),
	FIELD(missing, "Missing PSNs before it", "missing", FT_UINT32, BASE_DEC,
	      NULL, "PSNs expected before this packet"),
	FIELD(trigger, "Retransmitted because of", "trigger", FT_STRINGZ,
	      BASE_NONE, NULL, NULL),
	FIELD(retransmission_of, "Retransmission of frame", "retransmission_of",
	      FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_RETRANS_PREV),
	      NULL),
	FIELD(response_to, "Response to frame", "response_to", FT_FRAMENUM,
	      BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_REQUEST), NULL),
	FIELD(since, "Time since that frame", "since", FT_RELATIVE_TIME,
	      BASE_NONE, NULL, NULL),
	FIELD(message, "Message", "message", FT_UINT32, BASE_DEC, NULL,
	      "Number of the message, as far as they were seen"),
	FIELD(position, "Packet of the message", "position", FT_UINT32,
	      BASE_DEC, NULL, "0 is the first"),
	FIELD(verdict, "Verdict", "verdict", FT_STRINGZ, BASE_NONE, NULL,
	      "In words"),
	FIELD(event, "Event", "event", FT_STRINGZ, BASE_NONE, NULL,
	      "As in the event table of fabscope"),
	FIELD(reason, "Why", "event.reason", FT_STRINGZ, BASE_NONE, NULL,
	      "What the rule says"),
	FIELD(rule, "Rule", "event.rule", FT_STRINGZ, BASE_NONE, NULL, NULL),
	FIELD(confidence, "Confidence", "event.confidence", FT_DOUBLE,
	      BASE_NONE, NULL, NULL),
	FIELD(event_psn, "First PSN concerned", "event.psn", FT_UINT32,
	      BASE_DEC, NULL, NULL),
	FIELD(count, "Packets concerned", "event.count", FT_UINT32, BASE_DEC,
	      NULL, NULL),
	FIELD(value, "Value", "event.value", FT_INT64, BASE_DEC, NULL,
	      "By kind, see docs/schema.md"),
	FIELD(why, "Cause of the recovery", "why", FT_STRINGZ, BASE_NONE, NULL,
	      "What was decided about the recovery that the frame is part of"),
	FIELD(remains, "Remains", "why.remains", FT_STRINGZ, BASE_NONE, NULL,
	      "A hypothesis that no evidence rules out"),
	FIELD(ruled_out, "Ruled out", "why.ruled_out", FT_STRINGZ, BASE_NONE,
	      NULL, "A hypothesis, and the evidence against it"),
	FIELD(because, "Evidence in frame", "why.frame", FT_FRAMENUM, BASE_NONE,
	      NULL, NULL),
	FIELD(decided, "Decided by frame", "event.decided", FT_FRAMENUM,
	      BASE_NONE, NULL, NULL),
	FIELD(decides, "Decides", "decides", FT_STRINGZ, BASE_NONE, NULL,
	      "A verdict that this frame decided, on an earlier one or itself"),
	FIELD(decides_frame, "About frame", "decides.frame", FT_FRAMENUM,
	      BASE_NONE, NULL, NULL),
};

/* ---- expert information ---- */

static expert_field ei_gap = EI_INIT, ei_corrupted = EI_INIT;
static expert_field ei_why = EI_INIT, ei_as_read = EI_INIT,
		    ei_otherwise = EI_INIT;
static expert_field ei_events[EVENT_KIND_COUNT];

/* How loud each verdict is. */
static const int severity[EVENT_KIND_COUNT] = {
	[EVENT_LOSS_UPSTREAM] = PI_WARN,
	[EVENT_LOSS_DOWNSTREAM] = PI_WARN,
	[EVENT_CAPTURE_MISSING] = PI_NOTE,
	[EVENT_UNRESOLVED_GAP] = PI_NOTE,
	[EVENT_REORDER] = PI_NOTE,
	[EVENT_MIRROR_DUPLICATE] = PI_CHAT,
	[EVENT_RETRANSMIT_NAK] = PI_NOTE,
	[EVENT_RETRANSMIT_TIMEOUT] = PI_WARN,
	[EVENT_RETRANSMIT_RNR] = PI_NOTE,
	[EVENT_RETRANSMIT_SPURIOUS] = PI_NOTE,
	[EVENT_RETRANSMIT_IMPLIED] = PI_NOTE,
	[EVENT_RETRANSMIT_UNKNOWN] = PI_NOTE,
	[EVENT_NAK_SEQ] = PI_WARN,
	[EVENT_NAK_FATAL] = PI_ERROR,
	[EVENT_RNR_NAK] = PI_WARN,
	[EVENT_IMPLIED_NAK] = PI_NOTE,
	[EVENT_ACK_LOST] = PI_WARN,
	[EVENT_ICRC_BAD] = PI_ERROR,
	[EVENT_EPOCH] = PI_CHAT,
	[EVENT_DUPLICATE] = PI_NOTE,
	[EVENT_OUTAGE] = PI_NOTE,
};

/* "loss_upstream", "Lost upstream" */
static const char *as_words(const char *name)
{
	char buf[WORDS_TEXT];
	char *text = wmem_strdup(wmem_epan_scope(), words_of(name, buf));

	text[0] = g_ascii_toupper(text[0]);
	return text;
}

static void expert_row(ei_register_info *row, expert_field *ei,
		       const char *name, int how, const char *text)
{
	*ei = (expert_field)EI_INIT;
	row->ids = ei;
	row->eiinfo.name = wmem_strdup_printf(wmem_epan_scope(),
					      "fabscope.expert.%s", name);
	row->eiinfo.group = PI_SEQUENCE;
	row->eiinfo.severity = how ? how : PI_NOTE;
	row->eiinfo.summary = text;
	row->eiinfo.hf_info.hfinfo.id = -1;
	row->eiinfo.hf_info.hfinfo.same_name_prev_id = -1;
}

static void register_experts(void)
{
	enum { ROWS = EVENT_KIND_COUNT + 5 };
	ei_register_info *rows = wmem_alloc0_array(wmem_epan_scope(),
						   ei_register_info, ROWS),
			 *row = rows;

	for (int i = 0; i < EVENT_KIND_COUNT; i++)
		expert_row(row++, &ei_events[i], event_kind_names[i],
			   severity[i], as_words(event_kind_names[i]));
	expert_row(row++, &ei_gap, "gap", PI_NOTE, "Gap");
	expert_row(row++, &ei_corrupted, "corrupted", PI_WARN, "Corrupted");
	expert_row(row++, &ei_why, "why", PI_CHAT, "How it was decided");
	expert_row(row++, &ei_as_read, "as_read", PI_CHAT,
		   "Analyzed as it is read: verdicts that later frames decide "
		   "are not known at first");
	expert_row(row, &ei_otherwise, "otherwise", PI_NOTE,
		   "Not analyzed: the file has another frame here, or none, as "
		   "fabscope reads it");
	expert_register_field_array(expert_register_protocol(proto_fabscope),
				    rows, ROWS);
}

/* ---- generated items ---- */

static proto_item *add_text(proto_tree *tree, int hf, tvbuff_t *tvb,
			    const char *text)
{
	proto_item *item = proto_tree_add_string(tree, hf, tvb, 0, 0, text);

	proto_item_set_generated(item);
	return item;
}

/* |name| for filters, |words| for people. */
static proto_item *add_name(proto_tree *tree, int hf, tvbuff_t *tvb,
			    const char *name, const char *words)
{
	proto_item *item = proto_tree_add_string_format_value(
		tree, hf, tvb, 0, 0, name, "%s", words);

	proto_item_set_generated(item);
	return item;
}

/* What the value of an event is; NACK: of Ultra Ethernet. */
static const struct meaning {
	const char *is, *nack, *unit;
} meaning[EVENT_KIND_COUNT] = {
	[EVENT_LOSS_DOWNSTREAM] = { "Packets lost, at most", NULL, "" },
	[EVENT_REORDER] = { "Later packets that came first", NULL, "" },
	[EVENT_RETRANSMIT_NAK] = { "Last retransmission in frame", NULL, "" },
	[EVENT_RETRANSMIT_TIMEOUT] = { "Last retransmission in frame", NULL,
				       "" },
	[EVENT_RETRANSMIT_RNR] = { "Last retransmission in frame", NULL, "" },
	[EVENT_RETRANSMIT_SPURIOUS] = { "Last retransmission in frame", NULL,
					"" },
	[EVENT_RETRANSMIT_IMPLIED] = { "Last retransmission in frame", NULL,
				       "" },
	[EVENT_RETRANSMIT_UNKNOWN] = { "Last retransmission in frame", NULL,
				       "" },
	[EVENT_NAK_SEQ] = { "NAK", "NACK code", "" },
	[EVENT_NAK_FATAL] = { "AETH syndrome", "NACK code", "" },
	[EVENT_RNR_NAK] = { "RNR timer", "NACK code", " ns" },
	[EVENT_EPOCH] = { "Connection of this QP number", NULL, "" },
	[EVENT_TRIMMED] = { "Bytes cut, or NACK code", NULL, "" },
	[EVENT_CREDIT_STALL] = { "Waited for", NULL, " ns" },
	[EVENT_NAK_STALL] = { "Sent nothing for", NULL, " ns" },
	[EVENT_RESPONSE_ERROR] = { "Return code", NULL, "" },
	[EVENT_OUTAGE] = { "PSNs skipped", NULL, "" },
};

static proto_item *add_value(proto_tree *tree, tvbuff_t *tvb,
			     const struct packet *p, const struct fact_event *e)
{
	const struct meaning *m = &meaning[e->kind];
	bool nack = p->kind == PACKET_UET && m->nack;

	return proto_tree_add_int64_format(
		tree, hf_value, tvb, 0, 0, e->value, "%s: %" PRId64 "%s",
		nack    ? m->nack
		: m->is ? m->is
			: "Value",
		e->value, nack || !m->unit ? "" : m->unit);
}

static proto_item *add_number(proto_tree *tree, int hf, tvbuff_t *tvb,
			      uint32_t number)
{
	proto_item *item = proto_tree_add_uint(tree, hf, tvb, 0, 0, number);

	proto_item_set_generated(item);
	return item;
}

static void add_known(proto_tree *tree, int hf, tvbuff_t *tvb, int64_t number)
{
	if (number != FACT_UNKNOWN)
		add_number(tree, hf, tvb, (uint32_t)number);
}

/* A frame as facts call it; nothing when Wireshark has no such frame. */
static void add_frame(proto_tree *tree, int hf, tvbuff_t *tvb, uint64_t frame)
{
	uint32_t number = session_number(frame);

	if (number)
		add_number(tree, hf, tvb, number);
}

static const char *words_for(const struct packet *p, const char *name,
			     char buf[static WORDS_TEXT])
{
	return p->kind == PACKET_UET ? words_of_uet(name, buf)
				     : words_of(name, buf);
}

static void add_expert(packet_info *pinfo, proto_item *item,
		       const struct packet *p, enum event_kind kind)
{
	char buf[WORDS_TEXT];
	const char *text = words_for(p, event_kind_names[kind], buf);

	expert_add_info_format(pinfo, item, &ei_events[kind], "%c%s",
			       g_ascii_toupper(*text), text + 1);
}

static void add_event(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo,
		      const struct tapped *tapped, const struct known_event *t)
{
	const struct judged *j = tapped->judged;
	const struct fact_event *e = &t->event;
	char buf[WORDS_REASON];
	proto_item *item = add_text(
		tree, hf_verdict, tvb,
		words_for(tapped->packet, event_kind_names[e->kind], buf));
	proto_tree *sub = proto_item_add_subtree(item, ett_event);

	add_text(sub, hf_event, tvb, event_kind_names[e->kind]);
	if (e->detail) {
		add_text(sub, hf_reason, tvb, words_of_reason(e->detail, buf));
		add_text(sub, hf_rule, tvb, e->detail);
	}
	proto_item_set_generated(proto_tree_add_double(sub, hf_confidence, tvb,
						       0, 0, e->confidence));
	add_number(sub, hf_event_psn, tvb, e->psn);
	add_number(sub, hf_count, tvb, e->count);
	if (e->value != FACT_UNKNOWN)
		proto_item_set_generated(
			add_value(sub, tvb, tapped->packet, e));
	if (t->decided)
		add_frame(sub, hf_decided, tvb, t->decided);
	if (!t->decided || t->decided == j->frame)
		add_expert(pinfo, item, tapped->packet, e->kind);
	if (t->decided != j->frame)
		return;
	proto_item_set_hidden(
		add_text(sub, hf_decides, tvb, event_kind_names[e->kind]));
	proto_item_set_hidden(
		add_number(sub, hf_decides_frame, tvb, pinfo->num));
}

static void add_decision(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo,
			 const struct packet *p, const struct known_event *t)
{
	proto_item *item = add_text(tree, hf_decides, tvb,
				    event_kind_names[t->event.kind]);
	proto_tree *sub = proto_item_add_subtree(item, ett_event);

	add_frame(sub, hf_decides_frame, tvb, t->event.frame);
	add_expert(pinfo, item, p, t->event.kind);
}

/* Where the evidence of |rule| is to be seen; 0: it is about what is not. */
static uint64_t evidence_frame(const struct fact_recovery *r,
			       const struct rule_row *rule)
{
	const struct {
		const char *name;
		uint64_t frame;
	} frames[] = { { "frame_original", r->frame_original },
		       { "frame_detect", r->frame_detect },
		       { "frame_first", r->frame_first },
		       { "frame_last", r->frame_last } };

	for (unsigned i = EVIDENCE_COUNT; i > 0; i--) {
		const char *name = evidence_rows[i - 1].frame;

		if (!(rule->needs >> (i - 1) & 1) || !name)
			continue;
		for (unsigned k = 0; k < array_length(frames); k++)
			if (!strcmp(name, frames[k].name))
				return frames[k].frame;
	}
	return 0;
}

/* A text about the recovery, in the words of its transport. */
static const char *says(packet_info *pinfo, const struct fact_recovery *r,
			const char *text)
{
	size_t size = words_to_uet(text, NULL, 0) + 1;
	char *buf;

	if (!(r->evidence & V(UET)))
		return text;
	buf = (char *)wmem_alloc(pinfo->pool, size);
	words_to_uet(text, buf, size);
	return buf;
}

/* One hypothesis that |rule| excludes. */
static void add_ruled_out(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo,
			  const struct fact_recovery *r, unsigned hypothesis,
			  const struct rule_row *rule)
{
	uint32_t frame = session_number(evidence_frame(r, rule));
	const char *text = wmem_strdup_printf(
		pinfo->pool, "%s: %s%s%s", hypothesis_rows[hypothesis].sentence,
		rule->sentence, *rule->assumption ? " Assumed: " : "",
		rule->assumption);
	proto_item *item =
		add_text(tree, hf_ruled_out, tvb, says(pinfo, r, text));

	if (frame)
		add_number(proto_item_add_subtree(item, ett_why), hf_because,
			   tvb, frame);
}

/* What remained of all that could have caused the recovery, and what ruled out
 * the rest. */
static void add_why(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo,
		    const struct fact_recovery *r)
{
	char buf[WORDS_REASON];
	proto_item *item;
	proto_tree *sub;
	wmem_strbuf_t *remains;

	if (!r || !r->evidence)
		return;
	item = add_text(tree, hf_why, tvb, words_of_reason(r->rule, buf));
	sub = proto_item_add_subtree(item, ett_why);
	remains = wmem_strbuf_new(pinfo->pool, "");
	for (unsigned i = 0; i < HYPOTHESIS_COUNT; i++)
		if (r->remaining >> i & 1) {
			const char *text =
				says(pinfo, r, hypothesis_rows[i].sentence);

			add_text(sub, hf_remains, tvb, text);
			wmem_strbuf_append_printf(
				remains, "%s%s",
				wmem_strbuf_get_len(remains) ? ", or " : "",
				text);
		}
	for (unsigned i = 0; i < HYPOTHESIS_COUNT; i++) {
		unsigned rule = rule_against(r->evidence, i);

		if (!(r->remaining >> i & 1) && rule < rule_rows_n)
			add_ruled_out(sub, tvb, pinfo, r, i, &rule_rows[rule]);
	}
	expert_add_info_format(pinfo, item, &ei_why, "%s",
			       wmem_strbuf_get_str(remains));
}

static bool is_answer(const struct fact_note *n)
{
	return n->kind == NOTE_RESPONSE || (n->kind == NOTE_NEW && n->about);
}

static void add_about(proto_tree *tree, tvbuff_t *tvb,
		      const struct fact_note *n)
{
	nstime_t since;

	if (!n->about)
		return;
	add_frame(tree, is_answer(n) ? hf_response_to : hf_retransmission_of,
		  tvb, n->about);
	since.secs = (time_t)(n->since_ns / 1000000000);
	since.nsecs = (int)(n->since_ns % 1000000000);
	proto_item_set_generated(
		proto_tree_add_time(tree, hf_since, tvb, 0, 0, &since));
}

static void add_note(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo,
		     const struct packet *p, const struct fact_note *n)
{
	char buf[WORDS_TEXT];
	bool sent_again = n->kind == NOTE_RETRANSMISSION ||
			  n->kind == NOTE_RETRANSMISSION_OF_MISSING;
	proto_item *item;

	add_number(tree, hf_flow, tvb, n->flow);
	add_known(tree, hf_peer, tvb, n->peer ? n->peer : FACT_UNKNOWN);
	add_known(tree, hf_psn, tvb, n->psn);
	item = add_name(tree, hf_packet, tvb, note_kind_names[n->kind],
			words_of(note_kind_names[n->kind], buf));
	if (n->kind == NOTE_CORRUPTED)
		expert_add_info(pinfo, item, &ei_corrupted);
	if (n->kind == NOTE_GAP)
		expert_add_info(pinfo,
				add_number(tree, hf_missing, tvb, n->missing),
				&ei_gap);
	if (sent_again)
		add_name(tree, hf_trigger, tvb,
			 recovery_trigger_names[n->trigger],
			 words_for(p, recovery_trigger_names[n->trigger], buf));
	add_about(tree, tvb, n);
	add_known(tree, hf_message, tvb, n->message);
	add_known(tree, hf_position, tvb, n->position);
}

/* What deserves a word in the list of packets. */
static void add_word(packet_info *pinfo, proto_item *root,
		     const struct packet *p, const struct fact_note *n)
{
	char kind[WORDS_TEXT], trigger[WORDS_TEXT];
	const char *name = words_of(note_kind_names[n->kind], kind);

	proto_item_append_text(root, ": %s", name);
	switch (n->kind) {
	case NOTE_NEW:
	case NOTE_RESPONSE:
	case NOTE_CNP:
	case NOTE_NOT_TRACKED:
		return;
	case NOTE_GAP:
		col_append_fstr(pinfo->cinfo, COL_INFO,
				" [gap: %u missing before]", n->missing);
		return;
	case NOTE_RETRANSMISSION:
	case NOTE_RETRANSMISSION_OF_MISSING:
		col_append_fstr(pinfo->cinfo, COL_INFO, " [%s: %s]", name,
				words_for(p, recovery_trigger_names[n->trigger],
					  trigger));
		return;
	default:
		col_append_fstr(pinfo->cinfo, COL_INFO, " [%s]", name);
	}
}

/* ACKs and NACKs do not carry the mode of their context: it is put behind their
 * type. */
static void add_mode(packet_info *pinfo, const struct tapped *t)
{
	const char *mode = known_mode(t->judged);
	const char *shown = col_get_text(pinfo->cinfo, COL_INFO);
	char *info;
	size_t type;

	if (t->packet->kind != PACKET_UET || !mode || !shown)
		return;
	switch (t->packet->uet.type) {
	case PDS_ACK:
	case PDS_ACK_CC:
	case PDS_ACK_CCX:
	case PDS_NACK:
	case PDS_NACK_CCX:
		info = wmem_strdup(pinfo->pool, shown);
		type = strcspn(info, " ");
		col_add_fstr(pinfo->cinfo, COL_INFO, "%.*s %s%s", (int)type,
			     info, mode, info + type);
		break;
	default:
		break;
	}
}

/* ---- */

static proto_item *add_root(proto_tree *tree, tvbuff_t *tvb)
{
	proto_item *root =
		proto_tree_add_item(tree, proto_fabscope, tvb, 0, 0, ENC_NA);

	proto_item_set_generated(root);
	return root;
}

static void show(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo,
		 const struct tapped *tapped)
{
	const struct judged *j = tapped->judged;
	proto_item *root = add_root(tree, tvb);
	proto_tree *sub = proto_item_add_subtree(root, ett_fabscope);

	if (j->note.frame) {
		add_word(pinfo, root, tapped->packet, &j->note);
		add_note(sub, tvb, pinfo, tapped->packet, &j->note);
		tables_show(sub, tvb, tapped);
	}
	for (const struct known_event *t = j->events; t; t = t->next_of_frame)
		add_event(sub, tvb, pinfo, tapped, t);
	add_why(sub, tvb, pinfo, j->recovery);
	for (const struct known_event *t = j->decides; t; t = t->next_decided)
		add_decision(sub, tvb, pinfo, tapped->packet, t);
	congestion_show(sub, tvb, tapped->packet, j);
}

/* Nothing is said of a frame without saying why. */
static void show_basis(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo,
		       enum session_basis basis)
{
	const struct packet *p = session_packet(tvb, pinfo);

	if (basis == SESSION_AS_READ)
		expert_add_info(pinfo, add_root(tree, tvb), &ei_as_read);
	else if (p && p->kind != PACKET_OTHER)
		expert_add_info(pinfo, add_root(tree, tvb), &ei_otherwise);
}

static int analyze(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
		   void *data)
{
	enum session_basis basis;
	const struct judged *j = session_frame(tvb, pinfo, &basis);
	struct tapped *tapped;

	(void)data;
	if (basis)
		show_basis(tree, tvb, pinfo, basis);
	if (!j)
		return 0;
	tapped = wmem_new(pinfo->pool, struct tapped);
	tapped->packet = session_packet(tvb, pinfo);
	tapped->judged = j;
	add_mode(pinfo, tapped);
	show(tree, tvb, pinfo, tapped);
	if (!j->note.frame)
		return 0;
	tap_queue_packet(tap_fabscope, pinfo, tapped);
	tables_tap(pinfo, tapped);
	return 0;
}

void analysis_register(void)
{
	static int *ett[] = { &ett_fabscope, &ett_event, &ett_why };

	proto_fabscope = proto_register_protocol("Fabric analysis (fabscope)",
						 "fabscope", "fabscope");
	proto_register_field_array(proto_fabscope, fields,
				   array_length(fields));
	proto_register_subtree_array(ett, array_length(ett));
	register_experts();
	tap_fabscope = register_tap("fabscope");
	register_postdissector(
		create_dissector_handle(analyze, proto_fabscope));
}

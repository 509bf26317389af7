/* SPDX-License-Identifier: GPL-2.0-or-later
 * The screens. */
#include "tui/screen.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPAN  "from=FROM to=TO"
#define LIMIT " limit=MOST"
#define CHART " steps=STEPS"

static const struct pane_spec overview[] = {
	{ .title = "Was it the network?",
	  .shape = SHAPE_LIST,
	  .query = "answer",
	  .columns = "job iteration? line root? place? place_at? finding?",
	  .selects = "finding=finding",
	  .enter = "Findings",
	  .none = "nothing has been analyzed",
	  .whole = true,
	  .lines = 2 },
	{ .title = "Summary",
	  .shape = SHAPE_CARD,
	  .query = "summary",
	  .params = SPAN,
	  .columns = "packets flows bytes duration_ns lost retransmitted "
		     "recovery_ns timeouts capture_missing taps reordered "
		     "rnr_nak",
	  .none = "nothing has been analyzed",
	  .lines = 3 },
	{ .title = "Load over time, all taps",
	  .shape = SHAPE_CHART,
	  .query = "timeline",
	  .params = SPAN CHART,
	  .none = "no packets",
	  .lines = 5,
	  .weight = 2 },
	{ .title = "Findings, newest first",
	  .shape = SHAPE_LIST,
	  .query = "findings",
	  .params = SPAN,
	  .columns = "first_ns severity title job_ns? cost_ns confidence",
	  .sort = "-first_ns",
	  .selects = "finding=id",
	  .enter = "Findings",
	  .none = "no findings",
	  .lines = 3,
	  .weight = 3 },
	{ .title = "Not observable at this capture point",
	  .shape = SHAPE_LIST,
	  .query = "verdict/not-observable",
	  .columns = "what verdict why taps",
	  .none = "everything is observable",
	  .lines = 2,
	  .weight = 2 },
	{ 0 },
};

static const struct pane_spec findings[] = {
	{ .title = "Findings, by severity",
	  .shape = SHAPE_LIST,
	  .query = "findings",
	  .params = SPAN,
	  .columns = "id caused_by severity title job_ns? cost_ns confidence "
		     "first_ns rule",
	  .selects = "finding=id",
	  .none = "no findings",
	  .lines = 5,
	  .weight = 2 },
	{ .title = "Details",
	  .shape = SHAPE_SAYS,
	  .query = "finding",
	  .params = "id=FINDING",
	  .columns = "title detail action severity confidence first_ns last_ns "
		     "caused_by? job_ns? cost_ns flow_id incident_id rule "
		     "place? place_at?",
	  .none = "no such finding",
	  .lines = 6,
	  .weight = 3 },
	{ .title = "Evidence",
	  .shape = SHAPE_LIST,
	  .query = "evidence",
	  .params = "id=FINDING",
	  .columns = "what name? reads tap_id? capture?",
	  .selects = "frame=frame tap=tap_id",
	  .enter = "Packets",
	  .none = "no evidence is stored",
	  .lines = 4,
	  .weight = 2 },
	{ 0 },
};

static const struct pane_spec flows[] = {
	{ .title = "Flows (one direction of a QP or PDC each)",
	  .shape = SHAPE_LIST,
	  .query = "flows",
	  .params = "once=ONCE " SPAN LIMIT,
	  .columns = "id transport src dst dst_qp? spdcid? tap? lost bytes "
		     "packets load job_id? retransmitted trimmed? recovery_ns "
		     "ce cnp "
		     "reordered timeouts rnr_nak messages goodput_bytes "
		     "duration_ns first_ns visibility epoch src_qp? dpdcid?",
	  .selects = "flow=id",
	  .enter = "Flow",
	  .none = "no flow in this time window",
	  .weight = 1 },
	{ 0 },
};

static const struct pane_spec flow[] = {
	{ .title = "Counters",
	  .shape = SHAPE_CARD,
	  .query = "flow",
	  .params = "id=FLOW " SPAN,
	  .columns = "src dst dst_qp? spdcid? packets bytes messages "
		     "lost_upstream lost_downstream_min retransmitted timeouts "
		     "nak_seq rnr_nak ce cnp reordered recovery_ns "
		     "latency_mean_ns latency_max_ns goodput_bytes transport "
		     "visibility peer_flow_id rtt_sender_ns rtt_receiver_ns "
		     "job_id? duplicates credit_stalls trimmed unresolved "
		     "capture_missing",
	  .none = "no such flow",
	  .lines = 6 },
	{ .title = "Rate over time",
	  .shape = SHAPE_CHART,
	  .query = "timeline",
	  .params = "scope=flow id=FLOW " SPAN CHART,
	  .none = "no packets",
	  .lines = 5,
	  .weight = 2 },
	{ .title = "Losses, NAKs, retransmissions, CNPs",
	  .shape = SHAPE_LADDER,
	  .query = "ladder",
	  .params = "flow=FLOW " SPAN " limit=20000",
	  .columns = "ns since_ns way kind psn count frame says",
	  .selects = "frame=frame tap=tap_id recovery=recovery",
	  .enter = "Packets",
	  .none = "no loss, NAK, retransmission or CNP was seen",
	  .why = "tui/not-observable-flow",
	  .why_params = "flow=FLOW",
	  .lines = 5,
	  .weight = 3 },
	{ .title = "How this cause was determined",
	  .shape = SHAPE_LIST,
	  .query = "why",
	  .params = "recovery=RECOVERY",
	  .columns = "verdict hypothesis frame because assuming rule",
	  .selects = "frame=frame tap=tap_id",
	  .enter = "Packets",
	  .none = "no evidence is stored",
	  .lines = 5,
	  .weight = 2,
	  .tall = 36 },
	{ 0 },
};

static const struct pane_spec psn[] = {
	{ .title = "PSN over time",
	  .shape = SHAPE_SCATTER,
	  .query = "psn",
	  .params = "flow=FLOW " SPAN " limit=20000",
	  .none = "no message, loss or retransmission was seen",
	  .why = "tui/not-observable-flow",
	  .why_params = "flow=FLOW",
	  .lines = 9,
	  .weight = 3 },
	{ .title = "Losses, NAKs, retransmissions, CNPs",
	  .shape = SHAPE_LADDER,
	  .query = "ladder",
	  .params = "flow=FLOW " SPAN " limit=20000",
	  .selects = "frame=frame tap=tap_id recovery=recovery",
	  .enter = "Packets",
	  .none = "no loss, NAK, retransmission or CNP was seen",
	  .why = "tui/not-observable-flow",
	  .why_params = "flow=FLOW",
	  .lines = 5,
	  .weight = 1 },
	{ 0 },
};

static const struct pane_spec timeseq[] = {
	{ .title = "PSN, ACK, throughput, in flight, delay",
	  .shape = SHAPE_SCATTER,
	  .query = "psn",
	  .of_packets = true,
	  .params = "flow=FLOW " SPAN,
	  .none = "no packet of the flow is in the capture",
	  .lines = 19,
	  .weight = 1 },
	{ 0 },
};

static const struct pane_spec pauses[] = {
	{ .title = "Time paused, by port and priority",
	  .shape = SHAPE_LANES,
	  .query = "pause-timeline",
	  .params = SPAN CHART " limit=200",
	  .alarm = true,
	  .none = "no pause was captured",
	  .why = "tui/not-observable",
	  .why_params = "what=pfc",
	  .lines = 5,
	  .weight = 2 },
	{ .title = "Ports that send pause frames",
	  .shape = SHAPE_LIST,
	  .query = "pause-senders",
	  .params = SPAN LIMIT,
	  .columns = "port priority pauses paused_ns share longest_ns "
		     "xoff_frames refreshes ended_by_expiry passed tap_id "
		     "source_mac",
	  .none = "no pause frame was captured",
	  .lines = 4,
	  .weight = 1 },
	{ .title = "Storms",
	  .shape = SHAPE_LIST,
	  .query = "storms",
	  .params = SPAN LIMIT,
	  .columns = "first_ns port priority level share longest_ns root depth "
		     "behind_ns seen",
	  .none = "no pause lasted longer than ordinary congestion explains",
	  .lines = 4,
	  .weight = 1 },
	{ .title = "Flows stalled by pauses",
	  .shape = SHAPE_LIST,
	  .query = "stalled-flows",
	  .params = SPAN LIMIT,
	  .selects = "flow=flow_id",
	  .enter = "Flow",
	  .none = "no flow was stalled by pauses",
	  .lines = 4,
	  .weight = 1 },
	{ 0 },
};

static const struct pane_spec links[] = {
	{ .title = "Load of each link over time",
	  .shape = SHAPE_LANES,
	  .query = "link-timeline",
	  .params = SPAN CHART " limit=200",
	  .none = "no packets",
	  .lines = 4,
	  .weight = 2 },
	{ .title = "Balance of parallel links",
	  .shape = SHAPE_LIST,
	  .query = "balance",
	  .params = SPAN,
	  .columns = "name captured mode flows bytes jfi jfi_p5 mmr_bytes "
		     "effective_flows chance busiest why",
	  .none = "no parallel links among the taps (a topology file can name "
		  "some)",
	  .lines = 4,
	  .weight = 1 },
	{ .title = "Links",
	  .shape = SHAPE_LIST,
	  .query = "links",
	  .params = SPAN,
	  .columns = "link flows bytes share utilization peak ce packets tap "
		     "speed_bps group_id",
	  .none = "no parallel links among the taps (a topology file can name "
		  "some)",
	  .lines = 4,
	  .weight = 2 },
	{ 0 },
};

static const struct pane_spec paths[] = {
	{ .title = "Residence time per switch",
	  .shape = SHAPE_LIST,
	  .query = "hops",
	  .params = SPAN LIMIT,
	  .columns = "switch position egress queue packets min_ns p50_ns "
		     "p99_ns max_ns slowest congested ce longest_ns "
		     "longest_frame tap",
	  .none = "no telemetry of switches (IFA, INT) is in the packets",
	  .lines = 5,
	  .weight = 1 },
	{ .title = "Paths of flows",
	  .shape = SHAPE_LIST,
	  .query = "paths",
	  .params = SPAN LIMIT,
	  .columns = "flow_id src dst devices packets p50_ns p99_ns max_ns "
		     "bottleneck egress waited_ns slowest ce lost "
		     "retransmitted tap",
	  .selects = "flow=flow_id",
	  .enter = "Flow",
	  .none = "no telemetry of switches (IFA, INT) is in the packets",
	  .lines = 5,
	  .weight = 2 },
	{ .title = "Bottlenecks named by congestion tags (CSIG)",
	  .shape = SHAPE_LIST,
	  .query = "csig",
	  .params = SPAN,
	  .none = "no congestion signaling tags are in the packets",
	  .lines = 4,
	  .weight = 1 },
	{ 0 },
};

static const struct pane_spec phases[] = {
	{ .title = "When each rank sent; stragglers first",
	  .shape = SHAPE_LANES,
	  .query = "tui/rank-timeline",
	  .params = SPAN CHART " limit=200",
	  .none = "phases are not identifiable: see below",
	  .lines = 4,
	  .weight = 2 },
	{ .title = "Phases",
	  .shape = SHAPE_LIST,
	  .query = "tui/phases",
	  .params = SPAN LIMIT,
	  .none = "not identifiable",
	  .lines = 5,
	  .weight = 3 },
	{ .title = "Jobs",
	  .shape = SHAPE_LIST,
	  .query = "jct",
	  .params = SPAN,
	  .columns = "job ranks iterations pattern phase_p50_ns comm_ns "
		     "jct_ns compute_ns busbw_bps why_not ranks_tapped "
		     "whole first_ns uet_job_id groups",
	  .none = "no hosts exchange data",
	  .lines = 3,
	  .weight = 1 },
	{ .title = "Slow collectives in the job log",
	  .shape = SHAPE_LIST,
	  .query = "slow-collectives",
	  .params = "over=1.2 limit=1000 " SPAN,
	  .columns = "op seq exec_ns typical_ns last_rank waited_ns class "
		     "lost_ns host bytes ranks phase_id job communicator",
	  .none = "none, or no job log was given (--job-log)",
	  .lines = 2,
	  .weight = 1 },
	{ 0 },
};

static const struct pane_spec between[] = {
	{ .title = "Segments between capture points",
	  .shape = SHAPE_LIST,
	  .query = "segments",
	  .params = SPAN LIMIT,
	  .none = "needs two capture points that saw the same packets",
	  .lines = 4,
	  .weight = 1 },
	{ .title = "Packets lost between capture points",
	  .shape = SHAPE_LIST,
	  .query = "unmatched",
	  .params = SPAN LIMIT,
	  .selects = "flow=flow",
	  .enter = "Flow",
	  .none = "none, as far as two capture points saw the same "
		  "packets",
	  .lines = 4,
	  .weight = 2 },
	{ .title = "Clocks",
	  .shape = SHAPE_LIST,
	  .query = "clocks",
	  .params = SPAN,
	  .none = "needs two capture points that saw the same packets",
	  .lines = 4,
	  .weight = 1 },
	{ 0 },
};

static const struct pane_spec packets[] = {
	{ .title = "Packets",
	  .shape = SHAPE_LIST,
	  .columns = "frame ns since_ns ends packet",
	  .selects = "frame=frame",
	  .none = "no packets",
	  .lines = 5,
	  .weight = 1 },
	{ .title = "Decoded",
	  .shape = SHAPE_DECODE,
	  .none = "no packet is chosen",
	  .lines = 5,
	  .weight = 1 },
	{ 0 },
};

static const struct pane_spec events[] = {
	{ .title = "Events",
	  .shape = SHAPE_LIST,
	  .query = "events",
	  .params = "once=ONCE " SPAN LIMIT,
	  .columns = "ns kind flow_id src dst dst_qp? spdcid? psn count value "
		     "frame confidence detail tap_id id",
	  .selects = "flow=flow_id frame=frame tap=tap_id",
	  .enter = "Flow",
	  .none = "no events in this time window",
	  .weight = 2 },
	{ 0 },
};

static const struct pane_spec recoveries[] = {
	{ .title = "Recoveries, most time lost first",
	  .shape = SHAPE_LIST,
	  .query = "recoveries",
	  .params = "once=ONCE " SPAN LIMIT,
	  .columns =
		  "first_ns flow_id trigger cause cost_ns src dst dst_qp? "
		  "spdcid? detect_ns react_ns lost_min lost_max "
		  "retransmitted_packets "
		  "retransmitted_bytes psn frame_first frame_detect confidence "
		  "rule tap_id",
	  .selects = "recovery=id flow=flow_id frame=frame_first tap=tap_id",
	  .enter = "Flow",
	  .none = "no retransmissions",
	  .lines = 5,
	  .weight = 1 },
	{ .title = "How this cause was determined",
	  .shape = SHAPE_LIST,
	  .query = "why",
	  .params = "recovery=RECOVERY",
	  .columns = "verdict hypothesis frame because assuming rule",
	  .selects = "frame=frame tap=tap_id",
	  .enter = "Packets",
	  .none = "no evidence is stored",
	  .lines = 7,
	  .weight = 1 },
	{ 0 },
};

static const struct pane_spec congestion[] = {
	{ .title = "Flows with CE marks or CNPs",
	  .shape = SHAPE_LIST,
	  .query = "ecn",
	  .params = "once=ONCE " SPAN LIMIT,
	  .columns = "id src dst dst_qp? spdcid? packets ect ce ce_share "
		     "not_ect_data cnp",
	  .selects = "flow=id",
	  .enter = "Flow",
	  .none = "no CE mark and no CNP was seen",
	  .why = "tui/not-observable",
	  .why_params = "what=ce",
	  .lines = 4,
	  .weight = 2 },
	{ .title = "Congestion notifications (CNP)",
	  .shape = SHAPE_LIST,
	  .query = "cnps",
	  .params = "once=ONCE " SPAN LIMIT,
	  .columns = "ns flow_id receiver sender qp latency_max_ns clean "
		     "rate_before_bps rate_after_bps reaction detail frame "
		     "tap_id",
	  .selects = "flow=flow_id frame=frame tap=tap_id",
	  .enter = "Flow",
	  .none = "no CNP was seen (Ultra Ethernet has none)",
	  .why = "tui/not-observable",
	  .why_params = "what=cnp",
	  .lines = 4,
	  .weight = 2 },
	{ .title = "Reaction of the senders",
	  .shape = SHAPE_LIST,
	  .query = "reactions",
	  .params = "once=ONCE " SPAN LIMIT,
	  .selects = "flow=flow_id",
	  .enter = "Flow",
	  .none = "no CNP, so no reaction",
	  .lines = 3,
	  .weight = 1 },
	{ .title = "Congestion state in Ultra Ethernet ACKs",
	  .shape = SHAPE_LIST,
	  .query = "uet-congestion",
	  .params = "once=ONCE " SPAN LIMIT,
	  .columns = "flow_id src dst spdcid job_id packets ce acks marked "
		     "marked_share service_max_ns ooo_max penalty_max restores "
		     "received_bps credit_wait_share credit_wait_ns "
		     "credit_granted credit_wanted credit_backlog_max "
		     "path_min_ns service_min_ns",
	  .selects = "flow=flow_id",
	  .enter = "Flow",
	  .none = "no ACK with congestion state",
	  .why = "tui/not-observable",
	  .why_params = "what=uet",
	  .lines = 3,
	  .weight = 2 },
	{ 0 },
};

static const struct pane_spec messages[] = {
	{ .title = "Messages: slow and unusual ones, and a sample",
	  .shape = SHAPE_LIST,
	  .query = "messages",
	  .params = "once=ONCE " SPAN LIMIT,
	  .columns = "first_ns flow_id op bytes latency_ns send_ns rate_bps "
		     "status src dst psn_first psn_last id",
	  .sort = "-latency_ns",
	  .selects = "flow=flow_id",
	  .enter = "Flow",
	  .none = "no message began in this time window",
	  .weight = 1 },
	{ 0 },
};

static const struct pane_spec uet[] = {
	{ .title = "Packet delivery contexts (Ultra Ethernet)",
	  .shape = SHAPE_LIST,
	  .query = "pdcs",
	  .params = "once=ONCE " SPAN LIMIT,
	  .columns = "flow_id transport src dst spdcid dpdcid job_id role "
		     "state packets messages load retransmitted trimmed nacks "
		     "errors reordered late_behind retx_unset entropy_values "
		     "handshake_ns open_ns syn_packets syn_bytes first_ns "
		     "epoch",
	  .selects = "flow=flow_id",
	  .enter = "Flow",
	  .none = "no packet delivery context was seen (RUDI and UUD have "
		  "none)",
	  .why = "tui/not-observable",
	  .why_params = "what=uet",
	  .lines = 5,
	  .weight = 3 },
	{ .title = "Congestion state and credit of this PDC",
	  .shape = SHAPE_CHART,
	  .query = "pdc-timeline",
	  .params = "flow=FLOW " SPAN CHART,
	  .none = "not observable: no congestion state, or too many PDCs",
	  .why = "tui/not-observable-flow",
	  .why_params = "flow=FLOW",
	  .lines = 5,
	  .weight = 2 },
	{ .title = "Jobs",
	  .shape = SHAPE_LIST,
	  .query = "jobs",
	  .params = SPAN LIMIT,
	  .none = "no job is named in the packets",
	  .why = "tui/not-observable",
	  .why_params = "what=uet",
	  .lines = 3,
	  .weight = 1 },
	{ .title = "NACKs of targets",
	  .shape = SHAPE_LIST,
	  .query = "uet-nacks",
	  .params = SPAN LIMIT,
	  .none = "no NACK",
	  .why = "tui/not-observable",
	  .why_params = "what=uet",
	  .lines = 3,
	  .weight = 1 },
	{ 0 },
};

static const struct pane_spec trimming[] = {
	{ .title = "Trimmed packets by capture point, receiver",
	  .shape = SHAPE_LIST,
	  .query = "trim-places",
	  .params = SPAN,
	  .columns = "place dst last_switch? trimmed by_last inside senders "
		     "flows cut_bytes retransmitted_packets "
		     "retransmitted_bytes cost_ns "
		     "cost_max_ns flow_id",
	  .selects = "flow=flow_id",
	  .enter = "Flow",
	  .none = "no trimmed packet and no NACK for one was seen",
	  .why = "tui/not-observable",
	  .why_params = "what=uet",
	  .lines = 3,
	  .weight = 1 },
	{ .title = "Cost of trimming per flow, and bytes saved",
	  .shape = SHAPE_LIST,
	  .query = "trims",
	  .params = "once=ONCE " SPAN LIMIT,
	  .columns =
		  "flow_id src dst cost_ns saved_ns cut_bytes "
		  "trimmed_upstream trimmed_downstream timer_ns "
		  "retransmitted_packets retransmitted_bytes trimmed_lasthop "
		  "trimmed_inside spdcid job_id? tap_id",
	  .selects = "flow=flow_id",
	  .enter = "Flow",
	  .none = "no flow was trimmed",
	  .lines = 5,
	  .weight = 2 },
	{ .title = "Rate, and when packets were trimmed",
	  .shape = SHAPE_CHART,
	  .query = "timeline",
	  .params = "scope=flow id=FLOW " SPAN CHART,
	  .none = "no packets",
	  .lines = 6,
	  .weight = 2 },
	{ 0 },
};

static const struct pane_spec entropy[] = {
	{ .title = "How flows spread over entropy values (Ultra Ethernet)",
	  .shape = SHAPE_LIST,
	  .query = "entropy-spread",
	  .params = "once=ONCE " SPAN LIMIT,
	  .columns = "flow_id src dst packets entropy_values between_values "
		     "effective_values busiest_share links? marked_values "
		     "trimmed_values lost_values transport spdcid? job_id?",
	  .selects = "flow=flow_id",
	  .enter = "Flow",
	  .none = "no Ultra Ethernet data was seen",
	  .why = "tui/not-observable",
	  .why_params = "what=uet",
	  .lines = 5,
	  .weight = 1 },
	{ .title = "Entropy values between these hosts, worst first",
	  .shape = SHAPE_LIST,
	  .query = "entropy",
	  .params = "flow=FLOW" LIMIT,
	  .columns = "ev packets bytes share bad_share ce marked trimmed "
		     "retransmitted lost",
	  .none = "not stored: RoCE, or too many values",
	  .lines = 5,
	  .weight = 1 },
	{ 0 },
};

static const struct pane_spec encrypted[] = {
	{ .title = "Sources of encrypted Ultra Ethernet (TSS)",
	  .shape = SHAPE_LIST,
	  .query = "tss",
	  .params = LIMIT,
	  .columns = "tap src sdi ssi packets bytes seen_share not_here late "
		     "late_max repeated trimmed an key_changes epoch_first "
		     "epoch_last epoch_changes receivers too_late "
		     "not_observable",
	  .none = "no encrypted packet was seen",
	  .lines = 4,
	  .weight = 2 },
	{ .title = "Encrypted flows (PDCs are not readable)",
	  .shape = SHAPE_LIST,
	  .query = "flows",
	  .params = "transport=UET-TSS once=ONCE " SPAN LIMIT,
	  .columns = "id src dst packets bytes ce duration_ns first_ns",
	  .selects = "flow=id",
	  .enter = "Flow",
	  .none = "no encrypted flow was seen",
	  .lines = 4,
	  .weight = 2 },
	{ .title = "Rate over time",
	  .shape = SHAPE_CHART,
	  .query = "timeline",
	  .params = "scope=flow id=FLOW " SPAN CHART,
	  .none = "no packets",
	  .lines = 5,
	  .weight = 2 },
	{ 0 },
};

static const struct pane_spec taps[] = {
	{ .title = "Capture points",
	  .shape = SHAPE_LIST,
	  .query = "capture-quality",
	  .params = SPAN,
	  .none = "nothing was captured",
	  .lines = 4,
	  .weight = 1 },
	{ .title = "Traffic at this capture point",
	  .shape = SHAPE_LIST,
	  .query = "taps",
	  .params = SPAN,
	  .columns = "id name packets roce cnp uet pfc other speed_bps snaplen "
		     "place first_ns last_ns path",
	  .none = "nothing was captured",
	  .lines = 4,
	  .weight = 1 },
	{ .title = "Observable at this capture point",
	  .shape = SHAPE_LIST,
	  .query = "observability",
	  .columns = "what verdict why tap",
	  .none = "nothing was captured",
	  .lines = 5,
	  .weight = 2 },
	{ 0 },
};

static const struct pane_spec live[] = {
	{ .title = "Capture status",
	  .shape = SHAPE_LIST,
	  .query = "live",
	  .params = SPAN,
	  .none = "this is not a database of fabscope live",
	  .lines = 2 },
	{ .title = "Findings of the whole run",
	  .shape = SHAPE_LIST,
	  .query = "live-findings",
	  .params = SPAN LIMIT,
	  .columns = "seen_first_ns severity title ended_ns times recording",
	  .none = "no findings in this time window",
	  .lines = 4,
	  .weight = 2 },
	{ .title = "Log",
	  .shape = SHAPE_LIST,
	  .query = "live-log",
	  .params = SPAN LIMIT,
	  .none = "nothing to say",
	  .lines = 4,
	  .weight = 2 },
	{ .title = "Files of packets",
	  .shape = SHAPE_LIST,
	  .query = "recordings",
	  .params = SPAN,
	  .columns = "first_ns last_ns kind state missed name first_frame "
		     "last_frame path",
	  .none = "no packets were recorded in this time window",
	  .lines = 3,
	  .weight = 1 },
	{ 0 },
};

/* In the order of the top line. */
const struct screen_spec screens[] = {
	{ '1', "Overview",
	  "Key figures, load, findings, what is not observable", overview },
	{ '2', "Flows", "All flows; sort, filter, choose columns", flows },
	{ '3', "Flow", "One flow: rate, and the ladder of its events", flow },
	{ '4', "Pauses", "PFC and pause: who, when, storms, stalled flows",
	  pauses },
	{ '5', "Links", "Load and balance of parallel links", links },
	{ '6', "Paths", "Hops and paths, from switch telemetry", paths },
	{ '7', "Phases", "Jobs, their iterations, and where time went",
	  phases },
	{ '8', "Packets", "Packets of what was selected, decoded in full",
	  packets },
	{ '9', "Events", "All events in order", events },
	{ '0', "UET", "Ultra Ethernet: PDCs, jobs, NACKs", uet },
	{ 'r', "Trims", "Trimmed packets: where, cost, bytes saved", trimming },
	{ 'E', "Entropy",
	  "How Ultra Ethernet spreads over entropy values, paths", entropy },
	{ 'y', "Encrypted",
	  "Encrypted Ultra Ethernet: what is still observable", encrypted },
	{ 'P', "PSN", "One flow: its PSN over time", psn },
	{ 'Q', "Sequence",
	  "One flow over time, from all its packets: PSN, rate, delay",
	  timeseq },
	{ 'f', "Findings", "Each finding in full, and its evidence", findings },
	{ 'v', "Recoveries", "Retransmissions: cause and cost", recoveries },
	{ 'c', "Congestion", "ECN marks, CNPs and reactions", congestion },
	{ 'm', "Messages", "Messages and their completion", messages },
	{ 'e', "Segments", "Loss and delay between capture points", between },
	{ 'o', "Taps", "Capture points, and what is observable there", taps },
	{ 'L', "Live", "A live analysis: drops, past findings, log, files",
	  live },
	{ 0 },
};

int screen_by_name(const char *name)
{
	int i;

	for (i = 0; screens[i].name; i++)
		if (!strcmp(screens[i].name, name))
			return i;
	return -1;
}

int screen_by_key(int key)
{
	int i;

	for (i = 0; screens[i].name; i++)
		if (screens[i].key == key)
			return i;
	return -1;
}

/* ---- parameters ------------------------------------------------------ */

struct value {
	const char *word;
	bool known, needed;
	int64_t n;
	const char *what; /* to be selected */
};

/* "flow=FLOW" as "flow=7"; NULL where it is left out. */
static char *bind_word(const char *word, size_t n, const struct value *values,
		       size_t n_values, const char **missing)
{
	const char *equals = memchr(word, '=', n);
	size_t name = equals ? (size_t)(equals - word) : n, i;
	char *out = NULL;

	for (i = 0; equals && i < n_values; i++) {
		const struct value *v = &values[i];

		if (strlen(v->word) != n - name - 1 ||
		    memcmp(v->word, equals + 1, n - name - 1) != 0)
			continue;
		if (!v->known) {
			if (v->needed)
				*missing = v->what;
			return NULL;
		}
		if (asprintf(&out, "%.*s=%" PRId64, (int)name, word, v->n) < 0)
			return NULL;
		return out;
	}
	return strndup(word, n);
}

char **screen_params(const char *params, const struct model *m, int steps,
		     bool all, const char **missing)
{
	const struct value values[] = {
		{ "FROM", m->zoomed, false, m->span.from, NULL },
		{ "TO", m->zoomed, false, m->span.to, NULL },
		{ "FLOW", m->flow != 0, true, m->flow,
		  "no flow is selected: choose one in Flows (2)" },
		{ "FINDING", m->finding != 0, true, m->finding,
		  "no finding is selected" },
		{ "RECOVERY", m->recovery != 0, true, m->recovery,
		  "the row above is not part of a recovery" },
		{ "STEPS", true, false, steps, NULL },
		{ "MOST", true, false, all ? INT32_MAX : LIST_MOST, NULL },
		{ "ONCE", !m->by_tap, false, 1, NULL },
	};
	const char *at = params ? params : "";
	char **out = calloc(strlen(at) / 2 + 2, sizeof *out);
	size_t n = 0, length;

	*missing = NULL;
	for (; out && *(at += strspn(at, " ")); at += length) {
		length = strcspn(at, " ");
		out[n] = bind_word(at, length, values,
				   sizeof values / sizeof values[0], missing);
		n += out[n] != NULL;
	}
	return out;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The sections of a report, in their order. */
#include "views/report_page.h"

static const char *const all[] = { "limit=1000000000", NULL };
static const char *const every_verdict[] = { "verdict=all", "limit=1000000000",
					     NULL };
static const char *const once[] = { "once=1", NULL };
static const char *const all_once[] = { "once=1", "limit=1000000000", NULL };
static const char *const servers[] = { "by=server", "given=1", NULL };
static const char *const rails[] = { "by=rail", "given=1", NULL };
static const char *const pods[] = { "by=pod", "given=1", NULL };
static const char *const pdcs_once[] = { "once=1", "limit=100000", NULL };
static const char *const some_contexts[] = { "flows=8", NULL };

const struct report_section report_sections[] = {
	{ .id = "timeline",
	  .chapter = "Over time",
	  .title = "The whole capture",
	  .query = "report/timeline",
	  .columns = "",
	  .draw = "timeline",
	  .about = "Drag over the strip or a diagram to look closer; all of "
		   "them follow. Hatched: capture gaps, where "
		   "packets were not captured.",
	  .empty = "No packet of a known protocol was captured.",
	  .keep = 100000 },
	{ .id = "pause-times",
	  .title = "Pauses",
	  .query = "report/pauses",
	  .columns = "",
	  .draw = "pauses",
	  .about = "A line for each port that sent pause frames; arrows go "
		   "from a storm to the storm it caused.",
	  .keep = 20000 },
	{ .id = "storms",
	  .title = "Pause storms, and how far they went",
	  .query = "storms",
	  .params = all,
	  .columns = "id level port priority first_ns longest_ns share seen "
		     "root root_id depth behind_ns",
	  .keep = 300 },
	{ .id = "propagation",
	  .title = "Storm propagation",
	  .query = "report/propagation",
	  .params = all,
	  .keep = 300 },
	{ .id = "pause-senders",
	  .title = "Ports that sent pause frames",
	  .query = "pause-senders",
	  .params = all,
	  .columns = "port tap_id priority pauses xoff_frames xon_frames "
		     "refreshes ended_by_expiry paused_ns share longest_ns "
		     "seen passed",
	  .keep = 300 },
	{ .id = "stalled-flows",
	  .title = "Flows stalled by pauses",
	  .query = "stalled-flows",
	  .params = all,
	  .keep = 300 },
	{ .id = "flows",
	  .chapter = "Flows",
	  .title = "Flows (one direction of a QP or PDC each)",
	  .query = "report/flows",
	  .params = all,
	  .columns = "id transport src dst dst_qp? spdcid? tap? packets bytes "
		     "rate_bps lost retransmitted trimmed? timeouts "
		     "recovery_ns ce cnp latency_mean_ns latency_max_ns "
		     "visibility first_ns duration_ns messages "
		     "capture_missing rnr reordered",
	  .about = "Flows with most losses first, then by size; one row "
		   "for a flow that several taps saw. A dash: not observable.",
	  .empty = "There is no flow in this capture.",
	  .keep = 500 },
	{ .id = "matrix-server",
	  .title = "Traffic between servers",
	  .query = "traffic-matrix",
	  .params = servers,
	  .matrix = "server",
	  .columns = "src dst flows bytes share lost retransmitted",
	  .about = "The darker, the more bytes. A server is what the topology "
		   "file gives a host as its server, else the host itself.",
	  .keep = 4096 },
	{ .id = "matrix-rail",
	  .title = "Traffic between rails",
	  .query = "traffic-matrix",
	  .params = rails,
	  .matrix = "rail",
	  .columns = "src dst flows bytes share lost retransmitted",
	  .keep = 4096 },
	{ .id = "matrix-pod",
	  .title = "Traffic between pods",
	  .query = "traffic-matrix",
	  .params = pods,
	  .matrix = "pod",
	  .columns = "src dst flows bytes share lost retransmitted",
	  .keep = 4096 },
	{ .id = "ladders",
	  .title = "PSN over time, of the worst flows",
	  .query = "report/ladder",
	  .columns = "",
	  .draw = "ladders",
	  .about =
		  "Line: data as sent, by PSN relative to the first one shown. "
		  "Green bar: ACK of the last packet of a message, or end of "
		  "its response. Thick line: retransmission. Vertical line: "
		  "the PSNs that one loss or NAK covers. Of many messages only "
		  "the first, the slow and the unusual ones are stored: a "
		  "missing bar does not mean a missing ACK.",
	  .keep = 10000 },
	{ .id = "recoveries",
	  .title = "Recoveries: cause and cost of retransmissions",
	  .query = "recoveries",
	  .params = all_once,
	  .columns =
		  "flow_id src dst first_ns cost_ns detect_ns react_ns "
		  "trigger cause psn lost_min lost_max retransmitted_packets "
		  "retransmitted_bytes frame_first confidence rule",
	  .keep = 500 },
	{ .id = "why",
	  .title = "How the causes of the longest recoveries were determined",
	  .query = "why",
	  .params = once,
	  .columns = "recovery flow_id verdict hypothesis because frame "
		     "tap_id assuming rule",
	  .about = "If one hypothesis remains, it is the cause; if several do, "
		   "the cause is ambiguous.",
	  .keep = 300 },
	{ .id = "ecn",
	  .title = "Flows with CE marks or CNPs",
	  .query = "ecn",
	  .params = all_once,
	  .columns = "id src dst dst_qp? spdcid? packets ect ce ce_share "
		     "not_ect_data cnp",
	  .keep = 300 },
	{ .id = "cnp-latency",
	  .title = "From CE mark to CNP",
	  .query = "cnp-latency",
	  .keep = 300 },
	{ .id = "distributions",
	  .chapter = "Latency",
	  .title = "Distributions",
	  .query = "report/distributions",
	  .columns = "",
	  .draw = "distributions",
	  .about = "Logarithmic time axis. Messages: at the capture point, "
		   "from the first packet to the ACK or the last response. "
		   "One-way delay: the same packets at two capture points.",
	  .empty = "No message was captured from start to end.",
	  .keep = 2000 },
	{ .id = "latency-percentiles",
	  .title = "Message latency in percentiles, by operation and size",
	  .query = "latency-percentiles",
	  .about = "At the capture point, from the first packet to the ACK or "
		   "the last response. Percentiles are within 1/16 of their "
		   "value.",
	  .keep = 500 },
	{ .id = "slow-messages",
	  .title = "The slowest messages",
	  .query = "slow-messages",
	  .params = once,
	  .columns = "flow_id src dst op first_ns latency_ns send_ns bytes "
		     "rate_bps psn_first psn_last status",
	  .keep = 20 },
	{ .id = "hops",
	  .title = "Residence time in switches, from telemetry",
	  .query = "hops",
	  .params = all,
	  .keep = 300 },
	{ .id = "hops-over-time",
	  .title = "Residence time in switches over time",
	  .query = "report/hops",
	  .columns = "",
	  .draw = "hops",
	  .about = "Hops with the longest residence time; where a line ends, "
		   "no packet carried telemetry.",
	  .keep = 20000 },
	{ .id = "balance",
	  .chapter = "Links",
	  .title = "Balance of parallel links",
	  .query = "balance",
	  .columns = "name source captured mode flows bytes jfi jfi_p5 "
		     "mmr_bytes mmr_flows effective_flows chance busiest why",
	  .empty = "Not identifiable: no two parallel links were captured, or "
		   "it is not known that they are parallel (name them in a "
		   "topology file).",
	  .keep = 300 },
	{ .id = "links",
	  .title = "The links of each group",
	  .query = "links",
	  .draw = "links",
	  .keep = 500 },
	{ .id = "taps",
	  .title = "Capture points",
	  .query = "verdict/taps",
	  .columns = "id name path packets packets_roce packets_cnp "
		     "packets_uet packets_pfc packets_pause packets_other "
		     "snaplen truncated malformed fragments icrc_good "
		     "icrc_bad icrc_unchecked timestamp_regressions",
	  .keep = 100 },
	{ .id = "live",
	  .title = "Live capture, when this page was written",
	  .query = "live",
	  .about = "Status of the live analysis at that time.",
	  .keep = 100 },
	{ .id = "pdcs",
	  .chapter = "Ultra Ethernet",
	  .title = "Packet delivery contexts (PDC)",
	  .query = "pdcs",
	  .params = pdcs_once,
	  .columns = "flow_id transport src dst spdcid dpdcid job_id epoch "
		     "role state packets messages retransmitted trimmed "
		     "nacks errors reordered late_behind entropy_values "
		     "first_ns open_ns handshake_ns syn_packets syn_bytes",
	  .keep = 500 },
	{ .id = "congestion",
	  .title = "Congestion state and credit of PDCs",
	  .query = "uet-congestion-over-time",
	  .params = some_contexts,
	  .columns = "",
	  .draw = "congestion",
	  .about = "PDCs that waited longest for credit, then those with most "
		   "marked and trimmed packets. ACKs count in the interval in "
		   "which they were captured; where a line ends, there was "
		   "none. The unit of credit is not published: raw values.",
	  .keep = 10000 },
	{ .id = "uet-nacks",
	  .title = "NACKs of targets",
	  .query = "uet-nacks",
	  .keep = 300 },
	{ .id = "trim-places",
	  .title = "Trimmed packets by capture point, receiver",
	  .query = "trim-places",
	  .columns = "place dst last_switch? trimmed by_last inside senders "
		     "flows cut_bytes retransmitted_packets "
		     "retransmitted_bytes cost_ns "
		     "cost_max_ns",
	  .about = "At last hop: the link to the receiver was "
		   "overloaded (incast); inside: by a switch upstream of it, "
		   "on a full path. Trimmed bytes load no link downstream.",
	  .keep = 300 },
	{ .id = "trims",
	  .title = "Trimmed packets: time lost and bytes saved",
	  .query = "trims",
	  .params = all_once,
	  .about = "Saved: the RTO that trimming avoided; a dash where no RTO "
		   "is in this capture to measure it.",
	  .keep = 300 },
	{ .id = "errors",
	  .title = "Operations refused by targets (return codes)",
	  .query = "errors",
	  .params = all_once,
	  .keep = 300 },
	{ .id = "entropy-spread",
	  .title = "How flows spread over entropy values",
	  .query = "entropy-spread",
	  .params = all_once,
	  .columns = "flow_id transport src dst spdcid? job_id? packets "
		     "entropy_values links? between_values effective_values "
		     "busiest_share marked_values trimmed_values lost_values",
	  .keep = 300 },
	{ .id = "entropy",
	  .title = "Paths: fate of packets by entropy value",
	  .query = "entropy",
	  .params = all,
	  .about = "The worst first. Between two hosts an entropy value is a "
		   "path.",
	  .keep = 300 },
	{ .id = "tss",
	  .title = "Encrypted packets (TSS), by source",
	  .query = "tss",
	  .columns = "tap src sdi ssi packets bytes receivers an key_changes "
		     "epoch_first epoch_last epoch_changes seen_share "
		     "not_here repeated late late_max too_late trimmed",
	  .about = "Encryption hides PDCs, messages, jobs, ACKs, losses and "
		   "retransmissions. Counter values missing here took another "
		   "path, were lost or were not captured: ambiguous.",
	  .keep = 300 },
	{ .id = "jobs",
	  .title = "Jobs, by the JobID of their packets",
	  .query = "jobs",
	  .params = all,
	  .keep = 100 },
	{ .id = "segments",
	  .chapter = "Between capture points",
	  .title = "Loss, CE marks and reordering per segment",
	  .query = "segments",
	  .params = all,
	  .columns = "from_tap to_tap flows packets lost missed_to "
		     "missed_from open marked reordered displaced_max "
		     "trimmed corrupted duplicated one_in",
	  .empty = "Needs two capture points that saw the same packets.",
	  .keep = 300 },
	{ .id = "segments-over-time",
	  .title = "Segments between capture points over time",
	  .query = "report/segments",
	  .columns = "",
	  .draw = "segments",
	  .about = "All packets count here, also where the event table was "
		   "full. Missed: not captured at one of both points, but not "
		   "lost. Open: lost or not captured, ambiguous.",
	  .keep = 20000 },
	{ .id = "latency",
	  .title = "Delay per segment",
	  .query = "latency",
	  .keep = 300 },
	{ .id = "clocks",
	  .title = "Clocks",
	  .query = "clocks",
	  .columns = "tap part reference method offset_ns error_ns drift_ppm "
		     "packets corrected why",
	  .keep = 300 },
	{ .id = "unmatched",
	  .title = "Packets seen at one capture point and not at the next",
	  .query = "unmatched",
	  .params = every_verdict,
	  .keep = 500 },
	{ .id = "job",
	  .chapter = "Job",
	  .title = "Jobs, from their traffic matrix",
	  .query = "jct",
	  .columns = "job ranks ranks_tapped iterations why_not confidence "
		     "pattern groups jct_ns comm_ns phase_p50_ns compute_ns "
		     "roofline_ns jct_ratio jct_ratio_estimated comm_ratio "
		     "busbw_bps",
	  .empty = "Not identifiable: too little traffic to see which hosts "
		   "work together.",
	  .keep = 100 },
	{ .id = "phases",
	  .title = "Phases, and where their time went",
	  .query = "report/phases",
	  .columns = "",
	  .draw = "phases",
	  .about = "A line for each job, a block for each communication phase; "
		   "colors are shares of its time, a frame marks a slow one.",
	  .keep = 20000 },
	{ .id = "job-causes",
	  .title = "Time lost per cause, and the job time without it",
	  .query = "job-causes",
	  .keep = 300 },
	{ .id = "job-ambiguity",
	  .title = "Ambiguous causes",
	  .query = "job-ambiguity",
	  .keep = 100 },
	{ .id = "worst-phases",
	  .title = "The longest phases",
	  .query = "worst-phases",
	  .keep = 300 },
	{ .id = "stragglers",
	  .title = "Ranks and stragglers",
	  .query = "stragglers",
	  .keep = 300 },
	{ .id = "record-causes",
	  .title = "Time of recorded collectives by cause",
	  .query = "record-causes",
	  .about = "Collectives in the job log (--job-log).",
	  .keep = 300 },
	{ .id = "slow-collectives",
	  .title = "Slow collectives in the job log",
	  .query = "slow-collectives",
	  .keep = 300 },
	{ .id = "interference",
	  .title = "Interference between jobs",
	  .query = "interference",
	  .keep = 100 },
	{ .id = "hosts",
	  .chapter = "Hosts and services",
	  .title = "Traffic per host",
	  .query = "hosts",
	  .params = all,
	  .keep = 300 },
	{ .id = "services",
	  .title = "RoCE and Ultra Ethernet side by side, by service",
	  .query = "uet-roce",
	  .draw = "services",
	  .columns = "service flows packets goodput_bytes span_ns goodput_bps "
		     "efficiency paths_mean spread_share links_mean "
		     "reordered_share lost_min_ppm lost_max_ppm trimmed_ppm "
		     "retransmitted_ppm recovery_mean_ns latency_mean_ns "
		     "setups setups_per_second setup_mean_ns",
	  .keep = 100 },
	{ .id = "counter-checks",
	  .chapter = "Counters and configuration",
	  .title = "Counters against packets",
	  .query = "counter-checks",
	  .params = all,
	  .columns = "verdict what counted packets_min packets_max device "
		     "port reason settle",
	  .keep = 300 },
	{ .id = "audit",
	  .title = "Thresholds and classes",
	  .query = "audit",
	  .params = all,
	  .keep = 300 },
	{ .id = "setup",
	  .title = "What was measured",
	  .query = "benchmark-setup",
	  .columns = "part item value missing",
	  .keep = 100 },
};

const size_t report_n_sections =
	sizeof report_sections / sizeof report_sections[0];

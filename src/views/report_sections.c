/* SPDX-License-Identifier: GPL-2.0-or-later
 * The sections of a report, in their order. */
#include "views/report_page.h"

static const char *const all[] = { "limit=1000000000", NULL };
static const char *const every_verdict[] = { "verdict=all", "limit=1000000000",
					     NULL };
static const char *const worst_pdcs[] = { "limit=100000", NULL };
static const char *const some_contexts[] = { "flows=8", NULL };

const struct report_section report_sections[] = {
	{ .id = "timeline",
	  .chapter = "Over time",
	  .title = "The whole capture",
	  .query = "report/timeline",
	  .columns = "",
	  .draw = "timeline",
	  .about = "Drag over the strip or a diagram to look closer; all of "
		   "them follow. Hatched: the capture itself misses packets "
		   "there, so that less was seen than there was.",
	  .empty = "No packet of a known kind passed.",
	  .keep = 100000 },
	{ .id = "pause-times",
	  .title = "Pauses",
	  .query = "report/pauses",
	  .columns = "",
	  .draw = "pauses",
	  .about = "A line for each port that asked for silence; arrows go "
		   "from the storm that made another to that one.",
	  .keep = 20000 },
	{ .id = "storms",
	  .title = "Pause storms, and how far they went",
	  .query = "storms",
	  .params = all,
	  .columns = "id level who priority first_ns longest_ns share seen "
		     "root root_id depth behind_ns",
	  .keep = 300 },
	{ .id = "propagation",
	  .title = "Which storm made which",
	  .query = "report/propagation",
	  .params = all,
	  .keep = 300 },
	{ .id = "pausers",
	  .title = "Ports that asked for silence",
	  .query = "pausers",
	  .params = all,
	  .columns = "who tap_id priority pauses xoff_frames xon_frames "
		     "refreshes ended_by_expiry paused_ns share longest_ns "
		     "seen passed",
	  .keep = 300 },
	{ .id = "held-flows",
	  .title = "Flows that pauses held up",
	  .query = "held-flows",
	  .params = all,
	  .keep = 300 },
	{ .id = "flows",
	  .chapter = "Flows",
	  .title = "Flows, one direction each",
	  .query = "report/flows",
	  .params = all,
	  .columns = "id transport src dst dst_qp? spdcid? packets bytes "
		     "rate_bps lost retransmitted trimmed? timeouts "
		     "recovery_ns ce cnp latency_mean_ns latency_max_ns "
		     "visibility first_ns duration_ns messages "
		     "capture_missing rnr reordered",
	  .about = "Those with most trouble first, then by size. A dash is "
		   "what cannot be known from here.",
	  .empty = "There is no flow in this capture.",
	  .keep = 500 },
	{ .id = "ladders",
	  .title = "Packet numbers over time, of the worst flows",
	  .query = "report/ladder",
	  .columns = "",
	  .draw = "ladders",
	  .about = "A line is a message from its first to its last packet "
		   "number (PSN), counted from the first one shown; a bar is "
		   "when its last packet was acknowledged or its answer was "
		   "complete; a thick line is what was sent again; an upright "
		   "line spans the packets that a mark concerns. Of many "
		   "messages the first, the slow and the unusual ones are "
		   "kept: where no line is, packets may have gone.",
	  .keep = 10000 },
	{ .id = "recoveries",
	  .title = "Recoveries: why packets were sent again, and what it cost",
	  .query = "recoveries",
	  .params = all,
	  .columns = "flow_id src dst first_ns cost_ns detect_ns react_ns "
		     "trigger cause psn lost_min lost_max resent_packets "
		     "resent_bytes frame_first confidence rule",
	  .keep = 500 },
	{ .id = "ecn",
	  .title = "Flows that were marked or told to slow down",
	  .query = "ecn",
	  .params = all,
	  .columns = "id src dst dst_qp? spdcid? packets ect ce ce_share "
		     "not_ect_data cnp",
	  .keep = 300 },
	{ .id = "cnp-latency",
	  .title = "From a mark to its notification (CNP)",
	  .query = "cnp-latency",
	  .keep = 300 },
	{ .id = "distributions",
	  .chapter = "Latency",
	  .title = "Distributions",
	  .query = "report/distributions",
	  .columns = "",
	  .draw = "distributions",
	  .about = "How many took how long; the axis of time is logarithmic. "
		   "As seen at the tap: from the first packet of a message to "
		   "its acknowledgement.",
	  .empty = "No message was seen from its beginning to its end.",
	  .keep = 2000 },
	{ .id = "slow-messages",
	  .title = "The slowest messages",
	  .query = "slow-messages",
	  .columns = "flow_id src dst op first_ns latency_ns send_ns bytes "
		     "rate_bps psn_first psn_last status",
	  .keep = 20 },
	{ .id = "hops",
	  .title = "Time inside switches, by their telemetry",
	  .query = "hops",
	  .params = all,
	  .keep = 300 },
	{ .id = "hops-over-time",
	  .title = "Time inside switches over time",
	  .query = "report/hops",
	  .columns = "",
	  .draw = "hops",
	  .about = "Of the hops where packets stayed longest; where a line "
		   "ends, no packet told.",
	  .keep = 20000 },
	{ .id = "balance",
	  .chapter = "Links",
	  .title = "Balance of parallel links",
	  .query = "balance",
	  .columns = "name source captured mode flows bytes jfi jfi_p5 "
		     "mmr_bytes mmr_flows effective_flows chance busiest why",
	  .empty = "Not identifiable: no two parallel links were captured, or "
		   "nothing says that they are parallel. A topology file does.",
	  .keep = 300 },
	{ .id = "links",
	  .title = "The links of each group",
	  .query = "links",
	  .draw = "links",
	  .keep = 500 },
	{ .id = "taps",
	  .title = "Places of capture",
	  .query = "verdict/taps",
	  .columns = "id name path packets packets_roce packets_cnp "
		     "packets_uet packets_pfc packets_pause packets_other "
		     "snaplen truncated malformed fragments icrc_good "
		     "icrc_bad icrc_unchecked timestamp_regressions",
	  .keep = 100 },
	{ .id = "live",
	  .title = "Live capture, when this page was written",
	  .query = "live",
	  .about = "The analysis was still going on, or ended as it says.",
	  .keep = 100 },
	{ .id = "pdcs",
	  .chapter = "Ultra Ethernet",
	  .title = "Packet delivery contexts (PDC)",
	  .query = "pdcs",
	  .params = worst_pdcs,
	  .columns = "flow_id transport src dst spdcid dpdcid job_id epoch "
		     "role state packets messages retransmitted trimmed "
		     "nacks errors reordered late_behind entropy_values "
		     "first_ns open_ns handshake_ns syn_packets syn_bytes",
	  .keep = 500 },
	{ .id = "congestion",
	  .title = "What contexts were told of congestion, and granted",
	  .query = "uet-congestion-over-time",
	  .params = some_contexts,
	  .columns = "",
	  .draw = "congestion",
	  .about = "Those that waited longest for credit, then those of which "
		   "most was marked and trimmed. What receivers tell is told "
		   "of the interval in which it passed here; where a line "
		   "ends, nothing was told. The unit of credit is not "
		   "published: amounts of it are raw.",
	  .keep = 10000 },
	{ .id = "refusals",
	  .title = "What targets refused (NACK)",
	  .query = "refusals",
	  .keep = 300 },
	{ .id = "trim-places",
	  .title = "Where packets were trimmed, by whom, and for whom",
	  .query = "trim-places",
	  .columns = "place dst last_switch? trimmed by_last inside senders "
		     "flows cut_bytes resent_packets resent_bytes cost_ns "
		     "cost_max_ns",
	  .about = "By the last switch: more came for a receiver than its "
		   "link carries (incast); inside: by a switch before it, on "
		   "a full path. What was cut off loaded no link from there "
		   "on.",
	  .keep = 300 },
	{ .id = "trims",
	  .title = "Trimmed packets: what they cost, and what they saved",
	  .query = "trims",
	  .params = all,
	  .about = "Saved is the time that waiting for a timer would have "
		   "taken: a dash where no timer ran out in this capture, "
		   "which would tell how long that is.",
	  .keep = 300 },
	{ .id = "errors",
	  .title = "Operations that targets refused (return codes)",
	  .query = "errors",
	  .params = all,
	  .keep = 300 },
	{ .id = "entropy-spread",
	  .title = "How flows spread over entropy values",
	  .query = "entropy-spread",
	  .params = all,
	  .columns = "flow_id transport src dst spdcid? job_id? packets "
		     "entropy_values links? between_values effective_values "
		     "busiest_share marked_values trimmed_values lost_values",
	  .keep = 300 },
	{ .id = "entropy",
	  .title = "Paths: what became of packets by entropy value",
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
	  .about = "Encryption hides contexts, messages, jobs, answers, losses "
		   "and copies. Numbers of a source that are not here went "
		   "another way, were lost or were not captured: which, nobody "
		   "can tell.",
	  .keep = 300 },
	{ .id = "jobs",
	  .title = "Jobs, by the JobID of their packets",
	  .query = "jobs",
	  .params = all,
	  .keep = 100 },
	{ .id = "segments",
	  .chapter = "Between places of capture",
	  .title = "Loss, marks and order, part by part",
	  .query = "segments",
	  .params = all,
	  .columns = "from_tap to_tap flows packets lost missed_to "
		     "missed_from open marked reordered displaced_max "
		     "trimmed damaged doubled one_in",
	  .empty = "Needs two places of capture that saw the same packets.",
	  .keep = 300 },
	{ .id = "segments-over-time",
	  .title = "What happened between places of capture, over time",
	  .query = "report/segments",
	  .columns = "",
	  .draw = "segments",
	  .about = "All packets count here, also where there was no room for "
		   "an event of each. Missed: one of both places did not "
		   "capture it, and it was not lost. Open: lost or missed, "
		   "which of both cannot be told.",
	  .keep = 20000 },
	{ .id = "latency",
	  .title = "Delay, part by part",
	  .query = "latency",
	  .keep = 300 },
	{ .id = "clocks",
	  .title = "Clocks",
	  .query = "clocks",
	  .columns = "tap part reference method offset_ns error_ns drift_ppm "
		     "packets corrected why",
	  .keep = 300 },
	{ .id = "vanished",
	  .title = "Packets that passed one place and not the next",
	  .query = "vanished",
	  .params = every_verdict,
	  .keep = 500 },
	{ .id = "job",
	  .chapter = "Job",
	  .title = "Jobs, by who talks with whom",
	  .query = "jct",
	  .columns = "job ranks ranks_tapped iterations why_not confidence "
		     "pattern jct_ns comm_ns phase_p50_ns compute_ns "
		     "roofline_ns jct_ratio jct_ratio_estimated comm_ratio "
		     "busbw_bps",
	  .empty = "Not identifiable: too little data passed here to tell "
		   "which hosts work together.",
	  .keep = 100 },
	{ .id = "phases",
	  .title = "Phases, and where their time went",
	  .query = "report/phases",
	  .columns = "",
	  .draw = "phases",
	  .about = "A line for each job, a block for each phase of "
		   "communication; its colours are shares of its time, a "
		   "frame says that it was slow.",
	  .keep = 20000 },
	{ .id = "job-causes",
	  .title = "What each cause cost, and what it would be without",
	  .query = "job-causes",
	  .keep = 300 },
	{ .id = "job-doubts",
	  .title = "Causes that this capture cannot tell apart",
	  .query = "job-doubts",
	  .keep = 100 },
	{ .id = "worst-phases",
	  .title = "The longest phases",
	  .query = "worst-phases",
	  .keep = 300 },
	{ .id = "stragglers",
	  .title = "Ranks, and who begins late by itself",
	  .query = "stragglers",
	  .keep = 300 },
	{ .id = "record-causes",
	  .title = "What the time of recorded collectives went to",
	  .query = "record-causes",
	  .about = "Of those that the job recorded itself (--job-log).",
	  .keep = 300 },
	{ .id = "slow-collectives",
	  .title = "Slow collectives, as the job recorded them",
	  .query = "slow-collectives",
	  .keep = 300 },
	{ .id = "interference",
	  .title = "How much jobs disturb each other",
	  .query = "interference",
	  .keep = 100 },
	{ .id = "hosts",
	  .chapter = "Hosts and services",
	  .title = "Who sent and received",
	  .query = "hosts",
	  .params = all,
	  .keep = 300 },
	{ .id = "services",
	  .title = "Services side by side",
	  .query = "uet-roce",
	  .columns = "service flows packets goodput_bytes span_ns goodput_bps "
		     "efficiency paths_mean spread_share links_mean "
		     "reordered_share lost_min_ppm lost_max_ppm trimmed_ppm "
		     "retransmitted_ppm recovery_mean_ns latency_mean_ns "
		     "setups setups_per_second setup_mean_ns",
	  .keep = 100 },
};

const size_t report_n_sections =
	sizeof report_sections / sizeof report_sections[0];

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The tests of the draft, sections 5 to 12: what each reports, over what. */
#include "campaign/campaign.h"

#include <string.h>

const struct campaign_param_info campaign_params[CAMPAIGN_PARAMS] = {
#define PARAM(id, key, title, kind, words) { key, title, words, kind },
#include "campaign/params.def"
#undef PARAM
};

const struct campaign_metric_info campaign_metrics[METRICS] = {
#define METRIC(id, kpi, unit) { kpi, unit },
#include "campaign/metrics.def"
#undef METRIC
};

const struct campaign_sheet_info campaign_sheet[CAMPAIGN_SHEET] = {
#define FACT(id, part, key, title) { part, key, title },
#include "base/sheet.def"
#undef FACT
};

const char *campaign_metric_title(enum campaign_metric m)
{
	switch (m) {
	case METRIC_SETUP:
		return "Set-up time";
	case METRIC_MESSAGE_SERVICE:
		return "Message latency, mean";
	case METRIC_OOO_SHARE:
		return "Out-of-order share";
	case METRIC_RETX_SHARE:
		return "Retransmitted share";
	default:
		return campaign_metrics[m].kpi +
		       (campaign_metrics[m].kpi[0] == '=');
	}
}

const char *campaign_metric_unit(enum campaign_metric m)
{
	const char *last = strrchr(campaign_metric_title(m), ' ');
	const char *unit = campaign_metrics[m].unit;

	return last && !strcmp(last + 1, unit) ? "" : unit;
}

static const struct campaign_factor loaded = {
	"Latency increase factor (loaded over unloaded)", PARAM_LOAD, "unloaded"
};
static const struct campaign_factor over_roce = { "UET over RoCEv2",
						  PARAM_TRANSPORT, "roce" };
static const struct campaign_factor over_ecmp = { "Over the ECMP baseline",
						  PARAM_BALANCE, "ecmp" };
static const struct campaign_factor together = { "JCT interference factor",
						 PARAM_TENANCY, "alone" };

#define LIST(...)                                                       \
	.metrics = { __VA_ARGS__ },                                     \
	.n_metrics = sizeof((enum campaign_metric[]) { __VA_ARGS__ }) / \
		     sizeof(enum campaign_metric)

const struct campaign_test campaign_tests[] = {
	{ "5.1", "Baseline throughput", PARAM_SIZE, PLOT_LINES,
	  LIST(METRIC_THROUGHPUT, METRIC_USED_MEAN, METRIC_USED_MOST,
	       METRIC_EFFICIENCY, METRIC_DROPS) },
	{ "5.2", "Latency characterization", PARAM_SIZE, PLOT_LINES,
	  .repetitions = 20, .latency = true, .factor = &loaded,
	  LIST(METRIC_DELAY_P99, METRIC_DELAY_MIN, METRIC_DELAY_MEAN,
	       METRIC_DELAY_P50, METRIC_DELAY_P95, METRIC_DELAY_P999,
	       METRIC_DELAY_MAX, METRIC_RTT_MIN, METRIC_MESSAGE_MEAN) },
	{ "5.3", "Back-to-back burst absorption", PARAM_INCAST, PLOT_LINES,
	  .repetitions = 50,
	  LIST(METRIC_BURST_FRAMES, METRIC_BURST_BYTES, METRIC_DROPS) },
	{ "6.1", "UET throughput by transport service", PARAM_SERVICE,
	  PLOT_BARS,
	  LIST(METRIC_THROUGHPUT, METRIC_EFFICIENCY, METRIC_SETUP,
	       METRIC_SUSTAINED) },
	{ "6.2", "UET latency characterization", PARAM_SERVICE, PLOT_BARS,
	  .repetitions = 20, .latency = true,
	  LIST(METRIC_DELAY_P99, METRIC_DELAY_P50, METRIC_DELAY_P999,
	       METRIC_MESSAGE_SERVICE, METRIC_FIRST_PACKET) },
	{ "6.3", "Packet spray efficacy under UET RUD", PARAM_BALANCE,
	  PLOT_BARS,
	  LIST(METRIC_MMR, METRIC_JFI, METRIC_OOO_SHARE, METRIC_RETX_SHARE,
	       METRIC_EFFICIENCY) },
	{ "6.4", "UET congestion control", PARAM_INCAST, PLOT_LINES,
	  LIST(METRIC_THROUGHPUT, METRIC_CONVERGENCE, METRIC_QUEUE_MAX,
	       METRIC_PFC_COUNT, METRIC_DROPS, METRIC_DROPS_FINAL,
	       METRIC_CREDITS) },
	{ "6.5", "Link-layer and network-layer enhancements", PARAM_FEATURE,
	  PLOT_BARS,
	  LIST(METRIC_THROUGHPUT, METRIC_LLR, METRIC_TRIMMED, METRIC_TRIM_SAVED,
	       METRIC_TRIM_RETX, METRIC_CBFC_STALL, METRIC_PFC_STALL,
	       METRIC_PROPAGATION) },
	{ "6.6", "UET collective communication", PARAM_TRANSPORT, PLOT_BARS,
	  .iterations = 100, .factor = &over_roce,
	  LIST(METRIC_BUSBW, METRIC_BUSBW_EFFICIENCY, METRIC_JCT) },
	{ "6.7", "UET PDC scalability and setup rate", PARAM_QPS, PLOT_LINES,
	  LIST(METRIC_PDC_RATE, METRIC_PDC_MOST, METRIC_FIRST_PACKET,
	       METRIC_THROUGHPUT) },
	{ "7.1", "ECN marking accuracy and threshold", PARAM_THRESHOLD,
	  PLOT_LINES,
	  LIST(METRIC_ECN, METRIC_ECN_DEVIATION, METRIC_QUEUE_P95,
	       METRIC_QUEUE_MAX) },
	{ "7.2", "PFC behavior under incast", PARAM_INCAST, PLOT_LINES,
	  LIST(METRIC_THROUGHPUT, METRIC_PFC_COUNT, METRIC_PFC_DURATION,
	       METRIC_STORMS, METRIC_STORM_ONSET) },
	{ "7.3", "DCQCN convergence time", PARAM_QPS, PLOT_LINES,
	  LIST(METRIC_CONVERGENCE, METRIC_ECN, METRIC_THROUGHPUT) },
	{ "7.4", "PFC storm and deadlock resilience", PARAM_FEATURE, PLOT_BARS,
	  LIST(METRIC_DEADLOCKS, METRIC_STORMS, METRIC_PROPAGATION,
	       METRIC_WATCHDOG) },
	{ "8.1", "ECMP entropy and polarization", PARAM_QPS, PLOT_LINES,
	  LIST(METRIC_MMR, METRIC_JFI, METRIC_LINK_MOST, METRIC_LINK_LEAST) },
	{ "8.2", "Dynamic load balancing (flowlet)", PARAM_FLOWLET, PLOT_LINES,
	  LIST(METRIC_MMR, METRIC_JFI, METRIC_OOO, METRIC_GAP,
	       METRIC_LINK_MOST) },
	{ "8.3", "Packet spraying", PARAM_BALANCE, PLOT_BARS,
	  LIST(METRIC_MMR, METRIC_JFI, METRIC_OOO, METRIC_RETX) },
	{ "8.4", "Jain's fairness index", PARAM_BALANCE, PLOT_BARS,
	  LIST(METRIC_JFI, METRIC_MMR) },
	{ "9.1", "AllReduce", PARAM_ACCELERATORS, PLOT_LINES, .iterations = 100,
	  .factor = &over_ecmp,
	  LIST(METRIC_BUSBW, METRIC_BUSBW_EFFICIENCY, METRIC_ITERATION_MEAN,
	       METRIC_ITERATION_P50, METRIC_ITERATION_P95, METRIC_ITERATION_P99,
	       METRIC_ECN, METRIC_PFC_COUNT, METRIC_LINK_MOST) },
	{ "9.2", "AllToAll", PARAM_ACCELERATORS, PLOT_LINES, .iterations = 100,
	  .factor = &over_ecmp,
	  LIST(METRIC_ITERATION_MEAN, METRIC_ITERATION_P50,
	       METRIC_ITERATION_P95, METRIC_ITERATION_P99, METRIC_BUSBW,
	       METRIC_BUSBW_EFFICIENCY, METRIC_ECN, METRIC_PFC_COUNT,
	       METRIC_LINK_MOST) },
	{ "9.3", "AllGather", PARAM_ACCELERATORS, PLOT_LINES, .iterations = 100,
	  .factor = &over_ecmp,
	  LIST(METRIC_BUSBW, METRIC_BUSBW_EFFICIENCY, METRIC_ITERATION_MEAN,
	       METRIC_ITERATION_P50, METRIC_ITERATION_P95, METRIC_ITERATION_P99,
	       METRIC_ECN, METRIC_PFC_COUNT, METRIC_LINK_MOST) },
	{ "9.4", "Bus bandwidth summary", PARAM_BALANCE, PLOT_BARS,
	  .iterations = 100, LIST(METRIC_BUSBW) },
	{ "10.1", "Synthetic JCT under controlled conditions",
	  PARAM_ACCELERATORS, PLOT_LINES, .iterations = 1000,
	  LIST(METRIC_JCT_RATIO, METRIC_JCT) },
	{ "10.2", "MLPerf-aligned JCT", PARAM_ACCELERATORS, PLOT_LINES,
	  LIST(METRIC_TRAIN, METRIC_TOKENS, METRIC_JCT) },
	{ "10.3", "Multi-tenant JCT interference", PARAM_OVERLAP, PLOT_LINES,
	  .factor = &together, LIST(METRIC_JCT) },
	{ "11.1", "Fabric scale limits", PARAM_ACCELERATORS, PLOT_LINES,
	  LIST(METRIC_JCT_RATIO, METRIC_BUSBW, METRIC_ECN, METRIC_PFC_COUNT,
	       METRIC_CPU, METRIC_MEMORY) },
	{ "11.2", "Link failure convergence", PARAM_BALANCE, PLOT_BARS,
	  LIST(METRIC_LOSS_DURATION, METRIC_LOST, METRIC_FAILURE_COST,
	       METRIC_REDISTRIBUTE) },
	{ "11.3", "Zero-impact failover", PARAM_BALANCE, PLOT_NONE,
	  LIST(METRIC_ZERO_IMPACT, METRIC_LOSS_DURATION) },
	{ "12.1", "24-hour sustained load", PARAM_COLLECTIVE, PLOT_HOURS,
	  LIST(METRIC_JCT_RATIO, METRIC_BUSBW, METRIC_ECN, METRIC_PFC_COUNT,
	       METRIC_CPU, METRIC_MEMORY) },
};

const size_t campaign_n_tests =
	sizeof campaign_tests / sizeof campaign_tests[0];

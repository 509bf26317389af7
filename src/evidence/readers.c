/* SPDX-License-Identifier: GPL-2.0-or-later
 * The kinds of files, in the order in which they are tried. */
#include "evidence/evidence_int.h"

const struct evidence_reader evidence_readers[] = {
	{ .kind = "rdma-statistic",
	  .read_text = read_rdma,
	  .read_json = read_rdma_json },
	{ .kind = "config-db", .read_json = read_config_db },
	{ .kind = "counters-db", .read_json = read_counters_db },
	{ .kind = "gnmi", .read_json = read_gnmi },
	{ .kind = "nccl-ras", .read_json = read_ras },
	{ .kind = "nccl-profiler", .read_json = read_profiler },
	{ .kind = "prometheus",
	  .read_text = read_prometheus,
	  .read_json = read_prometheus_json },
	{ .kind = "sonic", .read_text = read_pfcstat, .read_json = read_sonic },
	{ .kind = "ethtool", .read_text = read_ethtool },
	{ .kind = "mlnx-qos", .read_text = read_mlnx_qos },
	{ .kind = "dcb", .read_text = read_dcb, .read_json = read_dcb_json },
	{ .kind = "sysfs", .read_text = read_sysfs },
	{ .kind = "pfcwd",
	  .read_text = read_pfcwd,
	  .read_json = read_pfcwd_json },
	{ .kind = "watermark", .read_text = read_watermark },
	{ .kind = "snmp", .read_text = read_snmp },
	{ .kind = "wjh", .read_text = read_wjh },
	{ .kind = "dropwatch", .read_text = read_dropwatch },
	{ .kind = "slurm", .read_text = read_slurm },
	{ .kind = "steps", .read_text = read_steps, .among_others = true },
	{ .kind = "error-log", .read_text = read_errors },
	{ .kind = NULL },
};

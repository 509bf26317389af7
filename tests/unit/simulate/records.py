#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The job's own record agrees with the truth, by the clock of each host.

    records.py --simulate PROGRAM --scenario FILE
"""
import argparse
import json
import os
import subprocess
import tempfile


def by_clock(host, ns, begin):
    """ns of the true clock, as the host's shows it."""
    return (ns + host.get("clock_offset_ns", 0) +
            (ns - begin) * host.get("clock_drift_ppm", 0) / 1e6)


def near(a, b, tolerance):
    assert abs(a - b) <= tolerance, (a, b)


def check_inspector(lines, rank, host, its, begin):
    assert len(lines) == len(its)
    for line, it in zip(lines, its):
        perf = line["coll_perf"]
        start, end = it["rank_start_ns"][rank], it["rank_end_ns"][rank]
        kernel = perf["event_trace_ts"]["kernel_events"][0]
        assert line["header"]["rank"] == rank
        assert line["metadata"]["hostname"] == host["host"]
        assert perf["coll_sn"] == it["iteration"] + 1
        near(kernel["kernel_start_ts"], by_clock(host, start, begin) / 1e3, 1)
        near(kernel["kernel_stop_ts"], by_clock(host, end, begin) / 1e3, 1)
        near(perf["coll_exec_time_us"], (end - start) / 1e3, 1)
        near(perf["coll_algobw_gbs"],
             perf["coll_msg_size_bytes"] / (end - start), 1e-3)
        near(perf["coll_busbw_gbs"], perf["coll_algobw_gbs"] * 14 / 8, 1e-3)
        assert line["metadata"]["dump_timestamp_us"] >= kernel["kernel_stop_ts"]


def check_flight(dump, rank, host, its, begin):
    assert len(dump["entries"]) == len(its)
    for entry, it in zip(dump["entries"], its):
        start, end = it["rank_start_ns"][rank], it["rank_end_ns"][rank]
        assert entry["collective_seq_id"] == it["iteration"] + 1
        assert entry["time_created_ns"] < by_clock(host, start, begin)
        late = entry["time_discovered_completed_ns"] - by_clock(host, end,
                                                                begin)
        assert -1 <= late <= 1e6 + 1, late
        near(entry["duration_ms"], (end - start) / 1e6, 2e-6)
        assert entry["input_sizes"] == [[65536]]  # 256 KiB of floats


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--simulate", required=True)
    p.add_argument("--scenario", required=True)
    args = p.parse_args()
    with tempfile.TemporaryDirectory() as tmp:
        out = os.path.join(tmp, "x")
        subprocess.run([args.simulate, args.scenario, "-w", out + ".pcapng",
                        "--records"], check=True)
        with open(out + ".truth.json") as f:
            truth = json.load(f)
        hosts = {h["host"]: h for h in truth["hosts"]}
        names = truth["collectives"][0]["ranks"]
        assert len(names) == 8 and hosts["h3"]["clock_offset_ns"] == 3 * 10**9
        for rank, name in enumerate(names):
            stem = f"{out}.job.rank{rank}."
            with open(stem + "inspector.jsonl") as f:
                check_inspector([json.loads(x) for x in f], rank, hosts[name],
                                truth["iterations"], truth["from_ns"])
            with open(stem + "flight.json") as f:
                check_flight(json.load(f), rank, hosts[name],
                             truth["iterations"], truth["from_ns"])


if __name__ == "__main__":
    main()

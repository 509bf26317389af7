#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Two jobs on one fabric: every query that can be asked of one job, asked of
each, against the simulator's record of which flow is whose.

    jobs.py FABSCOPE SIMULATE SCENARIO"""
import json
import os
import subprocess
import sys
import tempfile

import wrapped

# Where each row tells its flow.
FLOW = {"flows": "id", "messages": "flow_id", "events": "flow_id",
        "losses": "flow_id", "recoveries": "flow_id",
        "retransmissions": "flow_id", "trims": "flow_id", "ecn": "id",
        "uet-congestion": "flow_id", "uet-congestion-over-time": "flow_id",
        "pdcs": "flow_id", "incomplete-messages": "flow_id",
        "slow-messages": "flow_id", "stalls": "flow_id",
        "timeouts": "flow_id", "rnr": "flow_id", "naks": "flow_id",
        "reordering": "id", "worst-flows": "id", "epochs": "flow_id",
        "duplicates": "flow_id", "errors": "flow_id"}


def ask(program, database, query, **params):
    return wrapped.ask(program, database, query, limit=100000, **params)


def main():
    program, simulate, scenario = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        base = os.path.join(folder, "j")
        subprocess.run([simulate, scenario, "-w", base + ".pcapng"],
                       check=True, stdout=subprocess.DEVNULL)
        subprocess.run([program, "analyze", "-o", base + ".db",
                        base + ".pcapng"], check=True,
                       stdout=subprocess.DEVNULL)
        with open(base + ".truth.json", encoding="utf-8") as f:
            truth = json.load(f)
        return compare(program, base + ".db", truth)


def compare(program, database, truth):
    whose = {}
    for flow in truth["flows"]:
        if flow.get("job") is not None:
            whose.setdefault((flow["src"], flow["dst"]), set()).add(flow["job"])
    jobs = {job for owners in whose.values() for job in owners}
    assert len(jobs) == 2, jobs
    flows = {r["id"]: r for r in ask(program, database, "flows")}
    bad = 0
    for query, column in FLOW.items():
        every = ask(program, database, query)
        apart = {job: ask(program, database, query, job=job) for job in jobs}
        rows = [r for r in every
                if r[column] and flows[r[column]]["job_id"] is not None]
        if sum(map(len, apart.values())) != len(rows):
            print(f"{query}: {len(rows)} rows, by job "
                  f"{[len(r) for r in apart.values()]}")
            bad += 1
        for job, rows in apart.items():
            for row in rows:
                f = flows[row[column]]
                if job not in whose.get((f["src"], f["dst"]), ()):
                    print(f"{query}: {f} is not of job {job}")
                    bad += 1
    for job in jobs:
        bins = ask(program, database, "job-load", job=job)
        series = sum(r["packets"] for r in bins)
        total = [r["packets"] for r in ask(program, database, "jobs")
                 if r["job_id"] == job]
        if total != [series]:
            print(f"job {job}: {series} packets over time, {total} in all")
            bad += 1
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())

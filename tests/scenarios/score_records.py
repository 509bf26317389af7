# SPDX-License-Identifier: GPL-2.0-or-later
"""What the job recorded itself: the clocks of its hosts, and where the time of
each collective went."""
import collections
import os
import statistics

from score_phases import CAUSES, HOSTS, is_clear, works

# Every rank has a record of one form, and this one of the other: what can be
# told by that alone is asked, too.
FLIGHT = 1
# What is asked of the cost of a collective: its cause, and how much longer it
# took than those of its rank that nothing held up, as parts of its length; where
# others computed meanwhile, perhaps without that.
LEAST, NEAR = 0.2, 0.25
# Flows that share a link without a tap: only that it was slow can be told.
COSTS = set(CAUSES) - {"shared", "queue"}


def ranks(truth):
    """Work, rank and address of all whose records are used: where receivers
    ask for data (CTS), as NCCL's do, nothing arrives before it is asked for."""
    address = {h["host"]: h["address"] for h in truth["hosts"]}
    asked = {m.get("work") for m in truth["messages"] if m["bytes"] == 64}
    hosts = {c["work"]: c["ranks"] for c in truth["collectives"]
             if c["work"] in asked and c["pattern"] != "pipeline"}
    return [(work, rank, address[host]) for work, all_ in hosts.items()
            for rank, host in enumerate(all_)]


def options(base, truth):
    for work, rank, address in ranks(truth):
        form = "flight.json" if rank == FLIGHT else "inspector.jsonl"
        name = f"{base}.{work}.rank{rank}.{form}"
        if os.path.exists(name):
            yield from ("--job-log", f"{address}={name}")


def right(score, what, is_right, where, said=""):
    score.add(what, 1, int(is_right))
    score.fp[what] += not is_right
    if not is_right:
        score.notes.append(f"{what}: {said} {where}")


def clocks(score, run):
    hosts = {h["address"]: h for h in run.truth["hosts"]}
    for log in run.db.execute("SELECT * FROM job_log"):
        where = f"({run.where} rank {log['rank']} {log['format']})"
        if log["offset_ns"] is None:
            score.fn["record clock"] += log["format"] != "flight-recorder"
            score.notes.append(f"record clock: {log['why_not']} {where}")
            continue
        host = hosts[log["address"]]
        drift = host.get("clock_drift_ppm", 0)
        true = -host.get("clock_offset_ns", 0) - drift * (
            log["at_ns"] - run.truth["from_ns"]) / 1e6
        right(score, "record clock",
              abs(log["offset_ns"] - true) <= log["error_ns"], where,
              f"{log['offset_ns']} +- {log['error_ns']}, true {true:.0f}")
        if log["drift_low_ppb"] is not None:
            right(score, "record drift", log["drift_low_ppb"]
                  <= -1000 * drift <= log["drift_high_ppb"], where,
                  f"{log['drift_low_ppb']}..{log['drift_high_ppb']} ppb, "
                  f"true {-drift} ppm")


def lengths(it):
    return [b - a if a >= 0 and b >= 0 else None
            for a, b in zip(it["rank_start_ns"], it["rank_end_ns"])]


def is_free(it):
    """Nothing that it waited for but the wire, and what others compute."""
    return not it.get("cause") and all(
        w["why"] in ("wire", "compute", "queue") or w["ns"] < 20000
        for w in it["waits"])


def classes(run):
    """Lost time and all time by class, of each collective."""
    lost, time = collections.defaultdict(collections.Counter), \
        collections.Counter()
    for r in run.db.execute(
            "SELECT l.address, c.seq, c.exec_ns, t.* FROM collective_time t "
            "JOIN collective c ON c.id = t.collective_id "
            "JOIN job_log l ON l.id = c.job_log_id "
            "WHERE l.format = 'nccl-inspector'"):
        if r["side"] != "needed":
            lost[r["address"], r["seq"]][r["class"]] += r["time_ns"]
        time[r["address"], r["seq"], r["exec_ns"]] += r["time_ns"]
    return lost, time


def cost(score, it, typical, said, where):
    """One collective of one rank, which took |typical| when it was free."""
    length = lengths(it)[said.rank]
    over = (length - typical) / length
    if over < LEAST or not is_clear(it):
        return
    computed = sum(w["ns"] for w in it["waits"] if w["rank"] == said.rank
                   and w["why"] == "compute") / length
    what = f"collective cause: {it['cause']}"
    hosts = set() if CAUSES[it["cause"]] & HOSTS else HOSTS
    most = [c for c, _ in said.lost.most_common() if c not in hosts][:1]
    right(score, what, bool(most) and most[0] in CAUSES[it["cause"]], where,
          f"{most} said of iteration {it['iteration']} rank {said.rank}")
    part = sum(said.lost[c] for c in CAUSES[it["cause"]]) / length
    right(score, f"collective cost: {it['cause']}",
          over - computed - NEAR <= part <= over + NEAR,
          where, f"{over:.2f} true, {part:.2f} said of iteration "
          f"{it['iteration']} rank {said.rank}")


def costs(score, run):
    Said = collections.namedtuple("Said", "rank lost")
    lost, time = classes(run)
    for (_, _, length), sum_ in time.items():
        right(score, "collective sums", abs(sum_ - length) <= 2000, run.where,
              f"{sum_} of {length}")
    by_work = works(run.truth)
    for work, rank, address in ranks(run.truth):
        done = [i for i in by_work[work] if lengths(i)[rank]]
        free = [lengths(i)[rank] for i in done if is_free(i)]
        for it in done if len(free) >= 3 else []:
            said = lost.get((address, it["iteration"] + 1))
            if said and it.get("cause") in COSTS:
                cost(score, it, statistics.median(free), Said(rank, said),
                     f"({run.where} {work})")


def compare(score, run):
    truth = run.truth
    if (not truth.get("collectives") or
            any(t.get("offset_ns") or t.get("drift_ppm")
                for t in truth["taps"])):
        return
    clocks(score, run)
    costs(score, run)

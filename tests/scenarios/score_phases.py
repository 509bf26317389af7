# SPDX-License-Identifier: GPL-2.0-or-later
"""Iterations of jobs: how many, when, of what shape, who was late, and what
the slow ones waited for."""
import collections
import statistics

SHAPES = {"ring": "ring", "doublering": "ring", "allgather": "ring",
          "reducescatter": "ring", "rail": "ring", "tree": "tree",
          "alltoall": "all-to-all",
          "pipeline": "pipeline"}
# What was asked for, as far as that can be told from outside: a name, or part
# of one.
COLLECTIVES = {"ring": "all-reduce", "rail": "all-reduce", "tree": "all-reduce",
               "doublering": "all-reduce",
               "allgather": "all-gather", "reducescatter": "reduce-scatter",
               "alltoall": "all-to-all"}
# What the simulator calls a cause, and the class of the answer.  A rank that
# computes longer asks later, too; queues on links that no tap sees may have no
# cause that is known, and credit comes late where the receiver's link is full.
# A window is no trouble of anybody.
CAUSES = {"late": {"host-late", "host-receiver"},
          "cts": {"host-receiver", "host-late"},
          "rnr": {"host-receiver"}, "recovery": {"loss"}, "paused": {"pause"},
          "rate": {"rate-cut"},
          "credit": {"host-receiver", "queueing", "unknown"},
          "shared": {"queueing", "unknown"}, "queue": {"queueing", "unknown"}}
HOSTS = {"host-late", "host-receiver"}
LEAST = 5  # iterations that make a period
NEAR_NS, NEAR = 30000, 0.1


def works(truth):
    """Iterations of each collective."""
    by = collections.defaultdict(list)
    for i in truth["iterations"]:
        by[i["work"]].append(i)
    return by


def members(truth):
    """Addresses of the ranks of each collective; one set for each rail."""
    address = {h["host"]: h["address"] for h in truth["hosts"]}
    found = {}
    for c in truth["collectives"]:
        ranks = [address[r] for r in c["ranks"]]
        if c["pattern"] == "rail":
            flows = {(f["src"], f["dst"]) for f in truth["flows"]
                     if f.get("work") == c["work"]}
            found[c["work"]] = rails(ranks, flows)
        else:
            found[c["work"]] = [(set(ranks), ranks)]
    return found


def rails(ranks, flows):
    """Ranks that exchange something."""
    groups = [{r} for r in ranks]
    for a, b in flows:
        x = next(g for g in groups if a in g)
        y = next(g for g in groups if b in g)
        if x is not y:
            groups.remove(y)
            x |= y
    return [(g, ranks) for g in groups]


def job_of(run, addresses, ranks):
    """Rails are jobs, or all of them are one: what shows that they wait for
    each other may be there or not."""
    for job in run.db.execute("SELECT * FROM job ORDER BY id"):
        seen = {a for (a,) in run.db.execute(
            "SELECT address FROM job_rank WHERE job = ?", (job["id"],))}
        if len(seen) > 1 and (seen <= addresses or seen == set(ranks)):
            return job, seen >= addresses
    return None, False


def right(score, what, is_right, where):
    score.add(what, 1, int(is_right), where)
    score.fp[what] += not is_right


def overlap(a, b):
    return min(a[1], b[1]) - max(a[0], b[0])


def silent_together(done):
    """Are all ranks silent between all iterations?  Nothing shows the end of
    one where they are not (docs/rules.md)."""
    return all(max(a["rank_end_ns"]) < min(b["rank_start_ns"])
               for a, b in zip(done, done[1:]))


def boundaries(score, done, phases, whole, where):
    """Pairs of an iteration and its phase.  Where some ranks were not seen,
    the others may have begun later and ended sooner."""
    what = "phase boundaries" + ", some ranks" * (not whole)
    for i in done:
        span = (i["comm_from_ns"], i["to_ns"])
        p = max(phases, default=None,
                key=lambda p: overlap(span, (p["first_ns"], p["last_ns"])))
        near = max(NEAR_NS, NEAR * (span[1] - span[0]))
        good = p is not None and (
            abs(p["last_ns"] - span[1]) <= near if whole else
            span[0] - near <= p["first_ns"] and p["last_ns"] <= span[1] + near)
        right(score, what, good, where)
        if good:
            yield i, p
        elif p is not None:
            score.notes.append(f"{what}: {span} said "
                               f"{(p['first_ns'], p['last_ns'])} {where}")


def overlapped(i, p, phases):
    """The phases whose time |i| is: where iterations run into each other, the
    begin of one is told with the one before."""
    return [q["id"] for q in phases if q["id"] == p["id"]
            or q["last_ns"] == p["first_ns"] and i["comm_from_ns"] < p["first_ns"]]


def is_clear(i):
    """Its cause took twice as long as any other, over all ranks."""
    sums = collections.Counter()
    for w in i["waits"]:
        if w["why"] not in ("wire", "compute"):
            sums[w["why"]] += w["ns"]
    return all(2 * n <= sums[i["cause"]] for why, n in sums.items()
               if why != i["cause"])


def longest_wait(i):
    """Of one rank, for credit."""
    return max((w["ns"] for w in i.get("waits", ()) if w["why"] == "credit"),
               default=0)


def causes(score, run, pairs, phases, where):
    # A round trip after what is asked for, credit is not late: all ranks wait
    # for it, in each iteration alike.
    usual = statistics.median([longest_wait(i) for i, _ in pairs] or [0])
    for i, p in pairs:
        if i.get("cause") not in CAUSES:
            continue
        if i["cause"] == "credit" and longest_wait(i) < 1.2 * usual:
            continue
        if i["cause"] == "rate" and not is_clear(i):
            continue
        ids = ",".join(map(str, overlapped(i, p, phases)))
        # What ranks compute is a cause of its own, and not the one asked for.
        hosts = (set() if CAUSES[i["cause"]] & HOSTS else HOSTS)
        said = [r["class"] for r in run.db.execute(
            "SELECT class, sum(time_ns) AS lost FROM phase_share "
            f"WHERE phase_id IN ({ids}) AND side <> 'needed' "
            "GROUP BY class ORDER BY lost DESC")
            if r["class"] not in hosts]
        good = bool(said) and said[0] in CAUSES[i["cause"]]
        right(score, f"phase cause: {i['cause']}", good, where)
        if not good:
            score.notes.append(f"phase cause: {i['cause']}, said {said} in "
                               f"iteration {i['iteration']} {where}")


def held_by_rate(score, run, pairs, ranks, where):
    """How long senders were slow because they had been told to, in us."""
    for i, p in pairs:
        for rank, ns in enumerate(i.get("rank_cut_ns", [])):
            (said,), = run.db.execute(
                "SELECT max(t) FROM (SELECT sum(time_ns) AS t FROM phase_flow "
                "JOIN flow f ON f.id = flow_id WHERE class = 'rate-cut' "
                "AND phase_id = ? AND f.src = ? GROUP BY flow_id)",
                (p["id"], ranks[rank])).fetchall()
            score.add("phase held by rate, us", ns // 1000,
                      (said or 0) // 1000, f"{where} {ranks[rank]}")


def named(score, job, pattern, where):
    """Which collective, and whether it keeps to its rails: what is said is
    right, and NCCL's rings and trees are named."""
    said = (job["collective"] or "").split(" or ")
    if job["collective"]:
        right(score, "phase collective",
              COLLECTIVES.get(pattern) in said, where)
    elif pattern in COLLECTIVES:
        score.add("phase collective", 1, 0, where)
    if job["layout"] or pattern == "rail":
        right(score, "phase rail-only",
              (job["layout"] == "rail-only") == (pattern == "rail"), where)


def stragglers(score, run, job, iterations, ranks, where):
    late = collections.Counter(i["late_rank"] for i in iterations
                               if i.get("late_ns"))
    true = {ranks[r] for r, n in late.items()
            if n >= LEAST and 4 * n >= len(iterations)}
    said = {a for (a,) in run.db.execute(
        "SELECT address FROM job_rank WHERE job = ? AND straggler",
        (job["id"],))}
    # Whoever asks late or not at all holds up others as well.
    allowed = {ranks[w["by"]] for i in iterations for w in i.get("waits", [])
               if w["why"] in ("cts", "rnr", "late")}
    score.sets("phase straggler", true, said, allowed, where)


def one(score, run, iterations, addresses, ranks, same, where):
    job, whole = job_of(run, addresses, ranks)
    if not job:
        return
    done = [i for i in iterations if i["to_ns"]]
    if not same:
        right(score, "phase not guessed", job["iterations"] is None, where)
        return
    if len(done) < LEAST:
        return
    what = "phase iterations" + ", no silence" * (not silent_together(done))
    score.add(what, len(done), job["iterations"] or 0, where)
    if job["iterations"] is None:
        score.notes.append(f"{what}: {job['why_not']} {where}")
        return
    phases = run.db.execute("SELECT * FROM phase WHERE job = ? ORDER BY id",
                            (job["id"],)).fetchall()
    whole = whole and job["ranks_tapped"] == job["ranks"]
    pairs = list(boundaries(score, done, phases, whole, where))
    if not whole:
        return
    pattern = iterations[0]["pattern"]
    if pattern in SHAPES:  # else it has several
        right(score, "phase shape", job["pattern"] == SHAPES[pattern], where)
    named(score, job, pattern, where)
    causes(score, run, pairs, phases, where)
    held_by_rate(score, run, pairs, ranks, where)
    stragglers(score, run, job, done, ranks, where)


def sums(score, run):
    """Times add up, to the nanosecond, whatever was captured."""
    for (n,) in run.db.execute(
            "SELECT count(*) FROM phase p WHERE last_ns - first_ns <> "
            "(SELECT sum(time_ns) FROM phase_share WHERE phase_id = p.id "
            "AND NOT gap)"):
        right(score, "phase sums", n == 0, run.where)
    for (n,) in run.db.execute(
            "SELECT count(*) FROM (SELECT 1 FROM phase_flow f "
            "JOIN phase p ON p.id = f.phase_id GROUP BY f.phase_id, f.flow_id "
            "HAVING sum(f.time_ns) <> max(p.last_ns - p.first_ns))"):
        right(score, "phase sums", n == 0, run.where)


def compare(score, run):
    truth = run.truth
    sums(score, run)
    if any(t.get("offset_ns") or t.get("drift_ppm") for t in truth["taps"]):
        return
    sizes = collections.defaultdict(set)
    for c in truth.get("collectives", []):
        sizes[c["work"]].add(c["bytes"])
    groups = members(truth) if truth.get("collectives") else {}
    for work, iterations in works(truth).items():
        for addresses, ranks in groups.get(work, []):
            one(score, run, iterations, addresses, ranks,
                len(sizes[work]) == 1, f"({run.where} {work})")

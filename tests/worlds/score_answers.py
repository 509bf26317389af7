#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs worlds of answer_worlds.py through `fabscope analyze` and compares its
answers with what the problems of these worlds cost.

    score_answers.py --fabscope PROGRAM [--first SEED] [--worlds 1]
                     [--only KIND]... [--layout hosts|one|uplinks]... [-j N]
                     [--uet] [--keep DIR] [--verbose] [--thresholds FILE]

What is counted is that of ../twins/score.py; but whether a verdict could be known
is asked only where all hosts are tapped: elsewhere `undetermined` is "open".
"no job" are jobs without an answer, "extra" what is no job and has iterations.  Exit status 1
when something is worse than its threshold, or a rule of the contract is
broken."""
import argparse
import collections
import concurrent.futures
import importlib.util
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "twins"))
import answer_worlds  # noqa: E402


def load_contract():
    """Of twins/score.py, whose name is also that of a module here."""
    path = os.path.join(HERE, "..", "twins", "score.py")
    spec = importlib.util.spec_from_file_location("twins_score", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


contract = load_contract()
LAYOUTS = ("hosts", "one", "uplinks")
ROCE_ONLY = ("rnr",)
COUNTED = contract.COUNTED + ("extra",)


def analyze(args, folder, paths, *words):
    named = [f"--tap={name}={path}" for name, path in paths.items()]
    return subprocess.run([args.fabscope, "analyze", *words, *named, "-o",
                           os.path.join(folder, "out.db")],
                          capture_output=True, text=True, cwd=folder)


# ---- which job is which ---------------------------------------------------------

def job_of(db, world):
    """{name of a job in the world: id}: most hosts in common, then most of its
    iterations."""
    ranks = collections.defaultdict(set)
    for job, who in db.execute("SELECT job, address FROM job_rank"):
        ranks[job].add(who)
    iterations = dict(db.execute(
        "SELECT job, count(DISTINCT iteration) FROM phase GROUP BY job"))
    found = {}
    for name, work in jobs_of(world).items():
        members = {world.address_text(h) for h in work.hosts}

        def fit(job):
            return (len(ranks[job] & members) / len(ranks[job] | members),
                    -abs(iterations.get(job, 0) - work.like["iterations"]))
        free = [j for j in ranks if j not in found.values()]
        best = max(free, key=fit, default=None)
        if best is not None and fit(best)[0] > 0.5:
            found[name] = best
    forced = {job for job, n in iterations.items() if n}
    return found, forced - set(found.values())


def jobs_of(world):
    return {name: work for name, work in world.jobs.items()
            if isinstance(work, answer_worlds.jobs.Job) and
            not world.spec.no_job}


# ---- one capture ------------------------------------------------------------------

def score_root(result, world, truth, said, ids):
    if not said:
        result.roots["unnamed"] += 1
        return
    names = [words for root in truth.roots()
             for words in root_words(world, truth, root, ids)]
    good = any(all(contract.has_word(said, w) for w in words)
               for words in names)
    result.roots["named" if good else "misnamed"] += 1
    if not good:
        result.notes.append(f"root {said!r}, not {names}")


def root_words(world, truth, root, ids):
    """Of a problem its places; of the fabric the links where the job waited
    longest, and whose packets it waited for there."""
    def at(name):
        return (world.address_text(world.hosts[name]) if name in world.hosts
                else name)
    if root and len(root) == 1:
        return [{at(root[0])}, {root[0]}]
    if root:
        return [{at(a)} for a in root if a in world.hosts] + [
            {a} for a in root if a in world.hosts]
    words = []
    ports = sorted(world.ports.values(), key=lambda p: -(
        p.waited[truth.job] + (p.paused_ns if p.carried[truth.job] else 0)))
    for port in ports[:3]:
        ends = [port.node.name, port.peer.name]
        words += [{at(e)} for e in ends if e in world.hosts]
        words.append(set(ends))
        words += [{f"job {i}"} for name, i in ids.items()
                  if name != truth.job and port.carried[name]]
        words += [{world.address_text(h)} for w in world.jobs.values()
                  if port.carried[w.name] for h in hosts_of(w)]
    return words


def hosts_of(work):
    if hasattr(work, "hosts"):
        return work.hosts
    return [h.src for h in work.halves] + [work.halves[0].dst]


def score_shares(result, truth, a, shares):
    said, true = collections.Counter(), truth.shares()
    for s in shares:
        if s["answer_id"] == a["id"]:
            key = ("needed" if s["side"] == "needed" else
                   (s["class"], s["side"]))
            said[key] += s["ns"] / (a["total_ns"] or 1)
    result.merged.append(sum(abs(said[k] - true[k])
                             for k in set(said) | set(true)))


def describe(truth):
    return " ".join(f"{k[0]}={v:.3f}" for k, v in truth.shares().items()
                    if k != "needed")


def score_db(result, world, truths, db, layout):
    answers = [dict(r) for r in db.execute("SELECT * FROM answer ORDER BY id")]
    shares = [dict(r) for r in db.execute("SELECT * FROM answer_share")]
    contract.check_sums(result, answers, shares)
    contract.check_rows(result, db, answers)
    ids, extra = job_of(db, world)
    if extra:
        result.count["job", "extra"] += len(extra)
        result.notes.append(f"extra jobs {sorted(extra)}")
    by_job = {a["job"]: a for a in answers if a["scope"] == "job"}
    known = layout == "hosts"
    for truth in truths:
        a = by_job.get(ids.get(truth.job))
        if a is None:
            if known:
                result.count["job", "no job"] += 1
                result.notes.append(f"no job for {truth.job}")
            continue
        how = contract.judge(a["verdict"], truth.verdicts, known)
        result.count["job", how] += 1
        note(result, how, f"job {truth.job}", a, truth.verdicts,
             describe(truth))
        if known:
            score_shares(result, truth, a, shares)
            if result.merged[-1] > 0.3:
                said = " ".join(f"{s['class']}/{s['side']}="
                                f"{s['ns'] / a['total_ns']:.3f}"
                                for s in shares if s["answer_id"] == a["id"])
                result.notes.append(f"L1 {result.merged[-1]:.2f} "
                                    f"{truth.job}: {describe(truth)}; "
                                    f"said {said}")
            score_steps(result, world, truth, db, a["job"])
        if how == "right" and a["verdict"] != "nothing-wrong":
            score_root(result, world, truth, a["root"], ids)
    return answers, shares


def score_steps(result, world, truth, db, job):
    """Iterations whose end some phase has (of all its phases the last)."""
    said = [r[0] - answer_worlds.fabric.BEGIN for r in db.execute(
        "SELECT max(last_ns) FROM phase WHERE job = ? GROUP BY iteration",
        (job,))]
    ends = sorted(world.jobs[truth.job].ends.values())
    near = max(contract.NEAR_NS, contract.NEAR * ends[-1] / len(ends))
    result.steps["all"] += len(ends)
    result.steps["found"] += sum(any(abs(e - s) <= near for s in said)
                                 for e in ends)


def note(result, how, what, a, right, more=""):
    if how not in ("right", "open"):
        result.notes.append(f"{how}: {what}, {a['verdict']}, not "
                            f"{'/'.join(sorted(right))}; {more}; "
                            f"{a['reason']}")


def score_capture(result, world, truths, folder, layout, as_json, text):
    db = sqlite3.connect(os.path.join(folder, "out.db"))
    db.row_factory = sqlite3.Row
    try:
        answers, shares = score_db(result, world, truths, db, layout)
        contract.check_json(result, as_json, answers, shares)
        capture = next(a for a in answers if a["scope"] == "capture")
        contract.check_first_line(result, text, capture["verdict"])
        if truths and not world.spec.no_job:
            right = contract.allowed([{"verdicts": t.verdicts}
                                      for t in truths])
            how = contract.judge(capture["verdict"], right,
                                 layout == "hosts")
            result.count["capture", how] += 1
            note(result, how, "capture", capture, right)
    finally:
        db.close()


def run_one(args, kind, layout, seed, folder):
    result = contract.Result()
    spec = answer_worlds.Spec(kind, seed, args.uet)
    spec.tap(layout)
    world, truths = answer_worlds.run_all(spec)
    if spec.no_job:
        truths = []
    folder = os.path.join(folder, f"{kind}.{layout}.{seed}")
    os.makedirs(folder, exist_ok=True)
    paths = answer_worlds.write_captures(world, folder)
    text = analyze(args, folder, paths)
    done = analyze(args, folder, paths, "--json")
    where = f"{kind} {layout} {seed} ({spec.shape} of {spec.n}, {spec.mode}): "
    if done.returncode or text.returncode:
        result.broken.append(f"analyze says {done.returncode}, "
                             f"{text.returncode}: {text.stderr[-200:]}")
    else:
        score_capture(result, world, truths, folder, layout, done.stdout,
                      text.stdout)
    result.broken = [where + b for b in result.broken]
    result.notes = [where + n for n in result.notes]
    if args.keep:
        with open(os.path.join(folder, "truth.json"), "w") as f:
            json.dump([{"job": t.job, "total_ns": t.total,
                        "verdicts": sorted(t.verdicts),
                        "shares": {str(k): v for k, v in t.shares().items()}}
                       for t in truths], f, indent=1)
    else:
        for name in os.listdir(folder):
            os.unlink(os.path.join(folder, name))
    return kind, layout, result


# ---- the table ----------------------------------------------------------------------

def line(name, layout, r):
    cells = [f"{r.count['capture', h]:>4}/{r.count['job', h]:<4}"
             for h in COUNTED]
    print(f"{name:<18}{layout:<9}{''.join(cells)}"
          f"{contract.figure(contract.mean(r.merged))}"
          f"{r.roots['named']:>6}{r.roots['misnamed']:>4}"
          f"{r.roots['unnamed']:>4}"
          f"{r.steps['found']:>5}/{r.steps['all']:<5}{len(r.broken):>6}")


def table(found):
    print(f"{'kind':<18}{'taps':<9}" +
          "".join(f"{h:^9}" for h in COUNTED) +
          f"{'merged':>7}{'root':>6}{'bad':>4}{'no':>4}"
          f"{'steps':^11}{'broken':>6}")
    total = contract.Result()
    for (name, layout), result in found.items():
        line(name, layout, result)
        total.add(result)
    line("all", "", total)
    return total


def measures(r):
    got = contract.measures(r)
    got["extra"] = r.count["job", "extra"]
    got["answers"] -= got["extra"]
    for name in ("l1", "groups missed", "groups false"):
        del got[name]
    return got


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--fabscope", required=True)
    p.add_argument("--first", type=int, default=1)
    p.add_argument("--worlds", type=int, default=1)
    p.add_argument("--only", action="append",
                   choices=list(answer_worlds.KINDS))
    p.add_argument("--layout", action="append", choices=LAYOUTS)
    p.add_argument("--uet", action="store_true",
                   help="packet delivery contexts instead of queue pairs")
    p.add_argument("--thresholds")
    p.add_argument("--keep")
    p.add_argument("-j", "--jobs", type=int, default=1)
    p.add_argument("--verbose", action="store_true")
    args = p.parse_args()
    args.fabscope = os.path.abspath(args.fabscope)
    found = collections.defaultdict(contract.Result)
    with tempfile.TemporaryDirectory() as tmp:
        folder = os.path.abspath(args.keep or tmp)
        what = [(args, kind, layout, seed, folder)
                for kind in args.only or answer_worlds.KINDS
                if not (args.uet and kind in ROCE_ONLY)
                for layout in args.layout or LAYOUTS
                for seed in range(args.first, args.first + args.worlds)]
        with concurrent.futures.ProcessPoolExecutor(args.jobs) as pool:
            for name, layout, result in pool.map(run_one, *zip(*what)):
                found[name, layout].add(result)
    total = table(found)
    if args.verbose:
        print("\n".join(total.notes + total.broken))
    elif total.broken:
        print("\n".join(total.broken[:5]))
    got = measures(total)
    print("; ".join(f"{k} {v:.3f}" if isinstance(v, float) else f"{k} {v}"
                    for k, v in got.items()))
    bad = len(total.broken)
    if args.thresholds:
        bad += contract.below(got, args.thresholds)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())

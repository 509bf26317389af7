#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What `fabscope analyze` says of worlds of world.py, and what was true.

    score.py --fabscope PROGRAM [--transport rc|uet] [--thresholds FILE]
             [-j N] [--keep DIR]
             [--first SEED --worlds N [--kind KIND]... [--layout LAYOUT]
             [--quality QUALITY]]
    score.py --twice

Without --first the worlds of WORLDS, which do not change.  Each world has a
line, and below it what is wrong:

    network acquitted   host or nothing-wrong, and the network had a share
    host acquitted      the same of hosts
    network accused     network or both, and the network had none
    host accused        the same of hosts
    missed              undetermined, though all is tapped and one side had a
                        share, or neither had
    false loss          more packets lost, for certain, than were
    loss missed         no packet lost, though all is tapped and some were
    false event         an event of a kind that did not happen
    share               of a side, farther off than SHARE_OFF
    no job              the job has no answer, though all is tapped
    broken              a rule of the contract (../twins/score.py)

Then, by class, how many packets and events were said: true, false, missed.
"off" is the mean of how far the shares of network and host are from the truth,
where all is tapped.  --twice makes one world in two processes, which must write
the same bytes.  Exit status 1 when something is worse than its threshold."""
import argparse
import collections
import concurrent.futures
import hashlib
import importlib.util
import os
import sqlite3
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import draw  # noqa: E402
import world  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "twins"))
# the contract's: below it nothing is wrong, up to PERHAPS either is accepted
HARMLESS, PERHAPS = 0.02, 0.06
A_SIDE = 0.25       # of the other side's share: a side of its own
CLEAR = 0.1         # a share that must be found where all is tapped
SHARE_OFF = 0.08    # and a tenth
KNOWN = ("good", "ptp", "us")
PASS_TWICE = ("mirror", "ingress")  # layouts: packets pass the tap twice
MEASURES = ("network acquitted", "host acquitted", "network accused",
            "host accused", "missed", "false loss", "loss missed",
            "false event", "share", "no job", "broken")
# Of each kind the first seed from a multiple of 100 on with which the side of
# the problem has at least 0.15, whatever fabscope says of it; and some that it
# once was wrong about.
WORLDS = (
    (101, "clean", "all", "ptp"),
    (201, "tail", "all", "good"),
    (301, "ctsloss", "all", "drift"),
    (406, "incast-queue", "mirror", "good"),
    (501, "incast-pfc", "all", "us"),
    (602, "thin", "uplinks", "good"),
    (702, "straggler", "one", "good"),
    (801, "drain", "all", "good"),
    (901, "cts-late", "all", "good"),
    (1001, "limit", "all", "duplicates"),
    # of any kind: responses reordered beyond a mirror of a leaf; both hosts that
    # are seen look as if the uplinks were theirs; a receiver that is not seen
    # asks one sender after the other; the first retransmission is lost again; the
    # root of a tree asks first
    (970016, None, "mirror", "good"),
    (971011, None, "uplinks", "good"),
    (971027, None, "one", "good"),
    (977022, None, None, None),
    (977057, None, None, None),
    # messages in turn on queue pairs; what asks for these; a sender that is slow
    # to many at once; iterations that run into each other; late and lossy; late
    # while data is on its way; asking late without iterations; asking as soon as
    # data has come; always late, so that the wait looks like computing
    (730208, None, "all", "good"),
    (950079, None, "all", "good"),
    (785013, None, "all", "good"),
    (950043, None, "all", "good"),
    (940001, None, "all", "good"),
    (940003, None, "all", "good"),
    (950041, None, "all", "good"),
    (950004, None, "all", "good"),
    (950077, None, "all", "good"),
    (950054, None, "all", "good"),
    (961008, None, "all", "good"),
    # what is silent behind a repair was charged to it: of selective repeat where
    # packets are only late, and beside a rank that is late
    (976011, None, "all", "good"),
    (950072, None, "all", "good"),
    # rings whose buffers are free when what was in them has been passed on: a thin
    # link, a slow host
    (1100203, "slots:thin", "all", "good"),
    (1100203, "slots:drain", "all", "good"),
    # rings in which one rank is late in each step: all begin when they are done
    # themselves, be it with ACKs; the others compute less than it is late by
    (1130001, "ring:always", "all", "good"),
    (1130007, "ring:always", "all", "good"),
    (1130004, "ring:always", "all", "good"),
    (1130002, "ring:clean", "all", "good"),
    # all to all, a few messages at a time: what comes next waits for the ACK of
    # what an RTO repaired; and a rank that is late in each step, likewise
    (1134003, "serial:tail", "all", "good"),
    (1134010, "serial:tail", "all", "good"),
    (1135009, "serial:always", "all", "good"),
    (1135004, "serial:always", "all", "good"),
    # a timer goes back while the receiver still names what was lost before: each
    # of two places has a part of it
    (1019045, None, None, None),
    # a host whose pauses no mirror copies, and queues on the way instead
    (5211, "drain-always", "ports", "good"),
    (5104, "incast-queue", "ports", "good"),
    # links of hosts that are slower than the others, and nothing wrong
    (1301, "mixed", "all", "good"),
    (1305, "mixed", "all", "good"),
    # one stage of pipelines side by side is slow in each step
    (1140003, "grid:always", "all", "good"),
    (1140003, "grid:straggler", "all", "good"),
    # a rank of a tree is late in each step
    (1210002, "tree:always", "all", "good"),
    # what an adapter drops looks as if the last cable lost it
    (1407, "nic-drop", "ports", "good"),
    (1408, "nic-drop", "ports", "good"),
    (1409, "nic-drop", "ports", "good"),
)
WORLDS_UET = (
    (101, "clean", "all", "ptp"),
    (301, "ctsloss", "all", "drift"),
    (401, "incast-trim", "all", "good"),
    (802, "credit-slow", "all", "us"),
    (901, "cts-late", "all", "good"),
    (1001, "limit", "all", "duplicates"),
    (1203, "burst", "all", "good"),
    # requests for credit are lost, and credit; no packet with a PSN is
    (978030, None, None, None),
)
WORLDS_OF = {"rc": WORLDS, "uet": WORLDS_UET}


def load(folder, name):
    """Of another folder, where modules have the names of these."""
    spec = importlib.util.spec_from_file_location(
        f"{folder}_{name}", os.path.join(HERE, "..", folder, name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


contract = load("twins", "score")
scoring = load("worlds", "scoring")


class Result:
    def __init__(self, spec):
        self.spec, self.wrong, self.off, self.line = spec, [], None, ""
        self.classes = {}

    def found(self, measure, text=""):
        self.wrong.append((measure, text))


# ---- what is wrong ----

def judge(result, verdict, truth, is_known):
    sides = (("network", truth.network, truth.host),
             ("host", truth.host, truth.network))
    for side, (least, most), (_, other) in sides:
        blamed = verdict in (side, "both")
        if blamed and most < HARMLESS:
            result.found(f"{side} accused", f"{verdict}, {most:.1%}")
        if not blamed and verdict != "undetermined" and least > PERHAPS and (
                verdict == "nothing-wrong" or least > A_SIDE * other):
            result.found(f"{side} acquitted", f"{verdict}, {least:.1%}")
    if verdict == "undetermined" and is_known:
        if max(truth.network[0], truth.host[0]) > CLEAR or \
                max(truth.network[1], truth.host[1]) < HARMLESS:
            result.found("missed")


def judge_shares(result, answer, truth):
    total = answer["total_ns"] or 1
    unknown = answer["unknown_ns"] / total
    off = 0
    for side, (least, most) in (("network", truth.network),
                                ("host", truth.host)):
        said = answer[side + "_ns"] / total
        off += max(said - most, least - said, 0)
        if said > most * 1.1 + SHARE_OFF or \
                said + unknown < least - SHARE_OFF:
            result.found("share", f"{side} {said:.1%}, not {least:.1%} to "
                                  f"{most:.1%}")
    result.off = off


def judge_loss(result, db, truth, is_known):
    least = db.execute("SELECT coalesce(sum(lost_min), 0) FROM incident "
                       "WHERE kind LIKE '%loss%'").fetchone()[0]
    if least > truth.lost:
        result.found("false loss", f"{least}, not {truth.lost}")
    if is_known and truth.lost and not least:
        result.found("loss missed", f"{truth.lost}")


def judge_events(result, db, truth):
    """Kinds of events that cannot have happened in this world."""
    spec, sim = result.spec, truth.sim
    mirrors = spec["layout"] in PASS_TWICE
    never = {
        "reorder": not spec["sprays"] and spec["layout"] != "mirror",
        "mirror_duplicate": spec["quality"] != "duplicates" and not mirrors,
        "capture_missing": spec["layout"] != "uplinks" and
        spec["quality"] not in ("gaps", "sample-flows"),
        "rnr_nak": not sim.rnr_naks, "nak_seq": not sim.naks,
        "retransmit": not sim.retransmitted, "icrc_bad": True,
        "trimmed": not sim.trims}
    for kind, count in db.execute("SELECT kind, sum(count) FROM event "
                                  "GROUP BY kind ORDER BY kind"):
        if never.get("retransmit" if "retransmit" in kind else kind):
            result.found("false event", f"{count} {kind}")
    marked = db.execute("SELECT sum(ce) FROM flow").fetchone()[0]
    if marked and not sim.marks:
        result.found("false event", f"{marked} ECN CE marks")


def count_classes(result, db, truth, is_known):
    """How many packets and events of each class there were, and were said, at
    the capture point of each flow that saw most of them; where not all is
    tapped, only too many are wrong."""
    sim, spec = truth.sim, result.spec
    happened = {
        "lost packets": truth.lost, "retransmissions": len(sim.retransmitted),
        "NAKs": sim.naks, "RNR NAKs": sim.rnr_naks,
        "timeouts": sim.timeouts, "trimmed packets": len(sim.trims),
        "mirror duplicates": truth.doubled}
    said = dict(zip(happened, db.execute(
        "SELECT (SELECT total(lost_min) FROM incident WHERE kind LIKE "
        "'%loss%'), total(again), total(naks), total(rnr), total(timeouts), "
        "total(trimmed), (SELECT total(mirror_duplicates) FROM tap) FROM "
        "(SELECT max(retransmitted) again, max(nak_seq) naks, "
        "max(rnr_nak) rnr, max(timeouts) timeouts, max(trimmed) trimmed "
        "FROM flow GROUP BY src, dst, dst_qp, spdcid, dpdcid, epoch)"
        ).fetchone()))
    if spec["layout"] in PASS_TWICE:
        del happened["mirror duplicates"]
    if spec["job"]["app"]["op"] == "read":
        del happened["retransmissions"]     # of responses nobody kept account
    for name, real in happened.items():
        got = int(said[name] or 0)
        result.classes[name] = (min(got, real), max(got - real, 0),
                                is_known * max(real - got, 0))


def answer_of_job(result, db, answers, truth):
    """Of the job that has the hosts of ours, but for one at most."""
    frames = world.wire.Wire(truth.spec["nic"])
    hosts = {frames.text(h) for h in truth.spec["job"]["hosts"]}
    for a in answers:
        ranks = {r[0] for r in db.execute(
            "SELECT address FROM job_rank WHERE job = ?", (a["job"],))}
        if a["scope"] == "job" and len(ranks & hosts) >= len(hosts) - 1:
            return a
    return None


def score_db(result, db, truth, text):
    db.row_factory = sqlite3.Row
    answers = [dict(r) for r in db.execute("SELECT * FROM answer ORDER BY id")]
    shares = [dict(r) for r in db.execute("SELECT * FROM answer_share")]
    broken = contract.Result()
    contract.check_sums(broken, answers, shares)
    contract.check_rows(broken, db, answers)
    capture = next(a for a in answers if a["scope"] == "capture")
    contract.check_first_line(broken, text, capture["verdict"])
    for rule in broken.broken:
        result.found("broken", rule)
    spec = result.spec
    is_known = spec["layout"] == "all" and spec["quality"] in KNOWN
    answer = answer_of_job(result, db, answers, truth)
    if answer is None and is_known:
        result.found("no job")
    answer = answer or capture
    judge(result, answer["verdict"], truth, is_known)
    if is_known or (spec["layout"] == "all" and
                    spec["quality"].startswith("merged")):
        judge_shares(result, answer, truth)
    judge_loss(result, db, truth, is_known)
    count_classes(result, db, truth, is_known)
    judge_events(result, db, truth)
    return answer


# ---- worlds ----

def describe(result, answer, truth):
    job, total = result.spec["job"], answer["total_ns"] or 1
    said = "/".join(f"{(answer[side + '_ns'] or 0) / total:.0%}"
                    for side in ("network", "host", "unknown"))
    return (f"network {truth.network[0]:4.0%}..{truth.network[1]:<4.0%} "
            f"host {truth.host[0]:4.0%}..{truth.host[1]:<4.0%} "
            f"{answer['verdict']:<13} {said:<12} {answer['cause'] or '-'}; "
            f"{job['pattern']} {job['app']['op']} of {len(job['hosts'])}")


def run_one(args, seed, kind, layout, quality, folder):
    spec = world.make(seed, kind, layout, quality, args.transport)
    folder = os.path.join(folder, f"{seed}-{kind or 'any'}")
    made = spec and world.write(spec, folder)
    if not made:
        return None
    truth, paths = made
    result = Result(spec)
    result.line = (f"{seed:>6} {spec['kind']:<15}{spec['layout']:<8}"
                   f"{spec['quality']:<11}")
    base = os.path.join(folder, "out.db")
    done = subprocess.run(
        [args.fabscope, "analyze", "-o", base, "--topology",
         os.path.join(folder, "topology.ini"),
         *(f"--tap={name}={path}" for name, path in paths.items())],
        capture_output=True, text=True, check=False)
    if done.returncode:
        result.found("broken", f"analyze says {done.returncode}: "
                               f"{done.stderr[-200:]}")
        return result
    db = sqlite3.connect(base)
    answer = score_db(result, db, truth, done.stdout)
    db.close()
    result.line += describe(result, answer, truth)
    if args.keep:
        with open(os.path.join(folder, "text"), "w") as f:
            f.write(done.stdout)
    else:
        for name in os.listdir(folder):
            os.unlink(os.path.join(folder, name))
    return result


def run_all(args, folder):
    if args.first is None:
        what = WORLDS_OF[args.transport]
    else:
        what = [(seed, kind, args.layout, args.quality)
                for kind in args.kind or [None]
                for seed in range(args.first, args.first + args.worlds)]
    with concurrent.futures.ProcessPoolExecutor(args.jobs) as pool:
        for one, result in zip(what, pool.map(
                run_one, *zip(*((args, *w, folder) for w in what)))):
            if result is None:
                print(f"{one}: no such world, or the job does not end")
                continue
            print(result.line, flush=True)
            for measure, text in result.wrong:
                print(f"       ** {measure} {text}")
            yield result


def table(results):
    """By kind: worlds, and how many have what is wrong."""
    short = ("net acq", "host acq", "net acc", "host acc", "missed",
             "f. loss", "loss m.", "f. event", "share", "no job", "broken")
    print(f"{'':<16}{'worlds':>7}" + "".join(f"{s:>9}" for s in short))
    kinds = collections.defaultdict(list)
    for result in results:
        kinds[result.spec["kind"]].append(result)
    for name, of in sorted(kinds.items()) + [("all", results)]:
        cells = [sum(any(m == measure for m, _ in r.wrong) for r in of)
                 for measure in MEASURES]
        print(f"{name:<16}{len(of):>7}" + "".join(f"{c:>9}" for c in cells))


def print_classes(results):
    """Of all worlds together."""
    names = list(dict.fromkeys(n for r in results for n in r.classes))
    scoring.precision_and_recall(names, [
        [sum(r.classes.get(name, (0, 0, 0))[i] for r in results)
         for i in range(3)] for name in names])


def digest():
    """Of all that is written for worlds with most kinds of chance."""
    whole = hashlib.sha256()
    with tempfile.TemporaryDirectory() as folder:
        for what in ((3, "incast-ecn", "all", "duplicates"),
                     (1, "incast-trim", "all", "duplicates", "uet")):
            world.write(world.make(*what), os.path.join(folder, what[1]))
            whole.update(digest_of(os.path.join(folder, what[1])))
    return whole.hexdigest()


def digest_of(folder):
    whole = hashlib.sha256()
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as f:
            whole.update(name.encode() + f.read())
    return whole.digest()


def twice():
    """Python orders sets by a hash that PYTHONHASHSEED changes."""
    said = [subprocess.run([sys.executable, __file__, "--digest"], env=dict(
        os.environ, PYTHONHASHSEED=seed), capture_output=True, text=True,
        check=True).stdout for seed in ("1", "2")]
    print("".join(said), end="")
    return said[0] != said[1]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--fabscope")
    p.add_argument("--twice", action="store_true")
    p.add_argument("--digest", action="store_true", help=argparse.SUPPRESS)
    p.add_argument("--first", type=int)
    p.add_argument("--worlds", type=int, default=1)
    p.add_argument("--transport", choices=sorted(draw.KINDS_OF), default="rc")
    p.add_argument("--kind", action="append",
                   choices=sorted({*draw.KINDS_OF["uet"], *draw.BY_NAME}))
    p.add_argument("--layout", choices=sorted(
        {*draw.LAYOUTS, *draw.LAYOUTS_BY_NAME}))
    p.add_argument("--quality", choices=sorted(
        {*draw.QUALITIES, *draw.QUALITIES_BY_NAME}))
    p.add_argument("--thresholds")
    p.add_argument("--keep")
    p.add_argument("-j", "--jobs", type=int, default=1)
    args = p.parse_args()
    if args.digest:
        print(digest())
        return 0
    if args.twice:
        return twice()
    args.fabscope = os.path.abspath(args.fabscope)
    with tempfile.TemporaryDirectory() as tmp:
        results = list(run_all(args, os.path.abspath(args.keep or tmp)))
    table(results)
    print_classes(results)
    got = collections.Counter(m for r in results for m, _ in r.wrong)
    off = [r.off for r in results if r.off is not None]
    got["off"] = sum(off) / len(off) if off else 0
    got["worlds missing"] = len(WORLDS_OF[args.transport]) - len(results) if \
        args.first is None else 0
    print("; ".join(f"{m} {got[m]}" for m in MEASURES) +
          f"; off {got['off']:.3f}")
    return bool(args.thresholds and contract.below(got, args.thresholds))


if __name__ == "__main__":
    sys.exit(main())

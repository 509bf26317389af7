#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs twin scenarios (kinds.py) through `fabscope analyze` and compares its
answers with what the simulator's twins took.

    score.py --fabscope BUILD/fabscope [--simulate BUILD/.../simulate_alone]
             [--seeds 1] [--first 1] [--kind NAME]... [--layout NAME]...
             [--transport roce|uet]... [-j N] [--keep DIR] [--verbose]
             [--thresholds FILE] [--where]

What is counted, for the capture and for each job:

    right      one of the verdicts that the twins allow
    open       undetermined, and nobody could know from these taps
    missed     undetermined, and it could be known
    acquitted  host or nothing-wrong, and the network had a share
    accused    network or both, and the network had none
    wrong      anything else (one of two sides, a host without a share)
    no job     the job has no answer of its own (only where all hosts are tapped)

L1 is the sum over classes of how far the share of the total is off, a mean
over jobs whose verdict could be known; "merged" takes compute and wire
together.  Steps are iterations whose
end was found.  Both where all hosts are tapped.  --where says which classes
were taken for which, by kind and shape of the job: what each adds to the L1 of
all.  Exit status 1 when something is worse than its threshold, or a rule of
the contract is broken."""
import argparse
import collections
import concurrent.futures
import itertools
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import kinds  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
FIRST = {"It was the network": "network", "It was a host": "host",
         "It was both": "both", "Nothing was wrong": "nothing-wrong",
         "Undetermined": "undetermined"}
COLUMNS = ("id", "scope", "job", "iteration", "who", "verdict", "confidence",
           "total_ns", "excess_ns", "network_ns", "host_ns", "unknown_ns",
           "cause", "root", "finding", "reason")
NEAR_NS, NEAR = 30000, 0.1   # ends of iterations
COUNTED = ("right", "open", "missed", "acquitted", "accused", "wrong",
           "no job")


class Result:
    """What one capture, or many of a kind, came to."""

    def __init__(self):
        self.count = collections.Counter()   # (scope, how)
        self.l1, self.merged = [], []
        self.confused = collections.Counter()  # (shape, said, true)
        self.roots = collections.Counter()
        self.steps = collections.Counter()   # of all, found
        self.groups = collections.Counter()  # right, missed, false
        self.broken = []                     # rules of the contract
        self.notes = []

    def add(self, other):
        self.count.update(other.count)
        self.l1 += other.l1
        self.merged += other.merged
        self.confused.update(other.confused)
        self.roots.update(other.roots)
        self.steps.update(other.steps)
        self.groups.update(other.groups)
        self.broken += other.broken
        self.notes += other.notes


# ---- what is right ---------------------------------------------------------------

def together(verdicts):
    """The capture's verdict from those of its jobs."""
    network = any(v in ("network", "both") for v in verdicts)
    host = any(v in ("host", "both") for v in verdicts)
    return {(True, True): "both", (True, False): "network",
            (False, True): "host"}.get((network, host), "nothing-wrong")


def allowed(answers):
    return {together(v)
            for v in itertools.product(*(a["verdicts"] for a in answers))}


def judge(said, right, decidable):
    if said in right:
        return "right"
    if said == "undetermined":
        return "missed" if decidable else "open"
    blamed = [v for v in right if v in ("network", "both")]
    if said in ("host", "nothing-wrong") and len(blamed) == len(right):
        return "acquitted"
    if said in ("network", "both") and not blamed:
        return "accused"
    return "wrong"


# ---- roots -----------------------------------------------------------------------

def names_of(truth, root, ids):
    """Sets of words; a text that has all of one set names the root."""
    address = {h["host"]: h["address"] for h in truth["hosts"]}
    if "work" in root:
        hosts = {address[r] for c in truth["collectives"]
                 if c["work"] == root["work"] for r in c["ranks"]}
        hosts |= {f[end] for f in truth["flows"]
                  if f.get("work") == root["work"] for end in ("src", "dst")}
        return ([{f"job {ids[root['work']]}"}] if root["work"] in ids else
                []) + [{h} for h in hosts]
    if "host" in root:
        return [{address[root["host"]]}]
    ends = root.get("link", [root.get("switch")])
    names = [{address.get(e, e) for e in ends}]
    # The address of a host is enough for its link, the tap's name for any.
    names += [{address[e]} for e in ends if e in address]
    names += [{t["name"].removesuffix(".back")} for t in truth["taps"]
              if set(t["link"].replace("#", "->").split("->")[:2]) ==
              set(ends)]
    return names + crossing(truth, ends)


def crossing(truth, ends):
    """Both ends of each flow on that link."""
    flows = {f["id"]: f for f in truth["flows"]}
    on = [row[0] for link in truth["links"]
          if link["link"].split("#")[0].split("->") == list(ends)
          for row in link["flows"]]
    return [{flows[i]["src"], flows[i]["dst"]} for i in on if i in flows]


def has_word(text, word):
    return re.search(rf"(?<![\w.]){re.escape(word)}(?![\w]|\.\d)", text)


def score_root(result, truth, answer, said, ids):
    if not answer["roots"]:
        return
    if not said:
        result.roots["unnamed"] += 1
        return
    good = any(all(has_word(said, w) for w in words)
               for root in answer["roots"]
               for words in names_of(truth, root, ids))
    result.roots["named" if good else "misnamed"] += 1
    if not good:
        result.notes.append(f"root {said!r}, not {answer['roots']}")


# ---- rules that hold for any answer ------------------------------------------------

def check_sums(result, answers, shares):
    for a in answers:
        of = [s for s in shares if s["answer_id"] == a["id"]]
        side = collections.Counter()
        for s in of:
            side[s["side"]] += s["ns"]
        if any(s["ns"] < 0 for s in of):
            result.broken.append(f"answer {a['id']}: a negative share")
        if sum(side.values()) != a["total_ns"]:
            result.broken.append(f"answer {a['id']}: shares add up to "
                                 f"{sum(side.values())}, not {a['total_ns']}")
        for name in ("network", "host", "unknown"):
            if side[name] != (a[name + "_ns"] or 0):
                result.broken.append(f"answer {a['id']}: {name} is "
                                     f"{a[name + '_ns']}, not {side[name]}")
        known = (a["network_ns"] or 0) + (a["host_ns"] or 0)
        if not known <= a["excess_ns"] <= known + (a["unknown_ns"] or 0):
            result.broken.append(f"answer {a['id']}: excess "
                                 f"{a['excess_ns']} is not within {known} "
                                 f"+ {a['unknown_ns']}")


def check_json(result, text, answers, shares):
    try:
        said = json.loads(text).get("answer")
    except ValueError:
        said = None
    if not isinstance(said, list) or len(said) != len(answers):
        result.broken.append("JSON has not the rows of table answer")
        return
    for a, j in zip(answers, said):
        for c in COLUMNS:
            if j.get(c) != a[c] and not (isinstance(a[c], float) and
                                         abs(j.get(c, -1) - a[c]) < 1e-6):
                result.broken.append(f"JSON answer.{c} is {j.get(c)!r}, "
                                     f"not {a[c]!r}")
        of = [tuple(s[k] for k in ("class", "side", "ns", "measured"))
              for s in shares if s["answer_id"] == a["id"]]
        in_json = [tuple(s.get(k) for k in ("class", "side", "ns",
                                            "measured"))
                   for s in j.get("shares", [])]
        if sorted(map(str, of)) != sorted(map(str, in_json)):
            result.broken.append(f"JSON shares of answer {a['id']} differ")


def check_first_line(result, text, verdict):
    line = text.split("\n", 1)[0]
    found = re.match(rf"({'|'.join(FIRST)}) \(\d+ %\): \S", line)
    if not found:
        result.broken.append(f"first line {line[:60]!r}")
    elif FIRST[found[1]] != verdict:
        result.broken.append(f"first line {found[1]!r}, verdict {verdict}")


def check_rows(result, db, answers):
    jobs = [r[0] for r in db.execute("SELECT id FROM job ORDER BY id")]
    have = [a["job"] for a in answers if a["scope"] == "job"]
    if sorted(have) != jobs:
        result.broken.append(f"jobs {jobs}, answers of {have}")
    captures = [a for a in answers if a["scope"] == "capture"]
    if len(captures) != 1:
        result.broken.append(f"{len(captures)} answers of the capture")
    elif captures[0]["verdict"] in ("network", "both", "undetermined"):
        for (title,) in db.execute("SELECT title FROM finding "
                                   "WHERE severity = 'ok'"):
            result.broken.append(f"{captures[0]['verdict']}, and a finding "
                                 f"is ok: {title[:50]!r}")


# ---- one capture ---------------------------------------------------------------------

def job_ids(db, truth):
    """Ids of the rows of job that are collectives of the truth."""
    address = {h["host"]: h["address"] for h in truth["hosts"]}
    ranks = collections.defaultdict(set)
    for job, who in db.execute("SELECT job, address FROM job_rank"):
        ranks[job].add(who)
    found = {}
    for c in truth["collectives"]:
        members = {address[r] for r in c["ranks"]}
        best = max(ranks, default=None,
                   key=lambda j: len(ranks[j] & members) -
                   len(ranks[j] - members))
        if best is not None and 2 * len(ranks[best] & members) > \
                len(ranks[best] | members):
            found[c["work"]] = best
    return found


def confuse(result, shape, said, true):
    """What is too much of one class is what is missing of the others, from each
    its part."""
    more = {k: said[k] - true[k] for k in said if said[k] > true[k]}
    less = {k: true[k] - said[k] for k in true if true[k] > said[k]}
    lack = sum(less.values())
    for k, v in more.items():
        for m, w in less.items():
            result.confused[shape, k[0], m[0]] += 2 * v * w / lack


def score_shares(result, answer, a, shares, shape):
    total = a["total_ns"] or 1
    said, true = collections.Counter(), collections.Counter()
    for s in shares:
        if s["answer_id"] == a["id"]:
            said[s["class"], s["side"]] += s["ns"] / total
    for s in answer["shares"]:
        true[s["class"], s["side"]] += s["ns"] / answer["total_ns"]

    def distance(merge):
        keys = collections.Counter()
        for k, v in said.items():
            keys[merge(k)] += v
        for k, v in true.items():
            keys[merge(k)] -= v
        return sum(map(abs, keys.values()))
    confuse(result, shape, said, true)
    result.l1.append(distance(lambda k: k))
    result.merged.append(distance(
        lambda k: "needed" if k[1] == "needed" else k))


def score_steps(result, truth, db, work, job):
    """Iterations whose end some phase has (of all its phases the last)."""
    ends = [r[0] for r in db.execute("SELECT max(last_ns) FROM phase WHERE "
                                     "job = ? GROUP BY iteration", (job,))]
    for i in truth["iterations"]:
        if i["work"] == work:
            near = max(NEAR_NS, NEAR * (i["to_ns"] - i["comm_from_ns"]))
            result.steps["all"] += 1
            result.steps["found"] += any(abs(e - i["to_ns"]) <= near
                                         for e in ends)


def true_groups(truth, text):
    """Of a parallel job, whose ranks count experts, then stages, then replicas:
    kind and addresses."""
    shape = re.search(r"^(?:.* )?collective job .* dp=(\d+) pp=(\d+) ep=(\d+)",
                      text, re.M)
    if not shape:
        return None
    dp, pp, ep = map(int, shape.groups())
    address = {h["host"]: h["address"] for h in truth["hosts"]}
    ranks = next(c["ranks"] for c in truth["collectives"]
                 if c["work"] == "job")
    found = collections.defaultdict(set)
    for i, host in enumerate(ranks):
        replica, stage, expert = i // (pp * ep), i // ep % pp, i % ep
        for kind, size, rest in (("dp", dp, (stage, expert)),
                                 ("pp", pp, (replica, expert)),
                                 ("ep", ep, (replica, stage))):
            if size > 1:
                found[kind, rest].add(address[host])
    return {(kind, frozenset(who)) for (kind, _), who in found.items()}


def score_groups(args, result, truth, base):
    with open(base + ".fab") as f:
        true = true_groups(truth, f.read())
    if true is None:
        return
    rows = json.loads(subprocess.run(
        [args.fabscope, "query", base + ".db", "job-groups", "--format",
         "json"], capture_output=True, text=True, check=True).stdout)
    said = {(r["kind"], frozenset(r["hosts"].split())) for r in rows}
    result.groups["right"] += len(true & said)
    result.groups["missed"] += len(true - said)
    result.groups["false"] += len(said - true)


def shape_of(truth, work):
    return next(c["pattern"] for c in truth["collectives"]
                if c["work"] == work)


def score_db(result, truth, db, layout):
    answers = [dict(r) for r in db.execute("SELECT * FROM answer ORDER BY id")]
    shares = [dict(r) for r in db.execute("SELECT * FROM answer_share")]
    check_sums(result, answers, shares)
    check_rows(result, db, answers)
    ids = job_ids(db, truth)
    by_job = {a["job"]: a for a in answers if a["scope"] == "job"}
    for answer in truth["answers"]:
        a = by_job.get(ids.get(answer["work"]))
        if a is None:
            if layout == "hosts":
                result.count["job", "no job"] += 1
                result.notes.append(f"no job for {answer['work']}")
            continue
        how = judge(a["verdict"], answer["verdicts"], answer["decidable"])
        result.count["job", how] += 1
        note(result, how, f"job {answer['work']}", a, answer["verdicts"],
             answer)
        if layout == "hosts" and answer["decidable"]:
            score_shares(result, answer, a, shares,
                         shape_of(truth, answer["work"]))
        if layout == "hosts":
            score_steps(result, truth, db, answer["work"], a["job"])
        if how == "right" and a["verdict"] != "nothing-wrong":
            score_root(result, truth, answer, a["root"], ids)
    return answers, shares


def note(result, how, what, a, right, answer=None):
    if how in ("right", "open"):
        return
    of = "" if answer is None else " " + " ".join(
        f"{s['class']}={s['ns'] / answer['total_ns']:.2f}"
        for s in answer["shares"])
    result.notes.append(f"{how}: {what}, {a['verdict']}, not "
                        f"{'/'.join(sorted(right))};{of}; {a['reason']}")


def has_table(db):
    return db.execute("SELECT count(*) FROM sqlite_master WHERE name IN "
                      "('answer', 'answer_share')").fetchone()[0] == 2


def analyze(args, base, *words):
    return subprocess.run([args.fabscope, "analyze", *words, "-o",
                           base + ".db", base + ".pcapng"],
                          capture_output=True, text=True,
                          cwd=os.path.dirname(base))


def run_one(args, name, layout, transport, seed, folder):
    result = Result()
    base = os.path.join(folder, f"{name}.{transport}.{layout}.{seed}")
    with open(base + ".fab", "w") as f:
        f.write(kinds.scenario(name, layout, transport, seed))
    subprocess.run([*args.simulate.split(), base + ".fab", "-w",
                    base + ".pcapng", "--seed", str(seed)],
                   stdout=subprocess.DEVNULL, check=True)
    with open(base + ".truth.json") as f:
        truth = json.load(f)
    text = analyze(args, base)
    done = analyze(args, base, "--json")
    if done.returncode or text.returncode:
        result.broken.append(f"analyze says {done.returncode}, "
                             f"{text.returncode}")
    else:
        score_capture(result, truth, base, layout, done.stdout, text.stdout)
        if layout == "hosts":
            score_groups(args, result, truth, base)
    where = f"{name} {transport} {layout} seed {seed}: "
    result.broken = [where + b for b in result.broken]
    result.notes = [where + n for n in result.notes]
    if not args.keep:
        for end in (".fab", ".pcapng", ".truth.json", ".db"):
            if os.path.exists(base + end):
                os.unlink(base + end)
    return name, layout, result


def score_capture(result, truth, base, layout, as_json, text):
    db = sqlite3.connect(base + ".db")
    db.row_factory = sqlite3.Row
    try:
        if not has_table(db):
            result.broken.append("no table answer")
            return
        answers, shares = score_db(result, truth, db, layout)
        check_json(result, as_json, answers, shares)
        for a in answers:
            if a["scope"] != "capture":
                continue
            right = allowed(truth["answers"])
            how = judge(a["verdict"], right,
                        all(x["decidable"] for x in truth["answers"]))
            result.count["capture", how] += 1
            note(result, how, "capture", a, right)
            check_first_line(result, text, a["verdict"])
    except sqlite3.Error as e:
        result.broken.append(f"database: {e}")
    finally:
        db.close()


# ---- the table -------------------------------------------------------------------------

def mean(row):
    return sum(row) / len(row) if row else None


def figure(value):
    return f"{value:7.3f}" if value is not None else f"{'-':>7}"


def line(name, layout, r):
    cells = [f"{r.count['capture', h]:>4}/{r.count['job', h]:<4}"
             for h in COUNTED]
    print(f"{name:<18}{layout:<9}{''.join(cells)}{figure(mean(r.l1))}"
          f"{figure(mean(r.merged))}{r.roots['named']:>6}"
          f"{r.roots['misnamed']:>4}{r.roots['unnamed']:>4}"
          f"{r.steps['found']:>5}/{r.steps['all']:<5}{len(r.broken):>6}")


def table(found):
    print(f"{'kind':<18}{'taps':<9}" +
          "".join(f"{h:^9}" for h in COUNTED) +
          f"{'L1':>7}{'merged':>7}{'root':>6}{'bad':>4}{'no':>4}"
          f"{'steps':^11}{'broken':>6}")
    total = Result()
    for name in kinds.KINDS:
        for layout in kinds.LAYOUTS:
            if (name, layout) in found:
                line(name, layout, found[name, layout])
                total.add(found[name, layout])
    line("all", "", total)
    return total


def where(found, total):
    """What is taken for what, most first."""
    rows = [(ns / len(total.l1), kind, *key)
            for (kind, layout), r in found.items() if layout == "hosts"
            for key, ns in r.confused.items()]
    sums = collections.Counter()
    for ns, kind, shape, said, true in rows:
        for key in (("kind", kind), ("shape", shape),
                    ("said, true", f"{said}, {true}")):
            sums[key] += ns
    for what in ("said, true", "shape", "kind"):
        print(f"L1 by {what}: " + "; ".join(
            f"{key} {ns:.3f}" for (of, key), ns in sums.most_common()
            if of == what and ns >= 0.0005))
    for row in sorted(rows, reverse=True)[:40]:
        print("{:.4f} {} {}: {} for {}".format(*row))


def measures(r):
    said = sum(n for (_, how), n in r.count.items() if how != "no job")
    roots = sum(r.roots.values())
    found = {how: sum(n for (_, h), n in r.count.items() if h == how)
             for how in COUNTED}
    return {"answers": said, "acquitted": found["acquitted"],
            "accused": found["accused"], "missed": found["missed"],
            "wrong": found["wrong"], "no job": found["no job"],
            "broken": len(r.broken), "l1": mean(r.l1) or 0,
            "l1 merged": mean(r.merged) or 0,
            "steps missed": (1 - r.steps["found"] / r.steps["all"]
                             if r.steps["all"] else 0),
            "groups missed": r.groups["missed"],
            "groups false": r.groups["false"],
            "root not named": 1 - r.roots["named"] / roots if roots else 0}


def below(got, path):
    """Lines of: measure, most; '#' begins a comment."""
    bad = 0
    with open(path) as f:
        for row in f:
            words = row.split("#")[0].rstrip().split("\t")
            if len(words) == 2 and got[words[0]] > float(words[1]):
                print(f"{words[0]}: {got[words[0]]:.3f}, at most {words[1]}")
                bad += 1
    return bad


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--fabscope", required=True)
    p.add_argument("--simulate")
    p.add_argument("--seeds", type=int, default=1)
    p.add_argument("--first", type=int, default=1)
    p.add_argument("--kind", action="append", choices=list(kinds.KINDS))
    p.add_argument("--layout", action="append", choices=kinds.LAYOUTS)
    p.add_argument("--transport", action="append", choices=("roce", "uet"))
    p.add_argument("--thresholds")
    p.add_argument("--keep")
    p.add_argument("-j", "--jobs", type=int, default=1)
    p.add_argument("--verbose", action="store_true")
    p.add_argument("--where", action="store_true")
    args = p.parse_args()
    args.fabscope = os.path.abspath(args.fabscope)
    args.simulate = args.simulate or args.fabscope + " simulate"
    found = collections.defaultdict(Result)
    with tempfile.TemporaryDirectory() as tmp:
        folder = os.path.abspath(args.keep or tmp)
        os.makedirs(folder, exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            jobs = [pool.submit(run_one, args, *what, seed, folder)
                    for what in kinds.all_of(args.kind, args.layout,
                                             args.transport)
                    for seed in range(args.first, args.first + args.seeds)]
            for job in jobs:
                name, layout, result = job.result()
                found[name, layout].add(result)
    total = table(found)
    if args.where and total.l1:
        where(found, total)
    if args.verbose:
        print("\n".join(total.notes + total.broken))
    elif total.broken:
        print("\n".join(total.broken[:5]))
    print("; ".join(f"{k} {v:.3f}" if isinstance(v, float) else f"{k} {v}"
                    for k, v in measures(total).items()))
    if args.thresholds:
        return below(measures(total), args.thresholds) > 0
    return False


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Nothing that is printed contradicts the answer.

    consistent.py --fabscope BUILD/fabscope --simulate SIMULATE

Each shipped scenario is analyzed once; answers, shares, findings, totals and
KPIs of one database are held against each other, against what the simulator
dropped, and against what kpi, jct, diff, export and report print of it.
"""
import argparse
import glob
import html
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

SCENARIOS = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                         "..", "..", "captures", "scenarios")
BEGINS = {"network": "It was the network", "host": "It was a host",
          "both": "It was both", "nothing-wrong": "Nothing was wrong",
          "undetermined": "Undetermined"}
# Of the time: below it nothing is wrong, and in between both may be said.
NEXT_TO_NOTHING, SOMETHING = 0.02, 0.06
# What delays packets and loses none: it is no warning where it cost a job next to
# nothing.
DELAYS = ("pause", "queue", "rate", "mark", "incast", "collision", "congested",
          "interfere", "pfc-before")
DROP_KPIS = ("Packet Drop Rate", "Packet Drop Rate, maximum",
             "Drop rate under UET")


def answers(doc):
    """The contract of one answer: sums, bounds, and its line."""
    for a in doc["answer"]:
        total, sides = a["total_ns"], dict.fromkeys(
            ("network", "host", "unknown", "needed"), 0)
        if a["verdict"] not in BEGINS or not a["line"]:
            yield f"{a['scope']} {a['job']}: no verdict, {a}"
            continue
        for s in a["shares"]:
            sides[s["side"]] += s["ns"]
            if s["ns"] < 0:
                yield f"a share of {s['ns']} ns"
        if sum(sides.values()) != total:
            yield f"shares add up to {sum(sides.values())} of {total} ns"
        for side in ("network", "host", "unknown"):
            if sides[side] != a[f"{side}_ns"]:
                yield f"{side}_ns is {a[f'{side}_ns']}, not {sides[side]}"
        known = a["network_ns"] + a["host_ns"]
        if not known <= a["excess_ns"] <= known + a["unknown_ns"]:
            yield f"an excess of {a['excess_ns']} ns"
        if a["verdict"] == "nothing-wrong" and known >= SOMETHING * total:
            yield f"nothing wrong, and {known} of {total} ns lost"
        for side, verdicts in (("network", ("network", "both")),
                               ("host", ("host", "both"))):
            if (a["verdict"] in verdicts and
                    a[f"{side}_ns"] < NEXT_TO_NOTHING / 2 * total):
                yield f"{a['verdict']}, and {side} is {a[f'{side}_ns']} ns"
        if not a["line"].startswith(BEGINS[a["verdict"]] + " ("):
            yield f"the line begins with {a['line'][:20]}"
    jobs = [a["job"] for a in doc["answer"] if a["scope"] == "job"]
    if jobs != sorted(j["job"] for j in doc["jobs"]):
        yield f"answers of jobs {jobs}"
    if [a["scope"] for a in doc["answer"]].count("capture") != 1:
        yield "not one answer for the capture"
    slow = {(a["job"], a["iteration"]) for a in doc["answer"]
            if a["scope"] == "iteration"}
    if len(slow) != len(doc["answer"]) - 1 - len(jobs):
        yield "more answers than the capture, jobs and iterations"


def findings(doc):
    """What clears stands once, and not beside what accuses."""
    first = doc["answer"][0]
    clearing = [f["rule"] for f in doc["findings"] if f["severity"] == "ok"]
    if len(clearing) > 1:
        yield f"{len(clearing)} findings that clear"
    if clearing and first["verdict"] not in ("nothing-wrong", "host"):
        yield f"{first['verdict']} beside {clearing[0]}"
    for f in doc["findings"]:
        if (first["verdict"] == "nothing-wrong" and
                (f["job_ns"] or 0) >= SOMETHING * first["total_ns"]):
            yield f"nothing wrong, and {f['rule']} cost {f['job_ns']} ns"
        if (first["verdict"] == "nothing-wrong" and doc["jobs"] and
                f["severity"] in ("warning", "critical") and
                any(word in f["rule"] for word in DELAYS) and
                (f["job_ns"] is not None or "pfc-before" in f["rule"]) and
                (f["job_ns"] or 0) < NEXT_TO_NOTHING / 2 * first["total_ns"]):
            yield (f"nothing wrong, and a {f['severity']} of {f['rule']}, "
                   f"which cost {f['job_ns']} ns: {f['title']}")


def losses(doc, db):
    """Nothing that was lost stands as 0 anywhere, and nothing is lost in the
    answer that was not lost on the wire."""
    lost, least = db.execute("SELECT total(lost_max), total(lost_min)"
                             " FROM flow_sum").fetchone()
    vanished = db.execute("SELECT count(*) FROM unmatched"
                          " WHERE verdict = 'lost'").fetchone()[0]
    said = any(word in f["rule"] + f["title"] for f in doc["findings"]
               for word in ("loss", "lost", "corrupt", "trim"))
    for name, value in db.execute("SELECT name, value FROM kpi"):
        if name in DROP_KPIS and value == 0 and least > 0:
            yield f"{least:.0f} packets lost, and {name} is 0"
    if least > 0 and not said:
        yield f"{least:.0f} packets lost, and no finding of it"
    for a in doc["answer"]:
        events = any(s["class"] == "loss" and s["measured"] == "loss events"
                     and s["ns"] >= NEXT_TO_NOTHING * a["total_ns"]
                     for s in a["shares"])
        if events and not lost and not vanished and not said:
            yield "the answer says loss, and nothing was lost"


def late(doc, db):
    """A rank that was late again and again is no job without trouble."""
    for a in doc["answer"]:
        ns, = db.execute("SELECT ifnull(max(late_ns), 0) FROM job_rank"
                         " WHERE straggler AND job = ?",
                         (a["job"],)).fetchone()
        if (a["scope"], a["verdict"]) == ("job", "nothing-wrong") and \
                ns >= NEXT_TO_NOTHING * a["total_ns"]:
            yield f"nothing wrong, and a rank was late by {ns:.0f} ns"


def series(db):
    """The time series of a flow holds each of its packets once, whatever was
    taken back for a new epoch."""
    for flow, packets, counted, size, summed in db.execute(
            "SELECT f.id, f.packets, sum(b.packets), f.bytes, sum(b.bytes)"
            "  FROM flow f JOIN bin b ON b.scope = 'flow' AND"
            "       b.scope_id = f.id GROUP BY f.id"):
        if (packets, size) != (counted, summed):
            yield (f"flow {flow}: {packets} packets of {size} bytes, in its"
                   f" series {counted} of {summed}")


def spans(db):
    """A capture lasts from the first to the last packet of its taps, by their
    corrected clocks: every time that is printed is relative to that."""
    for path, *span in db.execute(
            "SELECT c.path, c.first_ns, c.last_ns, min(t.first_ns),"
            "       max(t.last_ns) FROM capture c JOIN tap t"
            "    ON t.capture_id = c.id AND t.packets GROUP BY c.id"):
        if span[:2] != span[2:]:
            yield f"{path} from {span[0]} to {span[1]}, its taps from " \
                  f"{span[2]} to {span[3]}"


def mirrored(db, truth, name):
    """Copies that a mirror numbered and lost are counted, no more and no less:
    those at the begin and the end of a capture leave no hole."""
    with open(name) as f:
        if "unnumbered=yes" in f.read():
            return
    told = dict(db.execute("SELECT name, mirror_seq_lost FROM tap"
                           " WHERE mirror_seq_seen"))
    for tap, lost in told.items():
        missed = sum(t["missed"] for t in truth["taps"]
                     if t["interface"] == tap)
        if not missed - 3 <= lost <= missed:
            yield f"{lost} copies of {tap} lost, and it missed {missed}"


def against_truth(doc, truth):
    """A deadlock of switches, all of them tapped, is the network's.  A fabric
    that dropped, marked and paused nothing lost no packets."""
    if any(e["kind"] == "deadlock" for e in truth["events"]) and \
            doc["answer"][0]["verdict"] not in ("network", "both"):
        yield f"a deadlock, and {doc['answer'][0]['line']}"
    if any(e["kind"] == "drop" for e in truth["events"]):
        return
    for a in doc["answer"]:
        if a["cause"] == "loss" and a["verdict"] in ("network", "both") and \
                not any(w in a["reason"] for w in ("reordering", "trim",
                                               "ACKs lost or late")) and \
                not any("corrupt" in f["rule"] for f in doc["findings"]):
            yield f"nothing was dropped, and {a['line']}"


def asked(args, *words):
    return subprocess.run([args.fabscope, *words], check=True,
                          capture_output=True, text=True).stdout


def flat(text):
    return " ".join(text.split())


def others(args, doc, db, page):
    """All that shows the answer shows the same one."""
    answer, first = doc["answer"], doc["answer"][0]
    for command in ("kpi", "jct"):
        if json.loads(asked(args, command, "--json", db))["answer"] != answer:
            yield f"{command} --json has another answer"
    if flat(first["line"]) not in flat(asked(args, "kpi", db)):
        yield "kpi has another answer"
    text = flat(asked(args, "jct", db))
    exported = asked(args, "export", "--format", "openmetrics", db)
    change = flat(asked(args, "diff", db, db))
    for a in answer:
        if a["scope"] == "job" and flat(a["line"]) not in text:
            yield f"jct has another answer of job {a['job']}"
        if a["scope"] == "iteration":
            continue
        labels = f'scope="{a["scope"]}",job="{a["job"] or 0}"'
        if f'fabscope_answer{{{labels},verdict="{a["verdict"]}"}}' \
                not in exported:
            yield f"OpenMetrics has another answer of {labels}"
        for s in a["shares"]:
            row = (f'fabscope_answer_seconds{{{labels},class="{s["class"]}",'
                   f'side="{s["side"]}"}} ')
            value = exported.partition(row)[2].partition("\n")[0]
            if not value or round(float(value) * 1e9) != s["ns"]:
                yield f"OpenMetrics has {value} s, not {s['ns']} ns: {row}"
    verdict = first["verdict"].replace("-", " ")
    if f"capture: {verdict} -> {verdict}" not in change:
        yield "diff has another answer"
    asked(args, "report", "-f", "-o", page, db)
    with open(page) as f:
        text = re.sub(r"<[^>]*>", "", f.read())
    if flat(first["line"]) not in flat(html.unescape(text)):
        yield "report has another answer"


def one(args, name, folder):
    base = os.path.join(folder, os.path.basename(name)[:-4])
    subprocess.run([args.simulate, name, "-w", base + ".pcapng", "--seed",
                    str(args.seed), "--truth", base + ".json"],
                   stdout=subprocess.DEVNULL, check=True)
    done = subprocess.run([args.fabscope, "analyze", "--json", "-o",
                           base + ".db", base + ".pcapng"], check=True,
                          capture_output=True, text=True)
    doc = json.loads(done.stdout)
    with open(base + ".json") as f:
        truth = json.load(f)
    with sqlite3.connect(base + ".db") as db:
        found = [*answers(doc), *findings(doc), *losses(doc, db),
                 *late(doc, db), *series(db), *spans(db), *mirrored(db, truth, name),
                 *against_truth(doc, truth),
                 *others(args, doc, base + ".db", base + ".html")]
    for kind in ("pcapng", "json", "db", "html"):
        os.remove(f"{base}.{kind}")
    return [f"{os.path.basename(base)}: {what}" for what in found]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fabscope", required=True)
    parser.add_argument("--simulate", required=True)
    parser.add_argument("--seed", type=int, default=9)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", action="append")
    args = parser.parse_args()
    names = sorted(glob.glob(os.path.join(SCENARIOS, "*.fab")))
    if args.only:
        names = [n for n in names if os.path.basename(n)[:-4] in args.only]
    if not names:
        sys.exit("no scenarios")
    with tempfile.TemporaryDirectory() as folder, \
            ThreadPoolExecutor(args.jobs) as pool:
        wrong = [w for found in pool.map(lambda n: one(args, n, folder), names)
                 for w in found]
    print(*wrong, sep="\n")
    print(f"{len(names)} scenarios, {len(wrong)} contradictions")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())

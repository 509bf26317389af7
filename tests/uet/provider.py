#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What `fabscope analyze` says of captures that the reference provider's own
packet code made, against what the path between its two ends did, what the
provider counted, and what became of each message.

    provider.py FABSCOPE FOLDER   (with truth.json and NAME.A.pcap.gz, NAME.B.pcap.gz)"""
import collections
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

HOSTS = {"A": ("10.77.0.1", "fd77::1"), "B": ("10.77.0.2", "fd77::2")}
DATA = (2, 3, 13, 14)
CLOSE = 4  # of the control packets
OPS = {"1": "write", "2": "read", "3": "atomic", "4": "atomic", "5": "send",
       "9": "send"}
# Answered without a SACK: how many of the copies met with a loss nobody knows.
PLAIN_ACKS = {"rod_loss", "blackhole_fwd", "blackhole_ret", "rud_loss_ack",
              "ipv4_len_bug_stuck"}
# Contexts that the target refuses, and how.
REFUSED = {"peer_restart": "INV_DPDCID", "client_restart": "INVALID_SYN",
           "nack_ses_busy": "NO_SES_MSG_AVAIL"}

bad = []


def check(what, said, true):
    if said != true:
        bad.append(f"{what}: {said} said, {true} true")


def within(what, low, true, high):
    if not low <= true <= high:
        bad.append(f"{what}: {low} to {high} said, {true} true")


def drops(story, side):
    """(packets with a PSN, data and CLOSE, and of these originals) that the path
    dropped on its way from |side|."""
    lost = originals = 0
    for event in story["path events"]:
        _, way, what, *_, octets = event.split()
        pds = bytes.fromhex(octets.split("=")[1])[4:]
        close = (pds[0] >> 3 == 11 and
                 ((pds[0] & 7) << 1 | pds[1] >> 7) == CLOSE)
        if way[0] == side and what == "DROP" and \
                (pds[0] >> 3 in DATA or close):
            lost += 1
            originals += not pds[1] & 0x10  # RETX
    return lost, originals


def sums(db, side):
    return db.execute(
        "SELECT count(*) AS flows, sum(packets) AS packets, "
        "sum(lost_upstream) AS up, sum(lost_downstream_min) AS down_min, "
        "sum(lost_downstream_max) AS down_max, sum(retransmitted) AS again, "
        "sum(capture_missing) AS missing, sum(unresolved) AS unresolved "
        "FROM flow WHERE transport <> 'UET-TSS' AND src IN (?, ?)",
        HOSTS[side]).fetchone()


def losses(name, story, view, db):
    again = 0
    for side in HOSTS:
        row, (lost, originals) = sums(db, side), drops(story, side)
        if not row["flows"] or row["up"] is None:
            continue
        where = f"{name}.{view} from {side}"
        again += row["again"]
        check(where + " missing", (row["missing"] or 0, row["unresolved"] or 0),
              (0, 0))
        if view == side:
            check(where + " lost before", row["up"], 0)
            within(where + " lost behind", row["down_min"] or 0,
                   lost, row["down_max"] or 0)
            if name not in PLAIN_ACKS:
                check(where + " lost behind", row["down_min"] or 0,
                      lost)
        else:
            # Of what was dropped with all of its copies nothing is here; and
            # a copy of what had come by before is not missed.
            check(where + " lost before", row["up"],
                  0 if name == "blackhole_fwd" else originals)
            check(where + " lost behind, at least", row["down_min"] or 0, 0)
    check(f"{name}.{view} sent again", again,
          story["views"][view]["by type"].get("with RETX flag", 0))


def refusals(name, story, view, db):
    said = {r["name"]: r["n"] for r in db.execute(
        "SELECT name, sum(count) AS n FROM nack GROUP BY name")}
    true = {k: n for k, n in story["views"][view]["by type"].items()
            if k.startswith("NACK.")}
    if name.startswith("tss"):
        return  # those are for contexts that are encrypted
    check(f"{name}.{view} refusals", sorted(said.values()),
          sorted(true.values()))
    if name in REFUSED:
        check(f"{name}.{view} refusals", set(said), {REFUSED[name]})


def told(story):
    """(op, octets, complete) of each message that has rows."""
    for line in story["messages"]:
        m = dict(word.split("=") for word in line.split())
        yield (m["kind"], int(m["len"]), m["rc"] == "0")


def messages(name, story, view, db):
    rows = [(r["op"], r["bytes"], r["status"] == "complete") for r in db.execute(
        "SELECT op, bytes, status FROM message ORDER BY first_ns, id")]
    true = [(OPS[kind], size, done) for kind, size, done in told(story)]
    where = f"{name}.{view} messages"
    if name.startswith("tss"):
        check(where, rows, [])
        return
    if name == "rudi_uud":  # datagrams have no rows
        true = [t for t in true if t[0] != "send"]
    if name == "blackhole_fwd" and view == "B":
        true = [t for t in true if t[2]]  # never came by
    # Operands to compare and swap stand in the header.
    size = {"atomic": 0}
    same = [sorted((op, size.get(op, n), done) for op, n, done in of)
            for of in (rows, true)]
    check(where, *same)


def contexts(name, db, view):
    states = collections.Counter(r[0] for r in db.execute(
        "SELECT state FROM pdc JOIN flow ON flow.id = flow_id "
        "WHERE role = 'initiator' AND transport <> 'UET-TSS'"))
    true = {"close_often": {"closed": 5}, "defer_rtr": {"established": 2},
            "peer_restart": {"error": 1, "established": 1},
            "client_restart": {"error": 1, "established": 1},
            "ipv4_len_bug_stuck": {"closed": 1, "established": 1}}
    if name in true:
        check(f"{name}.{view} contexts", dict(states), true[name])
    jobs = {r[0] for r in db.execute("SELECT job_id FROM flow "
                                     "WHERE job_id IS NOT NULL")}
    check(f"{name}.{view} job", jobs, set() if name.startswith("tss")
          else {200})


def given_up(name, story, view, db):
    """What the provider reports as failed after its last retry is not merely
    unacknowledged; and whoever ends the context for that is not accused."""
    if name == "blackhole_fwd" and view == "A":
        check(f"{name}.{view} given up", db.execute(
            "SELECT count(*) FROM message WHERE status = 'aborted'")
            .fetchone()[0], sum(not done for _, _, done in told(story)))
        text = db.execute("SELECT detail FROM finding WHERE rule = "
                          "'unanswered'").fetchone()[0]
        check(f"{name}.{view} says so", "1 message was given up" in text, True)
    fatal = db.execute(
        "SELECT detail FROM finding WHERE rule = 'fatal-nak'").fetchone()
    if fatal:
        check(f"{name}.{view} the network is cleared",
              "The network only carried" in fatal[0],
              name != "blackhole_ret")


def verdicts(name, story, view, db):
    """Where the path and both ends did all as they should, nobody is accused."""
    rules = {r[0] for r in db.execute(
        "SELECT rule FROM finding WHERE severity IN ('critical', 'warning')")}
    clean = not story["path events"] and name not in REFUSED and \
        name != "ipv4_len_bug_stuck"
    if clean:
        check(f"{name}.{view} accusations", rules, set())
    elif name in ("peer_restart", "client_restart"):
        check(f"{name}.{view} accusations", rules, {"fatal-nak"})
    elif name == "nack_ses_busy":
        check(f"{name}.{view} accusations", rules, {"receiver-not-ready"})


def times(name, view, db):
    """Nothing ends before it began, as a refusal behind the last packet of its
    context did."""
    check(f"{name}.{view} findings that end before they begin", db.execute(
        "SELECT count(*) FROM finding WHERE last_ns < first_ns")
        .fetchone()[0], 0)


def both(name, story, db):
    """With both sides in hand each loss is counted once: what was lost between
    them is no loss of one side beside it, and no more than was dropped."""
    for side in HOSTS:
        where = f"{name} from {side}, both taps"
        rows = dict(db.execute(
            "SELECT replace(kind, 'tail_', ''), sum(lost_min) FROM incident "
            "WHERE src IN (?, ?) AND kind LIKE '%loss_%' GROUP BY 1",
            HOSTS[side]))
        lost, _ = drops(story, side)
        check(where + ", not between", {k: n for k, n in rows.items()
                                        if k != "loss_between" and n}, {})
        within(where + ", between", rows.get("loss_between", 0), lost, lost)
        if lost and name in ("rud_loss_ack", "rud_loss_ackcc", "rod_loss"):
            check(where + ", reported", "loss_between" in rows, True)


def analyze(fabscope, out, *captures):
    subprocess.run([fabscope, "analyze", "-o", out, *captures], check=True,
                   stdout=subprocess.DEVNULL)
    db = sqlite3.connect(out)
    db.row_factory = sqlite3.Row
    return db


def main():
    fabscope, folder = sys.argv[1:]
    with open(os.path.join(folder, "truth.json"), encoding="utf-8") as f:
        truth = json.load(f)
    with tempfile.TemporaryDirectory() as place:
        for name, story in truth.items():
            for view in HOSTS:
                db = analyze(
                    fabscope, os.path.join(place, f"{name}.{view}.db"),
                    os.path.join(folder, f"{name}.{view}.pcap.gz"))
                check(f"{name}.{view} packets",
                      db.execute("SELECT sum(packets) FROM flow").fetchone()[0],
                      story["views"][view]["packets"])
                losses(name, story, view, db)
                refusals(name, story, view, db)
                messages(name, story, view, db)
                contexts(name, db, view)
                verdicts(name, story, view, db)
                given_up(name, story, view, db)
                times(name, view, db)
                db.close()
            if not name.startswith("tss"):
                taps = [word for view in HOSTS for word in (
                    "--tap", f"{view}=" + os.path.join(
                        folder, f"{name}.{view}.pcap.gz"))]
                db = analyze(fabscope, os.path.join(place, f"{name}.db"), *taps)
                both(name, story, db)
                db.close()
    print("\n".join(bad) or f"{len(truth)} scenarios from two sides, as it was")
    return bool(bad)


sys.exit(main())

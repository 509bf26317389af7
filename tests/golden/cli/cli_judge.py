#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""fabscope judge: the same evidence gives the same database, table by table and
row by row; another assumption changes what rests on it, and nothing else."""
import os
import sqlite3
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
FABSCOPE = os.environ["FABSCOPE"]
SPRAYED = "sprayed.fab"  # and with losses: see sprayed()
CAPTURES = [
    ["d11_drop_every_400.pa.pcap", "d11_drop_every_400.pb.pcap"],
    ["d12_drop_tail_timeout.pb.pcap"],
    ["d13_read_resp_drop.pa.pcap"],
    ["d19_ack_loss_20pct.pb.pcap"],
    ["d24_capture_loss_2pct.pa.pcap"],
    ["hard/d28_reorder_jitter.pb.pcap.gz"],
    ["uet/rud_loss_ackcc.A.pcap.gz", "uet/rud_loss_ackcc.B.pcap.gz"],
    ["uet/rod_loss.A.pcap.gz"],
]
# Whole connections begun anew, mirrors that miss packets, jobs, trimming, one of
# several links.
SCENARIOS = ["qp_reuse", "capture_loss_and_loss", "uet_trim_incast", "job_loss",
             SPRAYED]


def sprayed(folder):
    """Packets take any of four spines, one uplink is tapped, and what is lost
    behind it is retransmitted."""
    with open(os.path.join(ROOT, "captures/scenarios/spray_one_link.fab")) as f:
        text = f.read()
    with open(os.path.join(folder, SPRAYED), "w") as f:
        f.write(text + "fault leaf2->h5 drop of=requests chance=0.005\n")


def run(*words, status=(0, 3)):
    r = subprocess.run([FABSCOPE, *words], capture_output=True, text=True)
    assert r.returncode in status, (words, r.returncode, r.stderr)
    return r


def tables(path):
    db = sqlite3.connect(path)
    names = [n for n, in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'"
                                    " AND name NOT LIKE 'sqlite~_%' ESCAPE '~'")]
    return {n: db.execute(f'SELECT * FROM "{n}"').fetchall() for n in names}


def rows(path, sql):
    return sqlite3.connect(path).execute(sql).fetchall()


def same(folder, captures):
    a, b = (os.path.join(folder, n) for n in ("a.db", "b.db"))
    run("analyze", "-o", a, *captures)
    run("judge", a, "-o", b)
    one, other = tables(a), tables(b)
    for name in one:
        assert one[name] == other[name], (captures, name)
    return len(one["recovery"]), len(one["finding"])


def assumptions(folder):
    """Counted by hand in what these captures are: ../captures/README.md."""
    a, b = (os.path.join(folder, n) for n in ("a.db", "b.db"))
    # NAKs on a path that reorders are a loss where the order is kept.
    run("analyze", "-o", a, os.path.join(ROOT, "captures/hard/d28_reorder_jitter.pb.pcap.gz"))
    run("judge", a, "-o", b, "--assume", "in-order")
    assert rows(b, "SELECT value FROM meta WHERE key = 'assumed'") == [("in-order",)]
    either = "SELECT count(*) FROM recovery WHERE cause = 'loss_or_reorder'"
    down = "SELECT count(*) FROM recovery WHERE cause = 'loss_downstream' AND evidence & 1"
    late = "SELECT count(*) FROM recovery WHERE cause = 'reorder'"
    assert rows(a, either)[0][0] > 0 and rows(b, either)[0][0] == 0
    assert rows(a, down)[0][0] == 0 and rows(b, down)[0][0] == rows(a, either)[0][0]
    # What was seen to come late did so, whatever is assumed.
    assert rows(a, late) == rows(b, late)
    # What rests on a capture that has all goes with the assumption.
    run("analyze", "-o", a, os.path.join(ROOT, "captures/d11_drop_every_400.pb.pcap"))
    run("judge", a, "-o", b, "--assume", "gaps")
    up = "SELECT count(*) FROM recovery WHERE cause = 'loss_upstream'"
    assert rows(a, up)[0][0] > 0
    assert rows(b, up)[0][0] == 0
    assert rows(b, "SELECT sum(lost_upstream) FROM flow")[0][0] == 0
    lost = "SELECT count(*) FROM finding WHERE rule LIKE 'loss%'"
    assert rows(a, lost)[0][0] > 0 and rows(b, lost)[0][0] == 0, (rows(a, lost), rows(b, lost))
    # And comes back without it.
    run("judge", b, "-f")
    one, other = tables(a), tables(b)
    for name in ("flow", "recovery", "finding", "incident", "answer"):
        assert one[name] == other[name], name
    # A NAK of a packet that was seen here proves a loss all the same.
    run("analyze", "-o", a, os.path.join(ROOT, "captures/d11_drop_every_400.pa.pcap"))
    run("judge", a, "-o", b, "--assume", "gaps")
    assert rows(b, "SELECT DISTINCT cause FROM recovery") == [("loss_downstream",)]


def usage(folder):
    a = os.path.join(folder, "a.db")
    before = open(a, "rb").read()
    run("judge", a, status=(2,))
    run("judge", a, "-o", a, status=(1,))
    run("judge", a, "-f", "--assume", "luck", status=(2,))
    run("judge", os.path.join(ROOT, "README.md"), "-f", status=(1,))
    # A database that an older program wrote lacks what a verdict rests on.
    older = os.path.join(folder, "older.db")
    with open(older, "wb") as f:
        f.write(before)
    db = sqlite3.connect(older)
    db.execute("ALTER TABLE judge_fill DROP COLUMN again")
    db.close()
    said = run("judge", older, "-f", status=(1,)).stderr
    assert "judge_fill" in said and said.count("\n") == 1, said
    assert open(a, "rb").read() == before


def main():
    with tempfile.TemporaryDirectory() as folder:
        recoveries = findings = 0
        for names in CAPTURES:
            n, m = same(folder, [os.path.join(ROOT, "captures", c) for c in names])
            recoveries += n
            findings += m
        sprayed(folder)
        for name in SCENARIOS:
            if name == SPRAYED:
                name = os.path.join(folder, name)
            path = os.path.join(folder, os.path.basename(name) + ".pcapng")
            run("simulate", "-w", path, "--seed", "41", name)
            n, m = same(folder, [path])
            recoveries += n
            findings += m
        assert recoveries > 100 and findings > 20, (recoveries, findings)
        assumptions(folder)
        usage(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does fabscope say what happened?

Runs `fabscope analyze` over the soft-RoCE captures and compares the database
with the ground truth beside them (truth.py).  A number that one tap cannot
know is checked as a range, and the reason is printed with it.

    score.py FABSCOPE [--captures DIR]... [--public DIR] [CASE...]

A run that several DIR have is taken from the first.  Exit status: 0 all passed, 1 not, 77
nothing to do.
"""
import argparse
import collections
import glob
import gzip
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

import score_late
import truth
import wire

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from cases import some  # noqa: E402

EVENT_CAP = 1000  # events kept per flow and kind: engine.h

# What a capture without trouble must not contain.
TROUBLE = ("lost_upstream", "lost_downstream_min", "lost_downstream_max",
           "capture_missing", "unresolved", "corrupted", "reordered",
           "retransmitted", "spurious", "timeouts", "nak_seq", "nak_fatal",
           "rnr_nak", "implied_nak", "duplicates", "ack_lost",
           "mirror_duplicates", "credit_stalls", "icrc_bad")
# Findings that say the fabric lost something.
LOSS_FINDINGS = {"loss-upstream", "loss-downstream",
                 "loss-or-reorder-downstream", "tail-loss", "corruption",
                 "unrecovered-loss", "uc-gaps"}


class Between:
    """A range of allowed values, with the reason for its width."""

    def __init__(self, low, high, why):
        self.low, self.high, self.why = low, high, why

    def __eq__(self, got):
        return got is not None and self.low <= got <= self.high

    def __str__(self):
        return "%s..%s" % (self.low, self.high)


class OneOf:
    """Several allowed values, with the reason."""

    def __init__(self, *values, why):
        self.values, self.why = values, why

    def __eq__(self, got):
        return got in self.values

    def __str__(self):
        return " or ".join(map(str, self.values))


class Database:
    """The result of one run of fabscope."""

    def __init__(self, program, captures, options=(), stdin=None):
        self.folder = tempfile.TemporaryDirectory(prefix="score-")
        path = os.path.join(self.folder.name, "x.db")
        run = subprocess.run(
            [program, "analyze", "-o", path, *options, *captures],
            stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            timeout=600)
        self.status = run.returncode
        if not os.path.exists(path):
            raise RuntimeError("no database: " + run.stderr.decode().strip())
        self.connection = sqlite3.connect(path)
        self.connection.row_factory = sqlite3.Row
        self.flows = self.rows("SELECT * FROM flow")

    def rows(self, text, *values):
        return self.connection.execute(text, values).fetchall()

    def facts(self):
        """Everything the engine found out, in the order it did."""
        return [[tuple(r) for r in self.rows("SELECT * FROM " + table)]
                for table in ("flow", "event", "recovery", "message", "bin",
                              "cm")]

    def total(self, column, **where):
        """Sum over flows; None when it is unknown for all of them."""
        known = [f[column] for f in self.flows
                 if f[column] is not None and
                 all(f[k] == v for k, v in where.items())]
        return sum(known) if known else None

    def events(self, kind):
        return self.rows("SELECT e.*, f.src, f.dst, f.dst_qp FROM event e "
                         "LEFT JOIN flow f ON f.id = e.flow_id "
                         "WHERE kind = ?", kind)

    def recoveries(self, where="1"):
        return self.rows("SELECT r.*, f.src, f.dst, f.dst_qp FROM recovery r "
                         "JOIN flow f ON f.id = r.flow_id WHERE " + where)

    def findings(self, *severities):
        return [f["rule"] for f in self.rows(
            "SELECT rule, severity FROM finding ORDER BY id")
            if f["severity"] in severities]

    def verdict(self):
        return self.rows("SELECT verdict FROM answer"
                         " WHERE scope = 'capture'")[0]["verdict"]


class Sheet:
    """The checks of one capture."""

    passed = failed = 0

    def __init__(self, name):
        print("\n" + name)

    def count(self, good):
        """The word for the line."""
        if good:
            Sheet.passed += 1
            return "ok"
        Sheet.failed += 1
        return "FAIL"

    def check(self, what, expected, got, why=None):
        good = expected == got
        why = why or getattr(expected, "why", None)
        print("  %-4s %-44s %-22s %s%s" % (
            self.count(good), what, expected,
            "" if good else "got %s " % (got,),
            "(%s)" % why if why else ""))

    def check_set(self, what, low, high, got, why=None):
        """low <= got <= high as sets; says what is wrong by example."""
        low, high, got = set(low), set(high), set(got)
        missing, surplus = sorted(low - got), sorted(got - high)
        text = "%d" % len(high) if low == high else "%d..%d" % (
            len(low), len(high))
        found = "%d" % len(got)
        if missing:
            found += ", not %s" % (missing[:4],)
        if surplus:
            found += ", but %s" % (surplus[:4],)
        good = not missing and not surplus
        print("  %-4s %-44s %-22s %s%s" % (
            self.count(good), what, text + " frames/PSNs",
            "" if good else "got %s " % found, "(%s)" % why if why else ""))


# ---- what fabscope calls sent again, frame by frame ----

def retransmitted_frames(db, tap, tap_id=1):
    """Request frames inside the recovery episodes.  A long episode can have
    new data between two rounds: their number is checked otherwise."""
    news = tap.news()
    by_flow = collections.defaultdict(list)
    for p in tap.packets:
        if truth.is_request(p):
            by_flow[truth.key_of(p)].append(p.number)
    frames = set()
    for r in db.recoveries("r.tap_id = %d" % tap_id):
        key = truth.Key(r["src"], r["dst"], r["dst_qp"])
        frames.update(f for f in by_flow[key]
                      if r["frame_first"] <= f <= r["frame_last"])
    return frames - news


def event_psns(db, kind):
    """(QP, PSN) of the first PSN of each event that says lost and not "lost
    or overtaken" (R26)."""
    return {(e["dst_qp"], e["psn"]) for e in db.events(kind)
            if not (e["detail"] or "").startswith("R26")}


def all_event_psns(db, kind):
    return {(e["dst_qp"], (e["psn"] + k) & 0xFFFFFF)
            for e in db.events(kind) for k in range(e["count"] or 1)}


# ---- checks for every capture ----

def check_reading(sheet, db, tap):
    """What is simply there must be there."""
    told = tap.told
    sheet.check("exit status", 0, db.status)
    sheet.check("packets", told["frames"],
                db.rows("SELECT sum(packets) FROM tap")[0][0])
    for way, number in told["by_direction"].items():
        src, dst = way.split(" > ")
        if len(tap.hosts) == 2 and dst not in tap.hosts:
            number = OneOf(0, number, why="a damaged address is no flow")
        sheet.check("packets " + way, number,
                    db.total("packets", src=src, dst=dst) or 0)
    sheet.check("CE", told["ecn_ce"],
                db.rows("SELECT sum(ce) FROM tap")[0][0])
    sheet.check("ICRC right", told["icrc"].get("valid", 0),
                db.rows("SELECT sum(icrc_good) FROM tap")[0][0])
    sheet.check("ICRC wrong", told["icrc"].get("invalid", 0),
                db.rows("SELECT sum(icrc_bad) FROM tap")[0][0])
    sheet.check("CNP", 0, db.total("cnp") or 0)
    sheet.check("times that go back", tap.regressions, db.rows(
        "SELECT sum(timestamp_regressions) FROM tap")[0][0])


def check_answers(sheet, db, tap):
    for kind, column, packets in (("nak_seq", "nak_seq", tap.naks()),
                                  ("rnr_nak", "rnr_nak", tap.rnrs())):
        sheet.check(column, len(packets), db.total(column) or 0)
        if len(packets) < EVENT_CAP:
            sheet.check_set("frames of " + kind,
                            [p.number for p in packets],
                            [p.number for p in packets],
                            [e["frame"] for e in db.events(kind)])


def check_pairing(sheet, db, tap):
    """Both ends of every connection, and never a wrong partner."""
    rc = [f for f in db.flows if f["transport"] == "RC"]
    by_id = {f["id"]: f for f in db.flows}
    here = {(p.src, p.qp) for p in tap.packets if p.opcode < 0x20}
    both = [(a, b) for a, b in tap.pairs if len(tap.hosts) == 2 and
            (tap.hosts[0], b) in here and (tap.hosts[1], a) in here]
    right, wrong = set(), set()
    for f in rc:
        partner = by_id.get(f["peer_flow_id"])
        if partner is None:
            continue
        ab = (partner["dst_qp"], f["dst_qp"])
        if f["src"] != tap.hosts[0]:
            ab = ab[::-1]
        good = (partner["src"], partner["dst"]) == (f["dst"], f["src"])
        # With three hosts either may be the first.
        if ab not in tap.pairs:
            ab = ab[::-1]
        (right if ab in tap.pairs and good else wrong).add(ab)
    sheet.check("wrong pairings", 0, len(wrong))
    sheet.check("QP pairs found", len(both), len(right & set(both)))
    sheet.check("src_qp of flows", True, all(
        f["src_qp"] is None or
        (f["src_qp"], f["dst_qp"]) in tap.pairs or
        (f["dst_qp"], f["src_qp"]) in tap.pairs for f in rc))


def check_messages(sheet, db, tap):
    starts = tap.message_starts()
    sheet.check("messages", sum(n for key, n in starts.items() if key.qp > 1),
                sum(f["messages"] for f in db.flows if f["dst_qp"] > 1))


def check_honesty(sheet, db, tap):
    """Findings point at frames that exist; PFC was not to be seen."""
    last = tap.told["frames"]
    frames = [e["frame"]
              for f in db.rows("SELECT evidence FROM finding "
                               "WHERE evidence IS NOT NULL")
              for e in json.loads(f[0]).get("frames", [])]
    sheet.check("evidence frames exist", True,
                all(1 <= f <= last for f in frames))
    sheet.check("PFC observable", [("no",)], [tuple(r) for r in db.rows(
        "SELECT verdict FROM observability WHERE what = 'pfc'")],
        why="an ordinary mirror does not copy it: never 0")
    sheet.check("lost for good", False, "unrecovered-loss" in db.findings(
        "critical", "warning", "info"),
        why="every run ended well, so all was recovered")
    sheet.check("min <= max of downstream losses", True, all(
        (f["lost_downstream_min"] or 0) <= (f["lost_downstream_max"] or 0)
        for f in db.flows))


def check_clean(sheet, db, tap):
    for column in TROUBLE:
        sheet.check(column, 0, db.total(column) or 0)
    sheet.check("recoveries", 0, len(db.recoveries()))
    sheet.check("findings", [], db.findings("critical", "warning"))
    sheet.check("network accused", False,
                db.verdict() in ("network", "both"))


def check_no_loss_finding(sheet, db, unless=()):
    sheet.check("loss findings", [], sorted(
        LOSS_FINDINGS & set(db.findings("critical", "warning", "info"))
        - set(unless)))


def check_lost_to(sheet, db, *what):
    """What the answer says that time was lost to, by its first line."""
    said = {r[0] for r in db.rows(
        "SELECT measured FROM answer_share WHERE class = 'loss'")}
    sheet.check("time lost to something else", set(), said - set(what))


def check_place(sheet, db, side):
    """No finding puts the trouble on the wrong side of the tap."""
    wrong = {"before": ("between this capture point", "behind this capture"),
             "behind": ("and this capture point", "efore this capture")}[side]
    sheet.check("findings on the wrong side", [], [
        f["title"] for f in db.rows("SELECT title FROM finding")
        if any(w in f["title"] for w in wrong)])


def check_evidence(sheet, db, tap):
    """The frames a finding names are those of a recovery."""
    known = {p.number for p in tap.naks() + tap.rnrs()}
    known |= set(tap.retransmitted) | {s.frame for s in tap.steps}
    named = {e["frame"] for f in db.rows(
        "SELECT evidence FROM finding WHERE severity IN "
        "('critical', 'warning')")
        for e in json.loads(f["evidence"]).get("frames", [])}
    sheet.check("evidence is named", True, bool(named))
    sheet.check("evidence of nothing", [], sorted(named - known))


def check_found(sheet, db, *rules):
    """At least one of |rules| is a finding that matters."""
    found = db.findings("critical", "warning")
    sheet.check("finding " + " or ".join(rules), True,
                bool(set(rules) & set(found)))
    # a receiver that is not ready is a host
    sheet.check("network acquitted", False,
                db.verdict() == "nothing-wrong" or
                db.verdict() == "host" and "receiver-not-ready" not in rules)


# ---- checks for a run with losses ----

def check_lost_behind(sheet, db, fate, least):
    """At the tap before the fault, on what travels towards it."""
    lost = len(fate.lost)
    sheet.check("lost_downstream_min", Between(
        least, lost, "NAKed PSNs and tail losses up to the frames lost"),
        db.total("lost_downstream_min", src=fate.src))
    sheet.check("lost_downstream_max", Between(
        len(fate.lost_psns()), float("inf"), "an upper bound, in PSNs"),
        db.total("lost_downstream_max", src=fate.src))
    sheet.check("lost_upstream", 0, db.total("lost_upstream") or 0)
    sheet.check_set("PSNs called lost downstream", [], fate.lost_psns(),
                    event_psns(db, "loss_downstream"),
                    "no false accusation")
    check_kept(sheet, db)


def check_lost_before(sheet, db, fate, wanted, least=None):
    """At the tap behind the fault."""
    visible = fate.visible(wanted)
    least = len(visible) if least is None else least
    sheet.check("lost_upstream", Between(
        least, len(fate.lost),
        "holes seen here up to the frames lost") if least != len(fate.lost)
        else least, db.total("lost_upstream") or 0)
    sheet.check("lost_downstream_min", 0,
                db.total("lost_downstream_min") or 0)
    sheet.check_set("PSNs called lost upstream", visible, fate.lost_psns(),
                    all_event_psns(db, "loss_upstream"))
    check_kept(sheet, db)


def check_kept(sheet, db):
    """tcpdump dropped nothing, the path kept the order."""
    for column in ("capture_missing", "unresolved", "reordered",
                   "mirror_duplicates"):
        sheet.check(column, 0, db.total(column) or 0)


def check_retransmitted(sheet, db, tap, low, high, why=None):
    """The packets sent again, counted and frame by frame."""
    sheet.check("retransmitted", len(high) if set(low) == set(high) else
                Between(len(low), len(high), why),
                db.total("retransmitted", src=tap.hosts[0]))
    sheet.check_set("frames retransmitted", low, high,
                    retransmitted_frames(db, tap), why)


def check_triggers(sheet, db, tap, rounds=False):
    """Every step back of a sender is a recovery with its reason.  Steps
    without progress between them are rounds of one recovery."""
    retries = tap.retries()
    got = collections.Counter(r["trigger"] for r in db.recoveries())
    for trigger in ("nak", "rnr", "implied_nak"):
        sheet.check("recoveries by " + trigger, retries[trigger],
                    got[trigger])
    sheet.check("recoveries by timeout", Between(
        min(1, retries["timeout"]), retries["timeout"],
        "repeated rounds are one recovery") if rounds else
        retries["timeout"], got["timeout"])
    sheet.check("recoveries unexplained", 0, got["unknown"])
    sheet.check_set("first frames of recoveries",
                    [] if rounds else [s.frame for s in tap.steps],
                    [s.frame for s in tap.steps],
                    [r["frame_first"] for r in db.recoveries()])
    sheet.check("timeouts", retries["timeout"], db.total("timeouts") or 0)


# ---- the cases ----

CASES = {}


def case(*names):
    def register(function):
        for name in names:
            CASES[name] = function
        return function
    return register


@case("d01_write_clean.pa", "d01_write_clean.pb", "d02_read_clean.pa",
      "d03_send_bidir_sizes.pa", "d04_write_lat.pa", "d05_atomic.pa",
      "d06_ud_uc.pa", "d07_cm.pa", "d08_ipv6.pa", "d09_vlan.pa",
      "d16_ce_every_20.pa", "d21_base_for_capture_loss.pa",
      "d23_write_mtu4096.pa")
def clean(sheet, db, _, tap):
    check_clean(sheet, db, tap)
    if tap.path.endswith("d16_ce_every_20.pa.pcap"):
        check_ect(sheet, db, tap)
    if tap.path.endswith("d07_cm.pa.pcap"):
        sheet.check("pairing by CM", {"cm"}, {
            f["pairing"] for f in db.flows if f["transport"] == "RC"})


def check_ect(sheet, db, tap):
    ect = [p for p in tap.packets if p.tos & 3 in (1, 2)]
    ce = [p for p in tap.packets if p.tos & 3 == 3]
    for host in tap.hosts:
        sheet.check("ECT from " + host,
                    sum(p.src == host for p in ect),
                    db.total("ect", src=host))
        sheet.check("CE from " + host, sum(p.src == host for p in ce),
                    db.total("ce", src=host))


@case("d16_ce_every_20.pb")
def marked(sheet, db, _, tap):
    check_ect(sheet, db, tap)
    for column in TROUBLE:
        sheet.check(column, 0, db.total(column) or 0)
    check_no_loss_finding(sheet, db)


@case("d10_loss_random_1pct.pa", "d11_drop_every_400.pa",
      "d22_psn_wrap.pa")
def lost_behind(sheet, db, run, tap):
    fate = run.fate("pa")
    naked = {(s.key.qp, s.psn) for s in tap.steps} & fate.lost_psns()
    check_lost_behind(sheet, db, fate, len(naked))
    check_retransmitted(sheet, db, tap, tap.retransmitted, tap.retransmitted)
    check_triggers(sheet, db, tap)
    sheet.check("recoveries as the driver counts",
                run.counter("rxe_a", "completer_retry_err"),
                len(db.recoveries()))
    sheet.check("spurious", 0, db.total("spurious") or 0)
    check_place(sheet, db, "behind")
    check_evidence(sheet, db, tap)
    check_found(sheet, db, "loss-downstream", "loss-or-reorder-downstream")


@case("d10_loss_random_1pct.pb", "d11_drop_every_400.pb",
      "d22_psn_wrap.pb")
def lost_before(sheet, db, run, tap):
    fate = run.fate("pa")
    # A hole inside a replay is proven by the NAK for it: there the first
    # copy had been seen and was discarded by the receiver.
    naked = {(s.key.qp, s.psn) for s in tap.steps}
    least = len(fate.visible(truth.is_request) | naked & fate.lost_psns())
    check_lost_before(sheet, db, fate, truth.is_request, least)
    check_retransmitted(sheet, db, tap, fate.retransmitted_visible_down(),
                 fate.retransmitted_down(),
                 "first copies without a hole before them look new")
    sheet.check("recoveries as the driver counts",
                run.counter("rxe_a", "completer_retry_err"),
                len(db.recoveries()))
    sheet.check("causes", {"loss_upstream"},
                {r["cause"] for r in db.recoveries()})
    check_place(sheet, db, "before")
    check_evidence(sheet, db, tap)
    check_found(sheet, db, "loss-upstream")


@case("d12_drop_tail_timeout.pa")
def tail_lost_behind(sheet, db, run, tap):
    check_lost_behind(sheet, db, run.fate("pa"), 4)
    check_retransmitted(sheet, db, tap, tap.retransmitted, tap.retransmitted)
    check_triggers(sheet, db, tap)
    sheet.check("spurious", Between(
        0, run.counter("rxe_b", "duplicate_request"),
        "the receiver saw 28 duplicates"), db.total("spurious") or 0)
    sheet.check("silences above 130 ms", 4, len(
        db.recoveries("idle_ns > 130000000")))
    check_place(sheet, db, "behind")
    check_evidence(sheet, db, tap)
    check_found(sheet, db, "tail-loss")


@case("d12_drop_tail_timeout.pb")
def tail_lost_before(sheet, db, run, tap):
    """No later packet opens a hole, but the message lacks its end when the
    sender falls silent, and its beginning is what is sent again."""
    fate = run.fate("pa")
    check_lost_before(sheet, db, fate, truth.is_request, len(fate.lost))
    check_place(sheet, db, "before")
    check_found(sheet, db, "tail-loss")
    check_retransmitted(sheet, db, tap, fate.retransmitted_visible_down(),
                 fate.retransmitted_down(),
                 "the lost packet's first copy is the first seen here")
    check_triggers(sheet, db, tap)


@case("d13_read_resp_drop.pa")
def responses_lost_before(sheet, db, run, tap):
    fate = run.fate("pb")
    check_lost_before(sheet, db, fate, wire.is_response)
    check_read_again(sheet, db, tap)
    check_place(sheet, db, "before")
    check_found(sheet, db, "loss-upstream")


@case("d13_read_resp_drop.pb")
def responses_lost_behind(sheet, db, run, tap):
    check_lost_behind(sheet, db, run.fate("pb"), 12)
    check_read_again(sheet, db, tap)
    check_place(sheet, db, "behind")
    check_found(sheet, db, "loss-downstream", "loss-or-reorder-downstream")


def check_read_again(sheet, db, tap):
    host = tap.hosts[0]
    sheet.check("implied_nak", 12, db.total("implied_nak"))
    sheet.check("READ requests sent again", OneOf(
        12, 24, why="12 partial, and 12 later READs in full"),
        db.total("retransmitted", src=host))
    sheet.check("timeouts", 0, db.total("timeouts") or 0)
    check_triggers(sheet, db, tap)
    sheet.check("messages not completed", 0,
                db.total("messages_incomplete", src=host))


@case("d14_reorder_gap.pa")
def reordered_behind(sheet, db, _, tap):
    """Nothing was lost: at most 'lost or reordered' may be said here."""
    sheet.check("lost_upstream", 0, db.total("lost_upstream") or 0)
    sheet.check("lost_downstream_min", 0,
                db.total("lost_downstream_min") or 0,
                why="the fabric lost nothing, so no lower bound but 0 holds")
    check_kept(sheet, db)
    check_retransmitted(sheet, db, tap, tap.retransmitted, tap.retransmitted)
    check_triggers(sheet, db, tap)
    strong = {"loss_upstream", "loss_downstream", "corruption"}
    sheet.check("causes of loss only", set(), strong & {
        r["cause"] for r in db.recoveries()})
    sheet.check("events of loss", 0, sum(
        not (e["detail"] or "").startswith("R26")
        for e in db.events("loss_downstream")))
    sheet.check("findings of loss", set(),
                (LOSS_FINDINGS - {"loss-or-reorder-downstream"}) &
                set(db.findings("critical", "warning")))
    check_place(sheet, db, "behind")
    check_lost_to(sheet, db, "reordering", "loss or reordering")


@case("d14_reorder_gap.pb")
def reordered_before(sheet, db, run, tap):
    told = run.fate("pa").told["order_within_qp"]
    for column in ("lost_upstream", "lost_downstream_min", "capture_missing",
                   "unresolved"):
        sheet.check(column, 0, db.total(column) or 0,
                    why="the fabric lost nothing and the tap saw all")
    late, below = tap.late_originals()
    sheet.check("reordered", Between(
        len(late) - below, len(late),
        "originals after a higher PSN; those below the first one seen may "
        "have been sent before"), db.total("reordered"))
    sheet.check("reorder_events", Between(
        1, told["early"], "holes opened by packets that overtook"),
        db.total("reorder_events"))
    sheet.check("retransmitted", len(run.fate("pa").retransmitted_down()),
                db.total("retransmitted", src=tap.hosts[0]))
    sheet.check("causes of loss", set(), {
        "loss_upstream", "loss_downstream", "corruption"} & {
        r["cause"] for r in db.recoveries()})
    # A copy that overtook its replay leaves one "lost or late" (40 %).
    check_no_loss_finding(sheet, db, unless=("loss-or-reorder-downstream",))
    check_found(sheet, db, "reordering", "reordering-tolerated")
    check_lost_to(sheet, db, "reordering")


@case("d15_duplicate_1pct.pa")
def duplicated_behind(sheet, db, _, tap):
    for column in TROUBLE:
        sheet.check(column, 0, db.total(column) or 0)
    sheet.check("findings", [], db.findings("critical", "warning"))


@case("d15_duplicate_1pct.pb")
def duplicated_before(sheet, db, _, tap):
    """Equal identification, 1 % of the packets: the network's doing.  A
    mirror would double nearly all (R20), a sender would number anew."""
    frames = tap.told["frames_duplicated_in_network"]
    sheet.check("duplicates", len(frames), db.total("duplicates"))
    sheet.check_set("frames of duplicates", frames, frames,
                    [e["frame"] for e in db.events("duplicate")])
    for column in TROUBLE:
        if column != "duplicates":
            sheet.check(column, 0, db.total(column) or 0)
    sheet.check("recoveries", 0, len(db.recoveries()))
    check_no_loss_finding(sheet, db)
    sheet.check("duplicates are told", True, any(
        "uplicate" in f["title"] or "twice" in f["title"]
        for f in db.rows("SELECT title FROM finding")),
        why="a network that doubles packets is not without fault")


@case("d17_rnr_sigstop.pa")
def not_ready(sheet, db, run, tap):
    for column in ("lost_upstream", "lost_downstream_min",
                   "lost_downstream_max", "capture_missing", "unresolved",
                   "timeouts", "reordered", "spurious"):
        sheet.check(column, 0, db.total(column) or 0)
    sheet.check("RNR NAKs as the driver counts",
                run.counter("rxe_b", "send_rnr_err"), db.total("rnr_nak"))
    check_retransmitted(sheet, db, tap, tap.retransmitted, tap.retransmitted)
    check_triggers(sheet, db, tap)
    sheet.check("causes", True, {r["cause"] for r in db.recoveries()} <=
                {"rnr", "collateral"})
    check_no_loss_finding(sheet, db)
    check_found(sheet, db, "receiver-not-ready")


@case("d18_blackhole_300ms.pa")
def black_hole_behind(sheet, db, run, tap):
    fate = run.fate("pa")
    check_lost_behind(sheet, db, fate, 2)
    check_retransmitted(sheet, db, tap, tap.retransmitted, tap.retransmitted)
    check_triggers(sheet, db, tap, rounds=True)
    sheet.check("timeouts as the driver counts",
                run.counter("rxe_a", "completer_retry_err"),
                db.total("timeouts"))
    check_found(sheet, db, "outage", "tail-loss", "loss-downstream",
                "timeouts")


@case("d18_blackhole_300ms.pb")
def black_hole_before(sheet, db, run, tap):
    """Seen from behind, a hole that nothing follows is only a silence."""
    fate = run.fate("pa")
    check_lost_before(sheet, db, fate, truth.is_request)
    check_retransmitted(sheet, db, tap, fate.retransmitted_visible_down(),
                 fate.retransmitted_down(),
                 "packets whose first copy is the first seen look new")
    sheet.check("spurious", Between(
        0, run.counter("rxe_b", "duplicate_request"),
        "all that came twice were duplicates to the receiver"),
        db.total("spurious") or 0)


@case("d19_ack_loss_20pct.pa", "d19_ack_loss_20pct.pb")
def acks_lost(sheet, db, run, tap):
    for column in ("lost_upstream", "lost_downstream_min",
                   "lost_downstream_max", "capture_missing", "unresolved",
                   "reordered"):
        sheet.check(column, 0, db.total(column, src=tap.hosts[0]) or 0,
                    why="every request arrived")
    check_retransmitted(sheet, db, tap, tap.retransmitted, tap.retransmitted)
    check_triggers(sheet, db, tap)
    sheet.check("spurious", run.counter("rxe_b", "duplicate_request"),
                db.total("spurious"),
                why="at both taps: each copy was answered with the newest PSN")
    sheet.check("causes", {"ack_loss"},
                {r["cause"] for r in db.recoveries()})
    sheet.check("ack_lost", Between(
        run.counter("rxe_a", "completer_retry_err"),
        len(run.fate("pb").lost), "an ACK lost before a later one is not "
        "missed"), db.total("ack_lost"))
    check_no_loss_finding(sheet, db)
    check_found(sheet, db, "ack-loss")
    check_lost_to(sheet, db, "ACKs lost or late")


@case("d20_corrupt.pa")
def damaged_behind(sheet, db, run, tap):
    """Two frames were damaged behind this tap; nobody could know here."""
    check_retransmitted(sheet, db, tap, tap.retransmitted, tap.retransmitted)
    check_triggers(sheet, db, tap)
    sheet.check("lost_downstream_min", 2, db.total("lost_downstream_min"))
    sheet.check("lost_upstream", 0, db.total("lost_upstream"))
    sheet.check("corrupted", 0, db.total("corrupted") or 0)
    frames = [up for up, _ in run.fate("pa").told["changed_frames_up_down"]]
    lost = {(tap.by_frame[f].qp, tap.by_frame[f].psn) for f in frames}
    sheet.check_set("PSNs called lost downstream", lost, lost,
                    event_psns(db, "loss_downstream"))
    check_kept(sheet, db)
    check_place(sheet, db, "behind")
    check_evidence(sheet, db, tap)


@case("d20_corrupt.pb")
def damaged_before(sheet, db, run, tap):
    """Both have a wrong ICRC; one lost its address, too, and leaves a hole
    in the stream it came from."""
    pairs = run.fate("pa").told["changed_frames_up_down"]
    frames = [down for _, down in pairs]
    strayed = [f for f in frames if tap.by_frame[f].dst not in tap.hosts]
    sheet.check_set("frames of icrc_bad", frames, frames,
                    [e["frame"] for e in db.events("icrc_bad")])
    corrupted = db.total("corrupted") or 0
    sheet.check("corrupted", Between(
        len(frames) - len(strayed), len(frames),
        "the strayed one leaves only a hole"), corrupted)
    sheet.check("lost_upstream", OneOf(
        len(frames) - corrupted, len(frames),
        why="without or with the damaged ones"), db.total("lost_upstream"))
    sheet.check("lost_downstream_min", 0,
                db.total("lost_downstream_min") or 0)
    check_kept(sheet, db)
    check_retransmitted(sheet, db, tap, run.fate("pa").retransmitted_down(),
                 run.fate("pa").retransmitted_down())
    sheet.check("recoveries by nak", 2, sum(
        r["trigger"] == "nak" for r in db.recoveries()))
    check_found(sheet, db, "corruption")


@case("d24_capture_loss_2pct.pa")
def capture_lost(sheet, db, run, tap):
    removed = run.told["removed_from_capture"]["removed_by_direction"]
    data = removed["%s > %s" % tuple(tap.hosts)]
    sheet.check("capture_missing", Between(
        data, data + removed["%s > %s" % tuple(tap.hosts[::-1])],
        "every data packet taken out was acknowledged; of the ACKs the MSN "
        "may tell"), db.total("capture_missing"))
    for column in TROUBLE:
        if column != "capture_missing":
            sheet.check(column, 0, db.total(column) or 0)
    check_no_loss_finding(sheet, db)
    sheet.check("capture loss is told", True, "capture-loss" in
                db.findings("critical", "warning", "info"))
    sheet.check("network acquitted", False,
                db.verdict() in ("host", "nothing-wrong"))


@case("d25_one_direction.pa")
def one_direction(sheet, db, _, tap):
    rc = [f for f in db.flows if f["transport"] == "RC"]
    sheet.check("visibility", {"fwd"}, {f["visibility"] for f in rc})
    for column in ("lost_downstream_min", "lost_downstream_max"):
        sheet.check(column, {None}, {f[column] for f in rc},
                    why="answers are not in the file: unknown, not 0")
    for column in ("lost_upstream", "capture_missing", "timeouts"):
        sheet.check(column, 0, db.total(column) or 0)
    check_retransmitted(sheet, db, tap, tap.retransmitted, tap.retransmitted)
    sheet.check("triggers", {"unknown"},
                {r["trigger"] for r in db.recoveries()},
                why="without the reverse path no timeout can be told")
    sheet.check("recoveries", len(tap.steps), len(db.recoveries()))
    check_no_loss_finding(sheet, db)
    sheet.check("network acquitted", False,
                db.verdict() in ("host", "nothing-wrong"))


# ---- several taps in one result ----

def two_taps(sheet, db, run, tap_ids):
    """Each tap tells its own story, and no frame is anybody's copy."""
    before, behind = tap_ids
    fate = run.fate("pa")
    sheet.check("exit status", 0, db.status)
    sheet.check("mirror_duplicates", 0, db.total("mirror_duplicates") or 0)
    sheet.check("duplicates", 0, db.total("duplicates") or 0)
    for tap_id, name in zip(tap_ids, ("pa", "pb")):
        told = run.taps[name].told
        sheet.check("packets at " + name, told["frames"], db.rows(
            "SELECT packets FROM tap WHERE id = ?", tap_id)[0][0])
        sheet.check("flows at " + name, 4, sum(
            f["tap_id"] == tap_id for f in db.flows))
    sheet.check("lost_downstream_min at pa", len(fate.lost),
                db.total("lost_downstream_min", tap_id=before))
    sheet.check("lost_upstream at pa", 0,
                db.total("lost_upstream", tap_id=before))
    sheet.check("lost_upstream at pb", len(fate.lost),
                db.total("lost_upstream", tap_id=behind))
    sheet.check("lost_downstream_min at pb", 0,
                db.total("lost_downstream_min", tap_id=behind))
    for name, tap_id, retransmitted in (
            ("pa", before, run.taps["pa"].retransmitted),
            ("pb", behind, fate.retransmitted_down())):
        sheet.check("retransmitted at " + name, len(retransmitted),
                    db.total("retransmitted", tap_id=tap_id))


# ---- the run ----

def score_file(program, run, name, tap):
    sheet = Sheet("%s.%s" % (run.name, name))
    try:
        db = Database(program, [tap.path])
        check_reading(sheet, db, tap)
        check_answers(sheet, db, tap)
        check_pairing(sheet, db, tap)
        if run.name != "d24_capture_loss_2pct":
            check_messages(sheet, db, tap)
        if run.complete() or run.name.startswith("d15"):
            CASES["%s.%s" % (run.name, name)](sheet, db, run, tap)
        else:
            print("       the other tap of this run is not here")
        check_honesty(sheet, db, tap)
    except (RuntimeError, sqlite3.Error, subprocess.TimeoutExpired) as error:
        sheet.check("analysed", True, str(error))


def score_two_taps(program, folder):
    run = truth.Case(folder, "d11_drop_every_400")
    merged = os.path.join(folder, "d26_merged_taps.pcapng")
    if os.path.exists(merged):
        two_taps(Sheet("d26_merged_taps"), Database(program, [merged]), run,
                 (1, 2))
    options = []
    for name in ("pa", "pb"):
        options += ["--tap", "%s=%s" % (name, run.taps[name].path)]
    sheet = Sheet("d11_drop_every_400 --tap pa --tap pb")
    db = Database(program, [], options)
    names = {r["name"]: r["id"] for r in db.rows("SELECT * FROM tap")}
    sheet.check("names of taps", {"pa", "pb"}, set(names))
    two_taps(sheet, db, run, (names.get("pa", 1), names.get("pb", 2)))


# Windows of a capture, in tenths: it begins and ends where it happens to.
WINDOWS = ((1, 10), (3, 10), (5, 10), (8, 10), (0, 3), (0, 7), (2, 4), (6, 9))


def check_window(sheet, db, fates, tap_name, duplicates):
    """Whatever begins or ends in mid-stream: nobody is accused wrongly.
    Reordering behind the tap is left out: what proves it may lie outside
    the window, and then it looks like loss (R4)."""
    overtaken = any(f.told["upstream_tap"] == tap_name and
                    f.told["order_within_qp"]["early"] for f in fates)
    sheet.check("exit status", 0, db.status)
    before, behind = set(), set()
    for fate in fates:
        here = before if fate.told["downstream_tap"] == tap_name else behind
        here |= fate.lost_psns()
    sheet.check_set("PSNs called lost upstream", [], before,
                    all_event_psns(db, "loss_upstream"))
    if not before:
        sheet.check("lost_upstream", 0, db.total("lost_upstream") or 0)
    if not overtaken:
        sheet.check_set("PSNs called lost downstream", [], behind,
                        event_psns(db, "loss_downstream"))
    if not behind and not overtaken:
        sheet.check("lost_downstream_min", 0,
                    db.total("lost_downstream_min") or 0)
    sheet.check("capture_missing", 0, db.total("capture_missing") or 0)
    if not any(f.told["order_within_qp"]["early"] for f in fates):
        sheet.check("reordered", 0, db.total("reordered") or 0)
    if not overtaken and duplicates is not None:
        sheet.check("spurious", Between(
            0, duplicates, "what the receiver saw as duplicates"),
            db.total("spurious") or 0)


def score_windows(program, run):
    # READs are repeated on purpose; what was overtaken in d14 and d28 is, too,
    # and is no duplicate to a receiver that had discarded it.
    duplicates = None if run.name[:3] in ("d13", "d14", "d28") else \
        run.counter("rxe_b", "duplicate_request")
    for name, tap in run.taps.items():
        frames = tap.told["frames"]
        for low, high in some(WINDOWS):
            with tempfile.NamedTemporaryFile(suffix=".pcap") as made:
                wire.window(tap.path, frames * low // 10 + 1,
                            frames * high // 10, made)
                made.flush()
                sheet = Sheet("%s.%s from %d to %d tenths" % (
                    run.name, name, low, high))
                check_window(sheet, Database(program, [made.name]),
                             run.fates, name, duplicates)


def score_same(program, folder):
    """The way a capture comes in changes nothing."""
    path = os.path.join(folder, "d11_drop_every_400.pb.pcap")
    sheet = Sheet("d11_drop_every_400.pb, other ways in")
    facts = Database(program, [path]).facts()
    sheet.check("the same again", True,
                Database(program, [path]).facts() == facts)
    with open(path, "rb") as file:
        sheet.check("by standard input", True,
                    Database(program, ["-"], stdin=file).facts() == facts)
    with tempfile.TemporaryDirectory(prefix="score-") as made:
        packed = os.path.join(made, "x.pcap.gz")
        with open(path, "rb") as file, gzip.open(packed, "wb") as out:
            out.write(file.read())
        sheet.check("compressed", True,
                    Database(program, [packed]).facts() == facts)


def quiet(packets):
    """True when no request PSN passes twice and nobody complains."""
    seen = set()
    for p in packets:
        if wire.is_sequence_nak(p) or wire.is_rnr(p):
            return False
        at = (truth.key_of(p), wire.is_response(p), p.psn)
        if p.qp > 1 and not wire.is_response(p):
            if at in seen:
                return False
            seen.add(at)
    return True


def score_public(program, folder):
    for path in sorted(glob.glob(os.path.join(folder, "*.pcap"))):
        sheet = Sheet("public " + os.path.basename(path))
        db = Database(program, [path])
        sheet.check("exit status", 0, db.status)
        sheet.check("nothing repeated in it", True,
                    quiet(wire.packets(path)),
                    why="by the second reader")
        for column in ("lost_upstream", "lost_downstream_min", "unresolved",
                       "capture_missing", "retransmitted", "reordered"):
            sheet.check(column, 0, db.total(column) or 0)
        check_no_loss_finding(sheet, db)


def runs_of(folders):
    """(folder, name) of each run, from the first folder that has it."""
    found = {}
    for folder in folders:
        for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
            found.setdefault(os.path.basename(path)[:-5], folder)
    return [(folder, name) for name, folder in sorted(found.items())]


score_late.register(sys.modules[__name__])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("fabscope")
    parser.add_argument("--captures", action="append", default=[])
    parser.add_argument("--public")
    parser.add_argument("case", nargs="*")
    given = parser.parse_intermixed_args()
    folders = [f for f in given.captures if os.path.isdir(f)]
    if not folders:
        print("no captures: skipped")
        return 77
    for folder, name in runs_of(folders):
        if given.case and not any(c in name for c in given.case):
            continue
        if name.startswith("d26"):
            continue
        run = truth.Case(folder, name)
        for tap_name, tap in run.taps.items():
            score_file(given.fabscope, run, tap_name, tap)
        if run.fates and run.complete() and not name.startswith("d20"):
            score_windows(given.fabscope, run)
    if not given.case or "d26" in given.case:
        score_two_taps(given.fabscope, folders[0])
        score_same(given.fabscope, folders[0])
    if given.public and os.path.isdir(given.public) and (
            not given.case or "public" in given.case):
        score_public(given.fabscope, given.public)
    print("\n%d passed, %d failed" % (Sheet.passed, Sheet.failed))
    return 1 if Sheet.failed else 0


if __name__ == "__main__":
    sys.exit(main())

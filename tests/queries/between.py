#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What was lost between two capture points, from rows written by hand.

    between.py

Flow 1 at the sender and flow 2 at the receiver are one, and so are 3 and 4, the
other direction, which has the responses to READs of the first.  What the sender
retransmits selectively is a range from the packet that a NAK named to the
newest one, so the ranges of two NAKs overlap."""
import sqlite3
import unittest

from recovery import read, row


def two_points():
    db = sqlite3.connect(":memory:")
    db.executescript(read("src", "store", "schema.sql"))
    for number in (1, 2):
        row(db, "tap", id=number, place=number)
        row(db, "flow", id=number, tap_id=number, peer_flow_id=number + 2,
            src="a", dst="b", spray_suspect=0)
        row(db, "flow", id=number + 2, tap_id=number, peer_flow_id=number,
            src="b", dst="a", spray_suspect=0)
    return db


def paired(unmatched, filled):
    """5 was lost, as both points know; a replay of 10 to 19 brought |filled|
    packets to the second one for the first time.  Are they among those that
    were lost between the two?"""
    db = two_points()
    for number, flow, psn, cause, count in (
            (1, 1, 5, "loss_downstream", 1), (2, 2, 5, "loss_upstream", 1),
            (3, 2, 10, "loss_upstream", filled)):
        row(db, "recovery", id=number, flow_id=flow, tap_id=flow, psn=psn,
            rule="R3", trigger="nak", cause=cause, lost_min=count,
            lost_max=count, retransmitted_packets=10 if psn == 10 else 1,
            first_ns=psn, detect_ns=psn, retransmit_ns=400, last_ns=500)
    for psn, ns in unmatched:
        row(db, "unmatched", segment_id=1, flow_id=1, to_flow_id=2, ns=ns,
            psn=psn, kind="request", verdict="lost", confidence=0.9)
    db.executescript(read("queries", "derive", "28-lost-between.sql"))
    return bool(db.execute("SELECT 1 FROM same_loss WHERE lost_id = 3")
                .fetchall())


def lost(recoveries, unmatched, rule="R26", kind="request",
         cause="loss_or_reorder", trigger="nak", timed=False):
    """Packets of each recovery: (psn, newest PSN + 1, from, to) of recoveries,
    (psn, time) of what passed the first point and never the second.  |timed|:
    the timer of the first recovery retransmitted these."""
    db = two_points()
    for psn, end, since, until in recoveries:
        row(db, "recovery", flow_id=1, tap_id=1, rule=rule, trigger=trigger,
            frame_first=77, cause=cause, psn=psn, lost_max=end - psn,
            retransmitted_packets=1, first_ns=since, retransmit_ns=until)
    for psn, ns in unmatched:
        flow = 1 if kind == "request" else 3
        row(db, "unmatched", segment_id=1, flow_id=flow, to_flow_id=flow + 1,
            tap_id=1, retransmit_frame=77 if timed else 66, ns=ns, psn=psn,
            kind=kind, verdict="lost", confidence=0.9)
    db.executescript(read("queries", "derive", "28-lost-between.sql"))
    return [n for n, in db.execute(
        "SELECT packets FROM segment_loss ORDER BY recovery_id")]


def of_segment(filled):
    """From 10 on some were lost, as the first point knows; the second one has
    no recovery that begins there, but one of |filled| packets from 11 on.  Is
    that the same?"""
    db = two_points()
    for number, flow, psn, cause, count in (
            (1, 1, 10, "loss_downstream", 3),
            (2, 2, 11, "loss_upstream", filled)):
        row(db, "recovery", id=number, flow_id=flow, tap_id=flow, psn=psn,
            rule="U8", trigger="implied_nak", cause=cause, lost_min=count,
            lost_max=count, retransmitted_packets=count, first_ns=psn,
            detect_ns=psn, retransmit_ns=400, last_ns=500)
    for psn in (10, 11, 12):
        row(db, "unmatched", segment_id=1, flow_id=1, to_flow_id=2, ns=psn,
            tap_id=1, psn=psn, kind="request", verdict="lost", confidence=0.9)
    db.executescript(read("queries", "derive", "28-lost-between.sql"))
    counted = db.execute("SELECT recovery_id, packets FROM segment_loss")
    return counted.fetchall() == [(1, 3)] and bool(
        db.execute("SELECT 1 FROM same_loss WHERE lost_id = 2").fetchall())


def by_timer(psn, repeated, trigger="timeout"):
    """The timer of the first point repeats 10 to 12 (frames 70 to 72 there); of
    these |psn| had never passed the second one, whose own row of the same replay
    says that all had arrived, so the ACK was lost.  |repeated|: its frame.
    What does that row say then, and is it of the same loss?"""
    db = two_points()
    for number, cause, rule, lost_max in ((1, "loss_downstream", "R12", 1),
                                          (2, "ack_loss", "R11", 0)):
        row(db, "recovery", id=number, flow_id=number, tap_id=number, psn=10,
            rule=rule, trigger=trigger if number == 1 else "timeout",
            cause=cause, lost_min=lost_max, lost_max=lost_max,
            retransmitted_packets=4 - number, first_ns=100, detect_ns=700,
            retransmit_ns=700, last_ns=800, frame_first=70, frame_last=72)
    row(db, "event", ns=100, tap_id=2, flow_id=2, frame=70, kind="ack_lost",
        psn=10)
    db.execute("UPDATE flow SET ack_lost = 1 WHERE id = 2")
    row(db, "unmatched", segment_id=1, flow_id=1, to_flow_id=2, tap_id=1,
        ns=100, psn=psn, retransmit_frame=repeated, kind="request",
        verdict="lost", confidence=0.9)
    db.executescript(read("queries", "derive", "28-lost-between.sql"))
    return (db.execute("SELECT cause, lost_min, lost_max FROM recovery"
                       " WHERE id = 2").fetchone(),
            db.execute("SELECT ack_lost FROM flow WHERE id = 2").fetchone()[0],
            db.execute("SELECT count(*) FROM event").fetchone()[0],
            db.execute("SELECT counted FROM same_loss WHERE lost_id = 2")
            .fetchall())


def trimmed(pieces):
    """5 packets passed the first point whole and were trimmed: one recovery
    there, and |pieces| at the second.  Which of these are the same, counted
    first?"""
    db = two_points()
    rows = [(1, "trimmed_downstream", 10, 5)]
    rows += [(2, "trimmed_upstream", 10 + 100 * n, packets)
             for n, packets in enumerate(pieces)]
    for hop in (1, 2):
        row(db, "tap_path", tap_path_id=1, hop=hop, flow_id=hop)
    for number, (flow, cause, psn, packets) in enumerate(rows):
        row(db, "recovery", id=number + 1, flow_id=flow, tap_id=flow, psn=psn,
            rule="U6", trigger="nak", cause=cause,
            retransmitted_packets=packets, first_ns=psn, detect_ns=psn, retransmit_ns=psn + 50,
            last_ns=psn + 60)
    db.executescript(read("queries", "derive", "28-lost-between.sql"))
    return db.execute("SELECT seen_id, lost_id, counted FROM same_loss"
                      " ORDER BY counted DESC, lost_id").fetchall()


def of_one_nak(frame):
    """5 was lost between the two, named by a NAK in frame 30 of the second; a
    first replay was lost as well but for 6, which had been there.  Is that row
    of no packets, whose NAK is |frame|, the same loss?"""
    db = two_points()
    for number, flow, psn, cause, count, nak in (
            (1, 1, 5, "loss_downstream", 1, 20),
            (2, 2, 6, "loss_upstream", 0, frame),
            (3, 2, 5, "loss_upstream", 1, 30)):
        row(db, "recovery", id=number, flow_id=flow, tap_id=flow, psn=psn,
            rule="R3", trigger="nak", cause=cause, lost_min=count,
            lost_max=count, retransmitted_packets=1, first_ns=5, detect_ns=6,
            retransmit_ns=400, last_ns=500, frame_detect=nak)
    db.executescript(read("queries", "derive", "28-lost-between.sql"))
    return db.execute("SELECT seen_id, counted FROM same_loss"
                      " WHERE lost_id = 2").fetchall()


def hosts(rule):
    """The second point saw a request that came again missing, the first one by
    |rule|.  From where to where was what was lost between them, by flow?"""
    db = two_points()
    for number, flow, cause, why in ((1, 1, "loss_downstream", rule),
                                     (2, 2, "loss_upstream", "R3")):
        row(db, "recovery", id=number, flow_id=flow, tap_id=flow, psn=5,
            rule=why, trigger="nak", cause=cause, lost_min=1, lost_max=1,
            retransmitted_packets=1, first_ns=5, detect_ns=5,
            retransmit_ns=400, last_ns=500)
    row(db, "same_loss", seen_id=1, lost_id=2, counted=1)
    return [r[3:6] for r in db.execute(read(
        "queries", "derive", "51-occurrence", "loss-between.sql"))]


def followed(lost=0, capped=False, counted=False, one_in=1, rowless=0, **of):
    """The first point has a packet that a NAK named as lost behind it; all that
    passed it came to the second, but for |lost|, and |rowless| of which there
    is no row.  |of|: what is not so of the segment forth, or back (back_...),
    or of the capture at the second point.  The first counts 1 to 9 packets as
    lost behind it, the second 1 or 2."""
    db = two_points()
    for number, requests, least, most in (
            (1, 20 + lost + rowless, 1, 9), (2, 20, 1, 2)):
        db.execute("UPDATE flow SET transport = 'RC', requests = ?,"
                   " lost_downstream_min = ?, lost_downstream_max = ?"
                   " WHERE id = ?", (requests, least, most, number))
    row(db, "segment", id=1, adjacent=1, one_in=one_in)
    row(db, "segment", id=2, adjacent=1, one_in=1)
    row(db, "coverage", tap_id=2, capture_missing=of.get("lacks", 0))
    clean = dict.fromkeys(("open", "missed_to", "missed_from"), 0)
    row(db, "segment_flow", segment_id=1, flow_id=1, to_flow_id=2,
        **{k: of.get(k, v) for k, v in clean.items()})
    row(db, "segment_flow", segment_id=2, flow_id=4, to_flow_id=3,
        **{k: of.get("back_" + k, v) for k, v in clean.items()})
    for psn in range(lost):
        row(db, "unmatched", segment_id=1, flow_id=1, to_flow_id=2, psn=psn,
            kind="request", verdict="lost")
    if capped:
        row(db, "row_limit", table_name="unmatched", not_stored=1)
    db.executescript(read("queries", "derive", "50-scratch.sql"))
    kinds = ["loss_downstream", "loss_or_reorder", "timeout"]
    for kind in kinds + ["loss_between"] * counted:
        db.execute("INSERT INTO temp.occurrence(kind, flow_id, psn, src, dst,"
                   " occurrences) VALUES (?, 1, 5, 'a', 'b', 1)", (kind,))
    db.executescript(read("queries", "derive", "53-dedup.sql"))
    return db


def behind(**of):
    """Which rows of the first stay?"""
    return [k for k, in followed(**of).execute(
        "SELECT kind FROM temp.occurrence WHERE kind IN ('loss_downstream',"
        " 'loss_or_reorder')")]


def counted_behind(**of):
    """How many it counts then."""
    return followed(**of).execute(
        "SELECT lost_downstream_min, lost_downstream_max FROM flow"
        " WHERE id = 1").fetchone()


class LostBetween(unittest.TestCase):
    def test_what_came_to_the_next_point_was_lost_behind_that(self):
        self.assertEqual(behind(), [])
        self.assertEqual(behind(lost=2, counted=True), [])

    def test_unless_that_point_does_not_have_all(self):
        all_stay = ["loss_downstream", "loss_or_reorder"]
        for of in (dict(lost=2), dict(capped=True), dict(one_in=4),
                   dict(open=1), dict(missed_to=1), dict(missed_from=1),
                   dict(lacks=1), dict(back_missed_from=1),
                   dict(rowless=1)):
            with self.subTest(of):
                self.assertEqual(behind(**of), all_stay)

    def test_and_nothing_stands_in_two_counts(self):
        self.assertEqual(counted_behind(), (1, 2))
        self.assertEqual(counted_behind(lost=3), (4, 5))
        self.assertEqual(counted_behind(lost=3, rowless=1), (4, 6))
        for of in (dict(missed_to=1), dict(capped=True)):
            with self.subTest(of):
                self.assertEqual(counted_behind(**of), (1, 9))

    def test_one_loss_has_the_same_hosts_in_all_its_rows(self):
        for rule in ("R4", "R16"):
            self.assertEqual(sorted(hosts(rule)),
                             [("a", "b", 0), ("a", "b", 1)])

    def test_what_the_second_point_knows_in_part_is_the_same_loss(self):
        for filled, same in ((1, True), (2, True), (3, False)):
            self.assertEqual(of_segment(filled), same)

    def test_a_packet_of_two_ranges_was_lost_once(self):
        self.assertEqual(lost([(10, 90, 100, 500), (20, 90, 110, 510)],
                              [(10, 100), (20, 110)]), [1, 1])

    def test_it_is_of_the_recovery_that_begins_with_it(self):
        self.assertEqual(lost([(10, 90, 100, 500), (20, 90, 110, 510)],
                              [(20, 110), (30, 120), (31, 121)]), [2, 1])

    def test_a_recovery_whose_packets_are_of_others_adds_none(self):
        self.assertEqual(lost([(10, 90, 100, 500), (20, 90, 110, 510)],
                              [(10, 100), (30, 120)]), [2, 0])

    def test_its_retransmission_may_be_lost_again(self):
        self.assertEqual(lost([(10, 90, 100, 500), (10, 90, 500, 900)],
                              [(10, 100), (10, 500)]), [1, 1])

    def test_a_read_that_is_requested_again_misses_responses(self):
        reads, gone = [(10, 90, 100, 500)], [(10, 100), (20, 110)]
        self.assertEqual(lost(reads, gone, "R16", "response"), [2])
        self.assertEqual(lost(reads, gone, "R16", "request"), [])
        self.assertEqual(lost(reads, gone, "R26", "response"), [])

    def test_of_a_timeout_only_where_the_response_was_lost(self):
        reads, gone = [(10, 11, 100, 500)], [(10, 100)]
        self.assertEqual(lost(reads, gone, "R17", "response",
                              "loss_downstream"), [1])
        self.assertEqual(lost(reads, gone, "R17", "response", "unknown"), [])


    def test_a_timer_repairs_what_was_lost_before_the_last_packet(self):
        """The NAK's retransmission of 10 was lost at 300, others followed."""
        at = dict(trigger="timeout", cause="loss_downstream")
        self.assertEqual(lost([(10, 90, 500, 900)], [(10, 300)], timed=True,
                              **at), [1])
        self.assertEqual(lost([(10, 90, 500, 900)], [(10, 300)], **at), [])
        self.assertEqual(lost([(10, 90, 500, 900)], [(11, 300)], timed=True,
                              **at), [])

    def test_no_ack_was_lost_where_the_timer_brought_what_was(self):
        lost = (("loss_upstream", 1, 1), 0, 0, [(0,)])
        acks = (("ack_loss", 0, 0), 1, 1, [])
        self.assertEqual(by_timer(12, 72), lost)
        self.assertEqual(by_timer(12, 90), acks)  # by another recovery
        self.assertEqual(by_timer(9, 72), acks)
        self.assertEqual(by_timer(12, 72, "nak"), acks)

    def test_what_was_trimmed_is_told_once_in_however_many_pieces(self):
        self.assertEqual(trimmed((2, 2, 1)), [(1, 2, 1), (1, 3, 0), (1, 4, 0)])
        self.assertEqual(trimmed((5,)), [(1, 2, 1)])

    def test_more_than_passed_whole_was_trimmed_elsewhere(self):
        self.assertEqual(trimmed((2, 2, 2)), [(1, 2, 1)])

    def test_what_one_nak_named_is_one_loss(self):
        self.assertEqual(of_one_nak(30), [(1, 0)])
        self.assertEqual(of_one_nak(31), [])

    def test_packets_of_a_replay_are_those_lost_between(self):
        """From 10 on, of which the point behind saw |filled| first."""
        gone = [(5, 50), (12, 300), (13, 301)]
        for filled, once in ((1, True), (2, True), (3, False)):
            self.assertEqual(paired(gone, filled), once)
        self.assertFalse(paired([(5, 50), (30, 300)], 1))


if __name__ == "__main__":
    unittest.main()

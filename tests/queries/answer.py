#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Verdicts from shares of time that are written by hand.

    answer.py

Each case is a job of four phases, whose time is divided as it says, and the
verdict that the contract of the answer gives it: below 2 % lost nothing is
wrong (up to 6 % both may be said), a side with a fifth of what was lost had a
part in it, and what is not known stands in the way of both.  The rest of the
time is computing.  queries/derive/62-answer.sql runs on tables that hold
nothing else, behind 42-stages.sql, 46-standing-queue.sql and
47-silent-peer.sql."""
import os
import sqlite3
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TOTAL, PHASES = 1_000_000, 4
# class, side, measured
QUEUE = ("queueing", "network", "one-way delay between taps")
FULL = ("queueing", "network", "delay of data against ACKs")
OTHERS = ("queueing", "network", "link load")
LOSS = ("loss", "network", "loss events")
TIMEOUTS = ("loss", "network", "timeouts")
CUT = ("rate-cut", "network", "CNPs")
PAUSE_NET = ("pause", "network", "pause frames")
PAUSE_HOST = ("pause", "host", "pause frames")
PAUSE = ("pause", "unknown", "pause frames")
LATE = ("host-late", "host", "silence")
CREDIT = ("host-receiver", "host", "credit messages")
DRAIN = ("host-receiver", "host", "ACKs later than of other hosts")
NIC = ("host-nic", "host", "link load")
UNKNOWN = ("unknown", "unknown", "rest")
WIRE = ("wire", "needed", "link load")

NOTHING, UNSURE = {"nothing-wrong"}, {"undetermined"}
# In percent of the time, and what may be said of it.
CASES = (
    ("all of it is needed", [(WIRE, 40)], NOTHING),
    ("next to nothing is lost", [(WIRE, 40), (QUEUE, 1.9)], NOTHING),
    ("a loss cost next to nothing", [(LOSS, 1.5)], NOTHING),
    ("little is not known", [(WIRE, 40), (UNKNOWN, 5.5)], NOTHING),
    ("more is not known", [(WIRE, 40), (UNKNOWN, 6.5)], UNSURE),
    ("lost and not known add up", [(QUEUE, 1.9), (UNKNOWN, 4.5)], UNSURE),
    ("queues", [(QUEUE, 10)], {"network"}),
    ("queues behind another job", [(OTHERS, 7)], {"network"}),
    ("a small delay is no proof", [(QUEUE, 5)], UNSURE | NOTHING),
    ("losses", [(LOSS, 7)], {"network"}),
    ("marks", [(CUT, 12)], {"network"}),
    ("a pause of the network", [(PAUSE_NET, 12)], {"network"}),
    ("a pause of a host", [(PAUSE_HOST, 12)], {"host"}),
    ("a pause of nobody knows whom", [(PAUSE, 30)], UNSURE),
    ("a queue behind the pauses of a host", [(PAUSE_HOST, 10), (QUEUE, 10)],
     {"host"}),
    ("data of others behind the pauses of a host",
     [(PAUSE_HOST, 10), (OTHERS, 10)], UNSURE),
    ("a late rank", [(LATE, 10)], {"host"}),
    ("a late rank beside next to no queue", [(LATE, 10), (QUEUE, 0.8)],
     {"host"}),
    ("no more of a queue that is there each time", [(LATE, 10), (QUEUE, 1.5)],
     {"host"}),
    ("it may hide most of the data of others", [(LATE, 10), (OTHERS, 1.5)],
     UNSURE),
    ("a loss does not hide", [(LATE, 10), (LOSS, 1.5)], {"host"}),
    ("a receiver that is seen not to be ready hides none",
     [(CREDIT, 10), (QUEUE, 1.5)], {"host"}),
    ("a receiver that is not ready", [(CREDIT, 10)], {"host"}),
    ("a slow adapter", [(NIC, 10)], {"host"}),
    ("each has a half", [(LOSS, 8), (CREDIT, 8)], {"both"}),
    ("each has a fifth", [(LOSS, 4), (CREDIT, 12)], {"both"}),
    ("one has less than a fifth", [(LOSS, 2), (CREDIT, 18)], {"host"}),
    ("most of it is not known", [(LOSS, 4), (UNKNOWN, 30)], UNSURE),
    ("what is lost is more than what is not known", [(LOSS, 20), (UNKNOWN, 12)],
     {"network"}),
    ("a host, if all that is not known were the network",
     [(LATE, 10), (UNKNOWN, 15)], UNSURE),
)


def human_ns(ns):
    return f"{ns} ns"


def human_share(part):
    return f"{100 * part:.3g} %"


def plural(n, name):
    return f"{n} {name}" + ("" if n == 1 else "s")


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="ascii") as f:
        return f.read()


class World:
    """A database in which one job, or several, have their time."""

    def __init__(self):
        self.db = sqlite3.connect(":memory:")
        for name, of, n in (("human_ns", human_ns, 1), ("plural", plural, 2),
                            ("human_share", human_share, 1),
                            ("hypothesis_bit", lambda _: 1 << 13, 1),
                            ("evidence_bit", lambda _: 1 << 14, 1)):
            self.db.create_function(name, n, of)
        self.db.executescript(read("src", "store", "schema.sql"))
        self.db.executescript(
            "CREATE TEMP TABLE phase_flow_same(flow_id, near);"
            "CREATE TEMP TABLE phase_flow_in(near, far, src, dst, driven,"
            " wire);"
            "CREATE TEMP TABLE uneven(job, rank, part, why);"
            "CREATE TEMP TABLE phase_link(tap_id, address);"
            "CREATE TEMP TABLE host_server(address, server);")
        self.jobs = 0
        for rank in range(4):
            self.row("tap", id=rank + 1, name=f"t{rank}", place=rank,
                     packets_roce=10000, speed_bps=100_000_000_000)
            self.row("coverage", tap_id=rank + 1, checked=10000,
                     capture_missing=0, flows_sprayed=0, low_confidence=0)
        self.row("capture", id=1, path="x", format="pcap", packets=10000,
                 first_ns=0, last_ns=TOTAL)

    def row(self, table, **value):
        known = [r[1] for r in self.db.execute(f"PRAGMA table_info({table})")]
        value = {k: v for k, v in value.items() if k in known}
        self.db.execute(f"INSERT INTO {table}({', '.join(value)}) VALUES"
                        f" ({', '.join('?' * len(value))})",
                        tuple(value.values()))

    def job(self, shares, at_times=False, **job):
        """|shares|: percent of its time by class; the rest is computing.
        |at_times|: in the last two phases only."""
        self.jobs += 1
        number = self.jobs
        value = dict(id=number, ranks=4, ranks_tapped=4, flows=4, bytes=10**6,
                     first_ns=0, last_ns=TOTAL, whole=1, iterations=PHASES,
                     confidence=0.9, phases=PHASES, stamp_ns=0)
        self.row("job", **{**value, **job})
        for rank in range(4):
            self.row("job_rank", job=number, rank=rank,
                     tapped=rank < job.get("ranks_tapped", 4),
                     address=f"10.{number}.0.{rank}", bytes_out=1, bytes_in=1,
                     flows=1, phases=PHASES, straggler=0, late_phases=0)
            self.db.execute("INSERT INTO temp.phase_link VALUES (?, ?)",
                            (rank + 1, f"10.{number}.0.{rank}"))
        for k in range(PHASES if job.get("phases", PHASES) else 0):
            phase = number * 100 + k
            self.row("phase", id=phase, job=number, iteration=k, cut=0,
                     first_ns=k * TOTAL // PHASES,
                     last_ns=(k + 1) * TOTAL // PHASES)
            for (name, side, measured), percent in shares:
                ns = int(percent * TOTAL / 100)
                # A host is late in one of them, not in each alike, and what
                # is queued behind others comes and goes.
                ns = ns * (k == 2) if name == "host-late" else \
                    ns // 2 * (k >= 2) if at_times else ns // PHASES
                if ns:
                    self.row("phase_share", job=number, phase_id=phase, gap=0,
                             side=side, measured=measured, rank=1,
                             time_ns=ns, **{"class": name})

    def answers(self):
        for name in ("42-stages", "46-standing-queue", "47-silent-peer", "62-answer"):
            self.db.executescript(read("queries", "derive", f"{name}.sql"))
        self.db.row_factory = sqlite3.Row
        return self.db.execute("SELECT * FROM answer ORDER BY id").fetchall()


class Verdicts(unittest.TestCase):
    def check(self, world, wanted, scope="job"):
        rows = world.answers()
        for a in rows:
            parts = dict(world.db.execute(
                "SELECT side, sum(ns) FROM answer_share WHERE answer_id = ?"
                " GROUP BY side", (a["id"],)).fetchall())
            self.assertEqual(sum(parts.values()), a["total_ns"])
            for side in ("network", "host", "unknown"):
                self.assertEqual(parts.get(side, 0), a[f"{side}_ns"])
            least = 0 if a["verdict"] == "undetermined" else 0.49
            self.assertTrue(least < a["confidence"] < 1)
            self.assertTrue(a["line"])
        verdicts = [a["verdict"] for a in rows if a["scope"] == scope]
        self.assertEqual(len(verdicts), 1)
        self.assertIn(verdicts[0], wanted, [dict(a) for a in rows])

    def test_one_job(self):
        for name, shares, wanted in CASES:
            with self.subTest(name):
                world = World()
                world.job(shares)
                self.check(world, wanted)

    def test_a_queue_that_never_was_empty(self):
        """It is one by one clock; by several it may be what these differ."""
        for method, wanted in (("file", {"network"}), ("two-way", UNSURE)):
            with self.subTest(method=method):
                world = World()
                world.job([(FULL, 20)])
                world.row("clock", tap_id=1, part=1, method="reference")
                world.row("clock", tap_id=2, part=1, method=method)
                self.check(world, wanted)

    def test_a_receiver_that_sends_nothing_any_more(self):
        """Its host may be dead, or the way to it; sent it something behind the
        first of the tries, or were there few, a loss is what it looks like."""
        for tries, heard, wanted in ((7, 300_000, UNSURE),
                                     (7, 500_000, {"network"}),
                                     (2, 300_000, {"network"})):
            with self.subTest(tries=tries, heard=heard):
                world = World()
                world.job([(TIMEOUTS, 50)])
                for number, src, dst, last in ((1, 0, 1, 900_000),
                                               (2, 1, 2, heard)):
                    world.row("flow", id=number, tap_id=1, transport="RC",
                              src=f"10.1.0.{src}", dst=f"10.1.0.{dst}",
                              epoch=0, last_ns=last)
                world.db.execute("UPDATE phase_share SET flow_id = 1")
                world.row("ending", id=1, flow_id=1, tries=tries,
                          first_ns=400_000)
                self.check(world, wanted)

    def test_late_on_the_path_and_among_the_ranks(self):
        """Rank 1 is late on the path in phase 2, by as much as all of it lost
        so; late among the ranks of that phase as well, by |ns|, or another."""
        for rank, ns, wanted in ((None, None, "network"), (1, 80_000, "both"),
                                 (1, 10_000, "network"),
                                 (3, 80_000, "network")):
            with self.subTest(rank=rank, ns=ns):
                world = World()
                world.job([(LATE, 8), (OTHERS, 8)])
                world.db.execute("UPDATE phase SET late_rank = ?, late_ns = ?"
                                 " WHERE iteration = 2", (rank, ns))
                self.check(world, {wanted})

    def test_late_where_the_network_does_nothing(self):
        """Rank 1 is late in phase 2, and all that was lost was lost in one."""
        for at, wanted in ((0, "both"), (1, "network"), (2, "network"),
                           (3, "both")):
            with self.subTest(at=at):
                world = World()
                world.job([(LATE, 8), (LOSS, 8)])
                world.db.execute("UPDATE phase_share SET phase_id ="
                                 " (SELECT id FROM phase WHERE iteration = ?)"
                                 " WHERE class = 'loss'", (at,))
                self.check(world, {wanted})

    def test_an_rto_of_a_small_message_makes_nobody_late(self):
        """Rank 1 is late by 80 us in phase 2, and the timeout of something that
        it was sent, or rank 3, took |ns| up to |last|."""
        for to, trigger, last, ns, wanted in (
                (1, "timeout", 600_000, 80_000, "network"),
                (1, "timeout", 600_000, 40_000, "host"),
                (1, "timeout", 600_000, 160_000, "host"),
                (1, "timeout", 300_000, 80_000, "host"),
                (1, "nak", 600_000, 80_000, "host"),
                (3, "timeout", 600_000, 80_000, "host")):
            with self.subTest(to=to, trigger=trigger, last=last, ns=ns):
                world = World()
                world.job([(LATE, 8)])
                world.row("flow", id=1, tap_id=1, transport="RC",
                          src="10.1.0.2", dst=f"10.1.0.{to}", epoch=0)
                world.row("recovery", id=1, flow_id=1, tap_id=1,
                          trigger=trigger, first_ns=last - ns, last_ns=last)
                self.check(world, {wanted})

    def test_a_late_rank_may_hide_a_queue_that_comes_and_goes(self):
        for at_times, wanted in ((True, UNSURE), (False, {"host"})):
            with self.subTest(at_times=at_times):
                world = World()
                world.job([(LATE, 10), (QUEUE, 1.5)], at_times)
                self.check(world, wanted)

    def test_a_host_is_said_beside_a_job_of_which_nothing_is_known(self):
        """Unless that may have suffered from the network."""
        for shares, wanted in (([(PAUSE_HOST, 20), (UNKNOWN, 60)], {"host"}),
                               ([(QUEUE, 5), (UNKNOWN, 60)], UNSURE)):
            with self.subTest(shares=shares):
                world = World()
                world.job([(PAUSE_HOST, 80)])
                world.job(shares)
                self.check(world, wanted, "capture")

    def test_what_is_not_captured_clears_nobody(self):
        for job in (dict(ranks_tapped=3), dict(whole=0), dict(phases=2),
                    dict(stamp_ns=TOTAL // 8)):
            with self.subTest(job):
                world = World()
                world.job([(WIRE, 40)], **job)
                self.check(world, UNSURE)

    def test_links_between_switches_clear_nobody(self):
        """The links of all hosts are captured, one is behind a router, or data
        of one passes a single place."""
        for change, wanted in (
                (None, NOTHING),
                ("DELETE FROM temp.phase_link WHERE tap_id = 2", UNSURE),
                ("INSERT INTO temp.phase_flow_in VALUES"
                 " (1, 2, '10.1.0.1', '10.1.0.2', 0, 1)", NOTHING),
                ("INSERT INTO temp.phase_flow_in VALUES"
                 " (1, 1, '10.1.0.1', '10.1.0.2', 0, 1)", UNSURE)):
            with self.subTest(change=change):
                world = World()
                world.job([(WIRE, 40)])
                if change:
                    world.db.execute(change)
                self.check(world, wanted)

    def test_who_waits_until_a_late_one_asks_is_not_late(self):
        """Rank 1 is late on the path, sending to rank 2, which begins late again
        and again, or |late| of each phase, and asks for data or does not."""
        for driven, again, late, root in (
                (1, 2, 0.01, "10.1.0.2"), (0, 2, 0.01, "10.1.0.1"),
                (1, 0, 0.09, "10.1.0.2"), (1, 0, 0.01, "10.1.0.1")):
            with self.subTest(driven=driven, again=again, late=late):
                world = World()
                world.job([(LATE, 10)])
                world.db.execute("UPDATE job_rank SET straggler = rank = ?",
                                 (again,))
                world.db.execute("UPDATE phase SET late_rank = 2,"
                                 " late_ns = ?", (int(late * TOTAL),))
                world.db.execute("UPDATE phase_share SET flow_id = 7")
                world.db.execute("INSERT INTO temp.phase_flow_in VALUES"
                                 " (7, 8, '10.1.0.1', '10.1.0.2', ?, 1)",
                                 (driven,))
                self.check(world, {"host"})
                self.assertEqual(world.db.execute(
                    "SELECT root FROM answer WHERE scope = 'job'"
                    ).fetchone()[0], root)

    def test_hosts_that_are_late_in_turn(self):
        """In each phase one of four begins |late| us late, of |tapped| whose
        begins vary by 1 us."""
        for late, tapped, wanted in ((25, 4, {"host"}), (9, 4, UNSURE),
                                     (25, 3, UNSURE)):
            with self.subTest(late=late, tapped=tapped):
                world = World()
                world.job([(WIRE, 40)])
                world.db.execute("UPDATE job_rank SET spread_ns = 1000,"
                                 " late_phases = 1, tapped = rank < ?",
                                 (tapped,))
                world.db.execute("UPDATE phase SET late_rank = iteration,"
                                 " late_ns = ?", (late * 1000,))
                for k in range(PHASES):
                    world.row("phase_share", job=1, phase_id=100 + k, gap=0,
                              side="host", measured="silence", rank=k,
                              time_ns=25_000, **{"class": "host-late"})
                self.check(world, wanted)

    def test_of_two_nobody_says_who_is_usual(self):
        """Rank 1 computes a fifth of the time in phases, and always begins
        |residual| later than the other ranks, give or take 1 us."""
        computing = ("compute", "needed", "model of undisturbed iterations")
        for ranks, residual, pattern, wanted in (
                (2, 50_000, "exchange", UNSURE), (4, 50_000, "ring", NOTHING),
                (2, 2_000, "exchange", NOTHING),
                (2, 50_000, "pipeline", NOTHING)):
            with self.subTest(ranks=ranks, residual=residual):
                world = World()
                world.job([(WIRE, 40), (computing, 20)], ranks=ranks,
                          ranks_tapped=ranks, pattern=pattern)
                world.db.execute("UPDATE job_rank SET spread_ns = 1000,"
                                 " residual_ns = ? WHERE rank = 1",
                                 (residual,))
                self.check(world, wanted)

    def test_one_that_computes_while_all_others_wait(self):
        """Rank 1 for 24 % of the time, rank 2 for |other| percent of it."""
        computing = ("compute", "needed", "model of undisturbed iterations")
        for other, ranks, straggler, wanted in (
                (1, 4, 0, UNSURE), (8, 4, 0, NOTHING), (1, 4, 1, NOTHING),
                (1, 2, 0, NOTHING)):
            with self.subTest(other=other, ranks=ranks, straggler=straggler):
                world = World()
                world.job([(WIRE, 40), (computing, 24)], ranks=ranks,
                          ranks_tapped=ranks)
                world.db.execute("UPDATE job_rank SET straggler = ?"
                                 " WHERE rank = 1", (straggler,))
                world.row("phase_share", job=1, phase_id=100, gap=0,
                          side="needed", rank=2, measured=computing[2],
                          time_ns=other * TOTAL // 100, **{"class": "compute"})
                self.check(world, wanted)

    def test_links_are_busy_for_no_longer_than_what_they_carry_takes(self):
        """Without iterations a walk finds links busy for 97 % of the time, that of
        each host for |busy|; of one that carries more nothing is known."""
        for busy, more, wanted in ((96, 0, NOTHING), (85, 0, UNSURE),
                                   (50, 20, NOTHING)):
            with self.subTest(busy=busy, more=more):
                world = World()
                world.job([], phases=0)
                world.row("phase_share", job=1, gap=0, side="needed", rank=1,
                          measured=WIRE[2], time_ns=97 * TOTAL // 100,
                          **{"class": "wire"})
                for r in range(4):
                    # bytes at 100 Gb/s
                    world.row("flow", id=r + 1, tap_id=1, transport="RC",
                              src=f"10.1.0.{r}", dst=f"10.1.0.{(r + 1) % 4}",
                              epoch=0, goodput_bytes=TOTAL // 100
                              * (busy + more * (r == 0)) * 100 // 8)
                    world.db.execute("INSERT INTO temp.phase_flow_in VALUES"
                                     " (?, 9, ?, ?, 0, 1)",
                                     (r + 1, f"10.1.0.{r}",
                                      f"10.1.0.{(r + 1) % 4}"))
                self.check(world, wanted)

    def test_a_full_link_clears_only_where_it_is_a_hosts(self):
        """One of an uplink may be thinner than those of the hosts."""
        for tapped, wanted in ((1, NOTHING), (0, UNSURE)):
            with self.subTest(tapped=tapped):
                world = World()
                world.job([(WIRE, 97)], ranks_tapped=tapped, phases=2)
                self.check(world, wanted)

    def test_delays_need_the_same_packets_at_both_capture_points(self):
        """Of a megabyte 2,000 bytes are missing at one of them, and nobody
        knows whether the mirror lost them; or at neither."""
        for there, wanted in ((1_000_000, {"network"}), (998_000, UNSURE)):
            with self.subTest(there=there):
                world = World()
                world.job([(QUEUE, 20)])
                for number, data in ((1, 1_000_000), (2, there)):
                    world.row("flow", id=number, tap_id=number, transport="RC",
                              src="10.1.0.0", dst="10.1.0.1", epoch=0,
                              expected=250, capture_missing=0,
                              goodput_bytes=data)
                    world.db.execute("INSERT INTO temp.phase_flow_same"
                                     " VALUES (?, 1)", (number,))
                world.db.execute("UPDATE phase_share SET flow_id = 1")
                self.check(world, wanted)

    def test_a_tap_that_misses_packets_proves_no_timeout(self):
        for measured, missing, wanted in (
                ("timeouts", 0, {"network"}), ("timeouts", 200, UNSURE),
                ("loss or reordering", 200, UNSURE),
                ("loss events", 200, {"network"})):
            with self.subTest(measured=measured, missing=missing):
                world = World()
                world.job([(("loss", "network", measured), 20)])
                world.row("flow", id=1, tap_id=1, transport="RC",
                          src="10.1.0.0", dst="10.1.0.1", epoch=0,
                          expected=250, capture_missing=0, goodput_bytes=10**6)
                world.db.execute("INSERT INTO temp.phase_flow_same"
                                 " VALUES (1, 1)")
                world.db.execute("UPDATE phase_share SET flow_id = 1")
                world.db.execute("UPDATE coverage SET capture_missing = ?"
                                 " WHERE tap_id = 1", (missing,))
                self.check(world, wanted)

    def test_losses_are_less_sure_where_packets_were_not_captured(self):
        for shares, low, sure in (([(LOSS, 20)], 0, True),
                                  ([(LOSS, 20)], 1, False),
                                  ([(PAUSE_NET, 20)], 1, True)):
            with self.subTest(shares=shares, low=low):
                world = World()
                world.job(shares)
                world.db.execute("UPDATE coverage SET low_confidence = ?",
                                 (low,))
                job = [a for a in world.answers() if a["scope"] == "job"][0]
                self.assertEqual(job["verdict"], "network")
                self.assertEqual(job["confidence"] > 0.6, sure)

    def test_but_accuses_where_there_is_evidence(self):
        world = World()
        world.job([(LOSS, 20)], ranks_tapped=2)
        self.check(world, {"network"})

    def test_a_poor_capture_says_nothing(self):
        for change in ("UPDATE tap SET packets_roce = 10",
                       "UPDATE tap SET sampled_one_in = 16",
                       "UPDATE tap SET overrun = 1",
                       "UPDATE coverage SET capture_missing = 1000"):
            with self.subTest(change):
                world = World()
                world.job([(LOSS, 20)])
                world.db.execute(change)
                self.check(world, UNSURE)

    def test_the_capture_has_what_its_jobs_have(self):
        for one, other, wanted in (
                ([(LOSS, 20)], [(WIRE, 40)], "network"),
                ([(CREDIT, 20)], [(WIRE, 40)], "host"),
                ([(LOSS, 20)], [(CREDIT, 20)], "both"),
                ([(LOSS, 20)], [(UNKNOWN, 40)], "network"),
                ([(WIRE, 40)], [(UNKNOWN, 40)], "undetermined"),
                ([(WIRE, 40)], [(WIRE, 20)], "nothing-wrong")):
            with self.subTest(wanted):
                world = World()
                world.job(one)
                world.job(other)
                self.check(world, {wanted}, "capture")

    @staticmethod
    def one_way(world, silent):
        """A job without iterations whose first host alone sends, and nobody
        for |silent| percent of the time."""
        world.job([], phases=0, iterations=None, why_not="data goes one way")
        world.db.execute("UPDATE job_rank SET bytes_in = rank > 0,"
                         " bytes_out = rank = 0 WHERE job = ?", (world.jobs,))
        for name, measured, percent in (("compute", "silence", silent),
                                        ("wire", "link load", 100 - silent)):
            world.row("phase_share", job=world.jobs, gap=0, side="needed",
                      measured=measured, rank=0, time_ns=percent * TOTAL // 100,
                      **{"class": name})

    def test_two_hosts_that_take_turns(self):
        """What they compute is as long each time, or not, or that is not
        known; others may be what one of three waits for."""
        for ranks, uneven, wanted in ((2, TOTAL // 100, NOTHING),
                                      (2, TOTAL // 20, UNSURE),
                                      (2, None, UNSURE),
                                      (3, TOTAL // 100, UNSURE)):
            with self.subTest(ranks=ranks, uneven=uneven):
                world = World()
                world.job([], phases=0, iterations=None, why_not="too small",
                          ranks=ranks, ranks_tapped=ranks, uneven_ns=uneven)
                for name, measured, percent in (("compute", "silence", 60),
                                                ("wire", "link load", 40)):
                    world.row("phase_share", job=1, gap=0, side="needed",
                              measured=measured, rank=0,
                              time_ns=percent * TOTAL // 100,
                              **{"class": name})
                self.check(world, wanted)

    def test_silence_of_transfers(self):
        """Somebody computed, or waited for what is not seen."""
        for silent, wanted in ((3, NOTHING), (60, UNSURE)):
            with self.subTest(silent=silent):
                world = World()
                self.one_way(world, silent)
                self.check(world, wanted)
        with self.subTest("beside a job with iterations"):
            world = World()
            world.job([(WIRE, 40)])
            self.one_way(world, 60)
            self.check(world, NOTHING, "capture")

    def test_the_root_is_who_has_most_of_all_classes(self):
        """Of one class another host has most; of one flow as well."""
        world = World()
        world.job([(LATE, 12)])
        for name, measured, flow, percent in (
                ("host-late", "silence", 7, 8), ("host-nic", "link load", 7, 3),
                ("host-nic", "link load", 8, 3)):
            world.row("phase_share", job=1, phase_id=102, gap=0, side="host",
                      measured=measured, rank=2, flow_id=flow,
                      time_ns=percent * TOTAL // 100, **{"class": name})
        job, = [a for a in world.answers() if a["scope"] == "job"]
        self.assertEqual((job["verdict"], job["cause"], job["root"]),
                         ("host", "host-late", "10.1.0.2"))

    def test_what_a_receiver_was_slow_at_is_said(self):
        for shares, said in (
                ([(CREDIT, 12)], "late with CTS or credit"),
                ([(DRAIN, 12)], "takes up data more slowly")):
            world = World()
            world.job(shares)
            job, = [a for a in world.answers() if a["scope"] == "job"]
            self.assertEqual(job["verdict"], "host")
            self.assertIn(said, job["reason"])

    @staticmethod
    def paused():
        """A job that hosts pause; flow 1 waits for that."""
        world = World()
        world.job([(PAUSE_HOST, 12)])
        world.db.execute("UPDATE phase_share SET flow_id = 1"
                         " WHERE class = 'pause'")
        world.row("flow", id=1, tap_id=1, transport="RC",
                  src="10.1.0.1", dst="10.1.0.2")
        return world

    def test_pauses_of_a_host_that_a_switch_passes_on(self):
        """The port that stalled the flow is a switch's; a host paused then."""
        for host, root in (((0, TOTAL), "10.9.0.9"),
                           ((2 * TOTAL, 3 * TOTAL), "switch port a")):
            with self.subTest(root):
                world = self.paused()
                world.row("stalled_flow", tap_id=1, source_mac="a", priority=3,
                          flow_id=1, stalled_ns=1000, first_ns=0,
                          last_ns=TOTAL)
                world.row("pause_sender", tap_id=1, source_mac="a", priority=3,
                          role="switch", who="switch port a", ignored=0,
                          first_ns=0, last_ns=TOTAL, paused_ns=1000)
                world.row("pause_sender", tap_id=2, source_mac="b", priority=3,
                          role="host", who="host 10.9.0.9", host="10.9.0.9",
                          ignored=0, first_ns=host[0], last_ns=host[1],
                          paused_ns=1000)
                job, = [a for a in world.answers() if a["scope"] == "job"]
                self.assertEqual((job["verdict"], job["root"]), ("host", root))

    def test_pauses_of_a_host_without_a_stalled_flow(self):
        for paused, root in ((("10.1.0.3", 1000), ("10.1.0.2", 10)),
                             "10.1.0.2"), \
                            ((("10.9.0.8", 10), ("10.9.0.9", 1000)),
                             "10.9.0.9"):
            with self.subTest(root):
                world = self.paused()
                for tap, (host, ns) in enumerate(paused, 1):
                    world.row("pause_sender", tap_id=tap, source_mac=str(tap),
                              priority=3, role="host", who=f"host {host}",
                              host=host, ignored=0, first_ns=0,
                              last_ns=TOTAL, paused_ns=ns)
                job, = [a for a in world.answers() if a["scope"] == "job"]
                self.assertEqual((job["verdict"], job["root"]), ("host", root))

    def test_the_transfers_of_storage_do_not_decide(self):
        for iterations, target, wanted in (
                (None, "10.2.0.1", NOTHING), (None, "10.3.0.1", UNSURE),
                (PHASES, "10.2.0.1", UNSURE)):
            with self.subTest(iterations=iterations, target=target):
                world = World()
                world.job([(WIRE, 40)])
                world.job([(UNKNOWN, 40)], iterations=iterations)
                world.row("storage_flow", flow_id=1,
                          protocol="NVMe over RDMA", target=target)
                self.check(world, wanted, "capture")

    @staticmethod
    def with_a_slow_iteration():
        world = World()
        world.job([(WIRE, 40)])
        world.db.execute("UPDATE phase SET iteration = id")
        for k in range(4):
            world.row("phase", id=900 + k, job=1, iteration=900 + k, cut=0,
                      first_ns=TOTAL, last_ns=TOTAL)
            world.row("phase_share", job=1, phase_id=900 + k, gap=0,
                      side="needed", measured="link load", rank=1,
                      time_ns=TOTAL // 10, **{"class": "wire"})
        world.row("phase_share", job=1, phase_id=901, gap=0, side="network",
                  measured="loss events", rank=1, time_ns=TOTAL // 5,
                  **{"class": "loss"})
        return world

    def slow_ones(self, world):
        self.check(world, {"network"})
        return [(a["iteration"], a["verdict"], a["cause"])
                for a in world.db.execute("SELECT * FROM answer"
                                          " WHERE scope = 'iteration'")]

    def test_one_slow_iteration_is_told(self):
        self.assertEqual(self.slow_ones(self.with_a_slow_iteration()),
                         [(901, "network", "loss")])

    def test_one_that_the_capture_cuts_is_not_compared(self):
        """One of its phases is there as a whole, the other is not."""
        world = self.with_a_slow_iteration()
        world.row("phase", id=910, job=1, iteration=901, cut=1,
                  first_ns=TOTAL, last_ns=TOTAL)
        world.row("phase_share", job=1, phase_id=910, gap=0, side="needed",
                  measured="link load", rank=1, time_ns=TOTAL // 10,
                  **{"class": "wire"})
        self.assertEqual(self.slow_ones(world), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

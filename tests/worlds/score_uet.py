# SPDX-License-Identifier: GPL-2.0-or-later
"""Contexts of Ultra Ethernet: losses before the tap and behind it, packet by
packet as far as a database names packets, timers, copies that nobody needed,
and trims.

A row of a database stands for several packets: it has to begin with one that
was lost, and so many have to be lost.  Wanted is what can be known: a loss
before the tap of which a copy passed, one behind it that an answer told of."""
import collections
import sqlite3

import uet_wire as wire
import uet_world as world
from score_roce import host
from scoring import Kind

NAME = "contexts"
COLUMNS = ("before", "behind", "timers", "spurious", "trimmed")
# Timers are told together, one that ran beside a complaint is not told, and what
# plain ACKs made a sender do looks like one; copies without need are only known
# when the answers say so; behind the tap some may as well have come late.
SURE = ((0.99, 0.85), (0.98, 0.6), (0.7, 0), (0.95, 0), (0.94, 0.94))
# Nothing is told of packets without a context, or of what is encrypted, or of
# half of a flow; what is told has to be true.
LITTLE = ((0.99, 0), (0.99, 0), (0, 0), (0.95, 0), (0.94, 0))
MIRROR = ((0.93, 0.85), (0.86, 0.35), (0.7, 0), (0.9, 0), (0.94, 0.9))
DOUBLED, MISSES = ("duplicated-packets",), ("capture-loss",)
LOSSES = dict(lost_near=0.01, lost_far=0.01)
LATE = dict(late_far=0.02, late_by=20_000)

KINDS = {
    # Nothing was lost: there is nothing to be said of the network.
    "nothing": Kind(dict(refused=0), SURE, True),
    "nothing, microseconds": Kind(dict(refused=0, tick=1000, near=500, far=500),
                                  SURE, True),
    "nothing, sprayed": Kind(dict(refused=0, mode=wire.RUD, paths=16,
                                  skew=30000), SURE, True),
    "nothing, doubled": Kind(dict(refused=0, doubled=1), SURE, True,
                             DOUBLED),
    "nothing, some doubled": Kind(dict(refused=0, doubled=0.05), SURE,
                                  True, DOUBLED),
    "nothing, not copied": Kind(dict(refused=0, not_copied=0.005), SURE, True,
                                MISSES),
    "nothing, many not copied": Kind(dict(refused=0, not_copied=0.02), SURE,
                                     True, MISSES),
    "nothing, marked": Kind(dict(refused=0, marks=0.05), SURE, True),
    "nothing, begins late": Kind(dict(refused=0, begins=0.4), SURE, True),
    "nothing, ends early": Kind(dict(refused=0, ends=0.6), SURE, True),
    "nothing, forth only": Kind(dict(refused=0, one_way=1), SURE, True),
    "nothing, back only": Kind(dict(refused=0, one_way=2), SURE, True),
    "nothing, one link": Kind(dict(refused=0, mode=wire.RUD, paths=4,
                                   one_link=True), SURE, True, MISSES),
    "nothing, idempotent": Kind(dict(mode=wire.RUDI), SURE, True),
    "nothing, unreliable": Kind(dict(mode=wire.UUD), SURE, True),
    "lost, unreliable": Kind(dict(mode=wire.UUD, **LOSSES), SURE, True),
    "lost, encrypted": Kind(dict(tss=1, **LOSSES), LITTLE, True),
    "lost, with source": Kind(dict(tss=2, **LOSSES), LITTLE, True),
    # Sent again for nothing.
    "hurried": Kind(dict(hurries=True, skew=30000, paths=16, mode=wire.RUD),
                    LITTLE),
    "lost, hurried": Kind(dict(hurries=True, ack_disorder=False, ack_every=4,
                               guards=False, skew=30000, paths=16,
                               mode=wire.RUD, **LOSSES), LITTLE),
    # Overtaken behind the tap, and retransmitted before or after it came.
    "late, unordered": Kind(dict(mode=wire.RUD, **LATE), SURE),
    "late, hurried": Kind(dict(mode=wire.RUD, hurries=True, **LATE), LITTLE),
    "lost or late, ordered": Kind(dict(mode=wire.ROD, discards=True,
                                       lost_far=0.01, **LATE), LITTLE),
    "lost, ordered": Kind(dict(mode=wire.ROD, discards=True, **LOSSES), SURE),
    "busy": Kind(dict(busy=0.02), SURE),
    "answers lost": Kind(dict(answers_lost=0.05), SURE),
    # Trimmed or lost.
    "trimmed near": Kind(dict(trims_near=0.02), SURE),
    "trimmed far": Kind(dict(trims_far=0.02), SURE),
    "trimmed near, doubled": Kind(dict(trims_near=0.02, doubled=1), SURE),
    "trimmed, idempotent": Kind(dict(mode=wire.RUDI, trims_near=0.02,
                                     trims_far=0.02), SURE),
    "lost near": Kind(dict(lost_near=0.01), SURE),
    "lost far": Kind(dict(lost_far=0.01), SURE),
    "lost near and far": Kind(LOSSES, SURE),
    "lost, microseconds": Kind(dict(tick=1000, **LOSSES), SURE),
    "lost, sprayed": Kind(dict(mode=wire.RUD, paths=16, skew=3000, **LOSSES),
                          SURE),
    "lost, doubled": Kind(dict(doubled=1, **LOSSES), SURE),
    "lost, not copied": Kind(dict(not_copied=0.005, **LOSSES), MIRROR),
    "lost, begins late": Kind(dict(begins=0.4, **LOSSES), SURE),
    "lost, forth only": Kind(dict(one_way=1, **LOSSES), LITTLE),
    "lost, one link": Kind(dict(mode=wire.RUD, paths=4, one_link=True,
                                **LOSSES), LITTLE),
    "lost, idempotent": Kind(dict(mode=wire.RUDI, **LOSSES), LITTLE),
    "all of it": Kind(dict(lost_near=0.005, lost_far=0.005, trims_near=0.005,
                           trims_far=0.005, busy=0.005, answers_lost=0.01,
                           marks=0.01), SURE),
    "all of it, not copied": Kind(dict(
        lost_near=0.005, lost_far=0.005, trims_near=0.005, trims_far=0.005,
        busy=0.005, answers_lost=0.01, not_copied=0.005), MIRROR),
}


class Said:
    """What a database says, by flow of the world."""

    def __init__(self, path):
        self.lost = collections.defaultdict(list)
        self.count = collections.defaultdict(collections.Counter)
        db = sqlite3.connect(path)
        flows = {}
        for row in db.execute(
                "SELECT id, src, dst, coalesce(spdcid, job_id), timeouts,"
                " spurious, lost_upstream, lost_downstream_min,"
                " trimmed_upstream, trimmed_downstream FROM flow"
                " LEFT JOIN pdc ON flow_id = id"):
            flows[row[0]] = key = (host(row[1]), host(row[2]), row[3])
            self.count[key].update(
                timers=row[4] or 0, spurious=row[5] or 0, before=row[6] or 0,
                behind=row[7] or 0, near=row[8] or 0, far=row[9] or 0)
        for flow, kind, psn, count in db.execute(
                "SELECT flow_id, kind, psn, count FROM event WHERE confidence"
                " >= 0.5 AND kind LIKE 'loss_%stream' ORDER BY ns"):
            self.lost[flows[flow], kind].append((psn, count or 1))
        self.rules = [r for (r,) in db.execute(
            "SELECT DISTINCT rule FROM finding WHERE severity IN"
            " ('warning', 'critical')")]
        db.close()


def is_clean(_):
    return False


def apart(a, b):
    return abs((a - b + (1 << 31)) % (1 << 32) - (1 << 31))


def named(rows, lost):
    """The packets that |rows| stand for; a number is |lost| as often as its
    copies were."""
    said, left = set(), collections.Counter(loss.number for loss in lost)
    for psn, _ in rows:
        said.add(psn if left[psn] or psn not in said else f"{psn} once more")
        left[psn] -= 1
    for psn, count in rows:
        for _ in range(count - 1):
            near = min(+left, key=lambda p: (p in said, apart(p, psn)),
                       default=f"one of {count} from {psn}")
            said.add(near)
            left[near] -= 1
    return said


def bursts(times, apart_ns):
    return sum(1 for a, b in zip([-apart_ns] + times, times)
               if b - a >= apart_ns)


def compare(tallies, made, keys, said, where):
    again, told, near, far = made.told_of()
    before, behind, timers, spurious, trimmed = tallies
    may_be_late = made.may_be_late()
    for key in keys:
        text, count = f"{where} {key}", said.count[key]
        lost = made.before.get(key, [])
        allowed = {loss.number for loss in lost}
        before.add({loss.number for loss in lost if loss.first and
                    loss.ns > made.since} & again[key],
                   allowed, named(said.lost[key, "loss_upstream"], lost),
                   text + " before")
        lost = made.behind.get(key, [])
        allowed = {loss.number for loss in lost}
        behind.add({loss.number for loss in lost if loss.ns > made.since} &
                   told[key] & again[key], allowed,
                   named(said.lost[key, "loss_downstream"], lost),
                   text + " behind", may_be_late[key])
        times = sorted(made.expired[key])
        timers.count(bursts(times, 8 * made.patience), len(times),
                     count["timers"], text + " timers")
        spurious.count(made.spurious[key], made.spurious[key],
                       count["spurious"], text + " spurious")
        trimmed.count(near[key], near[key], count["near"],
                      text + " trimmed before")
        trimmed.count(far[key], far[key], count["far"],
                      text + " trimmed behind")

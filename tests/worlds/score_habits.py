#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What `fabscope analyze` says of queue pairs with other habits (habits.py).

    score_habits.py --fabscope PROGRAM [--first SEED] [--worlds N]
                    [--only WORDS] [-v]

Three figures a column: true, false, missed.  It fails where a column that AIMS
names has a false one, except for what UNMET lists: that is printed, with its
aim."""
import argparse
import collections
import sys

sys.dont_write_bytecode = True
import habits as world  # noqa: E402
import score_roce  # noqa: E402
import scoring  # noqa: E402
from fabric import FAR, NEAR  # noqa: E402
from habits import (ACK, ANY, DATA, MASK, MS, NAK, RESPONSE, SEND,  # noqa
                    WRITE)  # noqa: E402

NAME = "other habits"
# Packets lost upstream of the tap, and responses; losses downstream, and the
# PSNs there that a NAK or a timeout recovered; timeouts, lost ACKs; packets
# that the mirror missed, that passed out of order, and mirror duplicates; the
# least and the most that can have been lost downstream; findings of loss where
# nothing was lost.
COLUMNS = ("upstream", "responses", "downstream", "recovered", "timeouts",
           "ACKs lost", "not captured", "reordered", "duplicates",
           "least lost", "most lost", "findings")
NO_FALSE, PRINTED = (1, 0), (0, 0)
AIMS = ("upstream", "responses", "least lost", "findings")
# Where no data is lost, none can be lost downstream.
AIMS_WITHOUT_LOSS = AIMS + ("downstream",)

NEAR_LOST, FAR_LOST = {(ANY, NEAR): 0.004}, {(ANY, FAR): 0.004}
SOME_LOST = {(ANY, NEAR): 0.003, (ANY, FAR): 0.003}
ACKS_LOST = {(what, side): 0.02 for what in (ACK, NAK) for side in (NEAR, FAR)}
DATA_AND_NAKS_LOST = {(DATA, FAR): 0.004, (DATA, NEAR): 0.001,
                      (ACK, NEAR): 0.03, (NAK, NEAR): 0.2}
# One message after the other, so that a timer has to find what is lost.
ONE_BY_ONE = dict(one_by_one=True, ops=(WRITE, SEND), sizes=(7, 16, 40))

PROBLEMS = {
    "nothing": dict(),
    "near": dict(lose=NEAR_LOST),
    "far": dict(lose=FAR_LOST),
    "both sides": dict(lose=NEAR_LOST | FAR_LOST),
    "bursts": dict(lose=NEAR_LOST | FAR_LOST, burst=6),
    "blackout": dict(blackout=(FAR, 1 * MS, 3 * MS, None)),
    "tails near": dict(tails=(0.1, NEAR), **ONE_BY_ONE),
    "tails far": dict(tails=(0.1, FAR), **ONE_BY_ONE),
    "ACKs": dict(lose=ACKS_LOST),
    "ACKs of each": dict(lose=ACKS_LOST, **ONE_BY_ONE),
    "data and ACKs": dict(lose=DATA_AND_NAKS_LOST),
    "not copied": dict(not_copied=0.01),
    "lost, not copied": dict(not_copied=0.004, lose=SOME_LOST),
    "doubled": dict(doubled=1),
    "lost, doubled": dict(doubled=0.5, lose=SOME_LOST),
    "late near": dict(reorder={NEAR: 0.01}),
    "late far": dict(reorder={FAR: 0.01}),
    "slow ACKs": dict(acks_late=1.2),
}
LOSE_NO_DATA = ("nothing", "ACKs", "ACKs of each", "not copied", "doubled", "late near",
                "late far", "slow ACKs")
# Aims that are not met.
UNMET = {
    "bursts": ("upstream",),
    "data and ACKs": ("least lost",),
    "not copied": ("findings",),
    "lost, not copied": ("upstream", "responses"),
    "lost, doubled": ("upstream",),
    "late near": ("downstream", "least lost", "findings"),
    "late far": ("downstream", "least lost", "findings"),
    "slow ACKs": ("findings",),
}


def least(name):
    aims = AIMS_WITHOUT_LOSS if name in LOSE_NO_DATA else AIMS
    unmet = UNMET.get(name, ())
    return tuple(NO_FALSE if column in aims and column not in unmet
                 else PRINTED for column in COLUMNS)


KINDS = {name: scoring.Kind(wanted, least(name))
         for name, wanted in PROBLEMS.items()}


class Said(score_roce.Said):
    """What a database says, by flow of the world."""

    def read(self, db):
        super().read(db)
        self.least, self.most, self.acks_lost, self.not_seen, self.late = (
            collections.Counter() for _ in range(5))
        for row in db.execute(
                "SELECT id, lost_downstream_min, lost_downstream_max, "
                "capture_missing, reordered FROM flow"):
            flow = self.flows[row[0]]
            for counter, count in zip((self.least, self.most, self.not_seen,
                                       self.late), row[1:]):
                counter[flow] += count or 0
        self.downstream = collections.defaultdict(set)
        for flow, psn, count, value, ns in db.execute(
                "SELECT flow_id, psn, count, value, ns FROM event "
                "WHERE confidence >= 0.5 AND kind = 'loss_downstream'"):
            span = max(count or 1, value or 0)
            self.downstream[self.flows[flow]].add((psn, span, ns))
        for flow, count in db.execute(
                "SELECT flow_id, count(*) FROM event WHERE kind = 'ack_lost' "
                "AND flow_id IS NOT NULL GROUP BY 1"):
            self.acks_lost[self.flows[flow]] += count
        self.doubles, = db.execute(
            "SELECT coalesce(sum(mirror_duplicates), 0) FROM tap").fetchone()


def by_flow(made):
    """PSNs lost, and those lost when they were sent first, by queue pair, what
    they were, and segment; how many each were."""
    lost, first = collections.defaultdict(set), collections.defaultdict(set)
    count = collections.Counter()
    for loss in made.lost:
        where = loss.key, loss.what, loss.segment
        lost[where].add(loss.psn)
        count[where] += 1
        if loss.first:
            first[where].add(loss.psn)
    return lost, first, count


def reordered(passed):
    """Packets that passed the tap behind one that was sent later."""
    count = highest = 0
    for _, turn in sorted(passed):
        count += turn < highest
        highest = max(highest, turn)
    return count


class Flow:
    """One queue pair: where its losses are upstream of the tap, and where
    downstream.  Its responses come back; a flow carries, beside its data, the
    responses of the other way, |shares| saying that there is one."""

    def __init__(self, qp, shares):
        self.key, self.shares = qp.key, shares
        self.back = qp.response_key
        near, far = (NEAR, FAR) if qp.src == 1 else (FAR, NEAR)
        self.upstream = (self.key, DATA, near)
        self.downstream = (self.key, DATA, far)
        self.responses_upstream = (self.key, RESPONSE, far)
        other = [(self.back, RESPONSE, near)] if shares else []
        self.all_upstream = [self.upstream, self.responses_upstream] + other
        other = [(self.back, RESPONSE, far)] if shares else []
        self.all_downstream = [self.downstream,
                               (self.key, RESPONSE, near)] + other


def union(sets):
    return set().union(*sets)


def compare_losses(tally, made, flow, said, where):
    lost, first, count = made.by_flow
    tally["upstream"].add(
        first[flow.upstream] if made.is_finished else set(),
        union(lost[at] for at in flow.all_upstream),
        said.lost[flow.key, "loss_upstream"], where)
    if not flow.shares:
        tally["responses"].add(set(), lost[flow.responses_upstream],
                               said.lost[flow.back, "loss_upstream"], where)
    most = sum(count[at] for at in flow.all_downstream)
    tally["least lost"].count(0, most, said.least[flow.key], where)
    # What the mirror missed, or who never finished, may hide a loss.
    is_known = made.is_finished and not made.not_copied
    most = said.most[flow.key]
    tally["most lost"].count(count[flow.downstream] if is_known else 0, most,
                             most, where)


def compare_downstream(tally, made, flow, said, where):
    """An event stands for several packets, one of which must be lost."""
    lost = union(made.by_flow[0][at] for at in flow.all_downstream)

    def covers(event, psns):
        return any((psn - event[0]) & MASK < event[1] for psn in psns)
    events = set(said.downstream[flow.key])
    if not flow.shares:
        events |= said.downstream[flow.back]
    tally["downstream"].add(set(), {e for e in events if covers(e, lost)},
                            events, where)
    recovered = {r.psn for r in made.recoveries if r.key == flow.key and
                 (r.key, r.what, r.segment) == flow.downstream}
    found = {psn for psn in recovered
             if any(covers(e, {psn}) for e in said.downstream[flow.key])}
    tally["recovered"].add(recovered, recovered, found, where)


def compare_counts(tally, made, flow, said, where):
    key = flow.key
    acks = sum(r.key == key and r.what == ACK for r in made.recoveries)
    if not any(loss.key == key and loss.what in (ACK, NAK)
               for loss in made.lost):
        acks = 0
    not_seen = sum((what, of) in ((DATA, key), (RESPONSE, flow.back))
                   for _, what, of in made.not_seen)
    for column, true, counted in (
            ("timeouts", made.timeouts[key], said.timers[key]),
            ("ACKs lost", acks, said.acks_lost[key]),
            ("not captured", not_seen, said.not_seen[key]),
            ("reordered", reordered(made.passed[key, 0]), said.late[key])):
        tally[column].count(true, true, counted, f"{where} {column}")


def false_findings(made, said):
    """Findings of loss where nothing was lost.  Timeouts are none where there
    were some, nor is what leaves it open whether packets came late where they
    did."""
    true = set()
    if made.timeouts:
        true |= {"timeouts", "retransmissions-unexplained"}
    if made.reorder:
        true |= {"loss-or-reorder-downstream", "retransmissions-unexplained"}
    return set() if made.lost else set(said.rules) - true


def is_clean(_):
    """False findings are a column here."""
    return False


def compare(tallies, made, qps, said, where):
    tally = dict(zip(COLUMNS, tallies))
    made.by_flow = by_flow(made)
    made.is_finished = all(qp.is_finished for qp in qps)
    keys = {qp.key for qp in qps}
    for qp in qps:
        flow = Flow(qp, qp.response_key in keys)
        args = tally, made, flow, said, f"{where} {qp.key}"
        compare_losses(*args)
        compare_downstream(*args)
        compare_counts(*args)
    tally["duplicates"].count(made.doubles, made.doubles, said.doubles, where)
    tally["findings"].add(set(), set(), false_findings(made, said), where)


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--fabscope", required=True)
    p.add_argument("--worlds", type=int, default=6)
    p.add_argument("--first", type=int, default=0, help="seed")
    p.add_argument("--only", default="", help="problems named so")
    p.add_argument("-v", "--verbose", action="store_true")
    args = p.parse_args()
    bad = scoring.score(sys.modules[__name__], args)
    for name, columns in UNMET.items():
        if args.only in name:
            print(f"aim, not asserted: {name}: no false "
                  f"{', '.join(columns)}")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())

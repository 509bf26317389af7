# SPDX-License-Identifier: GPL-2.0-or-later
"""Queue pairs: packet by packet what was called lost before the tap, or behind
it, and how many timers; then worlds where nothing was lost, which must have no
finding that says so.  Of a window that is lost behind the tap only the first
packet can be known, hence what is wanted there."""
import collections
import sqlite3

import world  # noqa: F401
from scoring import Kind

NAME = "queue pairs"
COLUMNS = ("before", "behind", "timers")
SURE = ((0.99, 0.90), (0.98, 0.75), (0.75, 0.75))
MIRROR = ((0.93, 0.85), (0.97, 0.70), (0.85, 0.80))

KINDS = {
    "lost near": Kind(dict(lost_near=0.005), SURE),
    "lost far": Kind(dict(lost_far=0.005), SURE),
    "lost near and far": Kind(dict(lost_near=0.004, lost_far=0.004), SURE),
    "answers lost": Kind(dict(answers_lost=0.03), SURE),
    "not copied": Kind(dict(not_copied=0.01), SURE),
    "doubled": Kind(dict(doubled=1, lost_near=0.003, lost_far=0.003,
                         complains=False), SURE),
    "all of it": Kind(dict(lost_near=0.004, lost_far=0.004, not_copied=0.005,
                           answers_lost=0.01), MIRROR),
    "nothing": Kind(dict(), SURE),
    "nothing, all doubled": Kind(dict(doubled=1), SURE),
}

ACCUSES = ("loss-upstream", "loss-downstream", "loss-location-unknown", "tail-loss",
           "loss-or-reorder-downstream", "unrecovered-loss", "outage",
           "timeouts", "unanswered", "retransmissions-unexplained")


def host(text):
    last = text.replace(":", ".").split(".")[-1]
    return int(last, 16)


class Said:
    """What a database says, by flow of the world."""

    def __init__(self, path):
        db = sqlite3.connect(path)
        self.read(db)
        db.close()

    def read(self, db):
        self.lost = collections.defaultdict(set)
        self.timers = collections.Counter()
        self.flows = flows = {}
        for row in db.execute("SELECT id, src, dst, dst_qp, timeouts "
                              "FROM flow"):
            flows[row[0]] = key = (host(row[1]), host(row[2]), row[3])
            self.timers[key] += row[4] or 0
        for flow, kind, psn, count in db.execute(
                "SELECT flow_id, kind, psn, count FROM event "
                "WHERE confidence >= 0.5 AND kind LIKE 'loss_%stream'"):
            for i in range(count or 1):
                self.lost[flows[flow], kind].add((psn + i) & world.MASK)
        self.rules = [r for (r,) in db.execute("SELECT rule FROM finding")
                      if r in ACCUSES]


def is_clean(made):
    return not (made.before or made.behind or made.answers_lost)


def compare(tallies, made, keys, said, where):
    for key in keys:
        before = made.before.get(key, [])
        text = f"{where} {key}"
        # Of what was sent again the tap sees nothing: it may be said, or not.
        tallies[0].add({loss.number for loss in before if loss.first},
                       {loss.number for loss in before},
                       said.lost[key, "loss_upstream"], text + " before")
        behind = {loss.number for loss in made.behind.get(key, [])}
        tallies[1].add(behind, behind, said.lost[key, "loss_downstream"],
                       text + " behind")
        timers = made.timeouts.get(key, 0)
        tallies[2].count(timers, timers, said.timers[key], text + " timers")

# SPDX-License-Identifier: GPL-2.0-or-later
"""ECN marks and congestion notifications."""
from scoring import Seen


def compare(score, run):
    for p in run.pairs:
        if not p.row:
            continue
        seen = Seen(run.truth, p.flow, p.taps)
        peer = run.truth["by_id"].get(p.flow["peer"])
        score.add("ce", seen.sum("ce", ("request", "response", "ack")),
                  p.row["ce"], p.where)
        if peer and p.row["visibility"] == "both":
            score.add("cnp", seen.sum("captured", ("cnp",), peer),
                      p.row["cnp"], p.where)

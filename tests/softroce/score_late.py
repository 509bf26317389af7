# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures in which a sign is easily taken for a proof: ATOMICs whose
responses are lost, reordering that looks like loss, tail drop in a queue that
makes round trips long, and ACKs that are later than the timer."""
import truth
import wire

LOSSES = {"loss_upstream", "loss_downstream", "corruption"}


def register(score):
    case = score.case

    def psns(db, kind):
        return score.all_event_psns(db, kind)

    def causes(db):
        return {r["cause"] for r in db.recoveries()}

    @case("d27_atomic_lossy.pa")
    def atomic_responses_lost_before(sheet, db, run, tap):
        requests, responses = run.fate("pa"), run.fate("pb")
        sheet.check_set("requests called lost downstream",
                        {(p.qp, p.psn) for p in requests.lost_packets()} &
                        {(s.key.qp, s.psn) for s in tap.steps
                         if s.trigger == "nak"}, requests.lost_psns(),
                        score.event_psns(db, "loss_downstream"))
        told = psns(db, "loss_upstream")
        sheet.check_set("responses called lost upstream", [],
                        responses.lost_psns(), told)
        visible = responses.visible(wire.is_response)
        sheet.check("of those visible", score.Between(
            len(visible) - 1, len(visible), "one is asked for again with the "
            "request behind it, that a NAK named"), len(visible & told))
        nothing_reordered(sheet, db)

    @case("d27_atomic_lossy.pb")
    def atomic_responses_lost_behind(sheet, db, run, tap):
        requests, responses = run.fate("pa"), run.fate("pb")
        sheet.check_set("requests called lost upstream",
                        requests.visible(truth.is_request),
                        requests.lost_psns(), psns(db, "loss_upstream"))
        told = score.event_psns(db, "loss_downstream")
        sheet.check_set("responses called lost downstream", [],
                        responses.lost_psns(), told)
        sheet.check("of them", score.Between(
            20, len(responses.lost), "one asked for again, and lost again, "
            "is told once"), len(told))
        nothing_reordered(sheet, db)

    def nothing_reordered(sheet, db):
        sheet.check("reordered", 0, db.total("reordered"))
        sheet.check("causes of another kind", set(), causes(db) & {
            "reorder", "ack_loss", "loss_or_reorder"})

    @case("d28_reorder_jitter.pa", "d28_reorder_jitter.pb")
    def reordered_and_retransmitted(sheet, db, _, tap):
        for column in ("lost_upstream", "lost_downstream_min",
                       "capture_missing", "unresolved"):
            sheet.check(column, 0, db.total(column) or 0,
                        why="the fabric lost nothing and the tap saw all")
        score.check_lost_to(sheet, db, "reordering", "loss or reordering")
        sheet.check("ack_lost", 0, db.total("ack_lost"),
                    why="every ACK came")
        sheet.check("causes of loss", set(), LOSSES & causes(db))
        sheet.check("events of loss", [], [
            e["psn"] for kind in ("loss_upstream", "loss_downstream")
            for e in db.events(kind)
            if not (e["detail"] or "").startswith("R26")])
        sheet.check("findings of loss", set(),
                    (score.LOSS_FINDINGS - {"loss-or-reorder-downstream"}) &
                    set(db.findings("critical", "warning")))
        sheet.check("retransmitted", score.Between(
            len(tap.retransmitted), len(tap.retransmitted) + 1,
            "an original behind its copies may be taken for one more"),
            db.total("retransmitted", src=tap.hosts[0]))

    @case("d29_incast_taildrop.pa", "d29_incast_taildrop.pc")
    def dropped_at_the_tail(sheet, db, run, tap):
        fate = run.fate(tap.path.split(".")[-3 if tap.path.endswith("gz")
                                            else -2])
        lost = fate.lost_psns()
        naked = {(s.key.qp, s.psn) for s in tap.steps if s.trigger == "nak"}
        sheet.check_set("PSNs called lost downstream", naked & lost, lost,
                        score.event_psns(db, "loss_downstream"),
                        "what a NAK named; a tail is known by its first")
        sheet.check("causes", {"loss_downstream"}, causes(db))
        sheet.check("lost_downstream_min", score.Between(
            len(naked & lost), len(fate.lost), "each NAK proves one"),
            db.total("lost_downstream_min"))
        score.check_kept(sheet, db)
        sheet.check("spurious", 0, db.total("spurious") or 0)
        score.check_place(sheet, db, "behind")

    @case("d29_incast_taildrop.pb")
    def dropped_before_the_tail(sheet, db, run, tap):
        lost = set().union(*(f.lost_psns() for f in run.fates))
        seen = set().union(*(f.visible(truth.is_request) for f in run.fates))
        sheet.check_set("PSNs called lost upstream", seen, lost,
                        psns(db, "loss_upstream"))
        sheet.check("lost_downstream_min", 0,
                    db.total("lost_downstream_min"))
        score.check_kept(sheet, db)
        score.check_place(sheet, db, "before")

    @case("d30_spurious_timeout.pa", "d30_spurious_timeout.pb")
    def timer_before_the_ack(sheet, db, run, tap):
        for column in ("lost_upstream", "lost_downstream_min",
                       "lost_downstream_max", "capture_missing", "unresolved",
                       "reordered"):
            sheet.check(column, 0, db.total(column) or 0,
                        why="nothing was lost: the ACKs came after the timer")
        # Seen from both: near the sender the round trip is known.
        sheet.check("causes",
                    {"collateral" if tap is run.taps["pa"] else "ack_loss"},
                    causes(db), why="the timer is shorter than the round trip")
        sheet.check("timeouts", run.counter("rxe_a", "completer_retry_err"),
                    db.total("timeouts"))
        sheet.check("spurious", run.counter("rxe_b", "duplicate_request"),
                    db.total("spurious"))
        score.check_no_loss_finding(sheet, db)
        score.check_lost_to(sheet, db, "ACKs lost or late")
        sheet.check("ack_lost", 0, db.total("ack_lost"),
                    why="every ACK came, slower than the timer")

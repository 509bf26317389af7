-- Which recoveries point at something that went wrong?
-- One row per recovery.  Reordering that rule R26 proves was behind the
-- tap, that of R2 before it.  Where answers of a READ were lost (R16, R17)
-- they travelled against the direction of the requests; with UET, what asked
-- was a SACK, and nothing turns round.  Left out: timeouts by
-- a loss or without a reason (`incident/timeouts`), collateral (its cause is in
-- another row), corruption (`incident/corruption`), losses of flows that are
-- suspected to be sprayed, and losses that two taps saw (`incident/loss-between`).
--
-- needs recovery
INSERT INTO temp.occurrence(kind, flow_id, tap_id, psn, src, dst, occurrences,
                            named, lost_min, lost_max, retransmitted_packets,
                            retransmitted_bytes, idle_ns, cost_ns, first_ns,
                            last_ns, frame, confidence)
SELECT CASE
         WHEN r.cause = 'rnr' OR r.trigger = 'rnr' THEN 'rnr'
         WHEN r.cause = 'unknown' THEN 'unexplained'
         WHEN r.cause = 'reorder' AND r.rule LIKE 'R26%' THEN 'reorder_downstream'
         ELSE r.cause
       END AS kind,
       r.flow_id, r.tap_id, r.psn,
       CASE WHEN r.answer THEN f.dst ELSE f.src END AS src,
       CASE WHEN r.answer THEN f.src ELSE f.dst END AS dst,
       1 AS occurrences,
       r.trigger IN ('nak', 'implied_nak') AND r.rule NOT LIKE 'U%' AS named,
       CASE WHEN r.cause = 'loss_or_reorder' THEN 0 ELSE r.lost_min END
         AS lost_min,
       r.lost_max, r.retransmitted_packets, r.retransmitted_bytes,
       r.idle_ns,
       max(r.last_ns - r.first_ns, 0) AS cost_ns,
       r.first_ns, r.last_ns,
       ifnull(r.frame_detect, r.frame_first) AS frame,
       r.confidence
  FROM (SELECT *, trigger = 'implied_nak' AND rule NOT LIKE 'U%' AS answer
          FROM recovery /*scan*/) r
  JOIN flow f ON f.id = r.flow_id
 WHERE r.cause NOT IN ('collateral', 'corruption')
   AND NOT (r.trigger = 'timeout'
            AND r.cause IN ('loss_upstream', 'loss_downstream', 'unknown'))
   AND NOT (f.spray_suspect
            AND r.cause IN ('loss_upstream', 'loss_downstream',
                            'loss_or_reorder'))
   AND r.id NOT IN (SELECT seen_id FROM same_loss)
   AND r.id NOT IN (SELECT recovery_id FROM segment_loss)
   AND r.id NOT IN (SELECT lost_id FROM same_loss WHERE NOT late)

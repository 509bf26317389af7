-- Which recoveries were there, why, and what did each cost?
--
-- param once flag NULL  1: a recovery that several taps saw is one row, of the tap that knows its cause
-- param flow id NULL  only this flow
-- param job count NULL  only this job (Ultra Ethernet)
-- param incident id NULL  only those this incident is made of
-- param trigger text NULL  nak, timeout, rnr, implied_nak, unknown
-- param cause text NULL  loss_upstream, loss_downstream, reorder, rnr, ...
-- param from time NULL  not before
-- param to time NULL  not after
-- param limit count 1000  maximum number of rows
-- column flow_id id  flow.id
-- column src text  sender of the requests
-- column dst text  their receiver
-- column dst_qp hex  queue pair they are sent to
-- column first_ns time  gap, refused original or start of the silence
-- column cost_ns duration  until the sender had caught up
-- column detect_ns duration  time to the NAK, or to the end of the silence; NULL: it was refused before
-- column react_ns duration  from the NAK to the first retransmission; NULL: no NAK was seen
-- column trigger word  what made the sender do it
-- column cause word  what was wrong
-- column psn id  first PSN retransmitted
-- column lost_min count  lost, at least
-- column lost_max count  maximum of the same
-- column retransmitted_packets count  retransmitted
-- column retransmitted_bytes bytes  retransmitted
-- column tap_id id  tap.id
-- column frame_detect id  frame of the NAK
-- column frame_first id  frame of the first retransmission
-- column confidence share  confidence, 0..1
-- column rule text  the rule that decided
-- column spdcid hex16  PDC id of the sender (Ultra Ethernet)
-- column id id  recovery.id; query why shows how it was decided
--
-- uses recovery-once
-- example fabscope query DB recoveries --param cause=loss_upstream
SELECT r.flow_id, f.src, f.dst, f.dst_qp, r.first_ns,
       r.last_ns - r.first_ns AS cost_ns,
       iif(r.detect_ns >= r.first_ns, r.detect_ns - r.first_ns, NULL)
         AS detect_ns,
       iif(r.frame_detect IS NULL, NULL, r.retransmit_ns - r.detect_ns)
         AS react_ns,
       r.trigger, r.cause, r.psn, r.lost_min, r.lost_max, r.retransmitted_packets,
       r.retransmitted_bytes, r.tap_id, r.frame_detect, r.frame_first, r.confidence,
       r.rule, f.spdcid, r.id
  FROM recovery /*scan*/ r
  JOIN flow f ON f.id = r.flow_id
 WHERE (NOT ifnull(:once, 0)
        OR r.id IN (SELECT id FROM recovery_once /*scan*/))
   AND (:flow IS NULL OR r.flow_id = :flow)
   AND (:incident IS NULL OR EXISTS
        (SELECT 1 FROM incident_flow m
           JOIN incident i ON i.id = m.incident_id
          WHERE m.incident_id = :incident AND m.flow_id = r.flow_id
            AND CASE replace(i.kind, 'hidden_', '')
                WHEN 'loss_upstream' THEN r.cause = 'loss_upstream'
                                      AND r.trigger <> 'timeout'
                WHEN 'loss_downstream' THEN r.cause = 'loss_downstream'
                                        AND r.trigger <> 'timeout'
                WHEN 'tail_loss_upstream' THEN r.cause = 'loss_upstream'
                                           AND r.trigger = 'timeout'
                WHEN 'outage_upstream' THEN r.cause = 'loss_upstream'
                                        AND r.trigger = 'timeout'
                WHEN 'loss_unplaced' THEN r.cause = 'loss_upstream'
                                      AND r.trigger <> 'timeout'
                WHEN 'tail_loss_unplaced' THEN r.cause = 'loss_upstream'
                                           AND r.trigger = 'timeout'
                WHEN 'tail_loss_downstream' THEN r.cause = 'loss_downstream'
                                             AND r.trigger = 'timeout'
                WHEN 'outage_downstream' THEN r.cause = 'loss_downstream'
                                          AND r.trigger = 'timeout'
                WHEN 'unanswered' THEN r.rule LIKE 'R11 or R12%'
                                    OR r.rule = 'U22' AND r.trigger = 'timeout'
                WHEN 'timeout' THEN r.trigger = 'timeout'
                                AND r.cause = 'unknown'
                                AND r.rule NOT LIKE 'R11 or R12%'
                                AND r.rule <> 'U22'
                WHEN 'unexplained' THEN r.cause = 'unknown'
                                    AND r.trigger <> 'timeout'
                WHEN 'reorder' THEN r.cause = 'reorder'
                                AND r.rule NOT LIKE 'R26%'
                WHEN 'reorder_downstream' THEN r.cause = 'reorder'
                                       AND r.rule LIKE 'R26%'
                WHEN 'loss_between' THEN r.cause LIKE 'loss%'
                WHEN 'trimmed_between' THEN r.cause LIKE 'trimmed%'
                WHEN 'rnr' THEN 'rnr' IN (r.cause, r.trigger)
                WHEN 'go_back_0' THEN 1
                ELSE r.cause = i.kind END))
   AND (:trigger IS NULL OR r.trigger = :trigger)
   AND (:cause IS NULL OR r.cause = :cause)
   AND (:job IS NULL OR f.job_id = :job)
   AND (:from IS NULL OR r.last_ns >= :from)
   AND (:to IS NULL OR r.first_ns <= :to)
 ORDER BY cost_ns DESC, r.first_ns, r.id
 LIMIT :limit

-- When did a flow recover from a loss, and what was it doing?
-- Detection: until the sender learns of it and retransmits.  Timeout: until
-- its timer runs out.  Replay: until it has caught up; all of it where it
-- is not observable how the sender knew.  Either: lost or reordered, or behind
-- what was.  Acks: only ACKs were lost or late.  Early: nothing was lost, the
-- timer is too short, or it waited for an ACK that it had not requested.  Timer: an RTO expired, and what was lost is not
-- observable.  Unknown: nor that anything was lost; and where timers repeat a
-- tenth of the packets of a flow although these had arrived, each for itself:
-- ACKs tell of all that came before, so few timers run out for lost ones, and a
-- timer that is too short looks the same.  RoCE repeats all that is outstanding
-- for one of them: there one message in ten counts, and three at least.
--
-- What another capture point saw arrive out of order, or acknowledged before it
-- was retransmitted (R25), is no loss behind this one; and where one knows what a
-- timer repaired, or two that it was lost between them, it is known.  A READ or
-- ATOMIC that is requested again (R16, R17) lacks its response: that is data of the other
-- direction; if responses were only reordered, from when it showed.  Whose
-- sender repeats nothing but what is missing (sr, ooo) has a receiver that keeps
-- what comes out of order: with the original all was there, and the copy that
-- follows the NAK costs nothing; nor does one that had been acknowledged, if all
-- else was not retransmitted.  But its sender may have been silent from the
-- NAK to that copy: then new data follows at once.
--
-- Where two capture points show all that was sent while it lasts reach the link
-- of its receiver, nothing was lost, whatever the NAK looks like; and what the
-- sender did then is seen at the first of them.
--
-- An ACK of RoCE that was only slower than the timer was not lost: that shows that
-- something delayed data or ACKs, a queue, the receiver, or pauses that are not in
-- the capture, and not which.  Nor was it lost between the links of both hosts if
-- all was matched there, both ways.
--
-- Where a flow has refusals for lack of resources, and besides them nothing but
-- copies that a NACK asked for in vain, or perhaps in vain, these go with them:
-- an ordered sender goes back and repeats all behind what was refused.
--
-- needs recovery
INSERT INTO temp.attribution(flow_id, first_ns, last_ns, class, part, replays)
WITH elsewhere AS MATERIALIZED (
  SELECT f.flow_id, r.psn,
         max(r.cause = 'reorder' OR r.rule = 'R25') AS reorder,
         max(r.first_ns) FILTER (WHERE r.cause = 'ack_loss') AS ack_ns,
         max(r.first_ns) FILTER (WHERE r.cause IN ('loss_upstream',
                                                   'loss_downstream')) AS loss_ns
    FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM same_flow))
   CROSS JOIN recovery r /*scan*/
    LEFT JOIN same_flow c ON c.flow_id = r.flow_id
    JOIN (SELECT flow_id, counted_id FROM same_flow /*scan*/
           UNION SELECT counted_id, counted_id FROM same_flow /*scan*/) f
      ON f.counted_id = ifnull(c.counted_id, r.flow_id)
   WHERE r.cause IN ('reorder', 'ack_loss', 'loss_upstream', 'loss_downstream')
     AND f.flow_id <> r.flow_id
   GROUP BY f.flow_id, r.psn),
whole_way AS MATERIALIZED (
  SELECT s.segment_id, s.flow_id, s.to_flow_id,
         ifnull(s.delay_max_ns, 0) AS most_ns
    FROM segment_flow s /*scan*/
    JOIN flow t ON t.id = s.to_flow_id
    JOIN temp.phase_link l ON l.tap_id = t.tap_id AND l.address = t.dst
   WHERE s.lost IS NOT NULL AND s.packets > 0),
-- What came back along the whole way as well.
both_ways AS MATERIALIZED (
  SELECT w.flow_id, w.to_flow_id, b.flow_id AS back_id,
         w.most_ns + ifnull(b.delay_max_ns, 0) AS most_ns
    FROM whole_way w /*scan*/
    JOIN flow f ON f.id = w.flow_id
    JOIN flow t ON t.id = w.to_flow_id
    JOIN temp.phase_link l ON l.tap_id = f.tap_id AND l.address = f.src
    JOIN segment_flow b ON b.flow_id = t.peer_flow_id
                       AND b.to_flow_id = f.peer_flow_id
   WHERE b.lost IS NOT NULL AND b.packets > 0),
late AS MATERIALIZED (
  SELECT r.id
    FROM both_ways w /*scan*/
    JOIN recovery r ON r.flow_id IN (w.flow_id, w.to_flow_id)
   WHERE (r.cause = 'ack_loss'
          OR (r.cause = 'unknown' AND r.trigger = 'timeout'))
     AND NOT EXISTS (SELECT 1 FROM unmatched v
                      WHERE v.flow_id IN (w.flow_id, w.back_id)
                        AND v.ns BETWEEN r.first_ns - w.most_ns
                                     AND r.last_ns)),
came AS MATERIALIZED (
  SELECT r.id
    FROM whole_way w /*scan*/
    JOIN recovery r ON r.flow_id IN (w.flow_id, w.to_flow_id)
   WHERE r.cause IN ('loss_or_reorder', 'unknown') AND r.trigger <> 'timeout'
     AND NOT EXISTS (SELECT 1 FROM unmatched v
                      WHERE v.flow_id = w.flow_id
                        AND v.segment_id = w.segment_id
                        AND v.ns BETWEEN r.first_ns - w.most_ns
                                     AND r.last_ns)),
-- Of flows that recovered too seldom to show it others of their sender tell.
of_host AS MATERIALIZED (
  SELECT src, min(recovery IN ('sr', 'ooo')) AS keeps
    FROM flow /*scan*/
   WHERE recovery IS NOT NULL
   GROUP BY src),
hasty AS MATERIALIZED (
  SELECT r.flow_id
    FROM recovery r /*scan*/
    JOIN flow q ON q.id = r.flow_id
   WHERE r.cause IN ('ack_loss', 'collateral') AND r.rule <> 'M8'
     AND ((q.transport = 'UET-RUD' AND r.trigger = 'timeout')
          OR (q.transport = 'RC' AND r.trigger IN ('timeout', 'unknown')))
   GROUP BY +r.flow_id
  HAVING iif(max(q.transport) = 'RC',
             count(*) >= max(3, 0.1 * max(q.messages)),
             sum(r.retransmitted_packets) >= 0.1 * max(q.requests))),
only_refused AS MATERIALIZED (
  SELECT flow_id
    FROM recovery /*scan*/
   GROUP BY +flow_id
  HAVING max(cause = 'rnr')
     AND min(cause = 'rnr' OR (cause IN ('collateral', 'unknown')
                               AND trigger IN ('nak', 'implied_nak')))),
explained AS (
  SELECT ifnull(iif(r.rule IN ('R16', 'R17') OR r.rule LIKE 'R16:%',
                    q.peer_flow_id, NULL), r.flow_id) AS flow_id,
         r.psn, iif(r.rule LIKE 'R16:%', r.detect_ns, r.first_ns) AS first_ns,
         r.detect_ns, r.retransmit_ns, r.last_ns, r.trigger, q.transport,
         CASE WHEN r.cause IN ('loss_downstream', 'loss_or_reorder')
               AND e.reorder THEN 'reorder'
              WHEN r.id IN (SELECT id FROM came) THEN 'reorder'
              WHEN r.cause = 'unknown' AND r.trigger = 'timeout'
               AND abs(e.ack_ns - r.first_ns) < 1000000000 THEN 'ack_loss'
              WHEN r.cause = 'unknown' AND r.trigger = 'timeout'
               AND abs(e.loss_ns - r.first_ns) < 1000000000
              THEN 'loss_downstream'
              WHEN r.cause IN ('unknown', 'loss_or_reorder')
               AND r.id IN (SELECT recovery_id FROM segment_loss)
              THEN 'loss_downstream'
              ELSE r.cause END AS cause,
         r.id IN (SELECT id FROM late) AS is_late,
         coalesce(q.recovery IN ('sr', 'ooo'), h.keeps, 0)
           OR (r.retransmitted_packets = 1
               AND ifnull(r.evidence & evidence_bit('acked_before'), 0))
           AS keeps, r.remaining,
         hypothesis_bit('spurious_timer') AS too_early,
         hypothesis_bit('ack_not_requested') AS unasked,
         r.cause = 'collateral'
           AND (r.remaining & ~(hypothesis_bit('ack_lost')
                                | hypothesis_bit('spurious_timer'))) = 0
           AS arrived
    FROM recovery r /*scan*/
    JOIN flow q ON q.id = r.flow_id
    LEFT JOIN of_host h ON h.src = q.src
    LEFT JOIN elsewhere e ON e.flow_id = r.flow_id AND e.psn = r.psn
   WHERE r.trigger <> 'rnr' AND r.cause <> 'rnr'
     AND r.flow_id NOT IN only_refused),
known AS (
  SELECT flow_id, iif(is_kept, detect_ns, first_ns) AS first_ns, retransmit_ns,
         iif(is_kept, NULL, last_ns) AS last_ns, trigger,
         CASE WHEN cause = 'reorder' THEN 'reorder'
              WHEN cause = 'unknown'
               AND (remaining & hypothesis_bit('new_connection'))
              THEN 'unknown'
              WHEN cause LIKE 'trimmed%' THEN 'trimmed'
              WHEN cause = 'collateral' AND remaining IN (too_early, unasked)
              THEN 'early'
              WHEN trigger IN ('timeout', 'unknown') AND flow_id IN hasty
               AND cause IN ('ack_loss', 'collateral', 'unknown')
              THEN 'unknown'
              WHEN trigger = 'timeout' AND cause = 'ack_loss'
               AND remaining = too_early AND transport NOT LIKE 'UET%'
              THEN 'unknown'
              WHEN is_late AND cause = 'ack_loss'
               AND transport NOT LIKE 'UET%'
              THEN 'unknown'
              WHEN cause = 'ack_loss' OR arrived THEN 'acks'
              WHEN cause IN ('loss_or_reorder', 'collateral')
                OR (cause = 'unknown' AND trigger IN ('nak', 'implied_nak'))
              THEN 'either'
              WHEN trigger = 'timeout' AND cause = 'unknown' THEN 'timer'
              WHEN trigger = 'unknown' AND cause = 'unknown' THEN 'unknown'
         END AS part
    FROM (SELECT *, cause = 'reorder' AND keeps AS is_kept
            FROM explained)
   WHERE NOT is_kept
      OR (flow_id NOT IN (SELECT to_flow_id FROM whole_way)
          AND last_ns - retransmit_ns <= retransmit_ns - detect_ns))
SELECT flow_id, first_ns, retransmit_ns AS last_ns, 'recovery' AS class,
       coalesce(part, CASE trigger WHEN 'timeout' THEN 'timeout'
                                   WHEN 'unknown' THEN 'replay'
                                   ELSE 'detection' END) AS part,
       part IS NULL AND trigger = 'unknown' AS replays
  FROM known
UNION ALL
SELECT flow_id, retransmit_ns, last_ns, 'recovery', coalesce(part, 'replay'), 1
  FROM known
 WHERE last_ns IS NOT NULL
UNION ALL
SELECT flow_id, ifnull(detect_ns, retransmit_ns), last_ns, 'rnr_wait', '', 0
  FROM recovery
 WHERE flow_id IN only_refused

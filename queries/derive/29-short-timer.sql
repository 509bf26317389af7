-- Timers that ran out although nothing was lost.
--
-- M7: one capture point alone does not know it.  Near the sender what came
-- back may answer the copy, near the receiver the ACK may have been lost on its
-- way.  Together they know: at the last one all that a timer repeated had
-- arrived before, to the first one no ACK of it had come in time, and each of
-- them has every packet of the other, in both directions.  Then the ACK was
-- slower than the timer.  Where it had come in time to the first one (M8) the
-- sender should have known: it was lost behind that.  What overlaps in time is
-- decided together.
--
-- needs recovery
CREATE TEMP TABLE timed_pair AS
SELECT a.flow_id AS near, b.flow_id AS far, f.peer_flow_id AS far_back
  FROM (SELECT tap_path_id, max(hop) AS last FROM tap_path /*scan*/
         GROUP BY tap_path_id HAVING max(hop) > 1) p
  JOIN tap_path a ON a.tap_path_id = p.tap_path_id AND a.hop = 1
  JOIN tap_path b ON b.tap_path_id = p.tap_path_id AND b.hop = p.last
  JOIN flow n ON n.id = a.flow_id
  JOIN flow f ON f.id = b.flow_id
 WHERE n.timeouts > 0 AND f.timeouts > 0
   AND n.capture_missing = 0 AND f.capture_missing = 0
   AND n.unresolved = 0 AND f.unresolved = 0
   AND NOT n.spray_suspect AND NOT f.spray_suspect;
-- When all that had been sent was acknowledged, as the first one saw it.
CREATE TEMP TABLE all_acked AS
SELECT b.flow_id, b.acked_ns
  FROM burst b /*scan*/
 WHERE b.unacked = 0 AND b.flow_id IN (SELECT near FROM temp.timed_pair);
CREATE INDEX temp.all_acked_by ON all_acked(flow_id, acked_ns);
CREATE TEMP TABLE timed_seen AS
WITH bits AS (
  SELECT hypothesis_bit('ack_lost') AS lost,
         hypothesis_bit('spurious_timer') AS slow,
         hypothesis_bit('reordered_downstream') AS reordered)
SELECT p.near, r.id, r.flow_id = p.far AS is_far, r.first_ns, r.last_ns,
       r.flow_id = p.near
         AND EXISTS (SELECT 1 FROM temp.all_acked a
                      WHERE a.flow_id = r.flow_id AND a.acked_ns > r.first_ns
                        AND a.acked_ns <= (r.first_ns + r.retransmit_ns) / 2)
         AS in_time,
       r.trigger = 'timeout'
         AND iif(r.flow_id = p.far,
                 NOT (r.remaining & ~(b.lost | b.slow | b.reordered))
                   AND (r.remaining & b.lost) > 0,
                 (r.remaining & b.slow) > 0) AS fits
  FROM temp.timed_pair p /*scan*/
  JOIN recovery r ON r.flow_id IN (p.near, p.far)
  JOIN bits b
UNION ALL
SELECT p.near, NULL, NULL, v.ns, v.ns, 0, 0
  FROM temp.timed_pair p /*scan*/
  JOIN unmatched v ON v.flow_id IN (p.near, p.far_back);
CREATE TEMP TABLE short_timer AS
WITH edges AS (
  SELECT *, ifnull(first_ns > max(last_ns)
                   OVER (PARTITION BY near ORDER BY first_ns, id
                         ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 1)
              AS fresh
    FROM temp.timed_seen /*scan*/),
islands AS (
  SELECT *, sum(fresh) OVER (PARTITION BY near ORDER BY first_ns, id) AS island
    FROM edges)
SELECT id, in_time
  FROM (SELECT id, max(in_time) OVER w AS in_time,
               min(fits) OVER w AND max(is_far) OVER w
                 AND max(NOT is_far) OVER w AS agree
          FROM islands
        WINDOW w AS (PARTITION BY near, island))
 WHERE agree;
UPDATE flow SET ack_lost = max(ack_lost - t.acks, 0)
  FROM (SELECT r.flow_id, count(*) AS acks
          FROM temp.short_timer s /*scan*/ JOIN recovery r ON r.id = s.id
         WHERE r.cause = 'ack_loss' GROUP BY r.flow_id) t
 WHERE t.flow_id = flow.id;
DELETE FROM event
 WHERE kind = 'ack_lost'
   AND (flow_id, psn, frame) IN
       (SELECT r.flow_id, r.psn, r.frame_first
          FROM temp.short_timer s /*scan*/ JOIN recovery r ON r.id = s.id);
UPDATE recovery
   SET cause = 'ack_loss', rule = iif(s.in_time, 'M8', 'M7'), confidence = 0.95,
       lost_min = 0, lost_max = 0,
       remaining = hypothesis_bit(iif(s.in_time, 'ack_lost', 'spurious_timer'))
  FROM temp.short_timer s
 WHERE s.id = recovery.id;
INSERT INTO event(ns, tap_id, flow_id, frame, kind, psn, count, confidence,
                  detail, decided)
SELECT r.retransmit_ns, r.tap_id, r.flow_id, r.frame_first, 'ack_lost', r.psn,
       r.retransmitted_packets, r.confidence, r.rule, 1
  FROM temp.short_timer s /*scan*/ JOIN recovery r ON r.id = s.id
 WHERE s.in_time;
UPDATE flow SET ack_lost = ack_lost + t.acks
  FROM (SELECT r.flow_id, count(*) AS acks
          FROM temp.short_timer s /*scan*/ JOIN recovery r ON r.id = s.id
         WHERE s.in_time GROUP BY r.flow_id) t
 WHERE t.flow_id = flow.id;

-- Whose fault is an ACK that is slower than the timer?  Where that is shorter
-- than four of the shortest round trips of its flow, no queue and no pause need
-- have delayed anything: its sender has it set too short.
UPDATE recovery AS r
   SET cause = 'collateral'
 WHERE cause = 'ack_loss' AND trigger = 'timeout'
   AND remaining = hypothesis_bit('spurious_timer')
   AND idle_ns < 4 * (SELECT max(f.rtt_receiver_ns + ifnull(f.rtt_sender_ns, 0))
                        FROM flow f
                       WHERE f.id = r.flow_id
                          OR f.id IN (SELECT near FROM temp.timed_pair
                                       WHERE far = r.flow_id));
DROP TABLE temp.timed_pair;
DROP TABLE temp.all_acked;
DROP TABLE temp.timed_seen;
DROP TABLE temp.short_timer;

-- What happened behind the last capture point, which is the link of the receiver.
--
-- What passed the link of its receiver in order no fabric reorders any more: that
-- did its adapter.  What was lost there its adapter dropped, or the cable: the
-- same packets come from either, be it data or the ACK that nobody saw.  Pauses
-- of a host pass no switch: what sees them is its link.
CREATE TEMP TABLE at_link AS
WITH f AS MATERIALIZED (
  SELECT DISTINCT f.id, f.tap_id, f.src, f.dst, f.visibility
    FROM recovery r /*scan*/
   CROSS JOIN flow f ON f.id = r.flow_id),
e AS (
  SELECT id, tap_id, dst AS host, src AS other, 1 AS receives, visibility FROM f
  UNION ALL SELECT id, tap_id, src, dst, 0, visibility FROM f)
SELECT id, host, receives, visibility = 'both' AS both_ways FROM e
 WHERE EXISTS (SELECT 1 FROM temp.phase_link l
                WHERE l.tap_id = e.tap_id AND l.address = e.host)
   AND (NOT EXISTS (SELECT 1 FROM temp.phase_link l
                     WHERE l.tap_id = e.tap_id AND l.address = e.other)
        OR (e.tap_id, e.host) IN (SELECT tap_id, host
                                    FROM pause_sender /*scan*/
                                   WHERE role = 'host'))
   -- Where one more capture point is on the way, that knows.
   AND (NOT e.receives
        OR e.id NOT IN (SELECT flow_id FROM segment_flow /*scan*/
                         WHERE flow_id IS NOT NULL))
   AND (e.receives
        OR e.id NOT IN (SELECT to_flow_id FROM segment_flow /*scan*/
                         WHERE to_flow_id IS NOT NULL));
CREATE TEMP TABLE reorders AS
SELECT l.host FROM temp.at_link l /*scan*/
  JOIN recovery r ON r.flow_id = l.id
 WHERE l.receives AND r.cause = 'reorder' AND r.rule LIKE 'R26%'
UNION
SELECT l.host FROM temp.at_link l /*scan*/
 CROSS JOIN event e ON e.flow_id = l.id
 WHERE l.receives AND e.kind = 'reorder' AND e.detail LIKE 'R26%';
CREATE TEMP TABLE behind_link AS
SELECT r.id, r.flow_id, r.psn, r.first_ns,
       iif(l.host IN temp.reorders
             AND r.cause IN ('reorder', 'loss_or_reorder'),
           'adapter', 'link') AS part
  FROM temp.at_link l /*scan*/
  JOIN recovery r ON r.flow_id = l.id
 WHERE r.id NOT IN (SELECT recovery_id FROM segment_loss)
   -- Of a READ the response is missing, which goes the other way.
   AND l.receives = (r.rule NOT IN ('R16', 'R17') AND r.rule NOT LIKE 'R16:%')
   AND (r.cause IN ('loss_downstream', 'loss_or_reorder')
        OR (r.cause = 'reorder' AND r.rule LIKE 'R26%'
            AND l.host IN temp.reorders)
        OR (r.cause = 'unknown' AND l.both_ways
            AND (r.remaining & hypothesis_bit('lost_downstream'))
            AND NOT (r.remaining & ~(hypothesis_bit('lost_downstream')
                                     | hypothesis_bit('ack_lost')
                                     | hypothesis_bit('spurious_timer')
                                     | hypothesis_bit('ack_not_requested')))
            -- What was lost before it may have held it up.
            AND NOT EXISTS (SELECT 1 FROM recovery o
                             WHERE o.flow_id = r.flow_id
                               AND o.cause IN ('loss_upstream',
                                               'trimmed_upstream')
                               AND o.first_ns <= r.retransmit_ns
                               AND o.last_ns >= r.first_ns)));
-- The other capture points of a flow saw the same, but not where.
INSERT INTO temp.behind_link
SELECT r.id, r.flow_id, r.psn, r.first_ns, b.part
  FROM temp.behind_link b /*scan*/
  JOIN (SELECT flow_id, counted_id FROM same_flow /*scan*/
         UNION SELECT counted_id, counted_id FROM same_flow /*scan*/) s
    ON s.flow_id = b.flow_id
  JOIN (SELECT flow_id, counted_id FROM same_flow /*scan*/
         UNION SELECT counted_id, counted_id FROM same_flow /*scan*/) o
    ON o.counted_id = s.counted_id AND o.flow_id <> s.flow_id
  JOIN recovery r ON r.flow_id = o.flow_id AND r.psn = b.psn
 WHERE b.part = 'link'
   AND r.cause IN ('loss_downstream', 'loss_or_reorder', 'unknown')
   AND abs(r.first_ns - b.first_ns) < 1000000000
   AND r.id NOT IN (SELECT recovery_id FROM segment_loss)
   AND r.id NOT IN (SELECT id FROM temp.behind_link);
-- What cost time is the flow of that data.
CREATE TEMP TABLE part_of AS
SELECT iif(r.rule IN ('R16', 'R17') OR r.rule LIKE 'R16:%', f.peer_flow_id,
           f.id) AS flow_id, r.first_ns, r.detect_ns, r.retransmit_ns, b.part
  FROM temp.behind_link b /*scan*/
  JOIN recovery r ON r.id = b.id
  JOIN flow f ON f.id = r.flow_id;
UPDATE temp.attribution AS a
   SET part = b.part
  FROM (SELECT flow_id, first_ns AS ns, part FROM temp.part_of /*scan*/
         UNION SELECT flow_id, detect_ns, part FROM temp.part_of /*scan*/
         UNION SELECT flow_id, retransmit_ns, part
           FROM temp.part_of /*scan*/) b
 WHERE b.flow_id = a.flow_id AND b.ns = a.first_ns AND a.class = 'recovery'
   AND (a.part IN ('reorder', 'either')
        OR (b.part = 'link' AND a.part IN ('detection', 'timeout', 'replay',
                                           'timer')));
DROP TABLE temp.at_link;
DROP TABLE temp.reorders;
DROP TABLE temp.behind_link;
DROP TABLE temp.part_of;

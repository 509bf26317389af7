-- Which mirrors reorder what they copy, and by how much?
-- No switch has reordered what comes straight from its sender.  What took less than
-- a round trip, or came where hardly anything was retransmitted, is no
-- retransmission; and what its receiver sent a NAK for is not the mirror's.
CREATE TEMP TABLE disordered AS
SELECT tap_id, src, ttl IN (32, 64, 128, 255) AS direct,
       reorder_late_ns_max AS late, bytes / packets AS size
  FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM flow_sum /*scan*/
                                WHERE reordered > 0))
 CROSS JOIN flow /*scan*/
 WHERE reordered > 0 AND reorder_late_ns_max > 0
   AND (reorder_late_ns_max < rtt_receiver_ns
        OR 8 * (ifnull(nak_seq, 0) + ifnull(retransmitted, 0)
                  + ifnull(timeouts, 0)) < reordered)
   AND NOT EXISTS (SELECT 1 FROM recovery
                    WHERE flow_id = flow.id AND cause = 'reorder');
-- What was late by more was sent when the packet before it had left.
CREATE TEMP TABLE own_mirror AS
SELECT d.tap_id,
       max(d.late + ifnull(CAST(8e9 * d.size / t.speed_bps AS INTEGER), 0))
         AS ns
  FROM temp.disordered d /*scan*/
  JOIN temp.straight s ON s.tap_id = d.tap_id AND s.src = d.src
  JOIN tap t ON t.id = d.tap_id
 WHERE d.direct
 GROUP BY d.tap_id;
-- The same mirror copies what arrives.
UPDATE tap
   SET disorder_ns = m.ns
  FROM (SELECT o.tap_id,
               max(o.ns, max(iif(d.late <= 2 * o.ns, d.late, 0))) AS ns
          FROM temp.own_mirror o
          JOIN temp.disordered d /*scan*/ ON d.tap_id = o.tap_id
         GROUP BY o.tap_id) m
 WHERE m.tap_id = tap.id;
DROP TABLE temp.straight;
DROP TABLE temp.own_mirror;
DROP TABLE temp.disordered;

-- There, what was late by no more, and by which nobody was harmed, is not known
-- to be reordered.
CREATE TEMP TABLE in_order AS
SELECT f.id AS flow_id
  FROM (SELECT 1 WHERE EXISTS
         (SELECT 1 FROM tap WHERE disorder_ns IS NOT NULL))
 CROSS JOIN flow f /*scan*/
  JOIN tap t ON t.id = f.tap_id
 WHERE (f.reordered > 0 OR f.implied_nak > 0)
   AND ifnull(f.reorder_late_ns_max, 0) <= t.disorder_ns
   AND NOT EXISTS (SELECT 1 FROM recovery
                    WHERE flow_id = f.id
                      AND (cause = 'reorder' OR trigger = 'implied_nak'));
DELETE FROM event
 WHERE kind IN ('reorder', 'implied_nak')
   AND flow_id IN (SELECT flow_id FROM temp.in_order);
UPDATE flow
   SET reordered = NULL, reorder_extent_max = NULL, reorder_late_ns_max = NULL,
       reorder_events = NULL, implied_nak = NULL
 WHERE id IN (SELECT flow_id FROM temp.in_order);
DROP TABLE temp.in_order;
UPDATE segment
   SET reordered = NULL, displaced_max = NULL
 WHERE EXISTS (SELECT 1 FROM tap t
                WHERE t.disorder_ns IS NOT NULL
                  AND t.id IN (segment.from_tap_id, segment.to_tap_id));

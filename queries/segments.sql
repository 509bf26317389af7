-- What happened between one place of capture and the next?
-- Rules M1 to M6.  Needs two taps.
--
-- param flow id NULL  of this flow only, named at its first place
-- param limit count 1000  at most so many
-- column segment id  number
-- column from_tap text  nearer to the sender
-- column to_tap text  nearer to the receiver
-- column flows count  flows that took it
-- column packets count  seen at both
-- column lost count  lost between the two
-- column missed_to count  the capture at the second lacks them
-- column missed_from count  the capture at the first lacks them
-- column open count  not seen at the second, nothing tells why
-- column marked count  CE set between the two
-- column reordered count  overtaken between the two
-- column displaced_max count  by at most so many
-- column trimmed count  UET: payload cut off between the two
-- column damaged count  ICRC spoilt between the two
-- column doubled count  came twice at the second only
-- column one_in count  1: all packets were looked at, N: one in N
--
-- example fabscope query DB segments
SELECT s.id AS segment, a.name AS from_tap, b.name AS to_tap,
       CASE WHEN f.flow_id IS NULL THEN s.flows ELSE 1 END AS flows,
       ifnull(f.packets, s.packets) AS packets,
       CASE WHEN f.flow_id IS NULL THEN s.lost ELSE f.lost END AS lost,
       CASE WHEN f.flow_id IS NULL THEN s.missed_to ELSE f.missed_to END
         AS missed_to,
       CASE WHEN f.flow_id IS NULL THEN s.missed_from ELSE f.missed_from END
         AS missed_from,
       CASE WHEN f.flow_id IS NULL THEN s.open ELSE f.open END AS open,
       ifnull(f.marked, s.marked) AS marked,
       ifnull(f.reordered, s.reordered) AS reordered,
       ifnull(f.displaced_max, s.displaced_max) AS displaced_max,
       ifnull(f.trimmed, s.trimmed) AS trimmed,
       ifnull(f.damaged, s.damaged) AS damaged,
       ifnull(f.doubled, s.doubled) AS doubled, s.one_in
  FROM segment s /*scan*/
  JOIN tap a ON a.id = s.from_tap_id
  JOIN tap b ON b.id = s.to_tap_id
  LEFT JOIN segment_flow f ON f.segment_id = s.id AND f.flow_id = :flow
 WHERE s.adjacent AND (:flow IS NULL OR f.flow_id IS NOT NULL)
 ORDER BY s.from_tap_id, s.to_tap_id
 LIMIT :limit

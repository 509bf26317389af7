-- What was lost, marked, reordered or delayed between one capture point and the next?
-- Rules M1 to M6.  Needs two taps.  In a time window: what its steps say, those
-- at the edges by their part; of one flow that is not known.
--
-- param flow id NULL  of this flow only, named at its first place
-- param from time NULL  start of the time window; NULL: start of the capture
-- param to time NULL  end of the time window; NULL: end of the capture
-- param limit count 1000  maximum number of rows
-- column segment id  number
-- column from_tap text  nearer to the sender
-- column to_tap text  nearer to the receiver
-- column flows count  flows that took it
-- column packets count  seen at both
-- column lost count  lost between the two
-- column missed_to count  the capture at the second lacks them
-- column missed_from count  the capture at the first lacks them
-- column open count  not seen at the second capture point, cause ambiguous
-- column marked count  CE set between the two
-- column reordered count  reordered between the two
-- column displaced_max count  by maximum number of rows
-- column trimmed count  UET: payload cut off between the two
-- column corrupted count  ICRC spoilt between the two
-- column duplicated count  twice at the second capture point only
-- column place word  kind of output port between the two: see query places
-- column place_at text  this port; unknown: what it lies between
-- column one_in count  1: all packets were looked at, N: one in N
--
-- example fabscope query DB segments
WITH span(a, z) AS (
  SELECT ifnull(:from, -(1 << 62)), ifnull(:to, 1 << 62)
   WHERE coalesce(:from, :to) IS NOT NULL),
step AS (
  SELECT b.*, max(b.start_ns, c.first) AS b0,
         min(b.start_ns + b.width_ns, c.last + 1) AS b1
    FROM (SELECT min(first_ns) AS first, max(last_ns) AS last FROM capture
           WHERE packets > 0) c,
         segment_bin b /*scan*/
   WHERE :flow IS NULL),
part AS (
  SELECT b.*, 1.0 * (min(b1, s.z + 1) - max(b0, s.a)) / (b1 - b0) AS part
    FROM span s, step b
   WHERE b0 < b1 AND b0 <= s.z AND b1 > s.a),
segment_counts AS (
  SELECT id, flows, packets, lost, missed_to, missed_from, open, marked,
         reordered, displaced_max, trimmed, corrupted, duplicated
    FROM segment /*scan*/
   WHERE :flow IS NULL AND NOT EXISTS (SELECT 1 FROM span)
  UNION ALL
  SELECT segment_id, 1, packets, lost, missed_to, missed_from, open, marked,
         reordered, displaced_max, trimmed, corrupted, duplicated
    FROM segment_flow
   WHERE flow_id = :flow AND NOT EXISTS (SELECT 1 FROM span)
  UNION ALL
  SELECT n.id, (SELECT count(*) FROM segment_flow x
                  JOIN flow f ON f.id = x.flow_id
                 WHERE x.segment_id = n.id AND f.last_ns >= s.a
                   AND f.first_ns <= s.z),
         CAST(round(sum(part * packets)) AS INTEGER),
         CAST(round(sum(part * lost)) AS INTEGER),
         CAST(round(sum(part * missed_to)) AS INTEGER),
         CAST(round(sum(part * missed_from)) AS INTEGER),
         CAST(round(sum(part * open)) AS INTEGER),
         CAST(round(sum(part * marked)) AS INTEGER),
         CAST(round(sum(part * reordered)) AS INTEGER), max(displaced_max),
         CAST(round(sum(part * trimmed)) AS INTEGER),
         CAST(round(sum(part * corrupted)) AS INTEGER),
         CAST(round(sum(part * duplicated)) AS INTEGER)
    FROM span s, part p
    JOIN (SELECT id FROM segment /*scan*/) n ON n.id = p.segment_id
   GROUP BY n.id)
SELECT s.id AS segment, a.name AS from_tap, b.name AS to_tap, v.flows,
       v.packets, v.lost, v.missed_to, v.missed_from, v.open, v.marked,
       v.reordered, v.displaced_max, v.trimmed, v.corrupted, v.duplicated, s.place,
       s.place_at, s.one_in
  FROM segment_counts v
  JOIN segment s ON s.id = v.id
  JOIN tap a ON a.id = s.from_tap_id
  JOIN tap b ON b.id = s.to_tap_id
 WHERE s.adjacent
 ORDER BY s.from_tap_id, s.to_tap_id
 LIMIT :limit

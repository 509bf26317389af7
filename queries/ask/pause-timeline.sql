-- For how much of each step of time did each port pause a priority?
-- One lane for each port and priority; steps without pauses have no row.
--
-- param tap id NULL  only this tap
-- param from time NULL  begin; NULL: of the captures
-- param to time NULL  end; NULL: of the captures
-- param steps count 60  how many steps
-- param limit count 100  maximum number of rows in the picture, the longest paused first
-- column lane text  the priority (p3), the port that pauses it, the tap
-- column step count  from 0
-- column start_ns time  begin of the step
-- column width_ns duration  its length
-- column share share  of the step it was paused; NULL without link speed
-- column pauses count  pauses in it
-- column tap_id id  tap.id
-- column source_mac text  the port that asked
-- column priority id  0..7; NULL the whole link
--
-- example fabscope query DB pause-timeline --param steps=10
WITH RECURSIVE
ends(a, z, n) AS (
  SELECT ifnull(:from, (SELECT min(first_ns) FROM capture WHERE packets > 0)),
         ifnull(:to, (SELECT max(last_ns) FROM capture WHERE packets > 0)),
         min(max(:steps, 1), 10000)),
span(a, z, n, w) AS (
  SELECT a, z, n, max(1, (z - a) / n + 1) FROM ends WHERE z >= a),
step(k) AS (
  SELECT 0 FROM span
  UNION ALL SELECT k + 1 FROM step, span WHERE k + 1 < n),
lanes AS (
  SELECT row_number() OVER (ORDER BY p.paused_ns DESC, p.xoff_frames DESC,
                                     p.rowid) AS place,
         p.tap_id, p.source_mac, p.priority,
         ifnull('p' || p.priority, 'all') || ' '
           || ifnull(p.who, p.source_mac) || ' at ' || t.name AS lane
    FROM pause_sender /*scan*/ p
    JOIN tap t ON t.id = p.tap_id
   WHERE :tap IS NULL OR p.tap_id = :tap
   ORDER BY place LIMIT :limit),
piece AS (
  SELECT (max(p.first_ns, s.a) - s.a) / s.w AS k0,
         (min(ifnull(p.last_ns, p.first_ns), s.z) - s.a) / s.w AS k1,
         p.first_ns, p.last_ns, p.tap_id, p.source_mac, p.priority
    FROM span s, pause /*scan*/ p
   WHERE p.first_ns <= s.z AND ifnull(p.last_ns, p.first_ns) >= s.a),
share AS (
  SELECT k0 AS k, * FROM piece WHERE k0 = k1
  UNION ALL
  SELECT t.k, p.* FROM piece p, step t
   WHERE p.k0 < p.k1 AND t.k BETWEEN p.k0 AND p.k1)
SELECT l.lane, x.k AS step, s.a + x.k * s.w AS start_ns, s.w AS width_ns,
       min(1.0, 1.0 * sum(min(x.last_ns, s.a + (x.k + 1) * s.w)
                          - max(x.first_ns, s.a + x.k * s.w)) / s.w) AS share,
       count(*) AS pauses, l.tap_id, l.source_mac, l.priority
  FROM span s, share x
  JOIN lanes l ON l.tap_id = x.tap_id AND l.source_mac = x.source_mac
              AND l.priority IS x.priority
 GROUP BY l.place, x.k
 ORDER BY l.place, x.k

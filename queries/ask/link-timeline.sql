-- How full was each link in each step of time?
-- One lane for each tap; steps without packets have no row.  Where the
-- speed of a link is not known, its share is of the busiest step of all.  Of a
-- live analysis, what is older than the fine steps comes from its history.
--
-- param group id NULL  only the links of this group (link_group.id)
-- param from time NULL  begin; NULL: of the captures
-- param to time NULL  end; NULL: of the captures
-- param steps count 60  how many steps
-- param limit count 100  maximum number of rows in the picture
-- column lane text  the link
-- column step count  from 0
-- column start_ns time  begin of the step
-- column width_ns duration  its length
-- column share share  of the link speed, or of the busiest step
-- column rate_bps rate  bytes over time
-- column tap_id id  tap.id
--
-- example fabscope query DB link-timeline --param steps=10
WITH RECURSIVE
edges(first, last) AS (
  SELECT ifnull((SELECT min(h.start_ns) FROM history h /*scan*/
                  WHERE h.start_ns + h.width_ns <= min(c.first_ns)),
                min(c.first_ns)), max(c.last_ns)
    FROM capture c WHERE c.packets > 0),
fine(since) AS (
  SELECT ifnull(min(start_ns), 9223372036854775807) FROM bin
   WHERE scope = 'tap'),
ends(a, z, n) AS (
  SELECT ifnull(:from, first), ifnull(:to, last), min(max(:steps, 1), 10000)
    FROM edges),
span(a, z, n, w) AS (
  SELECT a, z, n, max(1, (z - a) / n + 1) FROM ends WHERE z >= a),
step(k) AS (
  SELECT 0 FROM span
  UNION ALL SELECT k + 1 FROM step, span WHERE k + 1 < n),
lanes AS (
  SELECT t.id AS tap_id, t.name AS lane, t.speed_bps
    FROM tap t /*scan*/
   WHERE :group IS NULL
      OR t.id IN (SELECT tap_id FROM link_member WHERE group_id = :group)
   ORDER BY t.id LIMIT :limit),
load AS (
  SELECT max(b.start_ns, e.first) AS b0,
         min(b.start_ns + b.width_ns, e.last + 1) AS b1, b.bytes,
         b.scope_id AS tap_id
    FROM edges e, bin b /*scan*/
   WHERE b.scope = 'tap'
  UNION ALL
  SELECT h.start_ns, min(h.start_ns + h.width_ns, f.since),
         1.0 * h.bytes * (min(h.start_ns + h.width_ns, f.since) - h.start_ns)
           / h.width_ns, h.tap_id
    FROM fine f, history h /*scan*/
   WHERE h.scope = 'tap' AND h.start_ns < f.since),
piece AS (
  SELECT (max(l.b0, s.a) - s.a) / s.w AS k0,
         (min(l.b1 - 1, s.z) - s.a) / s.w AS k1,
         l.b0 >= s.a AND l.b1 <= s.z + 1 AS inside, l.*
    FROM span s, load l
   WHERE l.b0 < l.b1 AND l.b0 <= s.z AND l.b1 > s.a),
share AS (
  SELECT k0 AS k, 1.0 AS part, * FROM piece WHERE k0 = k1 AND inside
  UNION ALL
  SELECT t.k, 1.0 * (min(p.b1, s.z + 1, s.a + (t.k + 1) * s.w)
                     - max(p.b0, s.a + t.k * s.w)) / (p.b1 - p.b0), p.*
    FROM piece p, span s, step t
   WHERE NOT (p.k0 = p.k1 AND p.inside)
     AND t.k BETWEEN p.k0 AND p.k1),
rates AS (
  SELECT l.lane, l.tap_id, l.speed_bps, x.k,
         8e9 * sum(x.part * x.bytes) / s.w AS rate
    FROM span s, share x JOIN lanes l ON l.tap_id = x.tap_id
   GROUP BY l.tap_id, x.k)
SELECT r.lane, r.k AS step, s.a + r.k * s.w AS start_ns, s.w AS width_ns,
       min(1.0, r.rate / ifnull(r.speed_bps, (SELECT max(rate) FROM rates)))
         AS share,
       CAST(round(r.rate) AS INTEGER) AS rate_bps, r.tap_id
  FROM span s, rates r
 ORDER BY r.tap_id, r.k

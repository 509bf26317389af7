-- In how much of each step of time did each rank of a job send?
-- From its first data of a phase to its last.  The ranks that began late by
-- themselves come first.
--
-- param from time NULL  begin; NULL: of the captures
-- param to time NULL  end; NULL: of the captures
-- param steps count 60  how many steps
-- param limit count 100  maximum number of rows in the picture
-- column lane text  the job and the rank
-- column step count  from 0
-- column start_ns time  begin of the step
-- column width_ns duration  its length
-- column share share  of the step
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
  SELECT row_number() OVER (ORDER BY r.late_ns DESC, r.job, r.rank) AS place,
         r.job, r.rank,
         'job ' || r.job || ' ' || r.address
           || CASE WHEN r.straggler = 1 THEN ' late' ELSE '' END AS lane
    FROM job_rank r /*scan*/
   ORDER BY place LIMIT :limit),
sent AS (
  SELECT p.job, k.rank, max(k.start_ns, s.a) AS b0,
         min(k.end_ns + 1, s.z + 1) AS b1
    FROM span s, phase_rank k /*scan*/
    JOIN phase p ON p.id = k.phase_id
   WHERE k.start_ns <= s.z AND k.end_ns >= s.a),
piece AS (
  SELECT (c.b0 - s.a) / s.w AS k0, (c.b1 - 1 - s.a) / s.w AS k1, c.*
    FROM span s, sent c),
share AS (
  SELECT k0 AS k, * FROM piece WHERE k0 = k1
  UNION ALL
  SELECT t.k, p.* FROM piece p, step t
   WHERE p.k0 < p.k1 AND t.k BETWEEN p.k0 AND p.k1)
SELECT l.lane, x.k AS step, s.a + x.k * s.w AS start_ns, s.w AS width_ns,
       min(1.0, 1.0 * sum(min(x.b1, s.a + (x.k + 1) * s.w)
                          - max(x.b0, s.a + x.k * s.w)) / s.w) AS share
  FROM span s, share x
  JOIN lanes l ON l.job = x.job AND l.rank = x.rank
 GROUP BY l.place, x.k
 ORDER BY l.place, x.k

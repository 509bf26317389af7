-- Are phases of a job longer while another job communicates?
-- An estimate: what else differed between these phases is not known.  A phase
-- counts as disturbed when the other job communicates during half of it at
-- least, and as undisturbed when it does not at all.
-- into interference
-- needs job
-- param phases count 20  of each kind are needed for a factor
WITH pairs AS (
  SELECT p.id, p.job, o.id AS other, p.last_ns - p.first_ns AS ns,
         (SELECT total(min(q.last_ns, p.last_ns) - max(q.first_ns, p.first_ns))
            FROM phase q /*scan*/
           WHERE q.job = o.id AND q.first_ns < p.last_ns
             AND q.last_ns > p.first_ns)
           / max(p.last_ns - p.first_ns, 1) AS overlap
    FROM phase p /*scan*/
    JOIN job o /*scan*/ ON o.id <> p.job AND o.iterations IS NOT NULL
   WHERE NOT p.cut AND (SELECT count(*) FROM phase /*scan*/) < 20000),
kinds AS (
  SELECT *, overlap >= 0.5 AS with_it FROM pairs
   WHERE overlap = 0 OR overlap >= 0.5),
ranked AS (
  SELECT *, row_number() OVER (PARTITION BY job, other, with_it ORDER BY ns)
              AS nth,
         count(*) OVER (PARTITION BY job, other, with_it) AS n
    FROM kinds),
medians AS (
  SELECT job, other, with_it, max(n) AS n, avg(ns) AS ns
    FROM ranked WHERE nth IN ((n + 1) / 2, (n + 2) / 2)
   GROUP BY job, other, with_it)
SELECT j.id AS job, o.id AS other,
       ifnull(w.n, 0) AS phases_with, ifnull(u.n, 0) AS phases_without,
       CAST(w.ns AS INTEGER) AS median_with_ns,
       CAST(u.ns AS INTEGER) AS median_without_ns,
       CASE WHEN w.n >= :phases AND u.n >= :phases THEN w.ns / u.ns END
         AS factor
  FROM job j /*scan*/
  JOIN job o /*scan*/ ON o.id <> j.id
  LEFT JOIN medians w ON w.job = j.id AND w.other = o.id AND w.with_it
  LEFT JOIN medians u ON u.job = j.id AND u.other = o.id AND NOT u.with_it
 WHERE j.iterations IS NOT NULL AND o.iterations IS NOT NULL

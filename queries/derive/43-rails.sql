-- Which servers its ranks are NICs of.
-- needs job
UPDATE job_rank
   SET server = (SELECT h.server FROM host_server h
                  WHERE h.address = job_rank.address)
 WHERE EXISTS (SELECT 1 FROM host_server);

-- Jobs that are the rails of one: as many ranks, the same shape, bytes and
-- iterations, no host in two of them, and each phase of one begins when that of
-- the other does (a tenth of an iteration apart at most).  Where the topology
-- tells rails, each has to keep to one of its own.

CREATE TEMP TABLE rail_pair AS
WITH j AS (
  SELECT j.id, j.ranks, j.pattern, j.iterations, j.phases, j.rank_bytes,
         (max(p.first_ns) - min(p.first_ns)) / (count(*) - 1) AS every,
         (SELECT CASE WHEN count(DISTINCT r.rail) = 1
                       AND count(r.rail) = count(*) THEN min(r.rail)
                      WHEN count(r.rail) > 0 THEN -1 END
            FROM job_rank r WHERE r.job = j.id) AS rail
    FROM job j
    JOIN phase p ON p.job = j.id
   WHERE j.iterations IS NOT NULL AND j.ranks > 1
   GROUP BY j.id
  HAVING count(*) >= 5)
SELECT a.id AS a, b.id AS b, a.rail IS NOT NULL AS configured
  FROM j a
  JOIN j b ON b.id <> a.id AND b.ranks = a.ranks AND b.pattern IS a.pattern
          AND b.iterations = a.iterations AND b.phases = a.phases
          AND abs(b.rank_bytes - a.rank_bytes) <= 0.02 * a.rank_bytes
          AND b.rail IS NOT -1 AND a.rail IS NOT -1
          AND (a.rail IS NULL) = (b.rail IS NULL)
          AND (a.rail IS NULL OR a.rail <> b.rail)
 WHERE NOT EXISTS (
   SELECT 1
     FROM phase p
     JOIN phase q ON q.job = b.id
                 AND q.id = p.id - (SELECT min(id) FROM phase WHERE job = a.id)
                          + (SELECT min(id) FROM phase WHERE job = b.id)
    WHERE p.job = a.id
      AND abs(q.first_ns - p.first_ns) > 0.1 * a.every);

UPDATE job
   SET layout = 'rail-only',
       layout_jobs = 1 + (SELECT count(*) FROM rail_pair WHERE a = job.id),
       layout_confidence =
         (SELECT CASE WHEN max(configured) THEN 0.95 ELSE 0.7 END
            FROM rail_pair WHERE a = job.id)
 WHERE id IN (SELECT a FROM rail_pair);
DROP TABLE rail_pair;

-- Its parts are rails where they are alike: as many ranks, the same shape.
UPDATE job
   SET layout = 'rail-only',
       layout_confidence =
         CASE WHEN (SELECT count(r.rail) = count(*)
                       AND count(DISTINCT r.rail) = job.rails
                      FROM job_rank r WHERE r.job = job.id)
              THEN 0.95 ELSE 0.9 END
 WHERE rails > 1 AND pattern IS NOT NULL;

-- Its groups, in short.
UPDATE job
   SET groups = g.line
  FROM (SELECT job, group_concat(n || ' ' || upper(kind) || iif(n = 1, ' group', ' groups')
                              || ' of ' || ranks, ', ')
                 AS line
          FROM (SELECT job, kind, count(*) AS n, max(ranks) AS ranks
                  FROM (SELECT job, kind, grp, count(*) AS ranks
                          FROM job_group /*scan*/
                         GROUP BY job, kind, grp)
                 GROUP BY job, kind)
         GROUP BY job) AS g
 WHERE job.id = g.job;

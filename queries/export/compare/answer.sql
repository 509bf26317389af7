-- What is the answer, and where did the time go?
-- Jobs are matched by their first rank.
--
-- into compared_answer
WITH j AS (
  SELECT j.id, 'job of ' || min(r.address) AS subject, j.iterations, j.bytes
    FROM job j JOIN job_rank r ON r.job = j.id
   GROUP BY j.id)
SELECT ifnull(j.subject, 'capture') AS subject, a.verdict, a.confidence,
       j.iterations, ifnull(j.bytes, (SELECT sum(bytes) FROM job)) AS bytes,
       a.total_ns, ifnull(s.class, 'unknown') AS class,
       ifnull(s.side, 'unknown') AS share_side, ifnull(s.ns, 0) AS ns
  FROM answer a
  LEFT JOIN j ON j.id = a.job
  LEFT JOIN answer_share s ON s.answer_id = a.id
 WHERE a.scope IN ('capture', 'job')
 ORDER BY a.id, s.class, s.side LIMIT 10000

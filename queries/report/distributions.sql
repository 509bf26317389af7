-- How are latencies and waiting times distributed?
-- Ten classes for each power of ten.  Of messages the slow and the unusual
-- ones are kept and a sample of the others, where there are very many.  Of a flow
-- at several taps those of the one with most packets count.
--
-- column what text  message and operation, CNP after mark, recovery, pause
-- column from_ns duration  the class begins here
-- column to_ns duration  and ends there
-- column count count  how many
-- column below share  of all of this sort, up to here
--
-- example fabscope query DB report/distributions
WITH one AS (
  SELECT 'message ' || op AS what, completed_ns - first_ns AS ns
    FROM message /*scan*/
   WHERE completed_ns IS NOT NULL AND flow_id NOT IN (SELECT flow_id FROM same_flow)
  UNION ALL
  SELECT 'CNP after mark', latency_max_ns FROM cnp /*scan*/
   WHERE clean = 1 AND ifnull(flow_id, 0) NOT IN (SELECT flow_id FROM same_flow)
  UNION ALL
  SELECT 'recovery', last_ns - first_ns FROM recovery /*scan*/
   WHERE flow_id NOT IN (SELECT flow_id FROM same_flow)
  UNION ALL
  SELECT 'pause', paused_ns FROM pause /*scan*/),
classes AS (
  SELECT what, CAST(floor(10 * log10(max(ns, 1))) AS INTEGER) AS class,
         count(*) AS n
    FROM one WHERE ns >= 0
   GROUP BY what, class)
SELECT what, CAST(round(pow(10, class / 10.0)) AS INTEGER) AS from_ns,
       CAST(round(pow(10, (class + 1) / 10.0)) AS INTEGER) AS to_ns,
       n AS count,
       1.0 * sum(n) OVER (PARTITION BY what ORDER BY class)
         / sum(n) OVER (PARTITION BY what) AS below
  FROM classes
 ORDER BY what, class

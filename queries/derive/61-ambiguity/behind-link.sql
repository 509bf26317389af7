-- Which losses were behind the capture point at the link of their receiver?
-- The cable lost the packets, or the adapter of the receiver dropped them: both
-- look the same.
--
-- into phase_ambiguity
-- needs phase_share
WITH s AS (
  SELECT t.job, f.dst, sum(t.time_ns) AS time_ns
    FROM phase_share t /*scan*/
    JOIN flow f ON f.id = t.flow_id
   WHERE t.measured = 'losses behind the receiver''s link'
   GROUP BY t.job, f.dst)
SELECT job, 'host-receiver|loss' AS classes, sum(time_ns) AS time_ns,
       'packets passed the capture point at the link of '
         || iif(count(*) > 1, count(*) || ' hosts', min(dst)) || ' and were '
         || 'lost behind it: on the cable, or the adapter dropped them (its '
         || 'discard counters decide)' AS why
  FROM s
 GROUP BY job

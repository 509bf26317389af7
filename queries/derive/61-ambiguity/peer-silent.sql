-- Whose receiver stopped to send anything while it was tried again and again?
--
-- into phase_ambiguity
-- needs phase_share
WITH s AS (
  SELECT t.job, f.dst, sum(t.time_ns) AS time_ns
    FROM phase_share t /*scan*/
    JOIN flow f ON f.id = t.flow_id
   WHERE t.measured = 'silence of the receiver'
   GROUP BY t.job, f.dst)
SELECT job, 'loss|host-receiver' AS classes, sum(time_ns) AS time_ns,
       iif(count(*) > 1, count(*) || ' hosts', min(dst)) || ' sent nothing more '
         || 'while others retransmitted to '
         || iif(count(*) > 1, 'them: these hosts, their links or the paths to '
                || 'them', 'it: that host, its link or the path to it')
         || ' failed' AS why
  FROM s
 GROUP BY job

-- Which data waited although the link of its receiver was not busy all the time?
-- What comes from a host at the same switch passes one port only, and what all
-- stops while nothing that was queued passes elsewhere waits in no queue of
-- others: its host may pause that port where PFC is not visible, or a port is at
-- fault.
--
-- into phase_ambiguity
-- needs phase_share
WITH held AS (
  SELECT t.job, f.dst, sum(t.time_ns) AS time_ns
    FROM phase_share t /*scan*/
    JOIN flow f ON f.id = t.flow_id
   WHERE t.measured = 'idle link of the receiver'
   GROUP BY t.job, f.dst)
SELECT job, 'host-receiver|pause|queueing' AS classes, sum(time_ns) AS time_ns,
       'data waited for '
         || iif(count(*) > 1, count(*) || ' hosts', min(dst)) || ' while '
         || iif(count(*) > 1, 'their links were', 'its link was')
         || ' not busy, and nothing else in a queue explains that: '
         || iif(count(*) > 1, 'they', 'it')
         || ' may have sent PFC, which is not observable here, or '
         || iif(count(*) > 1, 'ports on the way are', 'a port on the way is')
         || ' slow or paused' AS why
  FROM held
 GROUP BY job

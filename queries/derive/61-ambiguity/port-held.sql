-- Which data waited although the link of its receiver was idle?
-- What comes from a host at the same switch passes one port only: if that does not
-- send, its host may pause it where PFC is not visible, or the port is at fault.
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
         || iif(count(*) > 1, count(*) || ' hosts', min(dst))
         || ', also of hosts at the same switch, while '
         || iif(count(*) > 1, 'their links were idle: they', 'the link of '
                || min(dst) || ' was idle: it')
         || ' may have sent PFC, which is not observable here, or '
         || iif(count(*) > 1, 'these ports of the switches are',
                'that port of the switch is') || ' slow' AS why
  FROM held
 GROUP BY job

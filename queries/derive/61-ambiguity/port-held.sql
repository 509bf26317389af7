-- Which data waited although the link of its receiver was idle?
-- What comes from a host at the same switch passes one port only: if that does not
-- send, its host may pause it where PFC is not visible, or the port is at fault.
--
-- into phase_ambiguity
SELECT t.job, 'host-receiver|pause|queueing' AS classes, sum(t.time_ns) AS time_ns,
       'data waited for ' || f.dst || ', also of hosts at the same switch, while the '
         || 'link of ' || f.dst || ' was idle: it may have sent PFC, which is not '
         || 'observable here, or that port of the switch is slow' AS why
  FROM phase_share t /*scan*/
  JOIN flow f ON f.id = t.flow_id
 WHERE t.measured = 'idle link of the receiver'
 GROUP BY t.job, f.dst

-- Which time was spent until a timer ran out, where nothing shows what was lost?
-- An adapter that does not answer for a while looks the same.
--
-- into phase_ambiguity
SELECT t.job, 'loss|host-receiver' AS classes, sum(t.time_ns) AS time_ns,
       'a lost packet and a host that did not answer look the same' AS why
  FROM phase_share t /*scan*/
 WHERE t.measured = 'timeouts'
 GROUP BY t.job

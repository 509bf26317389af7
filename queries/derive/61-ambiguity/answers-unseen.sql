-- Which time may have gone to ACKs that a capture point does not show?
-- Without the direction back nothing shows what a sender waited for.
--
-- into phase_ambiguity
-- needs phase_share
SELECT t.job, 'host-late|host-receiver|queueing|loss' AS classes,
       sum(t.time_ns) AS time_ns,
       'the ACKs of the receivers do not pass the capture points of their data'
         AS why
  FROM phase_share t /*scan*/
  JOIN flow f ON f.id = t.flow_id
 WHERE t.side = 'unknown' AND f.visibility = 'fwd'
 GROUP BY t.job

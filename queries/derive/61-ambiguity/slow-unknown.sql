-- What may have slowed data down where nothing shows it?
-- Pauses where PFC is not visible, a rate that was cut where CNPs are not, and
-- queues on links without a tap.
--
-- into phase_ambiguity
-- needs phase_share
SELECT t.job,
       'host-nic|queueing'
         || iif(EXISTS (SELECT 1 FROM observability /*scan*/
                         WHERE what = 'pfc' AND verdict = 'no'), '|pause', '')
         || iif(f.visibility = 'fwd', '|rate-cut', '') AS classes,
       sum(t.time_ns) AS time_ns,
       iif(j.ranks_tapped = j.ranks
             AND (SELECT count(DISTINCT place) FROM tap) >= j.ranks,
           'slower than usual for a reason that no packet shows',
           'slower than the link, cause not observable: other links are not '
             || 'tapped') AS why
  FROM phase_share t /*scan*/
  JOIN flow f ON f.id = t.flow_id
  JOIN job j ON j.id = t.job
 WHERE t.side = 'unknown' AND t.class = 'unknown'
   AND t.measured NOT IN ('idle link of the receiver',
                          'delay of data against ACKs',
                          'silence of the receiver',
                          'losses behind the receiver''s link')
 GROUP BY t.job, 2

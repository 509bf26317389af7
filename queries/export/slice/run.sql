-- In which run of live was this?
--
-- param id id NULL  finding.id; NULL: now
-- column run count  from 1, as in recordings
SELECT count(*) AS run
  FROM live_epoch e /*scan*/
 WHERE e.why IN ('start', 'restart')
   AND (:id IS NULL
        OR e.first_ns <= (SELECT first_ns FROM finding WHERE id = :id))

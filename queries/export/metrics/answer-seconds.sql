-- Where did the time of each answer go?
--
-- column scope text  capture job
-- column job id  job.id; 0 the capture
-- column class text  as in table answer_share
-- column side text  needed network host unknown
-- column value real  seconds
SELECT a.scope, ifnull(a.job, 0) AS job, s.class, s.side, s.ns / 1e9 AS value
  FROM answer a JOIN answer_share s ON s.answer_id = a.id
 WHERE a.scope IN ('capture', 'job')
 ORDER BY a.id, s.class, s.side

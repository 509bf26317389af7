-- Was it the network?
-- One of each scope and verdict; the job is 0 for the capture.
--
-- column scope text  capture job
-- column job id  job.id; 0 the capture
-- column verdict text  network host both nothing-wrong undetermined
-- column value real  confidence, 0..1; 0 too few packets to measure
SELECT scope, ifnull(job, 0) AS job, verdict, confidence AS value
  FROM answer
 WHERE scope IN ('capture', 'job')
 ORDER BY id

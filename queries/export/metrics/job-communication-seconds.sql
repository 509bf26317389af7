-- How long did each job communicate?
-- Absent where its phases are not known.
--
-- column job id  job.id
-- column value real  seconds
SELECT id AS job, comm_ns / 1e9 AS value FROM job ORDER BY id

-- How much payload did each job send, without copies?
--
-- column job id  job.id
-- column value bytes  bytes
SELECT id AS job, bytes AS value FROM job ORDER BY id

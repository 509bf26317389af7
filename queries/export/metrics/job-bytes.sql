-- How much payload did each job send, without retransmissions?
--
-- column job id  job.id
-- column value bytes  bytes
SELECT id AS job, bytes AS value FROM job ORDER BY id

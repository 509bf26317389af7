-- Hosts of each job.
-- column job id  job.id
-- column value count  hosts
SELECT id AS job, ranks AS value FROM job ORDER BY id

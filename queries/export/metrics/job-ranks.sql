-- How many hosts does each job have?
--
-- column job id  job.id
-- column value count  hosts
SELECT id AS job, ranks AS value FROM job ORDER BY id

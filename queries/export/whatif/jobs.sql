-- Which jobs are there, and is all that they send in the capture?
--
-- column id id  job.id
-- column ranks count  hosts
-- column tapped count  of these, everything they exchange is here
SELECT id, ranks, ranks_tapped AS tapped FROM job ORDER BY id

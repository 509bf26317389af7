-- Which ranks of a job are late, and is it their own doing?
--
-- param limit count 1000  at most so many
-- column job id  job.id
-- column rank id  from 0
-- column address text  as in flow.src
-- column rail count  from the topology file; NULL not told
-- column tapped flag  what it sends and what it receives is here
-- column bytes_out bytes  payload it sent
-- column bytes_in bytes  payload it received
-- column residual_ns duration  median lateness that its input does not explain
-- column late_phases count  phases in which it was late by itself
-- column late_ns duration  in all of them
-- column straggler flag  late by itself, beyond chance
--
-- example fabscope query DB report/ranks
SELECT job, rank, address, rail, tapped, bytes_out, bytes_in, residual_ns,
       late_phases, late_ns, straggler
  FROM job_rank /*scan*/
 ORDER BY straggler DESC, late_ns DESC, job, rank
 LIMIT :limit

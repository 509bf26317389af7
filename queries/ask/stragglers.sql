-- Which ranks begin late without having waited for others?
-- Lateness against the median rank, without what the arrival of their input,
-- or their receiver, explains.  The same rank again and again is an issue of
-- that host; one that moves is one of the network.
-- param job id NULL  one job only
-- column job id  job.id
-- column rank count  rank
-- column host text  its address
-- column rail count  from the topology file
-- column server text  that it is a NIC of; NULL not known
-- column tapped flag  what it sends and receives is here
-- column phases count  phases it sent in
-- column late_phases count  in which it was late
-- column late_ns duration  sum
-- column residual_ns duration  median of all phases
-- column spread_ns duration  median deviation of that
-- column straggler flag  late by itself, beyond chance
-- example fabscope query DB stragglers
SELECT job, rank, address AS host, rail, server, tapped, phases, late_phases, late_ns,
       residual_ns, spread_ns, straggler
  FROM job_rank /*scan*/
 WHERE :job IS NULL OR job = :job
 ORDER BY job, straggler DESC, late_ns DESC, rank LIMIT 200

-- Which jobs communicate here, and in how many iterations?
-- A job is hosts that exchange data, directly or through others.
--
-- param limit count 100  at most so many
-- column job id  job.id
-- column uet_job_id count  JobID of Ultra Ethernet; NULL RoCE
-- column ranks count  hosts that send or receive data
-- column ranks_tapped count  of these, all they exchange with others is here
-- column flows count  flows with data
-- column bytes bytes  payload without copies
-- column iterations count  NULL: not identifiable
-- column why_not text  then, why
-- column pattern text  of most phases
-- column jct_ns duration  begin of the first iteration to end of the last
-- column comm_ns duration  of this, communication
-- column phase_p50_ns duration  the median phase
-- column compute_ns duration  shortest time without communication, estimated
-- column busbw_p50_bps rate  wire busbw (algorithm-agnostic), median phase
--
-- example fabscope query DB report/jobs
SELECT id AS job, uet_job_id, ranks, ranks_tapped, flows, bytes, iterations,
       why_not, pattern, jct_ns, comm_ns, phase_p50_ns, compute_ns,
       busbw_p50_bps
  FROM job /*scan*/
 ORDER BY id
 LIMIT :limit

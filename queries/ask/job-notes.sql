-- What do training logs, Slurm and NCCL say of the job, and do the packets agree?
-- Steps of training logs, Slurm's accounting, NCCL RAS and NCCL's profiler.
--
-- param kind word NULL  step, slurm, ras or requests
-- param verdict word NULL  only those
-- param limit count 1000  at most so many
-- column kind word  step slurm ras requests
-- column name text  job or host
-- column number count  step, job or rank
-- column state text  as it is called there
-- column first_ns time  begin
-- column last_ns time  end, or when it was said
-- column length_ns duration  of the step
-- column rate real  tokens a second
-- column loss real  of the training
-- column qpn hex  queue pair
-- column count count  work requests, or collectives
-- column bytes bytes  of the requests
-- column verdict word  agrees explains more fewer contradicts unused
-- column reason text  why
-- column line count  in its file
--
-- example fabscope query DB job-notes --param kind=step
SELECT n.kind, n.name, n.number, n.state, n.first_ns, n.last_ns, n.length_ns,
       n.rate, n.loss, n.qpn, n.count, n.bytes, n.verdict, n.reason, n.line
  FROM job_note n /*scan*/
 WHERE (:kind IS NULL OR n.kind = :kind)
   AND (:verdict IS NULL OR n.verdict = :verdict)
 ORDER BY n.id
 LIMIT :limit

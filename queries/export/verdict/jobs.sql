-- What did each job do, how long, and was it the network?
-- The first twenty.
--
-- column job id  job.id
-- column uet_job_id id  UET: JobID
-- column ranks count  hosts
-- column iterations count  whole ones; NULL: not identifiable
-- column why_not text  then, why
-- column pattern word  traffic pattern
-- column groups text  which groups its ranks form
-- column about text  that it is storage, one of several rails, or on how many servers
-- column jct_ns duration  first iteration's begin to last one's end
-- column comm_ns duration  of this, communication
-- column phase_p50_ns duration  the median phase
-- column verdict text  network host both nothing-wrong undetermined
-- column confidence share  of the verdict; 0 too few packets to measure
-- column line text  verdict, confidence, and what leads to it
-- column root text  where it began
-- column total_ns duration  first to last packet: the time that is divided
-- column network share  of the total: lost to the network
-- column hosts share  of the total: lost to hosts
-- column unknown share  of the total: its cause is not known
-- column causes text  share by cause, the largest first
SELECT j.id AS job, j.uet_job_id, j.ranks, j.iterations, j.why_not, j.pattern,
       j.groups,
       coalesce(
         (SELECT 'storage: ' || max(s.protocol)
            FROM storage_flow s
            JOIN job_rank r ON r.address = s.target
           WHERE r.job = j.id AND j.iterations IS NULL),
         'one of ' || j.layout_jobs || ' rails in step',
         (SELECT 'on ' || count(DISTINCT server) || ' servers'
            FROM job_rank r WHERE r.job = j.id
          HAVING count(server) = count(*)
             AND count(DISTINCT server) BETWEEN 2 AND count(*) - 1)) AS about,
       j.jct_ns, j.comm_ns, j.phase_p50_ns, a.verdict, a.confidence, a.line,
       a.root, a.total_ns, 1.0 * a.network_ns / max(a.total_ns, 1) AS network,
       1.0 * a.host_ns / max(a.total_ns, 1) AS hosts,
       1.0 * a.unknown_ns / max(a.total_ns, 1) AS unknown,
       (SELECT group_concat(cause_name(class) || iif(class = 'pause', ' (' || side || ')',
                                         '')
                            || ' ' || human_share(1.0 * ns / a.total_ns), ', ')
          FROM (SELECT * FROM answer_share s
                 WHERE s.answer_id = a.id AND s.ns >= 0.005 * a.total_ns
                 ORDER BY s.ns DESC, class, side)) AS causes
  FROM job j /*scan*/
  LEFT JOIN answer a ON a.job = j.id AND a.scope = 'job'
 ORDER BY j.id LIMIT 20

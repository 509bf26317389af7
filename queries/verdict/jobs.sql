-- What did each job do, how long, and what did its communication go to?
-- The first twenty with iterations.
--
-- column job id  job.id
-- column uet_job_id id  UET: JobID
-- column ranks count  hosts
-- column iterations count  whole ones
-- column pattern text  shape of the communication
-- column jct_ns duration  first iteration's begin to last one's end
-- column comm_ns duration  of this, communication
-- column phase_p50_ns duration  the median phase
-- column network share  of it: paused, recovery, rate cut, link shared
-- column hosts share  of it: senders and receivers late or not ready
-- column unknown share  of it: cannot be told
-- column causes text  share by cause, the largest first
-- column doubts text  causes that cannot be told apart here
WITH t AS (
  SELECT p.job, t.class, sum(t.time_ns) AS ns,
         sum(sum(t.time_ns)) OVER (PARTITION BY p.job) AS total
    FROM phase_time t /*scan*/
    JOIN phase p ON p.id = t.phase_id
   WHERE NOT p.cut
   GROUP BY p.job, t.class),
s AS (
  SELECT job, class, 1.0 * ns / max(total, 1) AS share FROM t)
SELECT j.id AS job, j.uet_job_id, j.ranks, j.iterations, j.pattern, j.jct_ns,
       j.comm_ns, j.phase_p50_ns,
       (SELECT total(share) FROM s WHERE s.job = j.id AND whose(s.class) = 'network') AS network,
       (SELECT total(share) FROM s WHERE s.job = j.id AND whose(s.class) IN ('sender', 'receiver')) AS hosts,
       (SELECT total(share) FROM s WHERE s.job = j.id AND s.class = 'unknown')
         AS unknown,
       (SELECT group_concat(replace(class, '_', ' ') || ' '
                            || human_share(share), ', ')
          FROM (SELECT * FROM s WHERE s.job = j.id AND share >= 0.005
                 ORDER BY share DESC)) AS causes,
       (SELECT group_concat(classes, ', ') FROM phase_doubt d
         WHERE d.job = j.id) AS doubts
  FROM job j /*scan*/
 WHERE j.iterations IS NOT NULL
 ORDER BY j.id LIMIT 20

-- In which phase each collective lies that the job recorded: of those that overlap
-- it the one that does so longest.
-- needs collective
UPDATE collective SET phase_id = v.phase_id
  FROM (SELECT c.id, p.id AS phase_id,
               max(min(p.last_ns, c.last_ns) - max(p.first_ns, c.first_ns))
          FROM job_log l
          JOIN job_rank r ON r.address = l.address
          JOIN collective c ON c.job_log_id = l.id
          JOIN phase p ON p.job = r.job AND p.first_ns <= c.last_ns
                      AND p.last_ns >= c.first_ns
         GROUP BY c.id) v
 WHERE v.id = collective.id;

-- What a job recorded of its operations names its collective, where these are of
-- one kind: an all-gather and a reduce-scatter look the same on the wire.
UPDATE job
   SET collective = v.name, collective_confidence = 0.95
  FROM (SELECT t.job, max(k.column2) AS name
          FROM collective_time t /*scan*/
          JOIN collective c ON c.id = t.collective_id
          LEFT JOIN (VALUES ('AllReduce', 'all-reduce'),
                            ('AllGather', 'all-gather'),
                            ('ReduceScatter', 'reduce-scatter'),
                            ('AlltoAll', 'all-to-all'),
                            ('Broadcast', 'broadcast'),
                            ('Reduce', 'reduce')) k ON k.column1 = c.op
         GROUP BY t.job
        HAVING count(DISTINCT c.op) = 1 AND name IS NOT NULL) v
 WHERE v.job = job.id;

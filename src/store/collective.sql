-- In which phase each collective lies that the job recorded: of those that overlap
-- it the one that does so longest.
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

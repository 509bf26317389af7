-- When did each job communicate, and where did the time go?
-- A row for each class of time of each phase; of a phase whose time was not
-- attributed, one row without a class.
--
-- param limit count 20000  maximum number of rows
-- column job id  job.id
-- column phase_id id  phase.id
-- column iteration count  from 0
-- column first_ns time  first packet
-- column last_ns time  end
-- column pattern text  ring, tree, all-to-all, ...; NULL not recognized
-- column slow flag  longer than the others, beyond their spread
-- column class text  of the time; NULL not attributed
-- column time_ns duration  of the class
-- column lost_ns duration  of this, what was not needed
--
-- example fabscope query DB report/phases
SELECT p.job, p.id AS phase_id, p.iteration, p.first_ns, p.last_ns, p.pattern,
       p.slow, t.class, sum(t.time_ns) AS time_ns,
       sum(iif(t.side = 'needed', 0, t.time_ns)) AS lost_ns
  FROM phase p /*scan*/
  LEFT JOIN phase_share t ON t.phase_id = p.id AND NOT t.gap
 GROUP BY p.id, t.class
 ORDER BY p.job, p.first_ns, p.id, t.class
 LIMIT :limit

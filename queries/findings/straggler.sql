-- Is one rank, or one server on all its NICs, late by itself, again and again?
-- Late against the median rank, without what the arrival of its input or a
-- receiver that is not ready explains; at least five times.  Always the same
-- host is an issue of that host.
-- needs phase
WITH n AS (
  SELECT r.*, p.first_ns, p.last_ns
    FROM job_rank r /*scan*/
    LEFT JOIN (SELECT job, late_rank, min(first_ns) AS first_ns,
                      max(last_ns) AS last_ns
                 FROM phase /*scan*/ WHERE late_rank IS NOT NULL
                GROUP BY job, late_rank) p
      ON p.job = r.job AND p.late_rank = r.rank
   WHERE r.straggler),
r AS (
  SELECT job, max(phases) AS phases, max(late_phases) AS late_phases,
         max(late_ns) AS late_ns, max(residual_ns) AS residual_ns,
         min(first_ns) AS first_ns, max(last_ns) AS last_ns,
         iif(count(*) > 1, server || ' (' || plural(count(*), 'NIC') || ')',
             min(address)) AS address
    FROM n
   GROUP BY job, ifnull(server, rank)
  HAVING min(first_ns) IS NOT NULL)
SELECT 'warning' AS severity,
       CASE WHEN o.verdict = 'no' THEN 0.75 ELSE 0.9 END AS confidence,
       r.address || ' is late in ' || plural(r.late_phases, 'phase') || ' of '
         || human_count(r.phases) || ': all others wait for this host' AS title,
       'It begins to send ' || human_ns(r.late_ns / r.late_phases)
         || ' after the others on average, although all data that it waits for '
         || 'had arrived. '
         || CASE WHEN o.verdict = 'no'
                 THEN 'Whether it was paused (PFC) is not observable here. '
                 ELSE '' END
         || 'That is ' || human_ns(r.late_ns) || ' in all.' AS detail,
       'Look at that host: GPU clocks and throttling, memory, PCIe, its share '
         || 'of the data, other processes.' AS action,
       r.first_ns, r.last_ns, r.late_ns AS cost_ns,
       json_object('numbers',
                   json_object('late_phases', r.late_phases,
                               'phases', r.phases, 'late_ns', r.late_ns,
                               'residual_ns', r.residual_ns),
                   'query', 'fabscope query DB stragglers --param job='
                            || r.job) AS evidence
  FROM r
  JOIN (SELECT min(verdict) AS verdict FROM observability /*scan*/
         WHERE what = 'pfc') o

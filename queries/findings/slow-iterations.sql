-- Were some iterations slower than the others, and why?
-- A row for each cause: what cost most in those phases.
-- needs phase
WITH t AS (
  SELECT p.job, p.id, p.iteration, p.first_ns, p.last_ns,
         p.last_ns - p.first_ns - j.phase_p50_ns AS over, t.class, t.rank,
         t.flow_id, t.time_ns AS lost_ns,
         row_number() OVER (PARTITION BY p.id
                            ORDER BY t.time_ns DESC, t.class, t.flow_id) AS nth
    FROM phase p /*scan*/
    JOIN job j ON j.id = p.job
    JOIN phase_share t ON t.phase_id = p.id
   WHERE p.slow AND NOT p.cut AND NOT t.gap AND t.side <> 'needed'),
c AS (
  SELECT job, class, count(*) AS n, sum(over) AS over, max(over) AS worst,
         min(first_ns) AS first_ns, max(last_ns) AS last_ns,
         sum(lost_ns) AS lost
    FROM t WHERE nth = 1 GROUP BY job, class)
SELECT 'info' AS severity, 0.8 AS confidence,
       human_count(c.n) || ' of ' || plural(j.phases, 'phase')
         || ' of job ' || c.job || ' took longer than the others, '
         || iif(c.class = 'unknown', 'for a reason that is not observable here',
                'mostly because of ' || cause_name(c.class)) AS title,
       'The median phase takes ' || human_ns(j.phase_p50_ns)
         || iif(c.n = 1, '; this one took ' || human_ns(c.over) || ' more',
                '; these took ' || human_ns(c.over) || ' more in all, at most '
                  || human_ns(c.worst) || ' each')
         || iif(c.class = 'unknown', '',
                '. Time lost to ' || cause_name(c.class) || ': '
                  || human_ns(c.lost))
         || '.' AS detail,
       'See what each of them waited for.' AS action,
       c.first_ns, c.last_ns,
       json_object('numbers',
                   json_object('phases', c.n, 'over_ns', c.over,
                               'lost_ns', c.lost),
                   'query', 'fabscope query DB worst-phases --param job='
                            || c.job) AS evidence
  FROM c
  JOIN job j ON j.id = c.job

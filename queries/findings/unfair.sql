-- Did congested flows to one receiver get very different shares?
-- Jain's index over the second half of the time, when control should have
-- settled.  DCQCN takes its time: reported, not blamed.
-- param jfi share 0.6  lower is unfair
-- param least count 10  windows to be judged
-- needs fairness
WITH half AS (
  SELECT *, count(*) OVER w AS n,
         row_number() OVER (PARTITION BY tap_id, receiver ORDER BY start_ns)
           AS nth
    FROM fairness /*scan*/
  WINDOW w AS (PARTITION BY tap_id, receiver))
SELECT 'info' AS severity, 0.6 AS confidence,
       'Uneven shares of ' || plural(max(flows), 'congested flow') || ' to '
         || receiver || ': fairness ' || human_share(avg(jfi)) AS title,
       'Jain''s index over windows of ' || human_ns(max(window_ns))
         || ', averaged over the second half of the time; the fastest flow '
         || 'reached ' || human_rate(max(8e9 * bytes_max / window_ns))
         || ', the slowest '
         || human_rate(min(8e9 * bytes_min / window_ns)) || '. Flows that '
         || 'began late, that have less to send or that receive no CNPs also '
         || 'cause such a difference.' AS detail,
       'See which flows: the fastest first.' AS action,
       tap_id, min(start_ns) AS first_ns, max(start_ns + window_ns) AS last_ns,
       json_object('numbers',
                   json_object('jfi', avg(jfi), 'flows', max(flows),
                               'windows', count(*)),
                   'query', 'fabscope query DB fairness --param receiver='
                            || receiver) AS evidence
  FROM half
 WHERE nth > n / 2
 GROUP BY tap_id, receiver
HAVING avg(jfi) < :jfi AND max(n) >= :least AND min(flows) > 1

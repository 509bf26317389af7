-- What was the load of taps, and of the biggest flows?
-- Sparse: where nothing follows at once, it falls to 0.
--
-- param limit count 10000  a tenth of how many
-- column process text  top of the tree
-- column track text  row of it
-- column start_ns time  when
-- column value real  from then on
-- column unit text  of it
-- column total count  total number
WITH busiest AS (
  SELECT id FROM flow /*scan*/ ORDER BY bytes DESC, id LIMIT 16),
step AS (
  SELECT scope, scope_id, tap_id, start_ns, start_ns + width_ns AS until_ns,
         8e9 * bytes / width_ns AS value,
         lead(start_ns) OVER (PARTITION BY scope, scope_id, tap_id
                                  ORDER BY start_ns) AS next_ns
    FROM bin /*scan*/
   WHERE scope IN ('tap', 'flow') AND width_ns > 0
     AND (scope <> 'flow' OR scope_id IN (SELECT id FROM busiest))),
point AS (
  SELECT scope, scope_id, tap_id, start_ns, value FROM step
  UNION ALL
  SELECT scope, scope_id, tap_id, until_ns, 0 FROM step
   WHERE next_ns IS NULL OR next_ns > until_ns)
SELECT CASE p.scope WHEN 'flow' THEN 'Flows' ELSE 'Load' END AS process,
       CASE p.scope WHEN 'flow' THEN 'flow ' || p.scope_id
            ELSE ifnull(t.name, 'tap ' || p.scope_id) END || ' load' AS track,
       p.start_ns, p.value, 'bit/s' AS unit, count(*) OVER () AS total
  FROM point p
  LEFT JOIN tap t ON p.scope = 'tap' AND t.id = p.scope_id
 ORDER BY p.scope = 'flow', p.scope_id, p.tap_id, p.start_ns
 LIMIT 10 * :limit

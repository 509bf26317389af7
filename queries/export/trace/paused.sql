-- For which share of the time was a priority paused, both directions together?
-- Sparse: where nothing follows at once, it falls to 0.
--
-- param limit count 10000  a tenth of how many
-- column process text  top of the tree
-- column track text  row of it
-- column start_ns time  when
-- column value real  from then on
-- column unit text  of it
-- column total count  total number
WITH step AS (
  SELECT scope, scope_id, tap_id, start_ns, start_ns + width_ns AS until_ns,
         1.0 * paused_ns / width_ns AS value,
         lead(start_ns) OVER (PARTITION BY scope, scope_id, tap_id
                                  ORDER BY start_ns) AS next_ns
    FROM bin /*scan*/
   WHERE scope = 'priority' AND paused_ns > 0 AND width_ns > 0),
point AS (
  SELECT scope, scope_id, tap_id, start_ns, value FROM step
  UNION ALL
  SELECT scope, scope_id, tap_id, until_ns, 0 FROM step
   WHERE next_ns IS NULL OR next_ns > until_ns)
SELECT 'Load' AS process,
       ifnull(t.name, 'tap ' || p.tap_id) || ', priority ' || p.scope_id
         || ' paused' AS track,
       p.start_ns, p.value, '1' AS unit, count(*) OVER () AS total
  FROM point p
  LEFT JOIN tap t ON t.id = p.tap_id
 ORDER BY p.scope_id, p.tap_id, p.start_ns
 LIMIT 10 * :limit

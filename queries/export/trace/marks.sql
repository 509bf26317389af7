-- Which share of packets was marked, of taps and of the biggest flows?
-- Where no packet came there is no point.
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
point AS (
  SELECT scope, scope_id, tap_id, start_ns, 1.0 * ce / ect AS value
    FROM bin /*scan*/
   WHERE scope IN ('tap', 'flow') AND ect > 0
     AND (scope <> 'flow' OR scope_id IN (SELECT id FROM busiest)))
SELECT CASE p.scope WHEN 'flow' THEN 'Flows' ELSE 'Load' END AS process,
       CASE p.scope WHEN 'flow' THEN 'flow ' || p.scope_id
            ELSE ifnull(t.name, 'tap ' || p.scope_id) END || ' marked' AS track,
       p.start_ns, p.value, '1' AS unit, count(*) OVER () AS total
  FROM point p
  LEFT JOIN tap t ON p.scope = 'tap' AND t.id = p.scope_id
 ORDER BY p.scope = 'flow', p.scope_id, p.tap_id, p.start_ns
 LIMIT 10 * :limit

-- How much time did recoveries cost, summed over the flows in the database?
--
-- column tap id  tap.id
-- column name text  its name
-- column value real  seconds
SELECT t.id AS tap, t.name, sum(f.recovery_ns) / 1e9 AS value
  FROM flow f /*scan*/ JOIN tap t ON t.id = f.tap_id
 GROUP BY t.id ORDER BY t.id

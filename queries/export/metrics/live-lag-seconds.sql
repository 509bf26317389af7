-- How far is the live analysis behind the clock?
--
-- column tap id  tap.id
-- column name text  its name
-- column value real  seconds
WITH latest AS (SELECT tap_id, max(id) AS id FROM live_status GROUP BY tap_id)
SELECT t.id AS tap, t.name, s.lag_ns / 1e9 AS value
  FROM latest l JOIN live_status s ON s.id = l.id JOIN tap t ON t.id = s.tap_id
 ORDER BY t.id

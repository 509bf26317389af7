-- What is the load of the tap, in the last interval of its history?
--
-- column tap id  tap.id
-- column name text  its name
-- column value rate  bit/s
WITH latest AS (
  SELECT scope_id, max(start_ns) AS start_ns FROM bin /*scan*/
   WHERE scope = 'tap' GROUP BY scope_id)
SELECT t.id AS tap, t.name, 8e9 * b.bytes / b.width_ns AS value
  FROM tap t
  JOIN latest l ON l.scope_id = t.id
  JOIN bin b ON b.scope = 'tap' AND b.scope_id = t.id
            AND b.start_ns = l.start_ns
 WHERE b.width_ns > 0
 ORDER BY t.id

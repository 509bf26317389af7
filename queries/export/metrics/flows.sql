-- How many flows are in the database, one direction each?
--
-- column tap id  tap.id of their first packet
-- column name text  its name
-- column transport text  RC, UC, UD, ...
-- column value count  flows
SELECT t.id AS tap, t.name, f.transport, count(*) AS value
  FROM flow f /*scan*/ JOIN tap t ON t.id = f.tap_id
 GROUP BY t.id, f.transport ORDER BY t.id, f.transport

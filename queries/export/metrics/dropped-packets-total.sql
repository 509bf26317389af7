-- How many packets does the capturing system report as dropped?
-- Absent where it does not report it.
--
-- column tap id  tap.id
-- column name text  its name
-- column value count  packets
SELECT id AS tap, name, dropped_reported AS value FROM tap ORDER BY id

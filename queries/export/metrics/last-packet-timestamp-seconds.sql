-- When was the last packet captured, in seconds since the epoch?
--
-- column tap id  tap.id
-- column name text  its name
-- column value real  seconds
SELECT id AS tap, name, last_ns / 1e9 AS value FROM tap ORDER BY id

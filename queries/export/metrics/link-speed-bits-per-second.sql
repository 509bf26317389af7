-- What is the link speed at the capture point?
-- Absent where it is not known.
--
-- column tap id  tap.id
-- column name text  its name
-- column value rate  bit/s
SELECT id AS tap, name, speed_bps AS value FROM tap ORDER BY id

-- How many RoCE and UET packets have an ECN CE mark?
--
-- column tap id  tap.id
-- column name text  its name
-- column value count  packets
SELECT id AS tap, name, ce AS value FROM tap ORDER BY id

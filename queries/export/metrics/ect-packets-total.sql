-- How many RoCE and UET packets are ECN-capable (ECT or CE)?
--
-- column tap id  tap.id
-- column name text  its name
-- column value count  packets
SELECT id AS tap, name, ect AS value FROM tap ORDER BY id

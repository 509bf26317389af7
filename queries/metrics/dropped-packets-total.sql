-- Packets that the capturing system says it dropped; absent where it does not say.
-- column tap id  tap.id
-- column name text  its name
-- column value count  packets
SELECT id AS tap, name, dropped_reported AS value FROM tap ORDER BY id

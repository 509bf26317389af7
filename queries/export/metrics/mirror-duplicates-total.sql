-- How many mirror duplicates did the mirror deliver?
--
-- column tap id  tap.id
-- column name text  its name
-- column value count  packets
SELECT id AS tap, name, mirror_duplicates AS value FROM tap ORDER BY id

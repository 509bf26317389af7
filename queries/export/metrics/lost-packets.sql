-- How many packets were lost, at least?
-- Of the flows in the database.
--
-- column tap id  tap.id
-- column name text  its name
-- column value count  packets
SELECT t.id AS tap, t.name, c.lost AS value
  FROM tap t JOIN coverage c ON c.tap_id = t.id ORDER BY t.id

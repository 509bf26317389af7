-- How many delivered packets were not captured?
-- Absent where no ACK shows it.
--
-- column tap id  tap.id
-- column name text  its name
-- column value count  packets
SELECT t.id AS tap, t.name, c.capture_missing AS value
  FROM tap t JOIN coverage c ON c.tap_id = t.id ORDER BY t.id

-- How many packets were damaged before this place (invariant CRC)?
--
-- column tap id  tap.id
-- column name text  its name
-- column value count  packets
SELECT id AS tap, name, icrc_bad AS value
  FROM tap WHERE icrc_good + icrc_bad > 0 ORDER BY id

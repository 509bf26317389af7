-- How many packets had a bad ICRC at this capture point?
--
-- column tap id  tap.id
-- column name text  its name
-- column value count  packets
SELECT id AS tap, name, crc_bad AS value
  FROM tap JOIN coverage c ON c.tap_id = tap.id
 WHERE crc_good + crc_bad > 0 ORDER BY id

-- How many packets were retransmitted, of the flows in the database?
--
-- column tap id  tap.id
-- column name text  its name
-- column value count  packets
SELECT t.id AS tap, t.name, sum(f.retransmitted) AS value
  FROM flow f /*scan*/ JOIN tap t ON t.id = f.tap_id
 GROUP BY t.id ORDER BY t.id

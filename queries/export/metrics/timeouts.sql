-- How many retransmission timeouts (RTO) did the flows in the database have?
--
-- column tap id  tap.id
-- column name text  its name
-- column value count  times
SELECT t.id AS tap, t.name, sum(f.timeouts) AS value
  FROM flow f /*scan*/ JOIN tap t ON t.id = f.tap_id
 GROUP BY t.id ORDER BY t.id

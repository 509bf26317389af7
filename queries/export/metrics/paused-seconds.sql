-- How long did ports pause their senders (PFC, 802.3x), summed over ports?
-- Absent where the link speed is not known.
--
-- column tap id  tap.id
-- column name text  its name
-- column priority text  0 to 7; all: global pause
-- column value real  seconds
SELECT t.id AS tap, t.name, ifnull(p.priority, 'all') AS priority,
       sum(p.paused_ns) / 1e9 AS value
  FROM pause_sender p JOIN tap t ON t.id = p.tap_id
 GROUP BY t.id, p.priority ORDER BY t.id, p.priority

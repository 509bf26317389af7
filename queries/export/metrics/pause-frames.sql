-- How many pause frames (XOFF) were seen?
-- Absent where none was seen.
--
-- column tap id  tap.id
-- column name text  its name
-- column priority text  0 to 7; all: global pause
-- column value count  frames
SELECT t.id AS tap, t.name, ifnull(p.priority, 'all') AS priority,
       sum(p.xoff_frames) AS value
  FROM pause_sender p JOIN tap t ON t.id = p.tap_id
 GROUP BY t.id, p.priority ORDER BY t.id, p.priority

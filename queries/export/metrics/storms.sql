-- How many pauses lasted longer than congestion explains, by level?
--
-- column tap id  tap.id
-- column name text  its name
-- column priority text  0 to 7; all: global pause
-- column level text  heavy suspect storm deadlock-suspect deadlock
-- column value count  storms
SELECT t.id AS tap, t.name, ifnull(s.priority, 'all') AS priority, s.level,
       count(*) AS value
  FROM storm s JOIN tap t ON t.id = s.tap_id
 GROUP BY t.id, s.priority, s.level ORDER BY t.id, s.priority, s.level

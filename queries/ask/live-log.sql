-- What did a live analysis log?
-- Interfaces that went and came back, clock steps, full disks, what was let go
-- of.  Newest first.
--
-- param from time NULL  not before
-- param to time NULL  not after
-- param limit count 1000  maximum number of rows
-- column ns time  when
-- column level text  info, warning
-- column name text  the interface it is about
-- column text text  what
--
-- example fabscope query DB live-log
SELECT l.ns, l.level, t.name, l.text
  FROM live_log l
  LEFT JOIN tap t ON t.id = l.tap_id
 WHERE (:from IS NULL OR l.ns >= :from) AND (:to IS NULL OR l.ns <= :to)
 ORDER BY l.id DESC
 LIMIT :limit

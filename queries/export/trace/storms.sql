-- When were there pause storms?
-- Longest first.
--
-- param limit count 10000  maximum number of rows
-- column process text  top of the tree
-- column track text  row of it
-- column lane text  row below, or NULL
-- column name text  what is written on the slice
-- column start_ns time  begin
-- column end_ns time  end; NULL or the same: a moment
-- column storm_id id  storm.id
-- column paused_ns duration  time paused in it
-- column xoff_frames count  frames that asked to stop
-- column depth count  tapped links it reached
-- column total count  total number
SELECT 'Pauses' AS process,
       ifnull(t.name, 'tap ' || s.tap_id) || ', port ' || s.source_mac
         || ifnull(', priority ' || s.priority, '') AS track,
       'storms' AS lane, s.level AS name, s.first_ns AS start_ns,
       s.last_ns AS end_ns, s.id AS storm_id, s.paused_ns, s.xoff_frames,
       s.depth, count(*) OVER () AS total
  FROM storm s
  LEFT JOIN tap t ON t.id = s.tap_id
 ORDER BY s.paused_ns DESC, s.id
 LIMIT :limit

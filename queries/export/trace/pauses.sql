-- When were links paused?
-- Longest first; moments where the link speed is not known.
--
-- param limit count 10000  maximum number of rows
-- column process text  top of the tree
-- column track text  row of it
-- column lane text  row below, or NULL
-- column name text  what is written on the slice
-- column start_ns time  begin
-- column end_ns time  end; NULL or the same: a moment
-- column xoff_frames count  frames that asked to stop
-- column refreshes count  of these, while paused
-- column ended_by text  xon expiry capture_end
-- column frame count  the first
-- column total count  total number
SELECT 'Pauses' AS process,
       ifnull(t.name, 'tap ' || p.tap_id) || ', port ' || p.source_mac
         || ifnull(', priority ' || p.priority, '') AS track,
       NULL AS lane, 'paused' AS name, p.first_ns AS start_ns,
       p.last_ns AS end_ns, p.xoff_frames, p.refreshes, p.ended_by, p.frame,
       count(*) OVER () AS total
  FROM pause p
  LEFT JOIN tap t ON t.id = p.tap_id
 ORDER BY p.paused_ns DESC, p.id
 LIMIT :limit

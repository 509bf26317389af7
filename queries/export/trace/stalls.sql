-- When were flows stalled because of pauses or credits?
-- Longest first.
--
-- param limit count 10000  maximum number of rows
-- column process text  top of the tree
-- column track text  row of it
-- column lane text  row below, or NULL
-- column name text  what is written on the slice
-- column start_ns time  begin
-- column end_ns time  end; NULL or the same: a moment
-- column source_mac text  port that sent the pause frames
-- column priority id  0 to 7
-- column paused_ns duration  of this, paused
-- column total count  total number
SELECT 'Flows' AS process, 'flow ' || flow_id AS track, 'stalls' AS lane,
       CASE cause WHEN 'pause' THEN 'stalled by PFC pause'
                  ELSE 'no credit (UEC CBFC)' END AS name,
       first_ns AS start_ns, last_ns AS end_ns, source_mac, priority,
       paused_ns, count(*) OVER () AS total
  FROM stall
 ORDER BY paused_ns DESC, id
 LIMIT :limit

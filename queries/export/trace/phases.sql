-- When did jobs communicate?
-- Longest first.
--
-- param limit count 10000  maximum number of rows
-- column process text  top of the tree
-- column track text  row of it
-- column lane text  row below, or NULL
-- column name text  what is written on the slice
-- column start_ns time  begin
-- column end_ns time  end; NULL or the same: a moment
-- column pattern text  ring, tree, all-to-all, ...
-- column confidence share  of the pattern
-- column bytes bytes  payload
-- column busbw_bps rate  wire bus bandwidth
-- column slow flag  1: longer than the others
-- column total count  total number
SELECT 'Jobs' AS process, 'job ' || job AS track,
       CASE WHEN iteration IS NULL THEN NULL ELSE 'iterations' END AS lane,
       ifnull(pattern, 'communication')
         || ifnull(', iteration ' || iteration, '') AS name,
       first_ns AS start_ns, last_ns AS end_ns, pattern, confidence, bytes,
       busbw_bps, slow, count(*) OVER () AS total
  FROM phase
 ORDER BY last_ns - first_ns DESC, id
 LIMIT :limit

-- Which flows received CNPs when?
-- Those without reaction first.
--
-- param limit count 10000  maximum number of rows
-- column process text  top of the tree
-- column track text  row of it
-- column lane text  row below, or NULL
-- column name text  what is written on the slice
-- column start_ns time  begin
-- column end_ns time  end; NULL or the same: a moment
-- column frame count  its frame
-- column latency_max_ns duration  from the first mark it may answer
-- column rate_before_bps rate  rate of the flow before
-- column rate_after_bps rate  and after
-- column total count  total number
SELECT 'Flows' AS process, 'flow ' || flow_id AS track, 'CNPs' AS lane,
       'CNP' || ifnull(', ' || reaction, '') AS name, ns AS start_ns,
       NULL AS end_ns, frame, latency_max_ns, rate_before_bps, rate_after_bps,
       count(*) OVER () AS total
  FROM cnp
 WHERE flow_id IS NOT NULL
 ORDER BY reaction = 'none' DESC, id
 LIMIT :limit
